"""The archive: what servers sent, as it came, in WARC files that others read as well.

Workers write (`writer`, with the records of `warc_records`); the crawl's database says how much of
each file counts, and `recover` makes the files agree with it. `index` lists the pages for replay
tools. `reader` reads archives back, ours and those of others, WARC, ARC and WACZ. One reader of
HTTP answers serves the live web and archives: `http1` takes the bytes, `unpack` the compression.
"""
