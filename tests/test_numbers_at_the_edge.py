"""Numbers at the edge of what floats can hold: every answer is right, or an AssayError that teaches."""

import contextlib
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.checks import LARGEST, MOST, SMALLEST
from assay.core.errors import AssayError
from tools.fuzz.numbers import DOORS, METHODS, opened

HUGE = np.array([1e200, -1e300, 3e250, 1e-3])
TINY = np.array([1e-200, -1e-300, 3e-250, 2e-200])


def test_a_bounded_run_finds_nothing(tmp_path: Path) -> None:
    attempt = opened(tmp_path, 20)
    assert [tried for tried in map(attempt, range(700)) if tried.found] == []


def test_the_run_meets_every_method_and_door() -> None:
    known = {
        name for name in assay.catalogue() if not name.startswith("contributed")
    }  # test_guides adds one
    assert {*METHODS} == known
    assert {"evaluate", "compare", "compare losses", "compare scores", "plan", "board"} == {*DOORS}


def test_the_judge_sees_a_wrong_answer() -> None:
    from tools.fuzz.number_oracles import disagreement

    right = assay.fisher_exact(1, 10, 7, 12)
    assert disagreement("fisher_exact", (1, 10, 7, 12), {}, right) is None
    assert disagreement("fisher_exact", (1, 10, 6, 12), {}, right) is not None


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: assay.mean_t(HUGE), "too large to be squared"),
        (lambda: assay.mean_t(TINY), "too small to be squared"),
        (lambda: assay.optimality_gap(HUGE), "too large"),
        (lambda: assay.oneway_anova([HUGE, HUGE[::-1]]), "too large"),
        (lambda: assay.rm_anova(np.column_stack([HUGE, HUGE[::-1]])), "too large"),
        (lambda: assay.paired_t([10**400, 1], [1, 2]), "must be numbers"),
        (lambda: assay.paired_t(np.full(5, np.longdouble("1e4000")), np.ones(5)), "infinite values"),
        (lambda: assay.holm([10**400, 0.5]), "between 0 and 1"),
        (lambda: assay.wilson(2**60, 2**61), "at most 100,000,000,000"),
        (lambda: assay.fisher_exact(10**10, 10**11, 10**10, 10**11), "two_proportions_z"),
        (lambda: assay.small_p(5 * 10**10, 10**11), "wilson"),
        (lambda: assay.binomial(2**30, 2**31, level=1e-9), "wilson"),  # took 13 s of the processor
        (lambda: assay.nested_cv(np.empty((0, 1)), []), "finite numbers"),
        (lambda: assay.tost_means([0.1, 0.2], margin=1e-300), "margin"),
        (lambda: assay.bayes_sign([0.1, 0.2], rope=1e300), "rope"),
        (lambda: assay.best_of([[1, 0], [0, 1], [1, 1]], level=1 - 1e-9), "draws"),
        (lambda: assay.label_permutation([[10**9, 1], [2, 10**9]]), "cohens_kappa"),
        (lambda: assay.evaluate({"truth": HUGE, "m": HUGE / 3}, measures=["rmse"]), "too large"),
        (lambda: assay.plan("mean_loss", half_width=0.01, sd=1e300, unit="seed"), "out of reach"),
        (lambda: assay.plan("mean_loss", half_width=5e-324, sd=1.0), "out of reach"),
        (lambda: assay.odds_ratio(1, 2**32, 1, 5, variant="conditional"), "haldane_anscombe"),
    ],
)  # fmt: skip
def test_what_cannot_be_computed_is_refused(call: Any, match: str) -> None:
    with pytest.raises(AssayError, match=match):
        call()


