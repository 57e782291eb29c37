"""Comparisons over folds, seeds and data sets: the procedure from the unit, gaps by name."""

from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import EvidenceError, UsageError
from tests.support import shared_table

RNG = np.random.default_rng(7)


def folds(k: int, repeats: int = 1, models: int = 2) -> dict[str, Any]:
    n = k * repeats
    table: dict[str, Any] = {
        "repeat": np.repeat(np.arange(repeats), k),
        "fold": np.tile(np.arange(k), repeats),
    }
    for place in range(models):
        table[f"m{place}"] = 0.8 - 0.1 * place + RNG.normal(0, 0.02, n)
    return table


def datasets(n: int, models: int = 2) -> dict[str, Any]:
    level = RNG.uniform(0.5, 0.95, n)
    table: dict[str, Any] = {"dataset": [f"set {i}" for i in range(n)]}
    for place in range(models):
        table[f"m{place}"] = level - 0.04 * place + RNG.normal(0, 0.01, n)
    return table


class TestFolds:
    def test_two_algorithms(self) -> None:
        table = folds(10)
        result = assay.compare(table, measure="accuracy")
        assert result.choice.method == "corrected_resampled_t"
        d = table["m0"] - table["m1"]
        t = d.mean() / (d.std(ddof=1) * np.sqrt(1 / 10 + 1 / 9))
        assert result.verdict.outcome.statistic == pytest.approx(t)
        assert result.verdict.outcome.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-9)
        assert result.measure == "accuracy"
        assert "samples of this size" in str(result)

    def test_repeated_folds_use_the_ratio_of_one_run(self) -> None:
        table = folds(10, repeats=10)
        d = table["m0"] - table["m1"]
        t = d.mean() / (d.std(ddof=1) * np.sqrt(1 / 100 + 1 / 9))
        assert assay.compare(table).verdict.outcome.statistic == pytest.approx(t)

    def test_sizes_in_the_table_are_used(self) -> None:
        table = folds(5) | {"n_train": [60] * 5, "n_test": [40] * 5}
        d = table["m0"] - table["m1"]
        t = d.mean() / (d.std(ddof=1) * np.sqrt(1 / 5 + 40 / 60))
        assert assay.compare(table).verdict.outcome.statistic == pytest.approx(t)

    def test_five_times_two_shows_its_own_tests(self) -> None:
        titles = [title for title, _ in assay.compare(folds(2, repeats=5)).also]
        assert any("5x2cv F" in title for title in titles)
        assert any("do not use" in title for title in titles)

    def test_no_test_of_all_at_once_decides_over_folds(self) -> None:
        """Those that take folds as independent call equal algorithms different; they say so beside."""
        result = assay.compare(folds(5, repeats=10, models=3), measure="accuracy")
        assert result.omnibus is None
        beside = {title: outcome for title, outcome in result.also if "ANOVA" in title}
        assert "repeated-measures ANOVA: takes folds as independent" in beside
        for outcome in beside.values():
            assert "folds-overlap" in [one.code for one in outcome.notes]
        assert "ANOVA" not in str(result)

    def test_many_algorithms_with_holm(self) -> None:
        result = assay.compare(folds(10, models=4))
        assert len(result.verdicts) == 6
        unadjusted = [dict(v.outcome.details)["p_unadjusted"] for v in result.verdicts]
        adjusted = [v.outcome.p_value for v in result.verdicts]
        assert adjusted == pytest.approx(list(assay.adjust(unadjusted, method="holm")))
        for verdict in result.verdicts:
            interval = verdict.outcome.effect.interval
            assert interval is not None
            assert ((verdict.outcome.p_value or 0) <= 0.05) == (not interval.contains(0.0))

    def test_against_a_level(self) -> None:
        table = folds(10, models=1)
        result = assay.compare(table, against=0.6)
        assert result.choice.method == "corrected_t_one"
        assert result.verdict.word == "higher"
        assert assay.compare(table, against=0.6, measure="accuracy").verdict.word == "better"

    def test_against_a_level_over_repeated_five_folds(self) -> None:
        table = folds(5, repeats=10, models=1)
        result = assay.compare(table, against=0.6, measure="accuracy")
        assert result.choice.method == "cautious_t_one"
        # the interval shown for the model is that of the test
        shown, tested = result.estimates[0].interval, result.verdict.outcome.effect.interval
        assert shown is not None
        assert tested is not None
        assert (shown.low, shown.high) == pytest.approx((tested.low, tested.high))
        assert any("one times the correction" in title for title, _ in result.also)
        assert "unheld-folds" not in {one.code for one in result.notes}
        assert "unheld-folds" in {
            one.code for one in assay.compare(folds(10, models=1), against=0.6).notes
        }

    def test_more_folds_are_not_more_data(self) -> None:
        table = folds(10)
        table["m1"] = table["m0"] + RNG.normal(0, 0.05, 10)
        verdict = assay.compare(table, margin=0.001).verdict
        assert verdict.word == "undecided"
        assert verdict.needed is None
        assert "These splits do not show which is better: add data or repeats" in verdict.sentence

    def test_beyond_fifty_splits_only_data_help(self) -> None:
        table = folds(5, repeats=10)
        table["m1"] = table["m0"] + RNG.normal(0, 0.05, 50)
        verdict = assay.compare(table).verdict
        assert verdict.word == "undecided"
        assert "These splits do not show which is better: add data, not repeats" in verdict.sentence


