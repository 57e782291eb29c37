"""Skewed worlds: the batched limits are those of the public functions, replicate by replicate."""

import numpy as np
import pytest

from calibration import tails
from calibration.designs.means import Disagreement


@pytest.fixture(autouse=True)
def every_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tails, "CHECKED", 25)
    monkeypatch.setattr(tails, "mean_of", lambda draw: 0.0)
    monkeypatch.setattr(tails, "_MEANS", {})


@pytest.mark.parametrize("n", [20, 200])
@pytest.mark.parametrize("name", tails.PAIRS)
def test_two_models(name: str, n: int) -> None:
    (found,) = tails.pairs(name, n, np.random.default_rng(1), 25)
    assert found.counts["n"] == 25
    assert found.counts["width"] >= found.counts["t_width"] * (1 - 1e-12)


@pytest.mark.parametrize("n", [20, 200])
@pytest.mark.parametrize("name", tails.ONES)
def test_one_model(name: str, n: int) -> None:
    (found,) = tails.ones(name, n, np.random.default_rng(2), 25)
    assert found.counts["n"] == 25


def test_another_form_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tails, "allowed", lambda alpha, side: 0.2 * alpha + 0 * len(side))
    with pytest.raises(Disagreement):
        tails.pairs("Brier, 5 % of the items in dispute", 20, np.random.default_rng(1), 25)
