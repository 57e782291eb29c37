"""Rows, roles and columns settled into predictions: every value checked, every kind decided."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, UsageError
from assay.core.notes import Note, note
from assay.core.questions import AmbiguousEvidence
from assay.evidence.cell_text import (
    class_text,
    is_missing,
    is_whole,
    number_or_nan,
    ordered,
    plural,
    quoted,
)
from assay.evidence.column_kinds import (
    Survey,
    bare_kind,
    check_labels,
    check_numbers,
    refuse_lookalikes,
    refuse_missing,
    survey,
    truth_is_categorical,
    with_kind,
)
from assay.evidence.model_columns import ModelColumns, Needs
from assay.evidence.names import OPPOSITES, Role, evident_positive, plain, positive_of_scores
from assay.evidence.open_questions import what_of_gaps, what_of_repeats
from assay.evidence.predictions import Predictions
from assay.evidence.rows import MAX_JOINT, Rows

_NEGATIVE = frozenset(negative for negative, _ in OPPOSITES)
"""A class that is taken as negative when it is the only one."""
UNITS = frozenset({"id", "repeat", "fold", "cluster"})
"""Roles of columns that say which rows belong together."""

Meaning = Literal["classes", "values", "either"]

_GRADES = frozenset({"stars", "rating", "grade", "severity", "points", "likert", "mos"})
"""Words of a truth's name that say that its numbers are in order."""
FEW = 20
"""Distinct values up to which whole numbers may be grades, however seldom they are met exactly."""
NEAR, CLEAR = 0.3, 2.5
"""Correlation of wrong answers with the right ones, and its standard errors, from which on they are near."""
EXACT = 0.2
"""Share of answers that are met exactly from which on many values may be answers that are right or wrong."""


def settle(
    rows: Rows,
    roles: Mapping[Role, str],
    models: Mapping[str, ModelColumns],
    *,
    positive: Any = None,
    classes: Collection[str] = (),
    notes: tuple[Note, ...] = (),
    measure: str | None = None,
) -> Predictions:
    """Predictions from rows whose columns are known by name. ``classes`` may be wider than seen.

    Whole numbers that may be classes or values are both; a ``measure`` that was named takes what it needs.
    """
    if not models:
        beside = f"{', '.join(rows.sources)} has no column of predictions beside {quoted(roles.values())}"
        raise EvidenceError(f"{beside}; name the models with models=")
    roles = dict(roles)
    found = survey(rows, roles, models)
    truth, clusters = roles.get("truth"), None
    _ask_about_gaps(found, models, answers=truth is not None)
    if not roles.keys().isdisjoint(UNITS):
        clusters, crossed = _check_units(found, roles)
        notes = (*notes, *crossed)
    all_classes: tuple[str, ...] = ()
    one: str | None = None
    if truth is None:
        settled = _losses(found, models)
    elif (meant := meaning_of(found, truth, models, asked=measure is not None)) == "values":
        settled = _values(found, truth, models)
    else:
        settled, all_classes, one = _classified(found, truth, models, positive, classes)
        if meant == "either":
            settled = {model: replace(of, values=of.labels) for model, of in settled.items()}
    if positive is not None and one is None:
        raise UsageError("positive= names one of two classes; there are no classes here")
    if (weight := roles.get("weight")) is not None:
        notes = (*notes, *_few_effective(found, weight, roles.get("count")))
    return Predictions(
        models=tuple(settled),
        classes=all_classes,
        positive=one,
        offers={model: _offers(found, of, all_classes, one) for model, of in settled.items()},
        n=found.n,
        clusters=clusters,
        weighted=weight is not None,
        notes=notes,
        rows=rows,
        roles=roles,
        columns_of=settled,
        joint=found.joint if truth is not None else None,
        heaviest=found.as_numbers(weight).high if weight is not None else 0.0,
    )


