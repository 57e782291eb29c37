"""The sections of docs/folds.md on folds dealt by chance, cell by cell, and on unlike learners made equally good."""

import json
from typing import Any

import numpy as np

from calibration.fold_grid import TUNING, Cell, cells
from calibration.fold_grid_page import LIMIT, exceeds, who
from calibration.plain_folds import DEAREST, PRICES

Kept = dict[str, Any]
SHOWN = "50"
FEWEST = 200
"""Samples of a cell that counts among the levels at a price."""


def samples_said(kept: Kept) -> str:
    """How many samples the cells have, in words."""
    counts = np.array([one["replicates"] for one in kept.values()])
    parts = {
        "2,000 or more": int((counts >= 2000).sum()),
        "500 to 1,999": int(((counts >= 500) & (counts < 2000)).sum()),
        f"{FEWEST} to 499": int(((counts >= FEWEST) & (counts < 500)).sum()),
        "fewer": int((counts < FEWEST).sum()),
    }
    listed = ", ".join(f"{said} in {count}" for said, count in parts.items() if count)
    few = f" Cells of fewer than {FEWEST} count in no level." if parts["fewer"] else ""
    return f"Samples of the {len(kept)} cells: {listed}.{few}"


def dearest(kept: Kept) -> str:
    """Which learners were fitted 500 times, and on how many items."""
    found = [cell for cell in cells() if str(DEAREST) in kept.get(cell.name, {"two": ()})["two"]]
    learners = ", ".join(dict.fromkeys(cell.a for cell in found))
    sizes = " or ".join(f"{n}" for n in sorted({cell.n for cell in found}))
    return (
        f"Of {DEAREST} fits there are {len(found)} cells ({learners} on {sizes} items). Trees and nets: "
        f"{', '.join(_dear_sizes(kept))}"
    )


def _dear_sizes(kept: Kept) -> list[str]:
    """Numbers of items on which trees and nets have enough samples, in how many cells and with how many fits."""
    found = [
        cell
        for cell in cells()
        if cell.equal
        and cell.a in ("tree", "net")
        and kept.get(cell.name, {"replicates": 0})["replicates"] >= FEWEST
    ]
    sizes = sorted({cell.n for cell in found})
    dearest_of = {
        n: max(int(price) for cell in found if cell.n == n for price in kept[cell.name]["two"])
        for n in sizes
    }
    return [
        f"up to {dearest_of[n]} fits on {n:,} items ({sum(cell.n == n for cell in found)} cells)"
        for n in sizes
    ]


def tuned(kept: Kept) -> str:
    """Unlike learners whose expected losses are equal: every difference said is false."""
    found = [cell for cell in cells() if cell.tuned and cell.name in kept]
    if not found:
        return ""
    rows = []
    for price in map(str, PRICES):
        mine = [cell for cell in found if price in kept[cell.name]["two"]]
        columns = []
        for test in ("corrected", "cautious"):
            levels = [
                (kept[cell.name]["two"][price][test]["rejects"], kept[cell.name]["replicates"])
                for cell in mine
            ]
            over = sum(exceeds(*one) for one in levels)
            shares = [share for share, _ in levels]
            columns.append(f"{np.mean(shares):.1%} | {max(shares):.1%} | {over or '–'}")
        rows.append(f"| {price} | {len(mine)} | {' | '.join(columns)} |")
    counts = [kept[cell.name]["replicates"] for cell in found]
    return "\n".join(
        [
            "## Unlike learners, equally good\n",
            "Two of a kind are equal by construction; unlike learners have to be tuned. Noise spoils what the better "
            "one sees until both are expected to lose the same. They are trained on four fifths of the items "
            "(`python -m calibration.fold_tuning`). Then every difference that a test claims is false. "
            f"{_how_tuned(found)} {_off_zero(kept, found)} Each cell has {min(counts):,} to {max(counts):,} samples. "
            f"*above*: cells beyond {LIMIT:.0%} (one-sided 99.9 % Monte-Carlo bound).\n",
            "| fits | cells | corrected t: mean | worst | above | cautious t: mean | worst | above |",
            "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
            *_failed(kept, found),
        ]
    )


