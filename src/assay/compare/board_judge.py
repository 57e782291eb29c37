"""Boards of models that a judge graded on every item, and people on some."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compare.design import read_design
from assay.core.arrays import FloatArray, IntArray
from assay.core.errors import EvidenceError
from assay.core.notes import Note
from assay.core.vocabulary import known_side
from assay.estimates.board_winner import Contenders
from assay.estimates.judged_evaluation import choice_notes, estimates_at
from assay.estimates.judged_values import item_values, labelled_evidence
from assay.evidence.judged_items import Judged
from assay.kernels.judge_correction import corrected
from assay.kernels.tails import normal_reach, t_reach
from assay.measures.registry import Measure

LEVEL = 0.95
"""At which normal draws reach as far as the interval of `evaluate`."""
FEWEST_LABELS = 20
"""Fewer labels than this leave the joint spread of many models to chance."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedScores:
    """Corrected scores of all models with a root of their covariance."""

    measure: Measure
    contenders: Contenders
    words: str
    notes: tuple[Note, ...]


def judged_scores(judged: Judged, measure: Any, *, lower_is_better: bool | None) -> JudgedScores:
    """Every model's corrected score, from the items that people labelled for it."""
    judged.check_direction()
    labels = {model: int(judged.graded(model).size) for model in judged.models}
    fewest = min(labels, key=lambda model: labels[model])
    if labels[fewest] < FEWEST_LABELS:
        raise EvidenceError(
            f"people labelled {labels[fewest]} items for {fewest}: a board with a judge needs {FEWEST_LABELS} or more "
            "for every model"
        )
    chosen = read_design(
        labelled_evidence(judged, *judged.models[:1]),
        measure=measure,
        against=0.0,
        lower_is_better=lower_is_better,
    ).measure
    scores = [_score(judged, chosen, model) for model in judged.models]
    sign = -1.0 if known_side(chosen.direction) == "lower" else 1.0
    counts = sorted({labels[fewest], max(labels.values())})
    words = f"{' to '.join(f'{one:,}' for one in counts)} labelled items of {judged.size:,} judged"
    return JudgedScores(
        measure=chosen,
        contenders=Contenders(
            models=judged.models,
            values=sign * np.array([one.value for one in scores]),
            root=_root(scores, judged),
            sign=sign,
            n=labels[fewest],
            unit="item",
        ),
        words=words,
        notes=choice_notes(judged),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Score:
    """One model's corrected score, and what each item adds to its error."""

    value: float
    graded: IntArray
    terms: FloatArray
    tail: FloatArray
    unseen: float
    """The standard error that items do not show: of the few errors of a judge that hardly errs."""


def _score(judged: Judged, measure: Measure, model: str) -> _Score:
    """As `evaluate` answers: normal draws stand for its interval, and are to reach as far as it does."""
    estimate = estimates_at(judged, measure, model)(LEVEL)
    values = item_values(judged, measure, model)
    helped = estimate.method.startswith("judged")
    judge = values.judge if helped else np.zeros_like(values.judge)
    found = corrected(values.people, judge, values.sample)
    stretch = t_reach(LEVEL, found.df, "two-sided") / normal_reach(LEVEL, "two-sided")
    value, reach = found.value, 0.0
    if estimate.value is not None and estimate.interval is not None:
        value = estimate.value
        reach = max(estimate.interval.high - value, value - estimate.interval.low)
    error = reach / normal_reach(LEVEL, "two-sided")
    return _Score(
        value=value,
        graded=values.graded,
        terms=stretch * found.terms,
        tail=stretch * found.slope * values.sample.shares * (judge - values.sample.mean(judge)),
        unseen=float(np.sqrt(max(error**2 - (stretch * found.error) ** 2, 0.0))),
    )


def _root(scores: list[_Score], judged: Judged) -> FloatArray:
    """Rows whose products are the covariance: items, or clusters of them."""
    tails = np.stack([one.tail for one in scores], axis=1)
    unseen = np.diag([one.unseen for one in scores])
    labelled = np.unique(np.concatenate([one.graded for one in scores]))
    if judged.clusters is None:
        sums = np.zeros((labelled.size, len(scores)))
        for place, one in enumerate(scores):
            sums[np.searchsorted(labelled, one.graded), place] = one.terms
        return np.asarray(np.linalg.qr(np.vstack([sums, tails, unseen]), mode="r"), np.float64)
    sums = np.zeros((int(judged.clusters.max()) + 1, len(scores)))
    for place, one in enumerate(scores):
        np.add.at(sums[:, place], judged.clusters[one.graded], one.terms)
    np.add.at(sums, judged.clusters, tails)
    units = max(np.unique(judged.clusters[labelled]).size, 2)
    rows = np.vstack([np.sqrt(units / (units - 1)) * sums, unseen])
    return np.asarray(np.linalg.qr(rows, mode="r"), np.float64)
