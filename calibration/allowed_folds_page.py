"""The sections of docs/folds.md on learners that hardly learn: what the allowance for them mends, and its price."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from calibration.allowed_folds import elsewhere, in_doubt, of_power, outside
from calibration.fold_grid import Cell, cells
from calibration.fold_grid_page import exceeds, who

Kept = dict[str, Any]
SHOWN = "50"
MISSES = 0.07
"""What intervals may miss: they were asked to cover 93 % in every cell."""
SHARES = np.linspace(0.02, 0.98, 49)
NAMES = {
    "one-nn-half-features": "1-NN", "centroid": "nearest centroid", "logistic": "logistic regression",
    "tree-random-features": "random tree",
}  # fmt: skip
"""Learners of `calibration.held_folds` as the page calls them."""
IN_BETWEEN = (0.5, 0.9)
"""Adjusted power of the corrected t at which powers are compared."""


def default(
    plain: Kept, allowed: Kept, cell: Cell, whose: str = "two"
) -> tuple[dict[str, Any], int]:
    """What is counted of the default at 50 fits, and samples; where the cautious t held, that, for it is no wider."""
    if cell.name in allowed:
        return allowed[cell.name][whose][SHOWN]["allowed"], allowed[cell.name]["replicates"]
    return plain[cell.name][whose][SHOWN]["cautious"], plain[cell.name]["replicates"]


def _shares(
    plain: Kept, allowed: Kept, chosen: Sequence[Cell], what: str, whose: str = "two"
) -> list[tuple[float, int]]:
    found = [default(plain, allowed, cell, whose) for cell in chosen]
    return [(one[what], count) for one, count in found]


def measured_cells(plain: Kept) -> list[Cell]:
    return [cell for cell in cells() if cell.name in plain]


def in_short(plain: Kept, allowed: Kept) -> list[str]:
    """Level, coverage and power of the default over the whole grid, a line each."""
    every = measured_cells(plain)
    lines = []
    for title, chosen in (
        ("Level of two of a kind", [cell for cell in every if cell.equal]),
        (
            "Level of unlike learners, tuned to be equally good",
            [cell for cell in every if cell.tuned],
        ),
    ):
        levels = _shares(plain, allowed, chosen, "rejects")
        over = sum(exceeds(*one) for one in levels)
        lines.append(
            f"- **{title}: {'holds' if not over else 'fails'}.** Of {len(levels)} cells {over or 'none'} is above 6 % "
            f"beyond chance. In the worst {max(levels)[0]:.1%} of the samples call them different."
        )
    missed = _shares(plain, allowed, every, "misses")
    short = sum(exceeds(*one, MISSES) for one in missed)
    ratios = [one.ratio for one in powers(plain, allowed)]
    lines += [
        f"- **Coverage: {'holds' if not short else 'fails'}.** Of {len(missed)} cells {short or 'none'} is below 93 % "
        f"beyond chance. In the worst the interval misses the true difference in {max(missed)[0]:.1%} of the samples.",
        f"- **Power: {'holds' if min(ratios) >= 0.8 else 'fails'}.** Its size-adjusted power is {min(ratios):.2f} to "
        f"{max(ratios):.2f} of the corrected t's, in the {len(ratios)} cells in which that is 0.5 to 0.9. As it is, "
        "unadjusted, it is lower: that is the price.",
        f"- **Outside the grid: no guarantee.** {_outside_in_short(allowed)}",
    ]
    return lines


def _outside_in_short(allowed: Kept) -> str:
    found = [cell for cell in outside() if cell.name in allowed]
    missed = {
        cell: [allowed[cell.name]["two"][SHOWN][test]["misses"] for test in ("cautious", "allowed")]
        for cell in found
    }
    bad = [cell for cell in found if exceeds(missed[cell][1], _count(allowed, cell), MISSES)]
    if not bad:
        return f"In {len(found)} other worlds in which no line helps it covers 93 % as well."
    worst = max(bad, key=lambda cell: missed[cell][1])
    before, after = missed[worst]
    return (
        f"Of {len(found)} cells of other worlds in which no line helps, {len(bad)} are covered less than 93 %. The "
        f"worst misses in {after:.0%} ({worst.population}, {worst.n:,} items; {before:.0%} without the allowance)."
    )


def _count(allowed: Kept, cell: Cell) -> int:
    return int(allowed[cell.name]["replicates"])


class Power(NamedTuple):
    """A cell that noise sets apart, adjusted powers of the corrected t and of the default, and powers as they are."""

    said: Sequence[str]
    theirs: float
    ours: float
    cautious: float
    as_it_is: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def powers(plain: Kept, allowed: Kept) -> list[Power]:
    """Cells in which the corrected t has an adjusted power from 0.5 to 0.9."""
    found = []
    for cell in measured_cells(plain):
        if not cell.noise or cell.a != cell.b:
            continue
        if cell.name not in allowed and cell in of_power():
            continue  # not yet counted
        base = cell._replace(noise=0.0)
        source, mine = (allowed, "allowed") if cell.name in allowed else (plain, "cautious")
        said = [who(cell), f"{cell.noise:g}", cell.population, f"{cell.n:,}"]
        found.append(_power(said, source[cell.name], source[base.name], mine))
    for other in elsewhere():
        if other.effect and other.name in allowed:
            base_name = other._replace(effect=0.0).name
            said = [NAMES[other.learner], f"{other.effect:g}", other.population, f"{other.n:,}"]
            found.append(_power(said, allowed[other.name], allowed[base_name], "allowed"))
    return [one for one in found if IN_BETWEEN[0] <= one.theirs <= IN_BETWEEN[1]]


def _power(said: Sequence[str], one: Kept, base: Kept, mine: str) -> Power:
    of, none = one["two"][SHOWN], base["two"][SHOWN]
    theirs, ours = (_adjusted(of[test], none[test]) for test in ("corrected", mine))
    return Power(said, theirs, ours, of["cautious"]["rejects"], of[mine]["rejects"])


def _adjusted(one: dict[str, Any], base: dict[str, Any]) -> float:
    """Rejections with the critical value that makes the level 5 % without noise."""
    return float(1.0 - np.interp(max(base["critical"], 1e-9), one["quantiles"], SHARES))


def hardly_learning(plain: Kept, allowed: Kept, why: Sequence[str]) -> str:
    """The section: why intervals fail, what is allowed for, what it mends, costs and does not mend."""
    doubted = [cell for cell in in_doubt(plain) if cell.name in allowed]
    if not doubted:
        return ""
    fewest = min((_count(allowed, cell) for cell in outside() if cell.name in allowed), default=0)
    return "\n".join(
        [
            "## Learners that hardly learn\n",
            "The cautious t alone failed beyond chance in a few cells. In each of them one learner is hardly better "
            "than always answering the most frequent class. There are two reasons.\n",
            *why,
            "**The allowance.** `compare` sees the situation. The interval of an algorithm does not exclude that it "
            "avoids less than a tenth of the constant answer's errors. Then the splits of one sample are not trusted "
            "alone. The algorithm's training is given a standard deviation of at least a tenth of these errors. It is "
            "added in squares, for each such algorithm: `t = mean / √(s² (1/J + 2 n_test/n_train) + training_sd²)`. "
            "The note `near-majority` says so, and `--details` shows the test without it. An algorithm that *is* the "
            "constant answer does not depend on training and gets none. The measure must be accuracy or error rate. "
            "Scores alone do not tell the most frequent class: give predictions, estimators or a study.\n",
            f"{_all_cells(plain, allowed)} All cells of classes in which the cautious t missed more than 5 %, of two "
            "learners or of one, at 50 fits:\n",
            _table(
                ("learners", "population", "items", "samples", "allowed for", "cautious t: misses", "claims",
                 "default: misses", "claims", "one learner, cautious t: misses", "default"),
                [_doubted(allowed, cell) for cell in doubted],
            ),
            _by_price(allowed, doubted),
            "**Its price.** Cells of the grid in which the corrected t has a size-adjusted power of 0.5 to 0.9 on the "
            "same splits. *as it is*: with its own critical value. Numbers know no most frequent class: there "
            "nothing changes.\n",
            _table(
                ("learner", "noise", "population", "items", "corrected t: adjusted", "default: adjusted", "ratio",
                 "cautious t: as it is", "default: as it is"),
                [_priced(one) for one in powers(plain, allowed)],
            ),
            "The loss is largest where one of the two knows next to nothing and samples are large. With two classes in "
            "equal shares a difference below 0.1 is then never claimed.\n",
            "**Outside the grid.** The tenth was chosen on cells of this grid, by other samples than those counted "
            f"here. So other worlds were drawn after it, LDA against naive Bayes, {fewest:,} samples of each:\n",
            _table(
                ("world", "items", "allowed for", "true difference", "sd over samples", "cautious t: misses",
                 "default: misses"),
                [_outside(allowed, cell) for cell in outside() if cell.name in allowed],
            ),
            "Where a learner's loss varies more between samples than is allowed for, intervals are too short. Lucky "
            "samples do not even show that it hardly learns. No rule can know: the sample is one draw.\n",
        ]
    )  # fmt: skip


def _all_cells(plain: Kept, allowed: Kept) -> str:
    every = measured_cells(plain)
    one = _shares(plain, allowed, every, "misses", "one")
    short = [cell for cell, share in zip(every, one, strict=True) if exceeds(*share, MISSES)]
    named = "; ".join(
        f"{cell.a}, {cell.population}, {cell.n:,} items: {default(plain, allowed, cell, 'one')[0]['misses']:.1%}"
        for cell in short
    )
    said = f" ({named})" if named else ""
    return (
        "Its interval always holds that of the cautious t, so a cell that held still holds. Of one learner's loss it "
        f"covers less than 93 % beyond chance in {len(short) or 'none'} of {len(every)} cells{said}."
    )


def _noisy(cell: Cell) -> str:
    return f"{who(cell)} (one with noise {cell.noise:g})" if cell.noise else who(cell)


def _doubted(allowed: Kept, cell: Cell) -> Sequence[str]:
    found = allowed[cell.name]
    two, one = (found[whose][SHOWN] for whose in ("two", "one"))
    equal = cell.equal or cell.tuned
    listed = [
        _noisy(cell),
        cell.population,
        f"{cell.n:,}",
        f"{found['replicates']:,}",
        f"{found['allowed']:.0%}",
    ]
    for test in ("cautious", "allowed"):
        listed += [f"{two[test]['misses']:.1%}", f"{two[test]['rejects']:.1%}" if equal else "–"]
    return [*listed, *(f"{one[test]['misses']:.1%}" for test in ("cautious", "allowed"))]


def _by_price(allowed: Kept, doubted: Sequence[Cell]) -> str:
    """The worst of these cells at every price."""
    said, over = [], 0
    for price in ("10", "25", "50", "100"):
        found = [
            (allowed[cell.name]["two"][price]["allowed"]["misses"], _count(allowed, cell))
            for cell in doubted
            if price in allowed[cell.name]["two"]
        ]
        if found:
            over += sum(exceeds(*one, MISSES) for one in found)
            said.append(f"{price} fits {max(found)[0]:.1%}")
    return (
        f"The most misses of the default in these cells, by price: {', '.join(said)}. Beyond 7 % they are in "
        f"{over or 'none'}.\n"
    )


def _priced(one: Power) -> Sequence[str]:
    shares = [f"{one.theirs:.0%}", f"{one.ours:.0%}", f"{one.ratio:.2f}", f"{one.cautious:.0%}"]
    return [*one.said, *shares, f"{one.as_it_is:.0%}"]


def _outside(allowed: Kept, cell: Cell) -> Sequence[str]:
    found = allowed[cell.name]
    two = found["two"][SHOWN]
    return [
        cell.population, f"{cell.n:,}", f"{found['allowed']:.0%}", f"{two['allowed']['truth']:+.3f}",
        f"{two['allowed']['sd']:.3f}", *(f"{two[test]['misses']:.1%}" for test in ("cautious", "allowed")),
    ]  # fmt: skip


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    dashes = " | ".join("---" if place < 1 else "---:" for place in range(len(heads)))
    return "\n".join(
        [
            f"| {' | '.join(heads)} |",
            f"| {dashes} |",
            *(f"| {' | '.join(row)} |" for row in rows),
            "",
        ]
    )
