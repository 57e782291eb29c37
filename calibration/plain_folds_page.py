"""The sections of docs/folds.md on folds dealt by chance: the default by price, what fails, what was tried."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from calibration.fold_cells_page import FEWEST, dearest, samples_said
from calibration.fold_grid import Cell, cells
from calibration.fold_grid_page import LIMIT, exceeds, who
from calibration.fold_sizes import INVERSE as LINE
from calibration.fold_sizes import ITEMS, NAMES, SUBSAMPLED, TWO_SIZES
from calibration.fold_sizes import POWER as POWER_LAW
from calibration.plain_folds import DEAREST, FOLDS, PRICES

Kept = dict[str, Any]
METHODS = {"cautious": "cautious_resampled_t", "corrected": "corrected_resampled_t"}
SHOWN = "50"
"""The price at which most is told."""
WORST = Cell("ring", "LDA", "naive Bayes", 2000)
RARE = Cell("rare class", "ridge", "ridge", 200, 1.5)
POWER = Cell("gaussians", "ridge", "ridge", 200, 1.5)
RARE_FEW = Cell("rare class", "naive Bayes", "naive Bayes", 50)
CORRECTED = "corrected t, 10 x 5 folds (50)"
CAUTIOUS = "cautious t, 10 x 5 folds (50)"


def prices(kept: Kept) -> list[dict[str, Any]]:
    """The default at every price: the test with the fewest cells beyond the limit, then the lowest worst.

    Size-adjusted, both tests of the same splits have the same power, so that power does not choose.
    """
    found = []
    for price in (*PRICES, DEAREST):
        ranked = []
        for test, method in METHODS.items():
            levels = levels_at(kept, str(price), test)
            shares = [share for share, _ in levels]
            over = sum(exceeds(*one) for one in levels)
            worst, samples = max(levels)
            figures = {
                "mean": round(float(np.mean(shares)), 4), "worst": round(worst, 4),
                "cells": len(levels), "samples": samples,
            }  # fmt: skip
            ranked.append((over, worst, {"method": method, **figures}))
        best = min(ranked, key=lambda one: one[:2])[2]
        found.append({"fits": price, "folds": FOLDS, "repeats": price // FOLDS, **best})
    return found


def levels_at(kept: Kept, price: str, test: str, who: str = "two") -> list[tuple[float, int]]:
    """False differences of equal learners, or misses of one learner's loss, and of how many samples.

    Of cells with enough samples: of few only a large error shows.
    """
    return [
        (kept[cell.name][who][price][test]["misses"], kept[cell.name]["replicates"])
        for cell in cells()
        if cell.name in kept
        and price in kept[cell.name][who]
        and kept[cell.name]["replicates"] >= FEWEST
        and (cell.equal if who == "two" else True)
    ]


def by_price(kept: Kept) -> str:
    rows = []
    for one in prices(kept):
        price = str(one["fits"])
        columns = []
        for test in ("corrected", "cautious"):
            levels = levels_at(kept, price, test)
            over = sum(exceeds(*level) for level in levels)
            shares = [share for share, _ in levels]
            columns.append(f"{np.mean(shares):.1%} | {max(shares):.1%} | {over or '–'}")
        name = "cautious t" if one["method"] == METHODS["cautious"] else "corrected t"
        power = _powers(kept, price)
        rows.append(
            f"| {price} | {name}, {one['repeats']} x {FOLDS} folds | {one['cells']} | {' | '.join(columns)} | "
            f"{power} |"
        )
    return "\n".join(
        [
            "## The default at every price\n",
            'Fits of each algorithm, folds dealt by chance; `resampling = "valid"` with `fits` plans them and '
            "`compare` decides by the test named here. *mean*, *worst*: false differences between equal learners at a "
            "nominal 5 %; "
            f"*above*: cells beyond {LIMIT:.0%} (one-sided 99.9 % Monte-Carlo bound). *power*: of the cautious t, "
            "the mean over the "
            "cells in which noise sets two learners apart. **Rule**: of the tests measured at a price, the one "
            "with the fewest cells of equal learners above the limit. Ties go to the lowest worst cell, then to "
            f"the most power. {samples_said(kept)} {dearest(kept)}.\n",
            "| fits | default | cells | corrected t: mean | worst | above | cautious t: mean | worst | above | "
            "power |",
            "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
            "Beyond 50 fits little is gained: repeats remove the noise of the splits, not that of the sample. Both "
            "columns are without the allowance for learners that hardly learn, which only lowers them. "
            f"{_alone(kept)}\n",
        ]
    )


def _powers(kept: Kept, price: str) -> str:
    found = [
        kept[cell.name]["two"][price]["cautious"]["rejects"]
        for cell in cells()
        if cell.noise and cell.a == cell.b and price in kept.get(cell.name, {"two": ()})["two"]
    ]
    return f"{np.mean(found):.0%}" if found else "–"


def _alone(kept: Kept) -> str:
    """One learner's loss: what the same two tests cover."""
    said = []
    for test in ("corrected", "cautious"):
        levels = levels_at(kept, SHOWN, test, "one")
        over = sum(exceeds(*one) for one in levels)
        said.append(
            f"The {test} t misses it in {np.mean([share for share, _ in levels]):.1%} of the samples on average, "
            "beyond "
            f"{LIMIT:.0%} in {over} of {len(levels)} cells"
        )
    return (
        "**One algorithm against a level** is answered the same way (`cautious_t_one`). The target is the loss "
        f"of the first learner at 50 fits. {'. '.join(said)}. One learner is harder than two, because what a "
        "sample's splits "
        "share does not cancel."
    )


