"""Virtual webs: recorded, imported or generated, one and the same directory to a simulation.

A live crawl writes its log as it goes (`log.LogWriter`), importers write one of tables,
archives and other crawls, and `synth` generates one. A small web of the project's own
(`small`) and any log (`served`) can be served over HTTP (`serve`). Whatever wrote it, a log
is three Parquet tables and a crawl.toml, and a simulation reads it as a graph (`graph`):
pages with their recorded facts, links in document order. docs/crawl-log.md describes every
column.
"""
