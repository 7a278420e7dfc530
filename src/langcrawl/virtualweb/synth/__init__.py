"""Generated webs: a profile, a size and a seed give the same web, to the byte.

A web is planned from the top down. `profile` names its statistics; `hosts` draws domains and
hosts, each with a target or a foreign main section, perhaps a section in the bridge language,
and leaves that are no OK HTML; `pages` gives every page a language; `links` lays a tree by
which a host is discovered, template links that many pages share, and links between hosts;
`write` makes a crawl log of it, a chunk of pages at a time. Destinations are chosen as hosts
and pages, never by language: what locality there is comes from who links to whom.
"""

from langcrawl.virtualweb.synth.profile import Profile, load_profile, profiles
from langcrawl.virtualweb.synth.write import Generated, generate

__all__ = ["Generated", "Profile", "generate", "load_profile", "profiles"]
