"""The job behind the page of a board: the ranking, and its ladder drawn."""

from collections.abc import Callable
from typing import Any

from assay.compare.board import board
from assay.core import wire
from assay.evidence.scores import Scores
from assay.plots import rank_ladder
from assay.report.figures import for_all_screens
from assay.web.job_reading import looked

ASKED = ("level", "rng", "measure", "baseline", "margin", "missing", "lower_is_better")


def ranked(
    source: dict[str, Any], reading: dict[str, Any], asking: dict[str, Any], aggregate: str
) -> dict[str, Any]:
    """A board of what was brought; boards may have more models than a comparison of pairs."""
    evidence = looked(source, reading).evidence()
    told = {name: asking[name] for name in ASKED if name in asking}
    if isinstance(evidence, Scores):
        told.setdefault("measure", evidence.measures[0])
    result = board(evidence, aggregate=aggregate, **told)
    words = f"Ladder of the ranks of {len(result.rows)} models. {result.sentence}"
    drawn = for_all_screens(lambda: rank_ladder(result), name="ladder", words=words)
    return {"result": wire.to_builtins(result), "ladder": drawn}


TASKS: dict[str, Callable[..., dict[str, Any]]] = {"board": ranked}