def meaning_of(
    found: Survey, truth: str, models: Mapping[str, ModelColumns], *, asked: bool
) -> Meaning:
    """What the truth holds; a measure that was ``asked`` for says itself what it takes numbers for."""
    usual: Meaning = "classes" if truth_is_categorical(found, truth, models) else "values"
    if truth in found.facts and not found.facts[truth].whole:
        return usual
    levels = found.as_levels(truth)
    columns = [str(of.bare) for of in models.values()]
    stated = any(of.bare is None or len(of.used()) > 1 for of in models.values())
    if stated or levels is None or len(levels) <= 2 or not all(map(is_whole, levels)):
        return usual
    if not all(_is_whole(found, name) for name in columns):
        return usual
    if asked:
        return "either"
    near, exact = _nearness(found, truth, columns)
    ordered = bool(_GRADES & set(plain(truth).split("_"))) and len(levels) <= FEW
    if near or ordered:
        return "either" if len(levels) <= FEW or exact >= EXACT else "values"
    if exact >= 1.0 - EXACT:
        return "classes"
    return "either" if exact >= EXACT and usual == "values" else usual


def _is_whole(found: Survey, name: str) -> bool:
    levels = found.as_levels(name)
    return levels is not None and all(map(is_whole, levels))


def _nearness(found: Survey, truth: str, columns: list[str]) -> tuple[bool, float]:
    """Whether wrong answers lie near the right ones, and the share of answers that are right."""
    parts = []
    for name in columns:
        groups = found.rows.group([truth, name], limit=MAX_JOINT)
        if groups is None:
            return True, 0.0
        numbers = [
            np.array([number_or_nan(level) for level in levels])[codes]
            for levels, codes in zip(groups.levels, groups.codes.T, strict=True)
        ]
        parts.append(np.vstack([*numbers, groups.counts]))
    cells: FloatArray = np.hstack(parts)
    cells = cells[:, np.isfinite(cells).all(axis=0)]
    wrong = cells[:, cells[0] != cells[1]]
    count = float(wrong[2].sum())
    exact = 1.0 - count / max(1.0, float(cells[2].sum()))
    if wrong.shape[1] < 2:
        return False, exact
    weights = wrong[2] / count
    sized = wrong[:2] / np.maximum(1.0, np.abs(wrong[:2]).max(axis=1, keepdims=True))
    right, answer = (one - one @ weights for one in sized)  # squares of no number overflow
    scale = math.sqrt(float(right**2 @ weights) * float(answer**2 @ weights))
    together = float((right * answer) @ weights) / scale if scale else 0.0
    return together > NEAR and together * math.sqrt(count) > CLEAR, exact


def _ask_about_gaps(found: Survey, models: Mapping[str, ModelColumns], *, answers: bool) -> None:
    """Ask what an empty cell of a model means: it failed, or the item was not tried."""
    for columns in models.values():
        for name in columns.used():
            levels = found.levels.get(name)
            gaps = None in levels if levels is not None else found.as_numbers(name).missing > 0
            if gaps:
                count = found.as_numbers(name).missing
                place, _ = found.rows.place(name, is_missing)
                where = found.rows.describe(name)
                wrong = answers and (columns.labels or columns.bare) == name
                raise AmbiguousEvidence([what_of_gaps(where, count, place, wrong=wrong)])


def _few_effective(found: Survey, weight: str, count: str | None) -> tuple[Note, ...]:
    """A note where a few heavy items decide: Kish's (Σw)²/Σw² below half of the items."""
    weights = found.rows.numbers([weight])[0] / found.as_numbers(weight).high
    times = 1.0 if count is None else found.rows.numbers([count])[0]
    effective = float((weights * times).sum() ** 2 / (weights**2 * times).sum())
    if effective >= found.n / 2:
        return ()
    return (note("few-effective", n=found.n, effective=effective),)


def _check_units(found: Survey, roles: dict[Role, str]) -> tuple[int | None, tuple[Note, ...]]:
    """Check ids; items that come in repeats become clusters. Gives the number of clusters.

    Rows of one id that belong to several clusters are allowed for in one way only, which a note says.
    """
    rows, item, repeat = found.rows, roles.get("id"), roles.get("repeat")
    notes: tuple[Note, ...] = ()
    for role in ("fold", "repeat"):
        if role in roles:
            _refuse_gaps(rows, roles[role])
    if item is not None and roles.get("cluster") != item:
        size = rows.size()
        key = [item] if repeat is None else [item, repeat]
        distinct = _refuse_gaps(rows, *key)
        if distinct < size and "cluster" in roles:
            crossed = rows.distinct([*key, roles["cluster"]])[0] > distinct
            if crossed and not _numbered_within(rows, roles["cluster"], key):
                columns = {"cluster": roles["cluster"], "other": item}
                notes = (note("crossed-clusters", **columns),)
            roles.pop("id")
        elif distinct < size:
            times = ", ".join(f"{text!r} {count} times" for text, count in rows.repeated(key))
            where = f"{rows.describe(item)} ({plural(size - distinct, 'repeated id')}: {times})"
            raise AmbiguousEvidence([what_of_repeats(where, item)])
        if repeat is not None and "cluster" not in roles and _refuse_gaps(rows, item) < size:
            roles["cluster"] = item
    return (_refuse_gaps(rows, roles["cluster"]) if "cluster" in roles else None), notes


