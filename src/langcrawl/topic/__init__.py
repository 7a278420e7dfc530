"""What a page is about, and which names of a country a text has: the classifiers of paper 004.

`terms` makes numbered words of a page: stems of its title, body and anchors. `learn` fits a linear
classifier to pages that people have labelled, `folds` parts the pages for trials, `evaluate` says
how good the classifier is on pages, and on sites, that it has not seen. `model` is the classifier
as a file of words and numbers; the judge ``topic`` asks it. `gazetteer` has the names of a
country, `tokenizer` finds them in a text by longest match, exact or by sound, and `figure5` does
so as the paper's Figure 5 says, word for word. Nothing here reads a log or a page: whoever has
pages (`langcrawl.importers.labelled`) hands over their contents.

Sections 3 to 5: `clues` reads what links say, `predictor` is the segment predictor as a file,
`segment_learn` fits and tries it, `countries` says where an address is. `document` is what all
model files have in common.
"""

from langcrawl.topic.model import TopicModel, load_model, save_model
from langcrawl.topic.terms import RECIPES, Terms

__all__ = ["RECIPES", "Terms", "TopicModel", "load_model", "save_model"]
