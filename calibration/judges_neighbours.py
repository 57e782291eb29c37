"""`python -m calibration.judges_neighbours`: does a narrower peer cover in a world that the same labels come from?

In a *neighbour* of a cell people and judge disagree, to one side, on a share q of the items they agreed on; the
judge's grades stay as they are. Labels that hit none of these could be labels of the cell, and come with probability
(1 - q)^n, here at least 6.5 %. Of every cell in which a peer covers 94.5 % and ours are wider than 1.02 of it: the
neighbour in which that peer covers least, found on some draws and counted on others. Written to
results/judges_neighbours.json, from there to docs/calibration-judges.md.
"""

import json
from typing import Any

import numpy as np

from calibration.judges import CELLS, NEIGHBOURS, RESULTS, Cell, bulk_of
from calibration.judges_page import COVERED, narrower_peers
from calibration.judges_twins import Turn, covered, ends_of, turns, twin_of

EXPECTED = (1.4, -float(np.log(1.0 - COVERED)))
"""Labels that the turned items are expected to touch; e to the minus of the largest is 6.5 %."""
SEARCHED = {20: 500, 50: 500, 200: 400, 1000: 200}
COUNTED = {20: 4000, 50: 3000, 200: 2000, 1000: 1000}


def masses(cell: Cell, turn: Turn) -> tuple[float, ...]:
    """Shares of all items that are turned, of which the labels of the cell show none often enough."""
    found = (1.0 - float(np.exp(-expected / cell.labels)) for expected in EXPECTED)
    return tuple(mass for mass in found if mass <= 0.9 * turn.before)


def neighbour(cell: Cell, peer: str) -> dict[str, Any]:
    """The neighbour in which this peer covers least, and how often everybody covers there."""
    worst: tuple[float, Turn, float] | None = None
    for turn in turns(cell):
        for mass in masses(cell, turn):
            part = twin_of(cell, turn, mass, SEARCHED[cell.labels])
            share = covered(ends_of(part, peer, SEARCHED[cell.labels]), part.truth)
            if worst is None or share < worst[0]:
                worst = share, turn, mass
    if worst is None:
        return {}
    _, turn, mass = worst
    part = twin_of(cell, turn, mass, COUNTED[cell.labels], seed=1)
    own = bulk_of(cell, 500, np.random.default_rng([8, *cell.name.encode()]))
    low, high = ends_of(own, peer, 500)
    return {
        "turned": turn.words,
        "mass": mass,
        "unseen": float((1.0 - mass) ** cell.labels),
        "shift": abs(part.truth - own.truth),
        "reach": float(np.mean(high - low)) / 2.0,
        "theirs": covered(ends_of(part, peer, COUNTED[cell.labels]), part.truth),
        "ours": covered(part.ours, part.truth),
        "labels": covered(part.labels, part.truth),
        "draws": COUNTED[cell.labels],
    }


def main() -> None:
    kept = json.loads(RESULTS.read_text())
    before = json.loads(NEIGHBOURS.read_text()) if NEIGHBOURS.exists() else {}
    rows: dict[str, Any] = {}
    for cell in CELLS:
        for peer, ratio in narrower_peers(kept.get(cell.name, {})).items():
            name = f"{cell.name} | {peer}"
            rows[name] = before.get(name) or neighbour(cell, peer)
            rows[name]["ratio"] = ratio
            NEIGHBOURS.write_text(json.dumps(rows, indent=1) + "\n")
            print(name, rows[name], flush=True)


if __name__ == "__main__":
    main()
