"""Levels, gains, slices and repeats at the gate: exact bounds, and the family held together."""

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import beta, binom

import assay
from assay.compare.gate_rule import Demand, judge, judge_all
from assay.compare.gate_sentences import least_repeats
from assay.core.errors import NotApplicable, UsageError
from assay.core.wire import from_json, to_json

ALPHA = 0.05


def right(n: int, errors: int) -> dict[str, Any]:
    """One model with so many errors on n items."""
    truth = np.arange(n) % 2
    return {"truth": truth, "new": np.where(np.arange(n) < errors, 1 - truth, truth)}


def sliced(shift: dict[str, float], n: int = 300, *, seed: int = 5) -> dict[str, Any]:
    """Two models on items of several regions; the new one errs more by so much in each."""
    rng = np.random.default_rng(seed)
    region = np.repeat(list(shift), n)
    truth = rng.integers(0, 2, region.size)
    worse = np.array([shift[one] for one in region])
    old = np.where(rng.random(region.size) < 0.1, 1 - truth, truth)
    new = np.where(rng.random(region.size) < 0.1 + worse, 1 - truth, truth)
    return {"truth": truth, "old": old, "new": new, "region": region}


class TestDemands:
    @pytest.mark.parametrize(
        ("demand", "low", "high", "word"),
        [
            (Demand.level(), 0.0, 0.1, "passed"),  # the bound reaches the level
            (Demand.level(), -0.01, 0.1, "undecided"),
            (Demand.level(), -0.2, 0.0, "undecided"),
            (Demand.level(), -0.2, -0.01, "failed"),
            (Demand.better(0.0), 0.0, 0.1, "undecided"),  # zero is not better
            (Demand.better(0.0), 0.01, 0.1, "passed"),
            (Demand.better(0.0), -0.1, -0.01, "failed"),
            (Demand.better(0.05), 0.01, 0.1, "undecided"),
            (Demand.better(0.05), 0.01, 0.04, "failed"),  # a gain, and too small a one
            (Demand.better(0.05), 0.06, 0.1, "passed"),
        ],
    )
    def test_every_place_of_the_bounds(
        self, demand: Demand, low: float, high: float, word: str
    ) -> None:
        assert judge((low, high), demand) == word

    def test_equal_models_fail_a_family_of_many_slices_as_seldom_as_one(self) -> None:
        """Twelve independent demands, nobody worse: the plain rule fails in nearly half of the gates."""
        rng = np.random.default_rng(1)
        demands = [Demand.not_worse(0.5)] * 12
        failed = {"all": 0, "family": 0}
        for _ in range(2000):
            values = rng.normal(size=12)

            def bounds(place: int, share: float, values: Any = values) -> tuple[float, float]:
                reach = float(-ndtri(share))
                return values[place] - reach, values[place] + reach

            for rule in failed:
                judged = judge_all(bounds, demands, alpha=ALPHA, rule=rule)  # type: ignore[arg-type]
                failed[rule] += any(one.word == "failed" for one in judged)
        assert failed["all"] / 2000 > 0.35
        assert failed["family"] / 2000 < ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / 2000)

    def test_a_family_passes_what_each_alone_would_pass(self) -> None:
        def bounds(place: int, share: float) -> tuple[float, float]:
            return (0.001, 1.0) if share == ALPHA else (-0.001, 1.0)

        for rule, word in (("family", "passed"), ("holm", "undecided")):
            judged = judge_all(bounds, [Demand.better(0.0)] * 3, alpha=ALPHA, rule=rule)  # type: ignore[arg-type]
            assert {one.word for one in judged} == {word}


