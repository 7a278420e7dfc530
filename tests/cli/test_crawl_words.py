"""What is said at the end of a crawl fits what it was looking for."""

from __future__ import annotations

from pathlib import Path

import pytest

from langcrawl.cli.crawl_words import tell_result
from langcrawl.config import CrawlConfig
from langcrawl.records import Counts, Outcome
from langcrawl.run import summary


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        ("", "2 pages in en (40.0%), 3 in other languages"),
        ("topic:model=M", "2 relevant pages in en (40.0%), 3 other pages"),
    ],
)
def test_pages_off_the_topic_are_not_said_to_be_in_other_languages(
    judge: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = Counts(pages=5, relevant=2)
    counts.answers["text"] = 5
    result = summary(Outcome(counts, 0, "queue-empty")) | {"languages": {}}
    config = CrawlConfig(lang="en", seeds=("http://a/",), judge=judge)
    tell_result(Path("crawl"), config, result, as_json=False)
    assert capsys.readouterr().out.splitlines()[0] == f"5 downloads: {says}. no URL is left."
