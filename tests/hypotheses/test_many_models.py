import math
from collections.abc import Callable
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.results import TestOutcome
from assay.hypotheses.many_models import (
    _check_linked,
    cochran_q,
    friedman,
    friedman_aligned_ranks,
    iman_davenport,
    quade,
    skillings_mack,
)
from assay.hypotheses.paired_outcomes import mcnemar
from assay.kernels.ranks import midranks
from assay.reference import Case, cases
from tests.support import agree

OMNIBUS: tuple[Callable[..., TestOutcome], ...] = (
    friedman,
    iman_davenport,
    quade,
    friedman_aligned_ranks,
    skillings_mack,
)
TEXTBOOK = {case.id: case for case in cases("textbook")}
DEMSAR = TEXTBOOK["m"]


def detail(outcome: TestOutcome, name: str) -> Any:
    return dict(outcome.details)[name]


def by_model(outcome: TestOutcome, what: str) -> list[Any]:
    return [value for name, value in outcome.details if name.startswith(f"{what}: ")]


def codes(outcome: TestOutcome) -> set[str]:
    return {note.code for note in outcome.notes}


def direction(case: Case) -> Any:
    return "higher" if case.input["higher_is_better"] else "lower"


def random_blocks(seed: int, n: int = 12, k: int = 4) -> Any:
    return np.round(np.random.default_rng(seed).normal(size=(n, k)), 1)


class TestCochranQ:
    def test_models_that_never_disagree(self) -> None:
        outcome = cochran_q([[1, 1, 1], [0, 0, 0]])
        assert (outcome.p_value, outcome.statistic) == (None, None)
        assert codes(outcome) == {"zero-variance"}

    def test_two_models_are_mcnemar(self) -> None:
        rows = [(1, 1)] * 50 + [(1, 0)] * 10 + [(0, 1)] * 4 + [(0, 0)] * 36
        outcome = cochran_q(rows)
        assert outcome.statistic == pytest.approx(36 / 14, rel=1e-12)
        assert outcome.p_value == pytest.approx(mcnemar(50, 10, 4, 36).p_value, rel=1e-9)

    def test_takes_predictions(self) -> None:
        truth = ["a", "b", "a", "b", "a", "b"]
        columns = {
            "tree": truth,
            "bayes": ["a", "b", "b", "b", "a", "a"],
            "rule": ["b", "b", "b", "a", "a", "a"],
        }
        right = np.array(truth)[:, None] == np.array(list(columns.values())).T
        expected = cochran_q(right.astype(int)).p_value
        assert cochran_q({"truth": truth, **columns}).p_value == pytest.approx(expected, rel=1e-12)

    def test_items_alike_for_all_say_nothing(self) -> None:
        rows = np.random.default_rng(3).integers(0, 2, size=(30, 3))
        more = np.vstack([rows, np.ones((20, 3), dtype=int), np.zeros((7, 3), dtype=int)])
        assert cochran_q(rows).p_value == pytest.approx(cochran_q(more).p_value, rel=1e-12)

    def test_too_few_items(self) -> None:
        assert "cannot-reach-alpha" in codes(cochran_q([[1, 0, 0], [1, 1, 1]]))

    def test_scores_are_refused(self) -> None:
        with pytest.raises(EvidenceError, match="for scores use friedman"):
            cochran_q([[0.5, 1.0], [0.1, 0.3]])


