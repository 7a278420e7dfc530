"""Generated webs with sections about a topic: paper 004's web of English pages about Thailand.

Sites are parted into segments, of which some are about the topic. Links lead from segment to
segment by the ratios of the paper's Tables 5 to 7, and have anchors, the text around them, and
URLs with or without names of the country. `profile` has the parameters, `plan` draws sites and
segments, `write` makes the crawl log.
"""

from langcrawl.virtualweb.topical.profile import (
    TopicalProfile,
    load_topical_profile,
    topical_profiles,
)
from langcrawl.virtualweb.topical.write import generate_topical

__all__ = ["TopicalProfile", "generate_topical", "load_topical_profile", "topical_profiles"]
