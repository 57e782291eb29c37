from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from assay.kernels.concordance import (
    agreement_p,
    chi_square,
    exact_tail,
    kendall_w,
    kendall_w_limits,
    rows_agree,
)
from assay.kernels.ranks import midranks


def centred(
    n: int, k: int, *, shift: float, seed: int = 0
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    values = np.random.default_rng(seed).normal(shift * np.arange(k), size=(n, k))
    return np.asarray(midranks(values) - (k + 1) / 2).reshape(n, k)


class TestConcordance:
    def test_kendall_by_hand(self) -> None:
        """Three judges, ranks 123, 123, 132: rank sums 3, 7, 8; W = 12 · 14 / (9 · 24)."""
        ranks = np.array([[1, 2, 3], [1, 2, 3], [1, 3, 2]]) - 2.0
        assert kendall_w(ranks) == pytest.approx(12 * 14 / (9 * 24), rel=1e-12)
        assert chi_square(ranks) == pytest.approx(3 * 2 * 12 * 14 / (9 * 24), rel=1e-12)

    def test_many_blocks_by_the_normal_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rows = centred(900, 4, shift=0.4)
        resampled = kendall_w_limits(rows, 0.9)
        monkeypatch.setattr("assay.kernels.concordance._BLOCKS_RESAMPLED", 10)
        drawn = kendall_w_limits(rows, 0.9)
        width = resampled[1] - resampled[0]
        assert drawn == pytest.approx(resampled, abs=0.1 * width)

    def test_limits_never_claim_certainty(self) -> None:
        for n in (2, 10, 100):
            low, high = kendall_w_limits(np.tile([-1.0, 0.0, 1.0], (n, 1)), 0.95)
            assert low == pytest.approx(0.025 ** (2 / n), rel=1e-12)
            assert high == 1.0

    def test_agreement(self) -> None:
        assert agreement_p(np.array([1.0, 2.0, 3.0]), 4) == pytest.approx(6.0**-3, rel=1e-12)
        assert agreement_p(np.array([1.5, 1.5, 3.0]), 3) == pytest.approx(3.0**-2, rel=1e-12)
        assert rows_agree(np.tile([-1.0, 0.0, 1.0], (3, 1)))
        assert not rows_agree(np.zeros((3, 3)))

    @pytest.mark.parametrize(("n", "k", "levels"), [(3, 3, 3), (4, 3, 9), (2, 4, 3)])
    def test_exact_tail_by_listing_all_orders(self, n: int, k: int, levels: int) -> None:
        drawn = np.random.default_rng(n + k).integers(0, levels, size=(n, k)).astype(float)
        ranks = np.array([rankdata(row) for row in drawn])

        def spread(rows: Any) -> float:
            return float(np.var(np.sum(rows, axis=0)))

        seen = [spread(rows) for rows in product(*(permutations(row) for row in ranks))]
        share = np.mean(np.array(seen) >= spread(ranks) - 1e-9)
        assert exact_tail(ranks, 10_000) == pytest.approx(share, rel=1e-12)

    def test_exact_tail_within_its_budget(self) -> None:
        """The second of two blocks of three has six orders to add to the first."""
        ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]])
        assert exact_tail(ranks, 6) is not None
        assert exact_tail(ranks, 5) is None

    def test_exact_tail_gives_up(self) -> None:
        ranks = midranks(np.random.default_rng(1).normal(size=(9, 4)))
        assert exact_tail(ranks, 10) is None
        assert exact_tail(np.ones((3, 3)), 1000) is None
        found = exact_tail(ranks, 100_000)
        assert found is not None
        assert 0.0 < found <= 1.0

    def test_blocks_without_information_change_nothing(self) -> None:
        ranks = midranks(np.random.default_rng(2).integers(0, 3, size=(5, 3)).astype(float))
        more = np.vstack([ranks, np.full((2, 3), 2.0)])
        assert exact_tail(ranks, 10_000) == pytest.approx(exact_tail(more, 10_000), rel=1e-12)
