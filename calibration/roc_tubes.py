"""How far a band of a ROC curve must reach, and how often it then holds the whole curve.

    python -m calibration.roc_tubes reaches    # writes estimates/roc_reaches.json (about ten minutes)
    python -m calibration.roc_tubes coverage   # writes results/roc_bands.json (about twenty minutes)
    python -m calibration.roc_tubes page       # puts them into docs/roc-bands.md

A sample's distance from the true curve is the largest, over the points of that curve, of the least
likelihood-ratio distance to a point of the sample's own curve. Its quantile is the reach of a band.
Ranks alone matter, so scores of negatives are drawn as their false positive rates: uniform numbers.
"""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import integrate, optimize, special, stats

from assay.estimates.roc_bands import (
    campbell_limits,
    likelihood_limits,
    likelihood_reach,
    observed_path,
)
from assay.kernels.auc import sort_scores

Array = NDArray[np.float64]
ROOT = Path(__file__).parent.parent
REACHES = ROOT / "src" / "assay" / "estimates" / "roc_reaches.json"

SIZES = (5, 10, 30, 100, 300, 1000, 3000)
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
REPLICATES = 2000
LOOKED_AT = 48
"""Points of a sample's curve among which the nearest is sought; fewer overstate distances a little."""


class World(NamedTuple):
    """A true curve: the true positive rate at a false positive rate, and the other way round."""

    name: str
    curve: Callable[[Array], Array]
    inverse: Callable[[Array], Array]


def _numbers(found: Any) -> Array:
    return np.asarray(found, dtype=np.float64)


def chance() -> World:
    return World("chance", lambda t: t, lambda u: u)


def binormal(area: float, spread: float = 1.0) -> World:
    """Normal scores; ``spread`` is the standard deviation of negatives over that of positives."""
    shift = stats.norm.ppf(area) * np.sqrt(1.0 + spread**2)
    return World(
        f"binormal {area:g}, {spread:g}",
        lambda t: _numbers(special.ndtr(shift + spread * special.ndtri(t))),
        lambda u: _numbers(special.ndtr((special.ndtri(u) - shift) / spread)),
    )


def exponential(area: float) -> World:
    """Exponential scores of different means: skewed, the curve is t^θ."""
    power = (1.0 - area) / area
    return World(f"exponential {area:g}", lambda t: t**power, lambda u: u ** (1.0 / power))


def gamma(area: float) -> World:
    """Exponential negatives, positives from a gamma distribution of shape 2.5: skewed."""

    def gap(scale: float) -> float:
        found = integrate.quad(lambda t: stats.gamma.sf(-np.log(t), 2.5, scale=scale), 0, 1)
        return float(found[0]) - area

    scale = optimize.brentq(gap, 0.05, 60.0)
    return World(
        f"gamma {area:g}",
        lambda t: _numbers(special.gammaincc(2.5, -np.log(t) / scale)),
        lambda u: _numbers(np.exp(-scale * special.gammainccinv(2.5, u))),
    )


def points(world: World) -> tuple[Array, Array]:
    """The points of the true curve that are looked at: dense at both ends, on both axes."""
    ends = np.geomspace(1e-7, 0.02, 40)
    rates = np.concatenate([ends, np.linspace(0.02, 0.98, 101)[1:-1], 1.0 - ends[::-1]])
    at = np.unique(np.concatenate([rates, world.inverse(rates)]))
    true = world.curve(at)
    inside = (at > 0) & (at < 1) & (true > 0) & (true < 1)
    return at[inside], true[inside]


