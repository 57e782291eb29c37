"""`python -m calibration.judges_twins`: worlds that labels hardly tell apart, in which a narrower peer does not cover.

Where a peer covers 94.5 % of a cell and is narrower than ours, a little of what judge and people agree on is turned
into errors to one side. Twins are such worlds in which the most powerful test of the labels at 5 % finds the errors in
at most half of all draws. Everybody is then widened about the middle until every twin is covered in 93.5 %, and widths
are compared again; the same over all worlds of a design, which nobody can tell apart before looking. Written to
results/judges_twins.json and judges_designs.json, from there to docs/calibration-judges.md.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.judges import CELLS, DESIGNS, RESULTS, TWINS, Cell, bulk_of, chances_of, skill
from calibration.judges_bulk import (  # fmt: skip
    LEVEL,
    Array,
    Bulk,
    Ends,
    Errors,
    grades,
    pair_of_rates,
    rates,
    ratings,
)
from calibration.judges_page import COVERED, PEER_COVERED, PEER_WIDTH

EXPECTED = (0.5, 1.0, 2.0, 4.0, 9.0)
"""Labels that the turned mass is expected to touch."""
FOUND = 0.5
"""The power of the best test up to which a world is called a twin."""
DRAWS = {20: 600, 50: 600, 200: 400, 1000: 300}


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What is turned: how often a label shows what it was, and what it becomes."""

    words: str
    before: float
    after: float
    places: tuple[Any, Any]
    """Where both stand in the table of chances; of grades the two grades."""


def turns(cell: Cell) -> Iterator[Turn]:
    """The errors to one side that a kind of cell can have."""
    if cell.target.startswith("rate "):
        chances = chances_of(cell)
        for words, places in (("wrong answers passed", (0, 2)), ("right answers failed", (3, 1))):
            before, after = (float(chances[place]) for place in places)
            yield Turn(words=words, before=before, after=after, places=places)
    elif cell.target.startswith("pair of rates"):
        chances = chances_of(cell)
        turned: dict[str, tuple[Any, Any]] = {
            "ties that one model won": ((1, 1), (2, 1)),
            "wins of the wrong model": ((0, 0), (2, 0)),
            "one model better": ((0, slice(None)), (2, slice(None))),
        }
        for words, cells in turned.items():
            before, after = (float(np.sum(chances[place])) for place in cells)
            yield Turn(words=words, before=before, after=after, places=cells)
    elif cell.target != "mean":
        people, judge = _graded(cell)
        pair = cell.target.startswith("pair")
        moves = ((0.0, 4.0), (4.0, -4.0)) if pair else ((5.0, 1.0), (1.0, 5.0))
        for old, new in moves:
            before, after = (float(((people == one) & (judge == old)).mean()) for one in (old, new))
            words = f"{new:g} where the judge says {old:g}"
            yield Turn(words=words, before=before, after=after, places=(old, new))


def _graded(cell: Cell) -> tuple[Array, Array]:
    rng = np.random.default_rng(1)
    people, judge = ratings((1000, 200), skill(cell.judge), rng)
    if cell.target.startswith("pair"):
        other = ratings((1000, 200), skill(cell.judge), rng)
        return people - other[0], judge - other[1]
    return people, judge


