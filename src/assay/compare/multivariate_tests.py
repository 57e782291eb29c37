"""All measures at once: Hotelling's T² and MANOVA beside the verdicts, where the design allows them."""

from collections.abc import Sequence

import numpy as np

from assay.compare.design import Design
from assay.compare.item_procedures import item_losses
from assay.compare.score_gaps import complete
from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, UsageError
from assay.core.notes import Note, by_count, note
from assay.core.results import TestOutcome
from assay.estimates.mean_scores import splits_said
from assay.evidence.scores import Scores
from assay.hypotheses.many_criteria import hotelling_paired, hotelling_two_sample, manova

Joint = tuple[tuple[str, TestOutcome], ...]


def joint_tests(designs: Sequence[Design], *, level: float) -> tuple[Joint, tuple[Note, ...]]:
    """The test that the models are alike in all measures, or a note on why there is none."""
    if len(designs) < 2:
        return (), ()
    try:
        return (_tested(designs, level),), ()
    except (EvidenceError, UsageError) as error:
        return (), (note("criteria-not-joined", why=error),)


def _tested(designs: Sequence[Design], level: float) -> tuple[str, TestOutcome]:
    first = designs[0]
    if first.kind not in ("pair", "many"):
        raise UsageError("it compares models that were measured on the same units")
    if not isinstance(first.evidence, Scores):
        return _over_items(designs, level)
    groups = _groups(designs)
    if first.unit == "fold":
        how = splits_said(first.scores, len(groups[0]))
        if first.kind == "many" or not how:
            raise UsageError(
                "folds share training data, and MANOVA of several algorithms has no correction for that"
                if first.kind == "many"
                else "how the folds were made is not known, so nothing corrects for what they share"
            )
        found = hotelling_paired(*groups, unit="fold", level=level, **how)
        return "Hotelling's T² of all measures, corrected for folds", found
    if first.kind == "many":
        return "MANOVA of all measures", manova(groups, unit=first.unit, level=level)
    if first.unit == "seed":
        found = hotelling_two_sample(*groups, unit="seed", level=level)
    else:
        found = hotelling_paired(*groups, unit=first.unit, level=level)
    return "Hotelling's T² of all measures", found


def _over_items(designs: Sequence[Design], level: float) -> tuple[str, TestOutcome]:
    first = designs[0]
    others = [design.measure.called for design in designs if not design.of_means]
    if first.kind != "pair":
        raise UsageError("over items it is made for two models")
    if first.dependent:
        raise UsageError("it takes items as independent and of one weight")
    if others:
        raise UsageError(
            f"{' and '.join(others)} {by_count(len(others), 'is not a mean', 'are not means')} over items"
        )
    losses = np.array([item_losses(design, as_read=True) for design in designs])
    order = np.lexsort(losses.reshape(-1, losses.shape[-1]))  # sums do not go by that of the rows
    a, b = (losses[:, place, order].T for place in (0, 1))
    return "Hotelling's T² of all measures", hotelling_paired(a, b, unit="item", level=level)


def _groups(designs: Sequence[Design]) -> list[FloatArray]:
    """For each model a matrix: rows the units that all measures have, columns the measures."""
    if designs[0].unit == "seed":
        tables = [design.scores.blocks(design.scored) for design in designs]
    else:
        tables = [complete(design) for design in designs]
    groups = []
    for model in designs[0].models:
        columns = [
            dict(zip(table.names or (), table.values[:, table.models.index(model)], strict=True))
            for table in tables
        ]
        shared = [name for name in columns[0] if all(name in column for column in columns)]
        matrix = np.array([[column[name] for column in columns] for name in shared])
        groups.append(matrix[~np.isnan(matrix).any(axis=1)])
    return groups
