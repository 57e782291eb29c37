"""A candidate and a baseline as rows to draw from, and the interval that decides between them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.compare.choose import choose
from assay.compare.design import Design, read_design
from assay.compare.findings import Settings
from assay.core.arrays import FloatArray, IntArray
from assay.core.errors import NotApplicable
from assay.core.methods import record_of
from assay.core.results import Interval
from assay.estimates.loss_ranges import largest_difference, t_variant
from assay.estimates.resampling_cells import reduce
from assay.evidence.item_arrays import Columns
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.hypotheses.average_precision import average_precision_test
from assay.hypotheses.dependent_means import clustered_t
from assay.hypotheses.paired_scores import paired_t
from assay.hypotheses.roc import delong_test
from assay.kernels.differences import four_counts, tango_limits
from assay.kernels.ranks import midranks
from assay.kernels.tails import normal_reach
from assay.measures.registry import Measure, Needs, find_measure

RESAMPLES = 999
"""Bootstrap replicates of each trial; the gate itself takes more."""
NAMED: tuple[Needs, ...] = ("labels", "probabilities")
"""Kinds of predictions whose truth is a class by name."""
SUFFIX: dict[Needs, str] = {
    "labels": "label",
    "scores": "score",
    "values": "value",
    "losses": "loss",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnswerRows:
    """Answers of the two models, row by row, in the form the deciding procedure takes."""

    truth: NDArray[Any]
    candidate: NDArray[Any]
    baseline: NDArray[Any]
    weights: FloatArray | None
    clusters: IntArray | None

    @property
    def n(self) -> int:
        return int(self.candidate.shape[0])

    def taken(self, rows: IntArray, clusters: IntArray | None) -> "AnswerRows":
        return AnswerRows(
            truth=self.truth[rows] if self.truth.size else self.truth,
            candidate=self.candidate[rows],
            baseline=self.baseline[rows],
            weights=None if self.weights is None else self.weights[rows],
            clusters=clusters,
        )

    def distinct(self, classes: int) -> tuple["AnswerRows", IntArray]:
        """Labels that are alike once (within a cluster), and how often each occurs."""
        shape = (1 if self.clusters is None else int(self.clusters.max()) + 1, *[classes] * 3)
        cluster = np.zeros_like(self.truth) if self.clusters is None else self.clusters
        codes = np.ravel_multi_index((cluster, self.truth, self.candidate, self.baseline), shape)
        kept, times = np.unique(codes, return_counts=True)
        cluster, truth, candidate, baseline = np.unravel_index(kept, shape)
        alike = AnswerRows(
            truth=truth,
            candidate=candidate,
            baseline=baseline,
            weights=None,
            clusters=None if self.clusters is None else cluster,
        )
        return alike, times

    def repeated(self, times: int) -> "AnswerRows":
        """So many copies, each with clusters of its own."""
        if self.clusters is None:
            return self.taken(np.tile(np.arange(self.n), times), None)
        several = int(self.clusters.max()) + 1
        codes = np.concatenate([self.clusters + several * copy for copy in range(times)])
        return self.taken(np.tile(np.arange(self.n), times), codes)

    def swapped(self) -> "AnswerRows":
        return replace(self, candidate=self.baseline, baseline=self.candidate)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contest:
    """One measure of one candidate and one baseline, ready to be drawn from."""

    design: Design
    method: str
    rows: AnswerRows
    margin: float
    of_losses: bool
    bound: float | None = None
    """How far losses of the two can differ on an item, where that is known."""

    @classmethod
    def of(
        cls,
        evidence: Any,
        *,
        measure: Any,
        baseline: str,
        candidate: str,
        margin: float,
        max_loss: float | None = None,
    ) -> "Contest":
        """The contest in the evidence; models on different items, or scores, cannot be swapped."""
        if not isinstance(evidence, Predictions):
            raise NotApplicable(
                "a trial swaps the models item by item: it needs predictions of both on the same items"
            )
        design = read_design(evidence, measure=measure, baseline=baseline, max_loss=max_loss)
        columns = evidence.sorted_columns(design.measure.needs, (candidate, baseline))
        of_losses = design.measure.is_mean
        return cls(
            design=design,
            method=choose(design)[1].method,
            rows=_rows(columns, design.measure),
            margin=margin,
            of_losses=of_losses,
            bound=largest_difference(design.measure, columns) if of_losses else None,
        )

    @property
    def sign(self) -> float:
        return 1.0 if self.design.measure.direction == "higher" else -1.0

    @property
    def measure(self) -> Measure:
        """The measure of the rows: where losses were worked out already, their mean."""
        return find_measure("reward") if self.of_losses else self.design.measure

    def evidence(self, rows: AnswerRows) -> Predictions:
        """The rows as evidence, in the columns that the measure needs."""
        needs, part = self.measure.needs, self.design.parts[0]
        times = None
        if needs == "labels" and rows.weights is None:
            rows, times = rows.distinct(len(part.classes))
        names = np.array(part.classes)
        table: dict[str, Any] = {}
        if rows.truth.size:
            table["truth"] = names[rows.truth] if needs in NAMED else rows.truth
        for name, answers in (("candidate", rows.candidate), ("baseline", rows.baseline)):
            if needs == "probabilities":
                table |= {f"{name}:p({c})": answers[:, k] for k, c in enumerate(part.classes)}
            else:
                table[f"{name}:{SUFFIX[needs]}"] = names[answers] if needs == "labels" else answers
        beside = {"weight": rows.weights, "cluster": rows.clusters, "count": times}
        there = {name: column for name, column in beside.items() if column is not None}
        roles: dict[str, Any] = {name: name for name in there}
        found = read(
            table | there,
            **roles,
            models=["candidate", "baseline"],
            # scores come with 1 for the positive class, whatever it is called
            positive={"labels": part.positive, "scores": 1}.get(needs),
        )
        if not isinstance(found, Predictions):
            raise TypeError("predictions were expected")
        return found

    def difference(self, rows: AnswerRows) -> float:
        """Candidate minus baseline in the measure, positive being better."""
        values = reduce(self.evidence(rows), self.measure, ("candidate", "baseline")).values
        return self.sign * float(values[0] - values[1])

    def bounds(self, samples: Iterator[AnswerRows], levels: Sequence[float]) -> FloatArray:
        """One-sided bounds (samples, levels, 2), positive being better; NaN where there are none."""
        found = _decider_of(self.method)(self, samples, levels)
        return found if self.sign > 0 else -found[..., ::-1]


Decider = Callable[[Contest, Iterator[AnswerRows], Sequence[float]], FloatArray]


def _rows(columns: Columns, measure: Measure) -> AnswerRows:
    """The columns of candidate and baseline; where the measure is a mean, what it is the mean of."""
    truth, (candidate, baseline) = columns.truth, columns.predictions
    if measure.is_mean and measure.features is not None:
        candidate, baseline = (
            np.asarray(measure.features(truth, one)[:, 0], np.float64)
            for one in (candidate, baseline)
        )
        truth = np.zeros(0)
    elif measure.needs == "scores":  # models on different scales can be swapped by rank only
        candidate, baseline = (midranks(one, axis=0) for one in (candidate, baseline))
    return AnswerRows(
        truth=truth,
        candidate=candidate,
        baseline=baseline,
        weights=columns.weights,
        clusters=columns.clusters,
    )


def _by_tango(
    contest: Contest, samples: Iterator[AnswerRows], levels: Sequence[float]
) -> FloatArray:
    """McNemar's: all samples at once, from their four counts."""
    counts = []
    for rows in samples:
        candidate, baseline = rows.candidate == rows.truth, rows.baseline == rows.truth
        both = int(np.count_nonzero(candidate & baseline))
        right, other = int(np.count_nonzero(candidate)), int(np.count_nonzero(baseline))
        counts.append((both, right - both, other - both, rows.n - right - other + both))
    table = four_counts(*np.array(counts, dtype=np.float64).T)
    limits = [tango_limits(table, normal_reach(level, "two-sided")) for level in levels]
    found = np.stack([np.stack(pair, axis=-1) for pair in limits], axis=1)
    # of error rates the difference is that of accuracies turned round
    return found if contest.design.measure.counts == "right" else -found[..., ::-1]