class TestLevels:
    @pytest.mark.parametrize("errors", range(0, 31, 2))
    def test_passes_exactly_when_the_one_sided_binomial_test_rejects(self, errors: int) -> None:
        n, level = 200, 0.9
        found = assay.gate(right(n, errors), at_least={"accuracy": level})
        correct = n - errors
        too_many = binom.sf(correct - 1, n, level) <= ALPHA
        too_few = binom.cdf(correct, n, level) < ALPHA
        word = "passed" if too_many else "failed" if too_few else "undecided"
        assert (found.word, found.exit_code) == (word, {"passed": 0, "failed": 1}.get(word, 3))

    @pytest.mark.parametrize(("n", "level"), [(30, 0.8), (77, 0.9), (200, 0.95)])
    def test_a_model_at_the_level_passes_at_most_in_five_of_a_hundred(
        self, n: int, level: float
    ) -> None:
        """Counted over every number of errors there can be, a hair below the level."""
        words = [assay.gate(right(n, k), at_least={"accuracy": level}).word for k in range(n)]
        chances = binom.pmf(n - np.arange(n), n, level - 1e-9)
        assert sum(p for p, word in zip(chances, words, strict=True) if word == "passed") <= ALPHA
        assert sum(p for p, word in zip(chances, words, strict=True) if word == "failed") <= ALPHA

    def test_bounds_are_clopper_and_pearsons(self) -> None:
        check = assay.gate(right(100, 7), at_least={"accuracy": 0.8}).checks[0]
        assert check.low == pytest.approx(beta.ppf(ALPHA, 93, 8) - 0.8, abs=1e-12)
        assert check.high == pytest.approx(beta.ppf(1 - ALPHA, 94, 7) - 0.8, abs=1e-12)
        assert check.value == pytest.approx(0.93)
        assert (check.required, check.asks) == (0.8, "at-least")

    def test_a_loss_has_a_level_from_above(self) -> None:
        found = assay.gate(right(200, 4), at_most={"error_rate": 0.1}, at_least={"accuracy": 0.9})
        assert [check.word for check in found.checks] == ["passed", "passed"]
        assert found.checks[0].low == pytest.approx(found.checks[1].low, abs=1e-12)
        assert found.baseline is None

    @pytest.mark.parametrize("clusters", [None, np.arange(400) // 4])
    def test_other_measures_have_their_own_interval(self, clusters: Any) -> None:
        rng = np.random.default_rng(2)
        truth = rng.integers(0, 2, 400)
        evidence: dict[str, Any] = {"truth": truth, "new": truth + rng.normal(0, 0.6, 400)}
        if clusters is not None:
            evidence["patient"] = clusters
        told: dict[str, Any] = {} if clusters is None else {"cluster": "patient"}
        found = assay.gate(evidence, at_least={"roc_auc": 0.8}, **told)
        estimate: Any
        (estimate,) = assay.evaluate(evidence, measures=["roc_auc"], level=0.9, **told).estimates
        check = found.checks[0]
        assert check.value == pytest.approx(estimate.value)
        assert check.low == pytest.approx(estimate.interval.low - 0.8, abs=1e-9)

    def test_scores_of_folds_and_of_a_measure_nobody_knows(self) -> None:
        table = {"fold": list(range(10)), "new": [0.9 + k / 1000 for k in range(10)]}
        told: dict[str, Any] = {"unit": "fold", "folds": 10, "repeats": 1}
        assert assay.gate(table, at_least={"niceness": 0.8}, **told).word == "passed"
        assert assay.gate(table, at_most={"niceness": 0.8}, **told).word == "failed"

    def test_what_was_observed_may_decide_where_that_is_asked_for(self) -> None:
        evidence = right(20, 1)
        assert assay.gate(evidence, at_least={"accuracy": 0.9}).word == "undecided"
        found = assay.gate(evidence, at_least={"accuracy": 0.9}, observed=True)
        assert found.word == "passed"
        assert "no bound was asked for" in found.sentence

    @pytest.mark.parametrize(
        ("told", "message"),
        [
            ({"at_most": {"accuracy": 0.9}}, "ask for --at-least accuracy=0.9"),
            ({"at_least": {"": 0.9}}, "needs the measure"),
            ({"margin": 0.1, "observed": True}, "observed tests levels"),
            ({"each": 80}, "such as 0.8"),
            ({"at_least": {"accuracy": 0.9}, "slice_margin": 0.1}, "name their column"),
            ({"margin": 0.1, "better_by": 0.0}, "give one of them"),
            ({}, "Or give a level to reach"),
        ],
    )
    def test_refusals_name_what_to_type(self, told: dict[str, Any], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            assay.gate(right(50, 3), **told)


class TestGains:
    def test_better_is_what_the_paired_bound_shows(self) -> None:
        evidence = sliced({"north": 0.0}, 2000)
        turned = {**evidence, "old": evidence["new"], "new": evidence["truth"]}
        named: dict[str, Any] = {"baseline": "old", "candidate": "new"}
        assert assay.gate(turned, better_by=0.0, **named).word == "passed"
        assert assay.gate(turned, better_by=0.5, **named).word == "failed"
        assert assay.gate(evidence, better_by=0.0, **named).word == "undecided"

    def test_a_gain_in_one_measure_and_no_loss_in_another(self) -> None:
        evidence = sliced({"north": 0.0}, 2000)
        turned = {**evidence, "old": evidence["new"], "new": evidence["truth"]}
        found = assay.gate(
            turned, baseline="old", candidate="new", margin={"f1": 0.01}, better_by={"accuracy": 0}
        )
        assert [check.asks for check in found.checks] == ["not-worse", "better"]
        assert found.word == "passed"


class TestSlices:
    NAMED: dict[str, Any] = {"baseline": "old", "candidate": "new", "slice": "region"}  # noqa: RUF012

    def test_the_worst_slice_is_named(self) -> None:
        found = assay.gate(
            sliced({"north": 0.0, "south": 0.0, "east": 0.25}), margin=0.2, **self.NAMED
        )
        assert found.word == "failed"
        assert "worst slice east" in found.sentence
        assert [check.slice for check in found.checks] == [None, "east", "north", "south"]
        assert found.sliced_by == "region"

    def test_a_slice_is_what_a_gate_on_its_rows_alone_says(self) -> None:
        evidence = sliced({"north": 0.0, "south": 0.05})
        found = assay.gate(evidence, margin=0.2, **self.NAMED)
        alone = assay.gate(
            evidence, margin=0.2, baseline="old", candidate="new", where={"region": "south"}
        )
        (south,) = [check for check in found.checks if check.slice == "south"]
        assert (south.low, south.high) == (alone.checks[0].low, alone.checks[0].high)

    def test_margins_of_slices_may_be_wider(self) -> None:
        evidence = sliced({"north": 0.0, "south": 0.0})
        found = assay.gate(evidence, margin=0.05, slice_margin=0.15, **self.NAMED)
        assert [check.margin for check in found.checks] == [0.05, 0.15, 0.15]

    def test_a_slice_that_cannot_be_judged_does_not_pass(self) -> None:
        rng = np.random.default_rng(4)
        truth = rng.integers(0, 2, 600)
        evidence = {"truth": truth, "region": np.where(np.arange(600) == 0, "alone", "rest")}
        for name in ("old", "new"):
            evidence[name] = truth + rng.normal(size=600)
        found = assay.gate(evidence, margin={"roc_auc": 0.3}, **self.NAMED)
        (alone,) = [check for check in found.checks if check.slice == "alone"]
        assert (alone.word, alone.low) == ("undecided", None)
        assert "has no interval, so the gate cannot pass" in alone.sentence
        assert found.word == "undecided"

    def test_json_keeps_it(self) -> None:
        found = assay.gate(
            sliced({"north": 0.0, "south": 0.1}),
            margin=0.2,
            at_least={"accuracy": 0.7},
            **self.NAMED,
        )
        assert from_json(to_json(found)) == found


class TestRepeats:
    def table(self, counts: dict[str, tuple[int, int]]) -> dict[str, Any]:
        rows = [(name, k, int(k < good)) for name, (good, n) in counts.items() for k in range(n)]
        return dict(zip(("test", "run", "passed"), map(list, zip(*rows, strict=True)), strict=True))

    def each(self, counts: dict[str, tuple[int, int]], **told: Any) -> assay.Gate:
        options = {"correct": True, "id": "test", "repeat": "run", "models": ["passed"], **told}
        return assay.gate(self.table(counts), each=0.8, **options)

    def test_every_item_has_exact_bounds(self) -> None:
        found = self.each({"a": (20, 20), "b": (40, 40), "c": (5, 20)})
        words = {check.item: check.word for check in found.checks}
        assert words == {"a": "passed", "b": "passed", "c": "failed"}
        assert found.word == "failed"
        assert "worst item c" in found.sentence
        (a,) = [check for check in found.checks if check.item == "a"]
        assert a.low == pytest.approx(ALPHA ** (1 / 20) - 0.8, abs=1e-12)

    def test_few_repeats_decide_nothing_and_say_how_many_would(self) -> None:
        found = self.each({"a": (5, 5), "b": (5, 5)})
        assert (found.word, found.exit_code) == ("undecided", 3)
        assert "with fewer than 14 repeats" in found.checks[0].sentence

    def test_counting_alone(self) -> None:
        found = self.each({"a": (5, 5), "b": (4, 5)}, observed=True)
        assert found.word == "passed"
        found = self.each({"a": (5, 5), "b": (3, 5)}, observed=True)
        assert (found.word, found.exit_code) == ("failed", 1)

    @pytest.mark.parametrize("required", [0.5, 0.8, 0.9, 0.99])
    def test_the_least_repeats(self, required: float) -> None:
        n = least_repeats(required, ALPHA)
        assert n is not None
        assert required**n <= ALPHA < required ** (n - 1)

    def test_refusals(self) -> None:
        with pytest.raises(UsageError, match="Name the column that numbers them"):
            assay.gate(right(50, 3), each=0.8)
        with pytest.raises(NotApplicable, match="leave out levels"):
            assay.gate(
                sliced({"n": 0.0}),
                baseline="old",
                candidate="new",
                margin=0.1,
                slice="region",
                aa=10,
            )
