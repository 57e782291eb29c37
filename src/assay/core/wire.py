"""One versioned JSON form for every result: command line, store, page and report all speak it.

Undefined numbers are null, infinities the strings "Infinity" and "-Infinity".
"""

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from assay.core import (
    board_results,
    gate_results,
    judge_results,
    plan_results,
    results,
    study_results,
)
from assay.core.checks import check_count
from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Result

SCHEMA = "assay/1"
"""Raised when a field changes its meaning or disappears; new fields do not raise it."""

KINDS: dict[str, type[Any]] = {
    "estimate": results.Estimate,
    "test": results.TestOutcome,
    "posterior": results.Posterior,
    "family": results.FamilyOutcome,
    "curve": results.Curve,
    "evaluation": results.Evaluation,
    "comparison": results.Comparison,
    "comparisons": results.Comparisons,
    "curves": study_results.CurveComparison,
    "study": study_results.StudyReport,
    "plan": plan_results.Plan,
    "gate": gate_results.Gate,
    "board": board_results.Board,
    "judge": judge_results.JudgeReport,
    "simulation": results.Simulation,
}
MOST_INDENT = 80
LARGEST = 2**1000
"""Whole numbers beyond it are no floats."""
_NEVER_WITHOUT: tuple[tuple[type[Any], str], ...] = (
    (results.Evaluation, "estimates"),
    (results.Comparisons, "parts"),
    (results.Curve, "columns"),
    (study_results.CurveComparison, "curves"),
    (board_results.Board, "rows"),
    (judge_results.JudgeReport, "estimates"),
)
_NAMES = {kind: name for name, kind in KINDS.items()}
_INFINITIES = {"Infinity": math.inf, "-Infinity": -math.inf}


def to_builtins(result: Result) -> dict[str, Any]:
    """The result as plain dictionaries, lists, strings and numbers."""
    if type(result) not in _NAMES:
        raise UsageError(f"to_json takes a result of assay, got {type(result).__name__}")
    fields = _written(msgspec.to_builtins(result, enc_hook=_of_python))
    return {"schema": SCHEMA, "kind": _NAMES[type(result)], **fields}


def _of_python(value: Any) -> Any:
    """A name, number or flag of another library's type (a user's name out of an array) as Python's own."""
    if isinstance(value, str):
        return str.__str__(value)
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return value.item()
    raise UsageError(f"JSON holds no {type(value).__name__}")


def to_json(result: Result, *, indent: int = 2) -> str:
    spaces = min(check_count(indent, "indent", at_least=-1), MOST_INDENT)
    try:
        encoded = msgspec.json.encode(to_builtins(result))
    except UnicodeEncodeError as error:
        raise UsageError(f"JSON holds text only, and this is none: {error.object[:80]!r}") from None
    return msgspec.json.format(encoded, indent=spaces).decode()