class TestFriedman:
    def test_demsar_table_6(self) -> None:
        """Demšar 2006: chi2 9.28 and F 3.69 from the printed ranks, ties not corrected."""
        ranks = DEMSAR.input["printed_ranks"]
        expected = DEMSAR.expected["from_printed_ranks"]
        for ties, suffix in (("demsar", "uncorrected"), ("corrected", "tie_corrected")):
            chi2 = friedman(ranks, direction="lower", ties=ties)  # type: ignore[arg-type]
            f = iman_davenport(ranks, direction="lower", ties=ties)  # type: ignore[arg-type]
            assert agree(chi2.statistic, expected[f"chi2_{suffix}"], 1e-9)
            assert agree(chi2.p_value, expected[f"p_chi2_{suffix}"], 1e-9)
            assert agree(f.statistic, expected[f"F_{suffix}"], 1e-9)
            assert agree(f.p_value, expected[f"p_F_{suffix}"], 1e-9)
        auc = friedman(DEMSAR.input["auc"])
        rounded = DEMSAR.expected["from_rounded_auc"]
        assert agree(by_model(auc, "mean rank"), list(rounded["mean_ranks"].values()), 1e-12)
        assert agree(auc.statistic, rounded["chi2_tie_corrected"], 1e-9)

    @pytest.mark.parametrize(("n", "k", "seed"), [(4, 3, 0), (5, 3, 1), (3, 4, 2), (3, 4, 3)])
    def test_exact_by_enumeration(self, n: int, k: int, seed: int) -> None:
        blocks = np.random.default_rng(seed).integers(0, 4, size=(n, k))
        outcome = friedman(blocks, variant="exact")
        assert outcome.p_value == pytest.approx(
            _enumerated(midranks(-blocks.astype(float))), rel=1e-12
        )

    def test_exact_beyond_reach(self) -> None:
        with pytest.raises(NotApplicable, match=r"too large.*iman_davenport"):
            friedman(np.random.default_rng(0).normal(size=(40, 8)), variant="exact")

    def test_exact_is_shown_for_small_tables(self) -> None:
        assert detail(friedman(random_blocks(1, n=5, k=3)), "p_exact") is not None
        assert detail(friedman(random_blocks(1, n=50, k=8)), "p_exact") is None

    @given(seed=st.integers(0, 10_000))
    def test_null_p_values_are_conservative_when_exact(self, seed: int) -> None:
        blocks = np.random.default_rng(seed).normal(size=(4, 3))
        exact = friedman(blocks, variant="exact").p_value
        assert exact is not None
        assert exact >= 1 / 6**3

    def test_level(self) -> None:
        """Iman and Davenport's F keeps its level, with an exact binomial tolerance."""
        rng = np.random.default_rng(11)
        rejected = sum(_rejects(iman_davenport(rng.normal(size=(15, 5)))) for _ in range(800))
        assert 20 <= rejected <= 64  # within 99.99 % of binomial(800, 0.05)

    def test_nothing_to_tell_apart(self) -> None:
        for test in OMNIBUS:
            outcome = test([[1, 1, 1], [2, 2, 2], [3, 3, 3]])
            assert outcome.p_value is None
            assert outcome.effect.value is None
            assert codes(outcome) == {"zero-variance"}

    def test_one_block(self) -> None:
        outcome = friedman([[0.3, 0.2, 0.1]])
        assert outcome.p_value == pytest.approx(math.exp(-1), rel=1e-12)
        assert codes(outcome) == {"cannot-reach-alpha"}
        for test in (iman_davenport, quade):
            outcome = test([[0.3, 0.2, 0.1]])
            assert outcome.p_value is None
            assert codes(outcome) == {"single-value"}


