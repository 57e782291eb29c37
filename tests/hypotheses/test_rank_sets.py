"""Sets of ranks as a method: its pairs, its ranks, csranks' example of schools, and errors."""

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.hypotheses.rank_sets import ranking, scatter
from assay.kernels.rank_draws import RankDraws, flipped


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


class TestScatter:
    """Which draws serve few units: one scale for all pairs, unless some models scatter much more."""

    @staticmethod
    def rows(n: int, spread: list[float], seed: int = 0, step: float = 0.0) -> np.ndarray:
        noise = np.random.default_rng(seed).normal(0.0, 1.0, (n, len(spread))) * spread
        return np.asarray((noise - step * np.arange(len(spread))) / n)

    def drawn(self, n: int, spread: list[float], seed: int = 0) -> RankDraws:
        return scatter(self.rows(n, spread, seed), 0.05, n_draws=499, seed=seed)

    def test_models_that_scatter_alike_share_a_scale(self) -> None:
        assert self.drawn(10, [1.0] * 5).pooled

    def test_one_model_that_scatters_wildly_leaves_each_pair_its_own(self) -> None:
        assert not self.drawn(15, [1.0] * 5 + [20.0]).pooled

    @pytest.mark.parametrize(("n", "models"), [(10, 2), (5, 6), (50, 6)])
    def test_two_models_and_very_few_or_many_units_keep_their_own(
        self, n: int, models: int
    ) -> None:
        assert not self.drawn(n, [1.0] * models).pooled

    def test_units_that_all_agree_keep_their_own(self) -> None:
        rows = np.tile([0.1, 0.2, 0.4], (8, 1)) / 8
        found = ranking(scatter(rows, 0.05, n_draws=499, seed=0), 0.05)
        assert (found.low == found.high).all()

    def test_far_models_are_told_apart_that_pairs_alone_do_not_tell(self) -> None:
        more = 0
        for seed in range(20):
            rows = self.rows(8, [1.0] * 8, seed, step=0.7)
            own = flipped(rows, n_draws=499, seed=seed)
            shared = scatter(rows, 0.05, n_draws=499, seed=seed)
            found, alone = (ranking(one, 0.05).apart.sum() // 2 for one in (shared, own))
            more += int(found) - int(alone)
        assert more > 20 * 2  # of 28 pairs a board

    @pytest.mark.parametrize("spread", [[1.0] * 5, [1.0, 2.0, 1.0, 1.0, 1.0]])
    def test_equal_models_are_seldom_told_apart(self, spread: list[float]) -> None:
        claims = sum(ranking(self.drawn(8, spread, seed), 0.05).apart.any() for seed in range(400))
        assert claims <= 38  # 20 expected, 99.99 % of binomial counts


def test_errors() -> None:
    with pytest.raises(EvidenceError, match="two or more"):
        assay.rank_sets([[1.0, 2.0]])
    with pytest.raises(UsageError, match="variant"):
        assay.rank_sets(table(), variant="both")
