"""An answer taken apart: the formula, the same with the numbers, and how to check it elsewhere."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.core.formatting import clean, say_p, shown, shown_p, shown_percent, write_estimate
from assay.core.method_names import method_name
from assay.core.methods import Method
from assay.core.results import (
    Comparison,
    Comparisons,
    Estimate,
    Evaluation,
    FamilyOutcome,
    Posterior,
    Result,
    TestOutcome,
)
from assay.report.formula_names import (
    asked,
    described,
    is_number,
    named_evidence,
    names_of,
    names_of_pair,
    other_ways,
)
from assay.report.formulas import bare, filled
from assay.report.labelled_lines import WIDEST, labelled
from assay.report.methods_paragraph import record_of
from assay.report.other_programs import filled_line
from assay.report.references import works
from assay.report.sentences import effect_name

MOST_PAIRS = 3
"""Pairs of a family whose numbers are put in; the others go the same way."""

Lines = Iterator[tuple[str, str]]


def explain(
    method: Method,
    evidence: Sequence[Any],
    options: Mapping[str, Any],
    result: Result | Sequence[float | None],
    *,
    width: int = WIDEST,
) -> str:
    """The question, the formula with names and with numbers, the answer, and where to check it."""
    known = named_evidence(method, evidence)
    values = {**asked(method, options, result), **names_of(method, result)}
    values |= {**described(method, known), **known}
    found = [*_numbers(method, known, values, result), *_answer(result)]
    return labelled(_lines(method, found, values, options), width=width, whole=("Same as",))


def explain_result(result: Comparison | Comparisons | Evaluation, *, width: int = WIDEST) -> str:
    """The methods that a comparison or an evaluation rests on, with the numbers of each part."""
    parts: dict[str, list[tuple[str, TestOutcome | Estimate]]] = {}
    for name, part in _parts(result):
        parts.setdefault(_method_of(part), []).append((name, part))
    return "\n\n".join(
        labelled(_of_parts(method, found), width=width, whole=("Same as",))
        for method, found in parts.items()
    )


def _parts(
    result: Comparison | Comparisons | Evaluation,
) -> Iterator[tuple[str, TestOutcome | Estimate]]:
    if isinstance(result, Comparisons):
        for part in result.parts:
            where = part.measure if part.slice is None else f"{part.measure}, {part.slice}"
            for name, found in _parts(part):
                yield f"{name} ({clean(where)})", found
    elif isinstance(result, Comparison):
        for verdict in result.verdicts:
            yield f"{clean(verdict.a)} and {clean(verdict.b)}", verdict.outcome
    else:
        for estimate in result.estimates:
            yield f"{clean(estimate.measure)} of {clean(estimate.model or 'the model')}", estimate


def _method_of(part: TestOutcome | Estimate) -> str:
    """The interval's method says more than the estimate's, where they differ."""
    if isinstance(part, Estimate) and part.interval is not None:
        return part.interval.method
    return part.method


def _of_parts(used: str, parts: list[tuple[str, TestOutcome | Estimate]]) -> Lines:
    method = record_of(used)
    said: list[tuple[str, str]] = []
    for name, part in parts[:MOST_PAIRS]:
        said.append(("About", name))
        if method is not None:
            difference = {"difference": part.effect.value} if isinstance(part, TestOutcome) else {}
            values = {**asked(method, {}, part), **difference, **names_of(method, part)}
            said += _numbers(method, {}, values, part)
        said += _answer(part)
    if len(parts) > MOST_PAIRS:
        said.append(("About", f"… and {len(parts) - MOST_PAIRS} more in the same way"))
    if method is None:
        yield "Method", method_name(used)
        yield from said
        return
    first = parts[0][1]
    values = {**asked(method, {}, first), **names_of(method, first)}
    yield from _lines(method, said, values, _taken(first))


def _taken(part: TestOutcome | Estimate) -> dict[str, Any]:
    """The variant of a method that decided, where it is another than its line in R."""
    skewed = isinstance(part, TestOutcome) and "lean" in dict(part.details)
    return {"variant": "skewed"} if skewed else {}


def _lines(
    method: Method,
    said: Sequence[tuple[str, str]],
    values: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Lines:
    yield "Method", f"{method.id}: {method.summary}".replace("``", "")
    yield "Question", method.question
    if method.formula:
        yield "Formula", method.formula
    yield from said
    yield from (("Assumes", one) for one in method.assumes)
    yield from (("Reference", work) for work in works(method.reference))
    if method.same_as:
        yield "Same as", filled_line(method.same_as, values) + _otherwise(method, options)
    yield "Docs", f"docs/methods/{method.family}.md#{method.id}"


def _otherwise(method: Method, options: Mapping[str, Any]) -> str:
    """Said where the line is of the default and the answer is not."""
    ways = [f"{name}={value!r}" for name, value in other_ways(method, options).items()]
    return f"  # without {', '.join(ways)}" if ways else ""


def _numbers(
    method: Method, known: Mapping[str, Any], values: Mapping[str, Any], result: Any
) -> Lines:
    """The formula with the numbers: of a family, those of its first pairs."""
    formula = method.formula
    if formula is None:
        return
    plain = {name: value for name, value in values.items() if is_number(value)}
    if isinstance(result, FamilyOutcome):
        for pair, outcome in _first_pairs(result):
            names = {**plain, **names_of(method, outcome), **names_of_pair(result, pair, known)}
            names.setdefault("difference", outcome.effect.value)
            numbers = filled(formula, names, outcome.effect.interval)
            yield "Numbers", f"{_pair(pair)}: {numbers}"
        return
    names = {**plain, **names_of(method, result)}  # what was found before what was given
    interval = result.interval if isinstance(result, Estimate) else None
    numbers = filled(formula, names, interval)
    if numbers != formula:
        yield "Numbers", numbers


def _answer(result: Any) -> Lines:
    if isinstance(result, FamilyOutcome):
        for pair, outcome in _first_pairs(result):
            yield "Answer", f"{_pair(pair)}: {_told(outcome)}"
        if len(result.pairs) > MOST_PAIRS:
            yield "Answer", f"… and {len(result.pairs) - MOST_PAIRS} more pairs"
    elif isinstance(result, TestOutcome | Estimate | Posterior):
        yield "Answer", _told(result)
    elif isinstance(result, Sequence):
        yield "Answer", ", ".join(shown_p(p) for p in result)


def _first_pairs(family: FamilyOutcome) -> list[tuple[tuple[str, str], TestOutcome]]:
    return list(zip(family.pairs, family.outcomes, strict=True))[:MOST_PAIRS]


def _pair(pair: tuple[str, str]) -> str:
    return " and ".join(clean(name) for name in pair)


def _told(result: TestOutcome | Estimate | Posterior) -> str:
    if isinstance(result, Estimate):
        return _estimated(result)
    if isinstance(result, Posterior):
        shares = (result.p_left, result.p_rope, result.p_right)
        places = zip(("below", "inside", "above"), shares, strict=True)
        told = ", ".join(f"{bare(share)} {place}" for place, share in places)
        return f"probability {told} ±{bare(result.rope)}; {_estimated(result.effect)}"
    side = "" if result.alternative == "two-sided" else f" ({result.alternative})"
    effect = _estimated(result.effect, result.null, effect_name(result.effect, result.method))
    return f"{_statistic(result)}, {say_p(result)}{side}; {effect}"


def _statistic(result: TestOutcome) -> str:
    """The statistic under the name that the formula gives it."""
    if result.statistic is None:
        return "statistic undefined"
    names = (name for name, value in result.details if value == result.statistic)
    return f"{next(names, 'statistic')} = {shown(result.statistic)}"


def _estimated(estimate: Estimate, null: float | None = None, name: str | None = None) -> str:
    text = f"{name or clean(estimate.measure)} {write_estimate(estimate, null=null)}"
    interval = estimate.interval
    if interval is None:
        return text
    return f"{text} ({shown_percent(interval.level)}, {method_name(interval.method)})"
