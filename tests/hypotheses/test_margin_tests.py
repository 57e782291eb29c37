"""Tests against a margin: SciPy's t, a share of replicates, Tango's score, whatever the side."""

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.results import Estimate
from assay.core.vocabulary import Alternative
from assay.hypotheses.margin_tests import replicate_tests, score_tests, t_tests, unseen_tests
from assay.kernels.differences import four_counts, tango_variance

VALUES = np.random.default_rng(7).normal(0.3, 1.0, 12)
SIDES: tuple[Alternative, ...] = ("greater", "less")


def effect(error: float | None = None, value: float | None = None) -> Estimate:
    return Estimate(
        measure="mae",
        value=value,
        interval=None,
        method="paired_t",
        n=12,
        unit="item",
        standard_error=error,
    )


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("null", [-0.2, 0.1])
def test_t_as_scipy(side: Alternative, null: float) -> None:
    error = float(VALUES.std(ddof=1) / np.sqrt(12))
    found = t_tests(effect(error, float(VALUES.mean())), (("df", 11),))
    assert found is not None
    expected = stats.ttest_1samp(VALUES, null, alternative=side)
    assert found.of(null, side) == pytest.approx((expected.statistic, expected.pvalue))
    assert dict(found.details) == {"standard_error": error, "df": 11}


def test_t_needs_an_error_and_its_degrees_of_freedom() -> None:
    assert t_tests(effect(None, 0.1), (("df", 11),)) is None
    assert t_tests(effect(0.1, None), (("df", 11),)) is None
    assert t_tests(effect(0.1, 0.1), ()) is None


@pytest.mark.parametrize("side", SIDES)
def test_score_by_the_variance_at_the_null(side: Alternative) -> None:
    found = score_tests(0.04, lambda null: 0.0004 * (1.0 + null))
    z = (0.04 - 0.01) / np.sqrt(0.000404)
    p = stats.norm.sf(z) if side == "greater" else stats.norm.cdf(z)
    assert found.of(0.01, side) == pytest.approx((z, p))


@pytest.mark.parametrize(("side", "beyond"), [("greater", 3), ("less", 7)])
def test_replicates_on_the_null_count_against(side: Alternative, beyond: int) -> None:
    replicates = np.array([-0.2, 0.0, 0.1, 0.1, 0.2, 0.3, 0.4, 0.5])
    found = replicate_tests(replicates, effect(None, 0.25))
    assert replicates[replicates <= 0.05].size + 1 == 3
    assert found.of(0.05, side) == pytest.approx((0.2, beyond / 9))
    on_it = found.of(0.1, side)[1]
    assert on_it == pytest.approx((5 if side == "greater" else 7) / 9)


@pytest.mark.parametrize(("side", "null"), [("greater", -0.03), ("less", 0.03)])
def test_without_disagreement_as_tangos_score(side: Alternative, null: float) -> None:
    z = -null / np.sqrt(float(tango_variance(four_counts(80, 0, 0, 20), null)))
    statistic, p = unseen_tests(0.0, 100, 1.0).of(null, side)
    assert statistic == pytest.approx(z)
    assert p == pytest.approx(stats.norm.sf(abs(z)))


@pytest.mark.parametrize(("ours", "theirs"), [(1, 1), (1, 0), (0, 1)])
@pytest.mark.parametrize(("items", "clusters"), [(1, None), (12, 4), (40, None), (60, 20)])
@pytest.mark.parametrize("margin", [0.05, 0.2, 0.45])
def test_the_interval_decides_where_no_unit_differs_from_the_others(
    ours: int, theirs: int, items: int, clusters: int | None, margin: float
) -> None:
    """In clusters of items too, which are fewer units than items."""
    truth = np.ones(items, dtype=int)
    given = {"a": truth * ours, "b": truth * theirs}
    if clusters:
        evidence = assay.read(truth, given, cluster=np.arange(items) % clusters)
    else:
        evidence = assay.read(truth, given)
    inferior = assay.non_inferiority_measure(evidence, margin=margin, rng=1)
    equal = assay.tost_measure(evidence, margin=margin, rng=1)
    assert inferior.effect.interval is not None
    assert equal.effect.interval is not None
    assert inferior.p_value is not None
    assert equal.p_value is not None
    assert (inferior.p_value <= 0.05) == (inferior.effect.interval.low >= -margin)
    inside = -margin <= equal.effect.interval.low and equal.effect.interval.high <= margin
    assert (equal.p_value <= 0.05) == inside