_NUMBERED = frozenset({
    "frame", "turn", "sentence", "sentence_id", "line", "page", "word", "segment", "passage", "row", "index", "idx",
    "no", "nr", "#",
})  # fmt: skip
"""Names of what is counted anew in every video, dialogue or text."""


def _numbered_within(rows: Rows, cluster: str | None, key: Sequence[str]) -> bool:
    """Whether whole numbers count the rows of each cluster anew, as frames of a video are counted."""
    if cluster is None or plain(key[0]) not in _NUMBERED:
        return False
    facts = rows.facts(key[:1])[key[0]]
    counted = facts.whole and not facts.unreadable
    return counted and _refuse_gaps(rows, cluster, *key) == rows.size()


def _refuse_gaps(rows: Rows, *names: str) -> int:
    """The number of distinct values; a missing one is refused."""
    distinct, missing = rows.distinct(names)
    if missing:
        for name in names:
            count = rows.distinct([name])[1]
            if count:
                refuse_missing(rows, name, count)
    return distinct


def _losses(found: Survey, models: Mapping[str, ModelColumns]) -> dict[str, ModelColumns]:
    """Without a truth every column is a loss (or any score of an item) of its model."""
    settled = {}
    for model, columns in models.items():
        if columns.labels or columns.scores or columns.probabilities or columns.values:
            raise EvidenceError(
                f"{', '.join(found.rows.sources)} has predictions of {model!r} but no truth; "
                "name its column with truth="
            )
        columns = columns if columns.bare is None else with_kind(columns, "losses", model)  # noqa: PLW2901
        facts = found.as_numbers(str(columns.losses))
        if facts.unreadable and facts.low != facts.low:  # nothing in the column is a number
            raise EvidenceError(
                f"no column of {', '.join(found.rows.sources)} is known as the truth, and "
                f"{found.rows.describe(str(columns.losses))} does not hold losses. The columns are "
                f"{quoted((name for of in models.values() for name in of.used()), 20)}; name the "
                f"one with the truth with truth={_elsewhere(models)}"
            )
        check_numbers(found, str(columns.losses))
        settled[model] = columns
    return settled


def _elsewhere(models: Mapping[str, ModelColumns]) -> str:
    """Where a table belongs that holds preferences and no predictions."""
    return "; for preferences use bradley_terry" if "winner" in models else ""


def _values(
    found: Survey, truth: str, models: Mapping[str, ModelColumns]
) -> dict[str, ModelColumns]:
    check_numbers(found, truth)
    settled = {}
    for model, columns in models.items():
        if columns.bare is not None:
            columns = with_kind(columns, "values", model)  # noqa: PLW2901
        for name in (columns.values, columns.losses):
            if name is not None:
                check_numbers(found, name)
        settled[model] = columns
    return settled


