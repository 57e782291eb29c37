"""What each item adds to a measure: as people labelled it, and as the judge did.

Any smooth measure is a mean of such values up to terms that vanish as labels grow (the influence function), so
that one correction serves accuracy, F1, MCC, AUC and ratings alike.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.errors import NotApplicable
from assay.evidence.judged_items import Judged
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.kernels.judge_correction import JudgedSample
from assay.measures.registry import Measure

STEP = 1e-6
"""Of the share of a cell, for slopes by forward differences: cells that people never saw have one too."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemValues:
    """One model in one measure: ``people`` of graded items, ``judge`` of all; their means are the measure."""

    people: FloatArray
    judge: FloatArray
    graded: IntArray
    sample: JudgedSample
    uncorrected: float
    """The measure as the judge alone has it."""

    @property
    def right_or_wrong(self) -> bool:
        """Whether both are 0 and 1, every item alike: counts tell everything."""
        return self.sample.simple and _zero_one(self.people) and _zero_one(self.judge)

    @property
    def one_scale(self) -> bool:
        """Whether the judge's usual grade is one that people could give, so that both are on the same scale."""
        usual = float(np.median(self.judge[self.graded]))
        return bool(self.people.min() <= usual <= self.people.max() or np.ptp(self.people) == 0.0)

    def minus(self, other: "ItemValues", graded: IntArray, sample: JudgedSample) -> "ItemValues":
        """Differences on the items that people graded for both."""
        own, theirs = np.searchsorted(self.graded, graded), np.searchsorted(other.graded, graded)
        return ItemValues(
            people=self.people[own] - other.people[theirs],
            judge=self.judge - other.judge,
            graded=graded,
            sample=sample,
            uncorrected=self.uncorrected - other.uncorrected,
        )


def _zero_one(values: FloatArray) -> bool:
    return bool(((values == 0.0) | (values == 1.0)).all())


def item_values(judged: Judged, measure: Measure, model: str) -> ItemValues:
    """The values of one model in a measure, both ways."""
    graded = judged.graded(model)
    sample = judged.sample(graded)
    people, judge = judged.people[judged.row(model)][graded], judged.judge[judged.row(model)]
    uncorrected = sample.mean(judge)
    if judged.kind != "grades":
        own = judged.predictions[judged.models.index(model)]  # type: ignore[index]
        make = {"labels": _of_labels, "scores": _of_scores, "values": _of_numbers}[judged.kind]
        people, judge, uncorrected = make(judged, measure, people, judge, own, sample)
    return ItemValues(
        people=people, judge=judge, graded=graded, sample=sample, uncorrected=uncorrected
    )


Both = tuple[FloatArray, FloatArray, float]
"""Of people, of the judge, and the measure by the judge alone."""


def _of_labels(
    judged: Judged,
    measure: Measure,
    people: FloatArray,
    judge: FloatArray,
    own: FloatArray,
    sample: JudgedSample,
) -> Both:
    if measure.reduction != "tally":
        raise NotApplicable(
            f"{measure.called} is no measure of labels: with a judge of labels ask for accuracy, f1, mcc, kappa, …"
        )
    size = len(judged.classes)
    bound = measure.bind(judged.classes, judged.positive)
    cells = (people * size + own[sample.graded]).astype(np.int64)
    table = np.bincount(cells, weights=sample.own_shares, minlength=size * size)
    seen = np.unique(np.concatenate([cells, (judge * size + own).astype(np.int64)]))
    moved = np.repeat(table[None, :], seen.size + 1, axis=0)
    moved[np.arange(1, seen.size + 1), seen] += STEP
    values = np.asarray(bound.function(moved.reshape(-1, size, size)), dtype=np.float64)
    slopes = np.zeros(size * size)
    slopes[seen] = (values[1:] - values[0]) / STEP
    each = values[0] + slopes - float(table @ slopes)
    if bound.counts is not None:
        each = np.round(each)  # a share of items: exactly 0 or 1
    judged_cells = (judge * size + own).astype(np.int64)
    whole = np.bincount(judged_cells, weights=sample.shares, minlength=size * size).reshape(
        1, size, size
    )
    return each[cells], each[judged_cells], float(np.asarray(bound.function(whole))[0])


