"""`assay.plan` as people ask it: every question, the cases, the sentence, what is refused."""

import math
from typing import Any

import numpy as np
import pytest

from assay.core.errors import NotApplicable, UsageError
from assay.core.methods import catalogue
from assay.core.plan_results import Plan
from assay.core.wire import from_json, to_json
from assay.plan.plan import plan
from assay.plan.test_choice import KINDS, REPEATS, plannable


def codes(found: Plan) -> list[str]:
    return [one.code for one in found.notes]


EVERY: dict[str, dict[str, Any]] = {
    "binomial": {"against": 0.75},
    "mcnemar": {"discordant": 0.1},
    "two_proportions_z": {"baseline": 0.8, "paired": False},
    "delong": {"measure": "roc_auc", "against": 0.8, "prevalence": 0.3},
    "delong_test": {
        "measure": "roc_auc", "baseline": 0.8, "prevalence": 0.3, "correlation": 0.5,
    },
    "delong_independent": {
        "measure": "roc_auc", "baseline": 0.8, "prevalence": 0.3, "paired": False,
    },
    "one_sample_t": {"measure": "log_loss", "against": 0.5, "sd": 0.3},
    "paired_t": {"measure": "log_loss", "sd": 0.3},
    "two_sample_t": {"unit": "seed", "sd": (0.1, 0.2)},
    "cluster_difference": {"discordant": 0.1, "cluster_size": 5, "icc": 0.2},
    "corrected_resampled_t": {"unit": "fold", "sd": 0.08, "folds": 10},
    "wilcoxon": {"unit": "dataset", "sd": 0.1, "rng": 1, "n_resamples": 1000},
    "iman_davenport": {
        "unit": "dataset", "sd": 0.1, "method": "friedman", "among": 4, "rng": 1,
        "n_resamples": 1000,
    },
}  # fmt: skip


@pytest.mark.parametrize("method", EVERY)
class TestEveryQuestion:
    def test_solves_for_each_of_the_three(self, method: str) -> None:
        options = dict(EVERY[method])
        measure = options.pop("measure", None)
        units = plan(measure, power=0.8, difference=0.08, **options)
        assert units.method == method
        assert units.n is not None
        assert units.solved_for == "n"
        power = plan(measure, n=units.n, difference=0.08, **options)
        assert power.power is not None
        assert power.power >= 0.8 - 1e-9
        smallest = plan(measure, n=units.n, power=0.8, **options)
        assert smallest.difference is not None
        assert 0.06 < smallest.difference <= 0.08 * (1 + 1e-3)

    def test_says_what_it_rests_on_and_survives_json(self, method: str) -> None:
        options = dict(EVERY[method])
        found = plan(options.pop("measure", None), power=0.8, difference=0.08, **options)
        assert found.assumptions
        assert found.reference
        assert found.formula
        assert f"{found.n:,}" in found.sentence
        assert len(found.curve.column("n")) == len(found.curve.column("power"))
        assert from_json(to_json(found)) == found

    def test_power_rises_along_the_curve(self, method: str) -> None:
        options = dict(EVERY[method])
        found = plan(options.pop("measure", None), power=0.8, difference=0.08, **options)
        powers = np.array(found.curve.column("power"))
        assert powers[-1] > 0.8
        assert powers[0] < 0.8
        assert (np.diff(powers) > -0.05).all()  # teeth and simulation go down a little


class TestMiller:
    def test_published_example(self) -> None:
        """Section 5 of arXiv 2411.00640: δ = 0.03, ω² = 1/9, 80 % power."""
        assert plan(sd=1 / 3, sd_within=0.0, difference=0.03, power=0.8).n == 969

    def test_repeats_shrink_what_is_within_items(self) -> None:
        options: dict[str, Any] = {"sd": 1 / 3, "sd_within": 0.4, "difference": 0.03, "power": 0.8}
        one, four = plan(**options), plan(repeats_per_item=4, **options)
        assert one.n is not None
        assert four.n is not None
        factor = (1 / 9 + 0.08) / (1 / 9 + 0.32)
        assert dict(four.details)["n_exact"] == pytest.approx(dict(one.details)["n_exact"] * factor)  # type: ignore[operator]

    def test_unknown_spread_of_answers_has_two_cases(self) -> None:
        found = plan(sd=1 / 3, repeats_per_item=4, difference=0.03, power=0.8)
        assert [case.n for case in found.cases] == [969, 2060]
        with pytest.raises(UsageError, match="sd_within="):
            plan("log_loss", sd=0.3, repeats_per_item=4, difference=0.03, power=0.8)


