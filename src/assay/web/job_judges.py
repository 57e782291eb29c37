"""The job behind the page of a judge."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.compare.judge import judge
from assay.core import wire
from assay.core.judge_results import JudgeReport
from assay.report.figures import draw
from assay.report.judge_headline import judge_figures
from assay.web.job_reading import columns_of


def judged(source: dict[str, Any], told: dict[str, str], level: float) -> dict[str, Any]:
    """The columns to choose from, and the report where people's and the judge's column are chosen."""
    columns = columns_of(source)
    if not told["people"] or not told["judge"]:
        return {"columns": columns}
    os.chdir(source["folder"])  # so that files go by their names, and nobody sees our folders
    options: dict[str, Any] = {
        "models": told["predictions"],
        "ignore": told["leave"],
        "bias": told["bias"],
        "labelled_at": told["chosen"],
    }
    result = judge(
        *map(Path, source["names"]),
        truth=told["people"],
        judge=told["judge"],
        level=level,
        **{name: value for name, value in options.items() if value},
    )
    return {"columns": columns, "result": wire.to_builtins(result), "drawn": _drawn(result)}


def _drawn(result: JudgeReport) -> str:
    """The judge against people as a figure."""
    (figure,) = judge_figures(result)
    return draw((figure,), result)[figure.name]


TASKS: dict[str, Callable[..., dict[str, Any]]] = {"judge": judged}
