"""Reports: the results of a crawl, a simulation or an analysis as charts, a page and tables.

`charts` says what is drawn, once; `page` puts tables and charts into one HTML file with
their scripts inside, readable without a network; the same charts become a PNG or an SVG
without a browser. `analysis`, `analysis_charts` and `analysis_page` are the tables, the
charts and the page of an analysis. Tables are apart from charts, because drawing takes a
while to load.
"""