def _of_scores(
    judged: Judged,
    measure: Measure,
    people: FloatArray,
    judge: FloatArray,
    own: FloatArray,
    sample: JudgedSample,
) -> Both:
    if measure.of_area != 1.0:
        raise NotApplicable(
            f"{measure.called} of scores has no correction for a judge yet: ask for roc_auc"
        )
    code = float(judged.classes.index(str(judged.positive)))
    up, weight = people == code, sample.own_shares
    if up.all() or not up.any():
        raise NotApplicable("people labelled items of one class only: AUC needs both")
    scores, plus = own[sample.graded], float(weight[up].sum())
    below = _placements(scores[~up], weight[~up] / (1.0 - plus), own)
    above = 1.0 - _placements(scores[up], weight[up] / plus, own)
    area = float(weight[up] @ below[sample.graded][up]) / plus
    # DeLong's structural components: where a positive stands among negatives, a negative among positives
    of_plus, of_minus = area + (below - area) / plus, area + (above - area) / (1.0 - plus)
    both = np.where(judge == code, of_plus, of_minus)
    says = judge == code
    alone = np.nan
    if says.any() and not says.all():
        alone = _area(own, says, sample.shares)
    return np.where(up, of_plus[sample.graded], of_minus[sample.graded]), both, alone


def _area(scores: FloatArray, says: Any, shares: FloatArray) -> float:
    """The area under the curve of all items as the judge labels them, from one sort."""
    order = np.argsort(scores)
    ranked, up = scores[order], np.where(says, shares, 0.0)[order]
    down = shares[order] - up
    first = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))  # where ties begin
    ups, downs = np.add.reduceat(up, first), np.add.reduceat(down, first)
    below = np.cumsum(downs) - downs / 2.0
    return float(ups @ below / (ups.sum() * downs.sum()))


def _placements(scores: FloatArray, weights: FloatArray, at: FloatArray) -> FloatArray:
    """The share of scores below each point, ties by half."""
    order = np.argsort(scores, kind="stable")
    ranked, sums = scores[order], np.append(0.0, np.cumsum(weights[order]))
    left, right = np.searchsorted(ranked, at, "left"), np.searchsorted(ranked, at, "right")
    return np.asarray((sums[left] + sums[right]) / 2.0, np.float64)


def _of_numbers(
    _: Judged,
    measure: Measure,
    people: FloatArray,
    judge: FloatArray,
    own: FloatArray,
    sample: JudgedSample,
) -> Both:
    if measure.features is None or not measure.is_mean:
        raise NotApplicable(
            f"{measure.called} is no mean over items: with a judge ask for mse or mae"
        )
    by_judge = np.asarray(measure.features(judge, own), np.float64)[:, 0]
    by_people = np.asarray(measure.features(people, own[sample.graded]), np.float64)[:, 0]
    return by_people, by_judge, sample.mean(by_judge)


def labelled_evidence(judged: Judged, *models: str) -> Predictions:
    """What people's labels alone say: ordinary evidence of the items they graded for these models."""
    names = models or judged.models
    graded = judged.graded(*names)
    sample = judged.sample(graded)
    told: dict[str, Any] = {"models": list(names), "unit": "item"}
    if not sample.even:
        told["weight"] = sample.own_shares * graded.size
    if sample.clusters is not None:
        told["cluster"] = [f"c{code}" for code in sample.clusters[graded].tolist()]
    if judged.kind == "grades":
        grades = {m: judged.people[judged.row(m)][graded] for m in names}
        like_losses = not judged.binary and all(map(_zero_one, grades.values()))
        kind = "loss" if like_losses else "score"  # said, for a model may be called y or truth
        columns: dict[str, Any] = {f"{m}:{kind}": values for m, values in grades.items()}
        if judged.binary and judged.lower_is_better:
            told |= {"correct": False, "losses": True}
        elif judged.binary:
            told["correct"] = True
        elif not like_losses:
            told["lower_is_better"] = judged.lower_is_better
    else:
        columns = _truth_and_predictions(judged, names, graded)
        told |= {"truth": "people's labels", "positive": judged.positive}
    found = read(columns, **told)
    assert isinstance(found, Predictions)  # noqa: S101 (a mapping of one set of items)
    return found


def _truth_and_predictions(
    judged: Judged, names: tuple[str, ...], graded: IntArray
) -> dict[str, Any]:
    words = np.array(judged.classes, dtype=object)
    own = {m: judged.predictions[judged.models.index(m)][graded] for m in names}  # type: ignore[index]
    truth: Any = judged.people[0][graded]
    if judged.kind != "values":
        truth = words[truth.astype(np.int64)]
    if judged.kind == "labels":
        own = {m: words[values.astype(np.int64)] for m, values in own.items()}
    return {"people's labels": truth, **own}