class TestSeeds:
    def test_welch_on_the_means(self) -> None:
        a, b = RNG.normal(1.5, 0.1, 6), RNG.normal(1.0, 0.3, 6)
        result = assay.compare({"seed": range(6), "a": a, "b": b})
        assert result.choice.method == "two_sample_t"
        expected = stats.ttest_ind(a, b, equal_var=False).pvalue
        assert result.verdict.outcome.p_value == pytest.approx(expected, rel=1e-9)
        assert result.evidence.unit == "seed"

    def test_against_a_level(self) -> None:
        result = assay.compare({"seed": range(5), "a": [0.8, 0.82, 0.81, 0.83, 0.8]}, against=0.7)
        assert result.choice.method == "one_sample_t"
        assert result.verdict.word == "higher"

    def test_better_only_by_name_or_by_word(self) -> None:
        table = {"seed": range(6), "a": RNG.normal(1.5, 0.1, 6), "b": RNG.normal(1.0, 0.1, 6)}
        assert assay.compare(table).verdict.word == "higher"
        assert assay.compare(table, lower_is_better=False).verdict.word == "better"
        assert assay.compare(table, measure="loss").verdict.word == "worse"
        assert assay.compare(table, lower_is_better=True).verdict.word == "worse"


class TestDatasets:
    def test_two_algorithms(self) -> None:
        table = datasets(15)
        result = assay.compare(table)
        assert result.choice.method == "wilcoxon"
        expected = stats.wilcoxon(table["m0"], table["m1"], method="exact").pvalue
        assert result.verdict.outcome.p_value == pytest.approx(expected, rel=1e-9)
        assert result.posteriors[0].method == "bayes_signed_rank"

    def test_repeats_inside_a_data_set_are_averaged(self) -> None:
        table = datasets(12)
        long = {
            "dataset": table["dataset"] * 3,
            "fold": np.repeat([0, 1, 2], 12),
            **{
                m: np.concatenate([table[m] + shift for shift in (-0.01, 0, 0.01)])
                for m in ("m0", "m1")
            },
        }
        one, other = assay.compare(table), assay.compare(long)
        assert one.verdict.outcome.p_value == other.verdict.outcome.p_value
        assert other.evidence.unit == "dataset"
        assert "averaged" in other.evidence.description

    def test_many_algorithms_are_not_gated(self) -> None:
        result = assay.compare(datasets(20, models=5))
        assert result.choice.method == "wilcoxon_pairs"
        assert result.omnibus is not None
        assert result.omnibus.method == "iman_davenport"
        assert [title for title, _ in result.families] == [
            "Nemenyi",
            "mean ranks with Holm",
            "mean ranks with Shaffer",
        ]

    def test_a_baseline_has_bonferroni_dunn_beside_it(self) -> None:
        result = assay.compare(datasets(20, models=5), baseline="m4")
        assert len(result.verdicts) == 4
        assert result.families[0][0] == "Bonferroni-Dunn"

    def test_long_and_wide_say_the_same(self) -> None:
        table = datasets(9, models=3)
        long = {
            "dataset": table["dataset"] * 3,
            "model": ["m0"] * 9 + ["m1"] * 9 + ["m2"] * 9,
            "accuracy": np.concatenate([table[m] for m in ("m0", "m1", "m2")]),
        }
        one, other = assay.compare(table, measure="accuracy"), assay.compare(long)
        assert [v.outcome.p_value for v in one.verdicts] == [
            v.outcome.p_value for v in other.verdicts
        ]
        assert other.measure == "accuracy"

    def test_rows_in_any_order(self) -> None:
        table = datasets(11)
        order = RNG.permutation(11)
        shuffled = {name: [list(values)[i] for i in order] for name, values in table.items()}
        assert assay.compare(table, rng=1).verdict == assay.compare(shuffled, rng=1).verdict

    def test_few_data_sets_cannot_decide(self) -> None:
        result = assay.compare(datasets(4))
        assert result.verdict.word == "undecided"


