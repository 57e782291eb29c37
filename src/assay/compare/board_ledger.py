"""Boards kept in a file: models may be added without changing the error that was promised.

The first board and every later addition have shares of α, 6/(π² n²) of it for the n-th, which sum to α
however many come (as `arriving_bonferroni`). What was decided stays; an addition decides only the pairs in
which a new model takes part.
"""

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import msgspec
import numpy as np

from assay.core.arrays import BoolArray
from assay.core.board_results import Board, Ledger, RankSets
from assay.core.errors import EvidenceError, UsageError
from assay.core.file_names import path_of, write_whole
from assay.hypotheses.rank_sets import Ranking, ranking, share_of
from assay.hypotheses.sequential import arriving_level
from assay.kernels.rank_draws import RankDraws
from assay.kernels.rank_sets import decide, rank_bounds
from assay.kernels.tails import alpha_of

if TYPE_CHECKING:
    from assay.compare.board import RankedField

SCHEMA = "assay-board/1"
SAME = 1e-9
"""Scores that differ by less than this share are the same scores, read again."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeptBoard:
    """A board as the file has it, and what the evidence adds to it."""

    level: float
    alpha: float
    """The share of this look."""
    ledger: Ledger
    arrivals: tuple[tuple[str, ...], ...]
    better: BoolArray
    """What was decided before, in the order of the evidence."""
    asked: BoolArray
    """Pairs in which a new model takes part."""

    def ranked(self, draws: RankDraws, sets: RankSets) -> Ranking:
        """What was decided before and what is decided now, together."""
        if sets != "joint":
            raise UsageError("a board that is kept has joint sets: leave out sets='marginal'")
        plain = ranking(draws, self.alpha)
        if not self.asked.any():
            low, high = rank_bounds(self.better)
            return replace(
                plain, decisions=replace(plain.decisions, better=self.better), low=low, high=high,
                may_be_best=low == 1,
            )  # fmt: skip
        share = share_of(draws, self.alpha)
        found = decide(draws, self.alpha, share=share, among=self.asked)
        better = self.better | found.better
        low, high = rank_bounds(better)
        return replace(
            plain, decisions=replace(found, better=better), low=low, high=high, may_be_best=low == 1
        )


def kept_board(path: str | Path, found: "RankedField", level: float, aggregate: str) -> KeptBoard:
    """The file's board beside the evidence; a file that is not there begins a board."""
    models = found.contenders.models
    file = path_of(path, "a ledger")
    nobody = np.zeros((len(models), len(models)), dtype=np.bool_)
    if not file.exists():
        arrivals: tuple[tuple[str, ...], ...] = (models,)
        everyone = ~np.eye(len(models), dtype=np.bool_)
        return _kept(level, arrivals, models, nobody, everyone)
    document = _read(file)
    _check(document, found, level, aggregate, file)
    before = tuple(tuple(map(str, one)) for one in document["arrivals"])
    known = [model for one in before for model in one]
    new = tuple(model for model in models if model not in known)
    place = {model: index for index, model in enumerate(models)}
    better = nobody.copy()
    for winner, loser in document["better"]:
        better[place[winner], place[loser]] = True
    fresh = np.array([model in new for model in models])
    asked = (fresh[:, None] | fresh[None, :]) & ~np.eye(len(models), dtype=np.bool_)
    return _kept(level, (*before, new) if new else before, new, better, asked)


def keep(
    path: str | Path, kept: KeptBoard, board: Board, found: "RankedField", ranked: Ranking
) -> None:
    """Write the board, in one step, so that a crash leaves the old file or the new one."""
    file = Path(path)
    models = found.contenders.models
    first, second = np.nonzero(ranked.decisions.better)
    document = {
        "schema": SCHEMA,
        "measure": board.measure,
        "aggregate": board.aggregate,
        "direction": board.direction,
        "level": board.level,
        "units": board.units,
        "arrivals": [list(one) for one in kept.arrivals],
        "scores": {
            model: float(found.contenders.sign * value)
            for model, value in zip(models, found.contenders.values, strict=True)
        },
        "better": [[models[a], models[b]] for a, b in zip(first, second, strict=True)],
    }
    write_whole(file, json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def _kept(
    level: float,
    arrivals: tuple[tuple[str, ...], ...],
    new: tuple[str, ...],
    better: BoolArray,
    asked: BoolArray,
) -> KeptBoard:
    alpha = alpha_of(arriving_level(len(arrivals), level))
    ledger = Ledger(
        arrivals=len(arrivals) - 1,
        share=alpha / alpha_of(level),
        added=new if len(arrivals) > 1 else (),
        models=tuple(model for one in arrivals for model in one),
    )
    return KeptBoard(
        level=level, alpha=alpha, ledger=ledger, arrivals=arrivals, better=better, asked=asked
    )


class _Document(TypedDict):
    """What a file holds, which anyone may have changed."""

    measure: str
    aggregate: str
    level: float
    units: str
    arrivals: list[list[str]]
    scores: dict[str, float]
    better: list[tuple[str, str]]


def _read(file: Path) -> _Document:
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise EvidenceError(f"{file} is no board that assay kept: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise EvidenceError(
            f"{file} is no board that assay kept (schema {SCHEMA}): give another file"
        )
    try:
        kept = msgspec.convert(document, _Document)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise EvidenceError(f"the board in {file} is damaged: {error}") from None
    named = [model for one in kept["arrivals"] for model in one]
    decided = {model for pair in kept["better"] for model in pair}
    if sorted(named) != sorted(kept["scores"]) or not decided <= {*named}:
        raise EvidenceError(
            f"the board in {file} is damaged: its models are not those of its scores"
        )
    if not all(map(math.isfinite, kept["scores"].values())):
        raise EvidenceError(f"the board in {file} is damaged: it has an infinite score")
    return kept


def _check(
    document: _Document, found: "RankedField", level: float, aggregate: str, file: Path
) -> None:
    """Refuse evidence that is not the board's with models added to it."""
    asked = {"measure": found.measure, "aggregate": aggregate, "level": level, "units": found.words}
    for name, value in asked.items():
        if document.get(name) != value:
            raise UsageError(
                f"{file} keeps a board whose {name} is {document.get(name)!r}, and this one has {value!r}: "
                "a kept board does not change; begin another file"
            )
    now = dict(
        zip(found.contenders.models, found.contenders.sign * found.contenders.values, strict=True)
    )
    lacking = [model for model in document["scores"] if model not in now]
    if lacking:
        raise UsageError(
            f"the evidence lacks {', '.join(lacking[:5])}, on the board in {file}: give all models, old and new"
        )
    changed = [
        model
        for model, score in document["scores"].items()
        if abs(now[model] - score) > SAME * max(abs(score), 1.0)
    ]
    if changed:
        raise UsageError(
            f"the score of {', '.join(changed[:5])} differs from the one on the board in {file}. "
            "Give a changed entry a new name: it is a new model"
        )
