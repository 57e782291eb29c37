"""Cells beyond the grid against their limits: which surely miss, by a one-sided 99.9 % Monte-Carlo bound."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.kernels.binomial import clopper_pearson_limits
from calibration.designs.cells import Found

FEW_CLUSTERS = 10
MOST_SHORT = 0.03
"""The share of the cells that may stay short."""
KINDS = {
    "level@0.05": "level", "family_wise@0.05": "any false difference", "coverage@0.05": "coverage",
    "ours covered": "coverage",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One number of one cell, and whether it surely misses its limit."""

    where: str
    what: str
    hits: int
    size: int
    limit: float

    @property
    def share(self) -> float:
        return self.hits / self.size

    @property
    def short(self) -> bool:
        low, high = (float(end) for end in clopper_pearson_limits(self.hits, self.size, 0.001))
        return high < self.limit if self.what == "coverage" else low > self.limit


def judged(found: Iterable[Found]) -> list[Judged]:
    """Levels, families and coverages of all cells."""
    return [
        Judged(
            where=_where(one), what=what, hits=round(one.counts[name]), size=round(one.counts["n"]),
            limit=limit_of(one, what),
        )
        for one in found
        for name, what in KINDS.items()
        if name in one.counts and one.counts["n"]
    ]  # fmt: skip


def limit_of(one: Found, what: str) -> float:
    few = "clusters" in one.table.parameters and float(one.at[0]) < FEW_CLUSTERS
    if what == "coverage":
        return 0.92 if few else 0.935
    return 0.06 if few else 0.055


def _where(one: Found) -> str:
    at = ", ".join(
        f"{name} {value}" for name, value in zip(one.table.parameters, one.at, strict=True)
    )
    return f"{one.table.measure or one.table.procedure}, {at}"


def short_page(cells: Sequence[Judged], again: Sequence[Judged] = ()) -> str:
    """How many cells there are and how many are short, and these by name; with what a fresh seed gave."""
    fresh = {(one.where, one.what): f"{one.share:.1%}" for one in again}
    short = [one for one in cells if one.short]
    share = len(short) / len(cells)
    fewest = min(one.size for one in cells)
    told = (
        f"The tables of this page have {len(cells)} cells with a limit. Of these {len(short)} surely miss it "
        f"({share:.1%}; at most {MOST_SHORT:.0%} may). The fewest samples that count in a cell are {fewest:,}."
    )
    if not short:
        return told
    rows = [
        f"| {one.where} | {one.what} | {one.share:.1%} | {fresh.get((one.where, one.what), '')} | "
        f"{one.limit:.1%} | {one.size:,} |"
        for one in short
    ]
    head = "| cell | what | measured | with a fresh seed | limit | samples |"
    return "\n".join([told, "", head, "|---|---|---|---|---|---|", *rows])
