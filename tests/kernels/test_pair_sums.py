from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.kernels import pair_sums
from assay.kernels.pair_sums import sums_at

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


def listed(values: Floats, first: int, last: int) -> float:
    rows, columns = np.triu_indices(values.size)
    sums = np.sort(values[rows] + values[columns])
    return float(sums[first] + sums[last]) / 2.0


def drawn(kind: str, shape: tuple[int, int]) -> Floats:
    rng = np.random.default_rng(7)
    values = {
        "normal": rng.normal(size=shape),
        "shifted": 1e6 + rng.normal(size=shape),
        "heavy": rng.standard_cauchy(shape) ** 3,
        "outliers": np.where(rng.random(shape) < 0.1, 1e9, rng.normal(size=shape)),
        "coarse": rng.integers(-2, 3, shape).astype(np.float64),
        "skew": rng.exponential(size=shape) ** 3,
        "constant": np.full(shape, 0.3),
    }[kind]
    return np.sort(values, axis=1)


KINDS = ("normal", "shifted", "heavy", "outliers", "coarse", "skew", "constant")


class TestSumsAt:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("n", [1, 2, 3, 7, 40, 160, 410])
    def test_as_by_listing_all(self, kind: str, n: int) -> None:
        values = drawn(kind, (4, n))
        total = n * (n + 1) // 2
        first = np.tile(np.linspace(0, total - 1, 7).astype(np.int64), (4, 1))
        last = np.minimum(first + np.arange(7) % 2, total - 1)
        found = sums_at(values, np.full(4, n), first, last)
        scale = float(np.abs(values).max())
        for row in range(4):
            for place in range(7):
                due = listed(values[row], int(first[row, place]), int(last[row, place]))
                assert found[row, place] == pytest.approx(due, rel=1e-14, abs=1e-15 * scale)

    @pytest.mark.parametrize("digits", [0, 2, 4, 12])
    def test_many_decimals_as_by_listing_all(self, digits: int) -> None:
        rng = np.random.default_rng(3)
        spread = {0: 30.0, 2: 0.3, 4: 0.04, 12: 1e-9}[digits]  # the last are no short decimals
        values = np.sort(rng.normal(0.2 * spread, spread, (2, 1100)).round(digits), axis=1)
        sizes = np.array([1100, 1090])
        values[1, 1090:] = np.inf
        total = sizes * (sizes + 1) // 2
        first = np.stack([(total - 1) // 2, total // 40, total - 1], axis=1)
        last = np.stack([total // 2, total // 40, total - 1], axis=1)
        found = sums_at(values, sizes, first, last)
        for row, size in enumerate(sizes.tolist()):
            for place in range(3):
                due = listed(values[row, :size], int(first[row, place]), int(last[row, place]))
                assert found[row, place] == pytest.approx(due, rel=1e-12, abs=1e-14 * spread)

    @pytest.mark.parametrize("kind", KINDS)
    def test_by_halving(self, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pair_sums, "_MOST", 4)
        monkeypatch.setattr(pair_sums, "_MOST_EACH", 0)
        values = drawn(kind, (3, 60))
        first = np.tile([900, 914, 915], (3, 1))
        found = sums_at(values, np.full(3, 60), first, first + np.array([1, 1, 0]))
        scale = float(np.abs(values).max())
        for row in range(3):
            due = [
                listed(values[row], 900, 901),
                listed(values[row], 914, 915),
                listed(values[row], 915, 915),
            ]
            assert found[row].tolist() == pytest.approx(due, rel=1e-14, abs=1e-15 * scale)

    def test_failed_guesses_are_made_good_without_halving(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Between values of one decimal a place has no share of its code's sums."""
        steps: list[int] = []
        exactly = pair_sums._codes_about

        def watched(*given: Any) -> Any:
            steps.append(given[-1])
            return exactly(*given)

        monkeypatch.setattr(pair_sums, "_codes_about", watched)
        monkeypatch.setattr(pair_sums, "_halved", None)
        values = np.round(drawn("normal", (3, 120)), 1)
        places = np.tile([1000, 3629, 5000], (3, 1))
        found = sums_at(values, np.full(3, 120), places, places + 1)
        assert steps == [2, 1]
        for row in range(3):
            due = [listed(values[row], place, place + 1) for place in (1000, 3629, 5000)]
            assert found[row].tolist() == pytest.approx(due, rel=1e-14, abs=1e-15)

    def test_whole_numbers_far_apart_are_not_counted_one_by_one(self) -> None:
        """Every number from the least to the largest sum would not fit in memory."""
        values = np.random.default_rng(3).normal(0.0, 1e14, 1100).round()
        values.sort()
        place = np.array([[302_775]])
        found = sums_at(values[None], np.array([1100]), place, place)
        assert found[0, 0] == pytest.approx(listed(values, 302_775, 302_775), rel=1e-12)

    def test_one_sum_many_times_is_exact(self) -> None:
        values = np.repeat([-1.0, 1.0], 400)[None]
        middle = np.array([[800 * 801 // 4]])
        assert sums_at(values, np.array([800]), middle, middle)[0, 0] == 0.0

    def test_subnormal_differences(self) -> None:
        values = drawn("normal", (2, 30)) * 1e-310
        places = np.array([[100, 232], [231, 400]])
        found = sums_at(values, np.full(2, 30), places, places)
        for row in range(2):
            due = [listed(values[row], place, place) for place in places[row]]
            assert found[row].tolist() == due

    def test_rows_of_different_sizes(self) -> None:
        values = drawn("normal", (3, 50))
        sizes = np.array([50, 20, 1])
        short = np.where(np.arange(50) < sizes[:, None], values, np.inf)
        middle = (sizes * (sizes + 1) // 4)[:, None]
        found = sums_at(short, sizes, middle, middle)
        due = [
            listed(values[row, :n], middle[row, 0], middle[row, 0]) for row, n in enumerate(sizes)
        ]
        assert found[:, 0].tolist() == due

    def test_many_rows_in_parts(self) -> None:
        values = drawn("normal", (700, 20))
        places = np.full((700, 1), 100)
        found = sums_at(values, np.full(700, 20), places, places)
        assert found[:, 0].tolist() == [listed(row, 100, 100) for row in values]

    @settings(deadline=None, max_examples=60)
    @given(
        st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=25),
        st.floats(0.0, 1.0),
    )
    def test_any_values_and_place(self, values: list[float], share: float) -> None:
        row = np.sort(np.array(values))
        place = min(int(share * row.size * (row.size + 1) / 2), row.size * (row.size + 1) // 2 - 1)
        wanted = np.array([[place]])
        found = sums_at(row[None], np.array([row.size]), wanted, wanted)
        assert found[0, 0] == pytest.approx(listed(row, place, place), rel=1e-12, abs=1e-9)
