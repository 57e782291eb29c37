"""Every number of every method, under each of its options in turn, is that of the version before.

These values were written by assay itself: they tell that a number has changed, not that it is right, which the tests
beside them do against other programs and definitions. After an intended change, which is a breaking one, write them
anew with ``ASSAY_GOLDEN=write python -m pytest tests/hypotheses/test_kept_numbers.py`` and read the diff.
"""

import inspect
import json
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from assay.core.errors import AssayError
from assay.core.methods import Method, catalogue
from assay.core.vocabulary import ALTERNATIVES
from assay.core.wire import to_json
from tests.kept_numbers import CLOSE, SINGLE, Kept, hold, keeping
from tests.shapes import OPTIONS, Evidence, examples
from tests.unusual_shapes import unusual

DRAWS = 199
IN_SINGLE = ("rank_sets", "winner_score", "best_of", "bayes_hierarchical", "board")
SHOWN = 5
"""Outcomes of a family that are kept."""
SAID = {"n", "level", "seed", "version", "schema"}
"""What an answer repeats of the question."""
TRIED: dict[str, tuple[Any, ...]] = {
    "alternative": ALTERNATIVES[1:],
    "level": (0.8,),
    "null": (0.02, 0.6),
    "margin": (0.03,),
    "rope": (0.03,),
    "test_share": (0.25,),
    "correct": (True, False),
    "clip": (True, False),
    "counts": (True,),
    "stratified": (True, False),
    "position": (True,),
    "prior_strength": (2.0,),
    "training_sd": (0.02,),
    "control": (1,),
    "horizon": (50,),
    "extent": (0.5,),
    "measure": ("f1", "balanced_accuracy", "log_loss", "average_precision"),
    "center": ("mean", "median"),
    "target": (0.8,),
}
"""Values of options whose annotation does not list them."""
KINDS = {method.id: method for method in catalogue().values()}


def questions(method: Method) -> Iterator[tuple[str, Evidence, dict[str, Any]]]:
    """A name, evidence and options: ordinary and unusual evidence as it is, the first with each option."""
    function = inspect.unwrap(method.function)
    hints = get_type_hints(function)
    for at in (0, 1):
        yield f"{at}", examples(method.takes, at), {}
    for at, evidence in enumerate(unusual(method.takes)):
        yield f"unusual {at}", evidence, {}
    for name, one in inspect.signature(function).parameters.items():
        if one.kind is not one.KEYWORD_ONLY or name == "unit":
            continue
        listed = (
            get_args(hints[name]) if get_origin(hints[name]) is Literal else TRIED.get(name, ())
        )
        for value in listed:
            if value != one.default:
                yield f"{name}={value}", examples(method.takes, 0), {name: value}


def answer(method: Method, evidence: Evidence, options: dict[str, Any]) -> list[Any]:
    """The numbers and codes of notes of a result, or of which kind a refusal is."""
    accepted = inspect.signature(method.function).parameters
    draws = {"rng": 1, "n_resamples": DRAWS}
    given = {name: value for name, value in draws.items() if name in accepted}
    try:
        result = method.function(*evidence, **given, **OPTIONS.get(method.id, {}) | options)
    except AssayError as error:
        return [type(error).__name__]
    if method.gives == "adjustment":
        return list(leaves(np.asarray(result, dtype=float).ravel().tolist()))
    return list(leaves(json.loads(to_json(result))))


def leaves(value: Any, name: str = "") -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in SAID:
                yield from leaves(inner, key)
    elif isinstance(value, list):
        for inner in value[:SHOWN] if name == "outcomes" else value:
            yield from leaves(inner)
    elif isinstance(value, bool | int | float) or name == "code":
        yield value


@pytest.fixture(scope="module")
def kept() -> Iterator[Kept]:
    yield from keeping("numbers_of_methods")


QUESTIONS = [
    pytest.param(method, name, *rest, id=f"{method.id}-{name}")
    for method in KINDS.values()
    for name, *rest in questions(method)
]


@pytest.mark.parametrize(("method", "question", "evidence", "options"), QUESTIONS)
def test_numbers_are_those_of_the_version_before(
    method: Method,
    question: str,
    evidence: Evidence,
    options: dict[str, Any],
    kept: Kept,
) -> None:
    found = answer(method, evidence, options)
    near = SINGLE if method.id in IN_SINGLE else CLOSE
    hold(kept, method.id, question, found, near)


def test_no_number_is_left_behind(kept: Kept) -> None:
    asked = {(method.id, name) for method in KINDS.values() for name, *_ in questions(method)}
    assert {(method, name) for method, names in kept.items() for name in names} == asked
