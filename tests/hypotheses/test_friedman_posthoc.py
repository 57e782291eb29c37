from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.results import FamilyOutcome
from assay.core.wire import from_json, to_json
from assay.hypotheses.friedman_posthoc import (
    aligned_ranks_posthoc,
    bonferroni_dunn,
    conover_friedman,
    critical_difference,
    friedman_posthoc,
    nemenyi,
    nemenyi_from_ranks,
    quade_posthoc,
    wilcoxon_pairs,
)
from assay.hypotheses.many_models import friedman, quade
from assay.hypotheses.multiplicity import bergmann_hommel, shaffer
from assay.hypotheses.paired_scores import wilcoxon
from assay.reference import Case, cases
from tests.support import agree

TEXTBOOK = {case.id: case for case in cases("textbook")}
ALL_PAIRS: tuple[Callable[..., FamilyOutcome], ...] = (
    nemenyi,
    friedman_posthoc,
    conover_friedman,
    quade_posthoc,
    aligned_ranks_posthoc,
    wilcoxon_pairs,
)
CONTROL = (friedman_posthoc, quade_posthoc, aligned_ranks_posthoc, wilcoxon_pairs, bonferroni_dunn)


def direction(case: Case) -> Any:
    return "higher" if case.input["higher_is_better"] else "lower"


def p_values(family: FamilyOutcome) -> list[Any]:
    return [outcome.p_value for outcome in family.outcomes]


def column(family: FamilyOutcome, name: str) -> list[Any]:
    return [dict(outcome.details)[name] for outcome in family.outcomes]


def by_model(family: FamilyOutcome, what: str) -> list[Any]:
    return [value for name, value in family.details if name.startswith(f"{what}: ")]


def codes(family: FamilyOutcome) -> set[str]:
    return {note.code for note in family.notes}


def random_blocks(seed: int, n: int = 12, k: int = 4) -> Any:
    return np.round(np.random.default_rng(seed).normal(size=(n, k)), 1)


class TestNemenyi:
    def test_demsar_table_6(self) -> None:
        """Demšar 2006: CD 1.25 at 0.05 and 1.12 at 0.10."""
        case = TEXTBOOK["m"]
        family = nemenyi(case.input["printed_ranks"], direction="lower")
        assert agree(
            dict(family.details)["critical_difference"], case.expected["cd_nemenyi_05"], 1e-9
        )
        assert critical_difference(4, 14, level=0.9) == pytest.approx(
            case.expected["cd_nemenyi_10"], rel=1e-9
        )

    def test_interval_is_the_critical_difference(self) -> None:
        family = nemenyi(random_blocks(1), level=0.9)
        for outcome in family.outcomes:
            interval = outcome.effect.interval
            assert interval is not None
            assert interval.width / 2 == pytest.approx(
                critical_difference(4, 12, level=0.9), rel=1e-12
            )

    def test_extreme_p_as_logarithm(self) -> None:
        blocks = np.arange(50.0) + np.random.default_rng(0).normal(0, 1e-3, size=(500, 50))
        family = nemenyi(blocks)
        extreme = column(family, "log10_p")[48]
        assert p_values(family)[48] == 0.0
        assert -2000 < extreme < -300

    def test_pool_matters(self) -> None:
        assert "pool-dependent" in codes(nemenyi(random_blocks(2)))
        assert any(
            "any of the 3 others" in one.message for one in nemenyi(random_blocks(2, k=5)).notes
        )
        assert "pool-dependent" not in codes(nemenyi(random_blocks(2, k=2)))
        assert "pool-dependent" not in codes(wilcoxon_pairs(random_blocks(2)))

    def test_two_models_are_a_sign_test_in_the_limit(self) -> None:
        """With k = 2 Nemenyi's p is that of Friedman's chi-square."""
        blocks = random_blocks(3, n=30, k=2) + np.array([0.0, 1e-3])
        assert p_values(nemenyi(blocks))[0] == pytest.approx(friedman(blocks).p_value, rel=1e-9)

    def test_too_few_data_sets(self) -> None:
        assert "cannot-reach-alpha" in codes(nemenyi(random_blocks(1, n=2, k=3)))
        assert "cannot-reach-alpha" not in codes(nemenyi(random_blocks(1, n=20, k=3)))


