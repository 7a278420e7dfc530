"""Small English pages about diving holidays, houses and cooking, of several sites."""

from __future__ import annotations

import random
from pathlib import Path

COMMON = (
    "We have been here for many years and would like to hear from you about this.",
    "Please write to us if there is anything else that you want to know before you come.",
    "The people in this town are friendly and the weather is good for most of the year.",
    "This page was last changed in spring, and we hope that you find what you need.",
)
SENTENCES = {
    "diving": (
        "The scuba instructor takes beginners to the coral reef by boat every morning.",
        "Divers meet whale sharks and turtles under water, with a tank and a mask.",
        "A snorkel trip to the reef needs fins, a mask and a calm sea.",
        "Our diving school rents tanks and regulators for a dive at the wreck.",
    ),
    "houses": (
        "The house has three bedrooms, a garage and a garden, and the price is low.",
        "An agent shows the apartment to buyers and the bank pays for the mortgage.",
        "The villa for sale has a new roof and a kitchen with a view of the garden.",
        "Rent is paid to the landlord on the first day, with a deposit for the flat.",
    ),
    "cooking": (
        "Boil the rice, fry the garlic and add the sauce with sugar and lime.",
        "The soup needs an hour on the stove with onions, pepper and fresh herbs.",
        "Bake the bread in a hot oven and serve it with butter and cheese.",
        "Chop the vegetables and stir them in the pan with oil and salt.",
    ),
}


def page(label: str, site: int, number: int) -> str:
    chance = random.Random(f"{label} {site} {number}")
    own = [chance.choice(SENTENCES[label]) for _ in range(3)]
    body = [*own, *(chance.choice(COMMON) for _ in range(3))]
    chance.shuffle(body)
    return (
        f"<html><head><title>Site {site} about {label}</title></head><body>"
        f"<p>{'</p><p>'.join(body)}</p><a name='top'>more about us</a></body></html>"
    )


def write_folders(root: Path, labels: tuple[str, ...] = tuple(SENTENCES), sites: int = 4) -> Path:
    """A folder for each label, in it one for each site, with six pages each."""
    for label in labels:
        for site in range(sites):
            folder = root / label / f"site{site}{label}.example"
            folder.mkdir(parents=True)
            for number in range(6):
                (folder / f"{number}.html").write_text(page(label, site, number), "utf-8")
    return root
