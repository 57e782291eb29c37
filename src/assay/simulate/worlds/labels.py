"""Worlds of labels: right and wrong, and predicted classes at given prevalence, recall and precision."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.core.checks import check_count
from assay.core.errors import UsageError
from assay.core.vocabulary import Takes
from assay.simulate.worlds.base import (
    MOST_ITEMS,
    MOST_OUTCOMES,
    NEGLIGIBLE,
    Arrays,
    Generator,
    World,
    WorldRequest,
    binomial_probabilities,
    check_share,
)

BOTH_WRONG = 0.2
"""Of the items on which two models agree, the share that both get wrong unless said otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportion(World):
    """Errors of one model: each item is wrong with probability ``p + effect``; the null says ``p``."""

    name: ClassVar[str] = "proportion"
    summary: ClassVar[str] = "errors of one model at the rate p (Bernoulli)"
    shapes: ClassVar[tuple[Takes, ...]] = ("counts", "sample")

    p: float = 0.25

    def __post_init__(self) -> None:
        check_share(self.p, "p")
        check_share(self.p + self.effect, "p + effect")

    @property
    def rate(self) -> float:
        return self.p + self.effect

    def _truth(self, asked: WorldRequest) -> float | None:
        values = {"accuracy": 1.0 - self.rate}
        return values.get(asked.measure, self.rate if asked.measure in _RATES else None)

    def _null(self, asked: WorldRequest) -> float | None:  # noqa: ARG002
        return self.p

    def outcomes(self, n: int, takes: Takes) -> tuple[Arrays, FloatArray] | None:
        if takes != "counts" or n > MOST_ITEMS:
            return None
        probability = binomial_probabilities(n, self.rate)
        errors = np.flatnonzero(probability >= NEGLIGIBLE)
        if errors.size > MOST_OUTCOMES:
            return None
        return {"errors": errors, "n": np.full(errors.size, n)}, probability[errors]

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:
        if takes == "sample":
            return {"values": (rng.random((replicates, n)) < self.rate).astype(np.float64)}
        return {"errors": rng.binomial(n, self.rate, replicates), "n": np.full(replicates, n)}


