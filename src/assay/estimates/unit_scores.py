"""What each unit contributes to each model's score: the one table that boards are made of.

A score is the sum of the contributions of units: items, clusters of items, tasks or data sets. Everything
that a board says of scores, differences and ranks follows from this table (units x models).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.notes import Note, note
from assay.core.vocabulary import Unit, counted
from assay.estimates.measure_needs import check_offers, features_of
from assay.estimates.resampling_cells import reduce
from assay.evidence.cell_text import quoted
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.kernels.resampling import jackknife
from assay.measures.registry import Measure

Tasks = Literal["fixed", "sample"]
"""Whether the tasks of a suite are the ones that count, or a sample of all that could have been."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnitScores:
    """Contributions of units; ``scores`` are those of single units where they are scores themselves."""

    models: tuple[str, ...]
    contributions: FloatArray
    """(units, models); each column sums to the model's score."""
    unit: Unit
    words: str
    """What was averaged over: 500 items, 8 tasks."""
    right: tuple[int, ...] | None = None
    """How many items each model has right, where items are right or wrong and count alike."""
    scores: FloatArray | None = None
    """(units, models), where every unit counts alike."""
    names: tuple[str, ...] = ()
    strata: IntArray | None = None
    tasks: tuple[str, ...] = ()
    task_scores: FloatArray | None = None
    """(tasks, models)"""
    weights: tuple[float, ...] = ()
    """Of the tasks; they sum to 1."""
    trimmed: int = 0
    """Units beyond the quartiles, whose own scores do not count: standard errors know less by so many."""
    notes: tuple[Note, ...] = ()

    @property
    def n(self) -> int:
        return len(self.contributions)

    @property
    def values(self) -> FloatArray:
        if self.right is not None:  # to the last digit
            return np.array(self.right) / self.n
        return np.asarray(self.contributions.sum(axis=0))

    @property
    def df(self) -> int | None:
        """Degrees of freedom of the standard errors; None where tasks are fixed and items are many.

        One less of trimmed units: the largest of several errors is farther out (counted, decision 0201).
        """
        return (
            None
            if self.strata is not None
            else max(self.n - self.trimmed - 1 - (self.trimmed > 0), 1)
        )

    @property
    def root(self) -> FloatArray:
        """A matrix (rows x models) whose product with itself is the covariance of the scores.

        Units about their mean, by task where tasks are fixed; no more rows than models.
        """
        strata = np.zeros(self.n, np.int64) if self.strata is None else self.strata
        return root_of(self.contributions, strata)


def root_of(contributions: FloatArray, strata: IntArray) -> FloatArray:
    """Rows about the mean of their stratum, stretched so that their squares are unbiased for its spread."""
    sizes = np.bincount(strata)
    sums = np.zeros((sizes.size, contributions.shape[1]))
    np.add.at(sums, strata, contributions)
    stretch = np.sqrt(sizes / np.maximum(sizes - 1, 1))
    centred = (contributions - (sums / sizes[:, None])[strata]) * stretch[strata][:, None]
    if len(centred) <= 2 * centred.shape[1]:
        return np.asarray(centred)
    return root_of_covariance(centred.T @ centred)


def root_of_covariance(covariance: FloatArray) -> FloatArray:
    """The same from a covariance matrix."""
    squares, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.sqrt(np.maximum(squares, 0.0))).T)


def of_items(evidence: Predictions, measure: Measure) -> UnitScores:
    """Items (or clusters of them): parts of a mean, or what leaving one out changes."""
    models = evidence.models
    check_offers(evidence, measure, models)
    bound = measure.bind(evidence.classes, evidence.positive)
    if bound.of_right is None and not bound.is_mean:
        return _deleted(evidence, measure)
    columns = evidence.sorted_columns(bound.needs, models)
    if bound.of_right is not None:
        right = (columns.predictions == columns.truth[None, :]).astype(np.float64)
        values = np.asarray(bound.of_right(right, np.ones_like(right)))
    else:
        values = np.stack(
            [features_of(bound, columns.truth, one)[:, 0] for one in columns.predictions]
        )
    if not np.isfinite(values).all():
        raise NotApplicable(
            f"{measure.name} is infinite on some item, so that no mean of it can be ranked: use brier, or "
            "clip the probabilities"
        )
    weights = columns.weights
    shares = np.full(columns.n, 1.0 / columns.n) if weights is None else weights / weights.sum()
    contributions = (values * shares).T
    plain = columns.clusters is None and weights is None
    binary = plain and bool(np.isin(values, (0.0, 1.0)).all())
    found = UnitScores(
        models=models,
        contributions=contributions,
        unit="item",
        words=counted(columns.n, "item"),
        right=tuple(int(count) for count in values.sum(axis=1)) if binary else None,
        scores=values.T if plain else None,
    )
    return found if columns.clusters is None else clustered(found, columns.clusters)