class TestMissingCells:
    def table(self) -> dict[str, Any]:
        table = datasets(10, models=3)
        table["m1"] = [None if i == 3 else value for i, value in enumerate(table["m1"])]
        return table

    def test_are_refused_by_name(self) -> None:
        with pytest.raises(EvidenceError, match=r"1 score is missing \(m1 on set 3\)"):
            assay.compare(self.table())

    def test_complete_rows(self) -> None:
        result = assay.compare(self.table(), missing="complete")
        assert result.verdicts[0].outcome.effect.n == 9

    def test_a_mean_over_easier_data_sets_is_no_lead(self) -> None:
        """B lacks the hard data sets: its mean is the highest, and A is ahead of it in every pair."""
        easy, hard = np.linspace(0.8, 0.95, 12), np.linspace(0.3, 0.45, 6)
        a = np.r_[easy, hard] + 0.02
        b = np.r_[easy, np.full(6, np.nan)]
        table = {"A": a, "B": b, "C": np.r_[easy, hard] - 0.02}
        found = assay.compare(
            table, unit="dataset", missing="skillings-mack", lower_is_better=False
        )
        means = {one.model: one.value for one in found.estimates}
        assert max(means, key=lambda model: means[model] or 0.0) == "B"
        assert found.sentence.startswith("A is ahead in the most pairs")
        assert "highest" not in found.sentence

    def test_skillings_mack(self) -> None:
        result = assay.compare(self.table(), missing="skillings-mack")
        assert result.omnibus is not None
        assert result.omnibus.method == "skillings_mack"
        assert {v.outcome.effect.n for v in result.verdicts} == {9, 10}
        assert "missing-cells" in {note.code for note in result.notes}


class TestErrors:
    def test_two_scores_at_one_place(self) -> None:
        with pytest.raises(EvidenceError, match=r"two scores of 'm0'.*leave out unit="):
            assay.compare({"dataset": ["a", "a"], "m0": [1.0, 2.0], "m1": [1.0, 2.0]})

    def test_several_measures_need_a_name(self) -> None:
        long = {
            "dataset": ["a", "b"] * 2,
            "model": ["x", "x", "y", "y"],
            "f1": [1, 2, 3, 4],
            "mcc": [1, 2, 3, 4],
        }
        with pytest.raises(UsageError, match=r"Which measure .* is compared\? It has 'f1', 'mcc'"):
            assay.compare(long)

    def test_items_are_not_in_scores(self) -> None:
        with pytest.raises(UsageError, match="read them again with unit='item'"):
            assay.compare(assay.read(datasets(5)), unit="item")


@pytest.mark.parametrize(
    "name",
    ["garcia_herrera_2008.csv", "garcia_et_al_2010.csv", "demsar_2006_table6.csv", "blum_2015.csv"],
)
def test_published_tables_run_end_to_end(name: str) -> None:
    result = assay.compare(str(shared_table(name)), unit="dataset", rng=1)
    assert result.verdicts
    assert result.sentence


class TestEqualDifferences:
    """One model wins everywhere by the same amount (decision 0083)."""

    @pytest.mark.parametrize("models", [2, 3])
    def test_is_decided_by_the_signs(self, models: int) -> None:
        base = np.linspace(0.5, 0.9, 9)
        table: dict[str, Any] = {
            "dataset": [f"d{i}" for i in range(9)],
            "a": base + 0.02,
            "b": base,
        }
        if models == 3:
            table["c"] = base - 0.01 * np.arange(9)
        found = assay.compare(table, measure="accuracy")
        verdict = next(one for one in found.verdicts if {one.a, one.b} == {"a", "b"})
        interval = verdict.outcome.effect.interval
        assert verdict.word == "better"
        assert interval is not None
        assert interval.low == interval.high == pytest.approx(0.02)
        assert any(one.code == "zero-variance" for one in found.notes)

    def test_too_few_data_sets_stay_undecided(self) -> None:
        found = assay.compare({"dataset": list("abcde"), "u": [0.7] * 5, "v": [0.6] * 5})
        assert found.verdicts[0].word == "undecided"

    def test_no_difference_at_all_is_no_win(self) -> None:
        found = assay.compare(
            {"dataset": list("abcdefgh"), **{m: np.linspace(0.5, 0.9, 8) for m in "uvw"}}
        )
        assert {one.word for one in found.verdicts} == {"undecided"}


