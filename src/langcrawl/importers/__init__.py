"""Importers: web archives, tables, other crawls, files, sample texts.

`warc`, `wat`, `csv` and `crawl` each make a crawl directory, ready to simulate on. Records are read
in one process, understood in all, and put together in one (`gather`). `files` says which language
files are in, `samples` reads the texts that `learn` makes a language pack of.
"""
