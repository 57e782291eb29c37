"""Simulated errors and coverage: against theory, by enumeration, and with honest words."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import NotApplicable, UsageError
from assay.core.methods import Method, catalogue, find_method
from assay.core.results import Simulation
from assay.core.wire import from_json, to_json
from assay.simulate.answer_collection import replicates_of
from assay.simulate.simulate import simulate
from assay.simulate.trial_settings import default_world, make_trial
from assay.simulate.worlds import KINDS


def only(found: Simulation) -> float:
    (cell,) = found.cells
    assert cell.value is not None
    return cell.value


def within(found: Simulation, value: float, sigmas: float = 4.0) -> bool:
    """Whether a simulated rate agrees with a known one, four standard errors allowed."""
    (cell,) = found.cells
    assert cell.value is not None
    assert cell.replicates is not None
    error = np.sqrt(value * (1.0 - value) / cell.replicates)
    return bool(abs(cell.value - value) <= sigmas * error + 1.0 / cell.replicates)


class TestErrors:
    @pytest.mark.parametrize("method", ["one_sample_t", "paired_t", "two_sample_t"])
    def test_t_keeps_its_level_where_values_are_normal(self, method: str) -> None:
        options = {"variant": "pooled"} if method == "two_sample_t" else {}
        found = simulate(method, world="normal", n=10, replicates=20_000, options=options, rng=1)
        assert found.cells[0].quantity == "type I error"
        assert within(found, 0.05)

    def test_power_of_t_is_that_of_the_noncentral_t(self) -> None:
        found = simulate("one_sample_t", world="normal", n=20, effect=0.5, replicates=20_000, rng=2)
        reach = stats.t.ppf(0.975, 19)
        shift = 0.5 * np.sqrt(20)
        power = stats.nct.sf(reach, 19, shift) + stats.nct.cdf(-reach, 19, shift)
        assert found.cells[0].quantity == "type II error"
        assert within(found, 1.0 - power)
        assert dict(found.cells[0].details)["power"] == pytest.approx(1.0 - only(found))

    def test_enumerated_level_of_the_binomial_test(self) -> None:
        """Against SciPy's test of every count."""
        found = simulate("binomial", world="proportion", p=0.25, n=30)
        chances = stats.binom.pmf(np.arange(31), 30, 0.25)
        rejected = [stats.binomtest(k, 30, 0.25).pvalue <= 0.05 for k in range(31)]
        assert only(found) == pytest.approx(chances[rejected].sum(), rel=1e-9)
        assert found.cells[0].interval is None
        assert found.cells[0].replicates is None
        assert found.seed is None

    @pytest.mark.parametrize("effect", [0.0, 0.1])
    def test_enumerated_and_drawn_agree_for_mcnemar(self, effect: float) -> None:
        given: dict[str, Any] = {
            "world": "paired-labels",
            "discordant": 0.3,
            "effect": effect,
            "n": 40,
        }
        exact = simulate("mcnemar", **given)
        drawn = simulate("mcnemar", replicates=40_000, rng=3, **given)
        assert within(drawn, only(exact))

    def test_enumerated_and_drawn_agree_for_two_proportions(self) -> None:
        given: dict[str, Any] = {"world": "independent-labels", "p": 0.3, "sizes": (8, 16)}
        exact = simulate("fisher_exact", **given)
        drawn = simulate("fisher_exact", replicates=20_000, rng=3, **given)
        assert within(drawn, only(exact))
        assert only(exact) < 0.05

    def test_one_sided_tests_look_at_the_truth(self) -> None:
        """A true difference the other way makes a rejection a false alarm."""
        given: dict[str, Any] = {
            "world": "normal",
            "n": 30,
            "effect": -0.5,
            "replicates": 500,
            "rng": 1,
        }
        wrong = simulate("paired_t", options={"alternative": "greater"}, **given)
        right = simulate("paired_t", options={"alternative": "less"}, **given)
        assert wrong.cells[0].quantity == "type I error"
        assert right.cells[0].quantity == "type II error"

    def test_equivalence_is_wrong_at_the_margin(self) -> None:
        given: dict[str, Any] = {
            "world": "normal",
            "n": 30,
            "options": {"margin": 0.5},
            "replicates": 2000,
            "rng": 1,
        }
        at = simulate("tost_means", effect=0.5, **given)
        inside = simulate("tost_means", effect=0.0, **given)
        assert at.cells[0].quantity == "type I error"
        assert only(at) < 0.07
        assert inside.cells[0].quantity == "type II error"

    def test_family_wise_error_and_misses(self) -> None:
        full = simulate("bonferroni", world="tests", n=20, replicates=20_000, rng=4)
        assert full.cells[0].quantity == "family-wise error"
        assert within(full, 1.0 - (1.0 - 0.05 / 20) ** 20)
        some = simulate("holm", world="tests", nulls=0.5, effect=3.0, n=10, replicates=2000, rng=4)
        assert [cell.quantity for cell in some.cells] == ["family-wise error", "type II error"]

    def test_partial_null_of_data_sets(self) -> None:
        found = simulate(
            "wilcoxon_pairs", world="datasets", k=3, null_kind="partial", n=12, replicates=60, rng=5
        )
        alarms, missed = found.cells
        assert alarms.quantity == "family-wise error"
        assert missed.value is not None
        assert missed.value < 0.2  # one model is far ahead, and that is seen

    def test_checks_are_counted_as_rejections(self) -> None:
        found = simulate("shapiro_wilk", world="lognormal", n=30, replicates=100, rng=1)
        assert found.cells[0].quantity == "rejections"
        assert only(found) > 0.9

    def test_folds_are_told_to_the_method(self) -> None:
        found = simulate(
            "corrected_resampled_t", world="folds", design="15-subsamples-2-1", n=60,
            replicates=60, rng=1,
        )  # fmt: skip
        assert found.cells[0].quantity == "type I error"
        assert only(found) < 0.25


