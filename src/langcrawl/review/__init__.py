"""How good is the judge? People look at a sample of pages, and figures say what that means.

`sample` draws pages at random, stratified by host and score: most of those that the judge called
relevant, and some of the others. `answers` keeps the sample and what reviewers say of it in
``review.jsonl``, beside the crawl. `figures` works out precision with its interval, the threshold
that would meet a wanted one, the judge's mistakes by kind, and how far reviewers agree. `texts`
reads what a reviewer is to look at.
"""

from langcrawl.review.answers import ANSWERS, Answer, ReviewFile, read_answers, write_answers
from langcrawl.review.figures import figures
from langcrawl.review.sample import Sample, SampledPage, Stratum, draw_sample
from langcrawl.review.texts import ReviewTexts

__all__ = [
    "ANSWERS",
    "Answer",
    "ReviewFile",
    "ReviewTexts",
    "Sample",
    "SampledPage",
    "Stratum",
    "draw_sample",
    "figures",
    "read_answers",
    "write_answers",
]
