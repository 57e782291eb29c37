"""One model against a level, a mean or chance (T1)."""

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_count, check_level
from assay.core.errors import NotApplicable, UsageError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval, TestOutcome, with_notes
from assay.core.rng import Rng, seed_of, stream
from assay.core.vocabulary import UNITS, Alternative, Unit
from assay.estimates.means import mean_t
from assay.estimates.method_question import MethodQuestion
from assay.estimates.proportions import clopper_pearson, proportion, small_p, wald, wilson
from assay.estimates.smoothed_intervals import smoothed_interval
from assay.evidence.argument_checks import as_confusion, as_counts, as_predictions
from assay.hypotheses import least_p
from assay.hypotheses.measure_level import default_level
from assay.kernels.attained_level import small_p_size
from assay.kernels.binomial import at_least, at_most, binomial_small_p
from assay.kernels.sign_flip_distribution import fixed_margin_tables, two_by_two_tables
from assay.kernels.tails import alpha_of, normal_log10_p, normal_p, t_p
from assay.measures.registry import Measure, find_measure

MOST_SHUFFLED = 10_000_000
"""Items beyond which shuffled tables take gigabytes or numpy's generator refuses them."""
RULE_OF_THUMB = 5.0
"""N p and N(1 - p) from which the normal approximation is trusted."""
COARSE = 0.7
"""The share of its level below which a test's size is noted."""


