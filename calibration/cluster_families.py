"""Five models on clustered items: the smallest p-value of every family, many test sets at a time."""

from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import stdtr

import assay
from assay.core.errors import NotApplicable
from assay.core.rng import stream
from assay.core.tolerances import TIE
from calibration.cluster_worlds import Drawn, degrees_of_freedom, values_without
from calibration.designs.means import Disagreement

SURELY = 0.1
"""P of the farthest pair alone above which a family differs nowhere at 5 %: of 999 draws over 49 lie beyond it, but for
three in 10⁹ families at most."""
CHECKED = 1
"""Test sets of every batch and measure that go through the public function as well."""
AT_ONCE = 111
"""Draws between two looks at whether a family can still differ at 5 %."""
_RNG = np.random.Generator(np.random.SFC64(0))
"""Set to the state of a stream before it is used: that takes a tenth of the time of making one."""


def smallest_p_values(drawn: Drawn, measure: str, draws: int, drawn_for: int | None = None) -> Any:
    """The smallest p-value over the pairs of each test set; NaN where the method refuses.

    Seeds are the places of the test sets. The draws are those of `simultaneous_jackknife`; all else is
    worked out for all test sets at once. Beyond the first ``drawn_for`` only what decides at 5 % is drawn:
    of families that surely differ nowhere (`SURELY`), or in which more than 5 % of all draws lie beyond
    the farthest pair already, p is 1.
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
    factors = factors_of(values, np.where(np.isnan(covariance), 0.0, covariance))
    for row in np.flatnonzero(~np.isnan(errors).any(axis=1)):
        if flat[row].any():
            found[row] = public_smallest(drawn, measure, int(row), draws)
            continue
        if sure[row]:
            found[row] = 1.0
            continue
        most = (np.abs(values[row, a] - values[row, b]) / errors[row]).max()
        enough = draws if drawn_for is None or row < drawn_for else int(0.05 * (draws + 1))
        normals, state = begun(int(row), draws, values.shape[1])
        strays = normals @ factors[row]
        ratios = np.abs(strays[:, a] - strays[:, b]) / errors[row]
        beyond = _beyond(ratios, float(df[row]), state, float(most), enough)
        found[row] = 1.0 if beyond >= enough else (beyond + 1) / (draws + 1)
    return found


def factors_of(values: Any, covariance: Any) -> Any:
    """Square roots of covariances, models in the order of their values, as `largest_strays` has them."""
    ranked = np.argsort(-values, axis=1, kind="stable")
    each = np.arange(len(values))[:, None]
    ordered = covariance[each[..., None], ranked[:, :, None], ranked[:, None, :]]
    roots, vectors = np.linalg.eigh(ordered)
    scaled = vectors * np.sqrt(np.maximum(roots, 0.0))[:, None, :]
    factors = np.empty_like(covariance)
    factors[each, :, ranked] = (scaled @ vectors.transpose(0, 2, 1)).transpose(0, 2, 1)
    return factors


@lru_cache(maxsize=1024)
def begun(seed: int, draws: int, models: int) -> tuple[Any, Any]:
    """The normal draws of a seed, the same for every family, and where its stream stands after them."""
    rng = stream(seed, 0)
    return rng.standard_normal((draws, models)), rng.bit_generator.state


def largest_strays(ratios: Any, df: float, state: Any) -> Any:
    """The farthest pair of each draw, each over an error that is drawn after the normal draws."""
    _RNG.bit_generator.state = state
    return (ratios / np.sqrt(_RNG.chisquare(df, ratios.shape) / df)).max(axis=1)


def _beyond(ratios: Any, df: float, state: Any, most: float, enough: int) -> int:
    """How many draws lie beyond the farthest pair, each pair over an error that is drawn; up to ``enough``."""
    _RNG.bit_generator.state = state
    found = 0
    for start in range(0, len(ratios), AT_ONCE):
        part = ratios[start : start + AT_ONCE]
        spread = np.sqrt(_RNG.chisquare(df, part.shape) / df)
        found += int(((part / spread).max(axis=1) >= most).sum())
        if found >= enough:
            break
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
