"""One error rate with its interval."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Estimate
from assay.estimates.proportions import (
    agresti_coull,
    clopper_pearson,
    jeffreys,
    mid_p,
    proportion,
    small_p,
    wald,
    wilson,
    wilson_cc,
)
from assay.kernels.binomial import binomial_small_p, mid_p_limits, small_p_interval
from assay.reference import Case
from tests.support import agree

METHODS: Mapping[str, Callable[..., Estimate]] = {
    "proportion": proportion,
    "wald": wald,
    "wilson": wilson,
    "wilson_cc": wilson_cc,
    "clopper_pearson": clopper_pearson,
    "mid_p": mid_p,
    "agresti_coull": agresti_coull,
    "jeffreys": jeffreys,
    "small_p": small_p,
}
COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def of(case: Case, function: Callable[..., Estimate], **options: Any) -> Estimate:
    return function(case.input["k"], case.input["n"], level=case.input["confidence"], **options)


def codes(estimate: Estimate) -> set[str]:
    return {note.code for note in estimate.notes}


def details(estimate: Estimate) -> dict[str, Any]:
    return dict(estimate.details)


class TestWald:
    @pytest.mark.parametrize("errors", [0, 12])
    def test_has_no_interval_of_zero_width(self, errors: int) -> None:
        estimate = wald(errors, 12)
        assert estimate.interval is None
        assert estimate.standard_error is None
        assert codes(estimate) == {"zero-variance"}
        assert "wilson" in estimate.notes[0].message


class TestWilson:
    def test_one_sided_as_r(self) -> None:
        # R 4.2.2: prop.test(20, 100, alternative = "greater", correct = FALSE)$conf.int
        low, high = limits(wilson(20, 100, alternative="greater"))
        z = 1.6448536269514722
        assert agree(low, (20 + z * z / 2 - z * (16 + z * z / 4) ** 0.5) / (100 + z * z))
        assert high == 1.0

    def test_solves_the_score_equation(self) -> None:
        z = stats.norm.isf(0.005)
        for limit in limits(wilson(7, 40, level=0.99)):
            assert agree(abs(7 / 40 - limit), z * (limit * (1 - limit) / 40) ** 0.5)


class TestClopperPearson:
    def test_rule_of_three(self) -> None:
        low, high = limits(clopper_pearson(0, 100, alternative="less"))
        assert low == 0.0
        assert agree(high, 1 - 0.05**0.01)

    def test_always_covers(self) -> None:
        assert coverage(30, binom_cp, np.linspace(0.001, 0.5, 500)).min() >= 0.95


def binom_cp(k: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    both = np.array([limits(clopper_pearson(int(one), n)) for one in k])
    return both[:, 0], both[:, 1]


class TestJeffreys:
    def test_unknown_variant(self) -> None:
        with pytest.raises(UsageError, match="variant is one of modified_ends, equal_tailed"):
            jeffreys(3, 10, variant="central")  # type: ignore[arg-type]


class TestMidP:
    @pytest.mark.parametrize(
        ("errors", "n", "printed"),
        [
            (81, 263, (0.2544, 0.3658)),
            (15, 148, (0.0601, 0.1581)),
            (0, 20, (0.0, 0.1391)),
            (1, 29, (0.0017, 0.1585)),
        ],
    )
    def test_newcombes_table(self, errors: int, n: int, printed: tuple[float, float]) -> None:
        """Newcombe (1998), Statistics in Medicine 17: 857-872, table I, method 6."""
        assert tuple(round(limit, 4) for limit in limits(mid_p(errors, n))) == printed

    def test_lies_inside_clopper_pearson(self) -> None:
        for errors in range(21):
            outer, inner = limits(clopper_pearson(errors, 20)), limits(mid_p(errors, 20))
            assert outer[0] <= inner[0] <= inner[1] <= outer[1]

    def test_guarded_ends_lie_between_the_two(self) -> None:
        exact, plain = limits(clopper_pearson(0, 40))[1], limits(mid_p(0, 40))[1]
        assert plain < limits(mid_p(0, 40, variant="guarded"))[1] < exact
        assert mid_p(3, 40, variant="guarded").interval == mid_p(3, 40).interval

    def test_unknown_variant(self) -> None:
        with pytest.raises(UsageError, match="variant is one of plain, guarded"):
            mid_p(3, 10, variant="lancaster")  # type: ignore[arg-type]


class TestSmallP:
    @pytest.mark.parametrize("n", [1, 7, 23])
    @pytest.mark.parametrize("null", [0.1, 0.5, 0.77])
    def test_excludes_no_null_that_its_test_keeps(self, n: int, null: float) -> None:
        for errors in range(n + 1):
            low, high = limits(small_p(errors, n, level=0.9))
            if float(binomial_small_p(errors, n, null)) > 0.1:
                assert low <= null <= high

    def test_always_covers(self) -> None:
        rates = np.linspace(0.001, 0.5, 500)
        assert coverage(30, lambda k, n: small_p_interval(k, n, 0.95), rates).min() >= 0.95 - 1e-9

    def test_one_sided_is_clopper_pearson(self) -> None:
        estimate = small_p(3, 20, alternative="less")
        assert estimate.interval == clopper_pearson(3, 20, alternative="less").interval
        assert estimate.method == "small_p"


def coverage(
    n: int, of_counts: Callable[[np.ndarray, int], Any], rates: np.ndarray, level: float = 0.95
) -> np.ndarray:
    """The exact coverage at each rate, by enumeration of all counts."""
    counts = np.arange(n + 1)
    low, high = of_counts(counts, n)
    mass = stats.binom.pmf(counts[:, None], n, rates)
    return np.asarray((mass * ((low[:, None] <= rates) & (rates <= high[:, None]))).sum(axis=0))


def default_limits(level: float) -> Callable[[np.ndarray, int], Any]:
    return lambda k, n: mid_p_limits(k, n, (1 - level) / 2, guarded=True)


GRID_RATES = np.array([0.002, 0.01, 0.05, 0.1, 0.25, 0.5])


class TestProportion:
    @pytest.mark.parametrize("errors", [0, 3, 20, 99, 100])
    def test_is_the_guarded_mid_p(self, errors: int) -> None:
        estimate = proportion(errors, 100)
        assert estimate.method == "mid_p"
        assert estimate.interval == mid_p(errors, 100, variant="guarded").interval

    @pytest.mark.parametrize("n", [10, 30, 100, 300, 1000, 10_000])
    @pytest.mark.parametrize(("level", "few", "many"), [(0.95, 0.92, 0.935), (0.99, 0.984, 0.987)])
    def test_covers_over_the_grid(self, n: int, level: float, few: float, many: float) -> None:
        found = coverage(n, default_limits(level), GRID_RATES, level)
        needed = np.where(n * GRID_RATES < 10, few, many)
        assert np.all(found >= needed), dict(zip(GRID_RATES, found, strict=True))

    @pytest.mark.parametrize("n", [6, 12, 13, 14, 35, 60, 150, 500])
    def test_covers_between_the_grid_points(self, n: int) -> None:
        rates = np.unique(
            np.concatenate([np.linspace(1e-4, 0.5, 800), np.linspace(0, 12 / n, 800)])
        )
        rates = rates[(rates > 0) & (rates <= 0.5)]
        found = coverage(n, default_limits(0.95), rates)
        assert found[n * rates < 10].min() >= 0.92
        assert np.all(found[n * rates >= 10] >= 0.93)

    @pytest.mark.parametrize("n", [30, 100, 1000])
    def test_is_hardly_wider_than_mid_p(self, n: int) -> None:
        counts = np.arange(n + 1)
        plain, guarded = mid_p_limits(counts, n, 0.025), default_limits(0.95)(counts, n)
        ratio = (guarded[1] - guarded[0]) / (plain[1] - plain[0])
        assert 1.0 - 1e-9 <= ratio.min() <= ratio.max() <= 1.10

    def test_one_sided_bounds_are_exact(self) -> None:
        estimate = proportion(2, 50, alternative="less")
        assert estimate.method == "clopper_pearson"
        assert estimate.interval == clopper_pearson(2, 50, alternative="less").interval

    def test_few_errors_are_noted(self) -> None:
        assert "only 3 errors" in proportion(3, 100).notes[0].message
        assert "only 9 right answers" in proportion(91, 100).notes[0].message
        assert codes(proportion(0, 100)) == {"small-counts"}
        assert codes(proportion(10, 100)) == set()

    def test_more_errors_than_items(self) -> None:
        with pytest.raises(EvidenceError, match="cannot be more errors than items"):
            proportion(5, 4)

    def test_a_percentage_as_level(self) -> None:
        with pytest.raises(UsageError, match=r"did you mean 0\.95"):
            proportion(5, 40, level=95)


@pytest.mark.parametrize("name", METHODS)
class TestEveryProportion:
    @given(counts=COUNTS)
    def test_contains_the_estimate_and_grows_with_the_level(
        self, name: str, counts: tuple[int, int]
    ) -> None:
        errors, n = counts
        narrow, wide = (METHODS[name](errors, n, level=level) for level in (0.8, 0.95))
        assert narrow.value == errors / n
        assert narrow.measure == "error_rate"
        if narrow.interval is None:
            assert name == "wald"
            return
        low, high = limits(narrow)
        assert low <= errors / n <= high
        assert high > low
        # beyond [0, 1] Agresti-Coull's limits are not in order
        assert limits(wide)[0] <= max(low, 0.0) + 1e-12
        assert limits(wide)[1] >= min(high, 1.0) - 1e-12

    def test_one_sided_bounds_reach_the_end_of_the_range(self, name: str) -> None:
        two_sided = limits(METHODS[name](6, 50, level=0.9))
        low, one = limits(METHODS[name](6, 50, level=0.95, alternative="greater"))
        zero, high = limits(METHODS[name](6, 50, level=0.95, alternative="less"))
        assert (zero, one) == (0.0, 1.0)
        if name not in ("small_p", "proportion"):
            assert agree((low, high), two_sided)

    @pytest.mark.parametrize("counts", [(0, 1), (1, 1), (0, 10**6), (10**6, 10**6)])
    def test_extremes_are_defined(self, name: str, counts: tuple[int, int]) -> None:
        estimate = METHODS[name](*counts)
        if name != "wald":
            low, high = limits(estimate)
            assert 0.0 < high - low < 1.2

    def test_wrong_evidence(self, name: str) -> None:
        with pytest.raises(EvidenceError, match="errors"):
            METHODS[name](1, 2, 3)
        with pytest.raises(UsageError, match="whole number"):
            METHODS[name](1.5, 10)
