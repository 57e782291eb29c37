"""All files of the corpus: what ordinary people bring, and what may be concluded from it."""

from tests.door import (
    formats,
    labelled,
    others,
    outcomes,
    scored,
    several,
    tables,
    verbs,
)
from tests.door.case import Case

CASES: list[Case] = [
    *labelled.CASES,
    *outcomes.CASES,
    *scored.CASES,
    *tables.CASES,
    *formats.CASES,
    *several.CASES,
    *others.CASES,
    *verbs.CASES,
]
