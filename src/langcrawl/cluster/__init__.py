"""Crawls of several shards, on one machine or on many.

A shard is a whole crawl with its own hosts, processes and directory (`shard`); links to the hosts
of others are exchanged at least once and taken exactly once (`exchange`). The `driver` starts the
shards, carries their messages, shares out the limit of pages (`allowance`) and knows when all are
through. They are processes of this machine (`local`) or actors of a Ray cluster (`actors`).
`whole` makes one crawl directory of those of the shards, for every command that reads one;
`growth` adds shards to a crawl. `tasks` takes the work of other commands to such a cluster.
docs/scale.md tells the story.
"""

from langcrawl.cluster.run import crawl as crawl
