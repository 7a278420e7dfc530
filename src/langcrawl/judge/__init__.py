"""Judges: which language a page is in, and how one can tell.

A judge is one small file with one class. It sees a page's decoded content and answers with
a `langcrawl.records.Verdict`: language, script, score and its evidence in words, or ``und``
where it does not know. It knows the target only to say whether the page is relevant. A
language pack names the judges to ask in turn (`combined`); on the command line a judge is
written ``name:parameter=value``.
"""

from langcrawl.judge.anchors import AnchorScorer, make_anchor_scorer
from langcrawl.judge.catalogue import JUDGES, make_judge
from langcrawl.judge.fasttext_model import pinned

__all__ = ["JUDGES", "AnchorScorer", "make_anchor_scorer", "make_judge", "pinned"]
