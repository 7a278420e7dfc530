"""The crawl log: three Parquet tables that every crawl, import and generated web consists of.

`schema` names the columns, `segments` reads and writes files, `writer` is what a live crawl writes
with. A simulation reads a log as a `graph`: arrays over pages and links, built once (`build`,
`anchors`) and then mapped into memory. docs/crawl-log.md describes every column.
"""
