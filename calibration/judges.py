"""`python -m calibration.judges`: how often judge-assisted intervals hold, and how wide they are.

Measures what is missing (resumable, one process) and writes docs/calibration-judges.md; --publish writes from what
there is, --only PART measures the cells whose names hold it. Where evalstats and truescore can be imported they are
run on the same evidence (fewer draws, for they are slower); --peers FOLDER says where they are installed.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.results import TestOutcome
from assay.estimates.judged import ASSOCIATION, corrected_estimate, labels_alone
from assay.estimates.judged_evaluation import estimates_at
from assay.estimates.judged_values import item_values
from assay.estimates.means import mean_t
from assay.evidence.judged import Judged
from assay.hypotheses.judged import difference_outcome
from assay.kernels.binomial import jeffreys_limits, mid_p_limits
from assay.kernels.differences import four_counts, tango_limits
from assay.kernels.tails import normal_reach
from assay.measures.registry import find_measure

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "judges.json"
PAGE = HERE.parent / "docs" / "calibration-judges.md"
Array = NDArray[np.float64]
Limits = tuple[float, float]
LEVEL = 0.95
SIZES = ((20, 500), (50, 500), (50, 50_000), (200, 5000), (1000, 50_000))
"""Labels and judged items."""
DRAWS = {20: 1000, 50: 1000, 200: 500, 1000: 200}
COUNTED, PEER_DRAWS, SLOW_DRAWS = 10_000, 100, 30
"""Draws of rates, from counts; of truescore; and of evalstats, whose bootstrap is slow: up to 500 items only."""
EVERY_SIZE = tuple(
    (n, size) for n in (20, 50, 200, 1000) for size in (500, 5000, 50_000) if n < size
)
JUDGES = {
    "useless": (0.5, 0.5), "weak": (0.7, 0.6), "biased": (0.95, 0.6), "good": (0.9, 0.9), "excellent": (0.98, 0.98),
}  # fmt: skip
"""Sensitivity and specificity: how often the judge says 1 of what people call 1, and 0 of 0."""
TARGETS = (
    "rate 0.5", "rate 0.8", "rate 0.95", "rate 0.99", "mean", "ratings", "f1", "auc", "pair of rates",
    "pair of ratings",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One world: what is estimated, how many labels and judged items, and how good the judge is."""

    target: str
    labels: int
    judged: int
    judge: str

    @property
    def name(self) -> str:
        return f"{self.target} | {self.labels} | {self.judged} | {self.judge}"

    @property
    def draws(self) -> int:
        if self.target.startswith("rate"):
            return COUNTED
        slower = {"pair of rates": 4, "f1": 2, "auc": 2}
        return DRAWS[self.labels] // slower.get(self.target, 1)


CELLS = tuple(
    Cell(target=target, labels=labels, judged=judged, judge=judge)
    for target in TARGETS
    for labels, judged in (EVERY_SIZE if target.startswith("rate") else SIZES)
    for judge in JUDGES
)


def verdicts(truth: Array, judge: str, rng: np.random.Generator) -> Array:
    """What a judge of this sensitivity and specificity says of right and wrong."""
    sensitivity, specificity = JUDGES[judge]
    chance = np.where(truth == 1.0, sensitivity, 1.0 - specificity)
    return (rng.random(truth.shape) < chance).astype(np.float64)


def skill(judge: str) -> float:
    """The same as one number from 0 to nearly 1, for judges of grades."""
    return sum(JUDGES[judge]) - 1.0


RATINGS = np.array([0.1, 0.1, 0.2, 0.35, 0.25])


def ratings(size: int, judge: str, rng: np.random.Generator) -> tuple[Array, Array]:
    """Grades from 1 to 5; the judge repeats people's or draws its own, and its own are generous."""
    people = 1.0 + rng.choice(5, size=size, p=RATINGS)
    own = np.minimum(5.0, 1.0 + rng.choice(5, size=size, p=RATINGS) + (rng.random(size) < 0.3))
    return np.asarray(people, np.float64), np.where(rng.random(size) < skill(judge), people, own)


@dataclass(frozen=True, kw_only=True, eq=False)
class Drawn:
    """Evidence with the truth; ``values`` are the two plain columns, where there are such."""

    judged: Judged
    measure: str
    truth: float
    paired: bool = False
    values: tuple[Array, Array] | None = None


