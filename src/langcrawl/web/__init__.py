"""Webs: what answers a visit.

The loop asks a web to `begin` visits and then for those that are `next_done`; it does not
know which web it is on. The live web (`live`) asks servers over HTTP: a `worker` takes a
visit from robots.txt through download, decoding and extraction to the judge's verdict,
behind an address guard (`guard`). The replayed web (`replay`) looks the answer up in a
crawl log and lets a virtual clock run instead of the wall's.
"""
