"""The frontier: every URL that the crawl has heard of and may still ask for.

A URL is unknown until a link to it is queued (`put`). While it waits, a better offer moves
it to the end of a better lane, and its strategy may `drop` it, which makes it unknown
again. When its turn comes and its host may be asked, `take` hands it out, and it never
comes back: a URL is downloaded at most once. A URL whose turn comes while its host has to
rest is parked beside the queue until the host is ready again (`wake`), so that one slow
host does not hold up the others. When a host may be asked again is none of the frontier's
business: `langcrawl.politeness` knows, and remembers it after the host's queue runs empty.
"""
