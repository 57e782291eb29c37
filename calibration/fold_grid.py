"""`python -m calibration.fold_grid`: tests of two algorithms beside one another, cell by cell.

Every procedure answers from the same samples, by its public method: how often its interval misses the
true difference of expected losses at the training size it speaks of, how often it calls the two
different, how wide it is. Of one learner alone too, as the study behind mlr3inferr did. Resumable;
the figures go to docs/folds.md with those of `calibration.held_folds`, which writes the page.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.core.results import TestOutcome
from assay.estimates.cross_validation import paired_cv_bayle
from assay.hypotheses.resampled_scores import (
    cautious_resampled_t,
    corrected_resampled_t,
    kfold_paired_t,
)
from assay.hypotheses.training_variance import conservative_z, nested_cv_difference
from assay.kernels.special import ndtri, stdtrit
from calibration.fold_worlds import CLASSES, NUMBERS, deal, draw, is_classes, losses
from calibration.held_folds import jsonl_of

RESULTS = Path(__file__).parent / "results" / "fold_grid.json"
TUNING = RESULTS.with_name("fold_tuning.json")
"""Written by `calibration.fold_tuning`: the noise that makes unlike learners equally good."""
SAMPLES = {
    "cheap": {50: 2000, 200: 2000, 2000: 2000},
    "middling": {50: 2000, 200: 2000, 2000: 2000},
    "dear": {50: 500, 200: 500, 2000: 500},
}
"""By what a learner costs: samples of a cell at each number of items."""
COSTS = {
    "ridge": "cheap", "LDA": "cheap", "naive Bayes": "cheap",
    "stump": "middling", "1-NN": "middling", "5-NN": "middling", "tree": "dear", "net": "dear",
}  # fmt: skip
NOISES = (0.7, 1.5, 3.0)
"""Spreads of the noise that spoils the second view, where power is counted."""
UNLIKE = (
    ("ridge", "1-NN"), ("stump", "5-NN"), ("LDA", "naive Bayes"), ("ridge", "tree"), ("ridge", "net"),
)  # fmt: skip
REPEATS, NESTED, HALVES = 10, 8, 5
AGAIN = 5
"""How many times the samples of a cell in doubt are drawn again."""
CHECKED = 2
"""Samples of a cell that go through the public methods too."""
TRUTH_SAMPLES = 400
TRUTH_ITEMS = 1000
"""Training samples, and new items for each, behind a true loss."""


class Cell(NamedTuple):
    """Two learners on one population: on two views, or unlike ones without noise both on the first."""

    population: str
    a: str
    b: str
    n: int
    noise: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.population}, {self.a} / {self.b}, {self.n}, {self.noise:g}"

    @property
    def replicates(self) -> int:
        return min(SAMPLES[COSTS[learner]][self.n] for learner in (self.a, self.b))

    @property
    def equal(self) -> bool:
        """Whether both learners are one, on views alike in distribution."""
        return self.a == self.b and self.noise == 0.0

    @property
    def tuned(self) -> bool:
        """Whether noise makes unlike learners equally good, trained on four fifths of the items."""
        return self.a != self.b and self.noise > 0.0

    @property
    def two_views(self) -> bool:
        return self.a == self.b or self.tuned


def cells() -> list[Cell]:
    """Equal learners, unlike ones, and those that noise sets apart; what costs least comes first."""
    found: list[Cell] = []
    common = ("ridge", "1-NN", "5-NN", "stump", "tree", "net")
    for n in SAMPLES["cheap"]:
        allowed = [
            (population, learner)
            for population in (*CLASSES, *NUMBERS)
            for learner in (*common, *(("LDA", "naive Bayes") if population in CLASSES else ()))
            if n in SAMPLES[COSTS[learner]]
        ]
        found += [Cell(population, learner, learner, n) for population, learner in allowed]
        found += [
            Cell(population, a, b, n)
            for population in (*CLASSES, *NUMBERS)
            for a, b in UNLIKE
            if {(population, a), (population, b)} <= set(allowed)
        ]
    found += [
        Cell(population, learner, learner, 200, noise)
        for population in ("gaussians", "rare class", "linear", "waves")
        for learner in ("ridge", "1-NN", "stump")
        for noise in NOISES
    ]
    found += tuned_cells()
    dearness = list(SAMPLES)
    return sorted(
        found, key=lambda cell: max(dearness.index(COSTS[one]) for one in (cell.a, cell.b))
    )


@lru_cache(maxsize=1)
def tuned_cells() -> tuple[Cell, ...]:
    """Unlike learners, the second, better one on a view that noise spoils just so much."""
    kept = json.loads(TUNING.read_text()) if TUNING.exists() else {}
    return tuple(
        Cell(one["population"], one["worse"], one["better"], one["n"], one["noise"])
        for one in kept.values()
        if one["noise"] is not None
    )


class Splits(NamedTuple):
    """All fits of one sample, (fits, n), and where those of each scheme lie."""

    train: FloatArray
    test: FloatArray
    fives: IntArray  # (repeats, n): the fold of every item
    tens: IntArray
    nested: IntArray  # (repeats, n, 5): the fit without the item's fold and without fold j
    own: BoolArray  # (repeats, n, 5): whether j is the item's fold


_PAIRS = [(one, other) for one in range(5) for other in range(one + 1, 5)]
_TENS = 5 * REPEATS
_HALVES = _TENS + 10 * (REPEATS // 2)
_NESTED = _HALVES + 10 * HALVES


@lru_cache(maxsize=32)
def splits_of(n: int, ones: int | None) -> Splits:
    """Splits of n items, of classes sorted with ``ones`` in the second: drawn once for all samples.

    Items are independent, so that splits drawn beforehand are as good as splits drawn anew.
    """
    rng = np.random.default_rng([n, ones or 0])
    classes = ones is not None
    target = (np.arange(n) >= n - (ones or 0)).astype(np.float64)
    fives = np.stack([deal(target, 5, rng, classes=classes) for _ in range(REPEATS)])
    tens = np.stack([deal(target, 10, rng, classes=classes) for _ in range(REPEATS // 2)])
    tests = [owner == fold for owner in fives for fold in range(5)]
    tests += [owner == fold for owner in tens for fold in range(10)]
    trains = [~test for test in tests]
    for _ in range(HALVES):
        half = deal(target, 2, rng, classes=classes)
        for side in (0, 1):
            mine = half == side
            inner = np.full(n, -1)
            inner[mine] = deal(target[mine], 5, rng, classes=classes)
            tests += [inner == fold for fold in range(5)]
            trains += [mine & (inner != fold) for fold in range(5)]
    for owner in fives[:NESTED]:
        for one, other in _PAIRS:
            tests.append((owner == one) | (owner == other))
            trains.append(~tests[-1])
    place = np.zeros((5, 5), dtype=np.int64)
    for at, (one, other) in enumerate(_PAIRS):
        place[one, other] = place[other, one] = at
    turn = np.arange(NESTED)[:, None, None]
    own = fives[:NESTED, :, None] == np.arange(5)
    inner_fit = _NESTED + len(_PAIRS) * turn + place[fives[:NESTED]]
    return Splits(
        train=np.array(trains, dtype=np.float64),
        test=np.array(tests, dtype=np.float64),
        fives=fives,
        tens=tens,
        nested=np.where(own, 5 * turn + fives[:NESTED, :, None], inner_fit),
        own=own,
    )


class Seen(NamedTuple):
    """The losses of one learner, or the differences of two, as every scheme sees them.

    Of one sample, or of many with one more dimension in front.
    """

    fives: FloatArray
    """Means by split, repeat after repeat."""
    tens: FloatArray
    items: FloatArray
    """Mean and standard error over the items of one run of ten folds."""
    halves: FloatArray
    """(pairs, 2): means over the splits within each half."""
    nested: FloatArray
    """Estimate and standard error of nested cross-validation with four and with all repeats."""

    @staticmethod
    def of(found: FloatArray, splits: Splits) -> "Seen":
        by_split = np.einsum("fi,fi->f", splits.test, found) / splits.test.sum(axis=1)
        item = np.arange(found.shape[1])
        once = found[_TENS + splits.tens[0], item]
        layers = found[splits.nested, item[:, None]]
        return Seen(
            fives=by_split[:_TENS],
            tens=by_split[_TENS:_HALVES],
            items=np.array([once.mean(), once.std() / np.sqrt(once.size)]),
            halves=by_split[_HALVES:_NESTED].reshape(HALVES, 2, 5).mean(axis=2),
            nested=np.array([_nested(layers[:t], splits.own[:t]) for t in (NESTED // 2, NESTED)]),
        )


def _nested(layers: FloatArray, own: BoolArray) -> tuple[float, float]:
    """Bates, Hastie and Tibshirani, algorithm 1, by sums; `nested_cv_difference` is compared."""
    n = layers.shape[1]
    sizes = own.sum(axis=1)
    outer, all_in = np.where(own, layers, 0.0).sum(axis=1), layers.sum(axis=1)
    squares = np.where(own, layers**2, 0.0).sum(axis=1)
    inner = (all_in - outer) / (n - sizes)
    noise = (squares / sizes - (outer / sizes) ** 2) / (sizes - 1.0)
    mse = float(((inner - outer / sizes) ** 2 - noise).mean())
    inside = layers[~own]
    nested, plain = float(inside.mean()), float(layers[own].mean())
    naive = float(inside.std(ddof=1)) / np.sqrt(n)
    error = min(max(np.sqrt(max(mse, 0.0) * 0.8), naive), np.sqrt(5.0) * naive)
    return nested - 1.6 * (nested - plain), float(error)


Bounds = tuple[FloatArray, FloatArray]
"""Of every sample the estimate and how far its interval reaches."""


class Procedure(NamedTuple):
    """A method with its design: how many fits it takes, and the share of the items trained on."""

    fits: int
    share: float
    bounds: Callable[[Seen], Bounds]
    public: Callable[[Seen], TestOutcome] | None = None
    """The same of one sample by the public method, where it can be had from these sums."""


def t_bounds(values: FloatArray, correction: float) -> Bounds:
    count = values.shape[1]
    error = values.std(axis=1, ddof=1) * np.sqrt(1.0 / count + correction)
    return values.mean(axis=1), stdtrit(count - 1, 0.975) * error


def _z(value: FloatArray, error: FloatArray) -> Bounds:
    return value, ndtri(0.975) * error


def _halves(seen: Seen) -> Bounds:
    variance = (np.diff(seen.halves, axis=2)[..., 0] ** 2).mean(axis=1) / 2.0
    return _z(seen.fives[:, :5].mean(axis=1), np.sqrt(variance))


PROCEDURES: dict[str, Procedure] = {
    "naive t, 10 x 5 folds": Procedure(
        50, 0.8, lambda d: t_bounds(d.fives, 0.0), lambda d: kfold_paired_t(d.fives)
    ),
    "Bayle's CLT, 10 folds": Procedure(10, 0.9, lambda d: _z(d.items[:, 0], d.items[:, 1])),
    "corrected t, 10 folds": Procedure(
        10,
        0.9,
        lambda d: t_bounds(d.tens[:, :10], 1.0 / 9.0),
        lambda d: corrected_resampled_t(d.tens[:10], folds=10),
    ),
    "corrected t, 5 x 10 folds": Procedure(
        50,
        0.9,
        lambda d: t_bounds(d.tens, 1.0 / 9.0),
        lambda d: corrected_resampled_t(d.tens, folds=10),
    ),
    "corrected t, 10 x 5 folds": Procedure(
        50,
        0.8,
        lambda d: t_bounds(d.fives, 0.25),
        lambda d: corrected_resampled_t(d.fives, folds=5),
    ),
    "conservative z, 5 pairs": Procedure(
        55, 0.8, _halves, lambda d: conservative_z(d.halves, mean=float(d.fives[:5].mean()))
    ),
    "nested CV, 4 x 5 folds": Procedure(
        60, 1.0, lambda d: _z(d.nested[:, 0, 0], d.nested[:, 0, 1])
    ),
    "nested CV, 8 x 5 folds": Procedure(
        120, 1.0, lambda d: _z(d.nested[:, 1, 0], d.nested[:, 1, 1])
    ),
    "cautious t, 5 x 5 folds": Procedure(
        25,
        0.8,
        lambda d: t_bounds(d.fives[:, :25], 0.5),
        lambda d: cautious_resampled_t(d.fives[:25], folds=5),
    ),
    "cautious t, 10 x 5 folds": Procedure(
        50, 0.8, lambda d: t_bounds(d.fives, 0.5), lambda d: cautious_resampled_t(d.fives, folds=5)
    ),
}
"""For one learner's losses as for differences of two: intervals of a mean, in the shape of Wald."""