class TestCoverage:
    @pytest.mark.parametrize("n", [10, 37])
    def test_wald_wilson_and_exact_by_hand(self, n: int) -> None:
        """The published saw-tooth: coverage as a sum over the counts whose interval holds p."""
        p = 0.13
        found = simulate(["wald", "wilson", "clopper_pearson"], question="coverage", p=p, n=n)
        counts = np.arange(n + 1)
        chances = stats.binom.pmf(counts, n, p)
        share, z = counts / n, stats.norm.ppf(0.975)
        wald = np.abs(share - p) <= z * np.sqrt(share * (1 - share) / n)
        wilson = np.abs(share - p) <= z * np.sqrt(p * (1 - p) / n)
        low = stats.beta.ppf(0.025, counts, n - counts + 1)
        high = stats.beta.ppf(0.975, counts + 1, n - counts)
        exact = (np.nan_to_num(low) <= p) & (p <= np.where(counts == n, 1.0, high))
        expected = [chances[inside].sum() for inside in (wald, wilson, exact)]
        assert [cell.value for cell in found.cells] == pytest.approx(expected, rel=1e-9)

    def test_clopper_pearson_never_falls_short(self) -> None:
        rates = list(np.round(np.arange(0.02, 0.99, 0.04), 3))
        found = simulate("clopper_pearson", p=rates, n=25)
        assert all(cell.value is not None and cell.value >= 0.95 for cell in found.cells)
        assert [dict(cell.parameters)["p"] for cell in found.cells] == rates

    def test_t_interval_of_skewed_losses_falls_short(self) -> None:
        found = simulate("mean_t", world="lognormal", n=[10, 1000], replicates=4000, rng=1)
        small, large = (cell.value or 0.0 for cell in found.cells)
        assert small < 0.9 < large
        assert dict(found.cells[0].details)["mean_width"] is not None

    def test_coverage_of_the_interval_beside_a_test(self) -> None:
        exact = simulate("mcnemar", question="coverage", discordant=0.3, effect=0.1, n=30)
        assert dict(exact.cells[0].details)["truth"] == pytest.approx(0.1)
        assert only(exact) == pytest.approx(0.95, abs=0.02)

    def test_levels_are_tried_one_by_one(self) -> None:
        found = simulate("wilson", p=0.3, n=20, level=[0.8, 0.95])
        assert [cell.alpha for cell in found.cells] == [0.2, 0.05]
        assert found.cells[0].value < found.cells[1].value  # type: ignore[operator]

    def test_an_unknown_truth_is_said(self) -> None:
        with pytest.raises(NotApplicable, match=r"true eta_squared is not known .* effect 0"):
            simulate("eta_squared", world="normal", effect=1.0, n=10, replicates=2, rng=1)

    def test_the_best_of_several_is_judged_by_its_level(self) -> None:
        found = simulate(
            "best_of", discordant=0.3, n=80, replicates=40, options={"n_resamples": 99}, rng=1
        )
        assert only(found) > 0.7


