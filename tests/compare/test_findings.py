"""What stands beside a verdict is worked out when it is asked for, and is what it would have been at once."""

import copy
import pickle
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import assay
from assay.compare.comparison_result import verdict_alone
from assay.core.results import Comparison

RNG = np.random.default_rng(6)
TRUTH = RNG.integers(0, 2, 300)


def labels(models: int) -> dict[str, Any]:
    right = {f"m{k}": RNG.random(300) < 0.9 - 0.04 * k for k in range(models)}
    return {
        "truth": TRUTH.copy(),
        **{name: np.where(is_, TRUTH, 1 - TRUTH) for name, is_ in right.items()},
    }


def numbers() -> dict[str, Any]:
    truth = RNG.normal(50.0, 10.0, 200)
    return {"truth": truth, "a": truth + RNG.normal(0, 2, 200), "b": truth + RNG.normal(0, 3, 200)}


def scores() -> dict[str, Any]:
    return {
        "truth": TRUTH.copy(),
        **{f"{name}_score": TRUTH + RNG.normal(0, 1, 300) for name in "ab"},
    }


def over(unit: str, models: int) -> dict[str, Any]:
    base = RNG.uniform(0.6, 0.9, 20)
    return {
        unit: [f"{unit[0]}{place}" for place in range(20)],
        **{f"m{k}": base + RNG.normal(0.01 * k, 0.02, 20) for k in range(models)},
    }


ASKED: dict[str, tuple[Callable[[], dict[str, Any]], dict[str, Any]]] = {
    "right or wrong": (lambda: labels(2), {}),
    "with folds": (lambda: {**labels(2), "fold": np.arange(300) % 5}, {"unit": "item"}),
    "a level": (lambda: labels(1), {"against": 0.5}),
    "mean losses": (numbers, {"measure": "mae"}),
    "counted labels": (lambda: labels(2), {"measure": "f1_macro", "rng": 1}),
    "many models": (lambda: labels(4), {"rng": 1}),
    "average precision": (
        scores,
        {"measure": "average_precision", "positive": "1", "rng": 1},
    ),
    "areas": (scores, {"measure": "roc_auc", "positive": "1"}),
    "two over folds": (lambda: over("fold", 2), {"measure": "accuracy", "folds": 10}),
    "four over folds": (lambda: over("fold", 4), {"measure": "accuracy", "folds": 10}),
    "two over seeds": (lambda: over("seed", 2), {"measure": "accuracy", "rng": 1}),
    "two over data sets": (lambda: over("dataset", 2), {"measure": "accuracy"}),
    "four over data sets": (lambda: over("dataset", 4), {"measure": "accuracy"}),
}


def apart() -> list[dict[str, Any]]:
    whole = labels(2)
    return [{"truth": whole["truth"].copy(), name: whole[name]} for name in ("m0", "m1")]


@pytest.mark.parametrize("name", ASKED)
class TestBeside:
    def test_the_same_decision_without_what_stands_beside_it(self, name: str) -> None:
        make, asked = ASKED[name]
        whole = assay.compare(make(), **asked)
        alone = verdict_alone(whole)
        assert not alone.also
        assert not alone.posteriors
        assert all(one.p_better is None for one in alone.verdicts)
        assert whole.also
        assert whole.posteriors
        assert any(one.p_better is not None for one in whole.verdicts)
        assert [one.outcome for one in alone.verdicts] == [one.outcome for one in whole.verdicts]
        assert (alone.sentence, alone.estimates) == (whole.sentence, whole.estimates)

    def test_rests_on_the_evidence_as_it_was(self, name: str) -> None:
        make, asked = ASKED[name]
        data = make()
        kept = copy.deepcopy(data)
        result = assay.compare(data, **asked)
        for values in data.values():
            if isinstance(values, np.ndarray):
                values[:] = values[::-1].copy()
        assert result == assay.compare(kept, **asked)

    def test_is_there_in_copies(self, name: str) -> None:
        make, asked = ASKED[name]
        result = assay.compare(make(), **asked)
        again: Comparison = pickle.loads(pickle.dumps(result))  # noqa: S301 (our own)
        assert again.also
        assert (again, copy.copy(result), copy.deepcopy(result)) == (result, result, result)
        assert hash(again) == hash(result)
        assert assay.from_json(result.to_json()) == result


def test_of_different_items_too() -> None:
    parts = apart()
    kept = copy.deepcopy(parts)
    every: list[dict[str, Any]] = [{}, {"measure": "f1_macro", "rng": 1}]
    for asked in every:
        result = assay.compare(assay.read(*parts, paired=False), **asked)
        for part in parts:
            for values in part.values():
                values[:] = values[::-1].copy()
        assert result == assay.compare(assay.read(*kept, paired=False), **asked)
        parts = copy.deepcopy(kept)


def test_is_not_worked_out_for_the_brief_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise AssertionError("nobody asked for it")

    monkeypatch.setattr("assay.hypotheses.paired_measures.paired_bootstrap", refuse)
    posteriors = import_module("assay.compare.verdict_posteriors")
    monkeypatch.setattr(posteriors, "_of_outcome", refuse)
    result = assay.compare(labels(2), measure="f1_macro", rng=1)
    assert "f1_macro" in str(result)
    with pytest.raises(AssertionError, match="nobody asked"):
        _ = result.also
    with pytest.raises(AssertionError, match="nobody asked"):
        _ = result.verdict.p_better