def _one_by_one(decide: Callable[[Contest, AnswerRows, float], Interval | None]) -> Decider:
    def decider(
        contest: Contest, samples: Iterator[AnswerRows], levels: Sequence[float]
    ) -> FloatArray:
        found = []
        for rows in samples:
            intervals = [decide(contest, rows, level) for level in levels]
            found.append([(np.nan, np.nan) if i is None else (i.low, i.high) for i in intervals])
        return np.array(found)

    return decider


def _delong(contest: Contest, rows: AnswerRows, level: float) -> Interval | None:  # noqa: ARG001
    if np.unique(rows.truth).size < 2:
        return None
    outcome = delong_test(rows.truth, rows.candidate, rows.baseline, variant="t", level=level)
    return outcome.effect.interval


def _precision(contest: Contest, rows: AnswerRows, level: float) -> Interval | None:  # noqa: ARG001
    outcome = average_precision_test(rows.truth, rows.candidate, rows.baseline, level=level)
    return outcome.effect.interval


def _losses(contest: Contest, rows: AnswerRows) -> tuple[FloatArray, FloatArray]:
    """The values whose mean is the measure: losses themselves, or right and wrong."""
    if contest.measure.needs != "labels":
        return rows.candidate, rows.baseline
    wrong = contest.design.measure.counts == "wrong"
    candidate, baseline = (
        ((one != rows.truth) if wrong else (one == rows.truth)).astype(np.float64)
        for one in (rows.candidate, rows.baseline)
    )
    return candidate, baseline