def by_chance(kept: Kept, stratified: Kept) -> str:
    """The same cells with stratified folds and with folds dealt by chance."""
    rows = []
    for cell in cells():
        if cell.name not in kept or cell.name not in stratified:
            continue
        with_classes = stratified[cell.name]["two"]["cautious t, 10 x 5 folds"]["misses"]
        by_luck = kept[cell.name]["two"][SHOWN]["cautious"]["misses"]
        if max(with_classes, by_luck) >= 0.05:
            noisy = f" (one with noise {cell.noise:g})" if cell.noise else ""
            rows.append(
                f"| {who(cell)}{noisy} | {cell.population} | {cell.n:,} | {with_classes:.1%} of "
                f"{stratified[cell.name]['replicates']:,} | {by_luck:.1%} of {kept[cell.name]['replicates']:,} |"
            )
    equal = _equal(kept, stratified)
    luck = [kept[cell.name]["two"][SHOWN]["cautious"]["misses"] for cell in equal]
    shares = [stratified[cell.name]["two"]["cautious t, 10 x 5 folds"]["misses"] for cell in equal]
    better = sum(ours < theirs for ours, theirs in zip(luck, shares, strict=True))
    worse = sum(ours > theirs for ours, theirs in zip(luck, shares, strict=True))
    return "\n".join(
        [
            "## Deal items to folds by chance\n",
            "Everybody stratifies: each fold gets the classes in equal shares. It makes folds alike, and that is "
            "the fault. "
            "The number of items of a class is itself random. Another sample has other shares, and a learner "
            "that depends on them finds another rule. All stratified splits of a sample have the same shares, so "
            "none of them shows "
            "it. Dealt by "
            "chance, test items are independent of those trained on. Each split is then unbiased for the "
            f"training size used, and shares vary between splits. Over the {len(equal)} cells of equal learners "
            f"measured both ways (cautious t, 50 fits), the worst level falls from {max(shares):.1%} to "
            f"{max(luck):.1%}. The means are {np.mean(shares):.1%} and {np.mean(luck):.1%}; it is lower in "
            f"{better} cells and higher in {worse}. All cells in which either "
            "missed the true "
            "difference in 5 % or more:\n",
            "| learners | population | items | stratified | by chance |",
            "| --- | --- | ---: | ---: | ---: |",
            *rows,
            "",
            'So `resampling = "valid"` and `assay.compare(estimators, X, y)` deal by chance. Two limits: with groups, '
            "and where folds would often lack a rare class, they stratify (10 items or fewer for five folds). If "
            "a fold has no item of some class, the items are dealt again, because areas and F scores are "
            "undefined there. `stratify = true` brings the old folds back.\n",
        ]
    )


def _equal(kept: Kept, stratified: Kept) -> list[Cell]:
    """Cells of equal learners with enough samples of both kinds of folds."""
    return [
        cell
        for cell in cells()
        if cell.equal
        and min(one.get(cell.name, {"replicates": 0})["replicates"] for one in (kept, stratified))
        >= FEWEST
    ]


def _by_luck(tried: Kept, cell: Cell) -> dict[str, Any]:
    found: dict[str, Any] = tried[cell.name]["by chance"]["candidates"]
    return found


def causes(tried: Kept) -> list[str]:
    """Why splits of one sample do not show how a learner varies that hardly learns."""
    if not {WORST.name, RARE.name, POWER.name} <= tried.keys():
        return []
    return [_never_settles(tried), _few_items(tried)]


