"""How many labels a question needs beside a judge."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.checks import check_count, check_level
from assay.core.errors import UsageError
from assay.core.formatting import write_given, write_rounded
from assay.core.plan_results import Plan
from assay.core.results import Curve
from assay.estimates.judged_evaluation import asked_measures, choice_notes
from assay.estimates.judged_means import LEAST, by_likelihood
from assay.estimates.judged_values import ItemValues, item_values
from assay.evidence.judged_items import Judged
from assay.kernels.judge_correction import Corrected, corrected
from assay.kernels.special import ndtr, ndtri

MOST_LABELS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSpread:
    """What an interval would rest on with other numbers of labels: residuals of labels, and the judged items."""

    labels: int
    residual: float
    """Variance of one label, given the judge."""
    alone: float
    """Variance of one label without it."""
    floor: float
    """The variance that the judged items leave, however many labels there are."""

    @staticmethod
    def of(values: ItemValues, found: Corrected) -> "LabelSpread":
        n = int(values.graded.size)
        shares, judge = values.sample.shares, values.judge
        floor = found.slope**2 * float(np.sum((shares * (judge - values.sample.mean(judge))) ** 2))
        residual = n * max(found.error**2 - floor, 0.0)
        return LabelSpread(
            labels=n, residual=residual, alone=n * found.people_error**2, floor=floor
        )

    def error(self, labels: float) -> float:
        return math.sqrt(self.residual / labels + self.floor)

    def needed(self, error: float) -> int | None:
        """Labels for a standard error; None where the judged items are too few for it."""
        left = error**2 - self.floor
        if left <= 0.0:
            return None
        return min(max(3, math.ceil(self.residual / left)), MOST_LABELS)

    def fewest(self, error: float) -> int:
        """The same with the judge or without: few labels may make it look worse than none."""
        with_judge, alone = self.needed(error), self.needed_alone(error)
        return alone if with_judge is None else min(with_judge, alone)

    def needed_alone(self, error: float) -> int:
        return min(max(2, math.ceil(self.alone / error**2)), MOST_LABELS)

    @property
    def worth(self) -> float:
        """Labels alone that would give the same standard error as these labels with the judge."""
        return (
            self.alone / self.error(self.labels) ** 2 if self.error(self.labels) > 0.0 else math.inf
        )


def spread_of(judged: Judged, measure: Any = None) -> tuple[LabelSpread, str]:
    """Of the difference of the first two models, or of the only one; and the measure's name."""
    chosen = asked_measures(judged, None if measure is None else (measure,))[0]
    values = item_values(judged, chosen, judged.models[0])
    if len(judged.models) > 1:
        graded = judged.graded(*judged.models[:2])
        other = item_values(judged, chosen, judged.models[1])
        values = values.minus(other, graded, judged.sample(graded))
    found = corrected(values.people, values.judge, values.sample)
    if values.sample.simple and found.surprises < LEAST:
        found = by_likelihood(found)  # labels that show no error do not say that there is none
    return LabelSpread.of(values, found), chosen.called


def plan_labels(
    judged: Judged,
    *,
    measure: Any = None,
    n: int | None = None,
    power: float | None = None,
    difference: float | None = None,
    half_width: float | None = None,
    level: float = 0.95,
) -> Plan:
    """Labels for a power at a difference, or for a half-width; or what so many labels give."""
    z = float(ndtri((1.0 + check_level(level)) / 2.0))
    choice_notes(judged)  # refuses labels that were chosen by looking
    spread, name = spread_of(judged, measure)
    alone: int | None = None
    if half_width is not None:
        solved, error = "n", half_width / z
    elif difference is not None and power is not None:
        if not 0.0 < power < 1.0 or not difference:
            raise UsageError("power is between 0 and 1, and a difference is not 0")
        solved, error = "n", abs(difference) / (z + float(ndtri(power)))
    elif n is None:
        raise UsageError(
            "give power and difference, or half_width, or n: what are the labels to be enough for?"
        )
    else:
        return _given_labels(
            judged, spread, name, check_count(n, "n", at_least=3), difference, power, level, z
        )
    fewest, alone = spread.fewest(error), spread.needed_alone(error)
    found = None if fewest > judged.size else fewest
    return _plan(
        judged, spread, name, level=level, n=found, power=power, difference=difference, half_width=half_width,
        solved=solved, sentence=_needed_sentence(spread, found, alone, judged), alone=alone,
    )  # fmt: skip