def draws(
    cell: Cell, again: int = 1, samples: int | None = None
) -> Iterator[tuple[FloatArray, FloatArray, Splits]]:
    """Of every sample the losses of both learners on all items under all fits."""
    rng = np.random.default_rng([19 + again, *cell.name.encode()])
    classes = is_classes(cell.population)
    for _ in range(samples or again * cell.replicates):
        first, second, target = draw(cell.population, cell.n, cell.noise, rng)
        if classes:
            order = np.argsort(target, kind="stable")
            first, second, target = first[order], second[order], target[order]
        splits = splits_of(cell.n, int(target.sum()) if classes else None)
        other = second if cell.two_views else first
        a, b = (
            losses(learner, view, target, splits.train, splits.test, classes=classes)
            for learner, view in ((cell.a, first), (cell.b, other))
        )
        yield a, b, splits


@lru_cache(maxsize=4096)
def true_loss(population: str, learner: str, view: int, noise: float, trained: int) -> float:
    """The expected loss on new items of a learner trained on samples of one size."""
    rng = np.random.default_rng(trained)
    total = 0.0
    for _ in range(TRUTH_SAMPLES):
        *views, target = draw(population, trained + TRUTH_ITEMS, noise, rng)
        weights = (np.arange(target.size) < trained).astype(np.float64)[None]
        found = losses(
            learner, views[view], target, weights, 1.0 - weights, classes=is_classes(population)
        )
        total += float(found[0, trained:].mean())
    return total / TRUTH_SAMPLES


