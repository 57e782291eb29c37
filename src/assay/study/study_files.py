"""Study files: TOML with nothing but values; errors name the key and its line."""

import re
from collections.abc import Mapping
from glob import has_magic
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import AssayError, UsageError
from assay.core.file_names import path_of
from assay.core.toml_files import MOST_DEPTH, read_toml
from assay.study.catalogues import suite
from assay.study.curve_tasks import Curves
from assay.study.datasets import OPENML, Source
from assay.study.learners import Learner, from_name
from assay.study.splits import Resampling, written_out
from assay.study.tuning import Inner, Search, Tuning

_KINDS = {
    "object": "a table", "array": "a list", "str": "text", "int": "a whole number", "float": "a number",
    "bool": "true or false",
}  # fmt: skip
"""What msgspec calls otherwise."""


def _in_words(kinds: re.Match[str]) -> str:
    told = [_KINDS.get(kind, kind) for kind in kinds[1].split(" | ") if kind != "null"]
    return " or ".join(told) if told else "nothing"


class StepTable(msgspec.Struct, forbid_unknown_fields=True):
    """One step of a pipeline."""

    estimator: str
    params: dict[str, Any] = {}


class LearnerTable(msgspec.Struct, forbid_unknown_fields=True):
    """A learner: one estimator, or the steps of a pipeline, by dotted name."""

    estimator: str | None = None
    steps: list[str | StepTable] = []
    params: dict[str, Any] = {}
    tune: dict[str, list[Any]] = {}
    search: Search = "grid"
    candidates: int | None = None
    inner: Inner = "cv"
    inner_folds: int = 5
    tune_measure: str | None = None
    prepare: bool = True


class StudyTable(msgspec.Struct, forbid_unknown_fields=True):
    """The whole file."""

    datasets: list[str | Source]
    learners: dict[str, dict[str, Any]]
    """Each read as a :class:`LearnerTable`, so that errors know its name."""
    name: str = "study"
    seed: int = 0
    measures: list[str] = []
    resampling: Resampling = Resampling()
    curves: Curves = Curves()


