"""Tables that hold no values of models row by row: refused, with the method that takes them."""

import re
import shlex
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.measure_names import better_side
from assay.core.wording import either
from assay.evidence.cell_text import quoted
from assay.evidence.model_columns import predicting_models
from assay.evidence.names import (
    SPREADS,
    TRAINING,
    known_as,
    names_items,
    place_of,
    plain,
)
from assay.evidence.profile import Profile
from assay.evidence.readers.item_ids import once
from assay.evidence.readers.layout import Layout, truth_by_name
from assay.evidence.readers.vote_tables import refuse_wins
from assay.evidence.scores import KEYS

MOST_GRADES = 10
"""Words up to which a column is a scale of grades."""


def refuse_training(layout: Layout) -> None:
    """Rows of one training run, and bootstrap samples, are no items, whatever was said of them."""
    names = [n for n in layout.table.names if n not in layout.told.ignore]
    twins = [name for name in names if f"val_{name}" in names]  # as Keras calls them
    for name in names:
        drawn = plain(name).split("_")[0] in ("bootstrap", "boot")
        if drawn and layout.column(name).is_whole and once(layout, name):
            raise EvidenceError(
                f"the rows of {layout.title} are bootstrap samples (column {name!r}) of one data "
                "set. With more of them any difference would become significant. Give the "
                "predictions by item (truth=), or the scores by data set, fold or seed"
            )
        if name in twins or (plain(name) in TRAINING and once(layout, name)):
            raise EvidenceError(
                f"the rows of {layout.title} are steps of one training run (column {name!r}), "
                "which are not independent. Give the predictions of the trained models (truth=). "
                "Or give their final scores, one row per seed, fold or data set (unit='seed')"
            )


def refuse_nested(layout: Layout) -> None:
    """Refuse objects and lists within the rows of JSON where no other column can hold values."""
    nested = [name for name, column in layout.columns.items() if _is_nested(column)]
    rest = [layout.column(name) for name in layout.free() if name not in nested]
    valued = any((one.is_numeric and not one.is_unique) or one.may_be_outcome for one in rest)
    if nested and not valued and not truth_by_name(layout):
        raise EvidenceError(
            f"column {nested[0]!r} of {layout.title} holds objects or lists in its cells. Write a "
            "row for each item and model, with columns such as item, model and correct"
        )


def _is_nested(column: Profile) -> bool:
    ends = {str(cell).strip()[:1] + str(cell).strip()[-1:] for cell in column.present}
    return bool(ends) and ends <= {"{}", "[]"}


def refuse_settings(layout: Layout, others: Sequence[str], measures: Sequence[str]) -> None:
    """Runs with their settings, such as lr and batch: nothing says which of these are compared."""
    columns = [layout.column(name) for name in others]
    few = all(one.repeats_few for one in columns) and not layout.column(measures[0]).repeats_few
    if few:
        raise EvidenceError(
            f"a row of {layout.title} is a run with its settings ({quoted(others)}) and its {quoted(measures)}, but no "
            "column names the models. Add a column that names the model of each row, and point to it with models="
        )


def refuse_words(layout: Layout) -> NoReturn:
    """No number beside the model: words of a scale have no distance until numbers say it."""
    words = [n for n, column in layout.columns.items() if len(column.levels) <= MOST_GRADES]
    words = [n for n in words if n != layout.model_column and not layout.column(n).is_numeric]
    levels = sorted({level for name in words for level in layout.column(name).levels})
    if 2 < len(levels) <= MOST_GRADES:
        raise EvidenceError(
            f"column {words[0]!r} of {layout.title} holds words ({quoted(levels, 10)}) whose order is unknown. Write "
            "them as numbers, the best as the largest, and add lower_is_better=False"
        )
    named = layout.model_column
    whose = "" if named is None else f" of the models that {named!r} names"
    raise EvidenceError(
        f"no column of {layout.title} holds numbers{whose}; it has "
        f"{quoted(layout.table.names, 20)}. Name the column of numbers with measure=, or the truth with truth="
    )


def refuse_report(layout: Layout) -> None:
    """Precision and recall by class are scores of one model, not predictions of several."""
    named = {plain(name) for name in layout.table.names}
    if {"precision", "recall"} <= named and named & {"support", "f1_score"}:
        raise NotApplicable(
            f"{layout.title} is a report of one model by class (precision, recall), not a table of predictions. Give "
            "the predictions, one row per item, with the true class in a column (truth=)"
        )


def refuse_description(layout: Layout) -> None:
    """Count, mean and quartiles of each model, as pandas describes a column, are no scores on data sets."""
    rows = {
        plain(str(cell)) for name in layout.table.names[:1] for cell in layout.column(name).cells
    }
    named = {plain(name) for name in layout.table.names}
    named = rows if {"count", "mean", "std"} <= rows else named
    described = {"count", "mean", "std"} <= named and named & {"min", "max", "50%"}
    numbers = {plain(name) for name, column in layout.columns.items() if column.is_numeric}
    spreads = (one - SPREADS - {"n", "count"} == {"mean"} != one for one in (rows, numbers))
    scored = {"model", "dataset"} <= {*map(place_of, layout.table.names)}  # a mean of each on each
    if described or (any(spreads) and not scored):
        raise NotApplicable(
            f"{layout.title} summarises scores (mean, std) and does not hold them. Give the scores, one row per data "
            "set, fold or seed. `assay methods --choose --have summaries` lists methods for means, spreads and counts"
        )