def clustered(table: UnitScores, clusters: NDArray[np.integer]) -> UnitScores:
    """Contributions summed by cluster: then clusters are the units."""
    _, codes = np.unique(clusters, return_inverse=True)
    sums = np.zeros((int(codes.max()) + 1, len(table.models)))
    np.add.at(sums, codes, table.contributions)
    strata = None
    if table.strata is not None:
        strata = np.zeros(len(sums), dtype=np.int64)
        strata[codes] = table.strata
    words = f"{table.words} in {len(sums):,} clusters"
    return replace(table, contributions=sums, strata=strata, words=words, scores=None, right=None)


def _deleted(evidence: Predictions, measure: Measure) -> UnitScores:
    """Of a measure that is no mean of items: how much each item, left out, moves it."""
    reduced = reduce(evidence, measure)
    values = reduced.values
    if not np.isfinite(values).all():
        bad = [
            model
            for model, value in zip(reduced.models, values, strict=True)
            if not np.isfinite(value)
        ]
        raise NotApplicable(
            f"{measure.name} of {quoted(bad)} is undefined here, so it cannot be ranked"
        )
    without, times = jackknife(reduced.evaluated, reduced.counts, 0)
    if not np.isfinite(without).all():
        raise NotApplicable(
            f"{measure.name} is undefined without some of the items: too few of some class to rank models by it"
        )
    rows = np.repeat(without, times.astype(np.int64), axis=0)
    n = len(rows)
    strays = (rows.mean(axis=0) - rows) * (n - 1) / n
    clusters = f" in {n:,} clusters" if reduced.unit == "clusters" else ""
    return UnitScores(
        models=reduced.models,
        contributions=values / n + strays,
        unit="item",
        words=f"{counted(evidence.n, 'item')}{clusters}",
    )


def of_scores(evidence: Scores, scored: str, *, missing: str) -> UnitScores:
    """Data sets (or seeds), repeats inside averaged."""
    if evidence.unit == "fold":
        raise NotApplicable(
            "folds share training data, so sets of ranks over them are not valid. Give scores on "
            "several data sets or predictions on items, or use compare for folds"
        )
    blocks = evidence.blocks(scored)
    values, notes = blocks.values, evidence.notes
    whole = ~np.isnan(values).any(axis=1)
    names = blocks.names or ()
    if not whole.all():
        gaps = np.isnan(values)
        if missing != "complete":
            raise EvidenceError(_lacking(evidence, names, gaps))
        told = note(
            "missing-cells",
            count=int(gaps.sum()),
            policy=f"{counted(2, evidence.unit)[2:]} with gaps are left out",
        )
        notes = (*notes, told)
        values = values[whole]
        names = tuple(names[place] for place in np.flatnonzero(whole))
    if len(values) < 2:
        raise EvidenceError(
            f"a board needs 2 or more {counted(2, evidence.unit)[2:]} that all models have; got {len(values)}"
        )
    return UnitScores(
        models=evidence.models,
        contributions=values / len(values),
        unit=evidence.unit,
        words=counted(len(values), evidence.unit),
        scores=values,
        names=names,
        notes=notes,
    )


def _lacking(evidence: Scores, names: Sequence[str], gaps: BoolArray) -> str:
    """Which units and models have gaps, and what can be done."""
    units = [names[place] for place in np.flatnonzero(gaps.any(axis=1)).tolist()]
    models = [evidence.models[place] for place in np.flatnonzero(gaps.any(axis=0))]
    return (
        f"{len(units)} of {counted(len(names), evidence.unit)} lack scores of some models "
        f"({quoted(units, 5)}; {len(models)} of {len(evidence.models)} models, "
        f"{quoted(models, 5)}). Leave these models out, or rank on what all have with "
        "missing='complete'"
    )


