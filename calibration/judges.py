"""`python -m calibration.judges`: how often judge-assisted intervals hold, and how wide they are.

Measures what is missing (resumable, one process) and writes docs/calibration-judges.md; --publish writes from what
there is, --only PART measures the cells whose names hold it, --again measures them even if they are there (draws are
the same, so that what was counted of evalstats stays). Rates, pairs and grades are drawn and answered in bulk
(calibration.judges_bulk); F1 and AUC one by one, as `evaluate` does. Where evalstats and truescore can be imported they
answer the same evidence; --peers FOLDER says where they are installed.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import NotApplicable
from assay.estimates.judged_evaluation import estimates_at
from assay.evidence.judged_items import Judged
from assay.measures.registry import find_measure
from calibration.judges_bulk import (
    LEVEL,
    Array,
    Bulk,
    Ends,
    grades,
    pair_chances,
    pair_of_rates,
    rates,
    verdict_chances,
)

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "judges.json"
TWINS, DESIGNS, NEIGHBOURS = (
    HERE / "results" / f"judges_{name}.json" for name in ("twins", "designs", "neighbours")
)
PAGE = HERE.parent / "docs" / "calibration-judges.md"
Limits = tuple[float, float]
EVERY_SIZE = tuple(
    (n, size) for n in (20, 50, 200, 1000) for size in (500, 5000, 50_000) if n < size
)
"""Labels and judged items."""
SIZES = ((20, 500), (50, 500), (50, 50_000), (200, 5000), (1000, 50_000))
"""The same of measures that are drawn one by one."""
DRAWS = {20: 2000, 50: 2000, 200: 1000, 1000: 500}
BULK_DRAWS, MOST_VALUES, CHECKED = 10_000, 2_000_000, 5
"""Draws in bulk; how many labels are held at once; and how many draws a package must answer as its formula does."""
SLOW_DRAWS = {20: 600, 50: 600, 200: 300, 1000: 50}
"""Draws of evalstats by labels where its package answers one by one: rates."""
BESIDE_DRAWS = {20: 10_000, 50: 10_000, 200: 10_000, 1000: 300}
"""The same in bulk."""
JUDGES = {
    "useless": (0.5, 0.5), "weak": (0.7, 0.6), "biased": (0.95, 0.6), "good": (0.9, 0.9), "excellent": (0.98, 0.98),
}  # fmt: skip
"""Sensitivity and specificity: how often the judge says 1 of what people call 1, and 0 of 0."""
ONE_BY_ONE = ("f1", "auc")
UNEVEN = {"pair of rates apart": {"apart": 0.1}, "pair of rates favoured": {"favour": 0.2}}
"""Models right on 85 % and on 75 %; a judge that forgives one of two equals a fifth of its wrong answers."""
DECISION = 295
AFRESH = {
    "mean": 50, "ratings": 200, "pair of ratings": 200, "pair of rates": 50, "pair of rates apart": 50,
    "pair of rates favoured": 50,
}  # fmt: skip
"""Targets, up to so many labels, whose intervals that decision changed: they were counted again on other draws."""
TARGETS = (
    "rate 0.5", "rate 0.8", "rate 0.95", "rate 0.99", "mean", "ratings", "f1", "auc", "pair of rates",
    "pair of ratings", "pair of rates apart", "pair of rates favoured",
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
    def bulk(self) -> bool:
        return self.target not in ONE_BY_ONE

    @property
    def draws(self) -> int:
        return BULK_DRAWS if self.bulk else DRAWS[self.labels]


CELLS = tuple(
    Cell(target=target, labels=labels, judged=judged, judge=judge)
    for target in TARGETS
    for labels, judged in (SIZES if target in ONE_BY_ONE else EVERY_SIZE)
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


def drawn(cell: Cell, rng: np.random.Generator) -> tuple[Judged, str, float]:
    """A model of 30 % positives, whose labels are 85 % right, or whose scores are a standard deviation apart.

    People label the first items, which come in random order. With the measure and its true value.
    """
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
    return judged, "f1" if cell.target == "f1" else "roc_auc", right


def answers(judged: Judged, measure: str) -> dict[str, Limits]:
    """Our interval, that of people's labels alone, and whether the judge was used; nothing where undefined."""
    found = estimates_at(judged, find_measure(measure), "a", n_resamples=999, rng=1)(LEVEL)
    said = dict(found.details)
    low, high = said["people_low"], said["people_high"]
    if found.interval is None or not isinstance(low, float) or not isinstance(high, float):
        return {}
    return {
        "ours": (found.interval.low, found.interval.high),
        "labels": (low, high),
        "used": (0.0, float(found.method.startswith("judged"))),
    }


