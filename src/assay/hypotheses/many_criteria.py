"""Several criteria at once: Hotelling's T² for two algorithms, MANOVA for more."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import as_floats, as_matrix, as_values, check_choice
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.methods import Law, method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval, TestOutcome
from assay.core.vocabulary import Unit
from assay.estimates.folds import PerFold, splits_of
from assay.estimates.method_question import MethodQuestion
from assay.evidence.blocks import as_blocks
from assay.hypotheses.omnibus_answers import shared_training
from assay.kernels.noncentral import noncentrality_bounds
from assay.kernels.special import fdtrc, fdtri

SINGULAR = 1e-10
"""Criteria whose smallest singular value is below this share of the largest hang together."""

Statistic = Literal["pillai", "wilks", "hotelling-lawley", "roy"]
STATISTICS: tuple[Statistic, ...] = ("pillai", "wilks", "hotelling-lawley", "roy")
CriteriaGroups = Mapping[str, ArrayLike] | Iterable[ArrayLike]
_NO_SIGN: Mapping[Law, str] = {
    "swap": "the distance has no sign: swapping A and B leaves it as it is"
}


@method(
    question="Do two algorithms differ in any of several criteria, measured on the same units?",
    takes="criteria-pairs",
    gives="test",
    unit=("item", "fold", "seed", "dataset"),
    assumes=("units are independent, or corrected for", "differences are near normal"),
    reference="hotelling1931",
    requirement="T11",
    same_as="R: DescTools::HotellingsT2Test({a} - {b})",
    formula="T2 = difference' S^-1 difference / factor, F = (units - criteria) T2 / (criteria (units - 1))",
    exempt=_NO_SIGN,
    name="Hotelling paired",
    title="Hotelling's T² test of paired differences",
)
def hotelling_paired(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    unit: Unit = "fold",
    folds: int | None = None,
    test_share: float | None = None,
    n_test: PerFold | None = None,
    n_train: PerFold | None = None,
    level: float = 0.95,
) -> TestOutcome:
    """Hotelling's T² on paired differences: rows are units, columns criteria.

    Over folds, saying how they were made (as in ``corrected_resampled_t``) puts Nadeau and
    Bengio's factor 1/n + n_test/n_train in the place of 1/n; without it folds count as
    independent, with a note. The effect is D², the squared Mahalanobis distance from no difference.
    """
    first = as_matrix(a, "a", rows=2)
    second = np.zeros_like(first) if b is None else as_matrix(b, "b", rows=2)
    if first.shape != second.shape:
        raise EvidenceError(
            f"paired criteria need the same units and criteria for A and B; got shapes {first.shape} "
            f"and {second.shape}. For different units use hotelling_two_sample"
        )
    n = len(first)
    factor, notes = 1.0 / n, shared_training(unit, n)
    if any(value is not None for value in (folds, test_share, n_test, n_train)):
        splits = splits_of(n, folds=folds, test_share=test_share, n_test=n_test, n_train=n_train)
        factor += splits.ratio
        notes = (note("heuristic-level", method="hotelling_paired", measured=""),)
    scale = max(float(np.abs(first).max()), float(np.abs(second).max()))
    sample = _one_cloud(first - second, scale)
    asked = MethodQuestion.of("hotelling_paired", level=level, unit=unit)
    return _hotelling(asked, sample, factor, notes)


@method(
    question="Does one algorithm differ from given levels in any of several criteria?",
    takes="blocks",
    gives="test",
    unit=("item", "fold", "seed", "dataset"),
    assumes=("units are independent", "criteria are near normal"),
    reference="hotelling1931",
    requirement="T11",
    same_as="R: DescTools::HotellingsT2Test({scores}, mu = {null})",
    formula="T2 = units (mean - null)' S^-1 (mean - null), F = (units - criteria) T2 / (criteria (units - 1))",
    exempt={"shift": "columns are criteria of one algorithm, not algorithms on one block"},
    name="Hotelling one-sample",
    title="Hotelling's one-sample T² test",
)
def hotelling_one_sample(
    scores: ArrayLike | Mapping[str, ArrayLike],
    *,
    null: ArrayLike = 0.0,
    unit: Unit = "fold",
    level: float = 0.95,
) -> TestOutcome:
    """Hotelling's T² of one algorithm against the levels ``null``, one for each criterion."""
    if isinstance(scores, Mapping):  # criteria by name
        scores = as_blocks(scores, models=1).values
    table = as_matrix(scores, "scores", rows=2)
    levels = as_values(np.atleast_1d(as_floats(null, "null")), "null")
    if levels.size not in (1, table.shape[1]):
        raise EvidenceError(
            f"null is one level or one per criterion: {table.shape[1]} are needed, {levels.size} came"
        )
    sample = _one_cloud(table - levels, float(np.abs(table).max()))
    notes = shared_training(unit, len(table))
    asked = MethodQuestion.of("hotelling_one_sample", level=level, unit=unit)
    return _hotelling(asked, sample, 1.0 / len(table), notes)


