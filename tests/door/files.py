"""All files of the corpus: what ordinary people bring, and what may be concluded from it."""

from tests.door import (
    classes,
    datasets,
    formats,
    layouts,
    others,
    outcomes,
    scored,
    several,
    truths,
    verbs,
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
]
