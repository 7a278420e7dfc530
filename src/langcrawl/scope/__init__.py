"""What a crawl leaves out whatever its strategy says: patterns, block lists, traps.

`scope` holds what the user ruled out; `traps` finds places with URLs without end and hardly any
pages; `sitemaps` says which sitemaps are read, and for whom they speak. docs/urls.md lists the
rules and the word by which each refusal is counted.
"""

from langcrawl.scope.scope import CrawlScope, read_hosts

__all__ = ["CrawlScope", "read_hosts"]
