"""What an undecided comparison says it needs: the number of `assay.plan`, by one function."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.results import Comparison, Needed

RNG = np.random.default_rng(20)
TRUTH = RNG.integers(0, 2, 150)


def wrong(share: float) -> list[int]:
    return [int(one) for one in np.where(RNG.random(TRUTH.size) < share, 1 - TRUTH, TRUTH)]


LABELS = {"y": TRUTH.tolist(), "a": wrong(0.2), "b": wrong(0.22)}
HOUSES = {
    "y": RNG.normal(100.0, 9.0, 60).tolist(),
    "a": RNG.normal(100.0, 9.0, 60).tolist(),
    "b": RNG.normal(100.0, 9.0, 60).tolist(),
}
SEEDS = {
    "model": ["a"] * 9 + ["b"] * 6,
    "score": [*RNG.normal(0.9, 0.01, 9), *RNG.normal(0.9, 0.02, 6)],
}
DATA_SETS = {
    "dataset": [f"d{place}" for place in range(18)],
    "a": RNG.normal(0.8, 0.05, 18).tolist(),
    "b": RNG.normal(0.8, 0.05, 18).tolist(),
}
CASES: dict[str, tuple[dict[str, Any], float, dict[str, Any]]] = {
    "labels": (LABELS, 0.01, {"truth": "y"}),
    "for means of items": (LABELS, 0.01, {"truth": "y", "measure": "f1", "positive": 1}),
    "values": (HOUSES, 0.5, {"truth": "y", "measure": "mae"}),
    "data sets": (DATA_SETS, 0.01, {"unit": "dataset", "lower_is_better": False}),
}


def needed(evidence: Any, **options: Any) -> Needed:
    found = assay.compare(evidence, **options)
    assert isinstance(found, Comparison)
    assert found.verdict.word == "undecided"
    assert found.verdict.needed is not None
    return found.verdict.needed


@pytest.mark.parametrize("case", CASES)
def test_compare_and_plan_say_the_same_number(case: str) -> None:
    evidence, margin, reading = CASES[case]
    found = needed(evidence, margin=margin, **reading)
    planned = assay.plan(pilot=evidence, difference=margin, power=0.8, **reading)
    assert found.units == planned.n
    assert found.groups == ()


def test_seeds_of_each_model_are_counted_together_and_said_of_each() -> None:
    reading: dict[str, Any] = {"unit": "seed", "lower_is_better": False}
    found = needed(SEEDS, margin=0.01, **reading)
    planned = assay.plan(pilot=SEEDS, difference=0.01, power=0.8, **reading)
    assert planned.n is not None
    assert (found.units, found.have, found.groups) == (2 * planned.n, 15, (9, 6))
    sentence = assay.compare(SEEDS, margin=0.01, **reading).sentence
    assert f"About {planned.n} seeds of each model (now 9 and 6) would give" in sentence
    assert "sequential" not in sentence  # which takes items that both models meet


def test_a_gate_needs_what_shows_a_loss_of_its_margin() -> None:
    flipped = 1 - TRUTH
    even = {
        "y": TRUTH.tolist(),
        "a": np.where(np.arange(TRUTH.size) < 30, flipped, TRUTH).tolist(),
        "b": np.where(np.arange(TRUTH.size) >= TRUTH.size - 30, flipped, TRUTH).tolist(),
    }
    found = assay.gate(even, truth="y", baseline="a", candidate="b", margin=0.01)
    planned = assay.plan(pilot=even, truth="y", difference=0.01, power=0.8, level=0.9)
    (check,) = found.checks
    assert check.needed is not None
    assert check.needed.units == planned.n


def test_more_pairs_need_more_items() -> None:
    three = {**LABELS, "c": wrong(0.21)}
    pairs = assay.compare(three, truth="y", margin=0.01).verdicts
    alone = needed(LABELS, truth="y", margin=0.01).units
    (same,) = [one.needed for one in pairs if {one.a, one.b} == {"a", "b"}]
    assert same is not None
    planned = assay.plan(
        pilot=LABELS, truth="y", difference=0.01, power=0.8, among=3, variant="connor"
    )
    assert planned.n is not None
    assert abs(same.units - planned.n) <= 1  # α/3, written in two ways
    assert same.units > 1.2 * alone


def test_a_margin_beyond_the_disagreements_is_scaled_by_the_interval() -> None:
    """No plan has a difference of 0.2 where the models disagree on 1 item of 6."""
    few = {"y": [1, 0, 1, 0, 1, 0], "a": [1, 0, 1, 0, 1, 0], "b": [1, 0, 1, 0, 1, 1]}
    with pytest.raises(assay.UsageError, match="beyond what is possible"):
        assay.plan(pilot=few, truth="y", difference=0.2, power=0.8)
    assert needed(few, truth="y", margin=0.2).units > 6
