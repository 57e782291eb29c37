"""What is shown beside the verdict, as the table of procedures names it."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import assay

RNG = np.random.default_rng(4)


def wide(n: int, k: int, unit: str) -> dict[str, Any]:
    base = RNG.normal(0.7, 0.1, n)
    return {unit: [f"{unit}{i}" for i in range(n)]} | {
        f"m{place}": base + 0.02 * place + RNG.normal(0, 0.03, n) for place in range(k)
    }


class TestDataSets:
    def test_every_omnibus_and_family_is_that_of_the_catalogue(self) -> None:
        data = wide(15, 4, "dataset")
        found = assay.compare(data)
        table = np.column_stack([data[f"m{place}"] for place in range(4)])
        also = dict(found.also)
        assert also["Quade: larger differences weigh more"].p_value == assay.quade(table).p_value
        aligned = assay.friedman_aligned_ranks(table)
        assert also["Friedman's aligned ranks"].p_value == aligned.p_value
        families = dict(found.families)
        assert list(families) == ["Nemenyi", "mean ranks with Holm", "mean ranks with Shaffer"]
        shaffer = assay.friedman_posthoc(table, adjustment="shaffer", unit="dataset")
        assert [o.p_value for o in families["mean ranks with Shaffer"].outcomes] == [
            o.p_value for o in shaffer.outcomes
        ]

    def test_families_stand_side_by_side(self) -> None:
        found = assay.compare(wide(15, 4, "dataset"))
        text = assay.render(found, details=True)
        assert "the same pairs by other families of tests" in " ".join(text.split())
        assert all(name in text for name in ("Nemenyi", "with Holm", "with Shaffer"))
        assert "p: Nemenyi" in assay.render(found, "csv").splitlines()[0]

    def test_against_a_baseline_shaffer_has_no_place(self) -> None:
        found = assay.compare(wide(15, 4, "dataset"), baseline="m0")
        assert list(dict(found.families)) == ["Bonferroni-Dunn", "mean ranks with Holm"]

    def test_the_sign_test_keeps_its_own_scale(self) -> None:
        found = assay.compare(wide(15, 2, "dataset"), measure="accuracy")
        sign = dict(found.also)["sign test: of the median difference"]
        assert sign.effect.measure == "sign_balance"
        assert "balance of signs" in assay.render(found, details=True)


class TestFolds:
    def test_anova_and_tukey(self) -> None:
        found = assay.compare(wide(10, 3, "fold"))
        assert "one-way ANOVA: ignores the folds in common" in dict(found.also)
        assert list(dict(found.families)) == ["Tukey, ignoring folds"]

    def test_what_nobody_reads_does_not_hold_up_many_candidates(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(import_module("assay.compare.score_procedures"), "MANY_PAIRS_BESIDE", 2)
        assert assay.compare(wide(10, 3, "fold")).families == ()

    def test_predictions_of_one_cross_validation(self) -> None:
        truth = RNG.integers(0, 2, 200)
        data = {"y": truth, "fold": np.arange(200) % 5} | {
            name: np.where(RNG.random(200) < share, truth, 1 - truth)
            for name, share in (("a", 0.9), ("b", 0.8))
        }
        found = assay.compare(data, truth="y", unit="item")
        outcome = dict(found.also)["central limit of cross-validated errors"]
        losses = [(data[name] == truth).astype(float) for name in "ab"]
        expected = assay.paired_cv_bayle(*losses, data["fold"])
        assert outcome.p_value == expected.p_value

    def test_scores_of_several_models_in_one_ranking_are_warned_about(self) -> None:
        truth = RNG.integers(0, 2, 200)
        data = {"y": truth, "a:score": RNG.random(200), "b:score": RNG.random(200) + 0.3 * truth}
        found = assay.compare({**data, "fold": np.arange(200) % 5}, truth="y", unit="item")
        assert "pooled-scores" in {note.code for note in found.notes}
        alone = assay.compare(data, truth="y")
        assert "pooled-scores" not in {note.code for note in alone.notes}

    def test_readers_in_one_ranking_are_warned_about_and_one_reader_is_not(self) -> None:
        truth = np.tile(RNG.integers(0, 2, 40), 3)
        data = {"y": truth, "case": np.tile(np.arange(40), 3), "reader": np.repeat([1, 2, 3], 40)}
        data |= {name: RNG.random(120) + 0.4 * truth for name in ("ct:score", "mri:score")}
        roles: dict[str, Any] = {"truth": "y", "id": "case", "repeat": "reader"}
        warned = {one.code: one.message for one in assay.compare(data, **roles).notes}
        assert "these 3, not to others" in warned["pooled-repeats"]
        first = {name: values[:40] for name, values in data.items()}
        assert "pooled-repeats" not in {one.code for one in assay.compare(first, **roles).notes}
        labels = {
            name: (values > 0.7) * 1 if ":" in name else values for name, values in data.items()
        }
        labels = {name.replace(":score", ":label"): values for name, values in labels.items()}
        assert "pooled-repeats" not in {one.code for one in assay.compare(labels, **roles).notes}


class TestSeeds:
    def test_runs_have_their_own_measures(self) -> None:
        data = wide(6, 2, "seed")
        also = dict(assay.compare(data, rng=1).also)
        chance = also["probability of improvement"]
        expected = assay.probability_of_improvement(data["m0"], data["m1"])
        assert chance.effect.value == expected.value
        assert chance.p_value is None
        assert also["almost stochastic order: better mean first"].method == "aso"
        paired = assay.paired_t(data["m0"], data["m1"])
        assert also["paired t over shared seeds"].p_value == pytest.approx(paired.p_value)

    def test_seeds_that_are_not_shared_are_not_paired(self) -> None:
        long = {
            "seed": [1, 2, 3, 4, 5, 6],
            "model": ["a"] * 3 + ["b"] * 3,
            "accuracy": [0.7, 0.8, 0.75, 0.6, 0.65, 0.7],
        }
        assert "paired t over shared seeds" not in dict(assay.compare(long).also)


class TestDifferentItems:
    def test_newcombe_unpooled_and_fisher(self) -> None:
        truth = np.arange(150) % 2
        a, b = (np.where(np.arange(150) < wrong, 1 - truth, truth) for wrong in (38, 12))
        apart = assay.read({"y": truth, "a": a}, {"y": truth, "b": b}, truth="y", paired=False)
        also = dict(assay.compare(apart).also)
        names = ["Newcombe's interval, without a test", "two proportions z, unpooled"]
        assert list(also) == [*names, "Fisher's exact test"]
        hybrid = also[names[0]]
        assert hybrid.p_value is None
        interval, errors = hybrid.effect.interval, assay.newcombe(38, 150, 12, 150).interval
        assert interval is not None
        assert errors is not None
        assert (interval.low, interval.high) == (-errors.high, -errors.low)
        assert also["Fisher's exact test"].p_value == assay.fisher_exact(38, 150, 12, 150).p_value
