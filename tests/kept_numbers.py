"""Numbers kept from version to version: how they are read, written with ``ASSAY_GOLDEN=write``, and compared."""

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WRITES = os.environ.get("ASSAY_GOLDEN") == "write"
CLOSE = {"rel_tol": 1e-9, "abs_tol": 1e-12}
SINGLE = {"rel_tol": 1e-4, "abs_tol": 1e-4}
"""Draws in single precision, and chains that may part at a hair."""

Kept = dict[str, dict[str, list[Any]]]


def keeping(name: str) -> Iterator[Kept]:
    """Numbers by group and question, as the file of that name has them; written anew if asked for."""
    path = Path(__file__).parent / "data" / f"{name}.json"
    found: Kept = {} if WRITES else json.loads(path.read_text())
    yield found
    if WRITES:
        rows = (
            f"{json.dumps(one)}: {json.dumps(found[one], separators=(',', ':'))}" for one in found
        )
        path.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def hold(kept: Kept, group: str, question: str, found: list[Any], near: dict[str, float]) -> None:
    """The numbers are those that are kept; when writing, they become so."""
    if WRITES:
        short = [float(f"{one:.11g}") if isinstance(one, float) else one for one in found]
        kept.setdefault(group, {})[question] = short
    due = kept.get(group, {}).get(question)
    assert due is not None, (
        f"no numbers of {group} ({question}) are kept: run with ASSAY_GOLDEN=write"
    )
    assert len(found) == len(due)
    assert [pair for pair in zip(due, found, strict=True) if not _same(*pair, near)] == []


def _same(one: Any, other: Any, near: dict[str, float]) -> bool:
    if isinstance(one, str) or isinstance(other, str) or one is None or other is None:
        return bool(one == other)
    return math.isclose(one, other, **near) or (math.isnan(one) and math.isnan(other))
