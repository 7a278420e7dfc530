"""The crawl directory: who may write it, what is in its database, and how to read it.

`directory` names its files, locks it and knows its version; `migrate` converts one of an earlier
version. `database` has the one schema of ``frontier.db``. All that must survive the process is
saved in one transaction of it: URLs and queue by the frontier, pages and links by the log's writer,
and the rest by `state`. `view` reads a directory without changing it, while a crawl may be running.
`draft` is a directory in the making.
"""