_RATES = ("error_rate", "mean", "mean_loss")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedLabels(World):
    """Right and wrong of two models on the same items; ``effect`` is accuracy A less accuracy B.

    ``discordant`` is the share of items that exactly one gets right, ``both_wrong`` the share that
    neither does (a fifth of the others unless said otherwise).
    """

    name: ClassVar[str] = "paired-labels"
    summary: ClassVar[str] = "right and wrong of two models on the same items"
    shapes: ClassVar[tuple[Takes, ...]] = (
        "paired-table", "predictions", "pairs", "successes", "margins",
    )  # fmt: skip

    discordant: float = 0.2
    both_wrong: float | None = None

    def __post_init__(self) -> None:
        check_share(self.discordant, "discordant")
        if abs(self.effect) > self.discordant:
            raise UsageError(
                f"accuracies cannot differ by {self.effect:g} where only {self.discordant:g} of the "
                "items are discordant"
            )
        if self.both_wrong is not None and not 0.0 <= self.both_wrong <= 1.0 - self.discordant:
            raise UsageError(
                f"both_wrong is between 0 and {1 - self.discordant:g}, the share of agreement; "
                f"got {self.both_wrong!r}"
            )

    @property
    def cells(self) -> FloatArray:
        """The probabilities of both right, only A, only B, both wrong."""
        agree = 1.0 - self.discordant
        wrong = BOTH_WRONG * agree if self.both_wrong is None else self.both_wrong
        only_a, only_b = (self.discordant + self.effect) / 2, (self.discordant - self.effect) / 2
        return np.array([agree - wrong, only_a, only_b, wrong])

    def _truth(self, asked: WorldRequest) -> float | None:
        if asked.takes == "model-predictions":  # of one model: the better one
            return (
                float(self.cells[0] + self.cells[1:3].max())
                if asked.measure == "accuracy"
                else None
            )
        if asked.measure == "mean_difference" and asked.takes == "pairs":
            return self.effect
        if asked.measure in ("pseudo_median", "sign_balance", "rank_biserial", "kendall_w"):
            return 0.0 if self.null_holds else None
        values = {"accuracy": self.effect, "error_rate": -self.effect}
        return values.get(asked.measure)

    def outcomes(self, n: int, takes: Takes) -> tuple[Arrays, FloatArray] | None:
        """Tables by their discordant counts; how agreement splits does not matter to most methods."""
        if takes != "paired-table" or n > MOST_OUTCOMES:
            return None
        discordant = binomial_probabilities(n, self.discordant)
        share = self.cells[1] / self.discordant if self.discordant else 0.5
        found = []
        for count in np.flatnonzero(discordant >= NEGLIGIBLE).tolist():
            chance = discordant[count] * binomial_probabilities(count, share)
            kept = np.flatnonzero(chance >= NEGLIGIBLE)
            rest = np.full(kept.size, n - count)
            cells = np.stack([rest, kept, count - kept, np.zeros_like(kept)], axis=1)
            found.append((cells, chance[kept]))
            if sum(len(one) for one, _ in found) > MOST_OUTCOMES:
                return None
        tables, chances = zip(*found, strict=True)
        return {"cells": np.concatenate(tables)}, np.concatenate(chances)

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:
        if takes in ("pairs", "successes"):
            return self._in_order(replicates, n, rng, takes)
        cells = rng.multinomial(n, self.cells, size=replicates)
        if takes == "paired-table":
            return {"cells": cells}
        if takes == "margins":
            wrong_a, wrong_b = cells[:, 2] + cells[:, 3], cells[:, 1] + cells[:, 3]
            return {"errors_a": wrong_a, "errors_b": wrong_b, "n": np.full(replicates, n)}
        return self._labels(rng, cells)

    def _in_order(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:
        """Right (1) and wrong (0), item by item as they come."""
        cell = np.searchsorted(self.cells.cumsum()[:3], rng.random((replicates, n)), side="right")
        a, b = (cell <= 1).astype(np.float64), ((cell == 0) | (cell == 2)).astype(np.float64)
        return {"a": a, "b": b} if takes == "pairs" else {"successes": np.stack([a, b], axis=2)}

    def _labels(self, rng: Generator, cells: NDArray[Any]) -> Arrays:
        """Each cell split evenly over two classes of truth."""
        ones = rng.binomial(cells, 0.5)
        truth = np.repeat([0, 1], 4)
        a = np.where(np.tile([True, True, False, False], 2), truth, 1 - truth)
        b = np.where(np.tile([True, False, True, False], 2), truth, 1 - truth)
        count = np.concatenate([cells - ones, ones], axis=1)
        return rows_with_counts({"truth": truth, "a": a, "b": b}, count)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndependentLabels(World):
    """Errors of two models on different items: A at ``p + effect``, B at ``p``.

    ``sizes`` are the items of A and of B; another n keeps their ratio.
    """

    name: ClassVar[str] = "independent-labels"
    summary: ClassVar[str] = "errors of two models on different items"
    shapes: ClassVar[tuple[Takes, ...]] = (
        "two-counts", "two-samples", "contingency-table", "two-predictions",
    )  # fmt: skip

    p: float = 0.2
    sizes: tuple[int, int] = (100, 100)

    def __post_init__(self) -> None:
        check_share(self.p, "p")
        check_share(self.p + self.effect, "p + effect")
        if not isinstance(self.sizes, tuple | list) or len(self.sizes) != 2:
            raise UsageError(
                f"sizes are the items of A and of B, such as 50,500; got {self.sizes!r}"
            )
        for size in self.sizes:
            check_count(size, "sizes", at_least=1)
        object.__setattr__(self, "sizes", tuple(int(size) for size in self.sizes))

    @property
    def size(self) -> int:
        return int(self.sizes[0])

    def _truth(self, asked: WorldRequest) -> float | None:
        a, b = self.p + self.effect, self.p
        if asked.measure in ("error_rate", "mean_difference"):
            return self.effect
        if asked.measure == "accuracy":
            return -self.effect
        if asked.measure == "cohens_h":
            return float(2.0 * (np.arcsin(np.sqrt(a)) - np.arcsin(np.sqrt(b))))
        if asked.measure == "odds_ratio" and 0.0 < a < 1.0 and 0.0 < b < 1.0:
            return a / (1.0 - a) / (b / (1.0 - b))
        if asked.measure in ("shift", "cliffs_delta", "cramers_v"):
            return 0.0 if self.null_holds else None
        return 0.5 + (a - b) / 2.0 if asked.measure == "a12" else None

    def outcomes(self, n: int, takes: Takes) -> tuple[Arrays, FloatArray] | None:
        n_a, n_b = self._counts(n)
        if takes != "two-counts" or max(n_a, n_b) > MOST_ITEMS:
            return None
        a, b = (
            binomial_probabilities(n_a, self.p + self.effect),
            binomial_probabilities(n_b, self.p),
        )
        some_a, some_b = (np.flatnonzero(one >= NEGLIGIBLE) for one in (a, b))
        if some_a.size * some_b.size > 10 * MOST_OUTCOMES:
            return None
        joint = a[some_a, None] * b[None, some_b]
        row, column = np.nonzero(joint >= NEGLIGIBLE)
        if row.size > MOST_OUTCOMES:
            return None
        all_a, all_b = np.full(row.size, n_a), np.full(row.size, n_b)
        wrong_a, wrong_b = some_a[row], some_b[column]
        arrays = {"errors_a": wrong_a, "n_a": all_a, "errors_b": wrong_b, "n_b": all_b}
        return arrays, joint[row, column]

    def _counts(self, n: int) -> tuple[int, int]:
        """The items of A and of B."""
        return n, max(1, round(n * self.sizes[1] / self.sizes[0]))

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:
        n_a, n_b = self._counts(n)
        if takes == "two-samples":
            return {
                "a": (rng.random((replicates, n_a)) < self.p + self.effect).astype(np.float64),
                "b": (rng.random((replicates, n_b)) < self.p).astype(np.float64),
            }
        wrong_a = rng.binomial(n_a, self.p + self.effect, replicates)
        wrong_b = rng.binomial(n_b, self.p, replicates)
        if takes == "two-counts":
            all_a, all_b = np.full(replicates, n_a), np.full(replicates, n_b)
            return {"errors_a": wrong_a, "n_a": all_a, "errors_b": wrong_b, "n_b": all_b}
        table = np.stack([wrong_a, n_a - wrong_a, wrong_b, n_b - wrong_b], axis=1)
        if takes == "contingency-table":
            return {"table": table.reshape(replicates, 2, 2)}
        return {**self._labels(rng, table[:, :2], "_a"), **self._labels(rng, table[:, 2:], "_b")}

    @staticmethod
    def _labels(rng: Generator, wrong_right: NDArray[Any], end: str) -> Arrays:
        """Wrong and right answers split evenly over two classes of truth."""
        ones = rng.binomial(wrong_right, 0.5)
        truth, model = np.array([0, 0, 1, 1]), np.array([1, 0, 0, 1])
        count = np.concatenate([wrong_right - ones, ones], axis=1)
        found = rows_with_counts({"truth": truth, "model": model}, count)
        return {f"{name}{end}": array for name, array in found.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelMeasures(World):
    """Predicted classes at a given prevalence, recall and precision of the rarest class.

    Two models are alike, and given the truth B repeats A's answer with probability ``agreement``;
    ``effect`` is added to the recall of A. With more classes the others share the rest evenly; each
    has the given recall among items not called rarest, and its errors fall evenly on the others.
    """

    name: ClassVar[str] = "label-measures"
    summary: ClassVar[str] = "predicted classes at given prevalence, recall and precision"
    shapes: ClassVar[tuple[Takes, ...]] = (
        "model-predictions", "predictions", "two-predictions", "confusion", "counts",
    )  # fmt: skip

    prevalence: float = 0.1
    recall: float = 0.6
    precision: float = 0.6
    classes: int = 2
    agreement: float = 0.5

    def __post_init__(self) -> None:
        for what in ("prevalence", "recall", "precision"):
            check_share(getattr(self, what), what, open_ends=True)
        check_share(self.recall + self.effect, "recall + effect")
        check_share(self.agreement, "agreement")
        check_count(self.classes, "classes", at_least=2)
        if self._false_alarms > 1.0:
            raise UsageError(
                f"recall {self.recall:g} and precision {self.precision:g} at prevalence "
                f"{self.prevalence:g} would need more false positives than there are negatives"
            )

    @property
    def _false_alarms(self) -> float:
        """The probability that an item of another class is called the rarest."""
        found = self.prevalence * self.recall
        return found * (1.0 - self.precision) / self.precision / (1.0 - self.prevalence)

    @property
    def shares(self) -> FloatArray:
        """The probabilities of the classes; the last is the rarest, and positive of two."""
        others = self.classes - 1
        return np.append(np.full(others, (1.0 - self.prevalence) / others), self.prevalence)

    def answers(self, *, better: bool = False) -> FloatArray:
        """P(answer | class), rows classes; of A, whose recall has the effect, or of B."""
        others = self.classes - 1
        recall = self.recall + (self.effect if better else 0.0)
        given = np.zeros((self.classes, self.classes))
        given[-1] = np.append(np.full(others, (1.0 - recall) / others), recall)
        right = self.recall if others > 1 else 1.0
        wrong = (1.0 - right) / (others - 1) if others > 1 else 0.0
        among = np.full((others, others), wrong)
        np.fill_diagonal(among, right)
        given[:-1, :-1] = (1.0 - self._false_alarms) * among
        given[:-1, -1] = self._false_alarms
        return given

    def _truth(self, asked: WorldRequest) -> float | None:
        """The measure of the expected confusion matrix, and of two models the difference."""
        a, b = (self._measured(asked.measure, better=better) for better in (True, False))
        if a is None or b is None or asked.takes not in ("predictions", "two-predictions"):
            return a
        return a - b

    def _null(self, asked: WorldRequest) -> float | None:
        if asked.takes == "counts":
            return self._measured("error_rate", better=False)
        return self._measured(asked.measure or "accuracy", better=False)

    def _measured(self, measure: str, *, better: bool) -> float | None:
        """The measure of the expected confusion matrix; None where it needs more than that."""
        from assay.measures.registry import find_measure

        found = find_measure(measure)
        if found.reduction != "tally":
            return None
        bound = found.bind(tuple(map(str, range(self.classes))), "1")
        value = float(bound.function(self.shares[:, None] * self.answers(better=better)))
        return None if np.isnan(value) else value

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:
        shares, a, b = self.shares, self.answers(better=True), self.answers()
        if takes == "predictions":
            return self._pairs(replicates, n, rng)
        count_a = rng.multinomial(n, (shares[:, None] * a).ravel(), size=replicates)
        if takes == "confusion":
            return {"table": count_a.reshape(replicates, self.classes, self.classes)}
        truth, said = (place.ravel() for place in np.indices(a.shape))
        if takes == "counts":
            wrong = count_a[:, truth != said].sum(axis=1)
            return {"errors": wrong, "n": np.full(replicates, n)}
        one = rows_with_counts({"truth": truth, "model": said}, count_a)
        if takes == "model-predictions":
            return one
        count_b = rng.multinomial(n, (shares[:, None] * b).ravel(), size=replicates)
        other = rows_with_counts({"truth": truth, "model": said}, count_b)
        return {
            **{f"{name}_a": array for name, array in one.items()},
            **{f"{name}_b": array for name, array in other.items()},
        }

    def _pairs(self, replicates: int, n: int, rng: Generator) -> Arrays:
        """Joint answers: with probability ``agreement`` the same, as far as the margins allow."""
        a, b = self.answers(better=True), self.answers()
        same = self.agreement * np.minimum(a, b)
        rest_a, rest_b = a - same, b - same
        left = rest_a.sum(axis=1)[:, None, None]  # what is not repeated is drawn apart
        with np.errstate(invalid="ignore", divide="ignore"):
            apart = np.where(left > 0.0, rest_a[:, :, None] * rest_b[:, None, :] / left, 0.0)
        joint = apart + same[:, :, None] * np.eye(self.classes)
        share = (self.shares[:, None, None] * joint).ravel()
        count = rng.multinomial(n, share / share.sum(), size=replicates)
        truth, said_a, said_b = (place.ravel() for place in np.indices(joint.shape))
        return rows_with_counts({"truth": truth, "a": said_a, "b": said_b}, count)


def rows_with_counts(columns: dict[str, NDArray[Any]], count: NDArray[Any]) -> Arrays:
    """Distinct rows, the same in every replicate, and how often each came."""
    shape = count.shape
    return {**{name: np.broadcast_to(v, shape) for name, v in columns.items()}, "count": count}