def from_builtins(document: Any) -> Result:
    """The result a document stands for; says which schema it needs when it cannot be read."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else None
        raise EvidenceError(f"not an assay result of schema {SCHEMA}; found schema {found!r}")
    kind = document.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise EvidenceError(f"unknown kind of result {kind!r}; known are {', '.join(KINDS)}")
    fields = {name: value for name, value in document.items() if name not in ("schema", "kind")}
    try:
        # strict=False reads the strings that stand for infinities where a number is due
        result: Result = msgspec.convert(_read(fields), KINDS[kind], strict=False)
    except msgspec.ValidationError as error:
        raise EvidenceError(f"damaged {kind}: {error}") from None
    for trouble in _contradictions(result):
        raise EvidenceError(f"damaged {kind}: {trouble}")
    return result


def _lacks(value: Any) -> Iterator[str]:
    """What no result of its kind is without."""
    for kind, part in _NEVER_WITHOUT:
        if isinstance(value, kind) and not getattr(value, part):
            yield f"it has no {part}"
    if isinstance(value, plan_results.Plan):
        units = [n for _, column in value.curve.columns[:1] for n in column]
        if not all(map(math.isfinite, units)):
            yield "its curve has no end"
    if isinstance(value, results.Comparisons):
        whole = {one.measure for one in value.parts if one.slice is None}
        for measure in set(value.measures) - whole:
            yield f"there are slices of {measure!r} and nothing of the whole"


def _of_a_family(value: results.FamilyOutcome) -> Iterator[str]:
    if len(value.pairs) != len(value.outcomes):
        yield f"{len(value.outcomes)} outcomes of {len(value.pairs)} pairs"


def _of_scores(value: study_results.ScoreTable) -> Iterator[str]:
    wide = {len(row) for part in (value.values, value.intervals) for row in part}
    if (len(value.values), wide) != (len(value.datasets), {len(value.learners)}):
        yield f"the scores of {value.measure!r} are no table of data sets and learners"
    if len(value.intervals) not in (0, len(value.datasets)):
        yield f"{len(value.intervals)} rows of intervals of {len(value.datasets)} data sets"


def _of_a_board(value: board_results.Board) -> Iterator[str]:
    if {len(value.weights), *(len(row.tasks) for row in value.rows)} != {len(value.tasks)}:
        yield f"{len(value.tasks)} tasks, and other numbers of weights or scores"


def _of_a_gate(value: gate_results.Gate) -> Iterator[str]:
    checks = sum(one.item is None and one.slice is None for one in value.checks)
    comparisons = sum(one.slice is None for one in value.comparisons)
    if checks != comparisons:
        yield f"{checks} checks of all items, and {comparisons} comparisons"
    levels = ("at-least", "at-most")
    if any((one.asks in levels) != (one.required is not None) for one in value.checks):
        yield "a check asks for a level and does not say which, or says one and asks for none"


def _of_a_curve(value: results.Curve) -> Iterator[str]:
    if len({len(column) for _, column in value.columns}) > 1:
        yield f"the columns of the curve {value.name!r} differ in length"
    if any(one != one for _, column in value.columns for one in column):
        yield "it holds NaN; what is undefined is null"


_FITS: dict[type[Any], Callable[[Any], Iterator[str]]] = {
    results.FamilyOutcome: _of_a_family,
    study_results.ScoreTable: _of_scores,
    board_results.Board: _of_a_board,
    gate_results.Gate: _of_a_gate,
    results.Curve: _of_a_curve,
}


def _contradictions(value: Any) -> Iterator[str]:
    """Parts of a result that belong together and are not as many, or are not there."""
    yield from _lacks(value)
    if isinstance(value, float) and math.isnan(value):  # written as a word, which a number may be
        yield "it holds NaN; what is undefined is null"
    if type(value) in _FITS:
        yield from _FITS[type(value)](value)
    if isinstance(value, tuple):
        parts: Iterable[Any] = value
    elif dataclasses.is_dataclass(value) and not isinstance(
        value, results.Curve
    ):  # its numbers are many
        parts = (getattr(value, one.name) for one in dataclasses.fields(value))
    else:
        return
    for part in parts:
        yield from _contradictions(part)


def from_json(text: str | bytes) -> Result:
    try:
        document = msgspec.json.decode(text)
    except TypeError:
        raise UsageError(f"from_json takes text or bytes, got {type(text).__name__}") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise EvidenceError(f"not JSON: {error}") from None
    except RecursionError:
        raise EvidenceError("not a result: it is nested too deeply") from None
    return from_builtins(document)


def _written(value: Any) -> Any:
    """What JSON has no number for as null or a word; the sentence of a comparison under the name that schema
    assay/1 gave it: summary.
    """
    if isinstance(value, dict):
        if "does_not_say" in value:  # comparisons and studies; gates and plans have sentences
            value = {"summary" if key == "sentence" else key: of for key, of in value.items()}
        return {key: of if type(of) is str else _written(of) for key, of in value.items()}
    if isinstance(value, list | tuple):
        return [of if type(of) is str else _written(of) for of in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def _read(value: Any, *, details: bool = False) -> Any:
    """The same back; infinities inside ``details``, whose values may be strings too, made numbers again."""
    if isinstance(value, dict):
        if "does_not_say" in value:
            value = {"sentence" if key == "summary" else key: of for key, of in value.items()}
        return {key: _read(of, details=key == "details") for key, of in value.items()}
    if isinstance(value, list):
        return [_read(of, details=details) for of in value]
    if type(value) is int and abs(value) > LARGEST:
        raise EvidenceError(f"a number of {value.bit_length():,} bits is beyond what results hold")
    return _INFINITIES.get(value, value) if details and isinstance(value, str) else value
