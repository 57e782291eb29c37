"""A gate in a file: `assay.toml`, whose schema is published, or a bare file of terms."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from assay.core.errors import EvidenceError, UsageError
from assay.core.toml_files import read_toml

FOUND = "assay.toml"
"""The file that the command looks for where it is called."""

Policy = Literal["fail", "warn", "pass"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


def _said(text: str) -> Meta:
    return Meta(description=text)


class GateTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What a candidate has to show; unknown keys are refused, so that a misspelt margin is no silent default."""

    margin: Annotated[float | None, _said("the largest loss that does not matter")] = None
    margins: Annotated[dict[str, float] | None, _said("margins of single measures")] = None
    better_by: Annotated[
        float | dict[str, float] | None,
        _said("pass only a gain above this (0: any gain); for all measures, or by measure"),
    ] = None
    at_least: Annotated[
        dict[str, float] | None, _said("levels that the candidate's measures must reach")
    ] = None
    at_most: Annotated[
        dict[str, float] | None, _said("levels that the candidate's losses must not exceed")
    ] = None
    measures: Annotated[list[str] | None, _said("measures; all must pass")] = None
    slice: Annotated[str | None, _said("column whose values must all pass too")] = None
    slice_margin: Annotated[float | None, _said("the margin within slices")] = None
    each: Annotated[float | None, _said("share of its repeats that every item must get right")] = (
        None
    )
    observed: Annotated[bool | None, _said("judge levels by what was observed, without bounds")] = (
        None
    )
    level: Annotated[float | None, _said("confidence of each one-sided bound, 0.95")] = None
    holm: Annotated[bool | None, _said("correct both claims by Holm's step-down")] = None
    on_undecided: Annotated[
        Policy | None, _said("exit 3 (fail), or 0 with a warning or without")
    ] = None


class GateReading(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """How the files are read: the options of `assay.read`."""

    truth: str | UnsetType = UNSET
    id: str | bool | UnsetType = UNSET
    models: list[str] | UnsetType = UNSET
    ignore: list[str] | UnsetType = UNSET
    cluster: str | UnsetType = UNSET
    repeat: str | UnsetType = UNSET
    weight: str | UnsetType = UNSET
    count: str | UnsetType = UNSET
    positive: str | int | float | UnsetType = UNSET
    threshold: float | UnsetType = UNSET
    correct: bool | UnsetType = UNSET
    losses: bool | UnsetType = UNSET
    lower_is_better: bool | UnsetType = UNSET
    missing: str | UnsetType = UNSET
    metric: str | UnsetType = UNSET
    task: list[str] | UnsetType = UNSET
    unit: str | UnsetType = UNSET
    where: list[str] | UnsetType = UNSET
    paired: bool | UnsetType = UNSET


class AssayFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`assay.toml`: the files of a gate, how they are read, and the terms."""

    files: Annotated[
        list[str], _said("the baseline's file and the candidate's, or one file with both")
    ] = []
    baseline: Annotated[str | None, _said("the model in place")] = None
    candidate: Annotated[str | None, _said("the model that would take its place")] = None
    seed: Annotated[int | None, _said("seed of what is drawn at random")] = None
    reading: GateReading = msgspec.field(default_factory=GateReading)
    gate: GateTable = msgspec.field(default_factory=GateTable)

    def terms(self) -> dict[str, Any]:
        """The terms, None where the file is silent."""
        return msgspec.structs.asdict(self.gate)

    def told(self) -> dict[str, Any]:
        """The options of reading that the file gives."""
        given = msgspec.structs.asdict(self.reading)
        return {name: value for name, value in given.items() if value is not UNSET}


def read_gate_file(path: Path) -> AssayFile:
    """A file with a table `gate`, or one whose top holds the terms themselves."""
    try:
        found, _ = read_toml(path, "gate")
    except EvidenceError as error:  # the terms of a gate are an option, and no evidence
        raise UsageError(str(error)) from None
    whole = {"gate", "files", "reading"} & set(found)
    try:
        return (
            msgspec.convert(found, AssayFile)
            if whole
            else AssayFile(gate=msgspec.convert(found, GateTable))
        )
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {_refusal(str(error), whole=bool(whole))}") from None
    except RecursionError:
        raise UsageError(f"{path}: values lie too deep inside each other") from None


def _refusal(said: str, *, whole: bool) -> str:
    """What is wrong with a file, in words: a key that a table does not have, and where it belongs."""
    found = re.match(r"Object contains unknown field `(.*?)`(?: - at `\$\.(\w+)`)?$", said)
    if found is None:
        return said.replace("object | null", "table | null")  # TOML's word
    key, table = found[1], found[2] or ("" if whole else "gate")
    tables = {"": AssayFile, "reading": GateReading, "gate": GateTable}
    place = (f"[{table}]" if table else "the top of the file") if whole else "a file of terms alone"
    home = next((name for name, one in tables.items() if key in one.__struct_fields__), None)
    if home is None:
        return f"{place} has no {key}; it may have {', '.join(tables[table].__struct_fields__)}"
    where = f"put it under [{home}]" if home else "put it at the top, before all tables"
    return f"{place} has no {key}: {where}{'' if whole else ', and the terms under [gate]'}"


def schema() -> dict[str, Any]:
    """The JSON schema of `assay.toml`, whole or of terms alone, for editors and checkers."""
    forms, parts = msgspec.json.schema_components(
        [AssayFile, GateTable], ref_template="#/$defs/{name}"
    )
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "title": FOUND, "anyOf": list(forms), "$defs": parts}
