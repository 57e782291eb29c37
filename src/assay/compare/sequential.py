"""`compare(sequential=True)`: a verdict that may be looked at after every item, and for every model that arrives."""

import math
from dataclasses import replace

import numpy as np

from assay.compare.comparison_result import comparison_of
from assay.compare.design import Design
from assay.compare.findings import Findings, Settings
from assay.compare.item_procedures import item_losses
from assay.core.arrays import FloatArray
from assay.core.errors import NotApplicable, UsageError
from assay.core.formatting import clean_name
from assay.core.memo import replaced
from assay.core.notes import note
from assay.core.results import Choice, Comparison, Curve, TestOutcome
from assay.core.vocabulary import UNIT_PLURAL
from assay.hypotheses.sequential import (
    anytime_mean_difference,
    arriving_bonferroni,
    arriving_level,
    confidence_sequence,
)


def compare_sequentially(design: Design, settings: Settings, *, bound: float | None) -> Comparison:
    """The decision object of items taken in the order of the evidence, valid at every look.

    Two models are compared with each other. Of more, each is an arrival after the baseline (the first
    model unless said otherwise), in the order of the evidence, and spends its own share of alpha.
    """
    _check(design)
    reach = _bound(design, bound)
    control = design.models[-1] if design.kind == "pair" else design.baseline or design.models[0]
    arriving = tuple(model for model in design.models if model != control)
    pairs, curves = [], []
    for arrival, model in enumerate(arriving, start=1):
        alone = len(arriving) == 1
        level = settings.level if alone else arriving_level(arrival, settings.level)
        a, b = item_losses(replace(design, kind="pair", models=(model, control)), as_read=True)
        outcome = anytime_mean_difference(a, b, bound=reach, level=level)
        pairs.append((model, control, _named(outcome, design)))
        curves.append(_curve(model, control, a - b, reach, level, outcome))
    found = Findings(
        pairs=tuple(pairs if len(pairs) == 1 else _adjusted(pairs)),
        notes=(note("order-of-arrival", n=pairs[0][2].effect.n, decided=_decided(pairs)),),
        adjustment="" if len(pairs) == 1 else "arriving",
    )
    found_in = replace(design, baseline=control if len(pairs) > 1 else design.baseline)
    comparison = comparison_of(found_in, _choice(design, len(pairs)), found, settings)
    return replaced(comparison, curves=tuple(curves))


def _check(design: Design) -> None:
    """Only a mean over items that both models met can be bet on, item by item."""
    if design.kind not in ("pair", "many") or design.unit != "item":
        here = {"level": "this is one model", "independent": "each model has items of its own"}
        raise NotApplicable(
            "a sequential comparison is of models on the same items, item by item; "
            f"{here.get(design.kind, f'these are scores of {UNIT_PLURAL[design.unit]}')}. Give "
            "predictions of all models on each item, or compare once, with the number of units "
            "fixed in advance"
        )
    if not design.of_means:
        raise NotApplicable(
            f"{design.measure.called} is not a mean over items, so it cannot be monitored item by "
            "item. Use accuracy, brier or another mean, or compare once, with the number of items "
            "fixed in advance"
        )
    if design.dependent:
        what = "clusters" if design.clustered else "importance weights"
        raise NotApplicable(
            f"items with {what} are not independent draws of equal weight, which a sequential "
            "comparison needs: average within clusters first, or compare once"
        )


def _bound(design: Design, bound: float | None) -> float:
    """The largest difference possible on an item: given, or the range of what is averaged."""
    if bound is not None:
        return bound
    if design.measure.counts is not None:
        return 1.0
    widest = design.measure.high - design.measure.low
    if not math.isfinite(widest):
        raise UsageError(
            f"{design.measure.called} has no largest value. Set bound= to the largest difference "
            "possible on one item, known before looking; or use a bounded measure such as brier"
        )
    return widest


def _named(outcome: TestOutcome, design: Design) -> TestOutcome:
    return replace(outcome, effect=replace(outcome.effect, measure=design.measure.called))


def _adjusted(pairs: list[tuple[str, str, TestOutcome]]) -> list[tuple[str, str, TestOutcome]]:
    """p-values that allow for the order of arrival, as the levels of the intervals do."""
    alone = [outcome.p_value for _, _, outcome in pairs]
    adjusted = arriving_bonferroni([1.0 if p is None else p for p in alone])
    return [
        (a, b, replace(outcome, p_value=p, details=(*outcome.details, ("p_unadjusted", own))))
        for (a, b, outcome), p, own in zip(pairs, adjusted, alone, strict=True)
    ]


def _decided(pairs: list[tuple[str, str, TestOutcome]]) -> str:
    """When zero was first excluded, in words; one may have stopped there."""
    firsts = [dict(outcome.details)["first_n"] for _, _, outcome in pairs]
    if len(firsts) > 1 or firsts[0] is None:
        return ""
    return f"; zero was first excluded after item {firsts[0]:,}"


def _curve(
    model: str,
    control: str,
    differences: FloatArray,
    bound: float,
    level: float,
    outcome: TestOutcome,
) -> Curve:
    """The mean difference and its confidence sequence at looks from the first item to the last."""
    looks, low, high = confidence_sequence(differences, bound=bound, level=level)
    means = (np.cumsum(differences) / np.arange(1, differences.size + 1))[looks - 1]
    interval = outcome.effect.interval
    if interval is not None:
        low[-1], high[-1] = interval.low, interval.high
    return Curve(
        name="confidence_sequence",
        model=f"{clean_name(model)} − {clean_name(control)}",
        columns=(
            ("items", tuple(float(one) for one in looks)),
            ("difference", tuple(float(one) for one in means)),
            ("low", tuple(float(one) for one in low)),
            ("high", tuple(float(one) for one in high)),
        ),
        details=(("level", level), ("first_n", dict(outcome.details)["first_n"])),
    )


def _choice(design: Design, pairs: int) -> Choice:
    said = (
        "sequential comparison, as asked: a confidence sequence of the mean difference in "
        f"{design.measure.called}, valid at every look"
    )
    if pairs > 1:
        said += f"; {pairs} models are taken as arrivals, each with its own share of α"
    return Choice(method=anytime_mean_difference.__name__, reason=said)
