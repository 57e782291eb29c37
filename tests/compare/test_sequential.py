"""Sequential comparisons: verdicts that hold at every look, for models that keep arriving."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import NotApplicable, UsageError
from assay.core.wire import from_json, to_json
from assay.hypotheses.sequential import (
    anytime_mean_difference,
    arriving_bonferroni,
    arriving_level,
    confidence_sequence,
)
from calibration.designs.criteria import keeps
from tests.typed import typed


def answers(n: int, *accuracies: float, seed: int = 4) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    said = {
        name: np.where(rng.random(n) < share, truth, 1 - truth)
        for name, share in zip("abcdef", accuracies, strict=False)
    }
    return {"truth": truth, **said}


class TestCompare:
    def test_the_interval_is_the_confidence_sequence_at_the_last_item(self) -> None:
        table = answers(800, 0.85, 0.75)
        found = assay.compare(table, sequential=True)
        right = [(table[name] == table["truth"]).astype(float) for name in "ab"]
        outcome = anytime_mean_difference(*right)
        assert found.verdict.outcome.effect.interval == outcome.effect.interval
        assert found.verdict.outcome.p_value == outcome.p_value
        assert found.choice.method == "anytime_mean_difference"
        (curve,) = found.curves
        assert outcome.effect.interval is not None
        assert (curve.column("low")[-1], curve.column("high")[-1]) == (
            outcome.effect.interval.low, outcome.effect.interval.high,
        )  # fmt: skip
        assert curve.column("items")[-1] == 800
        assert found.verdict.word == "better"
        assert "order-of-arrival" in {one.code for one in found.notes}
        first = dict(outcome.details)["first_n"]
        assert f"after item {first:,}" in found.notes[0].message

    def test_items_are_taken_in_the_order_of_the_file(self, tmp_path: Path) -> None:
        table = answers(300, 0.9, 0.7)
        lines = ["y,a,b", *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
        path = tmp_path / "p.csv"
        path.write_text("\n".join(lines))
        found = assay.compare(path, truth="y", sequential=True)
        same = assay.compare(table, sequential=True)
        assert found.curves == same.curves

    def test_arriving_models_spend_their_shares(self) -> None:
        table = answers(500, 0.8, 0.75, 0.7, 0.9)
        found = assay.compare(table, sequential=True)
        assert [(one.a, one.b) for one in found.verdicts] == [("b", "a"), ("c", "a"), ("d", "a")]
        levels = [one.outcome.effect.interval.level for one in found.verdicts]  # type: ignore[union-attr]
        assert levels == pytest.approx([arriving_level(k, 0.95) for k in (1, 2, 3)])
        alone = [dict(one.outcome.details)["p_unadjusted"] for one in found.verdicts]
        adjusted = tuple(one.outcome.p_value for one in found.verdicts)
        assert adjusted == pytest.approx(arriving_bonferroni(alone))  # type: ignore[arg-type]
        for verdict in found.verdicts:
            interval = verdict.outcome.effect.interval
            assert interval is not None
            assert (verdict.outcome.p_value <= 0.05) == (not interval.contains(0.0))  # type: ignore[operator]
        earlier = assay.compare(
            {k: table[k] for k in ("truth", "a", "b")}, baseline="a", sequential=True
        )
        assert earlier.verdict.a == "b"

    def test_a_later_model_changes_no_earlier_verdict(self) -> None:
        table = answers(400, 0.8, 0.75, 0.7, 0.9)
        three = {name: table[name] for name in ("truth", "a", "b", "c")}
        before, after = (assay.compare(one, sequential=True) for one in (three, table))
        assert after.verdicts[:2] == tuple(
            one.__class__(
                **{f: getattr(one, f) for f in one.__slots__} | {"sentence": late.sentence}
            )
            for one, late in zip(before.verdicts, after.verdicts, strict=False)
        )

    def test_losses_need_a_bound(self) -> None:
        rng = np.random.default_rng(1)
        losses = {"a": rng.random(200), "b": rng.random(200) * 0.5}
        with pytest.raises(UsageError, match="largest difference possible on one item"):
            assay.compare(losses, measure="mean_loss", sequential=True)
        found = assay.compare(losses, measure="mean_loss", sequential=True, bound=1.0)
        assert found.verdict.word == "worse"

    def test_what_next_allows_another_look(self) -> None:
        found = assay.compare(answers(100, 0.8, 0.8), margin=0.02, sequential=True)
        assert "You may add items and look again" in found.sentence
        assert from_json(to_json(found)) == found

    @pytest.mark.parametrize(
        ("asked", "offered"),
        [
            ({}, True),
            ({"measure": "f1"}, False),
            ({"cluster": "group"}, False),
            ({"models": ["a"], "against": 0.78}, False),
        ],
    )
    def test_is_offered_where_it_is_not_refused(self, asked: dict[str, Any], offered: bool) -> None:
        table = answers(100, 0.8, 0.8)
        if "cluster" in asked:
            table["group"] = np.arange(100) // 5
        once = assay.compare(table, margin=0.02, **asked)
        assert once.verdict.needed is not None
        assert once.verdict.needed.sequential is offered
        assert ("sequential=True" in once.sentence) is offered
        if offered:
            assay.compare(table, margin=0.02, sequential=True, **asked)
        else:
            with pytest.raises(NotApplicable):
                assay.compare(table, margin=0.02, sequential=True, **asked)

    def test_refusals(self) -> None:
        table = answers(50, 0.9, 0.7)
        with pytest.raises(NotApplicable, match="f1 is not a mean over items"):
            assay.compare(table, measure="f1", sequential=True)
        with pytest.raises(NotApplicable, match="clusters are not independent draws"):
            assay.compare({**table, "group": np.arange(50) // 5}, cluster="group", sequential=True)
        with pytest.raises(NotApplicable, match="this is one model"):
            assay.compare({"truth": table["truth"], "a": table["a"]}, against=0.5, sequential=True)
        with pytest.raises(NotApplicable, match="these are scores of data sets"):
            assay.compare(
                {"dataset": list("uvwxyz"), "a": np.arange(6.0), "b": np.arange(6.0) + 2},
                sequential=True,
            )
        with pytest.raises(UsageError, match="one measure and no slice"):
            assay.compare(table, measure=["accuracy", "f1"], sequential=True)
        with pytest.raises(UsageError, match="bound= is for means of losses of models"):
            assay.compare(table, bound=1.0)

    def test_on_the_command_line(self, tmp_path: Path) -> None:
        path = tmp_path / "losses.csv"
        rng = np.random.default_rng(2)
        path.write_text("a,b\n" + "\n".join(f"{x},{y}" for x, y in rng.random((100, 2)).round(3)))
        asked = ["compare", str(path), "--measure", "mean_loss", "--sequential", "--bound", "1"]
        ran = typed(*map(str, asked), "--format", "json")
        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout)["choice"]["method"] == "anytime_mean_difference"


class TestConfidenceSequence:
    def test_is_the_public_interval_at_every_look(self) -> None:
        rng = np.random.default_rng(3)
        differences = rng.choice([-1.0, 0.0, 1.0], 150)
        looks, low, high = confidence_sequence(differences, bound=1.0, level=0.9)
        assert looks[0] == 1
        for look, left, right in list(zip(looks, low, high, strict=True))[::7]:
            interval = anytime_mean_difference(differences[:look], level=0.9).effect.interval
            assert interval is not None
            assert (left, right) == pytest.approx((interval.low, interval.high), abs=1e-9)

    def test_rounding_many_values_only_widens(self) -> None:
        differences = np.random.default_rng(5).uniform(-1.0, 1.0, 1500)
        looks, low, high = confidence_sequence(differences, bound=1.0, level=0.95)
        interval = anytime_mean_difference(differences).effect.interval
        assert interval is not None
        assert interval.low - 0.005 < low[-1] <= interval.low + 1e-9
        assert interval.high - 1e-9 <= high[-1] < interval.high + 0.005
        assert looks[-1] == 1500


def test_looking_after_every_item_errs_in_five_percent_at_most() -> None:
    rng = np.random.default_rng(6)
    ever = 0
    for _ in range(400):
        differences = rng.choice([-1.0, 0.0, 0.0, 1.0], 200)
        p_ever = dict(anytime_mean_difference(differences).details)["p_ever"]
        assert isinstance(p_ever, float)
        ever += p_ever <= 0.05
    assert keeps(ever, 400, at_most=0.05)