class TestPublished:
    def test_power_prop_test(self) -> None:
        """R: power.prop.test(p1 = 0.5, p2 = 0.75, power = 0.9) gives n = 76.7."""
        found = plan(baseline=0.5, difference=0.25, power=0.9, paired=False, variant="normal")
        assert found.n == 77
        assert dict(found.details)["n_exact"] == pytest.approx(76.7, abs=0.05)

    def test_power_t_test(self) -> None:
        """R: power.t.test(delta = 1, sd = 1, power = 0.9) gives n = 22.02110."""
        found = plan("mean_loss", sd=1.0, difference=1.0, power=0.9, paired=False, variant="pooled")
        assert dict(found.details)["n_exact"] == pytest.approx(22.02110, abs=1e-4)


class TestCases:
    def test_unknown_discordance(self) -> None:
        found = plan("accuracy", baseline=0.8, difference=0.02, power=0.8)
        best, worst = found.cases
        assert found.n is None
        assert codes(found) == ["unknown-fact"]
        assert best.n == plan(discordant=0.02, difference=0.02, power=0.8).n
        unrelated = 0.8 * 0.18 + 0.82 * 0.2
        assert worst.n == plan(discordant=unrelated, difference=0.02, power=0.8).n
        assert found.sentence.startswith(f"Between {best.n} and {worst.n:,} items give 80% power")
        assert [name for name, _ in found.curve.columns] == ["n", "best case", "cautious case"]

    def test_unknown_discordance_solved_for_the_others(self) -> None:
        power = plan(baseline=0.8, difference=0.03, n=500)
        assert [case.power for case in power.cases] == sorted(
            (case.power or 0.0 for case in power.cases), reverse=True
        )
        assert "between 22.9% and over 99.9% power" in power.sentence
        smallest = plan(baseline=0.8, power=0.8, n=500)
        assert "lies between 0.011 and 0.066 (two-sided" in smallest.sentence

    def test_unknown_correlations(self) -> None:
        areas = plan("roc_auc", baseline=0.8, prevalence=0.1, difference=0.02, power=0.8)
        assert len(areas.cases) == 2
        clusters = plan(discordant=0.1, cluster_size=5, difference=0.02, power=0.8)
        assert [case.label for case in clusters.cases] == [
            "best case: items of a cluster are unrelated",
            "worst case: items of a cluster are all alike",
        ]
        assert clusters.cases[1].n == pytest.approx(5 * (clusters.cases[0].n or 0), rel=0.01)

    def test_a_case_without_answer(self) -> None:
        found = plan(baseline=0.98, n=100, power=0.8)
        assert [case.difference for case in found.cases] == [None, None]
        assert found.sentence.startswith("With 100 items no difference is detected")


class TestFolds:
    def test_power_has_a_limit(self) -> None:
        found = plan(unit="fold", sd=0.02, folds=10, difference=0.01, power=0.8)
        assert found.n is None
        assert codes(found) == ["heuristic-level", "unheld-folds", "folds-limit"]
        assert "stays below 0.323" in found.notes[2].message
        assert found.sentence.startswith("No number of folds gives 80% power")

    def test_runs_are_counted(self) -> None:
        found = plan(unit="fold", sd=0.02, folds=10, difference=0.02, power=0.8)
        assert "80 folds (8 runs of 10)" in found.sentence
        assert dict(found.details)["runs"] == 8

    def test_random_splits(self) -> None:
        found = plan(unit="fold", sd=0.02, test_share=0.1, difference=0.02, power=0.8)
        assert found.n == 77

    def test_the_splits_must_be_known(self) -> None:
        with pytest.raises(UsageError, match=r"folds= .* or test_share="):
            plan(unit="fold", sd=0.02, difference=0.02, power=0.8)


