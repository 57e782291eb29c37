"""Runs of a training procedure over seeds, on one task or several: typical score, gap, profile (T17).

Runs are one array (one task), a matrix (rows runs, columns tasks) or a mapping of tasks to arrays.
The conclusion is about new seeds on these tasks, so resampling stays within each task.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.arrays import FloatArray
from assay.core.checks import (
    as_floats,
    as_matrix,
    as_values,
    check_choice,
    check_count,
    check_level,
)
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Curve, Details, Estimate, Interval
from assay.core.rng import Rng, seed_of
from assay.core.tolerances import NOISE
from assay.core.vocabulary import DIRECTIONS, Direction
from assay.estimates.method_question import MethodQuestion
from assay.kernels.bootstrap_intervals import percentile_interval
from assay.kernels.probability_of_superiority import superiority, superiority_limits
from assay.kernels.ranks import round_ties
from assay.kernels.resampling import multinomial_blocks
from assay.kernels.tails import ends, normal_reach, t_reach

FEW_RUNS = 5
"""Fewer runs per task carry the note `few-runs`."""

TRIM = 0.25
"""What the interquartile mean leaves out at either end."""

MOST_POINTS = 1000
"""Thresholds kept of a profile."""

_RUNS = ("independent runs, each with its own seed",)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelRuns:
    """The run scores of one model, an array per task."""

    tasks: tuple[FloatArray, ...]
    names: tuple[str, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(values.size for values in self.tasks)

    @property
    def fewest(self) -> int:
        return min(self.sizes)

    @property
    def n(self) -> int:
        return sum(self.sizes)

    def notes(self) -> tuple[Note, ...]:
        if self.fewest >= FEW_RUNS:
            return ()
        where = " per task" if len(self.tasks) > 1 else ""
        return (note("few-runs", count=self.fewest, where=where, needed=FEW_RUNS),)


def as_runs(runs: Any, what: str = "runs") -> ModelRuns:
    """One array, a matrix (rows runs, columns tasks) or a mapping of tasks to arrays."""
    if isinstance(runs, Mapping):
        if not runs:
            raise EvidenceError(f"{what} is empty: give the scores of each task")
        tasks = tuple(as_values(values, f"{what}[{name!r}]") for name, values in runs.items())
        return ModelRuns(tasks=tasks, names=tuple(map(str, runs)))
    found = as_floats(runs, what)
    if found.ndim == 2:
        columns = as_matrix(found, what).T
        names = tuple(f"task {place + 1}" for place in range(len(columns)))
        return ModelRuns(tasks=tuple(columns), names=names)
    return ModelRuns(tasks=(as_values(found, what),), names=("task 1",))


@method(
    question="How good is a typical run, over tasks and seeds?",
    takes="sample",
    gives="estimate",
    unit="seed",
    assumes=(*_RUNS, "scores of all tasks on one scale", "as many runs for every task"),
    reference="Agarwal et al. (2021), NeurIPS 34 (rliable); Hesterberg (2015), Am. Stat. 69",
    requirement="T17",
    same_as="SciPy: scipy.stats.trim_mean({scores}, 0.25, axis=None)",
    formula="the mean of all runs without the lowest and highest floor(n/4); limits: value + stretch "
    "(percentile - value), stretch = sqrt(runs/(runs - 1)) t_quantile(df)/z",
    exempt={"contains": "a percentile bootstrap of few skewed runs may leave the estimate out"},
)
def interquartile_mean(
    runs: Any,
    *,
    variant: Literal["stretched", "percentile"] = "stretched",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> Estimate:
    """The interquartile mean (IQM) with a bootstrap interval stratified by task.

    "percentile" is that of rliable, which with 3 runs covers 66-90 %; "stretched" (default) widens
    it by what so few runs underestimate: exact for the mean of normal runs.
    """
    found = as_runs(runs)
    chosen = check_choice(variant, ("stretched", "percentile"), "variant")
    size = check_count(n_resamples, "n_resamples", at_least=1)
    asked = MethodQuestion.of("interquartile_mean", level=level, unit="seed")
    seed = seed_of(rng)
    matrix = _rectangle(found)
    middle = _InterquartileMean(matrix)
    value = middle.value
    stretch, df = 1.0, None
    interval, notes = None, _single(found)
    if not notes:
        low, high = percentile_interval(_replicates(middle, size, seed), level=asked.level)
        df = _satterthwaite(middle.winsorised())
        if chosen == "stretched" and df:
            stretch = _stretch(found.fewest, df, asked.level)
        low, high = (value + stretch * (end - value) for end in (low, high))
        interval, notes = _unless_flat(asked, low, high, f"interquartile_mean {chosen}")
    return asked.estimate(
        "interquartile_mean",
        value,
        found.n,
        interval,
        notes=(*notes, *found.notes()),
        details=(
            ("runs", found.fewest),
            ("tasks", len(found.tasks)),
            ("variant", chosen),
            ("stretch", stretch),
            ("df", df),
            ("n_resamples", size),
        ),
        seed=seed,
    )


@method(
    question="How far do runs fall short of a target score, on average over tasks?",
    takes="sample",
    gives="estimate",
    unit="seed",
    assumes=(*_RUNS, "higher scores are better", "task means near normal, or many runs"),
    reference="Agarwal et al. (2021), NeurIPS 34 (rliable)",
    requirement="T17",
    formula="mean over tasks of target - mean of min(score, target); limits: ± t_quantile(df) "
    "standard_error, df by Satterthwaite over tasks",
)
def optimality_gap(
    runs: Any, *, target: float = 1.0, level: float = 0.95, alternative: str = "two-sided"
) -> Estimate:
    """By how much the runs fail to reach ``target``; what lies above it does not make up for it."""
    found = as_runs(runs)
    asked = MethodQuestion.of("optimality_gap", level=level, alternative=alternative, unit="seed")
    aim = float(as_values([target], "target")[0])
    short = [aim - np.minimum(values, aim) for values in found.tasks]
    value = float(np.mean([one.mean() for one in short]))
    interval, error, df = None, None, None
    notes = _single(found)
    if not notes:
        variance = sum(one.var(ddof=1) / one.size for one in short) / len(short) ** 2
        error, df = math.sqrt(variance), _satterthwaite(short)
        reach = t_reach(asked.level, df, asked.side) * error if df else 0.0
        low, high = ends(value, reach, asked.side)
        low = max(low, 0.0)
        interval, notes = _unless_flat(asked, low, high)
    if interval is not None:
        interval = asked.sided((low, high), (0.0, math.inf))
    return asked.estimate(
        "optimality_gap",
        value,
        found.n,
        interval,
        error or None,
        notes=(*notes, *found.notes()),
        details=(("target", aim), ("tasks", len(short)), ("df", df)),
    )


@method(
    question="How likely is a run of A to beat a run of B, on a task taken at random?",
    takes="runs",
    gives="estimate",
    unit="seed",
    assumes=(*_RUNS, "A and B share no runs"),
    reference="Agarwal et al. (2021), NeurIPS 34 (rliable); Newcombe (2006), Stat. Med. 25",
    requirement="T17",
    formula="mean over tasks of P(a > b) + P(a = b)/2; limits: (value - P)² = t² ratio V(P), as a12, "
    "df = runs of both less 2, summed over tasks",
)
def probability_of_improvement(
    a: Any,
    b: Any,
    *,
    direction: Direction = "higher",
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """The probability that a run of A is better than one of B, averaged over tasks.

    0.5 is no difference; with one task it is ``a12``. It says how often, not by how much.
    """
    first, second = as_runs(a, "a"), as_runs(b, "b")
    asked = MethodQuestion.of(
        "probability_of_improvement", level=level, alternative=alternative, unit="seed"
    )
    sign = 1.0 if check_choice(direction, DIRECTIONS, "direction") == "higher" else -1.0
    tasks = [(sign * one, sign * other) for one, other in _shared_tasks(first, second)]
    found = superiority(tasks)
    fewer = min(first, second, key=lambda one: one.fewest)
    interval = None
    notes: tuple[Note, ...] = ()
    if found.df == 0:
        notes = (note("single-value", what="one run of each", needed="more runs"),)
    else:
        limits = superiority_limits(found, t_reach(asked.level, found.df, asked.side))
        interval = asked.sided(limits)
    details: Details = (
        ("tasks", len(tasks)),
        ("runs_a", first.n),
        ("runs_b", second.n),
        ("df", found.df),
    )
    return asked.estimate(
        asked.method,
        found.value,
        first.n + second.n,
        interval,
        math.sqrt(found.variance) if found.varies else None,
        notes=(*notes, *fewer.notes()),
        details=details,
    )


def performance_profile(
    runs: Any,
    *,
    thresholds: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
    model: str | None = None,
) -> Curve:
    """The share of runs above each threshold, averaged over tasks, with a band for all at once.

    One task: Massart's (1990) band, which holds for every number of runs. Several: the bootstrap of
    the largest deviation within tasks, widened by sqrt(runs/(runs - 1)) and half a step.
    """
    found, confidence = as_runs(runs), check_level(level)
    seed = seed_of(rng)
    pooled = _Pooled(found)
    if len(found.tasks) == 1:
        reach = math.sqrt(math.log(2.0 / (1.0 - confidence)) / (2.0 * found.n))
    elif found.fewest < 2:
        reach = 1.0
    else:
        size = check_count(n_resamples, "n_resamples", at_least=1)
        deviations = _replicates(pooled, size, seed)
        _, widest = percentile_interval(deviations, level=2.0 * confidence - 1.0)
        widened = math.sqrt(found.fewest / (found.fewest - 1.0)) * widest
        reach = min(1.0, widened + float(pooled.weights.max()) / 2.0)
    at = _thresholds(pooled.values) if thresholds is None else as_values(thresholds, "thresholds")
    share = 1.0 - pooled.reached(at)
    columns = {
        "threshold": at,
        "share": share,
        "low": np.maximum(share - reach, 0.0),
        "high": np.minimum(share + reach, 1.0),
    }
    return Curve(
        name="performance_profile",
        model=model,
        columns=tuple((name, tuple(values.tolist())) for name, values in columns.items()),
        notes=(*(_single(found) if len(found.tasks) > 1 else ()), *found.notes()),
        details=(("level", confidence), ("reach", reach), ("runs", found.n), ("seed", seed)),
    )


class _Pooled:
    """All runs sorted together, each weighing so that every task counts alike."""

    def __init__(self, runs: ModelRuns) -> None:
        joint = round_ties(np.concatenate(runs.tasks))
        tasks = np.repeat(np.arange(len(runs.tasks)), runs.sizes)
        shares = np.repeat([1.0 / size for size in runs.sizes], runs.sizes) / len(runs.tasks)
        order = np.lexsort((tasks, joint))  # the same draws whatever the order of the runs
        self.values, self.strata, self.weights = joint[order], tasks[order], shares[order]
        self.last = np.append(self.values[1:] != self.values[:-1], True)
        self.below = np.cumsum(self.weights)

    def reached(self, thresholds: FloatArray) -> FloatArray:
        """The weight of runs at or below each threshold."""
        places = np.searchsorted(self.values, thresholds, side="right")
        return np.append(0.0, self.below)[places]

    def __call__(self, counts: NDArray[Any]) -> FloatArray:
        """The largest deviation of the resampled profile from the observed one."""
        drawn = np.cumsum(counts * self.weights, axis=1)
        return np.asarray(np.abs(drawn - self.below)[:, self.last].max(axis=1))


class _InterquartileMean:
    """The interquartile mean as a function of how often each run is drawn."""

    def __init__(self, matrix: FloatArray) -> None:
        flat, tasks = matrix.ravel(), np.tile(np.arange(matrix.shape[1]), len(matrix))
        order = np.lexsort((tasks, flat))  # the same draws whatever the order of the runs
        self.matrix = np.sort(matrix, axis=0)
        self.values, self.strata = flat[order], tasks[order]
        self.n, self.cut = flat.size, int(TRIM * flat.size)
        self.value = float(self(np.ones((1, self.n)))[0])

    def __call__(self, counts: NDArray[Any]) -> FloatArray:
        """Runs are sorted: those between the cut and n - cut, counted from below, are kept."""
        kept = np.cumsum(counts, axis=1, dtype=np.float64)
        np.clip(kept, self.cut, self.n - self.cut, out=kept)
        # summed by parts: the sum of values times steps of `kept`
        inner = np.einsum("ij,j->i", kept[:, :-1], np.diff(self.values))
        total = self.values[-1] * (self.n - self.cut) - self.values[0] * self.cut - inner
        return np.asarray(total / (self.n - 2 * self.cut))

    def winsorised(self) -> list[FloatArray]:
        """The runs of each task, those cut off set to the nearest that are kept."""
        low, high = self.values[self.cut], self.values[self.n - self.cut - 1]
        return list(np.clip(self.matrix, low, high).T)


def _replicates(statistic: Any, n_resamples: int, seed: int) -> FloatArray:
    """A statistic on resamples within tasks."""
    ones = np.ones(statistic.values.size, np.int64)
    found = [
        statistic(drawn)
        for _, drawn in multinomial_blocks(ones, n_resamples, seed, strata=statistic.strata)
    ]
    return np.concatenate(found)


def _stretch(runs: int, df: float, level: float) -> float:
    """What a bootstrap of few runs underestimates: a variance over n, and normal for t."""
    quantiles = t_reach(level, df, "two-sided") / normal_reach(level, "two-sided")
    return math.sqrt(runs / (runs - 1.0)) * quantiles


def _satterthwaite(tasks: list[FloatArray]) -> float | None:
    """Degrees of freedom of a sum of task variances; None where nothing varies."""
    scale = max(float(np.abs(one).max()) for one in tasks) or 1.0
    variances = np.array([(one / scale).var(ddof=1) / one.size for one in tasks])
    if variances.sum() <= NOISE**2:
        return None
    shares = variances / variances.sum()
    degrees = np.array([one.size - 1.0 for one in tasks])
    return 1.0 / float((shares**2 / degrees).sum())


def _rectangle(runs: ModelRuns) -> FloatArray:
    if len(set(runs.sizes)) > 1:
        listed = ", ".join(
            f"{name} has {size}" for name, size in zip(runs.names, runs.sizes, strict=True)
        )
        raise NotApplicable(
            "the interquartile mean pools all runs, so tasks with more runs would count more. "
            f"Give every task as many runs ({listed}), or use optimality_gap or performance_profile"
        )
    return np.column_stack(runs.tasks)


def _shared_tasks(a: ModelRuns, b: ModelRuns) -> list[tuple[FloatArray, FloatArray]]:
    if len(a.tasks) != len(b.tasks) or set(a.names) != set(b.names):
        raise EvidenceError(
            f"A and B need runs on the same tasks; got {len(a.tasks)} ({', '.join(a.names[:5])}) "
            f"and {len(b.tasks)} ({', '.join(b.names[:5])})"
        )
    of_b = dict(zip(b.names, b.tasks, strict=True))
    return [(one, of_b[name]) for name, one in zip(a.names, a.tasks, strict=True)]


def _thresholds(values: FloatArray) -> FloatArray:
    distinct = np.unique(values)
    places = np.linspace(0, distinct.size - 1, min(distinct.size, MOST_POINTS)).round().astype(int)
    return np.asarray(distinct[places])


def _single(runs: ModelRuns) -> tuple[Note, ...]:
    if runs.fewest > 1:
        return ()
    return (note("single-value", what="one run of a task", needed="at least two"),)


def _unless_flat(
    asked: MethodQuestion, low: float, high: float, called: str = ""
) -> tuple[Interval | None, tuple[Note, ...]]:
    """The interval, or why there is none: runs that do not vary say nothing about others."""
    if high - low > NOISE * max(abs(low), abs(high)):
        return asked.interval(low, high, called), ()
    remedy = "more runs, or other seeds, would tell"
    return None, (
        note("zero-variance", what="the runs", method=called or asked.method, remedy=remedy),
    )