def drawn(cell: Cell, rng: np.random.Generator) -> Drawn:
    """One draw of a world; people label the first items, which come in random order."""
    size, labels = cell.judged, cell.labels
    if cell.target.startswith("rate"):
        rate = float(cell.target.split()[1])
        people = (rng.random(size) < rate).astype(np.float64)
        return _grades([people], [verdicts(people, cell.judge, rng)], labels, "accuracy", rate)
    if cell.target == "mean":
        judge = rng.standard_normal(size)
        part = skill(cell.judge)
        people = part * judge + np.sqrt(1.0 - part**2) * rng.standard_normal(size)
        return _grades([people], [judge + 0.3], labels, "mean_score", 0.0)
    if cell.target == "ratings":
        people, judge = ratings(size, cell.judge, rng)
        return _grades([people], [judge], labels, "mean_score", float(np.arange(1, 6) @ RATINGS))
    if cell.target == "pair of rates":
        return _pair_of_rates(cell, rng)
    if cell.target == "pair of ratings":
        first, second = ratings(size, cell.judge, rng), ratings(size, cell.judge, rng)
        return _grades([first[0], second[0]], [first[1], second[1]], labels, "mean_score", 0.0)
    return _predictions(cell, rng)


def _pair_of_rates(cell: Cell, rng: np.random.Generator) -> Drawn:
    """Two models right on 80 % of items each, together more often than by chance."""
    same = (rng.random(cell.judged) < 0.8).astype(np.float64)
    people = [
        np.where(rng.random(cell.judged) < 0.7, same, rng.random(cell.judged) < 0.8).astype(
            np.float64
        )
        for _ in range(2)
    ]
    judge = [verdicts(one, cell.judge, rng) for one in people]
    return _grades(people, judge, cell.labels, "accuracy", 0.0)


def _grades(
    people: list[Array], judge: list[Array], labels: int, measure: str, truth: float
) -> Drawn:
    known = np.stack(people)
    known[:, labels:] = np.nan
    judged = Judged(
        sources=(), models=("a", "b")[: len(people)], kind="grades", people=known, judge=np.stack(judge),
        chosen="at random", lower_is_better=False,
    )  # fmt: skip
    paired = len(people) == 2
    values = (known[0] - known[1], judge[0] - judge[1]) if paired else (known[0], judge[0])
    return Drawn(judged=judged, measure=measure, truth=truth, paired=paired, values=values)


def _predictions(cell: Cell, rng: np.random.Generator) -> Drawn:
    """A model of 30 % positives, whose labels are 85 % right, or whose scores are a standard deviation apart."""
    truth = (rng.random(cell.judged) < 0.3).astype(np.float64)
    people, judge = truth.copy(), verdicts(truth, cell.judge, rng)
    people[cell.labels :] = np.nan
    if cell.target == "f1":
        own = np.where(rng.random(cell.judged) < 0.85, truth, 1.0 - truth)
        right = 2 * 0.3 * 0.85 / (2 * 0.3 * 0.85 + 0.7 * 0.15 + 0.3 * 0.15)
    else:
        own = rng.standard_normal(cell.judged) + truth
        right = 0.7602499389065233  # Phi(1/sqrt 2)
    judged = Judged(
        sources=(), models=("a",), kind="labels" if cell.target == "f1" else "scores", people=people[None, :],
        judge=judge[None, :], predictions=own[None, :], classes=("0", "1"), positive="1", chosen="at random",
    )  # fmt: skip
    return Drawn(judged=judged, measure="f1" if cell.target == "f1" else "roc_auc", truth=right)


def answers(one: Drawn) -> dict[str, Limits]:
    """Our interval, and that of people's labels alone; nothing where either is undefined."""
    if not one.paired:
        found = _estimate(one)
        said = dict(found.details)
        if found.interval is None or said["people_low"] is None:
            return {}
        return {
            "ours": (found.interval.low, found.interval.high),
            "labels": (said["people_low"], said["people_high"]),
            "used": (float(found.method.startswith("judged")),) * 2,
        }
    return _paired_answers(one)


