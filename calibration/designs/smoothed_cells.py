"""Coverage of intervals from smoothed cells, drawn no longer than the answer is open.

The default interval takes order statistics of 9,999 draws; here of 399, at the same probabilities.
Whether a truth lies inside needs only the number of draws on either side of it, and most truths
lie so far inside after a hundred draws that more would not change the answer.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.estimates.smoothed_intervals import pseudo_counts, smoothed_draws
from assay.measures.registry import Measure
from calibration.designs.cells import ALPHAS, BoolArray, FloatArray
from calibration.designs.means import Disagreement

Generator = np.random.Generator
RESAMPLES = 399
STAGES = ((100, 15), (RESAMPLES, RESAMPLES))
"""After so many draws, tables with so many of them on either side of the truth are done: if the
truth were at the 2.5 % limit, that would happen once in some ten million times."""
SHOWN = 100
"""Replicates of a batch whose limits are drawn in full, to average widths."""
CHECKED = 2
"""Of these, those whose draws are compared with the public function."""
NUMBERS = 400_000
"""Numbers drawn at a time."""


def missed_by_draws(
    measures: Mapping[str, Measure],
    tables: NDArray[Any],
    truths: Mapping[str, float],
    rng: Generator,
) -> dict[tuple[str, float], tuple[BoolArray, BoolArray]]:
    """Whether the interval of each table lies above the truth, and whether it lies below."""
    names = list(measures)
    sides = np.zeros((2, len(names), len(tables)), dtype=np.int64)
    open_ = np.arange(len(tables))
    done = 0
    for total, enough in STAGES:
        for rows in _parts(open_, (total - done) * tables[0].size):
            drawn = rng.standard_gamma(_shapes(tables[rows]), (total - done, *tables[rows].shape))
            for place, name in enumerate(names):
                values = measures[name].function(drawn)
                sides[0, place, rows] += (values <= truths[name]).sum(axis=0)
                sides[1, place, rows] += (values >= truths[name]).sum(axis=0)
        done = total
        unsure = (sides[:, :, open_] < enough).any(axis=(0, 1))
        if total < RESAMPLES:
            sides[:, :, open_[~unsure]] = RESAMPLES
        open_ = open_[unsure]
    found = {}
    for place, name in enumerate(names):
        observed = np.asarray(measures[name].function(tables), np.float64)
        for alpha in ALPHAS:
            least = round(alpha / 2.0 * (RESAMPLES + 1))
            low = (sides[0, place] < least) & (observed > truths[name])
            high = (sides[1, place] < least) & (observed < truths[name])
            found[name, alpha] = (low, high)
    return found


def draw_widths(
    measures: Mapping[str, Measure],
    tables: NDArray[Any],
    truths: Mapping[str, float],
    rng: Generator,
) -> dict[tuple[str, float], float]:
    """Mean widths over the first replicates; some draws are compared with the public function."""
    chosen = tables[:SHOWN]
    values: dict[str, list[FloatArray]] = {name: [] for name in measures}
    for rows in _parts(np.arange(len(chosen)), RESAMPLES * chosen[0].size):
        part = chosen[rows]
        drawn = rng.standard_gamma(_shapes(part), (RESAMPLES, *part.shape))
        for name, one in measures.items():
            values[name].append(np.asarray(one.function(drawn), np.float64))
    widths = {}
    for name, one in measures.items():
        drawn = np.sort(np.concatenate(values[name], axis=1), axis=0)
        _check(one, chosen, drawn, truths[name])
        observed = np.asarray(one.function(chosen), np.float64)
        for alpha in ALPHAS:
            place = round(alpha / 2.0 * (RESAMPLES + 1))
            high = np.fmax(drawn[-place], observed)
            width = (high - np.fmin(drawn[place - 1], observed))[~np.isnan(observed)]
            widths[name, alpha] = float(width.mean()) if width.size else 0.0
    return widths


def _check(measure: Measure, tables: NDArray[Any], drawn: FloatArray, truth: float) -> None:
    """The share of draws below the truth is that of the public function, up to random numbers."""
    for row, table in enumerate(tables[:CHECKED]):
        theirs = smoothed_draws(table, measure, n_resamples=RESAMPLES, seed=row)
        shares = [float((one <= truth).mean()) for one in (drawn[:, row], theirs)]
        if abs(shares[0] - shares[1]) > 6.0 * np.sqrt(0.5 / RESAMPLES):
            raise Disagreement(
                f"smoothed cells: {shares[0]:.3f} of the draws below the truth in calibration, "
                f"{shares[1]:.3f} from the method"
            )


def _shapes(tables: NDArray[Any]) -> FloatArray:
    """Counts and pseudo-counts of the classes that occur; of one class the others count too."""
    seen = tables.sum(axis=2) > 0
    known = seen | (seen.sum(axis=1) < 2)[:, None]
    return np.asarray(tables + pseudo_counts(tables.shape[1]) * known[:, :, None])


def _parts(rows: NDArray[Any], numbers: int) -> list[NDArray[Any]]:
    size = max(1, NUMBERS // numbers)
    return [rows[start : start + size] for start in range(0, rows.size, size)]