def _claims(kept: Kept, cell: Cell) -> tuple[float, int]:
    one = kept[cell.name]
    return one["two"][SHOWN]["cautious"]["rejects"], one["replicates"]


def _beyond(kept: Kept, found: list[Cell]) -> list[Cell]:
    return [cell for cell in found if exceeds(*_claims(kept, cell))]


def _named(kept: Kept, cell: Cell) -> str:
    share, count = _claims(kept, cell)
    said = f"{who(cell)}, {cell.population}, {cell.n:,} items: {share:.0%} of {count:,} samples"
    return said[0].upper() + said[1:]


def _failed(kept: Kept, found: list[Cell]) -> list[str]:
    """Where the cautious t fails without its allowance."""
    beyond = _beyond(kept, found)
    if not beyond:
        return []
    return [
        f"Without its allowance the cautious t fails beyond chance in {len(beyond)}. "
        f"{'. '.join(_named(kept, one) for one in beyond)}. One of the two does not settle there, and both are hardly "
        "better than the most frequent class. The section *Learners that hardly learn* has what the default does "
        "there.\n"
    ]


def _how_tuned(found: list[Cell]) -> str:
    kept = json.loads(TUNING.read_text())
    hopeless = sum(one["noise"] is None for one in kept.values())
    sizes = ", ".join(
        f"{sum(cell.n == n for cell in found)} on {n:,}" for n in sorted({cell.n for cell in found})
    )
    return (
        f"It was measured in {len(found)} cells ({sizes} items). In {hopeless} pairs noise cannot do it. The better "
        "learner, seeing nothing, still loses less there, mostly to an unpruned tree, a net or 1-NN."
    )


def _off_zero(kept: Kept, found: list[Cell]) -> str:
    """How far the estimates are from zero on average, beside their spread."""
    off = [
        abs(one["truth"] + one["bias"]) / one["sd"]
        for one in (kept[cell.name]["two"][SHOWN]["cautious"] for cell in found)
    ]
    return (
        "Over the samples the estimated differences average at most "
        f"{max(off):.2f} of their standard deviation."
    )


def chance_by_cell(kept: Kept) -> str:
    """Every cell at 50 fits: misses of both tests, power, width and what one learner's interval misses."""
    found = sorted(
        (cell for cell in cells() if cell.name in kept),
        key=lambda cell: (cell.n, cell.population, who(cell), cell.noise),
    )
    rows = [_row(kept, cell) for cell in found]
    return "\n".join(
        [
            "## Folds by chance, cell by cell\n",
            "50 fits of each learner. *noise*: what spoils the view of the second; of unlike learners it makes both "
            "equally good. *misses*: intervals without the true difference. *claims*: samples in which the two are "
            "called different. In brackets: with the critical value that makes the level 5 % without noise. "
            "*width*: mean length of the cautious interval.\n",
            "| learners | noise | population | items | samples | true difference | corrected t: misses | claims | "
            "cautious t: misses | claims | width |",
            "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
        ]
    )


def _row(kept: Kept, cell: Cell) -> str:
    one = kept[cell.name]
    of = one["two"][SHOWN]
    claims = {test: f"{of[test]['rejects']:.1%}" for test in ("corrected", "cautious")}
    base = kept.get(cell._replace(noise=0.0).name)
    if cell.noise and not cell.tuned and base is not None:
        for test in claims:
            critical = max(base["two"][SHOWN][test]["critical"], 1e-9)
            shares = np.linspace(0.02, 0.98, 49)
            adjusted = 1.0 - np.interp(critical, of[test]["quantiles"], shares)
            claims[test] += f" ({adjusted:.0%})"
    width = of["cautious"]["width"]
    return (
        f"| {who(cell)} | {f'{cell.noise:g}' if cell.noise else '–'} | {cell.population} | {cell.n:,} | "
        f"{one['replicates']:,} | {of['cautious']['truth']:+.3f} | {of['corrected']['misses']:.1%} | "
        f"{claims['corrected']} | {of['cautious']['misses']:.1%} | {claims['cautious']} | "
        f"{'–' if width is None else f'{width:.3f}'} |"
    )
