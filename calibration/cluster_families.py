"""Five models on clustered items: the smallest p-value of every family, many test sets at a time."""

from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import stdtr

import assay
from assay.core.errors import NotApplicable
from assay.core.tolerances import TIE
from assay.hypotheses.cluster_jackknife import largest_strays
from calibration.cluster_worlds import Drawn, degrees_of_freedom, values_without
from calibration.designs.means import Disagreement

SURELY = 0.1
"""P of the farthest pair alone above which a family differs nowhere at 5 %: of 999 draws over 49 lie beyond it, but for
three in 10⁹ families at most."""
CHECKED = 1
"""Test sets of every batch and measure that go through the public function as well."""


def smallest_p_values(drawn: Drawn, measure: str, draws: int, drawn_for: int | None = None) -> Any:
    """The smallest p-value over the pairs of each test set; NaN where the method refuses.

    Seeds are the places of the test sets. The draws are those of `simultaneous_jackknife`; only the
    values without each cluster are worked out for all test sets at once. Beyond the first ``drawn_for``
    nothing is drawn for families that surely differ nowhere (`SURELY`); theirs is 1.
    """
    values, left = values_without(drawn, measure)
    strays = left - values[..., None]
    m = drawn.world.clusters
    covariance = (m - 1.0) / m * np.einsum("rig,rjg->rij", strays, strays)
    df = degrees_of_freedom(drawn, measure)
    a, b = np.array(list(combinations(range(values.shape[1]), 2))).T
    spread = np.einsum("rii->ri", covariance)
    squared = spread[:, a] + spread[:, b] - 2.0 * covariance[:, a, b]
    errors = np.sqrt(np.maximum(squared, 0.0))
    flat = errors <= TIE * np.maximum(np.abs(values[:, a]), np.abs(values[:, b]))
    found = np.full(len(values), np.nan)
    sure = np.zeros(len(values), bool)
    if drawn_for is not None:
        with np.errstate(invalid="ignore", divide="ignore"):
            farthest = (np.abs(values[:, a] - values[:, b]) / errors).max(axis=1)
        sure = 2.0 * stdtr(df, -farthest) > SURELY
        sure[:drawn_for] = False
    for row in np.flatnonzero(~np.isnan(errors).any(axis=1)):
        if flat[row].any():
            found[row] = public_smallest(drawn, measure, int(row), draws)
            continue
        if sure[row]:
            found[row] = 1.0
            continue
        largest = largest_strays(
            values[row], covariance[row], float(df[row]), (a, b), errors[row], draws, int(row)
        )
        most = (np.abs(values[row, a] - values[row, b]) / errors[row]).max()
        found[row] = ((largest >= most).sum() + 1) / (draws + 1)
    return found


def public_smallest(drawn: Drawn, measure: str, row: int, draws: int) -> float:
    """The same from the public function; NaN where it refuses."""
    try:
        family = assay.simultaneous_jackknife(
            drawn.columns(row, measure), measure=measure, n_resamples=draws, rng=row
        )
    except NotApplicable:
        return np.nan
    return min(1.0 if one.p_value is None else one.p_value for one in family.outcomes)


def check_families(drawn: Drawn, measure: str, found: Any, draws: int, rows: int = CHECKED) -> None:
    """Some test sets through the public function: the same p-value, or the run stops."""
    for row in range(rows):
        public = public_smallest(drawn, measure, row, draws)
        if not np.isclose(found[row], public, rtol=0.0, atol=1e-9, equal_nan=True):
            raise Disagreement(f"{measure}: {found[row]} in calibration, {public} from assay")
