"""The live page: crawls watched and steered in a browser.

`watched` looks at one crawl directory, through the channel of a running crawl where it can and
through its database where it must. `app` makes pages of that, and of each page a JSON document
too; `stream` pushes the parts of a page that change. `guard` decides who is answered, and forbids
the browser whatever a page does not need. What comes from the web is only ever shown through
`shown`, and Jinja2 escapes it. Charts are drawn here, as SVG (`charts`). `serve` runs it all.
"""

from langcrawl.dashboard.app import make_app
from langcrawl.dashboard.serve import Address, serve

__all__ = ["Address", "make_app", "serve"]
