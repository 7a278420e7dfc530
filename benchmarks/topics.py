"""Topic classifiers on WebKB, with one university kept apart."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from langcrawl.config import CrawlConfig
from langcrawl.importers.labelled import Example, from_logs, read_labels
from langcrawl.importers.warc import import_warc
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.parallel import silent
from langcrawl.topic.evaluate import Counts
from langcrawl.topic.train import Plan, test_model, train_topic

WEBKB = Path(__file__).resolve().parents[2] / "shared" / "data" / "webkb"
ARCHIVES = ("cornell", "washington", "wisconsin", "misc")
"""The last one has pages of many universities, and is always learned from."""
TOPICS = ("course", "faculty", "student", "project")
PLANS = (("logistic", "places"), ("logistic", "paper"), ("naive-bayes", "paper"))


def run() -> None:
    """G-mean of topic classifiers on a university that they have not seen (WebKB)."""
    if not WEBKB.is_dir():
        print("needs the data folder ../shared/data")
        return
    with tempfile.TemporaryDirectory() as name:
        logs = [_import(Path(name), archive) for archive in ARCHIVES]
        for classifier, recipe in PLANS:
            pages = {log.name: _read(log, Plan("", "en", classifier, recipe)) for log in logs}
            found = {topic: _apart(pages, topic, classifier, recipe) for topic in TOPICS}
            _print(f"{classifier}, {recipe}", found)


def _import(folder: Path, archive: str) -> Path:
    config = CrawlConfig(source="import", lang="en")
    files = [WEBKB / f"{archive}.warc.gz"]
    import_warc(folder / archive, files, make_judge(load_pack("en")), config, silent)
    return folder / archive


def _read(log: Path, plan: Plan) -> list[Example]:
    labels, _ = read_labels([WEBKB / f"{log.name}.tsv"])
    return from_logs([log], labels, plan.lang, plan.terms).examples


def _apart(
    pages: dict[str, list[Example]], topic: str, classifier: str, recipe: str
) -> list[Counts]:  # fmt: skip
    """How the topic is found at each university by what was learned from the others."""
    plan = Plan(topic, "en", classifier, recipe, times=0)
    found = []
    for apart in ARCHIVES[:-1]:
        kept = [page for name, some in pages.items() if name != apart for page in some]
        found.append(test_model(train_topic(plan, kept).model, pages[apart]))
    return found


def _print(name: str, found: Mapping[str, Sequence[Counts]]) -> None:
    means = {topic: np.mean([each.g_mean for each in counts]) for topic, counts in found.items()}
    literal = np.mean([each.literal_g_mean for counts in found.values() for each in counts])
    words = "  ".join(f"{topic} {mean:.3f}" for topic, mean in means.items())
    mean = float(np.mean(list(means.values())))
    print(f"{name:24} {words}  mean {mean:.4f}  (formulas 2 to 5 as printed: {literal:.4f})")
