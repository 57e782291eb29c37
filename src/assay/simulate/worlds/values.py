"""Worlds of numbers: losses of models on items, and scores of runs."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_count
from assay.core.errors import UsageError
from assay.core.vocabulary import Takes, Unit
from assay.kernels.special import log_ndtr, ndtr, ndtri_exp, stdtrit
from assay.simulate.worlds.base import (
    Arrays,
    Generator,
    World,
    WorldRequest,
    check_above,
    check_share,
)

Shape = Literal["normal", "uniform", "lognormal", "t3", "zero-inflated"]
RunShape = Literal["normal", "skewed", "bimodal"]
ZEROS = 0.7
"""The share of zeros of zero-inflated losses; the others are exponential."""
COLLAPSED, FALL = 0.2, 4.0
"""Bimodal runs: the share that collapses, and how many of its own spreads below the others."""
_NUMBER_SHAPES: tuple[Takes, ...] = (
    "pairs", "sample", "two-samples", "groups", "blocks", "runs", "many-runs", "criteria-pairs",
    "criteria-groups", "summary", "effect",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses(World):
    """Values of one shape with the given mean and spread; A is ``effect`` above the others.

    The values of several models on one item are joined by a normal copula with ``correlation``:
    every margin keeps its shape, and with no effect the models are exchangeable.
    """

    name: ClassVar[str] = "losses"
    summary: ClassVar[str] = "values by item: normal, uniform, lognormal, t3 or zero-inflated"
    shapes: ClassVar[tuple[Takes, ...]] = _NUMBER_SHAPES

    shape: Shape = "normal"
    mean: float = 0.0
    sd: float = 1.0
    correlation: float = 0.0
    k: int = 3

    def __post_init__(self) -> None:
        check_choice(self.shape, get_args(Shape), "shape")
        check_above(self.sd, "sd")
        check_share(self.correlation, "correlation")
        check_count(self.k, "k", at_least=2)

    def _truth(self, asked: WorldRequest) -> float | None:
        return _truth_of_numbers(self, asked.measure)

    def _null(self, asked: WorldRequest) -> float | None:
        return self.mean if asked.takes in ("sample", "blocks") else None

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:
        models = _models_of(takes, self.k)
        shared = takes in ("pairs", "blocks", "criteria-pairs")
        values = self._values(rng, (replicates, n, models), shared=shared)
        values[..., 0] += self.effect
        return _shaped(values, takes)

    def _values(self, rng: Generator, size: tuple[int, int, int], *, shared: bool) -> FloatArray:
        if self.correlation == 0.0 or not shared:
            return self.mean + self.sd * independent(self.shape, rng, size)
        common = rng.standard_normal((*size[:2], 1))
        own = rng.standard_normal(size)
        normal = np.sqrt(self.correlation) * common + np.sqrt(1.0 - self.correlation) * own
        return self.mean + self.sd * from_normal(self.shape, normal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs(World):
    """Scores of runs with new seeds; A is ``effect`` above the others."""

    name: ClassVar[str] = "runs"
    summary: ClassVar[str] = "scores of runs with new seeds: normal, skewed or bimodal"
    shapes: ClassVar[tuple[Takes, ...]] = (
        "two-samples", "runs", "many-runs", "groups", "sample", "pairs",
    )  # fmt: skip
    unit: ClassVar[Unit] = "seed"

    shape: RunShape = "normal"
    runs: int = 5
    mean: float = 0.0
    sd: float = 1.0
    k: int = 3

    def __post_init__(self) -> None:
        check_choice(self.shape, get_args(RunShape), "shape")
        check_above(self.sd, "sd")
        check_count(self.runs, "runs", at_least=2)
        check_count(self.k, "k", at_least=2)

    @property
    def size(self) -> int:
        return self.runs

    def _truth(self, asked: WorldRequest) -> float | None:
        return _truth_of_numbers(self, asked.measure)

    def _null(self, asked: WorldRequest) -> float | None:
        return self.mean if asked.takes in ("sample", "blocks") else None

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:
        size = (replicates, n, _models_of(takes, self.k))
        values = self.mean + self.sd * _run_scores(self.shape, rng, size)
        values[..., 0] += self.effect
        return _shaped(values, takes)


def independent(shape: Shape, rng: Generator, size: tuple[int, ...]) -> FloatArray:
    """Independent values of mean 0 and standard deviation 1."""
    if shape == "normal":
        return rng.standard_normal(size)
    if shape == "uniform":
        return np.asarray((rng.random(size) - 0.5) * np.sqrt(12.0))
    if shape == "lognormal":
        return _standard_lognormal(rng.standard_normal(size))
    if shape == "t3":
        return np.asarray(rng.standard_t(3, size) / np.sqrt(3.0))
    return _standard_inflated(rng.standard_exponential(size), rng.random(size) < ZEROS)


def from_normal(shape: Shape, normal: FloatArray) -> FloatArray:
    """Values of a shape (mean 0, standard deviation 1) at the quantiles of standard normal ones."""
    if shape == "normal":
        return normal
    if shape == "uniform":
        return np.asarray((ndtr(normal) - 0.5) * np.sqrt(12.0))
    if shape == "lognormal":
        return _standard_lognormal(normal)
    if shape == "t3":  # by the smaller tail, which keeps its digits
        return np.asarray(-np.sign(normal) * stdtrit(3, ndtr(-np.abs(normal))) / np.sqrt(3.0))
    cut = ndtri_exp(np.log(ZEROS))
    waiting = -(log_ndtr(-normal) - np.log1p(-ZEROS))  # exponential given that it is above the cut
    return _standard_inflated(waiting, normal <= cut)


def _standard_lognormal(normal: FloatArray) -> FloatArray:
    """The exponential of a standard normal, less its mean, over its standard deviation."""
    e = np.e
    return np.asarray((np.exp(normal) - np.sqrt(e)) / np.sqrt(e * (e - 1.0)))


def _standard_inflated(waiting: FloatArray, zero: np.ndarray) -> FloatArray:
    """Zeros and exponentials: mean 1 - zeros, variance 2 (1 - zeros) - (1 - zeros)²."""
    some = 1.0 - ZEROS
    return np.asarray((np.where(zero, 0.0, waiting) - some) / np.sqrt(2.0 * some - some**2))


def _run_scores(shape: RunShape, rng: Generator, size: tuple[int, ...]) -> FloatArray:
    """Run scores of mean 0 and standard deviation 1; skewed ones have their tail below."""
    if shape == "normal":
        return rng.standard_normal(size)
    if shape == "skewed":
        return -_standard_lognormal(rng.standard_normal(size))
    collapsed = rng.random(size) < COLLAPSED
    spread = np.sqrt(1.0 + FALL**2 * COLLAPSED * (1.0 - COLLAPSED))
    centred = rng.standard_normal(size) - FALL * (collapsed - COLLAPSED)
    return np.asarray(centred / spread)


_MODELS: dict[str, int] = {
    "sample": 1, "summary": 1, "effect": 2, "pairs": 2, "two-samples": 2, "runs": 2, "criteria-pairs": 4,
}  # fmt: skip


def _models_of(takes: Takes, k: int) -> int:
    return _MODELS.get(takes, 2 * k if takes == "criteria-groups" else k)


def _shaped(values: FloatArray, takes: Takes) -> Arrays:
    """Values (replicates, n, models) under the names of the arguments of a shape."""
    first = values[..., 0]
    if takes == "sample":
        return {"values": first}
    if takes in ("summary", "effect") and values.shape[1] < 2:
        raise UsageError("a spread needs at least 2 values: n")
    if takes == "effect":
        gaps = first - values[..., 1]
        error = gaps.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
        return {"value": gaps.mean(axis=1), "standard_error": error}
    if takes == "summary":
        count = np.full(len(values), values.shape[1])
        return {"mean": first.mean(axis=1), "sd": first.std(axis=1, ddof=1), "n": count}
    if takes in ("pairs", "two-samples", "runs"):
        return {"a": first, "b": values[..., 1]}
    if takes == "blocks":
        return {"blocks": values}
    by_model = np.moveaxis(values, 2, 1)  # (replicates, models, n)
    if takes == "groups":
        return {"groups": by_model}
    if takes == "many-runs":
        return {"runs": by_model}
    if takes == "criteria-pairs":  # two criteria of A, two of B
        return {"a": values[..., :2], "b": values[..., 2:]}
    replicates, models, n = by_model.shape
    return {"groups": np.moveaxis(by_model.reshape(replicates, models // 2, 2, n), 2, 3)}


def _truth_of_numbers(world: Losses | Runs, measure: str) -> float | None:
    if measure in ("mean", "mean_loss"):
        return world.mean + world.effect
    if measure in ("mean_difference", "difference", "pseudo_median", "median_difference", "shift"):
        return world.effect  # A is B moved: every location of the difference moves with it
    if measure == "interquartile_mean" and world.shape in ("normal", "uniform", "t3"):
        return world.mean + world.effect  # symmetric, so trimming keeps the centre
    if measure == "d_z" and world.shape == "normal":
        rho = world.correlation if isinstance(world, Losses) else 0.0
        return world.effect / (world.sd * float(np.sqrt(2.0 * (1.0 - rho))))
    if measure == "cohens_d" and world.shape == "normal":
        return world.effect / world.sd
    if world.effect == 0.0:
        return _AT_REST.get(measure)
    if measure in ("a12", "probability_of_improvement", "cliffs_delta") and world.shape == "normal":
        above = float(ndtr(world.effect / (world.sd * np.sqrt(2.0))))
        return 2.0 * above - 1.0 if measure == "cliffs_delta" else above
    return None


_AT_REST: dict[str, float] = {
    "a12": 0.5, "probability_of_improvement": 0.5, "cliffs_delta": 0.0, "akinshin_gamma": 0.0,
    "rank_biserial": 0.0, "sign_balance": 0.0, "mean_rank": 0.0, "cohens_d": 0.0, "d_z": 0.0,
    "eta_squared": 0.0, "omega_squared": 0.0, "epsilon_squared": 0.0,
    "mahalanobis_squared": 0.0, "multivariate_eta_squared": 0.0, "kendall_w": 0.0,
    "rank_epsilon_squared": 0.0,
}  # fmt: skip
"""What a measure is where all models are alike."""