def test_sizes_just_inside_are_exact_in_scale() -> None:
    sample = np.array([1.0, 2.0, 4.0, 8.0, 9.5])
    for method in (assay.one_sample_t, assay.shapiro_wilk):
        plain = method(sample)
        for size in (LARGEST / 16, SMALLEST * 2):
            power = 2.0 ** round(math.log2(size))
            assert method(sample * power).p_value == pytest.approx(plain.p_value, rel=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("power", [200, 480, -50, -140, -490])
def test_ranks_of_any_size_are_those_of_plain_numbers(power: int) -> None:
    """Draws are kept in single precision, which ends at 1e38 and has few digits below 1e-38."""
    table = np.random.default_rng(0).normal(size=(30, 4)).round(2)
    table[:, 0] += 1.0
    plain, sized = (assay.rank_sets(table * factor, rng=1) for factor in (1.0, 2.0**power))
    assert sized.estimates == plain.estimates
    for one, other in zip(sized.outcomes, plain.outcomes, strict=True):
        assert one.p_value == other.p_value
        assert one.effect.interval is not None
        assert other.effect.interval is not None
        assert one.effect.interval.low == pytest.approx(other.effect.interval.low * 2.0**power)


def test_symmetric_values_are_as_normal_in_every_order() -> None:
    """SciPy takes a skewness of exactly 0 for another one: rounding then changed p from 0.39 to 0.23."""
    values = np.arange(15.0)
    orders = [values, values[::-1], np.random.default_rng(1).permutation(values) * 1e-9]
    found = [assay.dagostino(one).p_value for one in orders]
    assert found == pytest.approx(
        [math.exp(-(stats.kurtosistest(values).statistic ** 2) / 2.0)] * 3
    )


def test_runs_in_their_hundreds_have_a_least_p_value() -> None:
    """There are more ways to share them out than a float can hold."""
    a, b = np.random.default_rng(1).normal(size=(2, 600))
    found = assay.aso(a, b, n_resamples=99, rng=1)
    assert found.p_value is not None
    assert found.p_value >= 0.01


def test_groups_of_one_variance_have_no_statistic_below_zero() -> None:
    group = np.array([0.596, 0.64, 0.638, 0.619, 0.619, 0.662, 0.759, 0.698, 0.709])
    found = [assay.bartlett([group] * count) for count in range(2, 20)]
    assert {(one.statistic >= 0.0, one.p_value) for one in found} == {(True, 1.0)}


def test_a_plan_of_two_means_has_no_unit() -> None:
    """Squares of huge and of tiny spreads are no numbers; the power of a difference in spreads is the same."""
    powers = [
        assay.plan("mean_loss", n=12, difference=0.5 * sd, sd=(sd, 2.0 * sd), unit="seed").power
        for sd in (1.0, 1e-170, 1e200)
    ]
    assert powers == pytest.approx([powers[0]] * 3, rel=1e-12)


def test_one_sided_limits_of_a_level_below_a_half_do_not_cross() -> None:
    for method in (assay.wald, assay.wilson, assay.agresti_coull):
        for errors in (0, 1, 9, 10):
            for side in ("greater", "less"):
                found = method(errors, 10, level=1e-9, alternative=side).interval
                assert found is None or found.low <= found.high


@pytest.mark.parametrize("level", [1e-6, 0.05, 0.3, 0.5])
@pytest.mark.parametrize("side", ["greater", "less"])
@pytest.mark.parametrize(
    ("method", "evidence"),
    [
        (assay.mcnemar, (1, 0, 0, 0)),
        (assay.mcnemar, (3, 4, 1, 9)),
        (assay.two_proportions_z, (3, 10, 5, 12)),
        (assay.paired_bootstrap, ({"truth": [0, 1, 1], "a": [0, 0, 1], "b": [0, 0, 1]},)),
    ],
)
def test_one_limit_of_a_level_below_a_half_decides_too(
    method: Any, evidence: Any, level: float, side: str
) -> None:
    found = method(*evidence, level=level, alternative=side)
    assert (found.p_value <= 1 - level) == (not found.effect.interval.contains(found.null))


def test_non_inferiority_of_a_level_below_a_half_decides_too() -> None:
    for level in (1e-6, 0.05, 0.95):
        found = assay.non_inferiority_paired_proportions(2, 0, 0, 1, margin=0.1, level=level)
        assert (found.p_value <= 1 - level) == (not found.effect.interval.contains(found.null))


def test_levels_next_to_one() -> None:
    """1 - level was rounded to 0: a division by zero in one family, infinite intervals in others."""
    with pytest.raises(AssayError, match="level is a confidence between 0 and 1"):
        assay.nemenyi_from_ranks({"a": 1.5, "b": 2.0, "c": 2.5}, 12, level=1 - 1e-15)
    table = [["a", "b", "a"]] * 300 + [["a", "c", "a"]] * 400 + [["b", "c", "b"]] * 300
    table += [["a", "b", "b"]] * 90 + [["a", "c", "c"]] * 20 + [["b", "c", "c"]] * 90
    found = assay.bradley_terry(*map(list, zip(*table, strict=True)), level=1 - 1e-12)
    assert all(math.isfinite(one.effect.interval.low) for one in found.outcomes)


def test_a_posterior_of_one_point_says_so() -> None:
    found = assay.bayes_normal(1.0, 5e-324)
    assert (found.effect.interval, [one.code for one in found.notes]) == (None, ["point-posterior"])
    found = assay.bayes_normal(-1.5e-323, 5e-324, df=1e9, extent=0.5)  # its scale has no slope
    assert found.p_left + found.p_rope + found.p_right == pytest.approx(1.0)


def test_a_confidence_set_of_the_lowest_level_has_its_draws() -> None:
    losses = np.random.default_rng(1).random((40, 3))
    assert assay.cv_confidence_set(losses, np.arange(40) % 5, level=1e-12, n_resamples=49, rng=1)


def test_judged_grades_without_any_spread_have_no_interval_and_say_why() -> None:
    for grade in (0.0, 0.1, 1e9 + 0.1):
        people = [grade] * 7 + [math.nan] * 6
        for found in (
            assay.judged_mean(people, [0.3] * 13),
            assay.judged_difference(people, [0.3] * 13).effect,
        ):
            assert found.interval is None
        assert [one.code for one in assay.judged_mean(people, [0.3] * 13).notes] == [
            "zero-variance"
        ]
        told = assay.judged_difference(people, [0.3] * 13)
        assert (told.p_value, [one.code for one in told.notes]) == (None, ["zero-variance"])


def test_one_item_of_either_side_is_said_alike() -> None:
    one, three = {"truth": [0], "a": [1]}, {"truth": [1, 0, 2], "b": [1, 0, 2]}
    found, mirrored = (
        assay.independent_jackknife(one, three),
        assay.independent_jackknife(three, one),
    )
    assert found.notes == mirrored.notes
    assert found.p_value is mirrored.p_value is None


def test_wilson_of_one_in_a_billion_keeps_its_digits() -> None:
    k, n = 1.0, 1e9
    found = assay.wilson(1, 10**9, level=1e-12).interval
    assert found.low <= k / n <= found.high
    root = math.sqrt(k * (n - k) / n + 3.8414588206941285 / 4)  # z of 95 % squared
    z = math.sqrt(3.8414588206941285)
    upper = (k + z * z / 2 + z * root) / (n + z * z)
    assert assay.wilson(1, 10**9).interval.high == pytest.approx(upper, rel=1e-14)


def test_wilson_with_one_sided_level_below_a_half_solves_its_equation() -> None:
    from scipy.special import ndtri

    level, errors, n = 0.2, 3, 10
    limit = assay.wilson(errors, n, level=level, alternative="greater").interval.low
    z = (errors / n - limit) / math.sqrt(limit * (1 - limit) / n)
    assert z == pytest.approx(float(ndtri(level)), rel=1e-9)


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca", "normal"])
def test_a_bootstrap_of_constant_values_warns_of_nothing(kind: str) -> None:
    truth = np.arange(12) * 1.25
    columns = {"truth": truth, "m": truth - 0.5}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = assay.bootstrap(columns, measure="mae", interval=kind, n_resamples=99, rng=1)
    assert found.value == 0.5


def test_many_paired_items_and_a_rope_have_probabilities_that_sum_to_one() -> None:
    found = assay.bayes_paired_proportions(MOST - 7, 1, 1, 5, rope=1e-300)
    assert found.p_left + found.p_rope + found.p_right == pytest.approx(1.0, abs=1e-6)
    assert found.p_left == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda: assay.winner_score(np.array([[0.2, 1e220], [0.1, 1e259], [0.3, 1.0], [0.4, 2.0], [0.5, 3.0]])),
        lambda: assay.evaluate({"truth": [0, 1, 0, 1], "m": [-1.7e308, 1.7e308, 1.7e308, -1.7e308]}, rng=1),
        lambda: assay.compare(
            {"fold": range(40), "a": [math.inf, math.inf, *[0.5] * 38], "b": [0.4] * 40},
            unit="fold", measure="accuracy",
        ),
        lambda: assay.compare(
            {"dataset": ["s"], "a": [1e308], "b": [1e308]}, unit="dataset", measure="accuracy"
        ),
        lambda: assay.plan("mean_loss", power=0.5, difference=0.01, sd=1e-300),
        lambda: assay.plan("mean_loss", power=0.5, n=2, sd=1e300, unit="seed", alternative="greater"),
        lambda: assay.plan("mean_loss", power=0.8, n=30, sd=1e300, cluster_size=4.0, icc=0.3),
        lambda: assay.plan("mean_loss", power=0.8, n=30, sd=1e300, repeats_per_item=3.0, sd_within=1e300),
        lambda: assay.plan("mean_loss", half_width=1e-300, sd=1e-150),
        lambda: assay.plan("mean_loss", power=0.8, difference=1.0, sd=1.0, cluster_size=1e300, icc=0.3),
        lambda: assay.plan("roc_auc", power=0.8, difference=0.01, baseline=0.8, prevalence=1e-300),
        lambda: assay.bayes_hierarchical(np.full((8, 3), 0.5), np.full((8, 3), 1e15), rope=1e-300, rng=1),
        lambda: assay.compare({"truth": [1e306, -2e306, 3e306] * 8, "a": [-1e306] * 24, "b": [2e307, 1.0] * 12}, rng=1),
        lambda: assay.binomial(0, 2**31, null=0.0),
        lambda: assay.binomial(2**31, 2**31, null=1.0 - 1e-12),
        lambda: assay.krippendorff_alpha([[0.0, 0.0], [0.0, 0.1], [0.1, 0.1]], alternative="less", level=1e-9),
        lambda: assay.fleiss_kappa([[0, 1, 0, 0, 1, 1], [0, 0, 1, 0, 0, 1], [1] * 6], alternative="less", level=1e-9),
        lambda: assay.delong_test([1, 1, 0, 0], [1e15] * 4, [1e15] * 4, variant="t", alternative="greater", level=1e-9),
    ],
)  # fmt: skip
def test_minimised_findings_answer_or_refuse_without_a_warning(call: Any) -> None:
    """Found by `make fuzz`: each warned, or took minutes."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            call()
        except AssayError as error:
            assert len(str(error)) > 10  # noqa: PT017


@pytest.mark.parametrize("side", ["less", "greater", "two-sided"])
def test_a_bound_at_a_tiny_level_stays_inside_the_range(side: Any) -> None:
    """Found by `make fuzz`: the bound lay beyond the end of the range, and below the other end."""
    columns = {"truth": [0, 0, 1, 1, 1, 0], "a": [0, 1, 0, 0, 0, 1], "b": [0, 1, 1, 0, 0, 1]}
    found = [
        assay.paired_jackknife(columns, alternative=side, level=1e-9).effect,
        assay.cohens_kappa([[3, 1], [2, 1]], alternative=side, level=1e-9),
        assay.krippendorff_alpha([[0, 0], [0, 0.1], [0.1, 0.1]], alternative=side, level=1e-9),
        assay.wilcoxon(
            [-0.1, -0.1, -0.1, 0.1, 0.1, 0.2, -0.2, 0.1] * 2,
            np.zeros(16),
            alternative=side,
            level=0.5,
            method="normal",
            correct=False,
        ).effect,
        assay.delong_test(
            [1, 1, 0, 0], [3, 1, 2, 1], [2, 1, 1, 3], variant="t", alternative=side, level=1e-9
        ).effect,
        assay.cluster_auc([1, 1, 0, 0, 1], [0, 1, 1, 1, 0], alternative=side, level=1e-9),
        assay.cluster_auc(["yes", "no", "no", "yes"], [0, 1, 1, 1], alternative=side, level=1e-9),
        assay.aso(
            [0.5, 0.7, 0.9], [0.6, 0.65, 0.8], variant="normal", level=1e-9, n_resamples=99, rng=1
        ).effect,
    ]
    for one in found:
        assert one.interval is None or one.interval.low <= one.interval.high


@pytest.mark.parametrize("n", [8, 300, 3_000])
def test_equal_differences_have_one_shift_that_is_accepted(n: int) -> None:
    found = assay.paired_permutation(np.full(n, 1.0), np.full(n, 1.25), alternative="less")
    assert found.effect.interval is not None
    assert found.effect.interval.high == -0.25
    assert found.p_value == pytest.approx(0.5**n)
    assert assay.paired_permutation(np.full(n, 1.0), np.full(n, 1.25)).effect.interval is None


def test_a_bootstrap_estimate_below_zero_is_not_cut_at_zero() -> None:
    """Found by the fuzzer (seed 4, input 1514): losses outside the sample were above 0, those inside below."""
    outside = np.where(np.eye(12, 40, dtype=bool), np.nan, 0.0)
    outside[:, :20] += 0.5
    found = assay.bootstrap_632(np.full(40, -3.0), outside)
    assert found.value is not None
    assert found.value < 0.0
    assert found.interval is not None
    assert found.interval.low <= found.value <= found.interval.high


def test_numbers_of_128_bits_are_values_like_others() -> None:
    """Found by the fuzzer (seed 4, input 1698): polars has such numbers, NumPy has not."""
    pl = pytest.importorskip("polars")
    truth = [-(2**63) - 1, 0] * 20
    frame = pl.DataFrame({"truth": truth, "a": truth, "b": [0] * 40})
    with contextlib.suppress(AssayError):
        assert assay.evaluate(frame, measures="accuracy").estimates[0].value == 1.0


def test_degrees_of_freedom_of_runs_whose_middle_is_tiny() -> None:
    runs = np.array([-5e-60, 3.6e-126, 4.1e-92, 9e-60])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = assay.interquartile_mean(runs, n_resamples=99, rng=1)
    assert dict(found.details)["df"] == pytest.approx(3.0)


def test_aligned_ranks_beside_which_all_others_are_equal() -> None:
    found = assay.friedman_aligned_ranks([[2.3e55, 2.3e55], [2.5e-131, 1.0]])
    assert found.p_value is None or found.p_value == 1.0
    assert found.notes
