"""Shapes made of scores by fold, seed or data set, and of bare columns of numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, UsageError
from assay.evidence.argument_shapes import Arguments, numbers, rows, shape
from assay.evidence.arguments_from_items import item_values
from assay.evidence.method_source import Evidence, MethodSource
from assay.evidence.predictions import Predictions
from assay.evidence.scores import ModelScore, Scores

_ONE_LIST = numbers("values", "0.81,0.79,0.84,0.8,0.77,0.83,0.78,0.82,0.76,0.85")
_TWO_LISTS = (
    numbers("a", "0.81,0.79,0.84,0.8,0.77,0.83"),
    numbers("b", "0.78,0.8,0.79,0.76,0.75,0.8"),
)
_ROWS = "0.81,0.78,0.7;0.79,0.8,0.72;0.84,0.79,0.75;0.8,0.76,0.71;0.77,0.75,0.77"
_ROWS_A = "0.81,0.78;0.79,0.81;0.84,0.79;0.8,0.76;0.77,0.75;0.86,0.8"
_ROWS_B = "0.78,0.71;0.8,0.73;0.79,0.76;0.76,0.7;0.75,0.74;0.81,0.7"
_TWO_MATRICES = (rows("a", _ROWS_A), rows("b", _ROWS_B))
_PAIRED_INSTEAD = "models on the same items are compared by paired_t, mcnemar or compare"
_MANY_INSTEAD = "right and wrong of models on the same items are compared by cochran_q"


@shape(
    "sample",
    _ONE_LIST,
    needs="one column of numbers, or scores or losses of one model",
    models=1,
    against_level=True,
    instead_of_items="for the accuracy of labels use wilson",
)
def sample(source: MethodSource) -> Arguments:
    """One list of numbers."""
    if source.kind == "predictions" and _brings_losses_only(source.read()):
        return tuple(item_values(source)[0])
    return tuple(_lists(source).values())


@shape(
    "pairs",
    *_TWO_LISTS,
    needs="two columns of numbers (or one of differences), or scores, losses or labels of two "
    "models",
    models=2,
    first_alone=True,
)
def pairs(source: MethodSource) -> Arguments:
    """Two lists of equal length, or one of differences."""
    if source.kind == "predictions":
        # of labels the larger is the better, so that a difference is one of accuracy
        return tuple(item_values(source, right=True)[0])
    if source.kind == "numbers" and len(source.numbers()) == 1:
        return tuple(source.numbers().values())
    blocks = source.blocks()
    source.check_number(blocks.models)
    holes = np.argwhere(np.isnan(blocks.values))
    if len(holes):
        row, column = map(int, holes[0])
        raise EvidenceError(
            f"{source.title} has no score of {blocks.models[column]!r} at {blocks.name(row)}: pairs "
            "need both; leave it out for both models"
        )
    return tuple(blocks.values.T)


@shape(
    "two-samples",
    *_TWO_LISTS,
    needs="two columns of numbers, or scores of two models",
    models=2,
    two_files=True,
    instead_of_items=_PAIRED_INSTEAD,
)
@shape(
    "runs",
    *_TWO_LISTS,
    needs="a column of run scores for each of two models",
    models=2,
    two_files=True,
    takes_names=True,
    instead_of_items=_PAIRED_INSTEAD,
)
def two_samples(source: MethodSource) -> Arguments:
    """Two lists, unpaired."""
    return tuple(_lists(source).values())


@shape(
    "groups",
    numbers("group", "0.81,0.79,0.84", "0.78,0.8,0.79", "0.7,0.72,0.75"),
    needs="a column of numbers per group, or scores of two models and more",
    takes_names=True,
    instead_of_items=_MANY_INSTEAD,
)
@shape(
    "many-runs",
    numbers("group", "0.81,0.79,0.84,0.8", "0.78,0.8,0.79,0.76"),
    needs="a column of run scores for each of two models and more",
    takes_names=True,
    instead_of_items=_MANY_INSTEAD,
)
def groups(source: MethodSource) -> Arguments:
    """A list of numbers for each name."""
    return (_lists(source),)


@shape(
    "blocks",
    rows("rows", _ROWS, metavar="0.8,0.7;0.9,0.6"),
    needs="a table of scores, rows data sets (or folds) and columns models",
    takes_names=True,
    instead_of_items=_MANY_INSTEAD,
)
def blocks(source: MethodSource) -> Arguments:
    """A table, rows units and columns models; for tests of several criteria the columns are those."""
    if source.method.id != "hotelling_one_sample":
        return (source.blocks(),)
    if source.kind == "scores" and len(source.scores().models) == 1:
        return tuple(_criteria(source).values())
    return (source.blocks().values,)


@shape(
    "replicated-pairs",
    rows(
        "rows",
        "0.01,0.02;-0.01,0.03;0.02,0.01;0.0,0.02;0.01,0.03",
        metavar="0.01,-0.02;…",
    ),
    needs="scores of two models with columns repeat and fold, or differences with a row per repeat",
    models=2,
)
def replicated_pairs(source: MethodSource) -> Arguments:
    """Differences of two models, a row per repeat and a column per fold."""
    if source.kind == "numbers":
        return (np.column_stack(list(source.numbers().values())),)
    _, table = _placed(source, lambda score: (score.repeat or score.seed, score.fold))
    if table is None or min(table.shape[1:]) < 2:
        raise source.refused()
    return (table[0] - table[1],)


@shape(
    "fold-score-pairs",
    *_TWO_MATRICES,
    needs="scores of two models on several data sets with the folds of each",
    models=2,
    first_alone=True,
)
def fold_score_pairs(source: MethodSource) -> Arguments:
    """Two matrices of scores, a row per data set and a column per fold."""
    found, table = _placed(
        source, lambda score: (score.dataset, f"{score.repeat} {score.seed} {score.fold}")
    )
    if table is None or table.shape[2] < 2:
        raise source.refused()
    if found.folds > 1 and table.shape[2] % found.folds == 0:
        source.told["folds"] = found.folds
    return tuple(table)


@shape(
    "criteria-pairs",
    *_TWO_MATRICES,
    needs="scores of two models in several measures",
    models=2,
    first_alone=True,
)
def criteria_pairs(source: MethodSource) -> Arguments:
    """Two matrices, rows units and columns measures."""
    return tuple(_criteria(source).values())


@shape(
    "criteria-groups",
    rows("group", _ROWS_A, _ROWS_B),
    needs="scores of two models and more in several measures",
    takes_names=True,
)
def criteria_groups(source: MethodSource) -> Arguments:
    """A matrix for each model, rows units and columns measures."""
    return (_criteria(source),)


def _criteria(source: MethodSource) -> dict[str, FloatArray]:
    """For each model its scores, rows units and columns measures."""
    found = source.scores()
    if len(found.measures) < 2:
        raise source.refused(f"its only measure is {found.measures[0]!r}")
    source.check_number(found.models)
    tables = np.stack([found.blocks(measure).values for measure in found.measures], axis=2)
    if np.isnan(tables).any():
        raise EvidenceError(
            f"{source.title} has units without a score of some model in some measure: leave them out"
        )
    return {model: tables[:, place, :] for place, model in enumerate(found.models)}


def _placed(
    source: MethodSource, place: Callable[[ModelScore], tuple[str, str]]
) -> tuple[Scores, FloatArray | None]:
    """Scores, and as (models, rows, columns) by the row and column of each; None if not one a cell."""
    found = source.scores()
    source.check_number(found.models)
    measure = source.measure(found)
    scores = [score for score in found.scores if score.measure == measure]
    cells = {(score.model, *place(score)): score.value for score in scores}
    rows = list(dict.fromkeys(row for _, row, _ in cells))
    columns = list(dict.fromkeys(column for _, _, column in cells))
    if not len(cells) == len(scores) == len(found.models) * len(rows) * len(columns):
        return found, None
    table = [[[cells[m, row, column] for column in columns] for row in rows] for m in found.models]
    return found, np.array(table)


def _lists(source: MethodSource) -> dict[str, Any]:
    """The scores of each model; of runs on several data sets by task.

    Pooled, the easy tasks of one model would stand against the hard ones of another.
    """
    if source.kind != "scores" or (source.method.layer, source.method.family) != (
        "estimates",
        "runs",
    ):
        return _pooled_lists(source)
    scores = source.scores()
    measure = source.measure(scores)
    if len(scores.datasets) < 2:
        return _pooled_lists(source)
    source.check_number(scores.models)
    found: dict[str, Any] = {
        model: {task: [] for task in scores.datasets} for model in scores.models
    }
    for one in scores.scores:
        if one.measure == measure and one.model in found:
            found[one.model][one.dataset].append(one.value)
    return found


def _pooled_lists(source: MethodSource) -> dict[str, FloatArray]:
    """Every model's numbers by themselves, empty cells left out."""
    if source.kind != "numbers":
        found = source.scores()
        lists = found.runs(source.measure(found))
    else:
        columns = source.numbers(missing=True)
        lists = {name: _without_end(source, name, own) for name, own in columns.items()}
    source.check_number(lists)
    if source.models is None and len(lists) < 2:
        raise UsageError(
            f"{source.method.id} compares two models or more, and {source.title} has {next(iter(lists))!r} alone"
        )
    return lists


def _without_end(source: MethodSource, name: str, values: FloatArray) -> FloatArray:
    """A column without the empty cells at its end: a shorter one ends earlier, a hole is a question."""
    missing = np.isnan(values)
    first = int(missing.argmax()) if missing.any() else len(values)
    if not missing[first:].all():
        raise EvidenceError(
            f"column {name!r} of {source.title} is empty in row {first + 1}, but has values below "
            "it. Remove or complete that row"
        )
    return values[:first]


def _brings_losses_only(evidence: Evidence) -> bool:
    offers = evidence.offers.values() if isinstance(evidence, Predictions) else ()
    return all(offered == {"losses"} for offered in offers)
