"""Virtual webs: recorded, imported or generated, one and the same directory to a simulation.

A live crawl writes its log as it goes (`log.LogWriter`), an importer writes one in a go
(`csv_import`), and a small web of the project's own can be made and served over HTTP
(`small`, `serve`). Whatever wrote it, a log is three Parquet tables and a crawl.toml, and a
simulation reads it as a graph (`graph`): pages with their recorded facts, links in document
order. docs/crawl-log.md describes every column.
"""
