"""The same ordinary tables in every wrapping."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.door.case import Case, Goodness, Scene, agreement, asked, certain, defensible
from tests.door.draw import (
    csv_text,
    generator,
    scores_by_set,
    spoilt,
    write,
    write_array,
    write_excel,
    write_gzip,
    write_lines,
    write_parquet,
    write_zstd,
)

AB = (("a", "b"),)


def wrapped(file: str, wrap: Callable[[Path, Any], None]) -> Scene:
    """Truth and labels of two models, wrapped."""

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        truth = rng.integers(0, 3, 150)
        a, b = (spoilt(rng, truth, rate, (0, 1, 2)) for rate in (0.08, 0.35))
        wrap(folder / file, {"id": range(150), "truth": truth, "a": a, "b": b})
        return agreement(truth, a=a, b=b)

    return Scene((file,), make)


def _workbook(path: Path, columns: Any) -> None:
    write_excel(path, Sheet1=columns)


def _with_notes(path: Path, columns: Any) -> None:
    write_excel(path, predictions=columns, notes={"what": ["written by hand"], "who": ["me"]})


def _two_runs(path: Path, columns: Any) -> None:
    turned = {**columns, "a": columns["b"], "b": columns["a"]}
    write_excel(path, january=columns, june=turned)


def _headless(path: Path, columns: Any) -> None:
    path.write_text(csv_text(columns).split("\n", 1)[1], encoding="utf-8")


def _twice(path: Path, columns: Any) -> None:
    path.write_text(csv_text(columns).replace("truth,a,b", "truth,a,a"), encoding="utf-8")


def _scores_workbook(path: Path, columns: Any) -> None:
    scores = scores_by_set(generator("workbook"), 20, {"a": 0.0, "b": 0.05})
    write_excel(path, Results={"dataset": [f"set{i}" for i in range(20)], **scores})


def _as(**style: Any) -> Callable[[Path, Any], None]:
    return lambda path, columns: write(path, columns, **style)


def _sets(folder: Path) -> Goodness:
    _scores_workbook(folder / "scores.xlsx", None)
    return scores_by_set(generator("workbook"), 20, {"a": 0.0, "b": 0.05})


WRAPS: dict[str, tuple[Callable[[Path, Any], None], str]] = {
    "semicolon.csv": (_as(sep=";"), "semicolons between cells"),
    "tab.tsv": (_as(sep="\t"), "tabs between cells"),
    "tab.txt": (_as(sep="\t"), "tabs between cells, and a name that says nothing"),
    "bom.csv": (_as(encoding="utf-8-sig"), "the mark that Excel writes first belongs to no name"),
    "crlf.csv": (_as(end="\r\n"), "lines end as on Windows"),
    "quoted.csv": (_as(quote=True), "every cell in quotes"),
    "packed.csv.gz": (write_gzip, "CSV packed by gzip"),
    "packed.csv.zst": (write_zstd, "CSV packed by zstd"),
    "lines.jsonl": (write_lines, "an object a line"),
    "array.json": (write_array, "one array of objects: the commonest JSON"),
    "columns.parquet": (write_parquet, "Parquet"),
    "workbook.xlsx": (_workbook, "Excel, one sheet"),
}

CASES: list[Case] = [
    *(
        certain(f"format-{file}", wrapped(file, wrap), AB, why, n=150)
        for file, (wrap, why) in WRAPS.items()
    ),
    defensible(
        "format-notes",
        wrapped("notes.xlsx", _with_notes),
        AB,
        "one sheet has predictions, the other prose",
        n=150,
    ),
    asked(
        "format-two-sheets",
        wrapped("two_sheets.xlsx", _two_runs),
        "two sheets that say the opposite",
    ),
    certain(
        "format-scores",
        Scene(("scores.xlsx",), _sets),
        AB,
        "Excel with a row for each data set",
        "dataset",
        options=("--measure", "accuracy"),
        n=20,
    ),
    asked(
        "format-no-header",
        wrapped("headless.csv", _headless),
        "the file has no header: its first row would be lost as names",
    ),
    asked("format-columns-twice", wrapped("twice.csv", _twice), "two columns have one name"),
]