SHAPES_OF_NO_WORLD = ("subsampling_t", "extrapolated_t", "cv_confidence_set")
"""Methods of evidence that no world draws; they are refused with where their figures are."""


class TestEveryMethod:
    @pytest.mark.parametrize(
        "method",
        [one for one in catalogue().values() if one.id not in SHAPES_OF_NO_WORLD],
        ids=lambda method: method.id,
    )
    def test_has_a_world_that_fits(self, method: Method) -> None:
        name = default_world(method)
        assert method.takes in KINDS[name].shapes

    @pytest.mark.parametrize(
        "name", ["conservative_z", "nested_cv_difference", *SHAPES_OF_NO_WORLD]
    )
    def test_a_shape_without_its_meaning_is_refused(self, name: str) -> None:
        """5x2 folds are no disjoint halves, nested losses of one learner no differences of two."""
        with pytest.raises(NotApplicable, match=r"no world draws .* docs/folds\.md"):
            simulate(name, n=40, replicates=3, rng=1)

    @pytest.mark.parametrize(
        ("name", "given"),
        [
            ("binomial", {}),
            ("chi_square", {"n": 60}),
            ("cluster_difference", {}),
            ("oneway_anova", {"n": 8}),
            ("hotelling_paired", {"n": 12}),
            ("hotelling_one_sample", {"n": 12}),
            ("manova", {"n": 10}),
            ("cochran_q", {"n": 40}),
            ("friedman", {"n": 8, "k": 3}),
            ("nemenyi_from_ranks", {"n": 8, "k": 3}),
            ("dietterich_5x2_t", {"n": 40, "design": "5x2"}),
            ("paired_cv_bayle", {"n": 40}),
            ("nested_cv", {"n": 40, "design": "5-fold"}),
            ("bootstrap_632_plus", {"n": 30}),
            ("cv_auc", {"n": 40}),
            ("delong_independent", {"n": 30}),
            ("margins_range", {"n": 20}),
            ("mean_summary", {"n": 9}),
            ("multi_aso", {"options": {"n_resamples": 19}}),
            ("aso", {"options": {"n_resamples": 19}}),
            ("bayes_sign", {"n": 12}),
            ("label_permutation", {"n": 30, "options": {"n_resamples": 19}}),
            ("no_information_rate", {"n": 30}),
            ("independent_bootstrap", {"options": {"n_resamples": 99}}),
            ("bootstrap", {"n": 30, "options": {"n_resamples": 99, "measure": "mcc"}}),
            ("anytime_mean_difference", {"world": "paired-labels", "n": 30}),
            ("bradley_terry", {"n": 60}),
            ("krippendorff_alpha", {"n": 20, "missing": 0.1}),
            ("fleiss_kappa", {"n": 20}),
        ],
    )
    def test_runs_in_its_default_world(self, name: str, given: dict[str, Any]) -> None:
        found = simulate(name, replicates=3, rng=1, **given)
        assert found.cells
        assert all(0.0 <= (cell.value or 0.0) <= 1.0 for cell in found.cells)
        assert from_json(to_json(found)) == found