def read_study(path: Path, allowed: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of :class:`Study` from a file."""
    raw, text = read_toml(path, "study")
    if isinstance(given := raw.get("resampling"), str | dict):
        if given == "valid" and "fits" in raw:  # two lines for a table of two
            given = {"scheme": given, "fits": raw.pop("fits")}
        raw["resampling"] = _written_out(given, path, text)
    if isinstance(named := raw.get("learners"), dict):
        raw["learners"] = {
            name: {"estimator": one} if isinstance(one, str) else one for name, one in named.items()
        }
    try:
        table = msgspec.convert(raw, StudyTable)
    except msgspec.ValidationError as error:
        raise UsageError(_explained(str(error), path, text)) from None
    except RecursionError:
        raise UsageError(f"{path}: values lie too deep inside each other") from None
    learners = {}
    for name, one in table.learners.items():
        try:
            learners[name] = _learner(msgspec.convert(one, LearnerTable), allowed)
        except msgspec.ValidationError as error:
            raise UsageError(_explained(str(error), path, text, "learners", name)) from None
        except AssayError as error:
            place = _place(path, text, ["learners", name])
            raise UsageError(f"{place}: learners.{name}: {error.for_both}") from None
    return {
        "name": table.name if "name" in raw else path.stem,
        "seed": table.seed,
        "measures": table.measures,
        "resampling": _settled(table.resampling, path, text),
        "curves": _checked(table.curves, path, text),
        "datasets": [_beside(one, path.parent) for one in table.datasets],
        "learners": learners,
    }


def _written_out(given: str | dict[str, Any], path: Path, text: str) -> dict[str, Any]:
    try:
        return written_out(given)
    except AssayError as error:
        raise UsageError(f"{_place(path, text, ['resampling'])}: {error.for_both}") from None


def _settled(resampling: Resampling, path: Path, text: str) -> Resampling:
    try:
        return resampling.settled()
    except UsageError as error:
        raise UsageError(f"{_place(path, text, ['resampling'])}: {error.for_both}") from None


def _checked(curves: Curves, path: Path, text: str) -> Curves:
    try:
        return curves.checked()
    except UsageError as error:
        raise UsageError(f"{_place(path, text, ['curves'])}: {error.for_both}") from None


def _learner(table: LearnerTable, allowed: tuple[str, ...]) -> Learner:
    if (table.estimator is None) == (not table.steps):
        raise UsageError("give either estimator = 'package.Class' or steps = [ … ]")
    if table.estimator is not None:
        estimator = from_name(table.estimator, table.params, allowed)
    else:
        estimator = _pipeline(table, allowed)
    if not table.tune:
        return Learner(estimator, prepare=table.prepare)
    tuning = Tuning(
        grid=table.tune,
        search=table.search,
        candidates=table.candidates,
        inner=table.inner,
        folds=table.inner_folds,
        measure=table.tune_measure,
    )
    known = estimator.get_params(deep=True)
    strange = [name for name in table.tune if name not in known]
    if strange:
        raise UsageError(f"tune: the estimator has no parameter {strange[0]!r}")
    return Learner(estimator, tuning=tuning, prepare=table.prepare)


def _pipeline(table: LearnerTable, allowed: tuple[str, ...]) -> Any:
    from sklearn.pipeline import make_pipeline

    steps = [StepTable(one) if isinstance(one, str) else one for one in table.steps]
    pipeline = make_pipeline(*[from_name(one.estimator, one.params, allowed) for one in steps])
    try:
        return pipeline.set_params(**table.params)
    except ValueError as error:
        raise UsageError(f"params: {error}") from None


def _beside(given: str | Source, folder: Path) -> str | Source:
    """Paths and patterns are seen from the folder of the study file; names stay names."""
    if isinstance(given, Source):
        return msgspec.structs.replace(given, source=_beside(given.source, folder))
    there = path_of(folder / given, "a data set")
    known = given in suite() or given.startswith(OPENML)
    return given if known or not (has_magic(given) or there.exists()) else str(there)


def _explained(message: str, path: Path, text: str, *inside: str) -> str:
    """The message of msgspec with the line of the key it speaks of."""
    where = re.search(r" - at `(?:key in )?\$(.*?)`$", message)
    keys = re.findall(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]", where[1]) if where else []
    names = [*inside, *(name for name, _ in keys if name)]
    plain = message[: where.start()] if where else message
    plain = re.sub(r"`(\w+(?: \| \w+)*)`", _in_words, plain)
    unknown = re.search(r"unknown field `(.+?)`", message)
    lacking = re.search(r"missing required field `(.+?)`", message)
    if unknown:
        names.append(unknown[1])
        plain = f"unknown key {unknown[1]!r}"
        if len(names) == 1 and unknown[1] in ("fits", *Resampling.__struct_fields__):
            plain += (
                f'. Write it beside the scheme: resampling = {{ scheme = "…", {unknown[1]} = … }}'
            )
    if lacking:
        plain = f"the key {lacking[1]!r} is missing"
    return f"{_place(path, text, names)}: {'.'.join(names) or 'study'}: {plain}"


def _place(path: Path, text: str, keys: list[str]) -> str:
    line = line_of(text, keys)
    return str(path) if line is None else f"{path}, line {line}"


def line_of(text: str, keys: list[str]) -> int | None:
    """The line where a key stands, or the nearest table around it; None where it is not found."""
    places: Mapping[tuple[str, ...], int] = _lines(text)
    for depth in range(len(keys), 0, -1):
        wanted = tuple(keys[:depth])
        if "..." in wanted:
            continue
        if wanted in places:
            return places[wanted]
    return None


def _lines(text: str) -> dict[tuple[str, ...], int]:
    table: tuple[str, ...] = ()
    places: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        name, equals, _ = bare.partition("=")  # no pattern: a line may be as long as the file
        if bare.startswith("["):
            table = _parts(bare.partition("]")[0].lstrip("["))
            found = table
        elif equals:
            found = (*table, *_parts(name))
        else:
            continue
        for depth in range(1, min(len(found), MOST_DEPTH) + 1):
            places.setdefault(found[:depth], number)
    return places


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
