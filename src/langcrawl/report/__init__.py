"""Reports: the results of a crawl, a simulation or an analysis as charts, a page and tables.

Everything here takes the records of `measure` and knows nothing of how they were made.
`table` says what a table is; `charts` says what is drawn, once; `page` puts tables and charts
into one HTML file with their scripts inside, readable without a network; the same charts become
a PNG, an SVG or a PDF without a browser, and `curves` writes their numbers as CSV. `tuning` is
the table, the charts and the page of a search for parameters; `analysis`, `analysis_charts` and
`analysis_page` are those of an analysis. Tables are apart from charts, because drawing takes a
while to load. HTML is in `templates/` only.
"""
