"""Reports: the results of a crawl or a simulation as charts, a page and a table.

`charts` says what is drawn, once; `page` puts the charts into one HTML file with their
scripts inside, readable without a network; the same charts become a PNG or an SVG without
a browser. `table` is apart from them, because drawing takes a while to load.
"""