class TestNemenyiFromRanks:
    def test_slide(self) -> None:
        """The lecture's diagram: four ranks over 34 data sets, which sum to 10.8 for 10."""
        case = TEXTBOOK["l"]
        family = nemenyi_from_ranks(case.input["mean_ranks"], case.input["n_datasets"])
        assert codes(family) == {"ranks-do-not-sum"}
        assert agree(dict(family.details)["critical_difference"], case.expected["cd"], 1e-9)
        for (a, b), outcome in zip(family.pairs, family.outcomes, strict=True):
            expected = case.expected["pairs"][f"{a}-{b}"]
            assert outcome.effect.value == pytest.approx(expected["rank_difference"], abs=1e-12)
            assert outcome.rejects(0.05) == expected["significant"]
        bonferroni = critical_difference(4, 34, kind="bonferroni-dunn")
        assert agree(bonferroni, case.expected["cd_bonferroni_dunn"], 1e-9)

    def test_same_as_from_blocks(self) -> None:
        family = nemenyi(random_blocks(5))
        ranks = by_model(family, "mean rank")
        assert p_values(nemenyi_from_ranks(ranks, 12)) == pytest.approx(p_values(family), rel=1e-12)

    def test_printed_to_two_decimals(self) -> None:
        assert codes(nemenyi_from_ranks([1.67, 2.0, 2.33], 15)) == set()

    def test_errors(self) -> None:
        with pytest.raises(EvidenceError, match=r"between 1 \(best\) and k"):
            nemenyi_from_ranks([0.5, 2.5], 10)
        with pytest.raises(UsageError, match="n_datasets is a whole number"):
            nemenyi_from_ranks([1.5, 1.5], 2.5)  # type: ignore[arg-type]


class TestCriticalDifference:
    def test_demsar_table_5(self) -> None:
        """Demšar prints 2.724 for Bonferroni-Dunn with nine models; it is 2.734."""
        case = TEXTBOOK["m3"]
        for kind in ("nemenyi", "bonferroni-dunn"):
            for level, suffix in ((0.95, "05"), (0.9, "10")):
                found = [
                    critical_difference(k, 1, level=level, kind=kind) / np.sqrt(k * (k + 1) / 6)
                    for k in case.input["k"]
                ]
                assert agree(found, case.expected[f"{kind.replace('-', '_')}_{suffix}"], 1e-9)

    def test_errors(self) -> None:
        with pytest.raises(UsageError, match="k is a whole number of at least 2"):
            critical_difference(1, 10)
        with pytest.raises(UsageError, match="kind is one of"):
            critical_difference(3, 10, kind="holm")  # type: ignore[arg-type]


class TestFriedmanPosthoc:
    def test_demsar_against_c45(self) -> None:
        case = TEXTBOOK["m"]
        blocks = np.array(case.input["printed_ranks"])
        expected = case.expected["vs_control_C45"]
        order = [0, 2, 1]  # the paper lists the others by their p-value
        for adjustment in ("holm", "hochberg", "hommel"):
            family = friedman_posthoc(
                blocks[:, [0, 3, 2, 1]], control=0, adjustment=adjustment, direction="lower"
            )  # fmt: skip
            assert agree([-family.outcomes[i].statistic for i in order], expected["z"], 1e-9)  # type: ignore[operator]
            assert agree([column(family, "p_unadjusted")[i] for i in order], expected["p"], 1e-9)
            assert agree([p_values(family)[i] for i in order], expected[adjustment], 1e-9)

    def test_bonferroni_dunn_interval(self) -> None:
        family = bonferroni_dunn(random_blocks(1), control=2)
        expected = critical_difference(4, 12, kind="bonferroni-dunn")
        for outcome in family.outcomes:
            interval = outcome.effect.interval
            assert interval is not None
            assert interval.width / 2 == pytest.approx(expected, rel=1e-9)

    def test_pair_adjustments(self) -> None:
        blocks = random_blocks(9, k=5)
        raw = column(friedman_posthoc(blocks), "p_unadjusted")
        assert p_values(friedman_posthoc(blocks, adjustment="shaffer")) == list(shaffer(raw))
        found = friedman_posthoc(blocks, adjustment="bergmann_hommel")
        assert p_values(found) == list(bergmann_hommel(raw))
        assert "variant-differs" in codes(found)
        assert p_values(friedman_posthoc(blocks, adjustment="none")) == raw
        with pytest.raises(NotApplicable, match="shaffer is for all pairs"):
            friedman_posthoc(blocks, control=0, adjustment="shaffer")

    def test_control_by_name(self) -> None:
        blocks = {"A": [1, 2, 3, 4], "B": [2, 3, 4, 9], "C": [0, 1, 1, 1]}
        assert friedman_posthoc(blocks, control="B").pairs == (("A", "B"), ("C", "B"))
        with pytest.raises(
            EvidenceError, match="no model 'D' to be the control; there are A, B, C"
        ):
            friedman_posthoc(blocks, control="D")


