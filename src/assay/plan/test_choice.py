"""Which test a plan is for: the one that `compare` would choose, or the one that is named."""

from collections.abc import Callable
from dataclasses import dataclass

from assay.core.errors import NotApplicable, UsageError
from assay.core.wording import either
from assay.estimates.folds import HELD_FOLDS
from assay.measures.registry import Measure
from assay.plan import algorithm_questions, fold_questions, item_questions
from assay.plan.planning_facts import Facts, Question, Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A test that can be planned: how its questions are built, and the facts that they use."""

    build: Callable[[Facts, Setting], tuple[Question, ...]]
    uses: frozenset[str]


def _kind(build: Callable[[Facts, Setting], tuple[Question, ...]], *uses: str) -> Kind:
    return Kind(build=build, uses=frozenset(uses))


KINDS: dict[str, Kind] = {
    "binomial": _kind(item_questions.one_proportion, "against"),
    "mcnemar": _kind(item_questions.mcnemar, "baseline", "discordant"),
    "two_proportions_z": _kind(item_questions.two_proportions, "baseline"),
    "delong": _kind(
        item_questions.one_area, "against", "baseline", "prevalence", "cluster_size", "icc"
    ),
    "delong_test": _kind(
        item_questions.two_areas, "baseline", "prevalence", "correlation", "cluster_size", "icc"
    ),
    "delong_independent": _kind(
        item_questions.separate_areas, "baseline", "prevalence", "cluster_size", "icc"
    ),
    "one_sample_t": _kind(item_questions.paired_means, "against", "sd"),
    "paired_t": _kind(item_questions.paired_means, "baseline", "sd"),
    "two_sample_t": _kind(item_questions.separate_means, "baseline", "sd"),
    "cluster_difference": _kind(
        item_questions.clustered_means, "baseline", "discordant", "sd", "cluster_size", "icc"
    ),
    "repeats": _kind(item_questions.repeated_means, "baseline", "sd", "sd_within", "repeats_per_item"),
    "corrected_resampled_t": _kind(
        fold_questions.corrected_folds, "baseline", "sd", "folds", "test_share"
    ),
    "cautious_resampled_t": _kind(
        fold_questions.cautious_folds, "baseline", "sd", "folds", "correlation"
    ),
    "wilcoxon": _kind(algorithm_questions.dataset_ranks, "baseline", "sd"),
    "friedman": _kind(algorithm_questions.dataset_friedman, "baseline", "sd"),
    "proportion": _kind(item_questions.width_of_rate, "baseline"),
    "mean_t": _kind(item_questions.width_of_mean, "baseline", "sd"),
}  # fmt: skip
"""Every plan by the test it is for; ``baseline`` says nothing about a mean and is let through."""


def pose(
    measure: Measure | None,
    facts: Facts,
    setting: Setting,
    *,
    method: str | None = None,
    paired: bool | None = None,
    width: bool = False,
) -> tuple[Question, ...]:
    """The question that the facts describe; several, each with its label, where one is missing."""
    name = method or _chosen(measure, facts, setting, paired=paired, width=width)
    if name not in KINDS:
        raise UsageError(f"no plan for {name!r}; there are {', '.join(KINDS)}")
    kind = KINDS[name]
    idle = [fact for fact in facts.given() if fact not in kind.uses]
    if idle:
        raise UsageError(
            f"{' and '.join(idle)} {'plays' if len(idle) == 1 else 'play'} no part in a plan for {name}, "
            f"which uses {', '.join(sorted(kind.uses))}"
        )
    return kind.build(facts, setting)


def is_outcome(measure: Measure | None) -> bool:
    """Whether the measure counts right and wrong items."""
    return measure is not None and measure.counts is not None


def _chosen(
    measure: Measure | None, facts: Facts, setting: Setting, *, paired: bool | None, width: bool
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
        return "repeats"
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
