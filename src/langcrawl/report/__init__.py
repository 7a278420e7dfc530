"""Reports: the results of a crawl or a simulation as charts, a page and a table.

`charts` says what is drawn, once; `page` puts the charts into one HTML file with their
scripts inside, readable without a network; the same charts become a PNG or an SVG without
a browser.
"""

from langcrawl.report.charts import save_plot
from langcrawl.report.page import write_report

__all__ = ["save_plot", "write_report"]
