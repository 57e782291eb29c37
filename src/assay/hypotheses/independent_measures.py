"""Two models on different items, compared in any measure."""

from typing import Any

from assay.core.checks import check_level
from assay.core.methods import method
from assay.core.results import Estimate, Interval, TestOutcome
from assay.core.rng import Rng, seed_of
from assay.estimates.bootstrap import bootstrap_p_value, percentile_interval, replicates_of
from assay.estimates.reductions import reduce
from assay.evidence.shapes import as_predictions
from assay.measures.registry import find_measure


@method(
    question="Do two models tested on different items differ in a measure?",
    takes="two-predictions",
    gives="test",
    unit="item",
    assumes=("items are independent", "the two test sets are independent of each other"),
    reference="efron1993",
    requirement="T5",
)
def independent_bootstrap(
    evidence_a: Any,
    evidence_b: Any,
    *,
    measure: Any = "accuracy",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> TestOutcome:
    """The difference of a measure on two test sets, each resampled on its own."""
    seed = seed_of(rng)
    chosen = find_measure(measure)
    parts = [as_predictions(evidence_a, models=1), as_predictions(evidence_b, models=1)]
    reduced = [reduce(part, chosen) for part in parts]
    values = [float(one.values[0]) for one in reduced]
    # Two seeds, so that equal data on both sides are not resampled alike; who has the first one
    # depends on the data alone, so that swapping the models mirrors the answer.
    order = [(value, one.counts.tolist()) for value, one in zip(values, reduced, strict=True)]
    seeds = (seed, seed + 1) if order[0] >= order[1] else (seed + 1, seed)
    found = [
        replicates_of(one, n_resamples=n_resamples, rng=own)
        for one, own in zip(reduced, seeds, strict=True)
    ]
    replicates = found[0].replicates[:, 0] - found[1].replicates[:, 0]
    value = values[0] - values[1]
    low, high = percentile_interval(replicates, level=check_level(level))
    effect = Estimate(
        measure=chosen.name,
        value=value,
        interval=Interval(low=low, high=high, level=level, method="independent_bootstrap"),
        method="independent_bootstrap",
        n=sum(part.n for part in parts),
        unit="item",
        standard_error=float(replicates.std(ddof=1)),
        seed=seed,
    )
    return TestOutcome(
        method="independent_bootstrap",
        statistic=value,
        p_value=bootstrap_p_value(replicates, null=0.0),
        effect=effect,
        seed=seed,
        details=(("n_resamples", n_resamples), ("n_a", parts[0].n), ("n_b", parts[1].n)),
    )
