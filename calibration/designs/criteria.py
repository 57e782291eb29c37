"""The measured numbers of a cell against the criteria of the grid.

A cell is *short* of a criterion where the whole Monte-Carlo interval lies beyond it, *open* where
only the number itself does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.kernels.binomial import at_least as binomial_at_least
from assay.kernels.binomial import at_most as binomial_at_most
from assay.kernels.binomial import clopper_pearson_limits
from calibration.designs.cells import ALPHAS, Found, Table, Value, at_alpha, noted_at

SURE = 0.005
"""What a Monte-Carlo interval leaves out on either side: 99 % intervals."""
NOMINAL = 0.05
ENOUGH = 10.0
"""The expected minority count from which on the stricter coverage is asked for."""

Measured = tuple[float, float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One cell: what was measured, and where it falls short."""

    table: Table
    at: tuple[Value, ...]
    replicates: int | None
    measured: Mapping[str, Measured]
    short: tuple[str, ...]
    open: tuple[str, ...]
    noted: float | None
    """The share of replicates with a note at 5 %."""
    noted_further: float | None
    """The same at 1 %, where notes depend on the level."""
    minority: float | None

    def warns(self, criterion: str) -> bool:
        """Whether the method itself warns in most replicates, at the level of this criterion."""
        share = self.noted
        if criterion.endswith(f"@{ALPHAS[1]:g}") and self.noted_further is not None:
            share = self.noted_further
        return share is not None and share >= WARNED


WARNED = 0.5
"""The share of replicates with a note from which on a cell counts as noted."""


def judge(found: Found, criteria: Mapping[str, Any]) -> Judged:
    """The cell with its numbers as shares, and the criteria it misses."""
    measured = _measured(found)
    counts = found.counts
    judged = Judged(
        table=found.table,
        at=found.at,
        replicates=found.replicates,
        measured=measured,
        short=(),
        open=(),
        noted=_share(counts["noted"], found.replicates) if "noted" in counts else None,
        noted_further=(
            _share(counts[noted_at(ALPHAS[1])], found.replicates)
            if noted_at(ALPHAS[1]) in counts
            else None
        ),
        minority=found.facts.get("minority"),
    )
    if found.table.world == "folds":  # published, not promised
        return judged
    verdicts = [
        verdict for alpha in ALPHAS for verdict in _verdicts(found, measured, criteria, alpha)
    ]
    return replace(
        judged,
        short=tuple(name for name, word in verdicts if word == "short"),
        open=tuple(name for name, word in verdicts if word == "open"),
    )


def _measured(found: Found) -> dict[str, Measured]:
    """Shares with their Monte-Carlo intervals, and width ratios."""
    shares = {
        name: _with_interval(value, found.replicates)
        for name, value in found.counts.items()
        if "/" not in name and "@" in name and not name.startswith("noted")
    }
    return {**shares, **_width_ratios(found)}


def _share(count: float, replicates: int | None) -> float:
    if replicates is None:
        return count
    return count / replicates if replicates else 0.0


def _with_interval(count: float, replicates: int | None) -> Measured:
    if replicates is None:
        return count, count, count
    if replicates == 0:
        return 0.0, 0.0, 1.0
    low, high = clopper_pearson_limits(round(count), replicates, SURE)
    return count / replicates, float(low), float(high)


def _width_ratios(found: Found) -> dict[str, Measured]:
    """The mean width over that of the narrowest method of the catalogue that covers there."""
    ratios: dict[str, Measured] = {}
    for alpha in ALPHAS:
        for where in ("", "_apart"):
            own = found.sums.get(at_alpha(f"width{where}", alpha))
            others = [
                width
                for name, width in found.sums.items()
                if name.startswith(f"width{where}/")
                and name.endswith(f"@{alpha:g}")
                and _valid(found, name.split("/")[1], alpha)
            ]
            if own and any(name.startswith(f"width{where}/") for name in found.sums):
                ratios[at_alpha(f"width{where}", alpha)] = (own / min([own, *others]), None, None)
    return ratios


def _valid(found: Found, ending: str, alpha: float) -> bool:
    """Whether another method covers here, with equal and with different models.

    Wald's does not count: it has no width, so no interval, where nothing varies.
    """
    needed = _coverage_needed(found, alpha)
    shares = [
        _share(found.counts[name], found.replicates)
        for name in (f"coverage/{ending}", f"coverage_apart/{ending}")
        if name in found.counts
    ]
    return not ending.startswith("wald") and min(shares) >= needed


def _coverage_needed(
    found: Found, alpha: float, criteria: Mapping[str, Any] | None = None
) -> float:
    asked = criteria or {"coverage_at_least": 0.935, "coverage_small_at_least": 0.92}
    few = found.facts.get("minority", ENOUGH) < ENOUGH and found.table.world != "clusters"
    least = float(asked["coverage_small_at_least" if few else "coverage_at_least"])
    return 1.0 - (1.0 - least) * alpha / NOMINAL


def _verdicts(
    found: Found, measured: Mapping[str, Measured], criteria: Mapping[str, Any], alpha: float
) -> list[tuple[str, str]]:
    scale = alpha / NOMINAL
    verdicts = []

    def at_most(kind: str, limit: float) -> None:
        name = at_alpha(kind, alpha)
        if name in measured:
            value, low, _ = measured[name]
            verdicts.append((name, _word(beyond=value > limit, surely=low is None or low > limit)))

    def at_least(kind: str, limit: float, called: str = "") -> None:
        name = at_alpha(kind, alpha)
        if name in measured:
            value, _, high = measured[name]
            word = _word(beyond=value < limit, surely=high is None or high < limit)
            verdicts.append((at_alpha(called or kind, alpha), word))

    at_most("level", criteria["item_level_at_most"] * scale)
    at_most("family_wise", criteria["family_wise_at_most"] * scale)
    size = criteria["item_size_at_least"] * scale
    reachable = found.facts.get(at_alpha("reachable", alpha), 1.0) >= size
    if found.table.unit == "item" and reachable:
        at_least("level", size, called="size")
    needed = _coverage_needed(found, alpha, criteria)
    if found.table.answers == "evaluate":  # beside a test it is what the level leaves
        at_least("coverage", needed)
    at_least("coverage_apart", needed)
    at_most("width", criteria["width_at_most"])
    if at_alpha("unbounded", alpha) in found.facts:  # as wide as can be
        verdicts.append((at_alpha("width", alpha), "short"))
    at_most("width_apart", criteria["width_at_most"])
    return verdicts


def keeps(
    count: float,
    replicates: int,
    *,
    at_least: float = 0.0,
    at_most: float = 1.0,
    doubt: float = 1e-6,
) -> bool:
    """Whether so many of so many replicates are possible for a true share between the two bounds.

    Exact binomial tails: a share inside the bounds fails this once in a million times.
    """
    hits = round(count)
    too_many = float(binomial_at_least(hits, replicates, at_most)) < doubt
    too_few = float(binomial_at_most(hits, replicates, at_least)) < doubt
    return not (too_many or too_few)


def _word(*, beyond: bool, surely: bool) -> str:
    return ("short" if surely else "open") if beyond else "kept"
