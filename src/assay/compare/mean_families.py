"""Many models on the same items by a mean: simultaneous intervals that heed skewness and the unseen."""

from dataclasses import replace

import numpy as np

from assay.compare.design import Design
from assay.compare.findings import Settings
from assay.compare.item_procedures import all_losses
from assay.core.results import FamilyOutcome
from assay.estimates.loss_ranges import largest_differences
from assay.estimates.resampling_cells import MANY_MEANS
from assay.hypotheses.cluster_jackknife import deleted_member
from assay.hypotheses.simultaneous import (
    Member,
    families_of,
    joint_replicates,
    member_of,
    pair_places,
    pairs_of,
)
from assay.hypotheses.skewed_families import heeded
from assay.hypotheses.skewed_means import checked_bound

Pairs = tuple[tuple[str, str], ...]


def means_together(design: Design, settings: Settings) -> FamilyOutcome:
    """All pairs of models, or those with the baseline, in one mean."""
    pairs, bound = pairs_of(design.models, design.baseline), settings.bound
    drawn = {"n_resamples": settings.n_resamples, "seed": settings.seed}
    return families_of([mean_member(design, pairs, bound=bound, **drawn)], level=settings.level)[0]


def mean_member(
    design: Design, pairs: Pairs, *, n_resamples: int, seed: int, bound: float | None = None
) -> Member:
    """The pairs of one mean, drawn by the method that decides, each corrected as two models alone are."""
    evidence, measure = design.items, design.measure
    if design.dependent:
        member = deleted_member(evidence, measure, pairs, n_resamples, seed)
    else:
        found = joint_replicates(evidence, measure, n_resamples, seed)
        member = member_of(found, pairs, evidence.n)
        if evidence.n >= MANY_MEANS:  # no rare item moves a mean of so many
            return member
    columns = evidence.sorted_columns(measure.needs, design.models)
    losses, (a, b) = all_losses(design), pair_places(design.models, pairs)
    places = list(zip(a.tolist(), b.tolist(), strict=True))
    known = largest_differences(measure, columns, places)
    if bound is not None:
        told = [checked_bound(bound, losses[one] - losses[other]) for one, other in places]
        known = np.minimum(known, told)
    own = heeded(
        losses, (a, b), member.errors, known, clusters=columns.clusters, weights=columns.weights,
    )  # fmt: skip
    return replace(member, heeded=own)
