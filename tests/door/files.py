"""All files of the corpus: what ordinary people bring, and what may be concluded from it."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from tests.door import (
    brought,
    brought_items,
    classes,
    datasets,
    everyday,
    exported,
    formats,
    guests,
    layouts,
    newcomers,
    others,
    outcomes,
    outsiders,
    scored,
    seldom,
    several,
    sojourners,
    strangers,
    travellers,
    truths,
    unfamiliar,
    unfamiliar_items,
    verbs,
    visitors,
    wayfarers,
)
from tests.door.case import Case

CASES: list[Case] = [
    *truths.CASES,
    *classes.CASES,
    *outcomes.CASES,
    *scored.CASES,
    *datasets.CASES,
    *layouts.CASES,
    *formats.CASES,
    *several.CASES,
    *others.CASES,
    *verbs.CASES,
    *brought.CASES,
    *brought_items.CASES,
    *unfamiliar.CASES,
    *unfamiliar_items.CASES,
    *everyday.CASES,
    *outsiders.CASES,
    *newcomers.CASES,
    *exported.CASES,
    *strangers.CASES,
    *seldom.CASES,
    *visitors.CASES,
    *guests.CASES,
    *travellers.CASES,
    *wayfarers.CASES,
    *sojourners.CASES,
]

SHOWN = ("id", "verb", "options", "expect", "models", "unit", "order", "n", "why")


def export(folder: Path) -> None:
    """Write all files and `cases.json`, to try them by hand: python -m tests.door.files FOLDER."""
    listed = []
    for case in CASES:
        place = folder / case.id
        place.mkdir(parents=True, exist_ok=True)
        case.scene.make(place)
        facts = {name: getattr(case, name) for name in SHOWN}
        listed.append(
            {
                **facts,
                "files": [f"{case.id}/{file}" for file in case.files],
                "remedy": [asdict(remedy) for remedy in case.remedies],
            }
        )
    (folder / "cases.json").write_text(json.dumps(listed, indent=1), encoding="utf-8")


if __name__ == "__main__":
    export(Path(sys.argv[1]))
