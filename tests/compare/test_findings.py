"""The verdict alone is the verdict of the whole comparison."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import assay
from assay.compare.findings import verdict_alone

RNG = np.random.default_rng(6)
TRUTH = RNG.integers(0, 2, 300)


def labels(models: int) -> dict[str, Any]:
    right = {f"m{k}": RNG.random(300) < 0.9 - 0.04 * k for k in range(models)}
    return {
        "truth": TRUTH,
        **{name: np.where(is_, TRUTH, 1 - TRUTH) for name, is_ in right.items()},
    }


def numbers() -> dict[str, Any]:
    truth = RNG.normal(50.0, 10.0, 200)
    return {"truth": truth, "a": truth + RNG.normal(0, 2, 200), "b": truth + RNG.normal(0, 3, 200)}


def over(models: int) -> dict[str, Any]:
    base = RNG.uniform(0.6, 0.9, 20)
    return {
        "dataset": [f"d{place}" for place in range(20)],
        **{f"m{k}": base + RNG.normal(0.01 * k, 0.02, 20) for k in range(models)},
    }


ASKED: dict[str, tuple[Callable[[], dict[str, Any]], dict[str, Any]]] = {
    "mean losses": (numbers, {"measure": "mae"}),
    "counted labels": (lambda: labels(2), {"measure": "f1_macro", "rng": 1}),
    "many models": (lambda: labels(4), {"rng": 1}),
    "average precision": (
        lambda: {"truth": TRUTH, **{f"{n}_score": TRUTH + RNG.normal(0, 1, 300) for n in "ab"}},
        {"measure": "average_precision", "positive": "1", "rng": 1},
    ),
    "two over data sets": (lambda: over(2), {"measure": "accuracy"}),
    "four over data sets": (lambda: over(4), {"measure": "accuracy"}),
}


@pytest.mark.parametrize("name", ASKED)
def test_the_same_decision_without_what_stands_beside_it(name: str) -> None:
    make, asked = ASKED[name]
    data = make()
    whole = assay.compare(data, **asked)
    with verdict_alone():
        alone = assay.compare(data, **asked)
    assert not alone.also
    assert not alone.posteriors
    assert whole.also
    assert whole.posteriors
    assert [one.sentence for one in alone.verdicts] == [one.sentence for one in whole.verdicts]
    assert [one.outcome for one in alone.verdicts] == [one.outcome for one in whole.verdicts]
    assert (alone.sentence, alone.estimates) == (whole.sentence, whole.estimates)


def test_afterwards_everything_is_told_again() -> None:
    with pytest.raises(RuntimeError), verdict_alone():
        raise RuntimeError
    assert assay.compare(over(3), measure="accuracy").also
