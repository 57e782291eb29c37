"""The procedures for two models on different items: each runs one design and returns what it found."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from assay.compare.design import Design
from assay.compare.findings import Findings, Others, Settings
from assay.compare.item_procedures import errors_of, in_measure, item_values
from assay.core.results import TestOutcome
from assay.evidence.predictions import Predictions, Unpaired
from assay.measures.registry import Measure

if TYPE_CHECKING:
    from assay.hypotheses.dependent_means import DependentLosses


def different_clusters(design: Design, settings: Settings) -> Findings:
    """Two models on different items that are clustered or weighted: either's spread by itself."""
    from assay.hypotheses.cluster_jackknife import independent_jackknife
    from assay.hypotheses.dependent_means import heeding_apart

    found = _of_two(design, independent_jackknife, level=settings.level)
    if not design.of_means:
        return found
    ((a, b, outcome),) = found.pairs
    parts = [losses_of(part, design.measure) for part in _parts(design)]
    ends = design.measure.low, design.measure.high
    return Findings(pairs=((a, b, heeding_apart(outcome, parts, ends)),))


def different_items(design: Design, settings: Settings) -> Findings:
    """Two models on different items: the pooled z with the score interval, and its neighbours."""
    from assay.hypotheses.independent_outcomes import fisher_exact, two_proportions_z

    first, second = _parts(design)
    counts, measure = (*errors_of(first), *errors_of(second)), design.measure

    def run(test: Callable[..., TestOutcome], **options: Any) -> TestOutcome:
        return in_measure(test(*counts, level=settings.level, **options), measure)

    def others() -> Others:
        from assay.estimates.differences import newcombe

        hybrid = newcombe(*counts, level=settings.level)
        untested = TestOutcome(method=hybrid.method, statistic=None, p_value=None, effect=hybrid)
        return [
            ("Newcombe's interval, without a test", in_measure(untested, measure)),
            ("two proportions z, unpooled", run(two_proportions_z, variant="unpooled")),
            ("Fisher's exact test", run(fisher_exact)),
        ]

    return Findings(pairs=((*design.pair, run(two_proportions_z)),), also=others)


def different_curves(design: Design, settings: Settings) -> Findings:
    """Two models on different items by AUC: DeLong without covariance."""
    from assay.hypotheses.roc import delong_apart

    a, b = (part.areas() for part in _parts(design))
    outcome = delong_apart(a, b, level=settings.level)
    return Findings(pairs=((*design.pair, outcome),))


def different_labels(design: Design, settings: Settings) -> Findings:
    """Two models on different items by a function of their labels: the delta method on the counts."""
    from assay.hypotheses.independent_labels import independent_delta
    from assay.hypotheses.label_slopes import MOST_CLASSES

    parts, measure = _parts(design), design.measure
    outcome = independent_delta(*parts, measure=measure, level=settings.level)
    if any(len(part.classes) > MOST_CLASSES for part in parts):
        return Findings(pairs=((*design.pair, outcome),))

    def others() -> Others:
        from assay.hypotheses.independent_measures import independent_bootstrap

        drawn = independent_bootstrap(*parts, measure=measure, **settings.drawn)
        return [("independent bootstrap, percentile", drawn)]

    return Findings(pairs=((*design.pair, outcome),), also=others)


def different_measures(design: Design, settings: Settings) -> Findings:
    """Two models on different items by any measure: both resampled on their own."""
    from assay.hypotheses.independent_measures import independent_bootstrap

    return _of_two(design, independent_bootstrap, **settings.drawn)


def _of_two(design: Design, test: Callable[..., TestOutcome], **options: Any) -> Findings:
    """Two models by a method that takes the predictions of each."""
    outcome = test(*_parts(design), measure=design.measure, **options)
    return Findings(pairs=((*design.pair, outcome),))


def losses_of(part: Predictions, measure: Measure) -> "DependentLosses":
    """The losses of the one model of some items, or right and wrong answers."""
    from assay.hypotheses.dependent_means import DependentLosses

    columns = part.sorted_columns(measure.needs, part.models)
    return DependentLosses(item_values(columns, measure)[0], columns.clusters, columns.weights)


def _parts(design: Design) -> tuple[Predictions, Predictions]:
    if not isinstance(design.evidence, Unpaired):
        raise TypeError("this procedure needs different items")
    by_model = {part.models[0]: part for part in design.evidence.parts}
    return by_model[design.models[0]], by_model[design.models[1]]