Peer = Callable[[str, Array, Array], Limits]
EVALSTATS = {
    "rate": "_ppi_single_wilson",
    "pair of rates": "_ppi_paired_bonett_price",
    "pair of rates apart": "_ppi_paired_bonett_price",
    "pair of rates favoured": "_ppi_paired_bonett_price",
    "mean": "_ppi_single_t_interval",
    "ratings": "_ppi_single_logit_t",
    "pair of ratings": "_ppi_paired_logit_t",
}
"""What its own table of methods (PPI_AUTO_METHOD_TABLE) names for the kind of data."""


def _sides(target: str, column: Array) -> tuple[Array, ...]:
    """One column, or two whose difference it is."""
    if not target.startswith("pair"):
        return (column,)
    return np.maximum(column, 0.0), np.maximum(-column, 0.0)


def _scale(target: str) -> dict[str, float]:
    return {"lo": 1.0, "hi": 5.0} if "ratings" in target else {}


def peers() -> dict[str, Peer]:
    """Those that can be imported."""
    found: dict[str, Peer] = {}
    try:
        import truescore  # type: ignore[import-not-found]

        def of_truescore(_: str, people: Array, judge: Array) -> Limits:
            graded = np.flatnonzero(~np.isnan(people))
            one = truescore.ppi_estimate(judge, people[graded], graded)
            return one.low, one.high

        found["truescore"] = of_truescore
    except ImportError:
        pass
    try:
        from evalstats import tests  # type: ignore[import-not-found]

        def of_evalstats(target: str, people: Array, judge: Array) -> Limits:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it warns of few disagreements
                one = getattr(tests, EVALSTATS[target.split(" 0")[0]])(
                    *_sides(target, judge), *_sides(target, people), 0.05, **_scale(target)
                )
            return one.ci_low, one.ci_high

        found["evalstats"] = of_evalstats
    except ImportError:
        pass
    return found


def chances_of(cell: Cell) -> Array:
    """How often people and judge say what, of a rate or of a pair of rates."""
    if cell.target.startswith("rate "):
        return verdict_chances(float(cell.target.split()[1]), JUDGES[cell.judge])
    return pair_chances(JUDGES[cell.judge], **UNEVEN.get(cell.target, {}))


def bulk_of(cell: Cell, draws: int, rng: np.random.Generator) -> Bulk:
    """So many draws of a world of rates, of a pair of rates, or of grades."""
    size = cell.labels, cell.judged, draws, rng
    if cell.target.startswith("rate "):
        return rates(chances_of(cell), *size)
    if cell.target.startswith("pair of rates"):
        return pair_of_rates(chances_of(cell), *size)
    return grades(cell.target, skill(cell.judge), cell.labels, cell.judged, draws, rng)