class TestAgreement:
    @pytest.mark.parametrize(("n", "k"), [(2, 3), (4, 3), (3, 5)])
    def test_p_is_finite_and_exact(self, n: int, k: int) -> None:
        outcome = iman_davenport([list(range(k))] * n)
        assert outcome.statistic == math.inf
        assert outcome.p_value == pytest.approx((1 / math.factorial(k)) ** (n - 1), rel=1e-12)
        assert "perfect-agreement" in codes(outcome)

    def test_with_ties_fewer_orders_are_possible(self) -> None:
        blocks = [[1, 1, 2], [3, 3, 7], [0, 0, 5]]
        outcome = iman_davenport(blocks)
        assert outcome.p_value == pytest.approx(1 / 3**2, rel=1e-12)
        assert outcome.p_value == pytest.approx(
            friedman(blocks, variant="exact").p_value, rel=1e-12
        )

    def test_interval_is_not_a_point(self) -> None:
        for blocks in ([[1, 2, 3]] * 6, [[1, 2, 3], [3, 2, 1]]):
            interval = friedman(blocks).effect.interval
            assert interval is not None
            assert interval.width > 0.1

    def test_interval_covers_in_a_simulation(self) -> None:
        """The concordance of ranks of N(j, 1), j = 0, .5, 1, from their mean ranks."""
        mean = ndtr(0.5 / math.sqrt(2)) + ndtr(1.0 / math.sqrt(2)) - 1
        truth = 2 * mean**2 / 2
        rng = np.random.default_rng(4)
        covered = 0
        for _ in range(200):
            interval = friedman(rng.normal([0.0, 0.5, 1.0], size=(20, 3))).effect.interval
            assert interval is not None
            covered += interval.contains(truth)
        assert covered >= 178  # 99.9 % of binomial(200, 0.95)

    def test_concordance_of_nothing(self) -> None:
        """A true concordance of 0 is not excluded more often than the level says."""
        rng = np.random.default_rng(5)
        excluded = 0
        for _ in range(200):
            interval = friedman(rng.normal(size=(15, 4))).effect.interval
            assert interval is not None
            excluded += interval.low > 0.0
        assert excluded <= 20


class TestSkillingsMack:
    def test_by_hand(self) -> None:
        """Two blocks of two models and one of three, written out."""
        blocks = [[1.0, 2.0, None], [3.0, None, 1.0], [2.0, 5.0, 9.0]]
        two, three = math.sqrt(12 / 3), math.sqrt(12 / 4)
        # rank 1 is the largest; sums of weighted centred ranks of each model
        sums = np.array([two * 0.5 - two * 0.5 + three, -two * 0.5, two * 0.5 - three])
        covariance = np.array([[4, -2, -2], [-2, 3, -1], [-2, -1, 3]], dtype=float)
        expected = sums[:2] @ np.linalg.solve(covariance[:2, :2], sums[:2])
        outcome = skillings_mack(blocks)
        assert outcome.statistic == pytest.approx(float(expected), rel=1e-12)
        assert outcome.p_value == pytest.approx(math.exp(-float(expected) / 2), rel=1e-12)

    @given(seed=st.integers(0, 500))
    def test_complete_tables_are_friedmans(self, seed: int) -> None:
        blocks = random_blocks(seed)
        for ties, same in (("corrected", "corrected"), ("uncorrected", "demsar")):
            found = skillings_mack(blocks, ties=ties)  # type: ignore[arg-type]
            expected = friedman(blocks, ties=same)  # type: ignore[arg-type]
            assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
            assert found.effect.value == pytest.approx(expected.effect.value, rel=1e-9, abs=1e-12)

    def test_by_permutation_within_blocks(self) -> None:
        """The covariance is that of the sums when present cells of a block change places."""
        rng = np.random.default_rng(6)
        blocks = np.round(rng.normal(size=(8, 4)), 1)
        blocks[rng.random(blocks.shape) < 0.25] = np.nan
        outcome = skillings_mack(blocks)
        assert outcome.p_value is not None
        exceeded = 0
        for _ in range(1500):
            for row in blocks:
                here = np.isfinite(row)
                row[here] = rng.permutation(row[here])
            statistic = skillings_mack(blocks).statistic
            exceeded += statistic is not None and statistic >= (outcome.statistic or 0) - 1e-9
        assert exceeded / 1500 == pytest.approx(outcome.p_value, abs=0.06)

    def test_lone_scores_are_left_out(self) -> None:
        blocks = [[1.0, 2.0, 4.0], [2.0, 1.0, 3.0], [None, 5.0, None]]
        outcome = skillings_mack(blocks)
        assert outcome.statistic == pytest.approx(friedman(blocks[:2]).statistic, rel=1e-12)
        assert detail(outcome, "blocks_left_out") == 1

    def test_models_never_seen_together(self) -> None:
        with pytest.raises(NotApplicable, match="no block links C, D with A"):
            skillings_mack(
                {"A": [1, 2, None], "B": [2, 1, None], "C": [None, None, 1], "D": [None, None, 2]}
            )