def refuse_measures(layout: Layout) -> None:
    """A row for each measure: one number of each model in each, and no unit over which it varies."""
    words = [name for name in layout.table.names if layout.column(name).style == "words"]
    placed = any(place_of(name) in KEYS for name in layout.table.names)
    if len(words) != 1 or placed or not layout.column(words[0]).is_unique:
        return
    cells = [str(cell) for cell in layout.column(words[0]).present]
    measures = [cell for cell in cells if better_side(cell) is not None]
    counts = [cell for cell in cells if plain(cell) in _TOTALS]
    if measures and len(counts) <= len(measures) == len(cells) - len(counts):
        raise measures_alone(f"rows of {layout.title}", measures)


def measures_alone(what: str, measures: Sequence[str], hint: str = "") -> NotApplicable:
    """That rows or columns are measures, with one number of each model."""
    return NotApplicable(
        f"the {what} are measures ({quoted(measures, 3)}) with one value per model, so the variation is "
        f"unknown. Give the predictions by item (truth=), or the scores by data set, fold or seed{hint}"
    )


_CELLS = ("tp", "fp", "fn", "tn")
_ITEMS = ("n", "total", "n_items", "items", "count", "n_total", "questions", "n_test", "n_samples")
_TOTALS = (
    *_ITEMS, "trials", "support", "sample_size", "tests", "examples", "users", "visitors", "visits", "sessions",
    "impressions", "views", "participants", "patients", "subjects", "attempts",
)  # fmt: skip
_RIGHT = (
    "correct", "n_correct", "right", "num_correct", "passed", "successes", "hits", "wins", "success", "conversions",
    "converted", "signups", "purchases", "clicks", "solved", "resolved", "responders", "passes",
)  # fmt: skip
_WRONG = ("errors", "n_errors", "wrong", "n_wrong", "failures", "failed", "mistakes", "misses")
_SHARES = {"accuracy": 1.0, "acc": 1.0, "error": 0.0, "error_rate": 0.0}
"""Shares of all items, and what they are where every answer is right."""
MOST_MODELS = 50
"""Rows up to which a table of totals has one for each model."""


def refuse_detections(layout: Layout) -> None:
    """Detections counted in every image: a measure of each image has to be made of them first."""
    parts = [plain(name).split("_") for name in layout.table.names]
    ends = {part for words in parts for part in (words[0], words[-1])}
    images = any(names_items(name) for name in layout.table.names)
    if {"tp", "fp", "fn"} <= ends and images and len(layout.table.names) > 4:
        raise NotApplicable(
            f"{layout.title} counts tp, fp and fn of every item. Write one value of each model for it, such as "
            "f1, 2 tp divided by 2 tp + fp + fn, and compare these (lower_is_better=False)"
        )


def refuse_totals(layout: Layout) -> None:
    """Right answers of each model in total: what they say depends on which items they fell on."""
    words = [n for n in layout.table.names if layout.column(n).style == "words"]
    whole = [n for n in words if layout.column(n).is_unique and layout.column(n).complete]
    found = _errors_of_totals(layout) if len(whole) == 1 else None
    if found is None or not 2 <= found[0].size <= MOST_MODELS:
        return
    errors, total = found
    names = [str(cell) for cell in layout.column(whole[0]).cells]
    (a, b), (n, other) = errors[:2].astype(int), total[:2].astype(int)
    same = either(
        f"assay.margins_range({a}, {b}, {n})",
        f"assay test margins_range --errors-a {a} --errors-b {b} --n {n}",
    )
    apart = either(
        f"assay.newcombe({a}, {n}, {b}, {other})",
        f"assay test newcombe --a {a} {n} --b {b} {other}",
    )
    raise NotApplicable(
        f"{layout.title} holds totals of {quoted(names)}, not answers item by item. For {names[0]!r} and {names[1]!r}, "
        f"{f'on the same items: `{same}`; ' if n == other else ''}on different items: `{apart}` (errors or failures, "
        "out of how many). If the columns are data sets instead, add models_in_rows=True"
    )


def _errors_of_totals(layout: Layout) -> tuple[FloatArray, FloatArray] | None:
    """How many answers were wrong, and of how many, where columns of these names count them."""
    columns = [layout.column(n) for n in layout.table.names]
    named = {plain(one.name): one.numbers for one in columns if one.is_numeric}
    if all(cell in named for cell in _CELLS):
        total = np.sum([named[cell] for cell in _CELLS], axis=0)
        return _counts(named["fp"] + named["fn"], total)
    for word in _TOTALS:
        if word in named and (errors := _errors_among(named, named[word], word)):
            return _counts(errors[0], named[word])
    return None


