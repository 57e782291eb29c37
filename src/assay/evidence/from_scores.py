"""Arguments from scores by fold, seed or data set, and from bare columns of numbers."""

from collections.abc import Callable, Sequence

import numpy as np

from assay.core.checks import FloatArray
from assay.core.errors import EvidenceError, UsageError
from assay.core.methods import Method
from assay.evidence.from_items import losses_of
from assay.evidence.given import Given
from assay.evidence.refusals import Arguments, refused
from assay.evidence.scores import Scores

Sources = Sequence[Given]

_OF_LABELS = {
    "sample": "the accuracy of labels has `assay test wilson`",
    "two-samples": "models on the same items are compared by paired_t, mcnemar or `assay compare`",
    "runs": "models on the same items are compared by paired_t, mcnemar or `assay compare`",
    "groups": "right and wrong of models on the same items are compared by cochran_q",
    "many-runs": "right and wrong of models on the same items are compared by cochran_q",
    "blocks": "right and wrong of models on the same items are compared by cochran_q",
}


def sample(method: Method, sources: Sources) -> Arguments:
    """One list of numbers."""
    (given,) = sources
    if given.kind == "predictions" and _losses_only(given):
        return (losses_of(method, given, 1)[0],), {}
    (values,) = _columns(method, given, 1).values()
    return (values,), {}


def pairs(method: Method, sources: Sources) -> Arguments:
    """Two lists of equal length, or one of differences."""
    (given,) = sources
    if given.kind == "predictions":
        losses = losses_of(method, given, 2)
        # of labels the larger is the better, so that a difference is one of accuracy
        return tuple(losses if _losses_only(given) else 1.0 - losses), {}
    if given.kind == "numbers" and len(given.numbers()) == 1:
        return tuple(given.numbers().values()), {}
    _refuse_unless_scores(method, given)
    blocks = given.blocks()
    if blocks.k != 2:
        raise given.too_many(blocks.models, 2)
    rows = np.argwhere(np.isnan(blocks.values))
    if len(rows):
        where = blocks.name(int(rows[0][0]))
        raise EvidenceError(
            f"{given.title} has no score of {blocks.models[int(rows[0][1])]!r} at {where}: pairs need "
            "both; leave it out for both models"
        )
    return tuple(blocks.values.T), {}


def two_samples(method: Method, sources: Sources) -> Arguments:
    """Two lists, unpaired; in one table or one table each."""
    if len(sources) == 2:
        found = [_columns(method, given, 1) for given in sources]
        return tuple(values for one in found for values in one.values()), {}
    return tuple(_columns(method, sources[0], 2).values()), {}


def groups(method: Method, sources: Sources) -> Arguments:
    """A list of numbers for each name."""
    (given,) = sources
    return (_columns(method, given, None),), {}


def blocks(method: Method, sources: Sources) -> Arguments:
    """A table, rows units and columns models."""
    (given,) = sources
    _refuse_unless_scores(method, given)
    if method.id == "hotelling_one_sample":
        return (_criteria(method, given, 1)[0],), {}
    return (given.blocks(),), {}


def replicated_pairs(method: Method, sources: Sources) -> Arguments:
    """Differences of two models, a row per repeat and a column per fold."""
    (given,) = sources
    if given.kind == "numbers":
        return (np.column_stack(list(given.numbers().values())),), {}
    _refuse_unless_scores(method, given)
    found, measure = given.scores()
    if len(found.models) != 2:
        raise given.too_many(found.models, 2)
    table = _by(found, measure, "repeat", "fold")
    if table is None or table.shape[1] < 2 or table.shape[2] < 2:
        raise refused(method, given)
    return (table[0] - table[1],), {}


def fold_score_pairs(method: Method, sources: Sources) -> Arguments:
    """Two matrices of scores, a row per data set and a column per fold."""
    (given,) = sources
    _refuse_unless_scores(method, given)
    if given.kind == "numbers":
        raise refused(method, given)
    found, measure = given.scores()
    if len(found.models) != 2:
        raise given.too_many(found.models, 2)
    table = _by(found, measure, "dataset", "inside")
    if table is None or table.shape[2] < 2:
        raise refused(method, given)
    whole = found.folds > 1 and table.shape[2] % found.folds == 0
    return tuple(table), {"folds": found.folds} if whole else {}


