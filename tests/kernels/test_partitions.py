import numpy as np

from assay.kernels.partitions import exhaustive_sets, partitions, shaffer_counts


class TestPartitions:
    def test_shaffer_counts(self) -> None:
        """Shaffer 1986: S(4) = {0, 1, 2, 3, 6} and S(5) = {0, 1, 2, 3, 4, 6, 10}."""
        assert shaffer_counts(4).tolist() == [6, 3, 3, 3, 2, 1]
        assert shaffer_counts(5).tolist() == [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]

    def test_partitions_are_bell_numbers(self) -> None:
        assert [len(partitions(k)) for k in range(1, 10)] == [
            1,
            2,
            5,
            15,
            52,
            203,
            877,
            4140,
            21147,
        ]

    def test_exhaustive_sets_of_three(self) -> None:
        """Of A = B, A = C, B = C none, each one alone, or all can be true, never two."""
        sets = exhaustive_sets(3, *np.triu_indices(3, 1))
        assert sorted(map(tuple, sets.astype(int).tolist())) == [
            (0, 0, 0),
            (0, 0, 1),
            (0, 1, 0),
            (1, 0, 0),
            (1, 1, 1),
        ]
