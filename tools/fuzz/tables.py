"""Strange tables: the ordinary files of tests/door, packed in many ways, changed in their values and bytes.

`look`, `evaluate`, `compare`, `plan`, `board` and `gate` answer, ask or refuse. What was answered is computed again
from the file by other means (`recomputed.py`), and is the same when the rows come in another order.
"""

import gzip
import io
import json
import random
import shutil
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from assay.evidence.reading_options import Told
from tests.door.case import Case
from tests.door.files import CASES
from tools.fuzz.attempts import Attempt, Wrong, knock, printable
from tools.fuzz.logs import BY_SUFFIX, changed_bytes, changed_text
from tools.fuzz.recomputed import contradiction

TOLD: dict[str, tuple[Any, ...]] = {
    "truth": ("truth", "y", "label"),
    "id": ("id", "item"),
    "correct": (True,),
    "losses": (True,),
    "lower_is_better": (True, False),
    "positive": (1, "1", "yes"),
    "missing": ("drop", "wrong", "error", "complete"),
    "unit": ("item", "fold", "seed", "dataset"),
    "measure": ("accuracy", "f1", "roc_auc", "rmse", "x"),
    "models_in_rows": (True,),
    "decimal": (",", "."),
    "cluster": ("group", "item", "id"),
    "weight": ("w", "weight"),
    "ignore": ("id", "a"),
}
"""Options that people try, sensible or not."""
NUMBERS: dict[str, Callable[[Any], Any]] = {"folds": int, "repeats": int, "test_share": float}
VERBS = ("look", "evaluate", "evaluate", "compare", "compare", "compare", "plan", "board", "gate")
LARGEST = 20_000
"""Bytes of a file that are kept: a smaller one asks the same questions sooner."""


def opened(folder: Path, seed: int) -> Callable[[int], Attempt]:
    """A strange table and what one person types about it, by its number."""

    def attempt(number: int) -> Attempt:
        rng = random.Random(f"{seed} {number}")
        case, paths, what = mutant(folder / "mutant", rng)
        told = _told(case, rng)
        return Attempt(f"{case.id}: {what} {told}", knock(asked(paths, told, rng)))

    return attempt


# How a file is changed


def mutant(folder: Path, rng: random.Random) -> tuple[Case, list[Path], str]:
    """The files of a case, one of them changed, before or after it was packed."""
    case = rng.choice(CASES)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    case.scene.make(folder)
    paths = [folder / name for name in case.files]
    if (
        len(paths) == 1 and paths[0].is_file() and rng.random() < 0.8
    ):  # a path known is opened sooner
        paths = [paths[0].rename(folder / f"table{''.join(paths[0].suffixes)}")]
    place = rng.choice([one for one, path in enumerate(paths) if path.is_file()] or [0])
    if not paths[place].is_file():
        return case, paths, "as it is"
    if rng.random() < 0.5:
        _shortened(paths[place])
    what = _changed(paths[place], rng) if rng.random() < 0.75 else ""
    paths[place] = _packed(paths[place], rng)
    if not what:
        what = _changed(paths[place], rng)
    return case, paths, what


def _shortened(path: Path) -> None:
    if path.suffix in (".csv", ".tsv", ".jsonl") and path.stat().st_size > LARGEST:
        data = path.read_bytes()
        path.write_bytes(
            data[: data.index(b"\n", LARGEST) + 1] if b"\n" in data[LARGEST:] else data
        )


def _changed(path: Path, rng: random.Random) -> str:
    if path.suffix == ".csv" and rng.random() < 0.5:
        return _mildly(path, rng)
    change = changed_bytes if rng.random() < 0.25 else BY_SUFFIX.get(path.suffix, changed_text)
    try:
        return change(path, rng)
    except (UnicodeError, ValueError, LookupError):
        return changed_bytes(path, rng)


def _mildly(path: Path, rng: random.Random) -> str:
    """Rows of a table in another order, some left out, some cells taken from another row: still a table."""
    head, *rows = path.read_bytes().splitlines(keepends=True)
    for _ in range(rng.choice((0, 1, 3, 30))):
        one, other = (rng.choice(rows or [head]).split(b",") for _ in range(2))
        place = rng.randrange(len(one))
        if len(one) == len(other) and rows:
            one[place] = other[place]
            rows[rng.randrange(len(rows))] = b",".join(one)
    rng.shuffle(rows)
    kept = rows[: rng.choice((1, 2, 5, 30, len(rows), len(rows)))]
    path.write_bytes(b"".join([head, *kept]))
    return f"{len(kept)} of {len(rows)} rows shuffled"


def _packed(path: Path, rng: random.Random) -> Path:
    """The same table in another wrapping or format; as it is where that cannot hold it."""
    way = rng.choice((None, None, None, None, *WAYS))
    if way is None or path.suffix != ".csv":
        return path
    target = path.with_name(f"{path.stem}{way}")
    try:
        target.write_bytes(WAYS[way](path.read_bytes()))
    except Exception:  # noqa: BLE001 - whatever a library says, it cannot hold this table
        return path
    path.unlink()
    return target


def _rows(data: bytes) -> tuple[list[str], list[list[str]]]:
    """Cells as text; a file whose rows differ in length has no other form."""
    import csv

    head, *rows = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    if len(set(head)) < len(head) or any(len(row) != len(head) for row in rows):
        raise ValueError("no plain table")
    return head, rows