def found(turn: Turn, mass: float, labels: int) -> float:
    """The power at 5 % of the most powerful test, randomised, of the cell against its twin."""
    rng = np.random.default_rng(2)
    usual = np.array([turn.before, turn.after, 1.0 - turn.before - turn.after])
    twin = usual + mass * np.array([-1.0, 1.0, 0.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(twin) - np.log(usual)
        sums = [
            np.round(np.where(counts > 0, counts * logs, 0.0).sum(axis=1), 9)
            for counts in (rng.multinomial(labels, one, size=20_000) for one in (usual, twin))
        ]
    least = np.quantile(sums[0], 0.95, method="higher")
    beyond, at = ([test(one, least).mean() for one in sums] for test in (np.greater, np.equal))
    share = min(max((0.05 - beyond[0]) / max(at[0], 1e-12), 0.0), 1.0)
    return float(beyond[1] + share * at[1])


def twin_of(cell: Cell, turn: Turn, mass: float, draws: int, *, seed: int = 0) -> Bulk:
    """Draws of a twin; of another ``seed`` they are others."""
    own = (seed,) if seed else ()
    rng = np.random.default_rng([*cell.name.encode(), int(1e6 * mass), *own])
    size = cell.labels, cell.judged, draws, rng
    old, new = turn.places
    if cell.target.endswith("ratings"):
        errors = Errors(shared=old, instead=new, share=mass / turn.before, mass=mass)
        return grades(cell.target, skill(cell.judge), *size, errors=errors)
    chances = chances_of(cell).copy()
    moved = chances[old] * (mass / turn.before)
    chances[old] -= moved
    chances[new] += moved
    if cell.target.startswith("rate "):
        return rates(chances, *size)
    return pair_of_rates(chances, *size)


def stretch(ends: Ends, truth: float) -> float:
    """How many times as wide about the middle to cover 93.5 % exactly; infinite where there is no width."""
    low, high = ends
    half = (high - low) / 2.0
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(half > 0.0, np.abs((low + high) / 2.0 - truth) / half, np.inf)
    return float(np.quantile(far, COVERED, method="higher"))


def ends_of(part: Bulk, who: str, draws: int) -> Ends:
    if who == "evalstats" and part.evalstats is not None:
        return part.evalstats(draws, LEVEL)
    low, high = getattr(part, who)
    return low[:draws], high[:draws]


def covered(ends: Ends, truth: float) -> float:
    return float(((ends[0] <= truth) & (truth <= ends[1])).mean())


def compared(cell: Cell, peer: str) -> dict[str, Any]:
    """Coverage in the worst twin, and widths once everybody covers all twins."""
    draws = DRAWS[cell.labels]
    part = bulk_of(cell, draws, np.random.default_rng(list(cell.name.encode())))
    own, theirs = ends_of(part, "ours", draws), ends_of(part, peer, draws)
    wide, narrow = (float(np.mean(ends[1] - ends[0])) for ends in (own, theirs))
    wider = {"ours": stretch(own, part.truth), peer: stretch(theirs, part.truth)}
    worst: dict[str, Any] = {"theirs": 1.0, "ours": 1.0}
    for turn in turns(cell):
        for expected in EXPECTED:
            mass = expected / cell.labels
            if mass > 0.9 * turn.before or (power := found(turn, mass, cell.labels)) > FOUND:
                break
            twin = twin_of(cell, turn, mass, draws)
            ours, other = ends_of(twin, "ours", draws), ends_of(twin, peer, draws)
            wider["ours"] = max(wider["ours"], stretch(ours, twin.truth))
            wider[peer] = max(wider[peer], stretch(other, twin.truth))
            worst["ours"] = min(worst["ours"], covered(ours, twin.truth))
            if (share := covered(other, twin.truth)) < worst["theirs"]:
                worst |= {"theirs": share, "twin": turn.words, "mass": mass, "power": power}
    equal = wider["ours"] * wide / (wider[peer] * narrow)
    return {
        "ratio": wide / narrow,
        "stretch": wider[peer],
        "own stretch": wider["ours"],
        "equal": equal,
        **worst,
    }


def wider_cells(kept: dict[str, Any]) -> dict[tuple[str, int, str, str], list[Cell]]:
    """Cells in which ours are wider than 1.02 of a peer that covers, by target, labels, judge and peer."""
    kinds: dict[tuple[str, int, str, str], list[Cell]] = {}
    for cell in CELLS:
        one = kept.get(cell.name, {})
        for peer in ("truescore", "evalstats"):
            if peer not in one or one[peer]["covered"] < PEER_COVERED:
                continue
            ours = one.get(f"ours beside {peer}", one["ours"])
            if ours["width"] > PEER_WIDTH * one[peer]["width"]:
                kinds.setdefault((cell.target, cell.labels, cell.judge, peer), []).append(cell)
    return kinds


FAMILIES = {
    "rates": ("rate 0.5", "rate 0.8", "rate 0.95", "rate 0.99"),
    "mean": ("mean",),
    "ratings": ("ratings",),
    "pair of ratings": ("pair of ratings",),
    "pair of rates": ("pair of rates", "pair of rates apart", "pair of rates favoured"),
}
"""Targets whose worlds share a design: who brings labels does not know which of them is true."""
ONE_SIDED = ("rate 0.5", "rate 0.8", "ratings", "pair of ratings", "pair of rates")
"""Those whose good judges err to one side too."""
FEWER = {20: 1000, 50: 1000, 200: 800, 1000: 300}


def design(family: str, labels: int) -> Iterator[tuple[str, Bulk]]:
    """The grid's worlds of a design, and good and excellent judges whose errors go to one side."""
    own = [
        cell for cell in CELLS if cell.target in FAMILIES[family] and cell.labels == labels and cell.judged == 5000
    ]  # fmt: skip
    for cell in own:
        rng = np.random.default_rng([3, *cell.name.encode()])
        yield f"{cell.target}, {cell.judge}", bulk_of(cell, FEWER[labels], rng)
        if cell.target == "mean":
            rng = np.random.default_rng([5, *cell.name.encode()])
            part = grades(
                "mean", skill(cell.judge), labels, cell.judged, FEWER[labels], rng, exponential=True
            )
            yield f"exponential grades, {cell.judge}", part
        if cell.target == "pair of rates":
            yield f"{cell.target} that seldom differ, {cell.judge}", _seldom(cell, FEWER[labels])
    for cell in own:
        if cell.judge not in ("good", "excellent") or cell.target not in ONE_SIDED:
            continue
        for turn in turns(cell):
            for expected in (1.0, 2.0, 4.0):
                if (mass := expected / labels) <= 0.9 * turn.before:
                    words = f"{cell.target}, {cell.judge}, {turn.words}: {100 * mass:.1f} %"
                    yield words, twin_of(cell, turn, mass, FEWER[labels])


def _seldom(cell: Cell, draws: int) -> Bulk:
    """The same judge where both models are right, and said to be, on four in five of the items besides."""
    chances = chances_of(cell) / 5.0
    chances[1, 1] += 0.8
    rng = np.random.default_rng([4, *cell.name.encode()])
    return pair_of_rates(chances, cell.labels, cell.judged, draws, rng)


def over_design(family: str, labels: int, peers: set[str]) -> dict[str, dict[str, Any]]:
    """Of everybody the least coverage in a design, where, and how far to widen for 93.5 % in all of it."""
    worst = {who: {"covered": 1.0, "stretch": 0.0, "world": ""} for who in ("ours", *sorted(peers))}
    for world, part in design(family, labels):
        for who, one in worst.items():
            ends = ends_of(part, who, FEWER[labels])
            one["stretch"] = max(float(str(one["stretch"])), stretch(ends, part.truth))
            if (share := covered(ends, part.truth)) < float(str(one["covered"])):
                one |= {"covered": share, "world": world}
    return worst


def designs(kept: dict[str, Any]) -> dict[str, Any]:
    """Cells with a narrower peer, once everybody is widened to cover the whole design."""
    wider: dict[tuple[str, int], dict[str, list[float]]] = {}
    for (target, labels, _, peer), cells in wider_cells(kept).items():
        family = next((name for name, own in FAMILIES.items() if target in own), None)
        for cell in cells if family is not None else ():
            one = kept[cell.name]
            ours = one.get(f"ours beside {peer}", one["ours"])
            of_peers = wider.setdefault((str(family), labels), {})
            of_peers.setdefault(peer, []).append(ours["width"] / one[peer]["width"])
    rows = {}
    for (family, labels), of_peers in sorted(wider.items()):
        worst = over_design(family, labels, set(of_peers))
        for peer, ratios in of_peers.items():
            equal = np.array(ratios) * worst["ours"]["stretch"] / worst[peer]["stretch"]
            rows[f"{family} | {labels} | {peer}"] = {
                "family": family, "labels": labels, "peer": peer, "cells": len(ratios), "largest": max(ratios),
                "theirs": worst[peer], "ours": worst["ours"], "equal": float(equal.max()),
                "above": int((equal > PEER_WIDTH).sum()),
            }  # fmt: skip
            print(rows[f"{family} | {labels} | {peer}"], flush=True)
    return rows


def main() -> None:
    kept = json.loads(RESULTS.read_text())
    DESIGNS.write_text(json.dumps(designs(kept), indent=1) + "\n")
    rows: dict[str, Any] = {}
    for (target, labels, judge, peer), cells in wider_cells(kept).items():
        cell = cells[len(cells) // 2]
        row = {"target": target, "labels": labels, "judge": judge, "peer": peer, "cells": len(cells)}  # fmt: skip
        rows[f"{target} | {labels} | {judge} | {peer}"] = {**row, **compared(cell, peer)}
        TWINS.write_text(json.dumps(rows, indent=1) + "\n")
        print(list(rows.items())[-1], flush=True)


if __name__ == "__main__":
    main()