class TestConover:
    def test_agreement_leaves_no_spread(self) -> None:
        for family in (conover_friedman([[1, 2, 3]] * 4), quade_posthoc([[1, 2, 3]] * 4)):
            assert p_values(family) == [None] * 3
            assert "zero-variance" in codes(family)
            assert family.outcomes[0].effect.value is not None
        assert None not in p_values(quade_posthoc([[1, 2, 3]] * 4, variant="z"))

    def test_logarithms_of_t_tails(self) -> None:
        blocks = np.arange(20.0) + np.random.default_rng(0).normal(0, 0.3, size=(300, 20))
        family = conover_friedman(blocks)
        logs, p = column(family, "log10_p_unadjusted"), column(family, "p_unadjusted")
        assert p[18] == 0.0
        assert -100_000 < logs[18] < -300
        seen = np.array(p) > 1e-280
        assert np.array(logs)[seen] == pytest.approx(np.log10(np.array(p)[seen]), rel=1e-9)


class TestWilcoxonPairs:
    @given(seed=st.integers(0, 1000))
    @settings(max_examples=30)
    def test_every_pair_is_a_wilcoxon_test(self, seed: int) -> None:
        blocks = random_blocks(seed, n=14, k=3)  # one decimal: ties and zeros abound
        for variant, way in (("exact", "exact"), ("normal", "normal")):
            family = wilcoxon_pairs(blocks, adjustment="none", variant=variant)  # type: ignore[arg-type]
            for (i, j), outcome in zip(((0, 1), (0, 2), (1, 2)), family.outcomes, strict=True):
                alone = wilcoxon(blocks[:, i], blocks[:, j], method=way)  # type: ignore[arg-type]
                assert outcome.p_value == pytest.approx(alone.p_value, rel=1e-10)
                assert outcome.statistic == alone.statistic

    def test_estimates_and_intervals_without_ties(self) -> None:
        blocks = np.random.default_rng(3).normal([0.0, 0.2, 0.4, 0.9], size=(25, 4))
        family = wilcoxon_pairs(blocks, adjustment="none")
        for outcome, (i, j) in zip(
            family.outcomes, np.argwhere(np.triu(np.ones((4, 4)), 1)), strict=True
        ):
            alone = wilcoxon(blocks[:, i], blocks[:, j]).effect
            assert outcome.effect.value == pytest.approx(alone.value, rel=1e-12)
            assert alone.interval is not None
            assert outcome.effect.interval is not None
            assert outcome.effect.interval.low == pytest.approx(alone.interval.low, rel=1e-9)
            assert outcome.effect.interval.high == pytest.approx(alone.interval.high, rel=1e-9)

    def test_limits_of_many_blocks_by_the_normal_distribution(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        blocks = np.random.default_rng(2).normal([0.0, 0.1, 0.4], size=(280, 3))
        exact = wilcoxon_pairs(blocks, variant="normal")
        monkeypatch.setattr("assay.kernels.signed_rank_pairs.UNTIED_MOST", 10)
        normal = wilcoxon_pairs(blocks, variant="normal")
        for one, other in zip(exact.outcomes, normal.outcomes, strict=True):
            assert one.effect.interval is not None
            assert other.effect.interval is not None
            width = one.effect.interval.width
            assert other.effect.value == one.effect.value
            assert other.effect.interval.low == pytest.approx(
                one.effect.interval.low, abs=0.01 * width
            )
            assert other.effect.interval.high == pytest.approx(
                one.effect.interval.high, abs=0.01 * width
            )

    def test_normal_where_exact_is_too_long(self) -> None:
        blocks = np.round(np.random.default_rng(0).normal(size=(1300, 2)), 3)
        assert "normal-used" in codes(wilcoxon_pairs(blocks))

    def test_models_that_never_differ(self) -> None:
        family = wilcoxon_pairs({"A": [1, 2, 3], "B": [1, 2, 3], "C": [2, 3, 4]})
        same, constant = family.outcomes[0], family.outcomes[1]
        assert same.p_value == 1.0
        assert same.effect.interval is None
        assert [note.code for note in same.notes] == ["no-disagreement"]
        assert constant.effect.value == -1.0
        assert [note.code for note in constant.notes] == ["zero-variance"]

    def test_zeros_are_noted(self) -> None:
        family = wilcoxon_pairs([[1, 1], [2, 1], [3, 1], [5, 2]])
        (zeros,) = family.outcomes[0].notes
        assert zeros.code == "zeros-dropped"
        assert "1 of 4 differences is zero" in zeros.message

    def test_one_and_the_same_difference_is_all_that_an_exact_test_accepts(self) -> None:
        interval = wilcoxon_pairs([[i, i + 1] for i in range(9)]).outcomes[0].effect.interval
        assert interval is not None
        assert (interval.low, interval.high) == (-1.0, -1.0)

    def test_normal_p_where_it_is_asked_for(self) -> None:
        blocks = random_blocks(4, n=9, k=2)
        found = wilcoxon_pairs(blocks, variant="normal").outcomes[0].p_value
        due = stats.wilcoxon(blocks[:, 0], blocks[:, 1], method="approx").pvalue
        assert found == pytest.approx(due, rel=1e-12)

    def test_one_and_the_same_difference_is_noted(self) -> None:
        family = wilcoxon_pairs({"A": [1, 2, 3, 5], "B": [2, 3, 4, 6], "C": [4, 2.5, 9, 1]})
        assert [[note.code for note in one.notes] for one in family.outcomes] == [
            ["zero-variance"],
            [],
            [],
        ]

    def test_too_few_data_sets(self) -> None:
        """Five data sets: the smallest p of a pair is 2/32, ten pairs multiply it by ten."""
        family = wilcoxon_pairs(random_blocks(1, n=5, k=5))
        (note,) = (one for one in family.notes if one.code == "cannot-reach-alpha")
        assert "the smallest possible p-value is 0.625" in note.message
        assert "cannot-reach-alpha" not in codes(wilcoxon_pairs(random_blocks(1, n=12, k=5)))

    @pytest.mark.parametrize("strong", [0.0, 3.0])
    def test_family_wise_error(self, strong: float) -> None:
        """All models equal, or all but one, which Friedman as a gate would not protect."""
        rng = np.random.default_rng(17)
        wrong = {"wilcoxon": 0, "nemenyi": 0}
        for _ in range(300):
            blocks = rng.normal(size=(14, 6))
            blocks[:, 0] += strong
            for name, family in (
                ("wilcoxon", wilcoxon_pairs(blocks)),
                ("nemenyi", nemenyi(blocks)),
            ):
                wrong[name] += any(
                    outcome.rejects(0.05)
                    for (a, _), outcome in zip(family.pairs, family.outcomes, strict=True)
                    if strong == 0.0 or a != "model 1"
                )
        assert max(wrong.values()) <= 30  # 99.98 % of binomial(300, 0.05)


class TestEveryFamily:
    @pytest.mark.parametrize("test", ALL_PAIRS)
    @pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
    def test_the_interval_decides(self, test: Any, level: float) -> None:
        for seed in range(12):
            blocks = random_blocks(seed, n=15, k=4) + np.array([0.0, 0.5, 0.9, 1.5])
            for outcome in test(blocks, level=level).outcomes:
                interval = outcome.effect.interval
                assert (outcome.p_value <= 1 - level) == (not interval.contains(0.0))

    @pytest.mark.parametrize("adjustment", ["holm", "hochberg", "finner", "li", "bh", "shaffer"])
    @pytest.mark.parametrize("test", [friedman_posthoc, wilcoxon_pairs])
    def test_the_interval_decides_for_every_adjustment(self, test: Any, adjustment: str) -> None:
        for seed in range(10):
            blocks = random_blocks(seed, n=20, k=4) + np.array([0.0, 0.3, 0.6, 1.0])
            for outcome in test(blocks, adjustment=adjustment).outcomes:
                assert outcome.rejects(0.05) == (not outcome.effect.interval.contains(0.0))

    @pytest.mark.parametrize("test", ALL_PAIRS)
    def test_a_constant_per_data_set_changes_nothing(self, test: Any) -> None:
        blocks = np.round(np.random.default_rng(8).normal(0.7, 0.1, size=(20, 5)), 3)
        shifted = blocks + np.random.default_rng(9).integers(-5, 5, size=(20, 1)) / 10
        assert p_values(test(shifted)) == pytest.approx(p_values(test(blocks)), rel=1e-9)

    @pytest.mark.parametrize("test", ALL_PAIRS)
    @given(seed=st.integers(0, 100))
    @settings(max_examples=20)
    def test_order_of_blocks_and_models(self, test: Any, seed: int) -> None:
        rng = np.random.default_rng(seed)
        blocks = random_blocks(seed)
        columns = dict(zip("ABCD", blocks.T, strict=True))
        order = rng.permutation(list("ABCD")).tolist()
        rows = rng.permutation(12)
        one, other = test(columns), test({name: columns[name][rows] for name in order})
        found = {frozenset(pair): p for pair, p in zip(other.pairs, p_values(other), strict=True)}
        for pair, outcome in zip(one.pairs, one.outcomes, strict=True):
            assert found[frozenset(pair)] == pytest.approx(outcome.p_value, rel=1e-9)

    @pytest.mark.parametrize("test", ALL_PAIRS[:5])
    def test_direction_turns_the_effect(self, test: Any) -> None:
        blocks = random_blocks(4)
        assert test(blocks) == test(-blocks, direction="lower")
        for one, other in zip(test(blocks).outcomes, test(-blocks).outcomes, strict=True):
            assert one.effect.value == pytest.approx(-other.effect.value, abs=1e-12)
            assert one.p_value == pytest.approx(other.p_value, rel=1e-9)

    @pytest.mark.parametrize("test", CONTROL)
    def test_model_minus_control(self, test: Any) -> None:
        family = test({"A": [3, 4, 5, 6.5], "B": [1, 2.5, 3, 4], "C": [2, 3, 5, 4.5]}, control="B")
        assert family.pairs == (("A", "B"), ("C", "B"))
        sign = 1 if test is wilcoxon_pairs else -1  # rank 1 is the best
        assert all(sign * outcome.effect.value > 0 for outcome in family.outcomes)

    @pytest.mark.parametrize("test", [*ALL_PAIRS, friedman, quade])
    def test_folds_are_not_independent_blocks(self, test: Any) -> None:
        assert "folds-overlap" in {note.code for note in test(random_blocks(3), unit="fold").notes}

    @pytest.mark.parametrize("test", ALL_PAIRS)
    def test_survives_the_wire(self, test: Any) -> None:
        family = test(random_blocks(3))
        assert from_json(to_json(family)) == family

    @pytest.mark.parametrize("test", ALL_PAIRS)
    def test_missing_cells_are_named(self, test: Any) -> None:
        with pytest.raises(EvidenceError, match="row 2 of B"):
            test({"A": [1, 2, 3], "B": [3, None, 1]})
