"""A gate tried on evidence like the user's, with the truth known: how often does it err?

Two populations are made from the evidence. In the first every unit (an item, or a whole cluster)
stands twice, once with the two models swapped: they are equal there, whatever the measure. In the
second the candidate's answers are spoilt, one after the other, until it is worse by the margin.
Samples of the evidence's size are drawn from each, and the gate's own procedure decides on them.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.compare.choose import choose
from assay.compare.design import Design, read_design
from assay.compare.gate_rule import Bounds, judge_all
from assay.compare.pairwise import Settings
from assay.core.checks import FloatArray
from assay.core.errors import NotApplicable
from assay.core.results import GateTrial, Interval
from assay.core.rng import stream
from assay.estimates.clustered import cluster_difference
from assay.estimates.proportions import clopper_pearson
from assay.estimates.reductions import reduce
from assay.evidence.columns import Columns
from assay.evidence.predictions import Predictions
from assay.evidence.readers import read
from assay.hypotheses.paired_measures import paired_bootstrap
from assay.hypotheses.paired_scores import paired_t
from assay.hypotheses.roc import delong_test
from assay.kernels.differences import four_counts, tango_limits
from assay.kernels.ranks import midranks
from assay.kernels.tails import normal_reach
from assay.measures.registry import Measure, find_measure

IntArray = NDArray[np.int64]

RESAMPLES = 999
"""Bootstrap replicates of each trial; the gate itself takes more."""
LARGE = 20_000
"""Rows of the population with the spoilt candidate: one answer then moves a rate by 0.00005."""
LARGEST = 1_000_000
STEPS = 40
"""Halvings while looking for the amount of spoiling; fewer where answers are counted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Answers of the two models, row by row, in the form the deciding procedure takes."""

    truth: NDArray[Any]
    candidate: NDArray[Any]
    baseline: NDArray[Any]
    weights: FloatArray | None
    clusters: IntArray | None

    @property
    def n(self) -> int:
        return int(self.candidate.shape[0])

    def taken(self, rows: IntArray, clusters: IntArray | None) -> "Rows":
        return Rows(
            truth=self.truth[rows] if self.truth.size else self.truth,
            candidate=self.candidate[rows],
            baseline=self.baseline[rows],
            weights=None if self.weights is None else self.weights[rows],
            clusters=clusters,
        )

    def repeated(self, times: int) -> "Rows":
        """So many copies, each with clusters of its own."""
        if self.clusters is None:
            return self.taken(np.tile(np.arange(self.n), times), None)
        several = int(self.clusters.max()) + 1
        codes = np.concatenate([self.clusters + several * copy for copy in range(times)])
        return self.taken(np.tile(np.arange(self.n), times), codes)

    def swapped(self) -> "Rows":
        return replace(self, candidate=self.baseline, baseline=self.candidate)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contest:
    """One measure of one candidate and one baseline, ready to be drawn from."""

    design: Design
    method: str
    rows: Rows
    margin: float
    of_losses: bool

    @classmethod
    def of(
        cls, evidence: Any, *, measure: Any, baseline: str, candidate: str, margin: float
    ) -> "Contest":
        """The contest in the evidence; models on different items, or scores, cannot be swapped."""
        if not isinstance(evidence, Predictions):
            raise NotApplicable(
                "a trial swaps the models item by item: it needs predictions of both on the same items"
            )
        design = read_design(evidence, measure=measure, baseline=baseline)
        columns = evidence.columns(design.measure.needs, (candidate, baseline))
        of_losses = design.measure.is_mean
        return cls(
            design=design,
            method=choose(design)[1].method,
            rows=_rows(columns, design.measure),
            margin=margin,
            of_losses=of_losses,
        )

    @property
    def sign(self) -> float:
        return 1.0 if self.design.measure.direction == "higher" else -1.0

    @property
    def measure(self) -> Measure:
        """The measure of the rows: where losses were worked out already, their mean."""
        return find_measure("reward") if self.of_losses else self.design.measure

    def evidence(self, rows: Rows) -> Predictions:
        """The rows as evidence, in the columns that the measure needs."""
        classes, positive = self.design.parts[0].classes, self.design.parts[0].positive
        needs = self.measure.needs
        table: dict[str, Any] = {}
        if rows.truth.size:
            coded = needs in ("labels", "scores", "probabilities")
            table["truth"] = self._named(rows.truth) if coded else rows.truth
        for name, answers in (("candidate", rows.candidate), ("baseline", rows.baseline)):
            if needs == "probabilities":
                table |= {f"{name}:p({c})": answers[:, k] for k, c in enumerate(classes)}
            elif needs == "labels":
                table[f"{name}:label"] = np.array(classes, dtype=object)[answers]
            else:
                table[f"{name}:{needs[:-1] if needs != 'losses' else 'loss'}"] = answers
        if rows.weights is not None:
            table["weight"] = rows.weights
        if rows.clusters is not None:
            table["cluster"] = rows.clusters
        found = read(
            table,
            models=["candidate", "baseline"],
            positive=positive if needs in ("labels", "scores") and len(classes) == 2 else None,
        )
        if not isinstance(found, Predictions):
            raise TypeError("predictions were expected")
        return found

    def _named(self, truth: NDArray[Any]) -> NDArray[Any]:
        part = self.design.parts[0]
        if self.measure.needs == "scores":
            names = sorted(part.classes, key=lambda name: name == part.positive)
        else:
            names = list(part.classes)
        return np.asarray(np.array(names, dtype=object)[truth])

    def difference(self, rows: Rows) -> float:
        """Candidate minus baseline in the measure, positive being better."""
        values = reduce(self.evidence(rows), self.measure, ("candidate", "baseline")).values
        return self.sign * float(values[0] - values[1])

    def bounds(self, samples: Iterator[Rows], levels: Sequence[float]) -> FloatArray:
        """One-sided bounds (samples, levels, 2), positive being better; NaN where there are none."""
        found = DECIDERS.get(self.method, _any_procedure)(self, samples, levels)
        return found if self.sign > 0 else -found[..., ::-1]


Decider = Callable[[Contest, Iterator[Rows], Sequence[float]], FloatArray]


def rehearse(
    contests: Sequence[Contest], *, alpha: float, holm: bool, replicates: int, seed: int
) -> tuple[GateTrial, ...]:
    """The false-fail rate of the gate on equal models, and of each measure its false-pass rate."""
    count = len(contests)
    shares = [alpha / open_ for open_ in range(1, count + 1)] if holm else [alpha]
    levels = [round(1.0 - 2.0 * share, 12) for share in shares]
    equal = np.stack(
        [
            c.bounds(_draws(symmetric(c.rows), c.rows, replicates, (seed, 1)), levels)
            for c in contests
        ]
    )
    fails = _failed(equal, contests, shares, holm=holm)
    trials = [
        _trial(
            "false-fail",
            contests[0].design.measure.name if count == 1 else None,
            0.0,
            min(1.0, alpha * (1 if holm else count)),
            fails,
            contests[0],
        )
    ]
    for place, contest in enumerate(contests):
        world = spoilt(contest, symmetric(contest.rows), stream(seed, 2, place))
        passes = None
        if world is not None:
            low = contest.bounds(_draws(world, contest.rows, replicates, (seed, 3)), levels[:1])
            passes = low[:, 0, 0] > -contest.margin
        name = contest.design.measure.name
        trials.append(_trial("false-pass", name, -contest.margin, alpha, passes, contest))
    return tuple(trials)


def symmetric(rows: Rows) -> Rows:
    """Every unit twice, once with the models swapped: in any measure they are equal."""
    twice, swapped = rows.repeated(2), rows.swapped()
    return replace(
        twice,
        candidate=np.concatenate([rows.candidate, swapped.candidate]),
        baseline=np.concatenate([rows.baseline, swapped.baseline]),
    )


def spoilt(contest: Contest, rows: Rows, rng: np.random.Generator) -> Rows | None:
    """The population with a candidate spoilt until it is worse by the margin, or a hair more.

    Labels become wrong and scores become those of other items, one after the other; the errors of
    predicted numbers grow, and losses are shifted. None where no spoiling reaches the margin.
    """
    span = contest.measure.high - contest.measure.low
    wanted = 50.0 * (span if math.isfinite(span) else 1.0) / contest.margin
    copies = math.ceil(min(max(LARGE, wanted), LARGEST) / rows.n)
    population = rows.repeated(max(1, copies))
    spoil = _spoiler(contest, population, rng)
    target = contest.difference(population) - contest.margin
    low, high = 0.0, 1.0
    if not contest.difference(spoil(high)) <= target:
        return None
    for _ in range(STEPS if contest.measure.needs in ("values", "losses") else 22):
        middle = (low + high) / 2.0
        low, high = (low, middle) if contest.difference(spoil(middle)) <= target else (middle, high)
    return spoil(high)


def _spoiler(contest: Contest, rows: Rows, rng: np.random.Generator) -> Callable[[float], Rows]:
    """Spoils a share of what can be spoilt, from none (0) to all (1)."""
    needs, candidate = contest.measure.needs, rows.candidate
    if needs == "losses":
        unit = contest.margin * contest.sign

        def shifted(share: float) -> Rows:
            return replace(rows, candidate=candidate - 2.0 * share * unit)

        return shifted
    if needs == "values":

        def stretched(share: float) -> Rows:
            factor = 1.0 / max(1.0 - share, 1e-9)
            return replace(rows, candidate=rows.truth + factor * (candidate - rows.truth))

        return stretched
    order = rng.permutation(rows.n)
    bad = candidate[rng.permutation(rows.n)]
    if needs == "labels":
        order = order[candidate[order] == rows.truth[order]]
        classes = len(contest.design.parts[0].classes)
        bad = (candidate + rng.integers(1, max(2, classes), rows.n)) % classes

    def replaced(share: float) -> Rows:
        answers = candidate.copy()
        chosen = order[: round(share * order.size)]
        answers[chosen] = bad[chosen]
        return replace(rows, candidate=answers)

    return replaced


def _rows(columns: Columns, measure: Measure) -> Rows:
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
    return Rows(
        truth=truth,
        candidate=candidate,
        baseline=baseline,
        weights=columns.weights,
        clusters=columns.clusters,
    )


def _draws(
    population: Rows, evidence: Rows, replicates: int, seed: tuple[int, int]
) -> Iterator[Rows]:
    """Samples of as many items, or clusters, as the evidence has; the same ones for every measure."""
    if population.clusters is None or evidence.clusters is None:
        for replicate in range(replicates):
            rng = stream(*seed, replicate)
            yield population.taken(rng.integers(0, population.n, evidence.n), None)
        return
    order = np.argsort(population.clusters, kind="stable")
    sizes = np.bincount(population.clusters)
    starts = np.cumsum(sizes) - sizes
    wanted = int(evidence.clusters.max()) + 1
    for replicate in range(replicates):
        drawn = stream(*seed, replicate).integers(0, sizes.size, wanted)
        chosen = sizes[drawn]
        within = np.arange(chosen.sum()) - np.repeat(np.cumsum(chosen) - chosen, chosen)
        rows = order[np.repeat(starts[drawn], chosen) + within]
        yield population.taken(rows, np.repeat(np.arange(wanted), chosen))


def _failed(
    bounds: FloatArray, contests: Sequence[Contest], shares: Sequence[float], *, holm: bool
) -> NDArray[np.bool_]:
    """Of bounds (measures, samples, shares, 2): on which samples the gate fails in some measure."""
    margins = [contest.margin for contest in contests]
    place_of = {share: place for place, share in enumerate(shares)}
    failed = []
    for sample in np.moveaxis(bounds, 1, 0).tolist():

        def of(place: int, share: float, sample: list[Any] = sample) -> Bounds:
            low, high = sample[place][place_of[share]]
            return (None, None) if math.isnan(low) or math.isnan(high) else (low, high)

        words = [one.word for one in judge_all(of, margins, alpha=shares[0], holm=holm)]
        failed.append("failed" in words)
    return np.array(failed)


def _trial(
    error: Literal["false-fail", "false-pass"],
    measure: str | None,
    difference: float,
    nominal: float,
    happened: NDArray[np.bool_] | None,
    contest: Contest,
) -> GateTrial:
    count = None if happened is None else int(happened.sum())
    interval: Interval | None = None
    if happened is not None and count is not None:
        interval = clopper_pearson(count, happened.size).interval
    return GateTrial(
        error=error,
        measure=measure,
        difference=difference,
        nominal=nominal,
        replicates=0 if happened is None else happened.size,
        count=count,
        rate=None if happened is None or count is None else count / happened.size,
        interval=interval,
        drawn="items" if contest.rows.clusters is None else "clusters",
    )


def _by_tango(contest: Contest, samples: Iterator[Rows], levels: Sequence[float]) -> FloatArray:
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
    return found if contest.design.measure.name == "accuracy" else -found[..., ::-1]


def _one_by_one(decide: Callable[[Contest, Rows, float], Interval | None]) -> Decider:
    def decider(contest: Contest, samples: Iterator[Rows], levels: Sequence[float]) -> FloatArray:
        found = []
        for rows in samples:
            intervals = [decide(contest, rows, level) for level in levels]
            found.append([(np.nan, np.nan) if i is None else (i.low, i.high) for i in intervals])
        return np.array(found)

    return decider


def _delong(contest: Contest, rows: Rows, level: float) -> Interval | None:  # noqa: ARG001
    if np.unique(rows.truth).size < 2:
        return None
    return delong_test(rows.truth, rows.candidate, rows.baseline, level=level).effect.interval


def _losses(contest: Contest, rows: Rows) -> tuple[FloatArray, FloatArray]:
    """The values whose mean is the measure: losses themselves, or right and wrong."""
    if contest.measure.needs != "labels":
        return rows.candidate, rows.baseline
    wrong = contest.design.measure.name == "error_rate"
    candidate, baseline = (
        ((one != rows.truth) if wrong else (one == rows.truth)).astype(np.float64)
        for one in (rows.candidate, rows.baseline)
    )
    return candidate, baseline


def _t(contest: Contest, rows: Rows, level: float) -> Interval | None:
    return paired_t(*_losses(contest, rows), level=level).effect.interval


def _clustered(contest: Contest, rows: Rows, level: float) -> Interval | None:
    return cluster_difference(*_losses(contest, rows), rows.clusters, level=level).interval


def _bootstrap(contest: Contest, rows: Rows, level: float) -> Interval | None:
    return paired_bootstrap(
        contest.evidence(rows),
        measure=contest.measure,
        models=("candidate", "baseline"),
        level=level,
        n_resamples=RESAMPLES,
        rng=0,
    ).effect.interval


def _by_rule(contest: Contest, rows: Rows, level: float) -> Interval | None:
    """The whole procedure, for one that has no short cut here."""
    design = read_design(contest.evidence(rows), measure=contest.measure, baseline="baseline")
    settings = Settings(level=level, n_resamples=RESAMPLES, seed=0)
    ((_, _, outcome),) = choose(design)[0].run(design, settings).pairs
    return outcome.effect.interval


_any_procedure = _one_by_one(_by_rule)
DECIDERS: dict[str, Decider] = {
    "mcnemar": _by_tango,
    "delong_test": _one_by_one(_delong),
    "paired_t": _one_by_one(_t),
    "cluster_difference": _one_by_one(_clustered),
    "paired_bootstrap": _one_by_one(_bootstrap),
}
"""Short cuts to the interval that decides, by the method that `choose` names."""
