import numpy as np
import pytest
from numpy.typing import NDArray

from assay.hypotheses.friedman_posthoc import wilcoxon_pairs
from assay.kernels.counted_pairs import _Sums, counted_pairs
from assay.kernels.last_digits import DIGITS
from assay.kernels.signed_rank_pairs import pair_ranks

Floats = NDArray[np.float64]


def scores(kind: str) -> Floats:
    rng = np.random.default_rng(11)
    n = 3000
    hard = rng.normal(0.8, 0.1, (n, 1))
    found = {
        "accuracies": np.round(hard + rng.normal([0.0, 0.002, 0.01], 0.05, (n, 3)), 4),
        "percentages": np.round(100 * hard + rng.normal(0.0, 2.0, (n, 3)), 1),
        "skewed": np.round(rng.exponential([1.0, 1.1, 1.0], (n, 3)), 2),
        "right or wrong": rng.integers(0, 2, (n, 3)).astype(np.float64),
        "large steps": 1000.0 * rng.integers(-5, 5, (n, 3)),
        "negative": -np.round(hard + rng.normal(0.0, 0.05, (n, 3)), 2),
        "far apart, close together": np.round(
            rng.uniform(0.0, 5000.0, (n, 1)) + rng.normal(0.0, 0.5, (n, 3)), 2
        ),
    }
    if kind != "special":
        return np.asarray(found[kind], dtype=np.float64)
    table = np.round(rng.normal(0.8, 0.01, (n, 5)), 2)
    table[:, 1] = table[:, 0]  # no difference at all
    table[:, 2] = np.round(table[:, 0] + 0.01, 2)  # one and the same difference
    table[: n - 200, 3] = table[: n - 200, 0]  # few differences, so that exact places are used
    return table


KINDS = (
    "accuracies", "percentages", "skewed", "right or wrong", "large steps", "negative",
    "far apart, close together", "special",
)  # fmt: skip


class TestCountedPairs:
    @pytest.mark.parametrize("kind", KINDS)
    def test_every_number_is_the_one_that_sorting_gives(self, kind: str) -> None:
        values = scores(kind)
        first, second = np.triu_indices(values.shape[1], 1)
        counted = counted_pairs(values, first, second)
        sorted_ones = pair_ranks(values, first, second)
        assert counted is not None
        for name in ("n", "plus", "n_nonzero", "squares", "tied", "flat"):
            assert np.array_equal(getattr(counted, name), getattr(sorted_ones, name)), name
        p = sorted_ones.normal_p()
        assert counted.normal_p().tolist() == p.tolist()
        levels = np.linspace(0.001, 0.2, first.size)
        for one, other in zip(
            counted.shifts(p, levels), sorted_ones.shifts(p, levels), strict=True
        ):
            assert one.tolist() == other.tolist()

    @pytest.mark.parametrize(
        "values",
        [
            np.random.default_rng(1).normal(size=(1500, 2)),  # no short decimals
            np.round(np.random.default_rng(1).normal(size=(900, 2)), 2),  # few enough to be exact
            np.round(np.random.default_rng(1).standard_cauchy((1500, 2)), 4),  # too many levels
            np.tile([[0.5, 0.5]], (1500, 1)),  # nothing to rank
        ],
    )
    def test_others_are_sorted(self, values: Floats) -> None:
        assert counted_pairs(values, np.array([0]), np.array([1])) is None

    def test_exact_p_is_had_where_it_is_asked_for(self) -> None:
        values = scores("accuracies")[:1300, :2]
        exact, normal = (wilcoxon_pairs(values, variant=way) for way in ("exact", "normal"))
        assert [dict(one.details)["exact"] for one in (exact, normal)] == [True, False]
        assert exact.outcomes[0].p_value == pytest.approx(normal.outcomes[0].p_value, rel=0.02)
        assert exact.outcomes[0].effect.value == normal.outcomes[0].effect.value

    def test_as_many_digits_as_are_looked_for(self) -> None:
        values = np.random.default_rng(1).normal(0.0, 3.0 * 0.1**DIGITS, size=(1500, 2)) * 100.0
        found = counted_pairs(np.round(values, DIGITS), np.array([0]), np.array([1]))
        assert found is not None
        assert found.unit == 10.0**DIGITS


def test_numbers_of_sums_as_by_listing_all() -> None:
    counts = np.array([3, 0, 1, 2, 0, 5, 1])
    values = np.repeat(np.arange(7), counts)
    rows, columns = np.triu_indices(values.size)
    listed = np.sort(values[rows] + values[columns])
    sums = _Sums(1, counts)
    for code in range(13):
        counted = (int(np.sum(listed <= code)), int(np.sum(listed == code)))
        assert sums.reached(code) == sums.reached(code) == counted
    places = list(range(listed.size))
    assert sums.at(places) == listed.tolist()
