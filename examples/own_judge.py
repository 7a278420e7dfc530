"""A judge of one's own: pages in the language that speak of something, by a word of theirs."""

from dataclasses import replace

from langcrawl.judge import make_judge
from langcrawl.languages import Pack
from langcrawl.records import Content, Verdict


class About:
    """A page in the target is relevant where it has a word so many `times`."""

    def __init__(self, pack: Pack, word: str, times: int = 1) -> None:
        self.language, self.word, self.times = make_judge(pack), word.lower(), times

    def judge(self, content: Content) -> Verdict:
        verdict = self.language.judge(content)
        found = content.text.lower().count(self.word)
        said = (*verdict.evidence, f"'{self.word}' stands {found} times on the page")
        if verdict.relevant and found < self.times:
            return replace(verdict, relevant=False, score=0.0, evidence=said)
        return replace(verdict, evidence=said)
