"""Loaded only by the process of which shards are copies: what each would load again for itself."""

from __future__ import annotations

import langcrawl.cluster.shard  # noqa: F401
from langcrawl.startup import do_not_load_linear_algebra, do_not_load_pandas
from langcrawl.url import domain_of

do_not_load_linear_algebra()
do_not_load_pandas()
domain_of("www.example.com")  # reads the list of public suffixes