def _never_settles(tried: Kept) -> str:
    worst = _by_luck(tried, WORST)
    ring = worst[CAUTIOUS]
    least = min(worst, key=lambda name: worst[name]["misses"])
    stratified = tried[WORST.name]["stratified"]["candidates"][CAUTIOUS]["misses"]
    return (
        "**A learner that does not settle.** On a ring (one class around the other) no line helps. The answers "
        "of LDA depend on a ratio of two numbers that both shrink as the sample grows. So its rule, and its "
        f"loss, vary between samples at any n. At {WORST.n:,} items the estimate of LDA − naive Bayes has a "
        f"standard deviation of {ring['sd']:.3f} over samples and a bias of only {ring['bias']:+.3f}. The cautious "
        f"interval reaches ± {ring['width'] / 2.0:.3f}, where ± {1.96 * ring['sd']:.3f} would be needed. It misses in "
        f"{ring['misses']:.0%} of the samples (stratified: {stratified:.0%}). The reason is arithmetic. Two "
        "training sets of four fifths of a sample share at least three fifths of it. So no split shows how two "
        "*separate* training sets differ. Only disjoint halves do, at half the size, and cutting the sample "
        f"again gives no new items. The best of all ways to estimate the variance ({_said(least)}) misses in "
        f"{worst[least]['misses']:.1%}. Its size-adjusted power is {_adjusted(tried, least):.0%} where the corrected "
        f"t's is {_adjusted(tried, CORRECTED):.0%} (ridge, gaussians, 200 items).\n"
    )


def _few_items(tried: Kept) -> str:
    one = _by_luck(tried, RARE)[CAUTIOUS]
    return (
        f"**Differences on few items.** Take ridge with a rare class ({RARE.n} items, about 20 of the rare "
        "class, 4 in a fold), once with noise. Both answer the common class nearly always. A fold's "
        "difference is then 0, 1 "
        "or 2 items of 40. The estimate and its reach shrink together: "
        f"{one['high']:.1%} of the intervals lie too near zero, {one['low']:.1%} too far (true difference "
        f"{one['truth']:+.3f}, bias {one['bias']:+.4f}). It is the fault of Wald's interval near 0.\n"
    )


def _said(name: str) -> str:
    return name.replace(" (", ", ").replace(")", " fits")


def _adjusted(tried: Kept, name: str) -> float:
    """The size-adjusted power of a candidate."""
    base = _by_luck(tried, POWER._replace(noise=0.0))
    return _beyond(_by_luck(tried, POWER)[name], max(base[name]["critical"], 1e-9))


def _beyond(one: dict[str, Any], stretch: float) -> float:
    """The share of samples whose |estimate| is beyond so many times the reach."""
    return float(1.0 - np.interp(stretch, one["quantiles"], np.linspace(0.02, 0.98, 49)))


def _open_candidates(tried: Kept) -> str:
    """Candidates whose level no cell excludes and whose power is enough, cautious t apart."""
    enough = 0.8 * _adjusted(tried, CORRECTED)
    equal = [cell for cell in tried_cells(tried) if cell.equal or cell.tuned]
    found = []
    for name in _by_luck(tried, POWER):
        levels = [
            (_by_luck(tried, cell)[name]["misses"], tried[cell.name]["by chance"]["replicates"])
            for cell in equal
        ]
        if not any(exceeds(*one) for one in levels) and _adjusted(tried, name) >= enough:
            share = _adjusted(tried, name) / _adjusted(tried, CORRECTED)
            found.append(
                f"{_said(name)} (worst level {max(levels)[0]:.1%}, {share:.2f} of the power)"
            )
    if not found:
        return (
            "**No way to estimate the variance within one sample has both** the level and the power. The level is that "
            f"of equally good learners, in every cell; the power 0.8 of the corrected t's. {_excluded(tried)} None "
            "of enough power covers 93 % in every cell. So what one sample does not show is allowed for (section "
            "*Learners that hardly learn*).\n"
        )
    return (
        f"Still open: {' and '.join(found)}. Its level is above 6 % beyond chance in none of these {len(equal)} "
        "cells, and its power is enough in the one cell counted. It covers too little as well. It was not measured in "
        "the whole grid.\n"
    )


def _excluded(tried: Kept) -> str:
    """The candidate of enough power that comes nearest to the level, and the cell that excludes it."""
    enough = 0.8 * _adjusted(tried, CORRECTED)
    names = [name for name in _by_luck(tried, POWER) if _adjusted(tried, name) >= enough]
    equal = [cell for cell in tried_cells(tried) if cell.equal or cell.tuned]

    def worst(name: str) -> tuple[float, Cell]:
        return max((_by_luck(tried, cell)[name]["rejects"], cell) for cell in equal)

    nearest = min(names, key=lambda name: worst(name)[0])
    share, cell = worst(nearest)
    count = tried[cell.name]["by chance"]["replicates"]
    return (
        f"The nearest is the {_said(nearest)}. It claims a difference in {share:.1%} of {count:,} samples of one cell "
        f"({who(cell)}, {cell.population}, {cell.n:,} items, equally good)."
    )


