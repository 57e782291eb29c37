"""Boards of models that a judge graded on every item, and people on some."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compare.design import read_design
from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError
from assay.core.notes import Note
from assay.core.vocabulary import known_side
from assay.estimates.judged_evaluation import choice_notes
from assay.estimates.judged_values import item_values, labelled_evidence
from assay.estimates.winners import Contenders
from assay.evidence.judged import Judged
from assay.kernels.judged import corrected
from assay.kernels.tails import normal_reach, t_reach
from assay.measures.registry import Measure

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
    """Every model's corrected score, all from the items that people labelled for all of them."""
    judged.check_direction()
    graded = judged.graded()
    if graded.size < FEWEST_LABELS:
        raise EvidenceError(
            f"people labelled {graded.size} items for all {len(judged.models)} models: a board with a judge needs "
            f"{FEWEST_LABELS} or more"
        )
    chosen = read_design(
        labelled_evidence(judged), measure=measure, lower_is_better=lower_is_better
    ).measure
    sample = judged.sample(graded)
    values, terms, tails = [], [], []
    for model in judged.models:
        own = item_values(judged, chosen, model)
        people = own.people[np.searchsorted(own.graded, graded)]
        found = corrected(people, own.judge, sample)
        values.append(found.value)
        terms.append(found.terms)
        tails.append(found.slope * sample.shares * (own.judge - sample.mean(own.judge)))
    sign = -1.0 if known_side(chosen.direction) == "lower" else 1.0
    # normal draws stand for t: the root is stretched by how much farther t reaches with so few labels
    stretch = t_reach(0.95, max(sample.df(2), 1), "two-sided") / normal_reach(0.95, "two-sided")
    root = stretch * _root(np.stack(terms, axis=1), np.stack(tails, axis=1), judged, graded)
    words = f"{graded.size:,} labelled items of {judged.size:,} judged"
    return JudgedScores(
        measure=chosen,
        contenders=Contenders(
            models=judged.models,
            values=sign * np.array(values),
            root=root,
            sign=sign,
            n=int(graded.size),
            unit="item",
        ),
        words=words,
        notes=choice_notes(judged),
    )


def _root(terms: FloatArray, tails: FloatArray, judged: Judged, graded: Any) -> FloatArray:
    """Rows whose products are the covariance: items, or clusters of them."""
    if judged.clusters is None:
        return np.asarray(np.linalg.qr(np.vstack([terms, tails]), mode="r"), np.float64)
    size = int(judged.clusters.max()) + 1
    sums = np.zeros((size, terms.shape[1]))
    np.add.at(sums, judged.clusters[graded], terms)
    np.add.at(sums, judged.clusters, tails)
    units = max(np.unique(judged.clusters[graded]).size, 2)
    return np.asarray(np.linalg.qr(np.sqrt(units / (units - 1)) * sums, mode="r"), np.float64)
