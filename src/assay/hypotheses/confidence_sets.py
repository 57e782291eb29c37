"""Which of many models may be the best: confidence sets from the losses of a cross-validation (I10)."""

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from assay.core.arrays import BoolArray, FloatArray
from assay.core.checks import check_choice, check_count, check_size
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import note
from assay.core.results import FamilyOutcome, TestOutcome
from assay.core.rng import Rng, seed_of, stream
from assay.core.tolerances import NOISE
from assay.estimates.method_question import MethodQuestion
from assay.estimates.nested_errors import fold_codes
from assay.evidence.blocks import as_blocks
from assay.kernels.special import ndtri
from assay.kernels.tails import alpha_of

Rivals = Literal["screened", "all"]
RIVALS: tuple[Rivals, ...] = ("screened", "all")
SCREEN = 0.005
"""The part of α that says which rivals are clearly worse than a model, and left out of its maximum."""


@method(
    question="Which of several models may have the smallest loss, by the items of a cross-validation?",
    takes="many-fold-losses",
    gives="family",
    unit="item",
    assumes=(
        "independent items",
        "every model met the same folds",
        "learners so stable that leaving out one training item hardly changes their losses",
    ),
    reference="lei2020 kissel2022",
    requirement="I10",
    formula="T = difference / standard_error, the largest over rivals; "
    "p = (1 + draws at least as large) / (1 + n_resamples)",
    name="cross-validation with confidence",
    title="confidence set of models by cross-validation",
    variants={"all": "against all rivals"},
    undrawn="losses of several learners on the items of one cross-validation",
)
def cv_confidence_set(
    losses: Any,
    folds: Any,
    *,
    variant: Rivals = "screened",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> FamilyOutcome:
    """Lei's cross-validation with confidence: the models that are not rejected as the best at ``level``.

    ``losses`` has a row for each item and a column for each model, ``folds`` the fold of each item. Each
    model stands against the rival that beats it most clearly, the p-value allowing for the choice. It
    answers for the models that were fitted. Learners over training sets: `cautious_resampled_t`.
    """
    table = as_blocks(losses)
    check_size(table.values, "the losses")
    codes = fold_codes(folds, table.n)
    kind = check_choice(variant, RIVALS, "variant")
    draws = check_count(n_resamples, "n_resamples", at_least=1)
    if table.n <= int(codes.max()) + 1:
        raise EvidenceError(
            "with one item in each fold nothing varies within folds: give folds of two items or more"
        )
    seed = seed_of(rng)
    found = _Pairs.of(table.values, codes)
    scattered = _scattered(found.covariance, draws, seed)
    asked = MethodQuestion.of("cv_confidence_set", level=level, alternative="greater")
    models = _Models(asked, table.models, found, kind, seed)
    outcomes = tuple(models.outcome(place, scattered) for place in range(table.k))
    alpha = alpha_of(asked.level)
    inside = [
        model
        for model, outcome in zip(table.models, outcomes, strict=True)
        if outcome.p_value is None or outcome.p_value > alpha
    ]
    return FamilyOutcome(
        method="cv_confidence_set",
        models=table.models,
        pairs=tuple((table.models[place], models.rival(place)) for place in range(table.k)),
        outcomes=outcomes,
        adjustment="max-t",
        seed=seed,
        notes=(note("stable-learner", method="cv_confidence_set"),),
        details=(
            ("confidence_set", ", ".join(inside)),
            ("models_in_set", len(inside)),
            ("folds", int(codes.max()) + 1),
            ("n_resamples", draws),
            (
                "covers",
                f"the average losses of the {int(codes.max()) + 1} fitted models on new items",
            ),
        ),
    )


class _Pairs(NamedTuple):
    """What the losses say of each pair: how much a model loses beyond its rival, and how it varies."""

    n: int
    gaps: FloatArray
    """(model, rival): the mean difference of their losses."""
    covariance: FloatArray
    """Of the models' losses about their means within folds."""
    deviations: FloatArray
    """(model, rival): the standard deviation of a difference within folds; 0 where none is."""
    statistics: FloatArray
    """(model, rival): -inf where there is nothing to compare, inf where one always loses as much more."""

    @staticmethod
    def of(losses: FloatArray, codes: Any) -> "_Pairs":
        n, models = losses.shape
        sizes = np.bincount(codes)
        by_fold = np.stack([np.bincount(codes, weights=one) for one in losses.T], axis=1)
        centred = losses - (by_fold / sizes[:, None])[codes]
        deviations, gaps = np.zeros((models, models)), np.zeros((models, models))
        for place in range(models):  # one at a time: all at once are items x models x models
            apart = centred[:, [place]] - centred
            deviations[place] = np.sqrt((apart**2).sum(axis=0) / (n - 1))
            gaps[place] = (losses[:, [place]] - losses).mean(axis=0)
        none = NOISE * float(np.abs(losses).max())
        deviations[deviations <= none] = 0.0
        gaps[np.abs(gaps) <= none] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            statistics = math.sqrt(n) * gaps / deviations
        statistics[(deviations == 0.0) & (gaps <= 0.0)] = -np.inf
        return _Pairs(n, gaps, centred.T @ centred / (n - 1), deviations, statistics)


def _scattered(covariance: FloatArray, draws: int, seed: int) -> FloatArray:
    """Multiplier draws of the models' means, (draws, models).

    A Gaussian multiplier for each item makes sums that are normal with the covariance of the losses, so
    that drawing those is the same and does not hang on the order of the items.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return np.asarray(stream(seed).standard_normal((draws, len(covariance))) @ root)


class _Models(NamedTuple):
    """The question of one call, and the answer for each model."""

    asked: MethodQuestion
    models: tuple[str, ...]
    found: _Pairs
    variant: Rivals
    seed: int

    def rival(self, place: int) -> str:
        return self.models[self._rival(place)]

    def _rival(self, place: int) -> int:
        """Who beats a model most clearly; where nobody differs from it, the next one."""
        statistics = self.found.statistics[place].copy()
        statistics[place] = -np.inf
        best = int(statistics.argmax())
        return best if best != place else (place + 1) % len(self.models)

    def _rivals(self, place: int) -> BoolArray:
        """Who enters the maximum: all that differ, or those not clearly worse than the model.

        The limit is that of Chernozhukov, Chetverikov and Kato, as Lei uses it.
        """
        statistics = self.found.statistics[place]
        told: BoolArray = self.found.deviations[place] > 0.0
        if self.variant == "all":
            return told
        z = float(-ndtri(SCREEN / (len(self.models) - 1)))
        room = 1.0 - z**2 / self.found.n
        near: BoolArray = told & (
            statistics > (-2.0 * z / math.sqrt(room) if room > 0.0 else -np.inf)
        )
        return near if near.any() else told

    def outcome(self, place: int, scattered: FloatArray) -> TestOutcome:
        """Is this model's loss larger than that of the rival that beats it most clearly?"""
        found, rival = self.found, self._rival(place)
        statistic, chosen = float(found.statistics[place, rival]), self._rivals(place)
        if not math.isfinite(statistic):
            return self._without_spread(place, rival, len(scattered))
        beyond = (scattered[:, [place]] - scattered[:, chosen]) / found.deviations[place, chosen]
        largest = np.sort(beyond.max(axis=1))[::-1]
        reached = int(np.count_nonzero(largest >= statistic))
        p_value = (1 + reached) / (1 + largest.size)
        error = float(found.deviations[place, rival]) / math.sqrt(found.n)
        return self._told(
            place, rival, statistic, p_value, error, _critical(largest, alpha_of(self.asked.level))
        )

    def _without_spread(self, place: int, rival: int, draws: int) -> TestOutcome:
        """A model that nobody differs from stays; one that always loses as much more than another goes."""
        worse = bool(self.found.statistics[place, rival] == math.inf)
        p_value = 1.0 / (1 + draws) if worse else 1.0
        return self._told(place, rival, None, p_value, 0.0, math.inf)

    def _told(
        self,
        place: int,
        rival: int,
        statistic: float | None,
        p_value: float,
        error: float,
        critical: float,
    ) -> TestOutcome:
        asked, found, varies = self.asked, self.found, statistic is not None
        difference = float(found.gaps[place, rival])
        interval = asked.around(difference, critical * error) if varies else None
        what = f"the differences of {self.models[place]} and {self.models[rival]}"
        flat = note("zero-variance", what=what, method=asked.method, remedy="look at the items")
        spread = error if varies else None
        return asked.outcome(
            statistic,
            p_value,
            asked.estimate("mean_difference", difference, found.n, interval, spread),
            notes=() if varies else (flat,),
            details=(("in_set", p_value > alpha_of(asked.level)),),
            seed=self.seed,
        )


def _critical(largest: FloatArray, alpha: float) -> float:
    """The largest statistic that is not rejected; ``largest`` are those drawn, from the top."""
    rank = math.floor(alpha * (1 + largest.size) + 1e-9)
    return float(largest[min(rank, largest.size) - 1]) if rank >= 1 else math.inf
