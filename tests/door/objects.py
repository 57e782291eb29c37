"""What people hand to `assay.compare` in Python, and what may be concluded from it."""

from tests.door import (
    arrays,
    callers_objects,
    fitted,
    frames,
    nested,
    sojourners_objects,
    travellers_objects,
    unfamiliar_objects,
    visitors_objects,
)
from tests.door.given import Object

CASES: list[Object] = [
    *arrays.CASES,
    *frames.CASES,
    *fitted.CASES,
    *unfamiliar_objects.CASES,
    *nested.CASES,
    *visitors_objects.CASES,
    *travellers_objects.CASES,
    *callers_objects.CASES,
    *sojourners_objects.CASES,
]
