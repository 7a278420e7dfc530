"""Parts that a user brings: found by their place, made with parameters, refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from langcrawl import spec
from langcrawl.errors import BadValue, UnknownName, UsageError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a helper beside it, and what such files are made of."""
    (tmp_path / "beside_the_part.py").write_text("WORD = 'helped'\n")
    path = tmp_path / "parts.py"
    path.write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "from beside_the_part import WORD\n"
        "@dataclass(frozen=True, slots=True)\n"
        "class Record:\n"
        "    target: str\n"
        "    share: float = 0.5\n"
        "    most: int | None = None\n"
        "class Plain:\n"
        "    def __init__(self, size: int, loud: bool = False, times=3):\n"
        "        self.made = (size, loud, times)\n"
        "def word(): return WORD\n"
        "def fails(): raise ValueError('not today')\n"
        "thing = 3\n"
    )
    return path


def test_a_part_has_the_types_of_its_maker(file: Path) -> None:
    record = spec.make_own("judge", f"{file}:Record:share=0.25,most=7", target="th", pack=None)
    assert (record.target, record.share, record.most) == ("th", 0.25, 7)
    assert spec.make_own("judge", f"{file}:Plain:size=3,loud=yes,times=5").made == (3, True, 5)


def test_modules_beside_a_file_are_found(file: Path) -> None:
    assert spec.make_own("judge", f"{file}:word") == "helped"


def test_an_object_is_the_part_itself(file: Path) -> None:
    assert spec.make_own("judge", f"{file}:thing") == 3
    with pytest.raises(UsageError, match="takes no parameters"):
        spec.make_own("judge", f"{file}:thing:a=1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Recrod", "there is no 'Recrod' in it; it has Record, Plain, word, fails"),
        ("Record:shore=1", "there is no parameter of Record 'shore'"),
        ("Record:most=many", "Record's most must be a whole number, not 'many'"),
        ("Plain", "cannot be made .*missing 1 required positional argument: 'size'"),
        ("fails", "cannot be made .ValueError: not today"),
    ],
)
def test_a_part_that_cannot_be_made_says_why(file: Path, words: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        spec.make_own("judge", f"{file}:{words}", target="th")


def test_a_place_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'gone\.py:x' cannot be loaded \(there is no file"):
        spec.make_own("judge", "gone.py:x")
    with pytest.raises(UsageError, match=r"cannot be loaded \(ModuleNotFoundError"):
        spec.make_own("judge", "no.such.module:x")
    broken = tmp_path / "broken.py"
    broken.write_text("def (:\n")
    with pytest.raises(UsageError, match="SyntaxError"):
        spec.make_own("judge", f"{broken}:x")


def test_own_places_are_told_from_names() -> None:
    makers = {"charset": str}
    assert spec.is_own("package.module:Name", makers)
    assert spec.is_own("./file.py:name:a=1", makers)
    assert not spec.is_own("charset:from=meta", makers)
    assert not spec.is_own("file.py", makers)
    with pytest.raises(UnknownName):
        spec.make("judge", "file.py", makers)
    with pytest.raises(BadValue):
        spec.call("judge", "f", lambda n=1: n, "n=x")
