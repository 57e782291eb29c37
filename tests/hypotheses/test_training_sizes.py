"""Subsamples of several sizes and curves through them, each against its formula written anew."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import EvidenceError, UsageError

SIZES = [100, 100, 100, 100, 50, 50, 50, 50, 25, 25, 25, 25, 25, 25, 25, 25]
DIFFERENCES = [
    0.02, 0.05, 0.01, 0.04, 0.06, -0.02, 0.03, 0.08,
    0.10, -0.06, 0.02, 0.12, -0.03, 0.07, 0.00, 0.05,
]  # fmt: skip
POINTS, AT = (
    [0.09, 0.02, 0.05, 0.07, 0.03, 0.08, 0.04, 0.05],
    [40, 40, 40, 40, 80, 80, 80, 80],
)


def by_the_docs(differences: Any, sizes: Any, n: int) -> tuple[float, float, float]:
    """Rate, variance and degrees of freedom, as docs/methods/training_sizes.md has them, with numpy's lstsq."""
    d, m = np.asarray(differences), np.asarray(sizes)
    logs, at, half = [], [], []
    for size in sorted(set(sizes)):
        own = [value for value, other in zip(d, m, strict=True) if other == size]
        freedom = (len(own) - 1) * (n - size) / n
        logs.append(math.log(sum((x - sum(own) / len(own)) ** 2 for x in own) / freedom))
        at.append(math.log(n / size))
        half.append(freedom / 2.0)
    root = np.sqrt(half)
    design = np.column_stack([np.ones(len(at)), at]) * root[:, None]
    slope = float(np.linalg.lstsq(design, np.array(logs) * root, rcond=None)[0][1])
    rate = min(1.0, max(0.0, slope))
    intercept = float(np.average(np.array(logs) - rate * np.array(at), weights=half))
    covariance = np.linalg.inv(design.T @ design)
    middle = float(np.average(at, weights=half))
    spread = 1.0 / sum(half) + middle**2 * min(float(covariance[1, 1]), 1.0 / 12.0)
    return rate, math.exp(intercept), 2.0 / spread