def truths(cell: Cell, share: float) -> tuple[float, float]:
    """The true difference, and the true loss of the first."""
    trained = round(share * cell.n)
    first = true_loss(cell.population, cell.a, 0, 0.0, trained)
    if cell.equal:
        return 0.0, first
    other = true_loss(cell.population, cell.b, int(cell.two_views), cell.noise, trained)
    return first - other, first


def measured(cell: Cell, again: int = 1, samples: int | None = None) -> dict[str, Any]:
    """Of each procedure: misses, rejections, samples without an answer, width, and |z| at zero."""
    two, one = [], []
    for place, (a, b, splits) in enumerate(draws(cell, again, samples)):
        two.append(Seen.of(a - b, splits))
        one.append(Seen.of(a, splits))
        if place < CHECKED:
            _check(a - b, splits)
    found: dict[str, Any] = {"replicates": len(two)}
    for title, seen in (("two", two), ("one", one)):
        many = Seen(*(np.stack(parts) for parts in zip(*seen, strict=True)))
        found[title] = {
            name: counted(*procedure.bounds(many), truths(cell, procedure.share)[title == "one"])
            for name, procedure in PROCEDURES.items()
        }
    return found


def _check(found: FloatArray, splits: Splits) -> None:
    """The batched forms are those of the public methods."""
    seen = Seen.of(found, splits)
    many = Seen(*(part[None] for part in seen))
    item = np.arange(found.shape[1])
    once, layers = found[_TENS + splits.tens[0], item], found[splits.nested, item[:, None]]
    folds = splits.fives[:NESTED]
    public = {name: one.public(seen) for name, one in PROCEDURES.items() if one.public}
    public["Bayle's CLT, 10 folds"] = paired_cv_bayle(once, np.zeros_like(once), splits.tens[0])
    public["nested CV, 8 x 5 folds"] = nested_cv_difference(layers, folds)
    public["nested CV, 4 x 5 folds"] = nested_cv_difference(layers[:4], folds[:4])
    for name, theirs in public.items():
        (value,), (reach,) = PROCEDURES[name].bounds(many)
        interval = theirs.effect.interval
        if interval and not np.allclose(
            [value - reach, value + reach], [interval.low, interval.high]
        ):
            raise AssertionError(f"{name}: {interval} in public, {value} ± {reach} in batches")


