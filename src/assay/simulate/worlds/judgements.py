"""Worlds of judgements: which of two models is preferred, how raters rate items, and a judge beside people."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_count
from assay.core.errors import UsageError
from assay.core.vocabulary import Takes
from assay.kernels.special import expit, logit
from assay.simulate.worlds.base import Arrays, Generator, World, WorldRequest, check_share


@dataclass(frozen=True, slots=True, kw_only=True)
class Duels(World):
    """Comparisons of two models drawn at random; A's log strength is ``effect`` above the others'.

    A share ``ties`` ends in a tie whoever meets; ``position`` is the advantage of being first, in
    log odds.
    """

    name: ClassVar[str] = "preferences"
    summary: ClassVar[str] = (
        "comparisons of two models at a time, with ties and an effect of position"
    )
    shapes: ClassVar[tuple[Takes, ...]] = ("preferences",)

    k: int = 3
    ties: float = 0.0
    position: float = 0.0

    def __post_init__(self) -> None:
        check_count(self.k, "k", at_least=2)
        check_share(self.ties, "ties")

    def _truth(self, asked: WorldRequest) -> float | None:
        if asked.measure != "log_strength":
            return None
        if self.effect == 0.0:
            return 0.0
        if self.k > 2 or self.position:
            return None  # differences differ from pair to pair
        chance = (1.0 - self.ties) * expit(self.effect) + self.ties / 2.0
        return float(logit(chance))

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:  # noqa: ARG002
        first = rng.integers(0, self.k, size=(replicates, n))
        second = (first + rng.integers(1, self.k, size=(replicates, n))) % self.k
        ahead = self.effect * ((first == 0).astype(float) - (second == 0)) + self.position
        won = np.where(rng.random((replicates, n)) < expit(ahead), 0, 1)
        outcome = np.where(rng.random((replicates, n)) < self.ties, 2, won)
        cells = (outcome * self.k + first) * self.k + second
        tables = [np.bincount(row, minlength=3 * self.k**2) for row in cells]
        return {"counts": np.array(tables).reshape(replicates, 3, self.k, self.k)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Raters(World):
    """Ratings that show the category of their item, or else chance; alpha is ``agreement`` + effect.

    A share ``commonest`` of the items is of the first category, the others are equally frequent.
    """

    name: ClassVar[str] = "ratings"
    summary: ClassVar[str] = "several raters on the same items, some ratings perhaps missing"
    shapes: ClassVar[tuple[Takes, ...]] = ("ratings",)

    agreement: float = 0.6
    raters: int = 3
    categories: int = 3
    commonest: float = 0.5
    missing: float = 0.0

    def __post_init__(self) -> None:
        check_share(self.agreement + self.effect, "agreement, the effect included,")
        check_count(self.raters, "raters", at_least=2)
        check_count(self.categories, "categories", at_least=2)
        check_share(self.commonest, "commonest", open_ends=True)
        check_share(self.missing, "missing")
        if self.missing == 1.0:
            raise UsageError("missing is a share below 1: somebody has to rate")

    def _truth(self, asked: WorldRequest) -> float | None:
        # both of two ratings show the category in a share of agreement, else they are by chance
        return (
            self.agreement + self.effect
            if asked.measure in ("alpha", "kappa", "fleiss_kappa")
            else None
        )

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:  # noqa: ARG002
        others = (1.0 - self.commonest) / (self.categories - 1)
        shares = [self.commonest, *[others] * (self.categories - 1)]
        size = (replicates, n, self.raters)
        items = rng.choice(self.categories, size=(replicates, n, 1), p=shares)
        chance = rng.choice(self.categories, size=size, p=shares)
        shown = rng.random(size) < np.sqrt(self.agreement + self.effect)
        ratings: FloatArray = np.where(shown, items, chance) + 1.0
        ratings[rng.random(size) < self.missing] = np.nan
        return {"ratings": ratings}


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded(World):
    """A judge's 0 and 1 on every item, people's on a share of them; people say 1 at ``rate`` + effect.

    The judge says 1 where people do with chance ``sensitivity``, and 0 where they do not with ``specificity``.
    ``length_bias`` makes 1 likelier by so much for the long half of all answers, less likely for the others.
    ``drift`` makes it likelier for answers without a label: the judge changed after people labelled, and no
    correction can know it.
    """

    name: ClassVar[str] = "judged"
    summary: ClassVar[str] = "a judge's grades of all items, people's of a share of them"
    shapes: ClassVar[tuple[Takes, ...]] = ("judged",)

    rate: float = 0.6
    labelled: float = 0.2
    sensitivity: float = 0.9
    specificity: float = 0.8
    length_bias: float = 0.0
    drift: float = 0.0

    def __post_init__(self) -> None:
        check_share(self.rate + self.effect, "rate, the effect included,", open_ends=True)
        check_share(self.labelled, "labelled", open_ends=True)
        check_share(self.sensitivity, "sensitivity")
        check_share(self.specificity, "specificity")
        check_share(abs(self.length_bias), "length_bias")
        check_share(abs(self.drift), "drift")

    def _truth(self, asked: WorldRequest) -> float | None:
        return self.rate + self.effect if asked.measure in ("accuracy", "mean", "rate") else None

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:  # noqa: ARG002
        size = (replicates, n)
        people: FloatArray = (rng.random(size) < self.rate + self.effect).astype(np.float64)
        chance = np.where(people == 1.0, self.sensitivity, 1.0 - self.specificity)
        few = max(2, min(n, round(self.labelled * n)))
        if self.length_bias:
            chance += np.where(rng.random(size) < 0.5, self.length_bias, -self.length_bias)
        chance[:, few:] += self.drift
        judge = (rng.random(size) < chance).astype(np.float64)
        people[:, few:] = np.nan  # items come in no order
        return {"people": people, "judge": judge}
