"""Letters from decisions: two models share one exactly if they do not differ."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.letters import as_decisions, compact_letters


@given(st.integers(1, 7), st.randoms(use_true_random=False))
def test_letters_say_what_was_decided(k: int, random: object) -> None:
    rng = np.random.default_rng(random.randrange(2**32))  # type: ignore[attr-defined]
    upper = np.triu(rng.random((k, k)) < 0.5, 1)
    different = upper | upper.T
    letters = compact_letters(different)
    assert letters is not None
    for a, b in combinations(range(k), 2):
        assert bool(set(letters[a]) & set(letters[b])) == (not different[a, b])
    assert all(letters)


def test_a_model_does_not_differ_from_itself() -> None:
    assert not as_decisions(np.ones((3, 3), dtype=bool)).diagonal().any()
    assert compact_letters(np.ones((3, 3), dtype=bool)) == ("a", "b", "c")
