"""Two models on different items, compared in any measure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_count
from assay.core.methods import method
from assay.core.results import TestOutcome
from assay.core.rng import Rng, seed_of
from assay.estimates.bootstrap import replicates_of
from assay.estimates.bootstrap_exact import WAYS, Way, independent_means
from assay.estimates.method_question import MethodQuestion
from assay.estimates.resampling_cells import Reduced, reduce
from assay.evidence.argument_checks import as_predictions
from assay.hypotheses.replicate_answers import exact_difference, sampled_difference
from assay.measures.registry import find_measure


@method(
    question="Do two models tested on different items differ in a measure?",
    takes="two-predictions",
    gives="test",
    unit="item",
    assumes=("items are independent", "the two test sets are independent of each other"),
    reference="efron1993",
    requirement="T5",
    title="bootstrap of independent samples",
)
def independent_bootstrap(
    evidence_a: Any,
    evidence_b: Any,
    *,
    measure: Any = "accuracy",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
    method: Way = "auto",
) -> TestOutcome:
    """The difference of a measure on two test sets, each resampled on its own.

    Means of numbers have their exact distribution (no seed) unless ``method`` is "sampled".
    """
    asked = MethodQuestion.of("independent_bootstrap", level=level)
    way = check_choice(method, WAYS, "method")
    check_count(n_resamples, "n_resamples", at_least=1)
    chosen = find_measure(measure)
    parts = [as_predictions(evidence_a), as_predictions(evidence_b)]
    facts = (("n_a", parts[0].n), ("n_b", parts[1].n))
    law = independent_means(parts[0], parts[1], chosen, way=way)
    n = sum(part.n for part in parts)
    if law is not None:
        exact = exact_difference(asked, law, chosen.called, n)
        if exact is not None:
            return replace(exact, details=(*exact.details, *facts))
    seed = seed_of(rng)
    reduced = [reduce(part, chosen) for part in parts]
    return sampled_difference(
        asked,
        reduced[0].measure,
        float(reduced[0].values[0]) - float(reduced[1].values[0]),
        _apart(reduced, n_resamples, seed),
        n,
        seed=seed,
        details=(("n_resamples", n_resamples), *facts),
        units=min(part.n for part in parts),
    )


def _apart(reduced: Sequence[Reduced], n_resamples: int, seed: int) -> FloatArray:
    """Differences of two test sets, each resampled on its own.

    Two seeds, so that equal data on both sides are not resampled alike; who has the first one
    depends on the data alone, so that swapping the models mirrors the answer.
    """
    order = [(float(one.values[0]), one.counts.tolist()) for one in reduced]
    seeds = (seed, seed + 1) if order[0] >= order[1] else (seed + 1, seed)
    found = [
        replicates_of(one, n_resamples=n_resamples, rng=own)
        for one, own in zip(reduced, seeds, strict=True)
    ]
    return found[0].replicates[:, 0] - found[1].replicates[:, 0]
