"""The questions of a gate: each gives its difference with one-sided bounds at any error asked for."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.compare.compare import compare
from assay.compare.gate_rule import Bounds, Demand
from assay.compare.gate_terms import WantedMeasure
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.memo import replaced
from assay.core.methods import record_of
from assay.core.questions import AmbiguousEvidence
from assay.core.results import Comparison, Estimate
from assay.core.vocabulary import Sense, Unit
from assay.estimates.proportions import clopper_pearson
from assay.evidence.cell_text import class_text
from assay.evidence.judged_items import Judged
from assay.evidence.open_questions import which_direction
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.scores import Scores

Evidence = Predictions | Unpaired | Scores | Judged


@dataclass(frozen=True, slots=True, kw_only=True)
class GateAnswer:
    """A difference, positive being better, with its bounds; and what it rests on."""

    measure: str
    difference: float | None
    bounds: Bounds
    n: int
    unit: Unit
    value: float | None = None
    comparison: Comparison | None = None
    why: str = ""
    """Why there is no answer, where there is none."""


@dataclass(frozen=True, kw_only=True)
class GateQuestion(ABC):
    """One demand on one body of evidence; ``slice`` names the part of the items, None for all."""

    wanted: WantedMeasure
    slice: str | None = None
    item: str | None = None

    @property
    def demand(self) -> Demand:
        amount = self.wanted.amount
        if self.wanted.asks == "not-worse":
            return Demand.not_worse(amount)
        return Demand.better(amount) if self.wanted.asks == "better" else Demand.level()

    def at(self, share: float) -> GateAnswer:
        """The answer whose bounds err with probability ``share`` on each side."""
        known = self._answers
        if share not in known:
            known[share] = self._asked(share)
        return known[share]

    @cached_property
    def _answers(self) -> dict[float, GateAnswer]:
        return {}

    @abstractmethod
    def _asked(self, share: float) -> GateAnswer:
        """The answer, worked out."""


@dataclass(frozen=True, kw_only=True)
class Compared(GateQuestion):
    """A question that `assay.compare` answers; a slice that it cannot answer has no bounds."""

    evidence: Evidence
    baseline: str | None
    options: dict[str, Any]

    def _asked(self, share: float) -> GateAnswer:
        level = round(1.0 - 2.0 * share, 12)
        try:
            return self._found(level)
        except EvidenceError as error:
            if self.slice is None:
                raise
            n = self.evidence.n if isinstance(self.evidence, Predictions | Unpaired) else 0
            name = str(self.wanted.measure or "the measure")
            return GateAnswer(
                measure=name, difference=None, bounds=(None, None), n=n, unit="item", why=str(error)
            )

    @abstractmethod
    def _found(self, level: float) -> GateAnswer:
        """The answer of a comparison at a confidence level of both sides."""


@dataclass(frozen=True, kw_only=True)
class Difference(Compared):
    """Candidate minus baseline, from the comparison that `assay.compare` makes."""

    def _found(self, level: float) -> GateAnswer:
        wanted = self.wanted
        margin = wanted.amount if wanted.asks == "not-worse" else None
        found: Comparison = compare(
            self.evidence,
            measure=wanted.measure,
            baseline=self.baseline,
            margin=margin,
            level=level,
            **self.options,
        )
        effect = found.verdict.outcome.effect
        sign = -1.0 if found.direction == "lower" else 1.0
        return GateAnswer(
            measure=found.measure,
            difference=None if effect.value is None else sign * effect.value + 0.0,
            bounds=bounds_of(found),
            n=effect.n,
            unit=effect.unit,
            comparison=replaced(found, slice=self.slice),
        )


@dataclass(frozen=True, kw_only=True)
class LevelQuestion(Compared):
    """The candidate's distance from a level, positive where it is on the right side of it."""

    def _found(self, level: float) -> GateAnswer:
        wanted, options = self.wanted, dict(self.options)
        if isinstance(self.evidence, Scores):
            options["lower_is_better"] = _told_direction(self.evidence, wanted, options)
        found: Comparison = compare(
            self.evidence, measure=wanted.measure, against=wanted.amount, level=level, **options
        )
        self._check_direction(found.direction)
        found = _with_equal_tails(found, level)
        outcome = found.verdict.outcome
        effect, null = outcome.effect, outcome.null or 0.0
        sign = 1.0 if wanted.asks == "at-least" else -1.0
        value = effect.value
        bounds: Bounds = (None, None)
        if effect.interval is not None:
            ends = sorted(
                (sign * (effect.interval.low - null), sign * (effect.interval.high - null))
            )
            bounds = (ends[0], ends[1])
        return GateAnswer(
            measure=found.measure,
            difference=None if value is None else sign * (value - null) + 0.0,
            bounds=bounds,
            n=effect.n,
            unit=effect.unit,
            value=None if value is None else value - null + wanted.amount,
            comparison=replaced(found, slice=self.slice),
        )

    def _check_direction(self, direction: Sense) -> None:
        wrong = {"at-least": "lower", "at-most": "higher"}[self.wanted.asks]
        if direction == wrong:
            right = "at-most" if self.wanted.asks == "at-least" else "at-least"
            name, amount = self.wanted.measure, self.wanted.amount
            raise UsageError(
                f"of {name} {direction} is better: ask for --{right} {name}={amount:g}"
            )