def of_tasks(
    parts: Mapping[str, Predictions | Scores],
    measure: Measure,
    weights: Mapping[str, float],
    *,
    tasks: Tasks,
) -> UnitScores:
    """A suite: the weighted mean of task means, tasks as they are or as a sample of tasks."""
    tables = {
        name: of_items(part, measure)
        for name, part in parts.items()
        if isinstance(part, Predictions)
    }
    shares = np.array([weights[name] for name in tables])
    shares = shares / shares.sum()
    scores = np.stack([table.values for table in tables.values()])
    names = tuple(tables)
    first = next(iter(tables.values()))
    notes = tuple(dict.fromkeys(one for table in tables.values() for one in table.notes))
    suite = UnitScores(
        models=first.models,
        contributions=shares[:, None] * scores,
        unit="dataset",
        words=f"{len(names)} tasks",
        scores=scores if np.allclose(shares, shares[0]) else None,
        names=names,
        tasks=names,
        task_scores=scores,
        weights=tuple(map(float, shares)),
        notes=notes,
    )
    return (
        suite
        if tasks == "sample"
        else _fixed(suite, tables, sum(part.n for part in parts.values()))
    )


def _fixed(suite: UnitScores, tables: Mapping[str, UnitScores], items: int) -> UnitScores:
    """The same with items as the units, each task a stratum."""
    lone = [name for name, table in tables.items() if table.n < 2]
    if lone:
        raise NotApplicable(
            f"task {quoted(lone)} has a single unit, so its variation is unknown. Leave it out "
            "with where=, or treat the tasks as a sample of tasks (tasks_as='sample')"
        )
    shares = zip(suite.weights, tables.values(), strict=True)
    return replace(
        suite,
        contributions=np.concatenate([share * table.contributions for share, table in shares]),
        unit="item",
        words=f"{counted(items, 'item')} of {len(tables)} tasks",
        scores=None,
        strata=np.repeat(np.arange(len(tables)), [table.n for table in tables.values()]),
    )


def suite_weights(
    parts: Mapping[str, Predictions | Scores],
    weighting: str | Mapping[str, float],
) -> dict[str, float]:
    """How much each task counts: alike, by its items, by group and then alike, or as a table says."""
    if isinstance(weighting, Mapping):
        return _given(parts, weighting)
    if weighting == "items":
        return {name: float(part.n) for name, part in parts.items()}
    if weighting == "tasks":
        return dict.fromkeys(parts, 1.0)
    if weighting == "groups":
        groups = _by_prefix(parts).values()
        return {name: 1.0 / len(members) for members in groups for name in members}
    raise UsageError(
        f"tasks are weighted by 'tasks' (alike), 'items', 'groups' or a mapping of names to weights; got {weighting!r}"
    )


def _given(parts: Mapping[str, object], weighting: Mapping[str, float]) -> dict[str, float]:
    unknown = [name for name in weighting if name not in parts]
    lacking = [name for name in parts if name not in weighting]
    if unknown or lacking:
        what = (
            f"there is no task {quoted(unknown)}"
            if unknown
            else f"task {quoted(lacking)} has no weight"
        )
        raise UsageError(f"{what}; the tasks are {quoted(tuple(parts), 30)}")
    found = {name: float(weight) for name, weight in weighting.items()}
    if any(not np.isfinite(weight) or weight < 0.0 for weight in found.values()) or not any(
        found.values()
    ):
        raise UsageError(f"weights of tasks are 0 or more, and not all 0; got {dict(weighting)}")
    return {name: found[name] for name in parts}


def _by_prefix(parts: Mapping[str, object]) -> dict[str, list[str]]:
    """Groups by the part of the name before the first underscore, slash or colon: mmlu_law, mmlu_physics."""
    found: dict[str, list[str]] = {}
    for name in parts:
        ends = [place for mark in "_/:" if (place := name.find(mark)) > 0]
        found.setdefault(name[: min(ends)] if ends else name, []).append(name)
    return found