def _paired_answers(one: Drawn) -> dict[str, Limits]:
    """What `compare` decides by; of people alone Tango's interval of rates, the paired t of ratings."""
    a, b = (
        item_values(one.judged, find_measure(one.measure), model) for model in one.judged.models
    )
    counted = a.right_or_wrong and b.right_or_wrong
    difference = a.minus(b, a.graded, a.sample)
    alone = _tango(difference.people) if counted else _paired_t(difference.people)
    found = difference_outcome(difference, LEVEL, counted=counted)
    if not isinstance(found, TestOutcome) or found.effect.interval is None:
        return {"ours": alone, "labels": alone, "used": (0.0, 0.0)}
    interval = found.effect.interval
    return {"ours": (interval.low, interval.high), "labels": alone, "used": (1.0, 1.0)}


def _tango(values: Array) -> Limits:
    counts = [float((values == one).sum()) for one in (0.0, 1.0, -1.0)]
    even, plus, minus = counts
    low, high = tango_limits(four_counts(even, plus, minus, 0.0), normal_reach(LEVEL, "two-sided"))
    return float(low), float(high)


def _paired_t(values: Array) -> Limits:
    found = mean_t(values, level=LEVEL).interval
    return (-np.inf, np.inf) if found is None else (found.low, found.high)


def _estimate(one: Drawn) -> Any:
    """What `evaluate` gives; of grades without the detour over evidence of the labels (a test holds the two equal)."""
    if one.judged.kind == "grades":
        values = item_values(one.judged, find_measure(one.measure), "a")
        bounds = (0.0, 1.0) if values.right_or_wrong else (-np.inf, np.inf)
        return corrected_estimate(values, labels_alone(values, LEVEL), LEVEL, bounds)
    return estimates_at(one.judged, find_measure(one.measure), "a", n_resamples=999, rng=1)(LEVEL)


Peer = Callable[[Array, Array], Limits]


def peers() -> dict[str, Peer]:
    """Those that can be imported."""
    found: dict[str, Peer] = {}
    try:
        import truescore  # type: ignore[import-not-found]

        def of_truescore(people: Array, judge: Array) -> Limits:
            graded = np.flatnonzero(~np.isnan(people))
            one = truescore.ppi_estimate(judge, people[graded], graded)
            return one.low, one.high

        found["truescore"] = of_truescore
    except ImportError:
        pass
    try:
        import evalstats  # type: ignore[import-not-found]

        def of_evalstats(people: Array, judge: Array) -> Limits:
            graded = ~np.isnan(people)
            one = evalstats.ppi.correct(
                np.mean, Y_lab=people[graded], Y_hat_lab=judge[graded], Y_hat_unlab=judge[~graded],
                compute_pvalue=False, rng=1,
            )  # fmt: skip
            return one.ci_low, one.ci_high

        found["evalstats"] = of_evalstats
    except ImportError:
        pass
    return found


@cache
def _own_limits(n: int, kind: str) -> tuple[Array, Array]:
    """Limits of 0, 1 … n right answers of n: Jeffreys' within strata, guarded mid-p of labels alone."""
    k = np.arange(n + 1.0)
    if kind == "labels":
        return mid_p_limits(k, np.full(n + 1, float(n)), 0.025, guarded=True)
    low, high = jeffreys_limits(k, n, 0.025) if n else (np.zeros(1), np.ones(1))
    low[0], high[-1] = 0.0, 1.0
    return low, high


def _looked_up(right: Array, counts: Array, kind: str) -> tuple[Array, Array]:
    low, high = np.empty(right.size), np.empty(right.size)
    for n in np.unique(counts).astype(int):
        rows = counts == n
        table = _own_limits(int(n), kind)
        low[rows], high[rows] = (ends[right[rows].astype(int)] for ends in table)
    return low, high


