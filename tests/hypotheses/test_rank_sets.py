"""Sets of ranks as a method: its pairs, its ranks, csranks' example of schools, and errors."""

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError, UsageError


def table(seed: int = 0, n: int = 60) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    shared = rng.normal(0, 2, n)
    means = {"a": 2.0, "b": 1.9, "c": 1.0, "d": 0.0}
    return {name: shared + mean + rng.normal(0, 1, n) for name, mean in means.items()}


def test_ranks_and_pairs_agree() -> None:
    found = assay.rank_sets(table())
    ranks = {one.model: one for one in found.estimates}
    assert [ranks[name].value for name in "abcd"] == [1.0, 2.0, 3.0, 4.0]
    separated = {
        pair for pair, one in zip(found.pairs, found.outcomes, strict=True) if one.rejects(0.05)
    }
    assert ("a", "d") in separated
    for name, one in ranks.items():
        worse = sum(name == pair[1] for pair in separated)  # pairs are in the order of the means
        assert one.interval is not None
        assert one.interval.low >= 1 + worse


def test_two_models_are_a_sign_flip_test() -> None:
    blocks = {"a": [3.0, 2.0, 5.0, 4.0, 3.5, 2.5, 4.5], "b": [2.0, 2.5, 3.0, 3.0, 3.0, 2.0, 3.0]}
    found = assay.rank_sets(blocks)
    exact = assay.paired_permutation(blocks["a"], blocks["b"])
    assert found.outcomes[0].p_value == pytest.approx(exact.p_value)


def test_marginal_sets_are_no_wider() -> None:
    joint, single = (assay.rank_sets(table(1), variant=one) for one in ("joint", "marginal"))
    for whole, one in zip(joint.estimates, single.estimates, strict=True):
        assert whole.interval is not None
        assert one.interval is not None
        assert whole.interval.low <= one.interval.low <= one.interval.high <= whole.interval.high


def test_lower_can_be_better() -> None:
    found = assay.rank_sets(table(), direction="lower")
    assert [one.value for one in found.estimates] == [4.0, 3.0, 2.0, 1.0]


def test_equal_models_share_their_rank_and_differ_from_nobody() -> None:
    scores = table()
    found = assay.rank_sets({"a": scores["a"], "copy": scores["a"], "d": scores["d"]})
    assert [one.value for one in found.estimates] == [1.0, 1.0, 3.0]
    assert found.outcomes[0].p_value == 1.0
    assert [one.code for one in found.outcomes[0].notes] == ["no-disagreement"]


def test_many_units_agree_with_normal_draws() -> None:
    """The critical value tends to that of csranks: the largest of normals with the same correlations."""
    from assay.estimates.unit_scores import root_of
    from assay.kernels.rank_draws import gaussian
    from assay.kernels.rank_sets import decide

    rng = np.random.default_rng(5)
    rows = rng.normal(0, 1, (4000, 6)) / 4000
    ours = dict(assay.rank_sets(rows, n_resamples=6000).details)["single_step"]
    root = root_of(rows, np.zeros(4000, dtype=np.int64))
    theirs = decide(gaussian(rows.sum(axis=0), root, n_draws=12_000, seed=1), 0.05).single_step
    assert ours == pytest.approx(theirs, abs=0.06)


def test_errors() -> None:
    with pytest.raises(EvidenceError, match="two or more"):
        assay.rank_sets([[1.0, 2.0]])
    with pytest.raises(UsageError, match="variant"):
        assay.rank_sets(table(), variant="both")