def criteria_pairs(method: Method, sources: Sources) -> Arguments:
    """Two matrices, rows units and columns measures."""
    (given,) = sources
    _refuse_unless_scores(method, given)
    return tuple(_criteria(method, given, 2)), {}


def criteria_groups(method: Method, sources: Sources) -> Arguments:
    """A matrix for each model, rows units and columns measures."""
    (given,) = sources
    _refuse_unless_scores(method, given)
    found = given.read()
    names = found.models if isinstance(found, Scores) else ()
    return (dict(zip(names, _criteria(method, given, None), strict=True)),), {}


def _criteria(method: Method, given: Given, count: int | None) -> list[FloatArray]:
    """For each model its scores, rows units and columns measures."""
    if count == 1 and (given.kind == "numbers" or len(_scores_of(given).models) > 1):
        return [given.blocks().values]  # each column is a criterion
    if given.kind == "numbers":
        raise refused(method, given)
    found = _scores_of(given)
    if len(found.measures) < 2:
        raise refused(method, given, f"its only measure is {found.measures[0]!r}")
    if count is not None and len(found.models) != count:
        raise given.too_many(found.models, count)
    tables = np.stack([found.blocks(measure).values for measure in found.measures], axis=2)
    if np.isnan(tables).any():
        raise EvidenceError(
            f"{given.title} has units without a score of some model in some measure: leave them out"
        )
    return [tables[:, place, :] for place in range(len(found.models))]


def _scores_of(given: Given) -> Scores:
    found = given.read()
    if not isinstance(found, Scores):
        raise EvidenceError(f"{given.title} holds {given.holds}, and scores are needed")
    return found


def _by(found: Scores, measure: str, rows: str, columns: str) -> FloatArray | None:
    """Scores as (models, rows, columns); None where a cell is missing or there are two."""
    placed: dict[tuple[str, str], dict[str, float]] = {}
    for score in found.scores:
        if score.measure != measure:
            continue
        inside = f"{score.repeat} {score.seed} {score.fold}"
        row = score.dataset if rows == "dataset" else score.repeat or score.seed
        place = (row, inside if columns == "inside" else score.fold)
        if score.model in placed.setdefault(place, {}):
            return None
        placed[place][score.model] = score.value
    first = list(dict.fromkeys(row for row, _ in placed))
    second = list(dict.fromkeys(column for _, column in placed))
    table = np.array(
        [
            [[placed.get((r, c), {}).get(m, np.nan) for c in second] for r in first]
            for m in found.models
        ]
    )
    return None if np.isnan(table).any() else table


def _columns(method: Method, given: Given, count: int | None) -> dict[str, FloatArray]:
    """Every model's numbers by themselves, empty cells left out."""
    _refuse_unless_scores(method, given)
    if given.kind == "scores":
        found, measure = given.scores()
        columns = found.runs(measure)
    else:
        numbers = {name: np.array(v) for name, v in given.numbers(missing=True).items()}
        columns = {name: values[~np.isnan(values)] for name, values in numbers.items()}
        gaps = {name: np.isnan(values) for name, values in numbers.items()}
        for name, missing in gaps.items():  # a shorter column ends earlier; a hole is a question
            if missing.any() and not missing[int(missing.argmax()) :].all():
                raise EvidenceError(
                    f"column {name!r} of {given.title} is empty in row {int(missing.argmax()) + 1} "
                    "and goes on below: drop or repair that row first, assay does not guess"
                )
    if count is not None and len(columns) != count:
        raise given.too_many(list(columns), count)
    if count is None and len(columns) < 2:
        raise UsageError(
            f"{method.id} compares two models or more, and {given.title} has {next(iter(columns))!r} alone"
        )
    return columns


def _losses_only(given: Given) -> bool:
    found = given.predictions()
    return all(offered == {"losses"} for offered in found.offers.values())


def _refuse_unless_scores(method: Method, given: Given) -> None:
    if given.kind not in ("scores", "numbers"):
        raise refused(method, given, _OF_LABELS.get(method.takes, ""))


SCORES: dict[str, Callable[[Method, Sources], Arguments]] = {
    "sample": sample,
    "pairs": pairs,
    "two-samples": two_samples,
    "runs": two_samples,
    "groups": groups,
    "many-runs": groups,
    "blocks": blocks,
    "replicated-pairs": replicated_pairs,
    "fold-score-pairs": fold_score_pairs,
    "criteria-pairs": criteria_pairs,
    "criteria-groups": criteria_groups,
}
