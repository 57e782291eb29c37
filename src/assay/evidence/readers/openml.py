"""Predictions of OpenML runs: ``predictions.arff`` with repeat, fold, row_id, prediction and truth."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import class_text, is_fraction, number_of
from assay.evidence.model_columns import ModelColumns
from assay.evidence.names import Role
from assay.evidence.prediction_assembly import settle
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.readers.arff import Arff, read_arff
from assay.evidence.readers.item_join_memory import JoinedPart, align
from assay.evidence.reading_options import Told

COLUMNS = frozenset({"row_id", "prediction"})
"""By which a file of predictions is known, if it is in ARFF."""
_TRUTHS = ("truth", "correct", "ground_truth")
_CONFIDENCE = "confidence."


def read(files: Sequence[tuple[Path, str]], asked: Told) -> Predictions | Unpaired:
    """Predictions of runs on the same task, joined by row and repeat; folds are kept."""
    names = _names([path for path, _ in files], asked.listed)
    policy = asked.on_mismatch
    parts = [
        _part(read_arff(path, title), title, name)
        for (path, title), name in zip(files, names, strict=True)
    ]
    groups = [parts] if asked.paired else [[part] for part in parts]
    joined = [align(group, by_position=False, policy=policy) for group in groups]
    found = [
        settle(one.rows, one.roles, one.models, positive=asked.positive, notes=one.notes)
        for one in joined
    ]
    return found[0] if asked.paired else Unpaired(parts=tuple(found))


def _names(paths: Sequence[Path], listed: Sequence[str] | None) -> Sequence[str]:
    stems = [path.name.split(".")[0] for path in paths]
    if listed is not None:
        if len(listed) != len(paths):
            raise EvidenceError(f"models= names {len(listed)} models for {len(paths)} files")
        return listed
    if len(set(stems)) == len(stems):
        return stems
    return [f"{path.parent.name}/{stem}" for path, stem in zip(paths, stems, strict=True)]


def _truth(table: Arff, title: str) -> str:
    for name in _TRUTHS:
        if name in table.names:
            return name
    raise EvidenceError(f"{title} has none of the columns {', '.join(_TRUTHS)}")


def _confidences(table: Arff) -> dict[str, str]:
    """The columns of confidence by class."""
    named = [name for name in table.names if name.startswith(_CONFIDENCE)]
    return {class_text(name.removeprefix(_CONFIDENCE)): name for name in named}


def _part(table: Arff, title: str, model: str) -> JoinedPart:
    truth = _truth(table, title)
    splits: tuple[Role, ...] = ("fold", "repeat")
    several = {role: role for role in splits if len(set(table.column(role))) > 1}
    roles: dict[Role, str] = {"id": "row_id", "truth": truth, **several}
    confident = _confidences(table)
    gaps = any(None in table.column(name) for name in confident.values())
    if _is_numeric(table, truth):
        columns = ModelColumns(values="prediction")
    else:
        columns = ModelColumns(labels="prediction", probabilities={} if gaps else confident)
    kept = [*roles.values(), "prediction", *confident.values()]
    arrays = {name: np.array(table.column(name), dtype=object) for name in kept}
    return JoinedPart(title=title, arrays=arrays, roles=roles, models={model: columns})


def _is_numeric(table: Arff, truth: str) -> bool:
    """Numbers to be predicted, not classes: declared so, or text of which some are no whole numbers."""
    if _confidences(table):
        return False
    if table.declares_numbers(truth) and table.declares_numbers("prediction"):
        return True
    cells = table.column(truth)
    return all(number_of(cell) is not None for cell in cells) and any(map(is_fraction, cells))