def counted(value: FloatArray, reach: FloatArray, truth: float) -> dict[str, Any]:
    """Shares of samples; where nothing varies there is no interval, hence no miss and no rejection.

    *stretch*: times by which intervals would have to be longer to miss 5 %; *low*, *high*: misses by side.
    """
    told = reach > 1e-12
    with np.errstate(divide="ignore", invalid="ignore"):
        away, off = (np.where(told, np.abs(value - at) / reach, 0.0) for at in (0.0, truth))
    return {
        "truth": round(truth, 6),
        "misses": float((told & (np.abs(value - truth) > reach)).mean()),
        "rejects": float((told & (np.abs(value) > reach)).mean()),
        "undefined": float((~told).mean()),
        "width": round(float(2.0 * reach[told].mean()), 6) if told.any() else None,
        "critical": round(float(np.quantile(away, 0.95)), 4),
        "quantiles": np.quantile(away, np.linspace(0.02, 0.98, 49)).round(3).tolist(),
        "stretch": round(float(np.quantile(off, 0.95)), 3),
        "bias": round(float(value.mean() - truth), 5),
        "sd": round(float(value.std(ddof=1)), 5),
        "low": float((told & (value + reach < truth)).mean()),
        "high": float((told & (value - reach > truth)).mean()),
    }