class TestManyModels:
    def test_each_pair_at_the_first_step_of_holm(self) -> None:
        found = plan(discordant=0.1, difference=0.02, power=0.8, among=5)
        alone = plan(discordant=0.1, difference=0.02, power=0.8, level=0.995)
        assert found.n == alone.n
        assert codes(found) == ["holm-first-step"]
        assert "α = .05 over 10 pairs, .005 for each" in found.sentence

    def test_friedman_is_one_test(self) -> None:
        found = plan(**EVERY["iman_davenport"], difference=0.1, power=0.8)
        assert codes(found) == ["simulated-power"]
        assert "pairs" not in found.sentence


class TestDataSets:
    def test_simulated_and_closed_are_near(self) -> None:
        options: dict[str, Any] = {"unit": "dataset", "sd": 1.0, "difference": 0.6, "power": 0.8}
        simulated = plan(**options, rng=2)
        closed = plan(**options, variant="closed")
        assert simulated.n is not None
        assert closed.n is not None
        assert abs(simulated.n - closed.n) <= 1
        assert simulated.seed == 2
        assert closed.seed is None

    def test_same_seed_same_plan(self) -> None:
        one, other = (plan(**EVERY["wilcoxon"], n=15, difference=0.08) for _ in range(2))
        assert one == other

    def test_too_few_to_reach_the_level(self) -> None:
        found = plan(unit="dataset", sd=0.1, n=5, power=0.8, rng=1)
        assert found.difference is None
        assert codes(found) == ["cannot-reach-alpha"]
        powerless = plan(unit="dataset", sd=0.1, n=5, difference=0.5, rng=1)
        assert powerless.power == 0.0
        assert codes(powerless) == ["cannot-reach-alpha"]


class TestWidths:
    def test_items_for_a_width_and_back(self) -> None:
        found = plan(baseline=0.8, half_width=0.02)
        assert (found.n, found.method, found.solved_for) == (1537, "proportion", "n")
        back = plan(baseline=0.8, n=1537)
        assert back.half_width == pytest.approx(0.02, rel=1e-3)
        assert back.solved_for == "half_width"
        assert "±0.02" in back.sentence

    def test_of_a_mean_and_of_a_difference(self) -> None:
        mean = plan("log_loss", sd=0.5, half_width=0.1)
        assert mean.n == math.ceil((1.959963984540054 * 0.5 / 0.1) ** 2)
        difference = plan(discordant=0.1, half_width=0.02, method="mcnemar")
        assert difference.n == 961

    def test_not_without_what_it_depends_on(self) -> None:
        with pytest.raises(UsageError, match="without discordant=, the share of items"):
            plan(baseline=0.8, half_width=0.02, method="mcnemar")

    def test_two_cases(self) -> None:
        found = plan(discordant=0.1, cluster_size=4, half_width=0.02, method="cluster_difference")
        start = "Between 241 clusters (961 items, 4 to each) and 961 clusters (3,842 items, 4 to each) give"
        assert found.sentence.startswith(start)


class TestNoAnswer:
    def test_no_difference_is_large_enough(self) -> None:
        found = plan(against=0.98, n=30, power=0.8)
        assert found.difference is None
        assert codes(found) == ["difference-out-of-reach"]
        assert "no difference in accuracy is detected" in found.sentence

    def test_no_number_is_looked_for_beyond_reason(self) -> None:
        found = plan(discordant=0.5, difference=1e-9, power=0.8)
        assert codes(found) == ["out-of-search"]

    def test_too_few_units(self) -> None:
        found = plan("log_loss", sd=1.0, n=1, difference=3.0)
        assert found.power == 0.0
        assert codes(found) == ["too-few-units"]


