"""Differences of areas under ROC curves of many samples of a population: the default interval and DeLong's own."""

from itertools import combinations
from typing import Any

import numpy as np

from assay.estimates.misplaced_items import apart
from assay.hypotheses.roc import delong_test
from assay.kernels.batched_rankings import DUST, class_df, placed, ranked
from assay.kernels.no_variation import flat_limits
from assay.kernels.skewness import wider_limits
from assay.kernels.special import stdtrit
from assay.kernels.tails import normal_reach
from assay.kernels.unseen_values import allowed, unseen_reach
from calibration.designs.means import Disagreement

Limits = tuple[Any, Any]


class Areas:
    """Samples (samples, items) and their placements under every model."""

    def __init__(self, truth: Any, scores: dict[str, Any]) -> None:
        self.truth, self.scores = truth, scores
        self.sizes = truth.sum(axis=1).astype(float), (~truth).sum(axis=1).astype(float)
        self.areas, self.placements = {}, {}
        for model, own in scores.items():
            rows = ranked(truth, own)
            self.areas[model], found = placed(rows)
            self.placements[model] = rows.in_rows(found)

    def pairs(self) -> Any:
        for a, b in combinations(self.scores, 2):
            yield a, b, Difference(self, a, b)


class Difference:
    """Areas of A less those of B, and the variances from either class; NaN where it has one item."""

    def __init__(self, of: Areas, a: str, b: str) -> None:
        self.sizes, self.value = of.sizes, of.areas[a] - of.areas[b]
        self.short = 2.0 - of.areas[a] - of.areas[b]
        squares = (of.placements[a] - of.placements[b] - self.value[:, None]) ** 2
        positive = np.einsum("ij,ij->i", squares, of.truth)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.parts = [
                np.where(size > 1.0, square / (size * (size - 1.0)), np.nan)
                for size, square in zip(
                    of.sizes, (positive, squares.sum(axis=1) - positive), strict=True
                )
            ]
        total = self.parts[0] + self.parts[1]
        self.varies = total > DUST
        self.error = np.sqrt(np.where(self.varies, total, 1.0))

    def plain(self, level: float = 0.95) -> Limits:
        """DeLong's normal interval; where nothing varies, what the rarer class cannot rule out."""
        reach = normal_reach(level, "two-sided")
        flat = flat_limits(self.value, 1.0, np.minimum(*self.sizes), reach)  # type: ignore[arg-type]
        ends = self.value - reach * self.error, self.value + reach * self.error
        low, high = (
            np.where(self.varies, own, other) for own, other in zip(ends, flat, strict=True)
        )
        return np.maximum(low, -1.0), np.minimum(high, 1.0)

    def limits(self, truth: float, shown: int, level: float = 0.95) -> Limits:
        """The default's. What it allows for unseen items is dear, and is left out where it decides nothing.

        That is where the rest of the interval holds the truth; the first ``shown`` are whole.
        """
        low, high = self.plain(level)
        rows = np.flatnonzero(self.varies)
        value, error, short = self.value[rows], self.error[rows], self.short[rows]
        sizes, parts = ([one[rows] for one in both] for both in (self.sizes, self.parts))
        shares = sum(part**2 / (size - 1.0) for part, size in zip(parts, sizes, strict=True))
        df = np.minimum(sum(parts) ** 2 / shares, class_df(*sizes))
        lean = value / short**2 * sum(part**2 for part in parts) / sum(parts) ** 1.5
        low[rows], high[rows] = wider_limits(value, error, -stdtrit(df, (1.0 - level) / 2.0), lean)
        missing = allowed(1.0 - level, "two-sided")
        for side, ends in ((1.0, low), (-1.0, high)):
            due = np.flatnonzero((side * (ends[rows] - truth) > 0.0) | (rows < shown))
            far = [
                unseen_reach(missing, (apart(n) + side * value)[due] / error[due], n[due], df[due])
                for n in sizes
            ]
            end = value[due] - side * np.maximum(*far) * error[due]
            ends[rows[due]] = side * np.minimum(side * ends[rows[due]], side * end)
        return np.maximum(low, -1.0), np.minimum(high, 1.0)


def check_areas(of: Areas, a: str, b: str, limits: Limits, rows: int) -> None:
    """Some samples through the public method: the same interval, or the run stops."""
    for row in range(rows):
        scores = of.scores[a][row], of.scores[b][row]
        found = delong_test(of.truth[row], *scores, variant="t").effect.interval
        ours = limits[0][row], limits[1][row]
        if found is None or not np.allclose(ours, (found.low, found.high), rtol=1e-6, atol=1e-9):
            raise Disagreement(f"{ours!r} in calibration, {found!r} from assay")