class TestRowsInUse:
    def table(self) -> dict[str, Any]:
        rng = np.random.default_rng(3)
        a, b = rng.uniform(0.6, 0.8, 20), rng.uniform(0.6, 0.8, 20)
        a[3] = b[4] = np.nan
        return {"dataset": [f"d{i}" for i in range(20)], "a": a, "b": b}

    @pytest.mark.parametrize(("missing", "rows"), [("complete", 18), ("skillings-mack", 19)])
    def test_complete_rows_are_the_only_ones_counted(self, missing: str, rows: int) -> None:
        table = self.table()
        if missing == "skillings-mack":
            table["c"] = np.linspace(0.5, 0.9, 20)
        found = assay.compare(table, missing=missing, measure="accuracy")
        record: dict[str, Any] = dict(found.verdicts[0].outcome.details)
        assert record["won"] + record["tied"] + record["lost"] == 18
        assert found.estimates[0].n == rows

    def test_cells_of_fewer_folds_are_told(self) -> None:
        rows = [(f"d{d}", m, f, 0.5 + 0.01 * d + 0.003 * f + 0.02 * (m == "a"))
                for d in range(8) for m in "ab" for f in range(5)
                if not (d == 2 and m == "b" and f > 2)]  # fmt: skip
        columns = dict(
            zip(("dataset", "model", "fold", "accuracy"), zip(*rows, strict=True), strict=True)
        )
        notes = {one.code: one.message for one in assay.compare(columns, unit="dataset").notes}
        assert "b on d2 is the mean of 3 of 5" in notes["uneven-cells"]
        whole = [row for row in rows if row[0] != "d2"]
        columns = dict(zip(columns, zip(*whole, strict=True), strict=True))
        codes = {one.code for one in assay.compare(columns, unit="dataset").notes}
        assert "uneven-cells" not in codes


class TestManyModels:
    def test_families_too_large_are_refused_with_a_way_out(self) -> None:
        table = {"dataset": list("abcdef")} | {
            f"m{i}": np.arange(6) / 9 + i / 1e4 for i in range(450)
        }
        with pytest.raises(EvidenceError, match=r"101,025 pairs.*baseline"):
            assay.compare(table, measure="accuracy")

    def test_what_stands_beside_is_left_out_of_very_many(self) -> None:
        rng = np.random.default_rng(2)
        table = {"fold": np.arange(5)} | {f"m{i}": rng.random(5) for i in range(66)}
        found = assay.compare(table, measure="accuracy")
        assert len(found.verdicts) == 2145
        assert found.families == ()
        assert found.posteriors == ()


class TestSeedsThatGoTogether:
    def test_runs_that_rise_and_fall_together_may_be_pairs(self) -> None:
        rng = np.random.default_rng(3)
        start = rng.normal(200, 50, 12)
        together = {"seed": np.arange(12), "ppo": start, "sac": start + 10 + rng.normal(0, 2, 12)}
        found = assay.compare(together, measure="reward", lower_is_better=False)
        assert found.verdict.word == "undecided"
        assert "seeds-go-together" in {one.code for one in found.notes}
        apart = {**together, "sac": rng.permutation(together["sac"])}
        found = assay.compare(apart, measure="reward", lower_is_better=False)
        assert "seeds-go-together" not in {one.code for one in found.notes}


class TestTiesOverDataSets:
    TABLE: ClassVar[dict[str, Any]] = {
        "dataset": [f"set {i}" for i in range(20)],
        "old": np.linspace(0.6, 0.9, 20),
        "new": np.linspace(0.6, 0.9, 20) + np.r_[np.zeros(12), np.arange(1, 9) / 100],
    }

    def test_the_effect_is_that_of_the_sets_that_differ(self) -> None:
        found = assay.compare(self.TABLE, measure="accuracy", margin=0.019)
        assert "pseudo-median of the 8 that differ" in found.sentence
        assert (
            "With the 12 without a difference it may be smaller than the margin" in found.sentence
        )
        row = next(
            line for line in found.summary().splitlines() if line.startswith("pseudo-median")
        )
        assert row.split("]")[1].split()[0] == "8"

    def test_without_ties_the_difference_exceeds_the_margin(self) -> None:
        differ = {name: column[12:] for name, column in self.TABLE.items()}
        found = assay.compare(differ, measure="accuracy", margin=0.019)
        assert "(pseudo-median," in found.sentence
        assert "exceeds the margin 0.019" in found.sentence
