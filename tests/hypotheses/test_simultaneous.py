"""Many models at once, and two on different items: the bootstrap of differences."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.results import FamilyOutcome
from assay.estimates import resampling_cells
from assay.estimates.resampling_cells import MANY_MEANS
from assay.hypotheses import simultaneous
from assay.hypotheses.independent_measures import independent_bootstrap
from assay.hypotheses.simultaneous import pairs_of, simultaneous_bootstrap


def worlds(seed: int, n: int, errors: list[float]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    models = {f"m{i}": np.where(rng.random(n) < e, 1 - truth, truth) for i, e in enumerate(errors)}
    return {"truth": truth, **models}


class TestSimultaneousBootstrap:
    def test_two_models_are_close_to_mcnemar(self) -> None:
        evidence = worlds(1, 2000, [0.2, 0.25])
        together = simultaneous_bootstrap(evidence, rng=1).outcomes[0]
        alone = assay.compare(evidence).verdict.outcome
        assert together.effect.value == pytest.approx(alone.effect.value)
        assert together.p_value == pytest.approx(alone.p_value, abs=0.01)

    def test_family_wise_error_with_equal_models(self) -> None:
        """Five models of the same accuracy; any difference claimed is false."""
        false = 0
        for seed in range(200):
            family = simultaneous_bootstrap(worlds(seed, 300, [0.2] * 5), n_resamples=499, rng=seed)
            false += any((outcome.p_value or 0) <= 0.05 for outcome in family.outcomes)
        assert stats.binomtest(false, 200, 0.055, alternative="greater").pvalue > 0.001
        assert false > 0  # a test that never rejects would not be one

    def test_intervals_hold_together(self) -> None:
        """All ten differences are covered at once in about 95 % of the worlds."""
        covered = 0
        for seed in range(200):
            family = simultaneous_bootstrap(worlds(seed, 300, [0.2] * 5), n_resamples=499, rng=seed)
            covered += all(
                o.effect.interval is not None and o.effect.interval.contains(0.0)
                for o in family.outcomes
            )
        assert stats.binomtest(covered, 200, 0.945, alternative="less").pvalue > 0.001

    def test_means_of_few_items_are_as_careful_as_t(self) -> None:
        """Two models: the multiplier is t's, and the standard error that of the paired t test."""
        losses = np.random.default_rng(8).standard_normal((2, 12))
        evidence = assay.read({"a:loss": losses[0], "b:loss": losses[1]}, losses=True)
        family = simultaneous_bootstrap(evidence, measure="mean_loss", n_resamples=9999, rng=1)
        multiplier = dict(family.details)["multiplier"]
        alone = assay.paired_t(*losses).effect.standard_error
        assert multiplier == pytest.approx(stats.t(11).ppf(0.975), rel=0.06)
        assert family.outcomes[0].effect.standard_error == pytest.approx(alone, rel=0.03)

    def test_the_names_of_models_do_not_move_the_draws(self) -> None:
        losses = np.random.default_rng(9).standard_normal((4, 25))

        def p_values(names: str) -> dict[frozenset[str], float | None]:
            columns = {f"{name}:loss": losses["abcd".index(name)] for name in names}
            found = simultaneous_bootstrap(
                assay.read(columns, losses=True), measure="mean_loss", n_resamples=199, rng=3
            )
            return {
                frozenset(pair): one.p_value
                for pair, one in zip(found.pairs, found.outcomes, strict=True)
            }

        assert p_values("abcd") == p_values("dbac")

    def test_models_that_no_item_tells_apart(self) -> None:
        evidence = worlds(2, 100, [0.1])
        family = simultaneous_bootstrap(
            {**evidence, "copy": evidence["m0"]}, rng=1, n_resamples=199
        )
        (outcome,) = family.outcomes
        assert outcome.p_value == 1.0
        interval = outcome.effect.interval
        assert interval is not None
        z2 = stats.norm.ppf(0.975) ** 2
        assert interval.high == pytest.approx(z2 / (100 + z2))
        assert "no-disagreement" in {note.code for note in outcome.notes}

    @pytest.mark.parametrize("scale", [1e-14, 1.0, 1e6])
    def test_an_unbounded_measure_that_does_not_vary_has_no_interval(self, scale: float) -> None:
        loss = np.random.default_rng(1).random(60) * scale
        other = np.random.default_rng(2).random(60) * scale
        losses = {"a:loss": loss, "copy:loss": loss, "more:loss": loss + scale, "c:loss": other}
        family = simultaneous_bootstrap(losses, measure="mean_loss", rng=1, n_resamples=199)
        found = dict(zip(family.pairs, family.outcomes, strict=True))
        alike, apart = found["a", "copy"], found["a", "more"]
        assert alike.effect.value == 0.0
        assert (alike.p_value, alike.effect.interval) == (1.0, None)
        assert [note.code for note in alike.notes] == ["no-disagreement"]
        assert apart.effect.value == pytest.approx(-scale)
        assert (apart.p_value, apart.effect.interval) == (None, None)
        assert [note.code for note in apart.notes] == ["zero-variance"]
        assert found["a", "c"].effect.interval is not None

    def test_areas_that_do_not_vary_rest_on_the_rarer_class(self) -> None:
        truth = np.arange(60) % 6 == 0
        score = np.random.default_rng(1).random(60)
        other = np.random.default_rng(2).random(60)
        models = {"a:score": score, "copy:score": score, "c:score": other}
        family = simultaneous_bootstrap(
            {"truth": truth, **models}, measure="roc_auc", rng=1, n_resamples=199
        )
        interval = family.outcomes[0].effect.interval
        assert interval is not None
        z2 = stats.norm.ppf(1 - 0.05 / 6) ** 2
        assert interval.high == pytest.approx(z2 / (10 + z2))

    def test_a_constant_difference_lies_inside_its_interval(self) -> None:
        truth = np.arange(40) % 2
        wrong, right = 1 - truth, truth
        family = simultaneous_bootstrap(
            {"truth": truth, "right": right, "wrong": wrong, "half": np.zeros(40, int)},
            rng=1,
            n_resamples=199,
        )
        outcome = family.outcomes[0]
        assert family.pairs[0] == ("right", "wrong")
        assert outcome.effect.value == 1.0
        assert outcome.effect.interval is not None
        assert 0.0 < outcome.effect.interval.low < outcome.effect.interval.high == 1.0
        assert outcome.p_value is not None
        assert 0.0 < outcome.p_value < 1e-8

    def test_clusters_count_not_items(self) -> None:
        evidence = {**worlds(2, 60, [0.2]), "cluster": np.arange(60) // 6}
        family = simultaneous_bootstrap(
            {**evidence, "copy": evidence["m0"]}, rng=1, n_resamples=199
        )
        interval = family.outcomes[0].effect.interval
        assert interval is not None
        z2 = stats.norm.ppf(0.975) ** 2
        assert interval.high == pytest.approx(z2 / (10 + z2))

    def test_memory_does_not_grow_with_the_pairs(self) -> None:
        evidence = worlds(3, 200, [0.2] * 40)
        family = simultaneous_bootstrap(evidence, rng=1, n_resamples=199)
        assert len(family.outcomes) == 780

    def test_parts_give_what_the_whole_gives(self, monkeypatch: pytest.MonkeyPatch) -> None:
        evidence = worlds(4, 200, [0.2] * 6)
        whole = simultaneous_bootstrap(evidence, rng=1, n_resamples=199)
        monkeypatch.setattr("assay.hypotheses.simultaneous.PAIRS_AT_ONCE", 4)
        assert simultaneous_bootstrap(evidence, rng=1, n_resamples=199) == whole

    def test_undefined_measures_are_refused(self) -> None:
        truth = np.zeros(30, int)
        truth[0] = 1
        evidence = {"truth": truth, "a": truth, "b": 1 - truth, "c": truth}
        with pytest.raises(NotApplicable, match="undefined"):
            simultaneous_bootstrap(evidence, measure="recall", rng=1, n_resamples=199)

    def test_unknown_baseline(self) -> None:
        with pytest.raises(EvidenceError, match="no model 'x'"):
            pairs_of(("a", "b"), "x")


class TestIndependentBootstrap:
    def test_is_close_to_the_two_proportions_z(self) -> None:
        a, b = worlds(5, 800, [0.2]), worlds(6, 500, [0.28])
        outcome = independent_bootstrap(a, b, rng=1)
        errors = [int((w["truth"] != w["m0"]).sum()) for w in (a, b)]
        z = assay.two_proportions_z(errors[0], 800, errors[1], 500)
        assert outcome.p_value == pytest.approx(z.p_value, abs=0.02)
        assert outcome.effect.value == pytest.approx(-(z.effect.value or 0))

    def test_two_perfect_models_are_not_surely_equal(self) -> None:
        perfect = {"truth": [0, 1] * 20, "m": [0, 1] * 20}
        outcome = independent_bootstrap(perfect, perfect, rng=1, n_resamples=199)
        assert outcome.p_value == 1.0
        assert outcome.effect.interval is not None
        assert outcome.effect.interval.width > 0.1

    def test_undefined_replicates_rule_nothing_out(self) -> None:
        rare = {"truth": [1] + [0] * 29, "m": [1] + [0] * 29}
        outcome = independent_bootstrap(rare, rare, measure="recall", rng=1, n_resamples=199)
        assert outcome.p_value == 1.0
        assert outcome.effect.interval is not None
        assert (outcome.effect.interval.low, outcome.effect.interval.high) == (-1.0, 1.0)
        assert {note.code for note in outcome.notes} == {"undefined-replicates-many", "whole-range"}


class TestVeryManyItems:
    """From 50,000 items on few of them are drawn: what another seed would change is all that differs."""

    @pytest.fixture
    def numbers(self) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(8)
        truth = rng.normal(50.0, 10.0, MANY_MEANS)
        models = {f"m{i}": truth + rng.normal(0.0, 2.0 + 0.005 * i, truth.size) for i in range(3)}
        return {"truth": truth, **models}

    @pytest.mark.parametrize("measure", ["mae", "rmse", "r2"])
    def test_means_and_functions_of_them(
        self, numbers: dict[str, np.ndarray], measure: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        options: dict[str, Any] = {"measure": measure, "n_resamples": 999, "rng": 1}
        quick = simultaneous_bootstrap(numbers, **options)
        monkeypatch.setattr(resampling_cells, "MANY_MEANS", 10 * MANY_MEANS)
        plain = simultaneous_bootstrap(numbers, **options)
        self.alike(quick, plain)

    def test_areas(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rng = np.random.default_rng(9)
        truth = rng.integers(0, 2, MANY_MEANS)
        scores = {f"m{i}": truth + rng.normal(0.0, 1.0 + 0.01 * i, truth.size) for i in range(3)}
        evidence = {"truth": truth, **scores}
        options: dict[str, Any] = {"measure": "roc_auc", "n_resamples": 199, "rng": 1}
        quick = simultaneous_bootstrap(evidence, **options)
        assert "normal-replicates" in {note.code for note in quick.notes}
        monkeypatch.setattr(simultaneous, "MANY_MEANS", 10 * MANY_MEANS)
        plain = simultaneous_bootstrap(evidence, **options)
        assert plain.notes == ()
        self.alike(quick, plain, rel=0.25)

    @staticmethod
    def alike(quick: FamilyOutcome, plain: FamilyOutcome, rel: float = 0.1) -> None:
        for one, other in zip(quick.outcomes, plain.outcomes, strict=True):
            mine, theirs = one.effect.interval, other.effect.interval
            assert mine is not None
            assert theirs is not None
            assert one.effect.value == pytest.approx(other.effect.value, rel=1e-9)
            assert one.effect.standard_error == pytest.approx(other.effect.standard_error, rel=rel)
            assert mine.high - mine.low == pytest.approx(theirs.high - theirs.low, rel=rel)
            assert one.effect.standard_error != other.effect.standard_error  # another way, really

    def test_infinite_losses_are_refused_as_ever(self) -> None:
        rng = np.random.default_rng(10)
        losses = {f"m{i}": rng.exponential(1.0, MANY_MEANS) for i in range(3)}
        losses["m1"][3] = np.inf
        with pytest.raises((EvidenceError, NotApplicable)):
            simultaneous_bootstrap(
                assay.read(losses, losses=True), measure="mean_loss", n_resamples=10
            )
