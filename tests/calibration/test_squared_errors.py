"""Squared errors: the batched limits are those of `compare`, replicate by replicate."""

import numpy as np
import pytest

from calibration import squared_errors
from calibration.designs.means import Disagreement


@pytest.mark.parametrize("n", [20, 200])
@pytest.mark.parametrize("name", squared_errors.WORLDS)
def test_every_sample_is_answered_alike(name: str, n: int) -> None:
    draw, _ = squared_errors.WORLDS[name]
    a, b = draw(np.random.default_rng(1), (6, n))
    low, high = squared_errors.limits(a, b, checked=6)
    plain = squared_errors.t_limits(a - b)
    assert (low <= plain[0] + 1e-12).all()
    assert (high >= plain[1] - 1e-12).all()


def test_counts_and_shows() -> None:
    found = squared_errors.measured(
        "normal errors, exchangeable", 20, np.random.default_rng(2), 200
    )
    assert found[0].counts["n"] == 200
    assert found[0].counts["ours covered"] >= found[0].counts["t covered"] > 170
    assert "normal errors, exchangeable | 9" in squared_errors.square_page(found) or (
        "normal errors, exchangeable | 100.0" in squared_errors.square_page(found)
    )


def test_another_form_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(squared_errors, "unseen_square", lambda a, b, spread: 0.0 * spread)
    a, b = squared_errors.WORLDS["3 % ten times as large, equal means"][0](
        np.random.default_rng(1), (40, 50)
    )
    with pytest.raises(Disagreement):
        squared_errors.limits(a, b, checked=40)
