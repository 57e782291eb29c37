"""Precision-recall bands that hold for whole curves."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from assay.core.errors import EvidenceError
from assay.estimates.precision_recall import precision_recall_band
from assay.measures.curves import precision_recall_curve


def sample(n: int, seed: int, *, share: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < share
    return truth, 1.2 * truth + rng.normal(size=n)


def test_points_are_those_of_the_plain_curve() -> None:
    truth, scores = sample(80, 1)
    band, plain = precision_recall_band(truth, scores), precision_recall_curve(truth, scores)
    assert band.column("recall") == pytest.approx(plain.column("recall"))
    assert band.column("precision") == pytest.approx(plain.column("precision"))
    details = dict(band.details)
    assert details["average_precision"] == dict(plain.details)["average_precision"]


def test_the_band_holds_the_whole_true_curve() -> None:
    """Two normal distributions, whose precision at every recall is known."""
    held = 0
    for seed in range(60):
        truth, scores = sample(150, seed)
        band = precision_recall_band(truth, scores, level=0.8)
        recall, low, high = (np.array(band.column(name)) for name in ("recall", "low", "high"))
        inside = (recall > 0) & (recall < 1)
        fpr = ndtr(-(1.2 - ndtri(recall[inside])))
        true = 0.3 * recall[inside] / (0.3 * recall[inside] + 0.7 * fpr)
        held += bool(np.all((low[inside] <= true + 1e-12) & (true <= high[inside] + 1e-12)))
    assert held >= 40  # P(fewer of 60 at 80 %) = 0.006; Massart's bound makes it hold more often


def test_more_items_narrow_it() -> None:
    widths = []
    for n in (100, 2_000, 40_000):
        band = precision_recall_band(*sample(n, 3))
        middle = len(band.column("recall")) // 2
        widths.append(band.column("high")[middle] - band.column("low")[middle])
    assert widths[0] > 2 * widths[1] > 4 * widths[2]


def test_large_curves_are_thinned() -> None:
    band = precision_recall_band(*sample(20_000, 4))
    assert len(band.column("recall")) == 1000


@pytest.mark.parametrize("truth", [[1, 1, 1], [0, 0, 0]])
def test_one_class(truth: list[int]) -> None:
    with pytest.raises(EvidenceError, match="both classes"):
        precision_recall_band(truth, [0.1, 0.2, 0.3])