def counted(cell: Cell) -> dict[str, Any]:
    """Rates, thousands of draws at once, from the four counts of people's and the judge's verdicts."""
    rng = np.random.default_rng(list(cell.name.encode()))
    rate = float(cell.target.split()[1])
    sensitivity, specificity = JUDGES[cell.judge]
    chances = (
        rate * sensitivity,
        rate * (1 - sensitivity),
        (1 - rate) * (1 - specificity),
        (1 - rate) * specificity,
    )
    a, b, c, d = rng.multinomial(cell.labels, chances, size=COUNTED).T.astype(np.float64)
    others = rng.binomial(cell.judged - cell.labels, chances[0] + chances[2], size=COUNTED)
    up, down, right = a + c, b + d, a + b
    share, pooled = (up + others) / cell.judged, right / cell.labels
    first = np.where(up > 0, a / np.maximum(up, 1), pooled)
    second = np.where(down > 0, b / np.maximum(down, 1), pooled)
    value = share * first + (1 - share) * second
    z = normal_reach(LEVEL, "two-sided")
    rest = (
        z * z * (share * (first - value) ** 2 + (1 - share) * (second - value) ** 2) / cell.judged
    )
    (low1, high1), (low2, high2) = _looked_up(a, up, "strata"), _looked_up(b, down, "strata")
    low = np.maximum(
        value
        - np.sqrt((share * (first - low1)) ** 2 + ((1 - share) * (second - low2)) ** 2 + rest),
        0,
    )
    high = np.minimum(
        value
        + np.sqrt((share * (high1 - first)) ** 2 + ((1 - share) * (high2 - second)) ** 2 + rest),
        1,
    )
    alone = _looked_up(right, np.full(COUNTED, float(cell.labels)), "labels")
    association = (
        cell.labels * (a * d - b * c) ** 2 / np.maximum(right * (c + d) * up * down, 1e-300)
    )
    used = association >= ASSOCIATION
    ours = np.where(used, low, alone[0]), np.where(used, high, alone[1])
    found: dict[str, Any] = {"draws": COUNTED, "of": COUNTED, "used": float(used.mean())}
    for name, ends in (("ours", ours), ("labels", alone)):
        covered = (ends[0] <= rate) & (rate <= ends[1])
        found[name] = {"covered": float(covered.mean()), "width": float((ends[1] - ends[0]).mean())}
    return found


def measured(cell: Cell, others: dict[str, Peer]) -> dict[str, Any]:
    """Coverage and mean width of everybody on the same draws."""
    rng = np.random.default_rng(list(cell.name.encode()))
    tallies: dict[str, list[float]] = {}
    slow: dict[str, list[float]] = {}
    used = drawn_count = 0.0
    rates = cell.target.startswith("rate")
    for draw in range(min(cell.draws, PEER_DRAWS) if rates else cell.draws):
        one = drawn(cell, rng)
        found = {} if rates and not others else answers(one)
        if not found:
            continue
        drawn_count += 1
        used += found.pop("used")[0]
        for name, ends in found.items():
            _count(tallies, name, ends, one.truth)
        if one.values is not None and "truescore" in others and draw < PEER_DRAWS:
            _count(slow, "truescore", others["truescore"](*one.values), one.truth)
            _count(slow, "ours beside truescore", found["ours"], one.truth)
        if (
            one.values is not None
            and "evalstats" in others
            and draw < SLOW_DRAWS
            and cell.judged <= 500
        ):
            _count(slow, "evalstats", others["evalstats"](*one.values), one.truth)
            _count(slow, "ours beside evalstats", found["ours"], one.truth)
    result: dict[str, Any] = {
        "draws": drawn_count,
        "of": cell.draws,
        "used": used / max(drawn_count, 1),
    }
    for name, (covered, width) in {**tallies, **slow}.items():
        few = SLOW_DRAWS if name.endswith("evalstats") else PEER_DRAWS
        count = min(few, drawn_count) if name in slow else max(drawn_count, 1)
        result[name] = {"covered": covered / count, "width": width / count}
    return {**result, **counted(cell)} if rates else result


def _count(tallies: dict[str, list[float]], name: str, ends: Limits, truth: float) -> None:
    known = tallies.setdefault(name, [0.0, 0.0])
    known[0] += ends[0] <= truth <= ends[1]
    known[1] += ends[1] - ends[0]


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.judges", description=__doc__)
    parser.add_argument("--publish", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", type=Path)
    told = parser.parse_args()
    if told.peers is not None:
        sys.path.append(str(told.peers))
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    others = {} if told.publish else peers()
    for cell in () if told.publish else CELLS:
        if told.only not in cell.name or cell.name in kept:
            continue
        started = time.perf_counter()
        kept[cell.name] = measured(cell, others)
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
        print(f"{cell.name}: {time.perf_counter() - started:.1f} s", flush=True)
    from calibration.judges_page import page

    PAGE.write_text(page(kept, CELLS))


if __name__ == "__main__":
    main()
