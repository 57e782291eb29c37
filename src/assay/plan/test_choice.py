"""Which test a plan is for: the one that `compare` would choose, or the one that is named."""

from collections.abc import Callable
from dataclasses import dataclass

from assay.core.errors import NotApplicable, UsageError
from assay.core.methods import catalogue, record_of
from assay.core.wording import either
from assay.estimates.folds import HELD_FOLDS
from assay.measures.registry import Measure
from assay.plan import algorithm_questions, fold_questions, item_questions
from assay.plan.planning_facts import PlanFacts, PlanQuestion, PlanSetting


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTest:
    """A test that can be planned: how its questions are built, and the facts that they use."""

    build: Callable[[PlanFacts, PlanSetting], tuple[PlanQuestion, ...]]
    uses: frozenset[str]


def _kind(
    build: Callable[[PlanFacts, PlanSetting], tuple[PlanQuestion, ...]], *uses: str
) -> PlannedTest:
    return PlannedTest(build=build, uses=frozenset(uses))


REPEATS = "repeats"
"""The plan that no method has to itself: items answered several times."""
KINDS: dict[str, PlannedTest] = {
    "one_proportion": _kind(item_questions.one_proportion, "against"),
    "paired_proportions": _kind(item_questions.mcnemar, "baseline", "discordant"),
    "two_proportions": _kind(item_questions.two_proportions, "baseline"),
    "one_area": _kind(
        item_questions.one_area, "against", "baseline", "prevalence", "cluster_size", "icc"
    ),
    "two_areas": _kind(
        item_questions.two_areas, "baseline", "prevalence", "correlation", "cluster_size", "icc"
    ),
    "separate_areas": _kind(
        item_questions.separate_areas, "baseline", "prevalence", "cluster_size", "icc"
    ),
    "one_mean": _kind(item_questions.paired_means, "against", "sd"),
    "paired_means": _kind(item_questions.paired_means, "baseline", "sd"),
    "separate_means": _kind(item_questions.separate_means, "baseline", "sd"),
    "clustered_means": _kind(
        item_questions.clustered_means, "baseline", "discordant", "sd", "cluster_size", "icc"
    ),
    REPEATS: _kind(item_questions.repeated_means, "baseline", "sd", "sd_within", "repeats_per_item"),
    "corrected_folds": _kind(
        fold_questions.corrected_folds, "baseline", "sd", "folds", "test_share"
    ),
    "cautious_folds": _kind(
        fold_questions.cautious_folds, "baseline", "sd", "folds", "correlation"
    ),
    "dataset_ranks": _kind(algorithm_questions.dataset_ranks, "baseline", "sd"),
    "dataset_friedman": _kind(algorithm_questions.dataset_friedman, "baseline", "sd"),
    "width_of_rate": _kind(item_questions.width_of_rate, "baseline"),
    "width_of_mean": _kind(item_questions.width_of_mean, "baseline", "sd"),
}  # fmt: skip
"""Every plan by what records of methods call it; ``baseline`` says nothing about a mean and is let through."""


def pose(
    measure: Measure | None,
    facts: PlanFacts,
    setting: PlanSetting,
    *,
    method: str | None = None,
    paired: bool | None = None,
    width: bool = False,
) -> tuple[PlanQuestion, ...]:
    """The question that the facts describe; several, each with its label, where one is missing."""
    name = method or _chosen(measure, facts, setting, paired=paired, width=width)
    kind = _kind_for(name)
    idle = [fact for fact in facts.given() if fact not in kind.uses]
    if idle:
        raise UsageError(
            f"{' and '.join(idle)} {'plays' if len(idle) == 1 else 'play'} no part in a plan for {name}, "
            f"which uses {', '.join(sorted(kind.uses))}"
        )
    return kind.build(facts, setting)


def plannable() -> tuple[str, ...]:
    """Every test that can be planned, by its name in order."""
    planned = (name for name, one in catalogue().items() if one.planned_by is not None)
    return tuple(sorted((*planned, REPEATS)))


def _kind_for(name: str) -> PlannedTest:
    record = record_of(name)
    known = record is not None and record.id == name and record.planned_by
    if not known and name != REPEATS:
        raise UsageError(f"no plan for {name!r}; there are {', '.join(plannable())}")
    return KINDS[known or REPEATS]


def is_outcome(measure: Measure | None) -> bool:
    """Whether the measure counts right and wrong items."""
    return measure is not None and measure.counts is not None


def _chosen(
    measure: Measure | None,
    facts: PlanFacts,
    setting: PlanSetting,
    *,
    paired: bool | None,
    width: bool,
) -> str:
    """The test that `compare` would use."""
    if setting.unit == "fold":
        held = facts.folds == HELD_FOLDS or (setting.algorithms and facts.test_share is None)
        return "cautious_resampled_t" if held else "corrected_resampled_t"
    if setting.unit == "seed":
        return "paired_t" if paired else "two_sample_t"
    if setting.unit == "dataset":
        return "wilcoxon"
    if facts.repeats_per_item is not None or facts.sd_within is not None:
        return REPEATS
    area = measure is not None and measure.of_area == 1.0
    if width:
        return "delong" if area else "proportion" if is_outcome(measure) else "mean_t"
    if facts.against is not None:
        return "delong" if area else "binomial" if is_outcome(measure) else "one_sample_t"
    apart = paired is False
    if area:
        return "delong_independent" if apart else "delong_test"
    if facts.cluster_size is not None and not apart:
        return "cluster_difference"
    if is_outcome(measure):
        return "two_proportions_z" if apart else "mcnemar"
    if measure is None or measure.is_mean:
        return "two_sample_t" if apart else "paired_t"
    pilot = either(
        f"assay.plan(predictions, truth=…, measure={measure.called!r})",
        f"assay plan predictions.csv --truth y --measure {measure.called}",
    )
    raise NotApplicable(
        f"{measure.called} has no formula for its spread. Give a pilot file, from which it is taken: "
        f"`{pilot}`"
    )