class TestDoor:
    def test_public_name(self) -> None:
        assert assay.simulate is simulate
        assert isinstance(assay.simulate("wilson", p=0.2, n=10), assay.Simulation)

    def test_the_same_seed_gives_the_same_numbers(self) -> None:
        one, other = (simulate("wilcoxon", n=[10, 700], replicates=3000, rng=9) for _ in range(2))
        assert one == other

    def test_methods_meet_the_same_draws(self) -> None:
        both = simulate(
            ["paired_t", "mean_of_pairs"], n=8, replicates=500, question="coverage", rng=1
        )
        assert both.cells[0].value == both.cells[1].value

    def test_undefined_answers_are_noted(self) -> None:
        found = simulate("one_sample_t", world="proportion", p=0.02, n=10, replicates=200, rng=1)
        assert found.cells[0].undefined > 100
        assert [note.code for note in found.notes] == ["undefined-simulated"]

    def test_progress_reaches_one(self) -> None:
        told: list[float] = []
        simulate("sign_test", n=[5, 6], replicates=20, rng=1, progress=told.append)
        assert told[-1] == 1.0
        assert told == sorted(told)

    @pytest.mark.parametrize(
        ("method", "given", "words"),
        [
            ((), {}, "name the method"),
            ("mcnemer", {}, "did you mean mcnemar"),
            ("wilson", {"question": "error"}, "ask for its coverage"),
            ("holm", {"question": "coverage"}, "ask for its error"),
            ("mcnemar", {"n": 0}, "n is a whole number of at least 1"),
            ("mcnemar", {"n": []}, "empty list"),
            ("mcnemar", {"discordant": []}, "empty list"),
            ("mcnemar", {"level": 95}, "did you mean 0.95"),
            ("mcnemar", {"level": "high"}, "level is a confidence"),
            ("mcnemar", {"options": {"level": 0.9}}, "give level to simulate itself"),
            ("mcnemar", {"replicates": 0}, "replicates"),
            (
                "mcnemar",
                {"options": {"varient": "exact"}},
                "has no option 'varient'; it has variant",
            ),
            ("mcnemar", {"question": "power"}, "question is one of error, coverage"),
        ],
    )
    def test_wrong_words_are_named(self, method: str, given: dict[str, Any], words: str) -> None:
        with pytest.raises(UsageError, match=words):
            simulate(method, **given)

    def test_a_world_that_does_not_fit_names_those_that_do(self) -> None:
        with pytest.raises(NotApplicable, match="takes paired-table: use paired-labels"):
            simulate("mcnemar", world="normal")

    def test_evidence_that_is_always_refused_says_why(self) -> None:
        with pytest.raises(NotApplicable, match="two models have one difference"):
            simulate("mauchly", n=10, replicates=2, rng=1)


class TestReplicates:
    @pytest.mark.parametrize(
        ("method", "question", "due"),
        [
            ("paired_t", "error", 10_000),
            ("wilcoxon", "error", 10_000),
            ("wilcoxon", "coverage", 1000),  # each interval takes its own search
            ("holm", "error", 10_000),
            ("fisher_exact", "error", 10_000),
            ("paired_bootstrap", "error", 1000),
        ],
    )
    def test_fewer_where_the_method_is_called_for_each(
        self, method: str, question: str, due: int
    ) -> None:
        trial = make_trial(method, None, 20, None, 0.95, question, None, {}, {})
        assert replicates_of(trial) == due
        assert replicates_of(replace(trial, replicates=7)) == 7


class TestDefaultWorld:
    @pytest.mark.parametrize(
        ("method", "world"),
        [
            ("paired_t", "losses"), ("wilcoxon", "losses"), ("corrected_resampled_t", "folds"),
            ("one_sample_t", "losses"), ("mcnemar", "paired-labels"), ("wilson", "proportion"),
            ("friedman", "datasets"), ("aso", "runs"), ("delong", "scores"),
            ("cluster_mean", "clusters"), ("holm", "tests"), ("paired_bootstrap", "paired-labels"),
        ],
    )  # fmt: skip
    def test_is_the_natural_one(self, method: str, world: str) -> None:
        assert default_world(find_method(method)) == world

    def test_sizes_of_a_world_stand_in_for_n(self) -> None:
        trial = make_trial("two_sample_t", "runs", None, None, 0.95, None, 2, {}, {"runs": 7})
        assert trial.sizes == (None,)
        assert simulate("two_sample_t", world="runs", runs=7, replicates=2, rng=1).cells[0].n == 7
