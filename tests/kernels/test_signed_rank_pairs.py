from itertools import product

import numpy as np
import pytest

from assay.kernels.ranks import decimal_differences
from assay.kernels.signed_rank_pairs import pair_ranks, signed_rank_cdf


class TestSignedRankPairs:
    @pytest.mark.parametrize("n", [1, 2, 5, 11])
    def test_distribution_by_enumeration(self, n: int) -> None:
        signs = np.array(list(product((0, 1), repeat=n)))
        sums = signs @ np.arange(1, n + 1)
        found = signed_rank_cdf(n)
        assert found.tolist() == pytest.approx([(sums <= w).mean() for w in range(found.size)])

    def test_decimal_ties_as_for_one_pair(self) -> None:
        values = np.round(np.random.default_rng(0).normal(0.8, 0.01, size=(40, 4)), 3)
        first, second = np.triu_indices(4, 1)
        found = pair_ranks(values, first, second)
        for row, (a, b) in enumerate(zip(first, second, strict=True)):
            alone = decimal_differences(values[:, a], values[:, b])
            assert (found.differences[row] * (found.ranks[row] > 0)).tolist() == alone.tolist()

    def test_exact_work_is_bounded(self) -> None:
        values = np.random.default_rng(1).normal(size=(60, 3))
        first, second = np.triu_indices(3, 1)
        assert pair_ranks(values, first, second).exact_is_cheap()
        many = np.round(np.random.default_rng(1).normal(size=(1300, 2)), 1)
        assert not pair_ranks(many, np.array([0]), np.array([1])).exact_is_cheap()