class TestUsualPower:
    def test_a_difference_alone_is_planned_with_a_power_of_eighty_per_cent(self) -> None:
        alone = plan(discordant=0.1, difference=0.02)
        assert alone.n == plan(discordant=0.1, difference=0.02, power=0.8).n
        assert "80% power" in alone.sentence

    def test_seeds_and_data_sets_too(self) -> None:
        for unit in ("seed", "dataset"):
            alone = plan(unit=unit, sd=0.05, difference=0.05)
            assert alone.n == plan(unit=unit, sd=0.05, difference=0.05, power=0.8).n


class TestErrors:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"baseline": 0.8, "power": 0.8}, "give two of n=, power= and difference="),
            ({"baseline": 0.8, "difference": 0.1, "n": 5, "power": 0.8}, "give two of"),
            ({"difference": 0.02, "power": 0.8}, "discordant=.*or a pilot file.*baseline="),
            ({"baseline": 0.99, "difference": 0.02, "power": 0.8}, "beyond what is possible"),
            ({"discordant": 0.1, "difference": 0.2, "power": 0.8}, "beyond what is possible"),
            ({"discordant": 1.1, "difference": 0.2, "power": 0.8}, "discordant is the share"),
            ({"discordant": 0.1, "difference": 0.02, "power": 80}, "power is a chance"),
            ({"discordant": 0.1, "difference": 0.02, "power": 0.04}, "power is above the level"),
            ({"discordant": 0.1, "difference": 0.0, "power": 0.8}, "difference is the size"),
            ({"discordant": 0.1, "sd": 1.0, "n": 9, "power": 0.8}, "sd plays no part"),
            ({"discordant": 0.1, "n": 9, "power": 0.8, "variant": "x"}, "variant is one of"),
            ({"discordant": 0.1, "n": 9, "power": 0.8, "method": "x"}, "no plan for 'x'"),
            ({"baseline": 1.5, "n": 9, "power": 0.8}, "between 0 and 1"),
            ({"half_width": 0.1, "baseline": 0.8, "n": 9}, "half_width is planned by itself"),
            ({"half_width": -1.0, "baseline": 0.8}, "half_width is above 0"),
            ({"n": 9, "power": 0.8, "discordant": 0.1, "truth": "y"}, "truth describes a pilot"),
            ({"n": 9, "power": 0.8, "unit": "epoch"}, "unit is one of"),
            (
                {"discordant": 0.1, "difference": -0.02, "n": 90, "alternative": "greater"},
                "does not look for",
            ),
        ],
    )  # fmt: skip
    def test_messages(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            plan(**options)

    def test_other_measures_need_a_pilot(self) -> None:
        with pytest.raises(NotApplicable, match=r"f1 has no formula for its spread\. Give a pilot"):
            plan("f1", difference=0.02, power=0.8)

    def test_areas_need_the_prevalence(self) -> None:
        with pytest.raises(UsageError, match="prevalence is not known"):
            plan("roc_auc", baseline=0.8, difference=0.02, power=0.8)

    def test_one_spread_where_one_is_meant(self) -> None:
        with pytest.raises(UsageError, match="one sd is needed"):
            plan("log_loss", sd=(1.0, 2.0), difference=0.1, power=0.8)


def test_the_verb_is_a_function_although_a_folder_has_its_name() -> None:
    import assay.plan.power_means

    assert assay.plan is plan


def test_every_kind_is_documented() -> None:
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "methods" / "power.md").read_text()
    for name in plannable():
        assert f"## {name}\n" in page, name


def test_every_kind_belongs_to_a_method() -> None:
    named = {one.planned_by for one in catalogue().values() if one.planned_by}
    assert {*named, REPEATS} == set(KINDS)


@pytest.mark.parametrize("level", [1e-9, 0.3, 0.5])
@pytest.mark.parametrize("half_width", [1e-300, 0.1])
def test_a_bound_on_the_far_side_has_no_width(level: float, half_width: float) -> None:
    with pytest.raises(UsageError, match=r"from a level above 0\.5 on"):
        plan("mean_score", level=level, sd=1.0, alternative="less", half_width=half_width)