def _doubtful(one: dict[str, Any] | None, cell: Cell) -> bool:
    """Whether the default missed more often than it may, and the cell was measured once."""
    if one is None or one["replicates"] > cell.replicates:
        return False
    return bool(one["two"]["cautious t, 10 x 5 folds"]["misses"] > 0.05)


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.fold_grid", description=__doc__)
    parser.add_argument("--only", default="", help="cells whose names hold this")
    parser.add_argument("--minutes", type=float, default=np.inf, help="begin no cell after so many")
    parser.add_argument(
        "--samples", type=int, help="no more than these of a cell, for a first pass"
    )
    parser.add_argument(
        "--settle",
        action="store_true",
        help="doubtful cells again, fresh seeds, five times the samples",
    )
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    start = time.monotonic()
    for cell in cells():
        had = kept.get(cell.name)
        samples = min(chosen.samples or cell.replicates, cell.replicates)
        few = had is None or had["replicates"] < samples
        wanted = _doubtful(had, cell) if chosen.settle else few
        if chosen.only not in cell.name or not wanted:
            continue
        if time.monotonic() - start > 60.0 * chosen.minutes:
            break
        begun = time.process_time()
        kept[cell.name] = measured(cell, AGAIN) if chosen.settle else measured(cell, 1, samples)
        RESULTS.write_text(jsonl_of(kept), encoding="utf-8")
        said = {name: round(one["misses"], 3) for name, one in kept[cell.name]["two"].items()}
        print(f"{cell.name}: {time.process_time() - begun:.0f} s {said}", flush=True)


if __name__ == "__main__":
    main()
