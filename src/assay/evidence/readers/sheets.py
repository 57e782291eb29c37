"""Tables with their roles and models recognised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cells import class_text, id_text, quoted
from assay.evidence.engines import MAX_LEVELS
from assay.evidence.readers.sources import Table
from assay.evidence.roles import (
    KNOWN,
    MODEL_COLUMN,
    NAMELESS,
    ModelColumns,
    ModelsGiven,
    Role,
    chosen_models,
    is_long,
    may_name_classes,
    parse_columns,
    recognise_roles,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sheet:
    """A table, what its columns are for, and, in long form, the column that names the model."""

    table: Table
    roles: Mapping[Role, str]
    models: Mapping[str, ModelColumns]
    model_column: str | None = None

    @property
    def title(self) -> str:
        return self.table.title

    def used(self) -> list[str]:
        """The columns that have a role or belong to a model."""
        of_models = (name for of in self.models.values() for name in of.used())
        return list(dict.fromkeys([*self.roles.values(), *of_models]))

    def model_names(self) -> list[str]:
        """The models named in a long table, in order of text."""
        column = str(self.model_column)
        levels = self.table.rows().levels([column], MAX_LEVELS)[column]
        if levels is None or None in levels:
            raise EvidenceError(f"column {column!r} of {self.title} must name a model in every row")
        return sorted({id_text(level) for level in levels})


def recognise_sheets(
    tables: Sequence[Table], given: Mapping[Role, str | None], models: ModelsGiven
) -> list[Sheet]:
    """Roles and models of every table, from what was said and from the names of columns."""
    _check_given(tables, given, models)
    named = _named_columns(models)
    longs = [_model_column(table) for table in tables]
    roles = [_roles(table, long, given, named) for table, long in zip(tables, longs, strict=True)]
    free = [
        [name for name in table.names if name not in of.values() and name != long]
        for table, of, long in zip(tables, roles, longs, strict=True)
    ]
    classes = _classes(tables, roles) if any(map(may_name_classes, free)) else frozenset()
    names = _nameless(tables, longs, free)
    sheets = []
    for table, long, of, columns, nameless in zip(tables, longs, roles, free, names, strict=True):
        if long is not None:
            columns = [name for name in columns if _says_kind(name, classes)]  # noqa: PLW2901
        found = parse_columns(columns, classes, nameless)
        if long is not None:
            found = {model: found[model] for model in found if model == nameless}
        elif len(tables) == 1:
            found = chosen_models(models, table.names, found, table.title)
        sheets.append(Sheet(table=table, roles=of, models=found, model_column=long))
    if len(tables) > 1:
        sheets = _named_by_file(_assigned(sheets, models))
        _refuse_twins(sheets)
    return sheets


def _model_column(table: Table) -> str | None:
    """The column that names the model, if the table is in long form."""
    if not is_long(table.names):
        return None
    return next(name for name in table.names if name.strip().lower() == MODEL_COLUMN)


def _check_given(
    tables: Sequence[Table], given: Mapping[Role, str | None], models: ModelsGiven
) -> None:
    for role, column in given.items():
        if column is None:
            continue
        lacking = [table for table in tables if column not in table.names]
        if len(lacking) == len(tables) or (role == "id" and lacking):
            table = lacking[0]
            raise EvidenceError(
                f"{table.title} has no column {column!r} for the {role}; "
                f"it has {quoted(table.names, 20)}"
            )
    if models is not None and not models:
        raise UsageError("models= names no model")


def _named_columns(models: ModelsGiven) -> set[str]:
    """Columns that models= claims, so that no role takes them by its name."""
    if models is None:
        return set()
    if not isinstance(models, Mapping):
        return {models} if isinstance(models, str) else set(models)
    claimed = set()
    for spec in models.values():
        if isinstance(spec, str):
            claimed.add(spec)
        else:
            for column in spec.values():
                claimed |= set(column.values()) if isinstance(column, Mapping) else {column}
    return claimed


def _roles(
    table: Table, long: str | None, given: Mapping[Role, str | None], named: set[str]
) -> dict[Role, str]:
    here = {role: column if column in table.names else None for role, column in given.items()}
    taken = set(named)
    if long is not None:
        taken.add(long)
        if here["truth"] is None:
            taken |= _label_of_model(table)
    return recognise_roles(table.names, here, table.title, taken=taken)


def _label_of_model(table: Table) -> set[str]:
    """In long form ``label`` is the prediction if there is another truth or no other prediction."""
    lowered = {name.strip().lower(): name for name in table.names}
    others = (set(KNOWN["truth"]) - {"label"}) & set(lowered)
    predictions = (set(NAMELESS) - {"label"}) & set(lowered)
    return {lowered["label"]} if "label" in lowered and (others or not predictions) else set()


def _classes(tables: Sequence[Table], roles: Sequence[Mapping[Role, str]]) -> frozenset[str]:
    """The classes of the truth, which tell what ``NAME_p_CLASS`` means."""
    found: set[str] = set()
    for table, of in zip(tables, roles, strict=True):
        if "truth" in of:
            levels = table.rows().levels([of["truth"]], MAX_LEVELS)[of["truth"]] or ()
            found |= {class_text(level) for level in levels if level is not None}
    return frozenset(found)


def _says_kind(name: str, classes: frozenset[str]) -> bool:
    return "" in parse_columns([name], classes, "")


def _nameless(
    tables: Sequence[Table], longs: Sequence[str | None], free: Sequence[Sequence[str]]
) -> list[str]:
    """What a model is called whose columns only say ``y_pred``: the file, or the column itself."""
    names = []
    for table, long, columns, name in zip(tables, longs, free, _apart(tables), strict=True):
        if long is not None:
            names.append("")
        elif table.stem is None:
            names.append(columns[0] if len(columns) == 1 else "model")
        else:
            names.append(name)
    return names


def _apart(tables: Sequence[Table]) -> list[str]:
    """What files are called: their stems, and where those are equal what tells them apart."""
    names = [table.stem or "" for table in tables]
    by_stem: dict[str, dict[int, Path]] = {}
    for place, table in enumerate(tables):
        if table.file is not None:
            by_stem.setdefault(names[place], {})[place] = table.file.path
    for stem, paths in by_stem.items():
        for place, name in zip(paths, _told_apart(stem, list(paths.values())), strict=True):
            names[place] = name
    return names


def _told_apart(stem: str, paths: Sequence[Path]) -> list[str]:
    """The stem with as many folders before it as it takes, or the file name with its ending."""
    folders = [path.parts[:-1] for path in paths]
    for names in ([stem] * len(paths), [path.name for path in paths]):
        for depth in range(max(map(len, folders)) + 1):
            longer = [
                "/".join((*of[len(of) - depth :], name))
                for of, name in zip(folders, names, strict=True)
            ]
            if len(set(longer)) == len(longer):
                return longer
    return [path.name for path in paths]


def _assigned(sheets: Sequence[Sheet], models: ModelsGiven) -> list[Sheet]:
    """With several sources a mapping of models to columns is dealt to the sources that have them."""
    if not isinstance(models, Mapping):
        return list(sheets)
    dealt: list[dict[str, ModelColumns]] = [{} for _ in sheets]
    for model, spec in models.items():
        columns = _named_columns({model: spec})
        owners = [p for p, sheet in enumerate(sheets) if columns <= set(sheet.table.names)]
        if len(owners) != 1:
            raise UsageError(
                f"models={{{model!r}: …}}: {quoted(sorted(columns))} is in {len(owners)} of the "
                "sources; rename columns so that it is in one"
            )
        table = sheets[owners[0]].table
        dealt[owners[0]] |= chosen_models({model: spec}, table.names, {}, table.title)
    return [replace(sheet, models=of) for sheet, of in zip(sheets, dealt, strict=True)]


def _named_by_file(sheets: Sequence[Sheet]) -> list[Sheet]:
    """A file with one model lends it its name."""
    named = []
    for sheet, name in zip(sheets, _apart([sheet.table for sheet in sheets]), strict=True):
        if sheet.table.file is None or sheet.model_column is not None or len(sheet.models) != 1:
            named.append(sheet)
            continue
        (columns,) = sheet.models.values()
        named.append(replace(sheet, models={name: columns}))
    return named


def _refuse_twins(sheets: Sequence[Sheet]) -> None:
    owners: dict[str, str] = {}
    for sheet in sheets:
        for model in sheet.models if sheet.model_column is None else ():
            if model in owners:
                raise EvidenceError(
                    f"{owners[model]} and {sheet.title} both have a model {model!r}; "
                    "rename the column in one of them, or give each file a name with models="
                )
            owners[model] = sheet.title