class TestSubsampling:
    def test_as_the_docs_have_it(self) -> None:
        found = assay.subsampling_t(DIFFERENCES, SIZES, 200, mean=0.03)
        rate, variance, df = by_the_docs(DIFFERENCES, SIZES, 200)
        known = dict(found.details)
        assert known["rate"] == pytest.approx(rate)
        assert known["df"] == pytest.approx(df)
        assert found.effect.value == 0.03
        assert found.effect.standard_error == pytest.approx(math.sqrt(variance))
        assert found.statistic == pytest.approx(0.03 / math.sqrt(variance))
        assert found.p_value == pytest.approx(2.0 * stats.t.sf(0.03 / math.sqrt(variance), df))
        interval = found.effect.interval
        assert interval is not None
        reach = stats.t.ppf(0.975, df) * math.sqrt(variance)
        assert (interval.low, interval.high) == pytest.approx((0.03 - reach, 0.03 + reach))

    @pytest.mark.parametrize("seed", range(20))
    def test_brute_force(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sizes = np.repeat([10.0, 20.0, 35.0], rng.integers(2, 7, size=3))
        values = rng.normal(0.01, sizes ** -rng.uniform(-0.2, 0.9))
        found = assay.subsampling_t(values, sizes, 70)
        rate, variance, df = by_the_docs(values, sizes.tolist(), 70)
        assert dict(found.details)["rate"] == pytest.approx(rate, abs=1e-9)
        assert dict(found.details)["df"] == pytest.approx(df)
        assert found.effect.standard_error == pytest.approx(math.sqrt(variance))

    @pytest.mark.parametrize(("power", "rate"), [(1.0, 1.0), (0.4, 0.4), (0.0, 0.0), (2.0, 1.0)])
    def test_the_rate_is_that_by_which_variances_fall(self, power: float, rate: float) -> None:
        """Two values a ± d of a size vary by 2 d² about their mean, which is all of (1 - m/n) of the variance."""
        values, sizes = [], []
        for size in (10, 20, 40):
            d = math.sqrt(size**-power * (1.0 - size / 80) / 2.0)
            values += [0.1 - d, 0.1 + d]
            sizes += [size, size]
        found = assay.subsampling_t(values, sizes, 80)
        known = dict(found.details)
        assert known["rate"] == pytest.approx(rate, abs=1e-9)
        assert known["estimated_rate"] == pytest.approx(power, abs=1e-9)
        if power <= 1.0:
            assert found.effect.standard_error == pytest.approx(math.sqrt(80**-power))

    def test_where_nothing_is_trained_it_is_the_variance_of_a_mean(self) -> None:
        """Means of random subsamples: over many samples the variance is that of the mean of all."""
        rng, found = np.random.default_rng(4), []
        for _ in range(300):
            items = rng.normal(size=160)
            values, sizes = [], []
            for parts, cuts in ((2, 4), (4, 2), (8, 1)):
                for _ in range(cuts):
                    values += rng.permutation(items).reshape(parts, -1).mean(axis=1).tolist()
                    sizes += [160 // parts] * parts
            found.append(dict(assay.subsampling_t(values, sizes, 160).details))
            assert 0.0 <= found[-1]["rate"] <= 1.0
        slopes = [one["estimated_rate"] for one in found]
        assert np.mean(slopes) == pytest.approx(1.0, abs=0.15)

    def test_without_a_mean_the_largest_subsamples_stand_in_and_it_says_so(self) -> None:
        found = assay.subsampling_t(DIFFERENCES, SIZES, 200)
        assert found.effect.value == pytest.approx(0.03)
        assert "within the largest subsamples" in str(dict(found.details)["covers"])
        whole = assay.subsampling_t(DIFFERENCES, SIZES, 200, mean=0.0)
        assert "behind mean" in str(dict(whole.details)["covers"])

    def test_subsamples_that_agree_have_no_rate(self) -> None:
        flat = assay.subsampling_t([0.0, 0.0, 0.1, 0.2], [10, 10, 20, 20], 40, mean=0.1)
        assert (flat.p_value, flat.effect.interval) == (None, None)
        assert [one.code for one in flat.notes] == ["zero-variance"]

    def test_what_it_cannot_take(self) -> None:
        with pytest.raises(EvidenceError, match=r"two sizes or more.*conservative_z"):
            assay.subsampling_t([0.1, 0.2], [10, 10], 40)
        with pytest.raises(EvidenceError, match="two subsamples or more of every size"):
            assay.subsampling_t([0.1, 0.2, 0.3], [10, 10, 20], 40)
        with pytest.raises(EvidenceError, match=r"fewer than the n = 20 items.*mean="):
            assay.subsampling_t([0.1, 0.2, 0.3, 0.1], [10, 10, 20, 20], 20)
        with pytest.raises(EvidenceError, match="4 differences, 3 sizes"):
            assay.subsampling_t([0.1, 0.2, 0.3, 0.1], [10, 10, 20], 40)
        with pytest.raises(EvidenceError, match="1 or more"):
            assay.subsampling_t([0.1, 0.2, 0.3, 0.1], [0, 0, 20, 20], 40)


def profile(points: Any, sizes: Any, n: int, level: float) -> tuple[float, float, float]:
    """The best value and the hull of the intervals of all exponents kept, by numpy's lstsq."""
    d, m = np.asarray(points), np.asarray(sizes, dtype=float)
    df, fits = d.size - 3, []
    for exponent in np.round(np.linspace(0.25, 2.0, 36), 2):
        root = np.sqrt(m)
        design = np.column_stack([np.ones(m.size), m**-exponent])
        beta = np.linalg.lstsq(design * root[:, None], d * root, rcond=None)[0]
        squares = float((m * (d - design @ beta) ** 2).sum())
        x = np.array([1.0, n**-exponent])
        bread = np.linalg.inv((design * m[:, None]).T @ design)
        fits.append((squares, float(x @ beta), math.sqrt(squares / df * float(x @ bread @ x))))
    best = min(fits)
    kept = [one for one in fits if one[0] <= best[0] * (1 + stats.f.ppf(0.95, 1, df) / df)]
    reach = stats.t.ppf((1 + level) / 2, df)
    return (
        best[1],
        min(value - reach * error for _, value, error in kept),
        max(value + reach * error for _, value, error in kept),
    )


class TestExtrapolation:
    def test_as_r_has_it(self) -> None:
        """R 4: predict(lm(d ~ I(1/m), weights = m), data.frame(m = 160), interval = "confidence")."""
        found = assay.extrapolated_t(POINTS, AT, 160)
        assert found.effect.value == pytest.approx(0.04625, rel=1e-12)
        assert found.effect.standard_error == pytest.approx(0.017710784144131, rel=1e-12)
        assert found.p_value == pytest.approx(0.040044997391904, rel=1e-11)
        interval = found.effect.interval
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx(
            (0.0029132723846556, 0.089586727615344), rel=1e-11
        )
        known = dict(found.details)
        assert (known["limit"], known["slope"]) == pytest.approx((0.0425, 0.6))

    @pytest.mark.parametrize("seed", range(10))
    def test_a_power_law_by_brute_force(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sizes = np.repeat([20.0, 40.0, 80.0], [8, 4, 2])
        values = 0.1 + 2.0 / sizes + rng.normal(0, 0.3, size=14) / np.sqrt(sizes)
        found = assay.extrapolated_t(values, sizes, 160, variant="power", level=0.9)
        value, low, high = profile(values, sizes, 160, 0.9)
        assert found.effect.value == pytest.approx(value)
        assert found.effect.interval is not None
        assert (found.effect.interval.low, found.effect.interval.high) == pytest.approx((low, high))

    def test_the_interval_of_a_power_law_carries_the_exponent(self) -> None:
        """It holds that of every exponent kept, one of which is the line's; the bend is not told by few points."""
        sizes = np.repeat([20, 40, 80], [8, 4, 2])
        values = 0.1 + 2.0 / sizes + np.resize([0.03, -0.03], 14)
        line = assay.extrapolated_t(values, sizes, 160).effect.interval
        law = assay.extrapolated_t(values, sizes, 160, variant="power")
        both = law.effect.interval
        assert line is not None
        assert both is not None
        assert both.low < line.low
        assert both.high > line.high
        known = dict(law.details)
        assert known["lowest_exponent"] <= 1.0 <= known["highest_exponent"]

    def test_points_on_a_curve_lead_where_it_goes(self) -> None:
        """0.02 + 3/m and 0.05 - m^-0.5, with a last step that keeps them from lying on it exactly."""
        sizes = np.repeat([25, 50, 100], 4)
        jolt = np.resize([1e-4, -1e-4], 12)
        line = assay.extrapolated_t(0.02 + 3.0 / sizes + jolt, sizes, 400)
        assert line.effect.value == pytest.approx(0.0275, abs=1e-4)
        law = assay.extrapolated_t(0.05 - sizes**-0.5 + jolt, sizes, 400, variant="power")
        assert law.effect.value == pytest.approx(0.0, abs=2e-3)
        assert dict(law.details)["exponent"] == pytest.approx(0.5, abs=0.05)

    @pytest.mark.parametrize(
        ("points", "sizes", "variant"),
        [
            ([0.1, 0.2, 0.3], [40, 40, 40], "inverse"),
            ([0.1, 0.2], [20, 40], "inverse"),
            (POINTS, AT, "power"),
            ([0.1, 0.2, 0.3], [20, 40, 80], "power"),
        ],
    )
    def test_without_a_curve_there_is_no_answer(
        self, points: Any, sizes: Any, variant: Any
    ) -> None:
        found = assay.extrapolated_t(points, sizes, 160, variant=variant)
        assert (found.effect.value, found.p_value, found.effect.interval) == (None, None, None)
        assert [one.code for one in found.notes] == ["no-extrapolation"]

    def test_points_exactly_on_a_curve_have_no_spread(self) -> None:
        found = assay.extrapolated_t([0.1, 0.1, 0.1, 0.1], [20, 20, 40, 40], 80)
        assert found.effect.value == pytest.approx(0.1)
        assert (found.p_value, found.effect.interval) == (None, None)
        assert [one.code for one in found.notes] == ["zero-variance"]

    def test_it_is_read_from_a_table(self, tmp_path: Any) -> None:
        path = tmp_path / "points.csv"
        rows = [f"{one},{size}" for one, size in zip(POINTS, AT, strict=True)]
        path.write_text("\n".join(["difference,size", *rows]))
        found = assay.extrapolated_t(str(path), n=160)
        assert found.p_value == assay.extrapolated_t(POINTS, AT, 160).p_value
        with pytest.raises(UsageError, match="needs the size that is asked for"):
            assay.extrapolated_t(str(path))


def test_level_of_both_on_independent_items() -> None:
    """Means of disjoint parts are normal with variance 1/size: both tests keep 5 % within chance, or less."""
    rng, rejected = np.random.default_rng(8), [0, 0]
    sizes = np.repeat([80.0, 40.0, 20.0], [4, 8, 8])
    for _ in range(400):
        items = rng.normal(size=160)
        values = [
            rng.permutation(items).reshape(-1, size).mean(axis=1) for size in (80, 80, 40, 40, 20)
        ]
        points = np.concatenate(values)
        p = assay.subsampling_t(points, sizes, 160, mean=float(items.mean())).p_value
        rejected[0] += p is not None and p <= 0.05
        apart = rng.normal(size=14) / np.sqrt(np.repeat([80.0, 40.0, 20.0], [2, 4, 8]))
        p = assay.extrapolated_t(apart, np.repeat([80, 40, 20], [2, 4, 8]), 160).p_value
        rejected[1] += p is not None and p <= 0.05
    assert rejected[0] / 400 <= 0.07
    assert rejected[1] / 400 == pytest.approx(0.05, abs=0.03)


def test_curves_on_both_sides_of_the_null_reject_nothing() -> None:
    """Each kept curve may exclude what lies between two of them, but the interval holds it."""
    sizes = np.repeat([100, 110, 120], 3)
    differences = 0.1 - 5.0 / sizes + np.tile([-1e-4, 0.0, 1e-4], 3)
    found = assay.extrapolated_t(differences, sizes, 100_000, variant="power")
    interval = found.effect.interval
    assert interval is not None
    for null in np.linspace(interval.low, interval.high, 41)[1:-1]:
        again = assay.extrapolated_t(differences, sizes, 100_000, variant="power", null=float(null))
        assert again.p_value is not None
        assert again.p_value > 0.05