def _given_labels(
    judged: Judged, spread: LabelSpread, name: str, n: int, difference: float | None, power: float | None, level: float,
    z: float,
) -> Plan:  # fmt: skip
    error = spread.error(n)
    if difference is not None:
        power = float(ndtr(abs(difference) / error - z))
        told = write_given(difference)
        said = f"{n:,} labels find a difference of {told} with a power of {power:.0%}, given this judge."
        solved = "power"
    elif power is not None:
        difference = (z + float(ndtri(power))) * error
        told = write_rounded(difference, 3)
        said = f"{n:,} labels find a difference of {told} with a power of {power:.0%}, given this judge."
        solved = "difference"
    else:
        said = (
            f"{n:,} labels give an interval of ± {write_rounded(z * error, 3)}, given this judge."
        )
        solved = "half_width"
    return _plan(
        judged, spread, name, level=level, n=n, power=power, difference=difference,
        half_width=z * error if solved == "half_width" else None, solved=solved, sentence=said, alone=None,
    )  # fmt: skip


def _needed_sentence(spread: LabelSpread, found: int | None, alone: int, judged: Judged) -> str:
    if found is None:
        return (
            f"The {judged.size:,} judged items are too few, however many of them are labelled. Judge more items; "
            f"without the judge about {alone:,} labels are needed."
        )
    if found >= alone:
        words = f"About {alone:,} labels are needed; the judge does not lower that number."
    else:
        words = f"About {found:,} labels are needed with this judge; without it {alone:,}."
    more = found - spread.labels
    have = f"You have {spread.labels:,}" + (
        f", so {more:,} more." if more > 0 else ", which is enough."
    )
    return f"{words} {have}"


def _plan(
    judged: Judged, spread: LabelSpread, name: str, *, level: float, n: int | None, solved: Any, sentence: str,
    alone: int | None, power: float | None, difference: float | None, half_width: float | None,
) -> Plan:  # fmt: skip
    z = float(ndtri((1.0 + level) / 2.0))
    top = 2 * max(n or 0, spread.labels, 50)
    grid = np.unique(np.geomspace(10, top, 25).round())
    if difference is not None:
        powers = [float(ndtr(abs(difference) / spread.error(one) - z)) for one in grid]
        columns = (("n", tuple(grid.tolist())), ("power", tuple(powers)))
    else:
        widths = [z * spread.error(one) for one in grid]
        columns = (("n", tuple(grid.tolist())), ("half_width", tuple(widths)))
    method = "judged_difference" if len(judged.models) > 1 else "judged_mean"
    return Plan(
        question="how many items people should label"
        if solved == "n"
        else "what so many labels can find",
        measure=name,
        solved_for=solved,
        n=n,
        power=power,
        difference=difference,
        half_width=half_width,
        level=level,
        unit="item",
        method=method,
        assumptions=(
            "labels are drawn at random from the judged items",
            "the judge stays as good as on the labels so far",
        ),
        sentence=sentence,
        curve=Curve(name=columns[1][0].replace("_", "-"), model=None, columns=columns),
        reference="Cochran (1977), Sampling Techniques, 3rd ed., chapter 12",
        formula="n = residual_variance/((difference/(z_alpha + z_power))² - judged_variance)",
        details=(
            ("labels", spread.labels),
            ("labels_alone", alone),
            ("residual_variance", spread.residual),
            ("people_variance", spread.alone),
            ("judged_variance", spread.floor),
            ("worth_labels", spread.worth),
        ),
    )
