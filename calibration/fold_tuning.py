"""`python -m calibration.fold_tuning`: unlike learners made equally good, so that a level can be counted.

Noise spoils what the better of two sees until both are expected to lose the same, trained on four fifths
of the items. `results/fold_tuning.json` keeps its spread, or null where the better one, seeing hardly
anything but noise, still loses less. `calibration.fold_grid` makes cells of them. Resumable.
"""

import argparse
import json
from typing import Any

import numpy as np

from calibration.fold_grid import COSTS, SAMPLES, TUNING, UNLIKE, true_loss
from calibration.fold_worlds import CLASSES, NUMBERS
from calibration.held_folds import jsonl_of

MOST = 10.0
"""A spread of the noise beside which the classes, one or two apart, can hardly be seen."""
CLOSE = 0.002
"""How far apart the expected losses may be, as a share of the loss."""
TRAINED = 0.8


def pairs() -> list[tuple[str, str, str, int]]:
    """Populations, two learners and a number of items; small samples first."""
    return [
        (population, a, b, n)
        for n in SAMPLES["cheap"]
        for population in (*CLASSES, *NUMBERS)
        for a, b in UNLIKE
        if population in CLASSES or "LDA" not in (a, b)
        if all(n in SAMPLES[COSTS[one]] for one in (a, b))
    ]


def tuned(population: str, a: str, b: str, n: int) -> dict[str, Any]:
    """Which of two is worse, which better, and the spread of the noise that makes them equal."""
    trained = round(TRAINED * n)
    plain = {name: true_loss(population, name, 0, 0.0, trained) for name in (a, b)}
    worse, better = sorted(plain, key=lambda name: -plain[name])

    def lacking(spread: float) -> float:
        return true_loss(population, better, 1, spread, trained) / plain[worse] - 1.0

    kept = {"population": population, "worse": worse, "better": better, "n": n}
    low, high = -3.0, float(np.log(MOST))
    if lacking(MOST) < CLOSE:
        return {**kept, "noise": None}
    middle, off = low, -1.0
    for _ in range(14):  # halves of the logarithm: from 0.05 to 10 in steps of a two thousandth
        middle = (low + high) / 2.0
        off = lacking(float(np.exp(middle)))
        if abs(off) < CLOSE / 4.0:
            break
        low, high = (middle, high) if off < 0.0 else (low, middle)
    return {**kept, "noise": float(f"{np.exp(middle):.4g}"), "off": round(off, 5)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.fold_tuning", description=__doc__)
    parser.add_argument("--only", default="", help="pairs whose names hold this")
    only = parser.parse_args().only
    kept: dict[str, Any] = json.loads(TUNING.read_text()) if TUNING.exists() else {}
    for one in pairs():
        name = f"{one[0]}, {one[1]} / {one[2]}, {one[3]}"
        if name not in kept and only in name:
            kept[name] = tuned(*one)
            TUNING.write_text(jsonl_of(kept), encoding="utf-8")
            print(name, kept[name], flush=True)


if __name__ == "__main__":
    main()
