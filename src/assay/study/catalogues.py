"""Catalogues of data sets: a folder of files with their facts, and the suite that assay brings along."""

import csv
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from assay.core.errors import EvidenceError
from assay.study.feature_tables import Task

Kind = Literal["numeric", "categorical", "group"]
NAMES = ("catalog.json", "catalog.csv")
SUITE = Path(__file__).parent / "data"


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """What a catalogue says about one data set; what it does not say is found out or left open."""

    name: str
    file: str | None = None
    loader: str | None = None
    """The function of scikit-learn that has it; only in assay's own suite."""
    title: str = ""
    task: Task | None = None
    target: str = "target"
    group_column: str | None = None
    ordered: bool = False
    columns: dict[str, Kind] = {}
    rows: int | None = None
    features: int | None = None
    categorical: int | None = None
    missing_percent: float | None = None
    classes: int | None = None
    smallest_class: int | None = None
    majority_fraction: float | None = None
    duplicate_rows: int | None = None
    source: str = ""
    creators: str = ""
    licence: str = ""
    licence_evidence: str = ""
    obtained_from: str = ""
    notes: str = ""
    bytes: int | None = None
    sha256: str | None = None
    fingerprint: str | None = None


def read_catalogue(folder: Path) -> dict[str, Listed]:
    """The data sets of a folder by name, from its catalog.json or catalog.csv."""
    path = catalogue_of(folder)
    if path is None:
        raise EvidenceError(
            f"{folder} has no catalogue ({' or '.join(NAMES)}); name its files instead, such as "
            f"{folder / '*.csv'}"
        )
    try:
        rows = _from_json(path) if path.suffix == ".json" else _from_csv(path)
        listed = [msgspec.convert(row, Listed, strict=False) for row in rows]
    except OSError as error:
        raise EvidenceError(f"cannot read {path}: {error.strerror}") from None
    except (msgspec.MsgspecError, UnicodeError, RecursionError, csv.Error) as error:
        raise EvidenceError(f"{path} is no catalogue of data sets: {error}") from None
    found = {one.name: one for one in listed}
    if len(found) < len(listed):
        raise EvidenceError(f"{path} lists two data sets of the same name")
    return found


def catalogue_of(folder: Path) -> Path | None:
    """The catalogue of a folder, if it has one."""
    return next((folder / name for name in NAMES if (folder / name).is_file()), None)


@lru_cache(maxsize=1)
def suite() -> dict[str, Listed]:
    """The data sets that come with assay, or with what assay depends on."""
    return read_catalogue(SUITE)


def file_of(folder: Path, listed: Listed) -> Path:
    """The file of a data set, inside its folder and as the catalogue knows it."""
    if listed.file is None:
        raise EvidenceError(f"the catalogue of {folder} names no file for {listed.name}")
    path = folder / listed.file
    if not path.resolve().is_relative_to(folder.resolve()):
        raise EvidenceError(f"{listed.name}: the file {listed.file!r} lies outside of {folder}")
    if listed.sha256 is not None:
        try:
            seen = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            raise EvidenceError(f"cannot read {path}: {error.strerror}") from None
        if seen != listed.sha256:
            raise EvidenceError(
                f"{path} is not the file that its catalogue describes: SHA-256 {seen} where "
                f"{listed.sha256} is due; get it again, or correct the catalogue"
            )
    return path


def _from_json(path: Path) -> list[Any]:
    document = msgspec.json.decode(path.read_bytes())
    rows = document.get("datasets") if isinstance(document, dict) else document
    if not isinstance(rows, list):
        raise EvidenceError(f"{path} has no list 'datasets'")
    return rows


def _from_csv(path: Path) -> list[Any]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return [
            {name: cell for name, cell in row.items() if name and cell}
            for row in csv.DictReader(file)
        ]