def distances(
    world: World, negatives: int, positives: int, replicates: int, rng: np.random.Generator
) -> Array:
    """The distance of each of many samples from the true curve."""
    at, true = points(world)
    truth = np.repeat([0, 1], [negatives, positives])
    found = np.empty(replicates)
    for replicate in range(replicates):
        drawn = np.concatenate([rng.random(negatives), world.inverse(rng.random(positives))])
        fpr, tpr = observed_path(sort_scores(truth, -drawn))
        # either part of the distance falls and then rises along the curve: the least lies between
        places = np.stack(
            [np.searchsorted(fpr, at, "left"), np.searchsorted(fpr, at, "right") - 1,
             np.searchsorted(tpr, true, "left"), np.searchsorted(tpr, true, "right") - 1]
        )  # fmt: skip
        places = places.clip(0, fpr.size - 1)
        first, last = places.min(0)[:, None], places.max(0)[:, None]
        near = np.rint(first + (last - first) * np.linspace(0, 1, LOOKED_AT)).astype(int)
        far = negatives * _divergence(fpr[near], at[:, None])
        far += positives * _divergence(tpr[near], true[:, None])
        found[replicate] = np.sqrt(2.0 * far.min(1).max())
    return found


def _divergence(seen: Array, true: Array) -> Array:
    return _numbers(special.rel_entr(seen, true) + special.rel_entr(1.0 - seen, 1.0 - true))


def measure_reaches() -> None:
    """The quantiles of the distance, the larger of two worlds, smoothed over the sizes."""
    rng = np.random.default_rng(2024)
    pairs = [(a, b) for a in SIZES for b in SIZES if a <= b]
    worlds = (chance(), binormal(0.85))
    raw = np.array([_quantiles(worlds, a, b, rng) for a, b in pairs])
    small, large = (np.log([pair[place] for pair in pairs]) for place in (0, 1))
    gap = large - small
    terms = np.stack(
        [np.ones_like(small), small, small**2, gap, gap**2, gap * small, gap**2 * small], axis=1
    )
    fitted = terms @ np.linalg.lstsq(terms, raw, rcond=None)[0]
    print("largest distance of a quantile from the smooth one:", np.abs(fitted - raw).max(0))
    facts = {
        "replicates": REPLICATES,
        "worlds": [world.name for world in worlds],
        "sizes": SIZES,
        "levels": LEVELS,
    }
    rows = {f"{a} {b}": row.round(3).tolist() for (a, b), row in zip(pairs, fitted, strict=True)}
    REACHES.write_text(_as_json(facts, rows))


def _quantiles(worlds: Iterable[World], a: int, b: int, rng: np.random.Generator) -> Array:
    found = [np.quantile(distances(one, a, b, REPLICATES, rng), LEVELS) for one in worlds]
    print(a, b, *(np.round(one[3], 3) for one in found), flush=True)
    return _numbers(np.max(found, axis=0))


def _as_json(facts: dict[str, Any], rows: dict[str, list[float]]) -> str:
    """One line for each pair of sizes."""
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in facts.items()]
    reaches = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    return "\n".join(["{", *lines, ' "reaches": {', reaches, " }", "}", ""])


# ---- how often the whole curve is held ---------------------------------------------------------

AREAS = (0.7, 0.85, 0.95)
MEASURED_SIZES = ((30, 30), (100, 100), (1000, 1000), (300, 300), (120, 70), (300, 30))
"""Negatives and positives."""
TRIED = 2000
"""Samples of each world and size."""
MOST_DRAWN, WIDTHS = 200, 100
HERE = ROOT / "calibration" / "results" / "roc_bands.json"


class Held(NamedTuple):
    """How often two bands held the whole curve, and how wide they were."""

    world: str
    area: float
    negatives: int
    positives: int
    replicates: int
    likelihood: float
    campbell: float
    likelihood_width: float
    campbell_width: float


def worlds_of(area: float) -> dict[str, World]:
    return {
        "binormal": binormal(area),
        "binormal, positives twice as spread": binormal(area, 0.5),
        "exponential (skewed)": exponential(area),
        "gamma (skewed)": gamma(area),
    }


