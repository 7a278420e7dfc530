"""Virtual webs: recorded, imported or generated, one and the same directory to a simulation.

A live crawl writes its log as it goes (`journal`). Importers make one of CSV files
(`csv_import`), of web archives (`warc_import`, `wat_import`: records are read in one process,
understood in all, gathered in one) or of other logs (`crawl_import`); until it is complete it
is a `draft`. `synth` generates one. A small web of the project's own (`small`) and any log
(`served`) can be served over HTTP (`serve`). Whatever wrote it, a log is three Parquet tables
and a crawl.toml, and a simulation reads it as a graph (`graph`): pages with their recorded
facts, links in document order. docs/crawl-log.md describes every column.
"""