def attempts(tried: Kept) -> str:
    """Every candidate in the cells that fail, with its power in one that does not."""
    if POWER.name not in tried:
        return ""
    fails = [cell for cell in (WORST, WORST._replace(n=200), RARE) if cell.name in tried]
    fails += [cell for cell in cells() if cell.tuned and cell.name in tried]
    names = list(tried[POWER.name]["by chance"]["candidates"])
    equal = [
        cell
        for cell in cells()
        if cell.equal and cell.name in tried and "by chance" in tried[cell.name]
    ]
    rows = []
    for name in names:
        level = max(tried[cell.name]["by chance"]["candidates"][name]["misses"] for cell in equal)
        missed = [
            " / ".join(
                f"{tried[cell.name][how]['candidates'][name]['misses']:.1%}"
                for how in ("by chance", "stratified")
            )
            for cell in fails
        ]
        one = tried[POWER.name]["by chance"]["candidates"][name]
        rows.append(
            f"| {name} | {' | '.join(missed)} | {level:.1%} | {one['rejects']:.0%} | {_adjusted(tried, name):.0%} |"
        )
    heads = " | ".join(
        f"{cell.population}, {cell.n:,}: {'claims if equally good' if cell.tuned else 'misses'}"
        for cell in fails
    )
    counts = [tried[cell.name]["by chance"]["replicates"] for cell in tried_cells(tried)]
    return "\n".join(
        [
            "## What else was tried\n",
            f"`calibration/fold_candidates.py` and `calibration/fold_sizes.py` counted {len(tried)} cells of "
            f"{min(counts):,} to {max(counts):,} samples each; fits are in brackets. *misses*: folds by chance / "
            "stratified, LDA against naive Bayes on a ring, and ridge with a rare class. *worst level*: the worst of "
            f"{len(equal)} cells of equal learners, folds by chance. *power*: ridge, gaussians, 200 items, noise "
            "1.5, as it is and size-adjusted. "
            "The target is the expected difference at the training size used.\n",
            f"| variance | {heads} | worst level | power | adjusted |",
            f"| --- | {' | '.join(['---:'] * len(fails))} | ---: | ---: | ---: |",
            *rows,
            "",
            _open_candidates(tried),
            _several_sizes(tried),
        ]
    )


def _several_sizes(tried: Kept) -> str:
    """What subsamples, an extrapolated curve and the items of folds are good for."""
    counted = [set(_by_luck(tried, cell)) for cell in tried_cells(tried)]
    if RARE_FEW.name not in tried or not all(set(NAMES) <= names for names in counted):
        return ""

    def worst(name: str) -> str:
        levels = [
            _by_luck(tried, cell)[name]["misses"]
            for cell in tried_cells(tried)
            if cell.equal or cell.tuned
        ]
        return f"{max(levels):.1%}"

    missed = max(_by_luck(tried, cell)[TWO_SIZES]["misses"] for cell in tried_cells(tried))

    def power(name: str) -> str:
        return f"{_adjusted(tried, name) / _adjusted(tried, CORRECTED):.2f}"

    silent = _by_luck(tried, RARE_FEW)[SUBSAMPLED]["undefined"]
    return (
        "**Several sizes.** Subsamples of three sizes with an estimated rate are `subsampling_t`. In the worst of "
        f"these cells they call {worst(SUBSAMPLED)} of equally good learners different. They have "
        f"{power(SUBSAMPLED)} of the corrected t's size-adjusted power, at twice the price of the default. "
        f"Of two sizes they take 45 fits, claim {worst(TWO_SIZES)} at most and have {power(TWO_SIZES)} of the power. "
        f"Their interval misses in {missed:.1%} at most, of all {len(counted)} cells. So they are a check where a "
        "learner may not settle. With few items of a class they may have no answer "
        f"({silent:.0%} of the samples of naive Bayes, rare class, {RARE_FEW.n} items). A learning curve "
        f"extrapolated from disjoint parts is `extrapolated_t`. As a line it claims up to {worst(LINE)} with "
        f"{power(LINE)} of the power, as a power law up to {worst(POWER_LAW)} with {power(POWER_LAW)}. It needs no "
        "fit at full size, and is for learners whose fits there cost too much. A confidence set of two models is "
        "`cv_confidence_set`, here at 97.5 %. It answers the first question. Taken for the second it errs in up to "
        f"{worst(ITEMS)}.\n"
    )


def tried_cells(tried: Kept) -> Sequence[Cell]:
    return [cell for cell in cells() if cell.name in tried]
