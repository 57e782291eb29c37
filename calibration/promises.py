"""Promises beyond levels and coverage of the grid: `python -m calibration.promises`.

Each promise draws worlds in which the right answer is known, lets the public functions answer, and counts; those of
`calibration.batched_promises` and most of `calibration.many_models` are answered many at a time.
Resumable by promise: what is in `results/promises.json` is not measured again (--again NAMES measures them anew).
Options: --only NAME, --scale X (replicates times X), --publish (measure nothing).
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.kernels.betting_wealth import STAKES
from assay.kernels.binomial import clopper_pearson_limits, mid_p_limits
from calibration.batched_promises import (
    Cell,
    agreement,
    equivalence,
    gate,
    needed,
    repeated_answers,
)
from calibration.curve_verdicts import learning_curves
from calibration.many_models import partial_nulls, preferences, winners

Generator = np.random.Generator
HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "results" / "promises.json", HERE.parent / "docs" / "calibration-promises.md"

LOOK = 10
"""Items between two looks at a sequential verdict."""


def sequential(rng: Generator, scale: float) -> Iterable[Cell]:
    """Whether zero is ever outside the confidence sequence: looked at every 10 items up to 5,000."""
    for name, share in (("accuracy, 10 % discordant", 0.1), ("accuracy, 40 % discordant", 0.4)):
        replicates, wrong = int(20_000 * scale), 0
        for _ in range(replicates):
            kind = rng.choice([0.5, 1.0, 0.0], 5000, p=[1 - share, share / 2, share / 2])
            wrong += any(_excluded(side) for side in (kind, 1.0 - kind))
        yield f"{name}: zero excluded at some look", wrong, replicates
    replicates, wrong = int(20_000 * scale), 0
    for _ in range(replicates):
        logits = 1.5 * rng.standard_normal(5000)
        truth = rng.random(5000) < 1 / (1 + np.exp(-logits))
        loss = [
            (1 / (1 + np.exp(-logits - 0.7 * rng.standard_normal(5000))) - truth) ** 2 for _ in "ab"
        ]
        half = (loss[0] - loss[1] + 1.0) / 2.0
        wrong += any(_excluded(side) for side in (half, 1.0 - half))
    yield "Brier, exchangeable models: zero excluded at some look", wrong, replicates


def _excluded(rising: Any) -> bool:
    """Whether the wealth that bets on a mean above ½ passes 1/0.025 at a look; as in `betting_wealth`.

    Between two looks gains are multiplied, and one logarithm is taken of the product.
    """
    factors = 1.0 + STAKES * (rising.reshape(-1, LOOK, 1) / 0.5 - 1.0)
    with np.errstate(divide="ignore"):
        looks = np.cumsum(np.log(factors.prod(axis=1)), axis=0)
    top = looks.max(axis=1)
    total = top + np.log(np.exp(looks - top[:, None]).mean(axis=1))
    return bool(total.max() >= -np.log(0.025))


def posterior(rng: Generator, scale: float) -> Iterable[Cell]:
    """Where P(A is better) is above .95: how often it is, models drawn from the prior; and under equality."""
    replicates, sure, right, fooled = int(20_000 * scale), 0, 0, 0
    for shares in rng.dirichlet([1.0, 1.0, 1.0], replicates):  # ahead, behind, alike
        better = _chance(*rng.multinomial(60, shares)[:2].tolist())
        if better > 0.95 or better < 0.05:
            sure += 1
            right += (better > 0.5) == (shares[0] > shares[1])
    for ahead, behind, _ in rng.multinomial(60, [0.15, 0.15, 0.7], replicates).tolist():
        fooled += not 0.05 <= _chance(ahead, behind) <= 0.95
    yield (
        "accuracy, n = 60, models drawn at random: A is better where P(A better) > .95 (or < .05)",
        right,
        sure,
    )
    yield "accuracy, n = 60, equal models: P(A better) > .95 or < .05", fooled, replicates


@cache
def _chance(ahead: int, behind: int) -> float:
    """What `compare` says of 60 items of which so many are won by A, and so many by B."""
    if ahead == behind == 0:
        return 0.5
    place = np.arange(60)
    table = {
        "y": np.ones(60, int),
        "a": ((place < ahead) | (place >= ahead + behind)).astype(int),
        "b": (place >= ahead).astype(int),
    }
    verdict = assay.compare(table, truth="y", positive=1, n_resamples=100, rng=0).verdict
    return 0.5 if verdict.p_better is None else verdict.p_better


PROMISES: dict[str, tuple[Callable[[Generator, float], Iterable[Cell]], str, str]] = {
    "sequential": (sequential, "Sequential verdicts: error over the whole path", "at most 5 %"),
    "gate": (gate, "The gate", "at most 5 %"),
    "equivalence": (equivalence, "Equivalence at the margin", "at most 5 %"),
    "needed": (needed, "Items needed for 80 % power", "75 to 85 %"),
    "posterior": (
        posterior,
        "Posterior probabilities",
        "at least 95 % right; under equality published",
    ),
    "agreement": (agreement, "Kappa and alpha", "at least 93.5 %"),
    "preferences": (preferences, "Bradley-Terry", "at least 93.5 %"),
    "repeated_answers": (repeated_answers, "pass@k", "at least 93.5 %"),
    "partial_nulls": (partial_nulls, "Many models, some of them equal", "at most 5.5 %"),
    "winners": (winners, "The winner's interval", "at least 93.5 %"),
    "learning_curves": (learning_curves, "Verdicts on learning curves", "at most 5 %"),
}

LIMITS = {
    "at most 5 %": (0.0, 0.055), "at most 5.5 %": (0.0, 0.055), "75 to 85 %": (0.75, 0.85),
    "at least 93.5 %": (0.935, 1.0),
}  # fmt: skip
"""What is asked for in numbers; half a point is left to levels, as on the other pages."""
WHY = (
    "The interval of `cohens_kappa` is the published normal one, as R has it. It carries the note `few-for-the-level` "
    "with fewer than 50 items or ten disagreements (decision 0173). Alpha and `evaluate` have other intervals. Fresh "
    "seeds gave 91.7 and 90.2 %."
)


def page(found: dict[str, Any]) -> str:
    lines = [
        "# Calibration of promises",
        "",
        "`python -m calibration.promises` measures what assay promises beyond the levels of the",
        "[grid](calibration.md). The public functions answer in worlds in which the right answer is known. In",
        "brackets the 99 % Monte-Carlo interval (mid-p). Runs with seeds (3, 5, 10, 30) are in the grid, under *Runs*;",
        "learning curves are of least squares on five features. Of Bradley-Terry four intervals of each fit are",
        "counted (not independent); of kappa and alpha the samples in which raters sometimes disagree.",
    ]
    lines += ["", "## Cells that are short", "", _short(found)]
    for name, (_, title, asked) in PROMISES.items():
        if name not in found:
            lines += ["", f"## {title}", "", "Not measured."]
            continue
        lines += [
            "",
            f"## {title}",
            "",
            f"Asked for: {asked}.",
            "",
            "| what | share | of |",
            "|---|---|---|",
        ]
        for what, hits, of in found[name]["cells"]:
            low, high = (float(end) for end in mid_p_limits(hits, of, 0.005)) if of else (0.0, 1.0)
            share = hits / of if of else float("nan")
            lines.append(f"| {what} | {share:.1%} ({low:.1%} to {high:.1%}) | {of:,} |")
    return "\n".join(lines) + "\n"


def judged(found: dict[str, Any]) -> tuple[int, list[str]]:
    """How many cells have a limit, and which surely miss it (one-sided 99.9 % bound)."""
    cells, short = 0, []
    for name, (_, _, asked) in PROMISES.items():
        least, most = LIMITS.get(asked, (0.0, 1.0))
        for what, hits, of in found.get(name, {"cells": []})["cells"]:
            low, high = (float(end) for end in clopper_pearson_limits(hits, of, 0.001))
            cells += asked in LIMITS
            if high < least or low > most:
                short.append(f"- {what}: {hits / of:.1%}, asked for {asked}")
    return cells, short


def _short(found: dict[str, Any]) -> str:
    cells, short = judged(found)
    told = f"{len(short)} of {cells} cells surely miss what is asked for (one-sided 99.9 % Monte-Carlo bound)."
    return "\n".join([told, *(["", *short, "", WHY] if short else [])])


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.promises", description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", nargs="*", default=())
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--publish", action="store_true")
    chosen = parser.parse_args()
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for number, (name, (measure, _, _)) in enumerate(PROMISES.items()):
        if (
            chosen.publish
            or not name.startswith(chosen.only)
            or (name in found and name not in chosen.again)
        ):
            continue
        began = time.time()
        rng = np.random.default_rng([19, number])
        found[name] = {
            "cells": [(what, int(hits), int(of)) for what, hits, of in measure(rng, chosen.scale)],
            "scale": chosen.scale,
        }
        RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        print(f"{name}: {time.time() - began:.0f} s", file=sys.stderr, flush=True)
    PAGE.write_text(page(found))


if __name__ == "__main__":
    main()