@method(
    question="Do two algorithms differ in any of several criteria, measured on different units?",
    takes="criteria-pairs",
    gives="test",
    unit=("item", "fold", "seed", "dataset"),
    assumes=("units are independent", "criteria are near normal", "one covariance in both groups"),
    reference="hotelling1931",
    requirement="T11",
    same_as="R: DescTools::HotellingsT2Test({a}, {b})",
    formula="T2 = difference' S^-1 difference / (1/n_a + 1/n_b)",
    exempt=_NO_SIGN,
    name="Hotelling two-sample",
    title="Hotelling's two-sample T² test",
)
def hotelling_two_sample(
    a: ArrayLike, b: ArrayLike, *, unit: Unit = "fold", level: float = 0.95
) -> TestOutcome:
    """Hotelling's T² of two independent groups with one pooled covariance."""
    first, second = as_matrix(a, "a"), as_matrix(b, "b")
    sample = _two_clouds(first, second)
    notes = _shared(unit, (len(first), len(second)), "two-sample T²", "hotelling_paired")
    factor = 1.0 / len(first) + 1.0 / len(second)
    asked = MethodQuestion.of("hotelling_two_sample", level=level, unit=unit)
    return _hotelling(asked, sample, factor, notes)


@method(
    question="Do several algorithms differ in any of several criteria?",
    takes="criteria-groups",
    gives="test",
    unit=("item", "fold", "seed", "dataset"),
    assumes=("units are independent", "criteria are near normal", "one covariance in all groups"),
    reference="pillai1955",
    requirement="T12",
    same_as="R: summary(manova(scores ~ model))",
    formula="pillai = sum(r / (1 + r)), wilks = prod(1 / (1 + r)), hotelling_lawley = sum(r), "
    "roy = max(r), r the roots of H E^-1",
    name="MANOVA",
)
def manova(
    groups: CriteriaGroups,
    *,
    variant: Statistic = "pillai",
    unit: Unit = "fold",
    level: float = 0.95,
) -> TestOutcome:
    """Multivariate analysis of variance: for each algorithm a matrix, rows units, columns criteria.

    ``variant`` is the statistic that gives the p-value; all four are in the details. The effect is
    the share of variance between the algorithms, Pillai's V / s, whose interval inverts Pillai's F.
    """
    chosen = check_choice(variant, STATISTICS, "variant")
    clouds = _clouds(groups)
    means, centred, shape = _between_and_within(clouds)
    # the eigenvalues of H E^-1, H = M'M and E = C'C, without forming either product
    singular = np.linalg.svd(_whitened(means, centred), compute_uv=False)
    roots = np.square(singular, dtype=np.float64)
    found = {name: _STATISTICS[name](roots, shape) for name in STATISTICS}
    if found[chosen].p_value is None:
        raise NotApplicable(
            f"{shape.n} units are too few for the F of {chosen} with {shape.criteria} criteria and "
            f"{len(clouds)} groups; use variant='pillai'"
        )
    details: Details = tuple(pair for name in STATISTICS for pair in found[name].details(name))
    sizes = tuple(len(cloud) for cloud in clouds)
    notes = _shared(unit, sizes, "MANOVA", "hotelling_paired on each pair, with Holm's adjustment,")
    if chosen != "pillai":
        notes = (*notes, note("variant-differs", variant=chosen, default="pillai"))
    if chosen == "roy" and shape.s > 1:
        notes = (*notes, note("roy-bound"))
    asked = MethodQuestion.of("manova", level=level, unit=unit)
    return asked.outcome(
        found[chosen].value,
        found[chosen].p_value,
        _pillai_share(asked, found["pillai"], shape),
        notes=notes,
        details=(*details, *_mckeon(roots, shape), ("s", shape.s)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cloud:
    """A mean difference of several criteria, what is left of them, its degrees of freedom."""

    mean: FloatArray
    centred: FloatArray
    df: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """Criteria, degrees of freedom of hypothesis and error; s roots can differ from zero."""

    criteria: int
    hypothesis: int
    error: int

    @property
    def s(self) -> int:
        return min(self.criteria, self.hypothesis)

    @property
    def n(self) -> int:
        return self.hypothesis + self.error + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """One multivariate statistic and the F it is referred to."""

    value: float
    f: float
    df1: float
    df2: float

    @property
    def p_value(self) -> float | None:
        """None where too few units leave the approximation without degrees of freedom."""
        return float(fdtrc(self.df1, self.df2, self.f)) if self.df2 > 0 else None

    def details(self, name: str) -> Details:
        word = name.replace("-", "_")
        return (
            (word, self.value),
            (f"{word}_f", self.f),
            (f"{word}_df1", self.df1),
            (f"{word}_df2", self.df2),
            (f"{word}_p", self.p_value),
        )


def _one_cloud(differences: FloatArray, scale: float) -> _Cloud:
    n, criteria = differences.shape
    _check_size(n - 1, criteria, n)
    centred = differences - differences.mean(axis=0)
    _check_rank(centred, scale)
    return _Cloud(mean=differences.mean(axis=0), centred=centred, df=n - 1, n=n)


def _two_clouds(first: FloatArray, second: FloatArray) -> _Cloud:
    if first.shape[1] != second.shape[1]:
        raise EvidenceError(
            f"both need the same criteria; got {first.shape[1]} and {second.shape[1]} columns"
        )
    n, criteria = len(first) + len(second), first.shape[1]
    _check_size(n - 2, criteria, n)
    centred = np.vstack([first - first.mean(axis=0), second - second.mean(axis=0)])
    _check_rank(centred, max(float(np.abs(first).max()), float(np.abs(second).max())))
    mean = first.mean(axis=0) - second.mean(axis=0)
    return _Cloud(mean=mean, centred=centred, df=n - 2, n=n)


def _clouds(groups: CriteriaGroups) -> list[FloatArray]:
    scalar = isinstance(groups, str | bytes) or getattr(groups, "ndim", 1) == 0
    if scalar or not isinstance(groups, Iterable):
        raise EvidenceError(f"groups are a list of matrices, or a mapping of names; got {groups!r}")
    named = groups.items() if isinstance(groups, Mapping) else enumerate(groups, 1)
    clouds = [as_matrix(values, f"group {name}") for name, values in named]
    if len(clouds) < 2:
        raise EvidenceError(f"MANOVA compares two groups or more; got {len(clouds)}")
    if len({cloud.shape[1] for cloud in clouds}) > 1:
        columns = ", ".join(str(cloud.shape[1]) for cloud in clouds)
        raise EvidenceError(f"all groups need the same criteria; they have {columns} columns")
    return clouds


def _check_size(df: int, criteria: int, n: int) -> None:
    if df < criteria:
        raise NotApplicable(
            f"{n} units are too few to estimate the covariance of {criteria} criteria, so T² does "
            "not exist. Use more units or fewer criteria, or test each criterion with Holm's "
            "adjustment"
        )


def _check_rank(centred: FloatArray, scale: float) -> None:
    """A covariance that cannot be inverted is refused, with the reason."""
    spread = np.abs(centred).max(axis=0)
    flat = np.flatnonzero(spread <= SINGULAR * scale)
    if flat.size:
        raise NotApplicable(
            f"criterion {flat[0] + 1} does not vary within the groups, so the covariance is singular: "
            "drop it, and look at it by itself"
        )
    sizes = np.linalg.svd(centred / spread, compute_uv=False)
    if sizes[-1] <= SINGULAR * sizes[0]:
        raise NotApplicable(
            f"the covariance of the {centred.shape[1]} criteria is singular. One of them is a "
            "linear combination of the others (such as accuracy and error); drop it"
        )


def _hotelling(
    asked: MethodQuestion, cloud: _Cloud, factor: float, notes: tuple[Note, ...]
) -> TestOutcome:
    """T², its F, and the interval of D² that inverts it: lambda = D² / factor."""
    criteria = cloud.mean.size
    distance = cloud.df * float((_whitened(cloud.mean[None], cloud.centred) ** 2).sum())
    df2 = cloud.df - criteria + 1
    ratio = criteria * cloud.df / df2  # T² = ratio · F
    f = distance / factor / ratio
    low, high = (factor * bound for bound in noncentrality_bounds(f, criteria, df2, asked.level))
    interval = Interval(
        low=low, high=np.inf, level=asked.level, method="noncentral-f", alternative="greater"
    )
    effect = asked.estimate("mahalanobis_squared", distance, cloud.n, interval)
    critical = float(fdtri(criteria, df2, asked.level))
    variances = (cloud.centred**2).sum(axis=0) / cloud.df
    reach = np.sqrt(ratio * critical * factor * variances)
    return asked.outcome(
        distance / factor,
        float(fdtrc(criteria, df2, f)),
        effect,
        notes=notes,
        details=(
            ("f", f),
            ("df1", criteria),
            ("df2", df2),
            ("factor", factor),
            ("mahalanobis_squared_upper", high),
            *_each_criterion(cloud.mean, reach),
        ),
    )


def _each_criterion(means: FloatArray, reach: FloatArray) -> Details:
    """For every criterion its difference and the T² interval, simultaneous over all of them."""
    return tuple(
        pair
        for place, (mean, half) in enumerate(zip(means.tolist(), reach.tolist(), strict=True), 1)
        for pair in (
            (f"difference_{place}", mean),
            (f"low_{place}", mean - half),
            (f"high_{place}", mean + half),
        )
    )


def _between_and_within(clouds: list[FloatArray]) -> tuple[FloatArray, FloatArray, _Shape]:
    everything = np.vstack(clouds)
    shape = _Shape(
        criteria=everything.shape[1],
        hypothesis=len(clouds) - 1,
        error=len(everything) - len(clouds),
    )
    _check_size(shape.error, shape.criteria, shape.n)
    centred = np.vstack([cloud - cloud.mean(axis=0) for cloud in clouds])
    _check_rank(centred, float(np.abs(everything).max()))
    means = np.vstack([cloud.mean(axis=0) - everything.mean(axis=0) for cloud in clouds])
    sizes = np.array([len(cloud) for cloud in clouds], dtype=np.float64)
    return means * np.sqrt(sizes)[:, None], centred, shape


def _whitened(rows: FloatArray, centred: FloatArray) -> FloatArray:
    """Rows times the inverse square root of C'C, C the ``centred`` values.

    From the singular values of C with every criterion on the scale of its own: to form C'C would
    square the distance between the largest and the smallest of them.
    """
    spread = np.abs(centred).max(axis=0)
    _, sizes, axes = np.linalg.svd(centred / spread, full_matrices=False)
    return np.asarray((rows / spread) @ axes.T / sizes, dtype=np.float64)


def _pillai(roots: FloatArray, shape: _Shape) -> _Found:
    s = shape.s
    value = float((roots / (1.0 + roots)).sum())
    df1 = s * max(shape.criteria, shape.hypothesis)
    df2 = s * (shape.error - shape.criteria + s)
    return _Found(value=value, f=value / (s - value) * df2 / df1, df1=df1, df2=df2)


def _wilks(roots: FloatArray, shape: _Shape) -> _Found:
    """Rao's F (1951)."""
    p, q = shape.criteria, shape.hypothesis
    value = float(np.exp(-np.log1p(roots).sum()))
    squares = p * p + q * q - 5
    t = float(np.sqrt((p * p * q * q - 4) / squares)) if squares > 0 else 1.0
    df1 = p * q
    df2 = t * (shape.error - (p - q + 1) / 2.0) - (p * q - 2) / 2.0
    odds = float(np.expm1(np.log1p(roots).sum() / t))  # (1 - wilks^(1/t)) / wilks^(1/t)
    return _Found(value=value, f=odds * df2 / df1, df1=df1, df2=df2)


def _hotelling_lawley(roots: FloatArray, shape: _Shape) -> _Found:
    """The F of Pillai and Samson, as R has it."""
    s = shape.s
    value = float(roots.sum())
    df1 = s * max(shape.criteria, shape.hypothesis)
    df2 = s * (shape.error - shape.criteria - 1) + 2
    return _Found(value=value, f=value * df2 / (s * df1), df1=df1, df2=df2)


def _mckeon(roots: FloatArray, shape: _Shape) -> Details:
    """McKeon's F (1974) of the same statistic, as SAS and statsmodels have it, where it exists."""
    p, q, error = shape.criteria, shape.hypothesis, shape.error
    if error <= p + 3:
        return ()
    b = (error + q - p - 1) * (error - 1) / ((error - p - 3) * (error - p))
    df1 = float(p * q)
    df2 = 4.0 + (df1 + 2.0) / (b - 1.0)
    value = float(roots.sum())
    f = value * df2 * (error - p - 1) / (df1 * (df2 - 2.0))
    return _Found(value=value, f=f, df1=df1, df2=df2).details("mckeon")


def _roy(roots: FloatArray, shape: _Shape) -> _Found:
    value = float(roots.max())
    df1 = max(shape.criteria, shape.hypothesis)
    df2 = shape.error - df1 + shape.hypothesis
    return _Found(value=value, f=value * df2 / df1, df1=df1, df2=df2)


_STATISTICS = {
    "pillai": _pillai,
    "wilks": _wilks,
    "hotelling-lawley": _hotelling_lawley,
    "roy": _roy,
}


def _pillai_share(asked: MethodQuestion, found: _Found, shape: _Shape) -> Estimate:
    """V / s with its lower bound; lambda = N s share / (1 - share) (Muller and Peterson 1984)."""
    low, high = (
        bound / (bound + shape.n * shape.s)
        for bound in noncentrality_bounds(found.f, found.df1, found.df2, asked.level)
    )
    interval = Interval(
        low=low, high=1.0, level=asked.level, method="noncentral-f", alternative="greater"
    )
    share, details = found.value / shape.s, (("upper", high),)
    return asked.estimate("multivariate_eta_squared", share, shape.n, interval, details=details)


def _shared(unit: str, sizes: tuple[int, ...], called: str, instead: str) -> tuple[Note, ...]:
    """Folds and data sets serve all algorithms alike where the groups are of one size."""
    notes = shared_training(unit, max(sizes))
    if unit in ("fold", "dataset") and len(set(sizes)) == 1:
        notes = (note("ignores-blocks", method=called, instead=instead), *notes)
    return notes
