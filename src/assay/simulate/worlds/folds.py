"""The world of cross-validation: two real learners on one population, trained on splits of samples."""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import check_choice
from assay.core.errors import UsageError
from assay.core.rng import stream
from assay.core.vocabulary import Takes, Unit
from assay.simulate.worlds.base import Arrays, Generator, World, WorldRequest
from assay.simulate.worlds.cross_validation import right_when_left_out
from assay.simulate.worlds.learners import (
    LEARNERS,
    POPULATIONS,
    VIEW,
    LearnerName,
    Population,
    draw_items,
    predict,
)

BOOTSTRAPS = 50
"""Bootstrap samples in evidence of out-of-bag losses."""
NUMBERS = 2_000_000
"""Items trained on at a time, over splits and samples."""
TRUTH_ITEMS = 1000
"""New items on which each of the models behind a true accuracy is tried."""


def truth_samples(n_train: int) -> int:
    """How many training samples give a true accuracy: models of many items differ less."""
    return max(200, min(1000, 200_000 // n_train))


class DrawnSplits(NamedTuple):
    """Splits of n items: weights to train with and masks to test on, both (splits, n)."""

    train: FloatArray
    test: np.ndarray


class FoldDesign(NamedTuple):
    """``repeats`` of ``folds``-fold cross-validation, or random splits that test one part of three."""

    kind: Literal["folds", "subsamples"]
    repeats: int
    folds: int

    @property
    def splits(self) -> int:
        return self.repeats * (self.folds if self.kind == "folds" else 1)

    @property
    def test_share(self) -> float:
        return 1.0 / self.folds

    def draw(self, n: int, rng: Generator) -> DrawnSplits:
        size = round(n * self.test_share)
        tests = []
        for _ in range(self.repeats):
            order = rng.permutation(n)
            if self.kind == "folds":
                tests.append(order % self.folds == np.arange(self.folds)[:, None])
            else:
                tests.append((order < size)[None, :])
        test = np.concatenate(tests)
        return DrawnSplits((~test).astype(np.float64), test)

    @property
    def tested(self) -> int:
        """Folds of a repeat that are tested: of a random split only the first part."""
        return self.folds if self.kind == "folds" else 1

    def draw_owners(self, samples: int, n: int, rng: Generator) -> IntArray:
        """The fold of every item, (samples, repeats, n); in a random split 0 is tested, 1 trained on."""
        places = np.broadcast_to(np.arange(n), (samples, self.repeats, n))
        order = rng.permuted(places, axis=2)
        if self.kind == "folds":
            return np.asarray(order % self.folds)
        return (order >= round(n * self.test_share)).astype(np.int64)


def read_design(text: str) -> FoldDesign:
    """A design: "10-fold", "10x10-fold", "5x2" and "15-subsamples-2-1", and the like with other numbers."""
    for pattern, kind in _DESIGNS:
        found = re.fullmatch(pattern, text)
        if found:
            repeats = int(found["repeats"]) if found["repeats"] else 1
            folds = int(found["folds"]) if "folds" in found.groupdict() else 3
            if repeats >= 1 and folds >= 2:
                return FoldDesign(kind, repeats, folds)
    raise UsageError(f"design is like 10-fold, 10x10-fold, 5x2 or 15-subsamples-2-1; got {text!r}")


_DESIGNS: tuple[tuple[str, Literal["folds", "subsamples"]], ...] = (
    (r"(?:(?P<repeats>\d+)x)?(?P<folds>\d+)-fold", "folds"),
    (r"(?P<repeats>\d+)x(?P<folds>\d+)", "folds"),
    (r"(?P<repeats>\d+)-subsamples-2-1", "subsamples"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folds(World):
    """Accuracies by split of two exchangeable learners trained on the same samples of n items.

    A sees one view of each item and B another that is alike, except that ``effect`` is the spread
    of noise added to what B sees. Trees see both views and differ by their seeds.
    """

    name: ClassVar[str] = "folds"
    summary: ClassVar[str] = "two real learners, cross-validated on samples of a known population"
    shapes: ClassVar[tuple[Takes, ...]] = (
        "pairs", "replicated-pairs", "sample", "fold-losses", "paired-fold-losses",
        "nested-losses", "out-of-bag-losses", "bootstrap-losses", "bootstrap-losses-rate",
    )  # fmt: skip
    unit: ClassVar[Unit] = "fold"

    learners: LearnerName = "centroid"
    population: Population = "two-gaussians"
    design: str = "10-fold"

    def __post_init__(self) -> None:
        check_choice(self.learners, LEARNERS, "learners")
        check_choice(self.population, POPULATIONS, "population")
        read_design(self.design)
        if self.effect < 0.0:
            raise UsageError(
                f"effect is the spread of noise added to B, not below 0: {self.effect!r}"
            )

    def _truth(self, asked: WorldRequest) -> float | None:
        """From many training samples of the size the design trains on; zero without effect."""
        if (
            asked.measure in ("mean_difference", "difference", "pseudo_median")
            and self.effect == 0.0
        ):
            return 0.0
        if asked.n is None:
            return None
        whole = asked.takes in (
            "out-of-bag-losses", "bootstrap-losses", "bootstrap-losses-rate", "nested-losses",
        )  # fmt: skip
        trained = asked.n if whole else round(asked.n * (1.0 - read_design(self.design).test_share))
        a, b = expected_accuracies(self, trained)
        if asked.measure in ("mean_difference", "difference"):
            return b - a if asked.takes == "paired-fold-losses" else a - b
        if asked.measure in ("error_rate", "mean_loss"):
            return 1.0 - a
        return a if asked.measure in ("mean", "accuracy") else None

    def _null(self, asked: WorldRequest) -> float | None:
        return (
            self.truth(asked.measure or "mean", asked.takes, asked.n)
            if asked.takes == "sample"
            else None
        )

    def options(
        self, accepted: Container[str], takes: Takes, measure: str = "", n: int | None = None
    ) -> dict[str, Any]:
        found = World.options(self, accepted, takes, measure, n)
        design = read_design(self.design)
        if takes in ("pairs", "sample") and "folds" in accepted and design.kind == "folds":
            found["folds"] = design.folds
        if takes in ("pairs", "sample") and "test_share" in accepted and design.kind != "folds":
            found["test_share"] = design.test_share
        return found

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:
        design = read_design(self.design)
        if n < 2 * design.folds:
            raise UsageError(f"{self.design} needs at least {2 * design.folds} items; got n = {n}")
        if takes == "replicated-pairs" and (design.kind, design.folds) != ("folds", 2):
            raise UsageError(f"methods of 5x2 need the design 5x2; got {self.design}")
        if takes in ("pairs", "sample", "replicated-pairs"):
            return _scored(self, replicates, n, design, rng, takes)
        draw = _DRAWS[takes]
        drawn = [draw(self, n, design, rng) for _ in range(replicates)]
        return {name: np.stack([one[name] for one in drawn]) for name in drawn[0]}

    def seen(self, features: FloatArray, rng: Generator) -> tuple[FloatArray, FloatArray]:
        """What A and what B see of the items."""
        if self.learners == "tree-random-features":
            a, b = features, features
        else:
            a, b = features[..., :VIEW], features[..., VIEW:]
        if self.effect > 0.0:
            b = b + self.effect * rng.standard_normal(b.shape)
        return a, b

    def wrong(self, view: FloatArray, truth: IntArray, train: FloatArray, rng: Generator) -> Any:
        """Whether each item is wrong under the learner trained on each row of weights."""
        return predict(self.learners, view, truth, train, view, rng) != truth


def expected_accuracies(world: Folds, n_train: int) -> tuple[float, float]:
    """The accuracies of A and of B trained on ``n_train`` items, over samples and new items."""
    return _expected(world.learners, world.population, world.effect, n_train)


@lru_cache(maxsize=64)
def _expected(
    learner: LearnerName, population: Population, effect: float, n_train: int
) -> tuple[float, float]:
    world = Folds(learners=learner, population=population, effect=effect)
    rng, samples = stream(20_240_229, n_train), truth_samples(n_train)
    right = np.zeros(2)
    everything = np.ones((1, n_train))
    for _ in range(samples):
        features, truth = draw_items(population, n_train + TRUTH_ITEMS, rng)
        views = world.seen(features, rng)
        for place, view in enumerate(views if effect else views[:1]):  # alike without effect
            known, new = view[:n_train], view[n_train:]
            said = predict(learner, known, truth[:n_train], everything, new, rng)
            right[place] += (said[0] == truth[n_train:]).mean() / samples
    return float(right[0]), float(right[1] if effect else right[0])


def accuracies(
    world: Folds, samples: int, n: int, designs: Sequence[FoldDesign], rng: Generator
) -> list[tuple[FloatArray, FloatArray]]:
    """For each design the accuracies (samples, splits) of A and of B, on the same samples."""
    found: list[list[tuple[FloatArray, FloatArray]]] = [[] for _ in designs]
    size = max(1, NUMBERS // (n * max(design.splits for design in designs)))
    for start in range(0, samples, size):
        some = min(size, samples - start)
        features, truth = draw_items(world.population, some * n, rng)
        truth = truth.reshape(some, n)
        views = world.seen(features.reshape(some, n, -1), rng)
        for design, mine in zip(designs, found, strict=True):
            owner = design.draw_owners(some, n, rng)
            a, b = (
                by_split(
                    right_when_left_out(world.learners, view, truth, owner, design.tested, rng),
                    owner,
                    design.tested,
                )
                for view in views
            )
            mine.append((a, b))
    return [
        (np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts]))
        for parts in found
    ]


def by_split(right: Any, owner: IntArray, tested: int) -> FloatArray:
    """The share of right answers in every part that was tested (samples, splits)."""
    samples, repeats, _ = owner.shape
    folds = int(owner.max()) + 1
    split = (np.arange(samples * repeats).reshape(samples, repeats, 1) * folds + owner).ravel()
    size = samples * repeats * folds
    hits = np.bincount(split, weights=right.ravel(), minlength=size)
    shares = hits / np.maximum(np.bincount(split, minlength=size), 1)
    return np.asarray(shares.reshape(samples, repeats, folds)[..., :tested].reshape(samples, -1))


def _scored(
    world: Folds, replicates: int, n: int, design: FoldDesign, rng: Generator, takes: Takes
) -> Arrays:
    ((a, b),) = accuracies(world, replicates, n, [design], rng)
    if takes == "sample":
        return {"values": a}
    if takes == "replicated-pairs":
        return {"differences": (a - b).reshape(replicates, design.repeats, 2)}
    return {"a": a, "b": b}


def _fold_losses(world: Folds, n: int, design: FoldDesign, rng: Generator) -> Arrays:
    both = _paired_losses(world, n, design, rng)
    return {"losses": both["a"], "folds": both["folds"]}


def _paired_losses(world: Folds, n: int, design: FoldDesign, rng: Generator) -> Arrays:
    """Of one run of cross-validation: the loss of each item, and its fold."""
    features, truth = draw_items(world.population, n, rng)
    train, test = FoldDesign("folds", 1, design.folds).draw(n, rng)
    fold = test.argmax(axis=0)
    a, b = (
        world.wrong(view, truth, train, rng)[fold, np.arange(n)].astype(np.float64)
        for view in world.seen(features, rng)
    )
    return {"a": a, "b": b, "folds": fold}


def _nested(world: Folds, n: int, design: FoldDesign, rng: Generator) -> Arrays:
    """Column j: trained without the item's own fold and without fold j."""
    features, truth = draw_items(world.population, n, rng)
    _, test = FoldDesign("folds", 1, design.folds).draw(n, rng)
    fold, count = test.argmax(axis=0), design.folds
    first, second = np.triu_indices(count)
    train = (~(test[first] | test[second])).astype(np.float64)
    wrong = world.wrong(world.seen(features, rng)[0], truth, train, rng)
    place = np.zeros((count, count), dtype=int)
    place[first, second] = place[second, first] = np.arange(first.size)
    losses = wrong[place[fold], np.arange(n)[:, None]].astype(np.float64)
    return {"losses": losses, "folds": fold}


def _bootstrap(world: Folds, n: int, design: FoldDesign, rng: Generator) -> Arrays:  # noqa: ARG001
    """Losses of the model of all items on them, and of bootstrap models on the items left out."""
    features, truth = draw_items(world.population, n, rng)
    drawn = rng.multinomial(n, np.full(n, 1.0 / n), size=BOOTSTRAPS).astype(np.float64)
    view = world.seen(features, rng)[0]
    wrong = world.wrong(view, truth, np.vstack([np.ones(n), drawn]), rng).astype(np.float64)
    return {"fitted": wrong[0], "out_of_bag": np.where(drawn > 0.0, np.nan, wrong[1:])}


def _out_of_bag(world: Folds, n: int, design: FoldDesign, rng: Generator) -> Arrays:
    return {"losses": _bootstrap(world, n, design, rng)["out_of_bag"]}


def _bootstrap_rate(world: Folds, n: int, design: FoldDesign, rng: Generator) -> Arrays:
    """The no-information rate of two equal classes is one half whatever is said."""
    return {**_bootstrap(world, n, design, rng), "no_information": np.array(0.5)}


_DRAWS: dict[str, Any] = {
    "fold-losses": _fold_losses,
    "paired-fold-losses": _paired_losses,
    "nested-losses": _nested,
    "out-of-bag-losses": _out_of_bag,
    "bootstrap-losses": _bootstrap,
    "bootstrap-losses-rate": _bootstrap_rate,
}