def _classified(
    found: Survey,
    truth: str,
    models: Mapping[str, ModelColumns],
    positive: Any,
    wider: Collection[str],
) -> tuple[dict[str, ModelColumns], tuple[str, ...], str | None]:
    """Kinds, classes and the positive class where the truth holds classes."""
    true_classes = check_labels(found, truth)
    refuse_lookalikes(found, truth, true_classes, true_classes)
    settled: dict[str, ModelColumns] = {}
    seen = {*true_classes, *wider}
    for model, columns in models.items():
        if columns.values is not None:
            raise EvidenceError(
                f"model {model!r} has values in {columns.values!r}, other columns need classes as "
                "the truth; read them apart"
            )
        if columns.bare is not None:
            columns = with_kind(columns, bare_kind(found, columns.bare, truth, true_classes), model)  # noqa: PLW2901
        if columns.labels is not None:
            classes_here = check_labels(found, columns.labels)
            refuse_lookalikes(found, columns.labels, classes_here, true_classes)
            seen.update(classes_here)
        seen.update(columns.probabilities)
        for name in (columns.scores, columns.losses, *columns.probabilities.values()):
            if name is not None:
                check_numbers(found, name)
        settled[model] = columns
    classes = ordered(seen)
    of_truth = classes if len(true_classes) == len(classes) else ordered(true_classes)
    one = _positive(positive, of_truth, classes)
    if one is None and not any(of.labels for of in settled.values()):
        one = positive_of_scores(classes)
    if one is not None and one not in seen:  # a lone class has this one beside it
        classes = ordered((*classes, one))
    for model, columns in settled.items():
        if columns.scores is not None and len(true_classes) > 2:
            raise EvidenceError(
                f"{found.rows.describe(columns.scores)} holds scores of {model!r}, but the truth has "
                f"{len(true_classes)} classes; give a column 'NAME:p(CLASS)' for each class"
            )
        if columns.probabilities:
            _check_probabilities(found, model, columns, classes, one)
    return settled, classes, one


def _positive(given: Any, true_classes: tuple[str, ...], classes: tuple[str, ...]) -> str | None:
    """The positive class: as said, else of a pair that tells it, else a lone one that looks so.

    Of fraud and legit nothing tells: None, and a measure that needs to know asks.
    """
    if given is not None:
        named = class_text(given)
        if len(classes) == 1:
            return named
        if named not in classes:
            raise UsageError(
                f"positive={given!r} is not a class; classes are {quoted(classes, 20)}"
            )
        if len(true_classes) > 2:
            raise UsageError(f"positive= is for two classes; the truth has {len(true_classes)}")
        return named
    for pair in (classes, true_classes):
        if len(pair) == 2:
            return evident_positive(pair)
    return None if len(classes) > 2 or classes[0].lower() in _NEGATIVE else classes[0]


def _check_probabilities(
    found: Survey, model: str, columns: ModelColumns, classes: tuple[str, ...], one: str | None
) -> None:
    of = columns.probabilities
    absent = [name for name in classes if name not in of]
    if absent and not (len(classes) == 2 and one in of):
        there = (
            f"say that the class whose probabilities are there is positive: positive={min(of)!r}"
        )
        hint = f"; {there}" if len(classes) == 2 and min(of) in classes else ""
        raise EvidenceError(f"model {model!r} has no probability column for {quoted(absent)}{hint}")
    for name in of.values():
        facts = found.as_numbers(name)
        if facts.low < 0 or facts.high > 1:
            raise EvidenceError(
                f"{found.rows.describe(name)} holds {facts.low if facts.low < 0 else facts.high}; "
                "probabilities are between 0 and 1. For other scores use 'NAME:score'"
            )


def _offers(
    found: Survey, columns: ModelColumns, classes: tuple[str, ...], one: str | None
) -> frozenset[Needs]:
    """What a model brought: two-class scores from 0 to 1 are also probabilities, and back."""
    offers: set[Needs] = set()
    for kind in ("labels", "scores", "values", "losses"):
        if getattr(columns, kind) is not None:
            offers.add(kind)
    if columns.probabilities:
        offers.add("probabilities")
        offers |= {"scores"} if len(classes) == 2 and one in columns.probabilities else set()
    elif columns.scores is not None and len(classes) == 2:
        facts = found.as_numbers(columns.scores)
        offers |= {"probabilities"} if facts.low >= 0 and facts.high <= 1 else set()
    return frozenset(offers)


def renamed(columns: ModelColumns, alias: Mapping[str, str]) -> ModelColumns:
    """A model's columns under other names."""
    kinds = ("bare", "labels", "scores", "values", "losses")
    own = {kind: name for kind in kinds if (name := getattr(columns, kind)) is not None}
    of_classes = {of: alias[name] for of, name in columns.probabilities.items()}
    others: dict[str, Any] = {kind: alias[name] for kind, name in own.items()}
    return replace(columns, probabilities=of_classes, **others)