@method(
    question="Does the error rate of one model differ from a given level?",
    takes="counts",
    gives="test",
    unit="item",
    assumes=("independent items",),
    reference="Clopper & Pearson (1934), Biometrika 26; Blaker (2000), Canadian J. Statistics 28",
    requirement="T1",
    same_as="R: binom.test({errors}, {n}, p = {null}{, alternative}{, level})",
    formula="p = sum of the probabilities of all outcomes not more likely than the errors seen",
    title="exact binomial test",
    least_p=least_p.all_or_none,
    posterior="one_rate",
    calibrated_by="errors",
    uneven_tails=True,
    planned_by="one_proportion",
)
def binomial(
    *evidence: Any,
    null: float = 0.5,
    variant: Literal["small-p", "doubled"] = "small-p",
    alternative: str = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """The exact binomial test of (errors, n) against the error rate ``null``.

    Two-sided by small p-values, or by twice the smaller tail ("doubled", whose interval is Clopper
    and Pearson's), with the interval of all rates that it does not reject; one-sided with Clopper
    and Pearson's bound.
    """
    counts = as_counts(*evidence)
    asked = MethodQuestion.of("binomial", level=level, alternative=alternative, null=null)
    rate = _rate(null, ends=True)
    errors, n = counts.errors, counts.n
    more, fewer = float(at_least(errors, n, rate)), float(at_most(errors, n, rate))
    doubled = min(1.0, 2.0 * min(more, fewer))
    by_tails = check_choice(variant, ("small-p", "doubled"), "variant") == "doubled"
    effect = (clopper_pearson if by_tails else small_p)(
        errors, n, level=level, alternative=asked.side
    )
    if asked.side == "two-sided":
        p_value = doubled if by_tails else float(binomial_small_p(errors, n, rate))
    else:
        p_value = more if asked.side == "greater" else fewer
    notes: tuple[Note, ...] = ()
    held = effect.interval is not None and effect.interval.contains(rate)
    if p_value <= alpha_of(level) and held:
        notes = (note("interval-gap", null=rate),)
    if asked.side == "two-sided" and not by_tails:
        notes = (*notes, *_coarse(n, rate, alpha_of(level)))
    return asked.outcome(
        float(errors),
        p_value,
        effect,
        notes=notes,
        details=(
            ("errors", errors),
            ("n", n),
            ("expected", n * rate),
            ("p_greater", more),
            ("p_less", fewer),
            ("p_doubled", doubled),
        ),
    )


@method(
    question="Does the error rate of one model differ from a given level (normal approximation)?",
    takes="counts",
    gives="test",
    unit="item",
    assumes=("independent items", "N p and N(1 - p) of at least 5"),
    reference="Wilson (1927), JASA 22",
    requirement="T1",
    same_as="R: prop.test({errors}, {n}, p = {null}, correct = FALSE{, alternative}{, level})",
    formula="z = (p - null)/sqrt(null (1 - null)/n), p = errors/n",
)
def proportion_z(
    *evidence: Any,
    null: float = 0.5,
    variant: Literal["score", "wald"] = "score",
    correct: bool = False,
    alternative: str = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """The normal approximation of the binomial test, with its rule of thumb.

    "score" takes the standard error at ``null`` (Wilson's interval), "wald" at the rate observed;
    ``correct`` is R's continuity correction of the former.
    """
    counts = as_counts(*evidence)
    asked = MethodQuestion.of("proportion_z", level=level, alternative=alternative, null=null)
    chosen = check_choice(variant, ("score", "wald"), "variant")
    if correct and chosen == "wald":
        raise UsageError("the continuity correction is of the score test: use variant='score'")
    rate = _rate(null, ends=False)
    details = _z_details(counts.errors, counts.n, rate, asked.side)
    z = dict(details)["z_cc" if correct else f"z_{chosen}"]
    defined = isinstance(z, float) and math.isfinite(z)
    interval = wilson if chosen == "score" else wald
    effect = interval(counts.errors, counts.n, level=level, alternative=asked.side)
    notes: tuple[Note, ...] = () if defined else effect.notes
    expected = counts.n * rate if chosen == "score" else float(counts.errors)
    if min(expected, counts.n - expected) < RULE_OF_THUMB:
        notes += (note("normal-approximation", expected=expected, other=counts.n - expected),)
    if correct:
        notes += (note("variant-differs", variant="continuity", default="the score test"),)
    statistic = z if isinstance(z, float) and defined else None
    p_value = None if statistic is None else normal_p(statistic, asked.side)
    return asked.outcome(statistic, p_value, effect, notes=notes, details=details)


@method(
    question="Does a mean differ from a given level?",
    takes="sample",
    gives="test",
    unit=UNITS,
    assumes=("independent values", "a mean not far from normal: bell-shaped values, or many"),
    reference="Student (1908), Biometrika 6",
    requirement="T1",
    same_as="R: t.test({sample}, mu = {null}{, alternative}{, level})",
    formula="t = (mean - null)/(sd/sqrt(n)), df = n - 1",
    name="one-sample t",
    title="one-sample t test",
    planned_by="one_mean",
    batched_by="one_mean",
)
def one_sample_t(
    sample: Any,
    *,
    null: float = 0.0,
    alternative: str = "two-sided",
    level: float = 0.95,
    unit: Unit = "item",
) -> TestOutcome:
    """Student's one-sample t test against the mean ``null``; for folds use fold_t."""
    asked = MethodQuestion.of(
        "one_sample_t", level=level, alternative=alternative, unit=unit, null=null
    )
    effect = mean_t(sample, level=level, alternative=asked.side, unit=unit)
    df, error, mean = dict(effect.details)["df"], effect.standard_error, effect.value
    defined = error is not None and mean is not None and isinstance(df, float | int)
    t = (mean - asked.null) / error if defined else None  # type: ignore[operator]
    p_value = None if t is None else t_p(t, df, asked.side)  # type: ignore[arg-type]
    return asked.outcome(
        t,
        p_value,
        effect,
        notes=() if defined else effect.notes,
        details=(*effect.details, ("standard_error", error), ("t", t)),
    )


@method(
    question="Is one model better than its own predictions shuffled over the items?",
    takes="confusion",
    gives="test",
    unit="item",
    assumes=("items are exchangeable", "the model was fitted on other data"),
    reference="Fisher (1935), The Design of Experiments; Ojala & Garriga (2010), JMLR 11",
    requirement="T1",
    formula="p = share of shufflings in which the measure is at least as good as observed",
    exempt={
        "decides": "shuffling tests independence of truth and prediction; no interval inverts it"
    },
)
def label_permutation(
    *evidence: Any,
    measure: str | Measure = "accuracy",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> TestOutcome:
    """Whether predictions are related to the truth, from (truth, prediction) or a confusion matrix.

    Shuffling keeps how often each class is true and how often it is predicted. Two classes are
    exact for every label measure, because a shuffled table has one free count; with more classes
    ``n_resamples`` tables are drawn and p is at least 1/(n_resamples + 1).
    """
    matrix, classes, positive = as_confusion(evidence)
    chosen = find_measure(measure).bind(classes, positive)
    if chosen.reduction != "tally":
        raise UsageError(
            f"{chosen.called} is not a label measure: use measure_against with its chance"
        )
    size = check_count(n_resamples, "n_resamples", at_least=1)
    value = float(chosen.function(matrix))
    exact, seed = len(classes) == 2, seed_of(rng)
    tables, shares = _shuffled(matrix, size, seed, exact=exact)
    values = np.asarray(chosen.function(tables), dtype=np.float64)
    higher = chosen.direction == "higher"
    effect = _label_effect(matrix, chosen, value, check_level(level), size, seed)
    if math.isnan(value):
        return _no_value("label_permutation", effect)
    slack = 1e-10 * max(1.0, abs(value))
    worse = values < value - slack if higher else values > value + slack  # NaN is not worse
    p_value = min(1.0, float(shares[~worse].sum()) + (0.0 if exact else 1.0 / (size + 1)))
    chance = float(np.average(values, weights=shares)) if not np.isnan(values).any() else None
    outcome = TestOutcome(
        method="label_permutation",
        statistic=value,
        p_value=p_value,
        effect=effect,
        alternative="greater" if higher else "less",
        null=0.0 if chance is None else chance,
        seed=effect.seed if exact else seed,
        details=(("value", value), ("chance", chance), ("tables", values.size)),
    )
    if exact:
        return outcome
    error = math.sqrt(p_value * (1.0 - p_value) / size)
    return with_notes(outcome, note("sampled", n=size, what="shufflings", error=error))


@method(
    question="Is one model more accurate than always answering the most common class?",
    takes="confusion",
    gives="test",
    unit="item",
    assumes=("independent items", "the share of the commonest class is known"),
    reference="Kuhn (2008), J. Statistical Software 28",
    requirement="T1",
    same_as='R: binom.test({right}, {n}, p = {rate}, alternative = "greater")  # as caret::confusionMatrix',
    formula="p = P(X >= right), X binomial(n, rate), rate = share of the commonest class",
    title="binomial test against the no-information rate",
)
def no_information_rate(*evidence: Any, level: float = 0.95) -> TestOutcome:
    """Accuracy against the no-information rate, one-sided, from (truth, prediction) or a matrix."""
    matrix, classes, _ = as_confusion(evidence)
    n, right = int(matrix.sum()), int(np.trace(matrix))
    totals = matrix.sum(axis=1)
    rate = float(totals.max()) / n
    bound = clopper_pearson(n - right, n, level=level, alternative="less")
    return TestOutcome(
        method="no_information_rate",
        statistic=float(right),
        p_value=float(at_least(right, n, rate)),
        effect=_as_accuracy(bound),
        alternative="greater",
        null=rate,
        notes=(note("rate-from-same-data", rate=rate, n=n),),
        details=(
            ("right", right),
            ("n", n),
            ("rate", rate),
            ("commonest", classes[int(totals.argmax())]),
        ),
    )


@method(
    question="Does a measure of one model differ from a given level?",
    takes="model-predictions",
    gives="test",
    unit="item",
    assumes=("items (or clusters) are independent", "enough items to stand for their source"),
    reference="Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 15",
    requirement="T1",
    formula="p = 1 - the level at which an end of the interval meets null; of draws and replicates "
    "2 min(those on either side of null + 1)/(n_resamples + 1)",
    exempt={"contains": "a biased measure may lie outside the central part of its replicates"},
    title="confidence interval of the measure against the level",
)
def measure_against(
    evidence: Any,
    *,
    measure: str | Measure = "accuracy",
    null: float = 0.5,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> TestOutcome:
    """Any measure of one model against a level: its default interval and the p-value to match.

    The interval is the one of ``assay.evaluate``, with clusters and weights too.
    """
    return default_level(
        as_predictions(evidence),
        find_measure(measure),
        null=float(null),
        level=check_level(level),
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )


def _coarse(n: int, null: float, alpha: float) -> tuple[Note, ...]:
    """A note where so few counts are possible that the test rejects far less often than it may."""
    size = small_p_size(n, null, alpha)
    if size is None or size >= COARSE * alpha:
        return ()
    return (note("coarse-counts", n=n, null=null, size=size, alpha=alpha),)


def _rate(null: float, *, ends: bool) -> float:
    rate = float(null)
    inside = 0.0 <= rate <= 1.0 if ends else 0.0 < rate < 1.0
    if not inside:
        raise UsageError(
            f"null is an error rate between 0 and 1, got {null!r}"
            + ("" if ends or not 0.0 <= rate <= 1.0 else ": at the ends only binomial is defined")
        )
    return rate


def _z_details(errors: int, n: int, rate: float, side: Alternative) -> Details:
    """Both variants and R's corrected chi-square, under the names of the reference cases."""
    p, distance = errors / n, errors - n * rate
    if abs(distance) <= 1e-12 * n:
        distance = 0.0
    scale = math.sqrt(n * rate * (1.0 - rate))
    z_score = distance / scale
    z_cc = math.copysign(abs(distance) - min(0.5, abs(distance)), distance) / scale
    spread = math.sqrt(n * p * (1.0 - p))
    if spread > 0.0:
        z_wald: float | None = distance / spread
    else:
        z_wald = math.copysign(math.inf, distance) if distance else None
    return (
        ("p", p),
        ("z_score", z_score),
        ("p_score", normal_p(z_score, side)),
        ("chi2", z_score * z_score),
        ("z_cc", z_cc),
        ("chi2_cc", z_cc * z_cc),
        ("p_cc", normal_p(z_cc, side)),
        ("z_wald", z_wald),
        ("p_wald", None if z_wald is None else normal_p(z_wald, side)),
        ("log10_p", normal_log10_p(z_score, side)),
    )


def _as_accuracy(errors: Estimate) -> Estimate:
    """An error rate told as an accuracy."""
    value = None if errors.value is None else 1.0 - errors.value
    interval = errors.interval and errors.interval.mapped(lambda rate: 1.0 - rate)
    return replace(errors, measure="accuracy", value=value, interval=interval)


def _shuffled(
    matrix: FloatArray, size: int, seed: int, *, exact: bool
) -> tuple[FloatArray, FloatArray]:
    """Confusion matrices of shuffled predictions, all or some of them, and how probable each is."""
    if matrix.sum() > MOST_SHUFFLED:
        raise NotApplicable(
            f"{matrix.sum():,.0f} items are too many to shuffle ({MOST_SHUFFLED:,} at most): use "
            "cohens_kappa, which compares with chance by a formula"
        )
    if exact:
        return two_by_two_tables(matrix)
    return fixed_margin_tables(matrix, size, stream(seed)), np.full(size, 1.0 / (size + 1))


def _label_effect(
    matrix: FloatArray, measure: Measure, value: float, level: float, n_resamples: int, seed: int
) -> Estimate:
    """The measure with an interval that stands small counts: mid-p, or from smoothed cells."""
    n = int(matrix.sum())
    if measure.counts is not None:
        errors = proportion(n - int(np.trace(matrix)), n, level=level)
        return _as_accuracy(errors) if measure.counts == "right" else errors
    interval = None
    if not math.isnan(value):
        limits = smoothed_interval(matrix, measure, level=level, n_resamples=n_resamples, seed=seed)
        interval = Interval(low=limits[0], high=limits[1], level=level, method="smoothed cells")
    return Estimate(
        measure=measure.called,
        value=None if math.isnan(value) else value,
        interval=interval,
        method="smoothed cells",
        n=n,
        unit="item",
        seed=seed,
    )


def _no_value(name: str, effect: Estimate) -> TestOutcome:
    return TestOutcome(
        method=name,
        statistic=None,
        p_value=None,
        effect=effect,
        notes=(note("undefined-value", measure=effect.measure),),
        seed=effect.seed,
    )