def held(name: str, world: World, area: float, negatives: int, positives: int) -> Held:
    """Coverage over a dense grid of the whole curve; width over all false positive rates.

    Up to MOST_DRAWN items the band itself is asked in every sample. Of more, a curve is held where its
    distance is within reach, which is the band's definition and five times as fast; the band is made
    of the first WIDTHS samples.
    """
    rng = np.random.default_rng([negatives, positives, round(1000 * area), len(name)])
    few = negatives + positives <= MOST_DRAWN
    at, true = points(world)
    both = np.concatenate([at, np.linspace(0.0005, 0.9995, 1000)])
    truth = np.repeat([0, 1], [negatives, positives])
    counts, widths = np.zeros(2), np.zeros(2)
    made = TRIED if few else WIDTHS
    for _ in range(made):
        drawn = np.concatenate([rng.random(negatives), world.inverse(rng.random(positives))])
        groups = sort_scores(truth, -drawn)
        for place, limits in enumerate((likelihood_limits, campbell_limits)):
            low, high, _ = limits(groups, both, level=0.95)
            inside = (low[: at.size] <= true + 1e-12) & (true <= high[: at.size] + 1e-12)
            counts[place] += inside.all()
            widths[place] += (high - low)[at.size :].mean()
    shares, means = counts / made, widths / made
    if not few:
        reach = likelihood_reach(positives, negatives, 0.95)
        shares[0] = (distances(world, negatives, positives, TRIED, rng) <= reach).mean()
    return Held(name, area, negatives, positives, TRIED, *shares.tolist(), *means.tolist())


def measure_coverage() -> None:
    """Every world at every size, written after each: a run that was stopped goes on where it was."""
    found = [Held(**one) for one in json.loads(HERE.read_text())] if HERE.exists() else []
    done = {one[:4] for one in found}
    for negatives, positives in MEASURED_SIZES:
        for area in AREAS:
            for name, world in worlds_of(area).items():
                if (name, area, negatives, positives) in done:
                    continue
                found.append(held(name, world, area, negatives, positives))
                print(*found[-1], flush=True)
                rows = ",\n".join(f" {json.dumps(one._asdict())}" for one in found)
                HERE.write_text(f"[\n{rows}\n]\n")


# ---- the page ----------------------------------------------------------------------------------

PAGE = ROOT / "docs" / "roc-bands.md"
MARKS = ("<!-- measured -->\n", "<!-- /measured -->\n")


def table(found: Iterable[Held]) -> str:
    """One line for each size and area: coverage from the least to the largest over the worlds."""
    rows: dict[tuple[int, int, float], list[Held]] = {}
    for one in found:
        rows.setdefault((one.negatives, one.positives, one.area), []).append(one)
    lines = [
        "| negatives + positives | AUC | coverage | width | Campbell: coverage | width | ratio of widths |",
        "|---|---|---|---|---|---|---|",
    ]
    for (negatives, positives, area), alike in sorted(rows.items()):
        ratios = [one.likelihood_width / one.campbell_width for one in alike]
        cells = (
            f"{negatives:,} + {positives:,}",
            f"{area:g}",
            _range([one.likelihood for one in alike]),
            f"{np.mean([one.likelihood_width for one in alike]):.3f}",
            _range([one.campbell for one in alike]),
            f"{np.mean([one.campbell_width for one in alike]):.3f}",
            f"{max(ratios):.2f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _range(shares: list[float]) -> str:
    low, high = (f"{share:.1%}" for share in (min(shares), max(shares)))
    return low if low == high else f"{low[:-1]}–{high}"


def write_page() -> None:
    """The measured numbers between their marks in docs/roc-bands.md."""
    found = [Held(**one) for one in json.loads(HERE.read_text())]
    before, _, rest = PAGE.read_text().partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    PAGE.write_text(f"{before}{MARKS[0]}{table(found)}{MARKS[1]}{after}")


if __name__ == "__main__":
    commands = {"reaches": measure_reaches, "coverage": measure_coverage, "page": write_page}
    commands[sys.argv[1]]()