@dataclass(frozen=True, kw_only=True)
class Repeats(GateQuestion):
    """The repeats of one item: exact bounds of the share that was right."""

    measure: str
    right: int
    times: int

    def _asked(self, share: float) -> GateAnswer:
        estimate = clopper_pearson(self.right, self.times, level=round(1.0 - 2.0 * share, 12))
        required, value = self.wanted.amount, self.right / self.times
        interval = estimate.interval
        bounds: Bounds = (None, None)
        if interval is not None:
            bounds = (interval.low - required, interval.high - required)
        return GateAnswer(
            measure=self.measure,
            difference=value - required + 0.0,
            bounds=bounds,
            n=self.times,
            unit="item",
            value=value,
        )


def bounds_of(comparison: Comparison) -> Bounds:
    """The ends of the interval of candidate minus baseline, positive being better."""
    interval = comparison.verdict.outcome.effect.interval
    if interval is None:
        return None, None
    if comparison.direction == "unknown":
        raise AmbiguousEvidence([which_direction(comparison.measure)])
    oriented = interval if comparison.direction == "higher" else interval.negated()
    return oriented.low, oriented.high


def repeats_of(evidence: Evidence, candidate: str, level: float) -> list[Repeats]:
    """A question for every item that was tried several times, in the order of their names."""
    if not isinstance(evidence, Predictions):
        raise NotApplicable("each needs predictions of items, with the repeats of each item")
    if "cluster" not in evidence.roles:
        raise UsageError(
            "each asks for the repeats of every item. Name the column that numbers them with "
            "repeat=, or that of the items with cluster="
        )
    right = _right(evidence, candidate)
    codes, levels = evidence.rows.coded([evidence.roles["cluster"]])[0]
    wanted = WantedMeasure(measure="accuracy", asks="at-least", amount=level)
    found = {
        class_text(levels[code]): Repeats(
            wanted=wanted,
            item=class_text(levels[code]),
            measure="accuracy",
            right=int(right[codes == code].sum()),
            times=int((codes == code).sum()),
        )
        for code in np.unique(codes).tolist()
    }
    return [found[name] for name in sorted(found)]


def _right(evidence: Predictions, candidate: str) -> Any:
    """Whether each row is right; numbers other than 0 and 1 have no right and wrong."""
    if evidence.roles.get("count") is not None or evidence.weighted:
        raise NotApplicable("each counts repeats row by row, without weights or counts")
    if "labels" in evidence.offers[candidate]:
        columns = evidence.columns("labels", (candidate,))
        return columns.predictions[0] == columns.truth
    values = evidence.columns("losses", (candidate,)).predictions[0]
    if not np.isin(values, (0.0, 1.0)).all():
        raise NotApplicable("each needs repeats that are right or wrong: 1 and 0 with correct=True")
    return values == 1.0


def _with_equal_tails(found: Comparison, level: float) -> Comparison:
    """Clopper and Pearson's bounds where the test that decides has none (the exact binomial test).

    The interval that inverts the two-sided test shares its error unevenly between its ends, which
    are therefore no one-sided bounds.
    """
    outcome = found.verdict.outcome
    record = record_of(outcome.method)
    if record is None or not record.uneven_tails or outcome.effect.value is None:
        return found
    n = outcome.effect.n
    interval = clopper_pearson(round(outcome.effect.value * n), n, level=level).interval
    effect: Estimate = replace(outcome.effect, interval=interval)
    verdict = replaced(found.verdict, outcome=replace(outcome, effect=effect))
    return replaced(found, verdicts=(verdict,))


def _told_direction(
    evidence: Scores, wanted: WantedMeasure, options: dict[str, Any]
) -> bool | None:
    """A level tells the direction of scores whose measure nobody knows."""
    from assay.compare.design import read_design

    told: bool | None = options.get("lower_is_better")
    if told is not None:
        return told
    design = read_design(evidence, measure=wanted.measure, against=wanted.amount)
    return wanted.asks == "at-most" if design.measure.direction == "unknown" else None
