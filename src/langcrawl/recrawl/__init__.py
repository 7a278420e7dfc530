"""Asks again for pages that a crawl has, with as few bytes as possible, and takes in what is new.

`plan` reads the log and its history of visits and says which pages are due, the likeliest to have
changed first (`change_rate`). They wait in `due`, apart from the crawl's own queue, and are asked
for by the same loop and the same workers as any page. `outcomes` compares each answer with what was
known: what has changed becomes the page's row in the log and its links are offered to the crawl;
what has not becomes a visit in its history. `run` does this before the crawl itself goes on with
the new URLs that were found.
"""

from langcrawl.recrawl.run import Options as Options
from langcrawl.recrawl.run import recrawl as recrawl
from langcrawl.recrawl.run import try_out as try_out