def _value(cell: str) -> Any:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell or None


def _parquet(data: bytes) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    head, rows = _rows(data)
    columns = list(zip(*rows, strict=True)) or [()] * len(head)
    packed = io.BytesIO()
    try:
        arrays = [pa.array([_value(cell) for cell in column]) for column in columns]
    except (pa.ArrowException, OverflowError):
        arrays = [pa.array(list(column)) for column in columns]
    pq.write_table(pa.table(dict(zip(head, arrays, strict=True))), packed)
    return packed.getvalue()


def _lines(data: bytes) -> bytes:
    head, rows = _rows(data)
    records = (dict(zip(head, map(_value, row), strict=True)) for row in rows)
    return "".join(json.dumps(one) + "\n" for one in records).encode()


def _workbook(data: bytes) -> bytes:
    import openpyxl

    head, rows = _rows(data)
    book, packed = openpyxl.Workbook(), io.BytesIO()
    for row in (head, *([_value(cell) for cell in row] for row in rows[:60])):
        book.active.append(row)
    book.save(packed)
    return packed.getvalue()


def _zstd(data: bytes) -> bytes:
    from assay.evidence.readers.file_tables import zstd_module

    return bytes(zstd_module().compress(data))


WAYS: dict[str, Callable[[bytes], bytes]] = {
    ".csv.gz": gzip.compress,
    ".csv.zst": _zstd,
    ".jsonl.gz": lambda data: gzip.compress(_lines(data)),
    ".parquet": _parquet,
    ".jsonl": _lines,
    ".xlsx": _workbook,
}


# What is asked


def _told(case: Case, rng: random.Random) -> dict[str, Any]:
    """What a person who knows the data would say, and perhaps something else."""
    options = [*case.options, *(rng.choice(case.remedies).options if case.remedies else ())]
    words: dict[str, Any] = {}
    for place, option in enumerate(options):
        value = options[place + 1] if place + 1 < len(options) else "--"
        if option == "--higher-is-better":
            words["lower_is_better"] = False
        elif option.startswith("--"):
            words[option[2:].replace("-", "_")] = True if value.startswith("--") else value
    known = {one.name for one in fields(Told)}
    words = {
        name: NUMBERS[name](value) if name in NUMBERS else value
        for name, value in words.items()
        if name in known
    }
    words = words if rng.random() < 0.8 else {}
    return words | {name: rng.choice(some) for name, some in TOLD.items() if rng.random() < 0.03}


def asked(paths: list[Path], told: dict[str, Any], rng: random.Random) -> Callable[[], None]:
    """What one person types: the options, and one of the verbs."""
    import assay

    verb = rng.choice(VERBS)

    def door() -> None:
        reading = assay.look(*paths, **told)
        printable(reading.sentence)
        printable(str(reading))
        if verb == "look":
            return
        evidence = reading.evidence()
        printable(repr(evidence.summary()))
        answer = answered(verb, evidence, told.get("measure"))
        if len(paths) == 1 and verb in ("evaluate", "compare"):
            fault = contradiction(paths[0], reading, answer)
            if fault:
                raise Wrong(fault)
        if verb == "compare":
            _steady(paths, told)

    return door


def answered(verb: str, evidence: Any, measure: str | None = None) -> Any:
    """The answer of a verb, printed as a person would see it and as a program would."""
    import assay

    names = list(getattr(evidence, "models", ())) or ["a"]
    if verb == "plan":
        found: Any = assay.plan(measure, pilot=evidence, difference=0.05, power=0.8)
    elif verb == "board":
        found = assay.board(evidence, measure=measure, rng=1, n_resamples=19)
    elif verb == "gate":
        found = assay.gate(evidence, baseline=names[0], margin=0.01, rng=1)
    elif verb == "evaluate":
        asked: dict[str, Any] = {"measures": measure} if measure else {}
        found = assay.evaluate(evidence, rng=1, n_resamples=19, **asked)
    else:
        found = assay.compare(evidence, measure=measure, rng=1, n_resamples=19)
    printable(str(found))
    printable(assay.render(found, "json"))
    return found


def _steady(paths: list[Path], told: dict[str, Any]) -> None:
    """A second way to the answer: the lines below the head of a plain CSV turned round."""
    import assay

    if len(paths) != 1 or paths[0].suffix != ".csv":
        return
    text = paths[0].read_bytes()
    head, *rows = text.split(b"\n")
    if b'"' in text or not rows or rows[-1] != b"" or told.get("unit") in ("fold", "seed"):
        return
    turned = paths[0].with_name("turned.csv")
    turned.write_bytes(b"\n".join([head, *rows[-2::-1], b""]))
    try:
        first, second = (
            assay.compare(one, **told, rng=1, n_resamples=19) for one in (paths[0], turned)
        )
    except assay.AssayError:
        return  # a title or a foot is no row
    words = [
        [(v.a, v.b, v.word) for v in one.verdicts]
        for one in (first, second)
        if hasattr(one, "verdicts")
    ]
    if len(words) == 2 and sorted(words[0]) != sorted(words[1]) and _same_rows(first, second):
        raise Wrong(f"in another order of rows: {words[0][:2]} and {words[1][:2]}")


def _same_rows(first: Any, second: Any) -> bool:
    return bool(
        first.evidence.n == second.evidence.n and first.evidence.models == second.evidence.models
    )
