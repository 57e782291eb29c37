"""Worlds with structure above the item: clusters of items, data sets, families of tests."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_count
from assay.core.errors import UsageError
from assay.core.vocabulary import Takes, Unit
from assay.kernels.special import ndtr
from assay.simulate.worlds.base import (
    Arrays,
    Generator,
    World,
    WorldRequest,
    check_above,
    check_share,
)

Sizes = Literal["equal-5", "unbalanced-1-50"]
Noise = Literal["normal", "skewed", "heteroscedastic", "rounded-2-decimals"]
Null = Literal["full", "partial"]
CENTRE, SPREAD = 0.8, 0.1
"""The score of a middling model on a middling data set, and how much data sets differ."""
FOLDS = 10
"""Folds in which each data set is scored, where scores come by fold."""
FAR = 5.0
"""Under the partial null, how many spreads of the noise the first model is ahead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters(World):
    """Values of items in clusters, total variance 1, of which ``icc`` is between clusters.

    A has ``effect`` more than B, and each model has effects of clusters of its own. n counts
    clusters. Sizes are all 5, or from 1 to 50 in a geometric series.
    """

    name: ClassVar[str] = "clusters"
    summary: ClassVar[str] = "values of items in clusters of equal or unequal size"
    shapes: ClassVar[tuple[Takes, ...]] = ("clustered-pairs", "clustered-sample")

    clusters: int = 10
    sizes: Sizes = "equal-5"
    icc: float = 0.1

    def __post_init__(self) -> None:
        check_count(self.clusters, "clusters", at_least=2)
        check_choice(self.sizes, get_args(Sizes), "sizes")
        check_share(self.icc, "icc")

    @property
    def size(self) -> int:
        return self.clusters

    def _truth(self, asked: WorldRequest) -> float | None:
        return self.effect if asked.measure in ("mean", "mean_difference") else None

    def _null(self, asked: WorldRequest) -> float | None:  # noqa: ARG002
        return 0.0

    def members(self, clusters: int) -> np.ndarray:
        """The size of each cluster."""
        if self.sizes == "equal-5":
            return np.full(clusters, 5)
        return np.round(np.geomspace(1.0, 50.0, clusters)).astype(int)

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:
        owner = np.repeat(np.arange(n), self.members(n))
        cluster = np.broadcast_to(owner, (replicates, owner.size))
        a = self._values(rng, replicates, n, owner) + self.effect
        if takes == "clustered-sample":
            return {"values": a, "clusters": cluster}
        return {"a": a, "b": self._values(rng, replicates, n, owner), "clusters": cluster}

    def _values(self, rng: Generator, replicates: int, n: int, owner: np.ndarray) -> FloatArray:
        between = rng.standard_normal((replicates, n))[:, owner]
        within = rng.standard_normal((replicates, owner.size))
        return np.asarray(np.sqrt(self.icc) * between + np.sqrt(1.0 - self.icc) * within)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSets(World):
    """Scores of k models on data sets: an effect of the data set, and noise of spread ``sd``.

    The first model is ``effect`` ahead; under the partial null it is far ahead besides, and only
    the others are alike.
    """

    name: ClassVar[str] = "datasets"
    summary: ClassVar[str] = "scores of k models on data sets with effects of their own"
    shapes: ClassVar[tuple[Takes, ...]] = (
        "blocks", "pairs", "ranks", "groups", "fold-score-pairs",
    )  # fmt: skip
    unit: ClassVar[Unit] = "dataset"

    k: int = 2
    noise: Noise = "normal"
    null_kind: Null = "full"
    sd: float = 0.02

    def __post_init__(self) -> None:
        check_count(self.k, "k", at_least=2)
        check_choice(self.noise, get_args(Noise), "noise")
        check_choice(self.null_kind, get_args(Null), "null_kind")
        check_above(self.sd, "sd")
        if self.null_kind == "partial" and self.k < 3:
            raise UsageError(
                f"a partial null needs models that are alike: k of 3 or more, got {self.k}"
            )

    @property
    def lead(self) -> float:
        """How far the first model is ahead of the others."""
        return self.effect + (FAR * self.sd if self.null_kind == "partial" else 0.0)

    @property
    def null_holds(self) -> bool:
        return self.lead == 0.0

    def alike(self) -> tuple[int, ...]:
        """The places of the models among which every rejection is a false alarm."""
        return tuple(place for place in range(self.k) if self.is_alike(place))

    def _truth(self, asked: WorldRequest) -> float | None:
        located = ("mean_difference", "pseudo_median", "median_difference", "difference")
        if asked.measure in located and asked.takes == "pairs":
            return self.lead
        at_rest = ("rank_biserial", "sign_balance", "kendall_w", "mean_rank", *located)
        return 0.0 if asked.measure in at_rest and self.lead == 0.0 else None

    def _null(self, asked: WorldRequest) -> float | None:
        return CENTRE if asked.takes == "blocks" else None

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:
        k = 2 if takes in ("pairs", "fold-score-pairs") else self.k
        blocks = CENTRE + SPREAD * rng.standard_normal((replicates, n, 1))
        scores = blocks + self.sd * self._noise(rng, (replicates, n, k))
        scores[..., 0] += self.lead
        if self.noise == "rounded-2-decimals":
            scores = np.round(scores, 2)
        if takes == "blocks":
            return {"blocks": scores}
        if takes == "pairs":
            return {"a": scores[..., 0], "b": scores[..., 1]}
        if takes == "fold-score-pairs":
            by_fold = scores[..., None] + self.sd * rng.standard_normal((*scores.shape, FOLDS))
            return {"a": by_fold[:, :, 0], "b": by_fold[:, :, 1]}
        if takes == "groups":
            return {"groups": np.moveaxis(scores, 2, 1)}
        from scipy.stats import rankdata

        ranks = rankdata(-scores, axis=2).mean(axis=1)
        return {"mean_ranks": ranks, "n": np.full(replicates, n)}

    def _noise(self, rng: Generator, size: tuple[int, int, int]) -> FloatArray:
        if self.noise == "skewed":
            return 1.0 - rng.standard_exponential(size)
        normal = rng.standard_normal(size)
        if self.noise == "heteroscedastic":  # some data sets tell models apart, others are coarse
            return np.asarray(normal * np.exp(rng.standard_normal((*size[:2], 1)) - 1.0))
        return normal


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests(World):
    """p-values of n tests (z, two-sided), of which a share ``nulls`` has no effect.

    The others have ``effect`` standard errors; ``correlation`` is that of any two statistics.
    """

    name: ClassVar[str] = "tests"
    summary: ClassVar[str] = "p-values of a family of tests"
    shapes: ClassVar[tuple[Takes, ...]] = ("p-values",)

    nulls: float = 1.0
    correlation: float = 0.0

    def __post_init__(self) -> None:
        check_share(self.nulls, "nulls")
        check_share(self.correlation, "correlation")

    @property
    def null_holds(self) -> bool:
        return self.effect == 0.0 or self.nulls == 1.0

    def true_nulls(self, n: int) -> np.ndarray:
        """Which of ``n`` tests have no effect: the first ones."""
        count = n if self.effect == 0.0 else round(n * self.nulls)
        return np.arange(n) < count

    def _truth(self, asked: WorldRequest) -> float | None:  # noqa: ARG002
        return None

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:  # noqa: ARG002
        rho = self.correlation
        common = rng.standard_normal((replicates, 1))
        z = np.sqrt(rho) * common + np.sqrt(1.0 - rho) * rng.standard_normal((replicates, n))
        z += np.where(self.true_nulls(n), 0.0, self.effect)
        return {"p_values": 2.0 * ndtr(-np.abs(z))}
