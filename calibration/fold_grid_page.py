"""The sections of docs/folds.md that `calibration.fold_grid` counted: procedures in the same cells."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import stats

from calibration.fold_grid import PROCEDURES, Cell, cells

LIMIT, CERTAIN = 0.06, 0.999
DEFAULT = "cautious t, 10 x 5 folds"
SHOWN = (
    "Bayle's CLT, 10 folds", "corrected t, 10 folds", "corrected t, 5 x 10 folds",
    "conservative z, 5 pairs", "nested CV, 8 x 5 folds", DEFAULT,
)  # fmt: skip
PUBLISHED = {
    "Bayle's CLT, 10 folds": "86 to 95 % on average: trees 86, linear 90, ridge 93, forests 95",
    "corrected t, 5 x 10 folds": "medians 92 to 97 % (25 splits), single problems down to 74 %",
    "conservative z, 5 pairs": "medians 94 to 97 % (105 fits), single problems down to 86 %",
    "nested CV, 8 x 5 folds": "medians 93 to 99 % (75 fits), single problems down to 61 %",
}
"""Coverage of the expected risk at a nominal 95 %, read off the figures of the study (± 1 point)."""
Kept = dict[str, Any]


def exceeds(share: float, count: int, limit: float = LIMIT) -> bool:
    """Whether a share is above the limit beyond what chance explains."""
    return bool(stats.binom.sf(round(share * count) - 1, count, limit) < 1.0 - CERTAIN)


def sections(kept: Kept) -> str:
    """What stands beside the default; the cells that are missing are counted."""
    equal, unlike, spoilt = _kinds(kept)
    found = [*equal, *unlike, *spoilt]
    if not found:
        return ""
    parts = [_prices(kept, equal, unlike, spoilt), _failures(kept, found), _published(kept, found)]
    return "\n".join(parts)


def by_cell(kept: Kept) -> str:
    """The same, cell by cell."""
    equal, unlike, spoilt = _kinds(kept)
    parts = [_by_cell("Equal learners, cell by cell", kept, equal)] if equal else []
    if unlike:
        parts.append(_by_cell("Unlike learners, cell by cell", kept, unlike))
    if spoilt:
        parts.append(_powers(kept, spoilt))
    parts.append(_samples(kept))
    return "\n".join(parts)


def _samples(kept: Kept) -> str:
    """How many samples there are of the cells, and which cells lack."""
    planned = cells()
    lacking = [cell for cell in planned if cell.name not in kept]
    counts = np.array([kept[cell.name]["replicates"] for cell in planned if cell.name in kept])
    told = [
        f"Of {len(planned)} cells on stratified folds {(counts >= 2000).sum()} have 2,000 samples or more, "
        f"and {((counts >= 500) & (counts < 2000)).sum()} have 500 to 1,999."
    ]
    few = int((counts < 500).sum())
    told += [f"There are fewer in {few}."] if few else []
    if lacking:
        sizes = sorted({cell.n for cell in lacking})
        on = " and ".join(f"{n:,}" for n in sizes)
        learners = ", ".join(sorted({who(cell) for cell in lacking}))
        told += [
            f"Not yet measured: {len(lacking)}, all on {on} items. Their learners: {learners}."
        ]
    return f"{' '.join(told)}\n"


def _kinds(kept: Kept) -> tuple[list[Cell], list[Cell], list[Cell]]:
    """Cells of equal learners, of unlike ones, and of those that noise sets apart."""
    found = [cell for cell in cells() if cell.name in kept]
    return (
        [cell for cell in found if cell.equal],
        [cell for cell in found if cell.a != cell.b],
        [cell for cell in found if cell.a == cell.b and cell.noise],
    )


def _misses(kept: Kept, chosen: Sequence[Cell], name: str) -> list[tuple[float, int]]:
    return [
        (kept[cell.name]["two"][name]["misses"], kept[cell.name]["replicates"]) for cell in chosen
    ]


def _summary(kept: Kept, chosen: Sequence[Cell], name: str) -> str:
    found = _misses(kept, chosen, name)
    if not found:
        return "– | – | –"
    shares = [share for share, _ in found]
    over = sum(exceeds(*one) for one in found)
    return f"{np.mean(shares):.1%} | {max(shares):.1%} | {over or '–'}"


def _prices(
    kept: Kept, equal: Sequence[Cell], unlike: Sequence[Cell], spoilt: Sequence[Cell]
) -> str:
    counts = [kept[cell.name]["replicates"] for cell in (*equal, *unlike, *spoilt)]
    met = dict.fromkeys(one for cell in (*equal, *unlike) for one in (cell.a, cell.b))
    learners = ", ".join(sorted(met))
    rows = []
    for name, procedure in PROCEDURES.items():
        wide = [
            kept[cell.name]["two"][name]["width"] / kept[cell.name]["two"][DEFAULT]["width"]
            for cell in (*equal, *unlike)
            if kept[cell.name]["two"][name]["width"] and kept[cell.name]["two"][DEFAULT]["width"]
        ]
        power = [kept[cell.name]["two"][name]["rejects"] for cell in spoilt]
        powers = f"{np.mean(power):.0%}" if power else "–"
        rows.append(
            f"| {name} | {procedure.fits} | {_summary(kept, equal, name)} | {_summary(kept, unlike, name)} | "
            f"{np.median(wide):.2f} | {powers} |"
        )
    return "\n".join(
        [
            "## Ten procedures on stratified folds\n",
            "Written from `calibration/results/fold_grid.json` (`python -m calibration.fold_grid`). Learners: "
            f"{learners}. Two classes (in equal shares, one class of 10 %, a ring) and regression with squared "
            "errors (linear, heavy tails, waves). The folds are stratified, of 50 to 2,000 items. "
            "*misses*: how often the interval misses the true difference of expected losses at its own training size "
            "(for equal learners: false differences). *unlike*: two different learners on the same "
            f"features. *width*: of the default's, the median over cells. There are {len(equal)} cells of equal "
            f"learners and {len(unlike)} of unlike ones, with {min(counts):,} to {max(counts):,} samples each "
            f"(fewest for expensive fits). *above*: cells with more than {LIMIT:.0%} (one-sided {CERTAIN:.1%} "
            "Monte-Carlo bound).\n",
            "| procedure | fits | equal: mean | worst | above | unlike: mean | worst | above | width | power |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
        ]
    )


def _failures(kept: Kept, chosen: Sequence[Cell]) -> str:
    rows = []
    for cell in chosen:
        one = kept[cell.name]["two"][DEFAULT]
        if exceeds(one["misses"], kept[cell.name]["replicates"]):
            rows.append(
                f"- {who(cell)}{' (one with noise)' if cell.noise else ''}, {cell.population}, {cell.n:,} items: "
                f"{one['misses']:.1%} of {kept[cell.name]['replicates']:,} samples"
            )
    equal = [one for one in chosen if one.equal] or chosen
    worst = max(equal, key=lambda one: _missed(kept, one))
    told = (
        f"The largest share of false differences between equal learners is {_missed(kept, worst):.1%} of "
        f"{kept[worst.name]['replicates']:,} samples ({who(worst)}, {worst.population}, {worst.n:,} items).\n"
    )
    if not rows:
        return told
    return "\n".join(
        [
            told,
            "On stratified folds the cautious t (10 x 5 folds) missed too often beyond chance in these cells "
            f"(more than {LIMIT:.0%}). Cells with 2,500 samples or more were drawn again "
            "with new seeds.\n",
            *rows,
            "",
            "The section *Learners that hardly learn* explains why. Most of the ten procedures fail there: nested "
            "cross-validation in all, conservative z in those of unlike learners or of noise. For two learners of the "
            "same kind, most of what the splits of a sample share cancels in the difference.\n",
        ]
    )


def _missed(kept: Kept, cell: Cell) -> float:
    return float(kept[cell.name]["two"][DEFAULT]["misses"])


def who(cell: Cell) -> str:
    return cell.a if cell.a == cell.b else f"{cell.a} / {cell.b}"


def _table(title: str, told: str, heads: Sequence[str], rows: Sequence[str]) -> str:
    dashes = " | ".join("---" if place < 2 else "---:" for place in range(len(heads)))
    return "\n".join(
        [f"## {title}\n", f"{told}\n", f"| {' | '.join(heads)} |", f"| {dashes} |", *rows, ""]
    )


def _rows(
    kept: Kept, chosen: Sequence[Cell], cells_of: Callable[[Cell], Sequence[str]]
) -> list[str]:
    return [
        f"| {who(cell)} | {cell.population} | {cell.n:,} | {kept[cell.name]['replicates']:,} | "
        f"{' | '.join(cells_of(cell))} |"
        for cell in chosen
    ]


def _by_cell(title: str, kept: Kept, chosen: Sequence[Cell]) -> str:
    def listed(cell: Cell) -> list[str]:
        two = kept[cell.name]["two"]
        return [*(f"{two[name]['misses']:.1%}" for name in SHOWN), f"{two[DEFAULT]['truth']:+.3f}"]

    heads = ("learners", "population", "items", "samples", *SHOWN, "true difference")
    ordered = sorted(chosen, key=lambda cell: (cell.n, cell.population, who(cell)))
    told = "How often the interval of each procedure misses the true difference, at a nominal 5 %."
    return _table(title, told, heads, _rows(kept, ordered, listed))


def _powers(kept: Kept, chosen: Sequence[Cell]) -> str:
    """Rejections where noise sets two learners of a kind apart."""
    names = (
        "corrected t, 5 x 10 folds",
        "conservative z, 5 pairs",
        "nested CV, 8 x 5 folds",
        DEFAULT,
    )

    def listed(cell: Cell) -> list[str]:
        two = kept[cell.name]["two"]
        base = kept.get(cell._replace(noise=0.0).name)
        found = [f"{two[DEFAULT]['truth']:+.3f}"]
        for name in names:
            text = f"{two[name]['rejects']:.0%}"
            if base is not None:
                critical = max(base["two"][name]["critical"], 1e-9)
                shares = np.linspace(0.02, 0.98, 49)
                text += f" ({1.0 - np.interp(critical, two[name]['quantiles'], shares):.0%})"
            found.append(text)
        return [*found, f"{1.0 - two[DEFAULT]['misses']:.1%}"]

    told = (
        "Noise on what the second learner sees sets two of a kind apart. Rejections, and in brackets those with the "
        "critical value that makes the level 5 % in the cell without noise."
    )
    heads = (
        "learner",
        "population",
        "items",
        "samples",
        "true difference",
        *names,
        "default covers",
    )
    return _table("Power of the procedures", told, heads, _rows(kept, chosen, listed))


def _published(kept: Kept, chosen: Sequence[Cell]) -> str:
    """Coverage of the loss of one learner: each on its population and size once, the mean of its cells."""
    places = list(dict.fromkeys((cell.population, cell.a, cell.n) for cell in chosen))

    def covered(name: str) -> dict[tuple[str, str, int], float]:
        found: dict[tuple[str, str, int], list[float]] = {place: [] for place in places}
        for cell in chosen:
            missed = kept[cell.name]["one"][name]["misses"]
            found[cell.population, cell.a, cell.n].append(1.0 - missed)
        return {place: float(np.mean(shares)) for place, shares in found.items()}

    rows = []
    for name, said in PUBLISHED.items():
        shares = covered(name)
        groups: list[list[float]] = [
            *([share for place, share in shares.items() if place[2] == n] for n in (50, 200, 2000)),
            *(
                [share for place, share in shares.items() if place[1] == one]
                for one in ("ridge", "tree")
            ),
        ]
        medians = [f"{np.median(group):.0%}" if group else "–" for group in groups]
        low = sum(share < 0.9 for share in shares.values())
        rows.append(
            f"| {name} | {said} | {' | '.join(medians)} | {min(shares.values()):.0%} | {low} of {len(shares)} |"
        )
    return "\n".join(
        [
            "## Beside the study behind mlr3inferr\n",
            "Schulz-Kümpel et al. (arXiv 2409.18836) measured intervals of the loss of **one** learner. The "
            "study has 19 problems, 500 to 10,000 items, trees, linear models, ridge and forests, nominal 95 %. "
            "*published* is read off its figures (± 1 point). Here the same methods estimate the expected loss "
            "of the first learner of each cell (Wald's shape, as in mlr3inferr). The table has median coverages, by "
            "the number of items and for two learners of the study. They agree in kind. "
            "The interval of plain cross-validation covers too little, most where the learner is unstable; "
            "the corrected t by less. Conservative z reaches the nominal level at every size, nested "
            "cross-validation comes near it from 200 items on. All four fail where a learner does not settle "
            "(lines on a ring: the least).\n",
            "| method | published | 50 items | 200 | 2,000 | ridge | tree | least | below 90 % |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
        ]
    )