def _bound(contest: Contest, losses: tuple[FloatArray, FloatArray]) -> float | None:
    """How far losses can differ on an item; a candidate made worse by the margin may go beyond."""
    known = contest.bound if contest.measure.needs != "labels" else 1.0
    return None if known is None else max(known, float(np.abs(losses[0] - losses[1]).max()))


def _t(contest: Contest, rows: AnswerRows, level: float) -> Interval | None:
    losses = _losses(contest, rows)
    bound = _bound(contest, losses)
    variant = t_variant(contest.measure, bound)
    return paired_t(*losses, level=level, variant=variant, bound=bound).effect.interval


def _clustered(contest: Contest, rows: AnswerRows, level: float) -> Interval | None:
    losses = _losses(contest, rows)
    bound = _bound(contest, losses)
    squares = t_variant(contest.measure, bound) == "squares"
    found = clustered_t(*losses, rows.clusters, bound=bound, squares=squares, level=level)
    return found.effect.interval


def _by_rule(contest: Contest, rows: AnswerRows, level: float) -> Interval | None:
    """The whole procedure, for one that has no short cut here."""
    design = read_design(contest.evidence(rows), measure=contest.measure, baseline="baseline")
    settings = Settings(level=level, n_resamples=RESAMPLES, seed=0)
    ((_, _, outcome),) = choose(design)[0].run(design, settings).pairs
    return outcome.effect.interval


DECIDERS: dict[str, Decider] = {
    "four_counts": _by_tango,
    "two_areas": _one_by_one(_delong),
    "average_precisions": _one_by_one(_precision),
    "paired_means": _one_by_one(_t),
    "clustered_means": _one_by_one(_clustered),
}
"""Short cuts to the interval that decides, by what records of methods call them (``redrawn_by``)."""


def _decider_of(method: str) -> Decider:
    """The short cut of a method, or its whole procedure."""
    record = record_of(method)
    known = None if record is None else record.redrawn_by
    return _one_by_one(_by_rule) if known is None else DECIDERS[known]
