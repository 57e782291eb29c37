"""From results to the packaged data, the page docs/calibration.md and its pictures."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.simulate.worlds.folds import read_design
from calibration.designs.criteria import Judged, judge
from calibration.designs.grid_run import merged
from calibration.figures import draw_figures
from calibration.page import write_page

ROOT = Path(__file__).parents[1]
DATA = ROOT / "src" / "assay" / "compare" / "calibration.json.gz"
FOLD_LEVELS = ROOT / "src" / "assay" / "estimates" / "fold_levels.json"
PAGE = ROOT / "docs" / "calibration.md"
PICTURES = ROOT / "docs" / "pictures"

ENOUGH = 200
"""Replicates below which a cell of folds says too little to enter a printed range."""

ORDER = (
    "proportion", "paired_labels", "independent_labels", "label_measures", "scores", "losses",
    "clusters", "datasets", "runs", "folds",
)  # fmt: skip


def publish(results: Path, grid: Mapping[str, Any]) -> None:
    """Write everything that follows from what was measured so far."""
    judged = [
        judge(found, grid["criteria"]) for found in merged(results) if found.table.world in ORDER
    ]
    judged.sort(key=lambda one: (ORDER.index(one.table.world), one.table.key))
    tables: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        tables[one.table.key].append(one)
    DATA.write_bytes(gzip.compress(packaged(tables.values()).encode(), 9, mtime=0))
    FOLD_LEVELS.write_text(fold_levels(judged))
    draw_figures(judged, PICTURES)
    PAGE.write_text(write_page(list(tables.values()), grid))


def packaged(tables: Iterable[list[Judged]]) -> str:
    """The measured numbers as the package carries them: one table a line."""
    lines = []
    for cells in tables:
        table = cells[0].table
        record = {
            "procedure": table.procedure,
            "answers": table.answers,
            "world": table.world,
            "measure": table.measure,
            "unit": table.unit,
            "parameters": table.parameters,
            "cells": [_cell(one) for one in cells],
        }
        lines.append(json.dumps(record, separators=(",", ":")))
    return '{"version":1,"tables":[\n' + ",\n".join(lines) + "\n]}\n"


def fold_levels(judged: Iterable[Judged]) -> str:
    """The range of the level of each test of folds, by design: what its note prints."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in judged:
        enough = (one.replicates or 0) >= ENOUGH
        if one.table.world == "folds" and one.table.procedure != "kfold_paired_t" and enough:
            found[one.table.procedure, str(one.at[2])].append(one.measured["level@0.05"][0])
    levels: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for (procedure, text), values in sorted(found.items()):
        design = read_design(text)
        share = design.test_share
        levels[procedure].append(
            {
                "design": text,
                "splits": design.splits,
                "ratio": share / (1.0 - share),
                "range": [float(f"{end:.3g}") for end in (min(values), max(values))],
            }
        )
    return json.dumps(levels, indent=1) + "\n"


def _cell(one: Judged) -> dict[str, Any]:
    kept = {
        name: [None if value is None else float(f"{value:.4g}") for value in values]
        for name, values in one.measured.items()
        if not name.startswith("missed")
    }
    cell: dict[str, Any] = {
        "at": one.at,
        "replicates": "exact" if one.replicates is None else one.replicates,
        "measured": kept,
        "short": one.short,
    }
    if one.noted is not None:
        cell["noted"] = one.warns("")
    return cell