class TestAllOmnibus:
    @pytest.mark.parametrize("test", OMNIBUS)
    @given(seed=st.integers(0, 200))
    @settings(max_examples=25)
    def test_direction_only_turns_the_ranks(self, test: Any, seed: int) -> None:
        blocks = random_blocks(seed)
        one, other = test(blocks, direction="higher"), test(-blocks, direction="lower")
        assert one == other
        turned = test(blocks, direction="lower")
        assert turned.p_value == pytest.approx(one.p_value, rel=1e-9)

    @pytest.mark.parametrize("test", OMNIBUS)
    @given(seed=st.integers(0, 200))
    @settings(max_examples=25)
    def test_order_of_blocks_and_models(self, test: Any, seed: int) -> None:
        blocks, rng = random_blocks(seed), np.random.default_rng(seed)
        shuffled = blocks[rng.permutation(12)][:, rng.permutation(4)]
        assert test(shuffled).p_value == pytest.approx(test(blocks).p_value, rel=1e-9)

    @pytest.mark.parametrize("test", OMNIBUS)
    def test_a_constant_per_data_set_changes_nothing(self, test: Any) -> None:
        blocks = np.round(np.random.default_rng(8).normal(0.7, 0.1, size=(20, 5)), 3)
        shifted = blocks + np.random.default_rng(9).integers(-5, 5, size=(20, 1)) / 10
        assert test(shifted).p_value == pytest.approx(test(blocks).p_value, rel=1e-9)

    @pytest.mark.parametrize("test", OMNIBUS[:4])
    def test_missing_cells_are_named(self, test: Any) -> None:
        with pytest.raises(EvidenceError, match=r"1 missing.*row 2 of B; .*skillings_mack"):
            test({"A": [1, 2, 3], "B": [3, None, 1]})

    def test_errors(self) -> None:
        with pytest.raises(UsageError, match="direction is one of higher, lower"):
            friedman([[1, 2], [2, 1]], direction="up")  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"did you mean 0\.95"):
            friedman([[1, 2], [2, 1]], level=95)


def _rejects(outcome: TestOutcome) -> bool:
    return outcome.p_value is not None and outcome.p_value <= 0.05


def _enumerated(ranks: Any) -> float:
    """The share of all within-row permutations whose rank sums spread as far."""
    observed = np.sum((ranks.sum(axis=0) - ranks.sum() / ranks.shape[1]) ** 2)
    sums = np.array([np.sum(rows, axis=0) for rows in product(*(permutations(r) for r in ranks))])
    spreads = ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return float((spreads >= observed - 1e-9).mean())


def test_friedman_exact_goes_further_where_it_is_asked_for() -> None:
    blocks = np.random.default_rng(1).normal(size=(12, 4)) + np.arange(4) * 0.2
    details = dict(friedman(blocks).details)
    assert details["p_exact"] is None
    drawn = np.random.default_rng(2).random((40_000, 12, 4)).argsort(axis=-1).sum(axis=1)
    observed = blocks.argsort(axis=1).argsort(axis=1).sum(axis=0)
    reached = ((drawn - 18.0) ** 2).sum(axis=1) >= ((observed - 18.0) ** 2).sum()
    assert friedman(blocks, variant="exact").p_value == pytest.approx(reached.mean(), abs=0.005)


def test_one_block_in_common_links_two_models() -> None:
    _check_linked(np.array([[True, True, False], [False, True, True]]), ("a", "b", "c"))
    with pytest.raises(NotApplicable, match="no block links c with a"):
        _check_linked(np.array([[True, True, False], [False, False, True]]), ("a", "b", "c"))