def _errors_among(named: dict[str, FloatArray], total: FloatArray, called: str) -> list[FloatArray]:
    """What counts the wrong answers among so many: errors, what is left of the right ones, or shares of them."""
    errors = [named[one] for one in _WRONG if one in named]
    for one in (name for name in _RIGHT if name in named):
        right = named[one] * total if _are_shares(named[one]) else named[one]
        errors.append(np.round(total - right))
    if called in _ITEMS:
        errors += [
            np.round(total * np.abs(best - named[one]))
            for one, best in _SHARES.items()
            if one in named and _are_shares(named[one])
        ]
    return errors


def _are_shares(values: FloatArray) -> bool:
    """Whether all lie between 0 and 1, as counts do once they were divided by their totals."""
    return bool(((values >= 0.0) & (values <= 1.0)).all())


def _counts(errors: FloatArray, total: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    both = np.concatenate((errors, total))
    counted = np.isfinite(both).all() and (both >= 0).all() and (both == np.trunc(both)).all()
    return (errors, total) if counted and (errors <= total).all() and (total > 1).all() else None


_PREDICTED = re.compile(r"^(pred(icted)?|true|actual)[_ :.]+", re.IGNORECASE)


def refuse_confusion(layout: Layout) -> None:
    """A confusion matrix with names: classes in the rows and in the columns, counts in the cells."""
    _refuse_relations(layout)
    numbers = [name for name, one in layout.columns.items() if one.is_numeric]
    if numbers and all(len(layout.column(n).cells) == 1 and better_side(n) for n in numbers):
        raise measures_alone(f"columns of {layout.title}", numbers)
    first, *others = layout.table.names or ("",)
    rows = [_PREDICTED.sub("", str(cell)) for cell in layout.column(first).cells]
    if {row.lower() for row in rows} <= {"true", "false", "yes", "no", "0", "1"} and not (
        known_as(first, "truth") or "pred" in first.lower()
    ):
        return  # perhaps whether two models were right
    columns = [_PREDICTED.sub("", name) for name in others]
    if len(rows) < 2 or rows != columns or len(set(rows)) < len(rows):
        return
    cells = [layout.column(name) for name in others]
    refuse_wins(layout, cells)
    if not all(one.is_whole and one.low >= 0 and np.isfinite(one.numbers).all() for one in cells):
        return
    counts = [[int(one.numbers[row]) for one in cells] for row in range(len(rows))]
    turned = "pred" in first.lower() or any(
        n.lower().startswith(("true", "actual")) for n in others
    )
    counts = [list(row) for row in zip(*counts, strict=True)] if turned else counts
    kappa = either(
        f"assay.cohens_kappa({counts})", f"assay test cohens_kappa {shlex.quote(layout.title)}"
    )
    called = f"assay.evaluate(assay.Predictions.from_confusion({counts}, classes={rows}))"
    raise NotApplicable(
        f"{layout.title} is a confusion matrix, which goes into `{kappa}`. For other measures write it as "
        f"columns of truth, model and count (count=){either(f'. Where rows are the truth, also: {called}', '')}"
    )


def _refuse_relations(layout: Layout) -> None:
    """How columns go with each other, as in a matrix of correlations: no values of models row by row."""
    columns = [one for one in layout.columns.values() if one.is_numeric and one.complete]
    words = [one for one in layout.columns.values() if one not in columns]
    cells = np.array([one.numbers for one in columns])
    square = cells.ndim == 2 and cells.shape[0] == cells.shape[1] > 1
    if not square or not np.allclose(cells, cells.T, atol=1e-9):
        return
    named = [list(map(str, one.cells)) == [c.name for c in columns] for one in words]
    fractions = not np.array_equal(cells, np.round(cells))  # classes may be alike as well
    if any(named) or (not words and fractions and np.allclose(cells.diagonal(), 1.0)):
        raise NotApplicable(
            f"{layout.title} holds correlations or distances of its columns, which do not say how good they are. "
            "Give the values they were computed from: predictions by item (truth=), or scores by data set"
        )


_SIGNED = frozenset(
    {"residual", "residuals", "resid", "error", "errors", "err", "bias", "deviation"}
)


def refuse_signed_errors(layout: Layout) -> None:
    """Residuals have a sign: neither their mean nor its direction says which model is better."""
    for name in layout.free():
        column, parts = layout.column(name), plain(name).split("_")
        signed = column.is_numeric and column.low < 0.0 < column.high
        rest = "_".join(part for part in parts if part not in _SIGNED)
        if not signed or not _SIGNED & {*parts}:
            continue
        named = map(plain, (*layout.table.names, *predicting_models(layout.table.names)))
        if rest in named and truth_by_name(layout):
            layout.take(name, "description", f"the errors of {rest!r}")
        else:
            raise NotApplicable(
                f"{name!r} of {layout.title} holds signed errors: give the true values with the predictions "
                "(truth=), or absolute or squared errors (losses=True)"
            )