def counted(cell: Cell, others: dict[str, Peer], before: dict[str, Any]) -> dict[str, Any]:
    """Coverage and mean width of everybody on the same draws; evalstats, which is slow, on the first of them.

    What it answered of these draws ``before`` is not asked again.
    """
    afresh = (DECISION,) if cell.labels <= AFRESH.get(cell.target, 0) else ()
    rng = np.random.default_rng([*cell.name.encode(), *afresh])
    tallies: dict[str, list[Tally]] = {}
    left = cell.draws
    while left > 0:
        part = bulk_of(cell, min(left, MOST_VALUES // cell.labels), rng)
        if left == cell.draws:
            _check_peers(cell, part, others)
            _beside(cell, part, others.get("evalstats"), tallies, before.get("evalstats"))
        left -= part.used.size
        for name in ("ours", "labels", "truescore"):
            tallies.setdefault(name, []).append(_tally(getattr(part, name), part.truth))
        tallies.setdefault("used", []).append((part.used.size, float(part.used.sum()), 0.0))
    found = {name: _joined(parts) for name, parts in tallies.items()}
    return {"draws": cell.draws, **found, "used": found["used"]["covered"]}


Tally = tuple[int, float, float]
"""Draws, how many were covered, and the sum of widths."""


def _tally(ends: Ends, truth: float) -> Tally:
    low, high = ends
    return low.size, float(((low <= truth) & (truth <= high)).sum()), float((high - low).sum())


def _joined(parts: list[Tally]) -> dict[str, float]:
    draws, covered, width = (sum(column) for column in zip(*parts, strict=True))
    return {"covered": covered / draws, "width": width / draws, "draws": draws}


def _check_peers(cell: Cell, part: Bulk, others: dict[str, Peer]) -> None:
    """The packages say what their formulas in bulk say."""
    formulas = {"truescore": part.truescore}
    if part.evalstats is not None:
        formulas["evalstats"] = part.evalstats(CHECKED, LEVEL)
    for name in set(formulas) & set(others):
        for draw in range(CHECKED):
            said = others[name](cell.target, *part.columns(draw))
            ours = tuple(float(ends[draw]) for ends in formulas[name])
            if not np.allclose(said, ours, rtol=1e-9, atol=1e-9):
                raise AssertionError(f"{cell.name}: {name} says {said}, its formula {ours}")


def _beside(
    cell: Cell, part: Bulk, peer: Peer | None, tallies: dict[str, list[Tally]], before: dict[str, Any] | None
) -> None:  # fmt: skip
    """Evalstats on the first draws: in bulk, or of rates by its package where that is there."""
    if before is not None:
        draws = int(before["draws"])
        tally = draws, draws * before["covered"], draws * before["width"]
    elif part.evalstats is not None:
        draws = min(part.used.size, BESIDE_DRAWS[cell.labels])
        tally = _tally(part.evalstats(draws, LEVEL), part.truth)
    elif peer is not None:
        draws = min(part.used.size, SLOW_DRAWS[cell.labels])
        both = np.array([peer(cell.target, *part.columns(draw)) for draw in range(draws)]).T
        tally = _tally((both[0], both[1]), part.truth)
    else:
        return
    tallies["evalstats"] = [tally]
    ours = part.ours[0][:draws], part.ours[1][:draws]
    tallies["ours beside evalstats"] = [_tally(ours, part.truth)]


def counted_again(cell: Cell) -> dict[str, float]:
    """Our coverage in draws of their own, six times as many: a level just off in 10,000 draws may be chance."""
    rng = np.random.default_rng([99, *cell.name.encode()])
    size = min(BULK_DRAWS, MOST_VALUES // cell.labels)
    parts = (bulk_of(cell, size, rng) for _ in range(6 * BULK_DRAWS // size))
    return _joined([_tally(part.ours, part.truth) for part in parts])


def measured(cell: Cell) -> dict[str, Any]:
    """Coverage and mean width of `evaluate` and of labels alone, draw by draw."""
    rng = np.random.default_rng(list(cell.name.encode()))
    tallies: dict[str, list[Tally]] = {"ours": [], "labels": [], "used": []}
    for _ in range(cell.draws):
        judged, measure, truth = drawn(cell, rng)
        try:
            found_here = answers(judged, measure)
        except NotApplicable:  # one class only among the labels
            continue
        for name, (low, high) in found_here.items():
            tallies[name].append(_tally((np.array([low]), np.array([high])), truth))
    found = {name: _joined(parts) for name, parts in tallies.items()}
    used = sum(width for _, _, width in tallies["used"]) / len(tallies["used"])
    return {**found, "draws": found["ours"]["draws"], "used": used}


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.judges", description=__doc__)
    parser.add_argument("--publish", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--peers", type=Path)
    told = parser.parse_args()
    if told.peers is not None:
        sys.path.append(str(told.peers))
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    others = {} if told.publish else peers()
    for cell in () if told.publish else CELLS:
        if told.only not in cell.name or (cell.name in kept and not told.again):
            continue
        started = time.perf_counter()
        before = kept.get(cell.name, {})
        kept[cell.name] = counted(cell, others, before) if cell.bulk else measured(cell)
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
        print(f"{cell.name}: {time.perf_counter() - started:.1f} s", flush=True)
    from calibration.judges_page import failing, page, picture

    off = failing([(cell, kept[cell.name]) for cell in CELLS if cell.name in kept], "level")
    for cell in () if told.publish else off:
        kept[cell.name]["again"] = counted_again(cell)
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
    beside = [
        json.loads(path.read_text()) if path.exists() else {}
        for path in (TWINS, DESIGNS, NEIGHBOURS)
    ]
    PAGE.write_text(page(kept, CELLS, *beside))
    picture(kept, CELLS, PAGE.parent / "pictures" / "calibration_judges.png")


if __name__ == "__main__":
    main()
