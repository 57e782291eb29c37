"""Tables of predictions in any form, recognised and joined by item."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cells import id_text, quoted
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.readers.aligned import Joined, Part, align
from assay.evidence.readers.factors import refuse_loss_factors
from assay.evidence.readers.joined import FilePart, join_files
from assay.evidence.readers.joined_frames import join_frames
from assay.evidence.readers.mismatch import OnMismatch, check_policy
from assay.evidence.readers.pivoted import pivot_file
from assay.evidence.readers.sheets import Sheet, recognise_sheets
from assay.evidence.readers.sources import Table
from assay.evidence.roles import ModelColumns, ModelsGiven, Role
from assay.evidence.settle import settle


def read_predictions(
    tables: Sequence[Table],
    *,
    given: Mapping[Role, str | None],
    models: ModelsGiven = None,
    by_position: bool = False,
    positive: Any = None,
    paired: bool = True,
    on_mismatch: str = "error",
) -> Predictions | Unpaired:
    """Predictions from opened tables, joined by item id unless ``by_position``."""
    policy = check_policy(on_mismatch)
    sheets = recognise_sheets(tables, given, models)
    if by_position:
        sheets = [replace(sheet, roles=_without_id(sheet.roles)) for sheet in sheets]
    if not paired:
        return _unpaired(sheets, models, positive)
    joined = _joined(sheets, models, by_position=by_position, policy=policy)
    found = settle(
        joined.rows,
        joined.roles,
        _in_order(joined.models, models, sheets),
        positive=positive,
        notes=joined.notes,
    )
    if models is None:
        refuse_loss_factors(found)
    return found


def _without_id(roles: Mapping[Role, str]) -> dict[Role, str]:
    return {role: column for role, column in roles.items() if role != "id"}


def _joined(
    sheets: Sequence[Sheet], models: ModelsGiven, *, by_position: bool, policy: OnMismatch
) -> Joined:
    """One table of rows from one sheet or several."""
    first = sheets[0]
    if len(sheets) == 1 and first.model_column is None:
        return Joined(
            rows=first.table.rows(first.used()),
            roles=dict(first.roles),
            models=dict(first.models),
            notes=(),
        )
    long = any(sheet.model_column is not None for sheet in sheets)
    if long and by_position:
        raise UsageError("a table in long form is paired by id; id=False does not go with it")
    if not by_position:
        _require_ids(sheets)
    if not long and all(sheet.table.frame is not None for sheet in sheets):
        if by_position:
            raise UsageError("the rows of a cluster have no order; join them by id, with id=")
        return join_frames(sheets, policy=policy)
    run = first.table.run
    if run is not None and all(sheet.table.file is not None for sheet in sheets):
        if not long:
            parts = [_file_part(sheet) for sheet in sheets]
            return join_files(run, parts, by_position=by_position, policy=policy)
        if len(sheets) == 1:
            names = _long_models(first, models)
            return pivot_file(run, _file_part(first), names, str(first.model_column), policy=policy)
    return align(
        [part for sheet in sheets for part in _memory_parts(sheet, models)],
        by_position=by_position,
        policy=policy,
    )


def _require_ids(sheets: Sequence[Sheet]) -> None:
    for sheet in sheets:
        if "id" not in sheet.roles:
            raise EvidenceError(
                f"{sheet.title} has no column of item ids, so its rows cannot be paired; it has "
                f"{quoted(sheet.table.names, 20)}. Name one with id=; if all sources have their "
                "rows in the same order, id=False pairs them by position; if the models met different "
                "items, paired=False"
            )


def _file_part(sheet: Sheet) -> FilePart:
    file = sheet.table.file
    if file is None:
        raise UsageError(f"{sheet.title} is no file")
    return FilePart(
        title=sheet.title,
        sql=file.sql,
        columns={name: file.column(name) for name in file.names},
        roles=sheet.roles,
        models=sheet.models,
        countable=file.format == "parquet",
    )


def _long_models(sheet: Sheet, models: ModelsGiven) -> list[str]:
    """The models of a long table: those asked for, else all."""
    if not sheet.models:
        raise EvidenceError(f"{sheet.title} has a column 'model' but no predictions beside it")
    if isinstance(models, Mapping):
        raise UsageError("in long form models= is a list of names, not a mapping to columns")
    known = sheet.model_names()
    if models is None:
        return known
    asked = [models] if isinstance(models, str) else list(models)
    unknown = [model for model in asked if model not in known]
    if unknown:
        raise EvidenceError(f"{sheet.title} has no model {quoted(unknown)}; it has {quoted(known)}")
    return asked


def _memory_parts(sheet: Sheet, models: ModelsGiven) -> list[Part]:
    """A sheet in memory; a long one as one part per model."""
    names = sheet.used()
    if sheet.model_column is None:
        arrays = sheet.table.loaded(names)
        return [Part(title=sheet.title, arrays=arrays, roles=sheet.roles, models=sheet.models)]
    arrays = sheet.table.loaded([*names, sheet.model_column])
    of_row = np.array(
        [id_text(value) for value in arrays[sheet.model_column].tolist()], dtype=object
    )
    (columns,) = sheet.models.values()
    parts = []
    for model in _long_models(sheet, models):
        mine = np.flatnonzero(of_row == model)
        parts.append(
            Part(
                title=f"{sheet.title}, model {model!r},",
                arrays={name: arrays[name][mine] for name in names},
                roles=sheet.roles,
                models={model: columns},
            )
        )
    return parts


def _in_order(
    found: Mapping[str, ModelColumns], models: ModelsGiven, sheets: Sequence[Sheet]
) -> dict[str, ModelColumns]:
    """The models asked for by name; with one model per source, names given in the order of sources."""
    if models is None or len(sheets) == 1:
        return dict(found)
    asked = [models] if isinstance(models, str) else list(models)
    if all(model in found for model in asked):
        return {model: found[model] for model in asked}
    if len(asked) == len(found) == len([sheet for sheet in sheets if len(sheet.models) == 1]):
        return dict(zip(asked, found.values(), strict=True))
    unknown = [model for model in asked if model not in found]
    raise EvidenceError(f"no model {quoted(unknown)}; the sources have {quoted(found, 20)}")


def _unpaired(sheets: Sequence[Sheet], models: ModelsGiven, positive: Any) -> Unpaired:
    """Each source, or each model of a long table, with its own items."""
    if len(sheets) > 1 and all(sheet.model_column is None for sheet in sheets):
        found = {model: of for sheet in sheets for model, of in sheet.models.items()}
        names = dict(zip(found, _in_order(found, models, sheets), strict=False))
        parts = []
        for sheet in sheets:
            mine = {names.get(model, model): of for model, of in sheet.models.items()}
            parts.append(
                settle(sheet.table.rows(sheet.used()), sheet.roles, mine, positive=positive)
            )
        return Unpaired(parts=tuple(parts))
    if len(sheets) == 1 and sheets[0].model_column is None:
        raise UsageError("paired=False needs a source for each model, or one table in long form")
    split = [part for sheet in sheets for part in _memory_parts(sheet, models)]
    return Unpaired(parts=tuple(_part_alone(part, positive) for part in split))


def _part_alone(part: Part, positive: Any) -> Predictions:
    joined = align([part], by_position="id" not in part.roles, policy="error")
    return settle(joined.rows, joined.roles, joined.models, positive=positive)
