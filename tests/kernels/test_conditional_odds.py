"""The odds ratio given the sums of a table."""

import math

import numpy as np
import pytest
from scipy.stats.contingency import odds_ratio

from assay.kernels.conditional_odds import ConditionalOdds


def odds(table: tuple[tuple[int, int], tuple[int, int]]) -> ConditionalOdds:
    (a, b), (c, d) = table
    return ConditionalOdds(a, a + b, c + d, a + c)


def test_tea() -> None:
    """R: fisher.test(matrix(c(3, 1, 1, 3), 2)), whose roots are found to about 1e-5."""
    tea = odds(((3, 1), (1, 3)))
    assert tea.estimate() == pytest.approx(6.408309, rel=1e-5)
    assert tea.lower(0.05) == pytest.approx(0.3135693, rel=2e-5)  # alternative "greater"
    assert tea.lower(0.025) == pytest.approx(0.2117329, rel=2e-5)
    assert 1 / tea.upper(0.025) == pytest.approx(1 / 621.9337505, abs=2e-5)


@pytest.mark.parametrize("seed", range(12))
def test_as_scipy_has_it(seed: int) -> None:
    a, b, c, d = np.random.default_rng(seed).integers(0, 40, 4).tolist()
    known = odds_ratio([[a, b], [c, d]], kind="conditional")
    limits = known.confidence_interval(0.9)
    found = odds(((a, b), (c, d)))
    assert found.estimate() == pytest.approx(known.statistic, rel=1e-9)
    assert found.lower(0.05) == pytest.approx(limits.low, rel=1e-9)
    assert found.upper(0.05) == pytest.approx(limits.high, rel=1e-9)


def test_ends() -> None:
    assert odds(((0, 5), (3, 4))).estimate() == odds(((0, 5), (3, 4))).lower(0.05) == 0.0
    assert odds(((5, 0), (3, 4))).estimate() == odds(((5, 0), (3, 4))).upper(0.05) == math.inf


def test_many_tables() -> None:
    """A million items: near the logarithm's normal limits."""
    table = ((300_000, 200_000), (250_000, 250_000))
    found, error = odds(table), math.sqrt(sum(1 / n for row in table for n in row))
    assert found.estimate() == pytest.approx(1.5, rel=1e-5)
    assert math.log(found.upper(0.025) / found.estimate()) == pytest.approx(
        1.959964 * error, rel=0.01
    )
