"""A measure keeps the name that was typed: sensitivity stays sensitivity, everywhere."""

import json
from typing import Any

import pytest

import assay
from assay.measures.registry import find_measure, registered_name

TRUTH = [1, 1, 0, 0, 1, 0, 1, 0] * 25
DATA: dict[str, Any] = {
    "truth": TRUTH,
    "a": [1 - one if k % 9 == 0 else one for k, one in enumerate(TRUTH)],
    "b": [1 - one if k % 5 == 0 else one for k, one in enumerate(TRUTH)],
    "c": [1 - one if k % 4 == 0 else one for k, one in enumerate(TRUTH)],
}
TWO = {name: DATA[name] for name in ("truth", "a", "b")}
SCORES = {
    "truth": TRUTH,
    "a": [0.8 * one + 0.002 * k for k, one in enumerate(TRUTH)],
    "b": [0.3 * one + 0.004 * k for k, one in enumerate(TRUTH)],
}
CASES = [
    (TWO, "sensitivity", "recall"),
    (TWO, "ppv", "precision"),
    (DATA, "sensitivity", "recall"),
    (SCORES, "auc", "roc_auc"),
]


@pytest.mark.parametrize(("data", "typed", "ours"), CASES)
def test_a_comparison(data: dict[str, Any], typed: str, ours: str) -> None:
    found = assay.compare(data, truth="truth", positive=1, measure=typed, n_resamples=199, rng=1)
    plain = assay.compare(data, truth="truth", positive=1, measure=ours, n_resamples=199, rng=1)
    assert found.measure == typed
    assert {one.measure for one in found.estimates} == {typed}
    assert {one.outcome.effect.measure for one in found.verdicts} == {typed}
    assert [one.outcome.p_value for one in found.verdicts] == [
        one.outcome.p_value for one in plain.verdicts
    ]
    for form in ("table", "markdown", "html", "latex", "json"):
        text = assay.render(found, form, details=True)
        assert typed in text
        assert f'"measure": "{ours}"' not in text
    assert ours not in found.summary()
    assert assay.from_json(assay.to_json(found)) == found


def test_what_a_difference_rests_on() -> None:
    shown = assay.compare(TWO, truth="truth", positive=1, measure="sensitivity").summary()
    heading = next(line for line in shown.splitlines() if "95% CI  " in line)
    assert heading.split()[-1] == "positives"
    rows = [
        line.split() for line in shown.splitlines() if line.startswith(("a ", "b ", "difference"))
    ]
    assert all("100" in row for row in rows)
    assert len(rows) == 3


@pytest.mark.parametrize(
    ("measure", "items"),
    [("fdr", "predicted positives"), ("false_omission_rate", "predicted negatives")],
)
def test_a_rate_among_predictions_says_so(measure: str, items: str) -> None:
    shown = assay.evaluate(TWO, truth="truth", positive=1, measures=measure).summary()
    assert f"{items} " in shown


def test_several_measures_with_a_margin_of_the_typed_name() -> None:
    found = assay.compare(
        TWO, truth="truth", positive=1, measure=["accuracy", "tpr"], margin={"tpr": 0.1}
    )
    assert [part.measure for part in found.parts] == ["accuracy", "tpr"]
    assert [part.margin for part in found.parts] == [None, 0.1]
    with pytest.raises(assay.UsageError, match="measures are accuracy, tpr"):
        assay.compare(TWO, truth="truth", positive=1, measure=["accuracy", "tpr"], margin={"f1": 1})


def test_gate_and_plan() -> None:
    gate = assay.gate(TWO, truth="truth", baseline="b", positive=1, margin=0.05, measures="tpr")
    assert [check.measure for check in gate.checks] == ["tpr"]
    assert "a has a higher tpr than b" in gate.sentence
    plan = assay.plan("tpr", pilot=TWO, truth="truth", positive=1, power=0.8)
    assert plan.measure == "tpr"
    assert "tpr" in plan.sentence
    with pytest.raises(assay.AssayError, match="tpr has no formula"):
        assay.plan("tpr", baseline=0.8, difference=0.05, power=0.8)


def test_the_registry_keeps_its_own_name() -> None:
    found = find_measure("sensitivity")
    assert (found.name, found.called) == ("recall", "sensitivity")
    assert found == find_measure("recall")
    assert find_measure("sensitivity[spam]").called == "sensitivity[spam]"
    assert registered_name("my own score") == "my own score"


def test_json_says_what_was_typed() -> None:
    found = assay.compare(TWO, truth="truth", positive=1, measure="sensitivity")
    assert json.loads(assay.to_json(found))["measure"] == "sensitivity"
