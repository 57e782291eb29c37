"""Draws what people bring, from seeds that are the names of the files, and writes it as they do."""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Columns = Mapping[str, Any]


def generator(name: str) -> np.random.Generator:
    """The same numbers for the same name, on every machine."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def spoilt(rng: np.random.Generator, truth: Any, rate: float, classes: Sequence[Any]) -> Any:
    """Predictions with exactly this share of wrong ones, each another class."""
    truth = np.asarray(truth)
    wrong = rng.permutation(len(truth)) < round(rate * len(truth))
    codes = np.array([list(classes).index(value) for value in truth.tolist()])
    other = (codes + rng.integers(1, len(classes), len(truth))) % len(classes)
    return np.asarray(classes)[np.where(wrong, other, codes)]


def outcomes(rng: np.random.Generator, n: int, rate: float) -> Any:
    """Right (1) and wrong (0), exactly this share right."""
    return (rng.permutation(n) < round(rate * n)).astype(int)


def rounded(values: Any, digits: int = 3) -> list[float]:
    return [round(float(value), digits) for value in values]


def scores_by_set(rng: np.random.Generator, n: int, gaps: Mapping[str, float]) -> dict[str, Any]:
    """A score for each model on n data sets: hard and easy sets, a gap for each model."""
    base = rng.uniform(0.62, 0.88, n)
    return {
        name: rounded(np.clip(base - gap + rng.normal(0, 0.004, n), 0.3, 0.98))
        for name, gap in gaps.items()
    }


def placements(truth: Any, **scores: Any) -> dict[str, Any]:
    """For each item the share of the other class that it is on the right side of (DeLong's)."""
    truth = np.asarray(truth).astype(bool)
    found = {}
    for name, column in scores.items():
        score = np.asarray(column, dtype=float)
        above = (score[truth][:, None] > score[~truth]) + 0.5 * (
            score[truth][:, None] == score[~truth]
        )
        found[name] = np.concatenate([above.mean(axis=1), above.mean(axis=0)])
    return found


def csv_text(columns: Columns, *, sep: str = ",", end: str = "\n", quote: bool = False) -> str:
    text = io.StringIO()
    style: Any = csv.QUOTE_ALL if quote else csv.QUOTE_MINIMAL
    writer = csv.writer(text, delimiter=sep, lineterminator=end, quoting=style)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def write(path: Path, columns: Columns, **style: Any) -> None:
    """A CSV file; ``encoding`` may say utf-8-sig, as Excel does."""
    encoding = style.pop("encoding", "utf-8")
    path.write_bytes(csv_text(columns, **style).encode(encoding))


def records(columns: Columns) -> list[dict[str, Any]]:
    return [
        {name: _plain(value) for name, value in zip(columns, row, strict=True)}
        for row in zip(*columns.values(), strict=True)
    ]


def write_lines(path: Path, columns: Columns) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in records(columns)), encoding="utf-8")


def write_array(path: Path, columns: Columns) -> None:
    path.write_text(json.dumps(records(columns), indent=1), encoding="utf-8")


def write_gzip(path: Path, columns: Columns) -> None:
    path.write_bytes(gzip.compress(csv_text(columns).encode(), mtime=0))


def write_zstd(path: Path, columns: Columns) -> None:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        from backports import zstd
    path.write_bytes(zstd.compress(csv_text(columns).encode()))


def write_parquet(path: Path, columns: Columns) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    lists = {name: [_plain(value) for value in column] for name, column in columns.items()}
    pq.write_table(pa.table(lists), path)


def write_excel(path: Path, **sheets: Columns) -> None:
    from openpyxl import Workbook  # type: ignore[import-untyped, unused-ignore]

    book = Workbook()
    book.remove(book.worksheets[0])
    for title, columns in sheets.items():
        sheet = book.create_sheet(title)
        sheet.append(list(columns))
        for row in records(columns):
            sheet.append(list(row.values()))
    book.save(path)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
