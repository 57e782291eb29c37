"""`assay.board`: a ranking of many models that says how sure it is."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from assay.compare.board_front import standings_of
from assay.compare.board_ledger import KeptBoard, keep, kept_board
from assay.compare.board_log_scores import other_weights, reported_of
from assay.compare.board_words import does_not_say, reason_of, sentence_of
from assay.compare.design import Design, read_design
from assay.compare.verdict import POWER
from assay.core.board_results import Board, BoardRow, Neighbours, RankSets
from assay.core.checks import (
    check_choice,
    check_count,
    check_level,
    check_margin,
    many_names,
    only_one,
)
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.notes import Note, by_count, note
from assay.core.progress import task
from assay.core.questions import AmbiguousEvidence
from assay.core.results import Choice, Details, Estimate, EvidenceSummary
from assay.core.rng import Rng, seed_of
from assay.core.tolerances import TIE
from assay.core.vocabulary import Direction, Unit, known_side
from assay.estimates.board_aggregates import AGGREGATES, aggregated, bounds_of
from assay.estimates.board_scores import simultaneous_scores
from assay.estimates.board_winner import Contenders, corrected_winner
from assay.estimates.unit_scores import (
    Tasks,
    UnitScores,
    of_items,
    of_scores,
    of_tasks,
    suite_weights,
)
from assay.evidence.judged_items import Judged
from assay.evidence.open_questions import which_direction
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.reading import read_any
from assay.evidence.scores import Scores
from assay.evidence.slices import slices_of
from assay.hypotheses.rank_sets import SETS, Ranking, ranking, scatter
from assay.kernels.letters import compact_letters
from assay.kernels.rank_draws import RankDraws, gaussian
from assay.kernels.rank_sets import reachable
from assay.kernels.special import ndtri, stdtr
from assay.kernels.tails import alpha_of

TASKS: tuple[Tasks, ...] = ("fixed", "sample")
DRAWS_OF_ALPHA, MOST_DRAWS = 50.0, 200_000
"""At least so many draws lie beyond the critical value, about, up to so many draws in all."""
MOST_LETTERED = 60
"""More models than this have more groups than an alphabet tells apart."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankedField:
    """Everything that is ranked: scores turned so that larger is better, and how they scatter."""

    summary: EvidenceSummary
    measure: str
    direction: Direction
    contenders: Contenders
    table: UnitScores | None
    words: str
    bounds: tuple[float, float] = (-math.inf, math.inf)
    notes: tuple[Note, ...] = ()
    reported: Mapping[str, float] = field(default_factory=dict)
    """By model what its log states for the same average."""

    def drawn(self, alpha: float, n_draws: int, seed: int) -> RankDraws:
        """How differences scatter by chance: signs of units, or normal draws where there are none."""
        enough = max(n_draws, min(math.ceil(DRAWS_OF_ALPHA / alpha), MOST_DRAWS))
        if self.table is None:
            return gaussian(self.contenders.values, self.contenders.root, n_draws=enough, seed=seed)
        turned = self.contenders.sign * self.table.contributions
        return scatter(
            turned, alpha, n_draws=enough, seed=seed, strata=self.table.strata, trimmed=self.table.trimmed
        )  # fmt: skip


@many_names
def board(
    *evidence: Any,
    measure: Any = None,
    aggregate: str = "mean",
    sets: RankSets = "joint",
    best: int = 1,
    suite: str | None = None,
    weights: str | Mapping[str, float] = "tasks",
    tasks_as: Tasks = "fixed",
    votes: bool = False,
    baseline: str | None = None,
    margin: float | None = None,
    cost: Any = None,
    ledger: str | Path | None = None,
    unit: Unit | None = None,
    missing: str = "refuse",
    lower_is_better: bool | None = None,
    level: float = 0.95,
    n_resamples: int = 1999,
    rng: Rng = None,
    **reading: Any,
) -> Board:
    """Rank models by their mean score, with the ranks that each of them may have.

    ``evidence`` is what `assay.read` takes, with its options: predictions or values of models on the same
    items, logs, or scores by data set. The rank of a model is 1 + the number of models with a better mean
    over the units. ``sets`` of ranks hold all together ("joint") or each by itself ("marginal"); ``best`` asks
    which models may be among the first so many. ``suite`` names the column of tasks of a suite ("task" in
    logs), whose means count by ``weights`` (tasks, items, groups, or a mapping), the tasks ``fixed`` or a
    ``sample`` of tasks. ``aggregate`` is what is averaged instead of the score: mean_rank, win_rate, borda,
    iqm, skill_score (beside a ``baseline``), improvability, elo. ``votes`` says that the evidence are paired
    comparisons. ``cost`` gives each model's cost, for the front of score against cost. ``ledger`` is a file
    that keeps the board, so that models can be added later without more false claims than promised.

    Examples
    --------
    >>> import assay
    >>> right = {"old": [1, 0] * 100, "new": [1, 1, 1, 0] * 50, "newer": [1, 1, 1, 1, 0] * 40}
    >>> found = assay.board(right, correct=True)
    >>> [(row.model, row.rank, row.low, row.high) for row in found.rows]
    [('newer', 1, 1, 2), ('new', 2, 1, 2), ('old', 3, 3, 3)]
    """
    if not isinstance(weights, str | Mapping):
        raise UsageError(f"weights= is a word or a mapping of tasks, got {type(weights).__name__}")
    settings = _Settings(
        sets=check_choice(sets, SETS, "sets"),
        best=check_count(best, "best", at_least=1),
        margin=check_margin(margin),
        level=check_level(level),
        n_draws=check_count(n_resamples, "n_resamples", at_least=100),
        seed=seed_of(rng),
    )
    if not evidence:
        raise UsageError(
            "give the evidence of a board: a file, a frame or a mapping of models to values"
        )
    if "slice" in reading:
        raise UsageError(
            "a board is of the whole: suite= names the column of its tasks, not slice="
        )
    measure = only_one(measure)
    if votes:
        _refuse_reading({**reading, "suite": suite, "unit": unit, "baseline": baseline})
        found = _of_votes(evidence)
    else:
        observed = read_any(
            *evidence, unit=unit, measure=measure if isinstance(measure, str) else None, slice=suite,
            missing=missing, lower_is_better=lower_is_better, **reading,
        )  # fmt: skip
        if isinstance(observed, Judged):
            found = _of_judged(observed, measure, suite, aggregate, lower_is_better=lower_is_better)
            return _board(found, settings, aggregate="mean", cost=cost, ledger=ledger)
        design = _design(observed, measure, missing=missing, lower_is_better=lower_is_better)
        tasks = _Suite(
            column=suite, weights=weights, tasks=check_choice(tasks_as, TASKS, "tasks_as")
        )
        found = _of_evidence(design, tasks, aggregate, baseline)
    return _board(
        found, settings, aggregate="elo" if votes else aggregate, cost=cost, ledger=ledger
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    sets: RankSets
    best: int
    margin: float | None
    level: float
    n_draws: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Suite:
    column: str | None
    weights: str | Mapping[str, float]
    tasks: Tasks


def _design(
    observed: Predictions | Unpaired | Scores,
    measure: Any,
    *,
    missing: str,
    lower_is_better: bool | None,
) -> Design:
    if isinstance(observed, Unpaired):
        raise NotApplicable(
            "the models were tested on different items, so their differences cannot be paired. "
            "Test all models on the same items, or rank their scores on several data sets"
        )
    if len(observed.models) < 2:
        raise UsageError(f"one model ({', '.join(observed.models)}) is no board: give two or more")
    design = read_design(
        observed, measure=measure, missing=missing, lower_is_better=lower_is_better
    )
    if known_side(design.measure.direction) is None:
        raise AmbiguousEvidence([which_direction(design.scored or design.measure.called)])
    return design


def _of_evidence(
    design: Design, suite: _Suite, aggregate: str, baseline: str | None
) -> RankedField:
    """The table of units, turned into what is averaged."""
    table = _table(design, suite)
    if table.n < 2:
        verb = by_count(table.n, "says", "say")
        raise EvidenceError(f"{table.words} {verb} nothing about spread: a board needs two or more")
    side = known_side(design.measure.direction) or "higher"
    reported = reported_of(design, table, aggregate)
    notes = (*table.notes, *other_weights(design, table, reported))
    table, direction = aggregated(table, aggregate, side, baseline=baseline)
    contenders = Contenders.of(table, direction)
    measure = design.scored or design.measure.called
    return RankedField(
        summary=design.evidence.summary(),
        measure=measure,
        direction=direction,
        contenders=contenders,
        table=table,
        words=table.words,
        bounds=design.range
        if aggregate in ("mean", "iqm")
        else bounds_of(aggregate, table.n, len(table.models)),
        notes=notes,
        reported=reported,
    )


def _table(design: Design, suite: _Suite) -> UnitScores:
    evidence = design.evidence
    if isinstance(evidence, Scores):
        if suite.column is not None:
            raise UsageError(
                "scores by data set already make a board over data sets. Leave out suite=, or "
                "give the items of each task"
            )
        return of_scores(evidence, design.scored, missing=design.missing)
    if not isinstance(evidence, Predictions):
        raise NotApplicable("a board needs the models on the same items")
    if suite.column is None:
        if suite.weights != "tasks" or suite.tasks != "fixed":
            raise UsageError(
                "weights= and tasks_as= are of a suite: name the column of its tasks with suite="
            )
        return _with_notes(of_items(evidence, design.measure), evidence)
    parts = slices_of(evidence)
    if len(parts) < 2:
        raise UsageError(
            f"column {suite.column!r} holds one task, {next(iter(parts))!r}: leave out suite="
        )
    shares = suite_weights(parts, suite.weights)
    return _with_notes(of_tasks(parts, design.measure, shares, tasks=suite.tasks), evidence)


def _with_notes(table: UnitScores, evidence: Predictions) -> UnitScores:
    """What reading had to say first, and nothing twice."""
    return replace(table, notes=tuple(dict.fromkeys((*evidence.notes, *table.notes))))


def _of_judged(
    judged: Judged, measure: Any, suite: str | None, aggregate: str, *, lower_is_better: bool | None
) -> RankedField:
    """Scores that people's labels correct, with the covariance that labels and judge leave."""
    from assay.compare.board_judge import judged_scores

    if suite is not None or aggregate != "mean":
        raise UsageError(
            "with a judge a board ranks means over items: leave out suite= and aggregate="
        )
    if len(judged.models) < 2:
        raise UsageError(f"one model ({', '.join(judged.models)}) is no board: give two or more")
    scores = judged_scores(judged, measure, lower_is_better=lower_is_better)
    direction = known_side(scores.measure.direction)
    if direction is None:
        raise AmbiguousEvidence([which_direction(scores.measure.name)])
    return RankedField(
        summary=judged.summary(),
        measure=scores.measure.called,
        direction=direction,
        contenders=scores.contenders,
        table=None,
        words=scores.words,
        bounds=(scores.measure.low, scores.measure.high),
        notes=scores.notes,
    )


def _refuse_reading(told: Mapping[str, Any]) -> None:
    """Votes are rows of their own form: what cannot change the board is not passed over in silence."""
    unused = [name for name, value in told.items() if value is not None]
    if not unused:
        return
    listed, why = ", ".join(f"{name}=" for name in unused), ""
    if "cluster" in unused:
        why = " Votes are taken as independent: keep one vote of each cluster, such as a prompt."
    raise UsageError(
        f"a board of votes takes every row as it is, so {listed} cannot be used. Select the rows "
        f"of the file first.{why}"
    )


def _of_votes(evidence: tuple[Any, ...]) -> RankedField:
    """Bradley-Terry strengths as Elo points, with the covariance that votes give."""
    from assay.compare.board_votes import rated

    votes = rated(evidence)
    contenders = votes.contenders
    return RankedField(
        summary=votes.summary,
        measure="elo",
        direction="higher",
        contenders=contenders,
        table=None,
        words=votes.words,
        notes=votes.notes,
    )


def _board(
    found: RankedField, settings: _Settings, *, aggregate: str, cost: Any, ledger: str | Path | None
) -> Board:
    alpha = alpha_of(settings.level)
    kept = None if ledger is None else kept_board(ledger, found, settings.level, aggregate)
    share, sets = alpha if kept is None else kept.alpha, settings.sets
    with task("ranking"):
        draws = found.drawn(share, settings.n_draws, settings.seed)
        ranked = ranking(draws, share, sets=sets) if kept is None else kept.ranked(draws, sets)
    scores, winner = _scored(found, settings, round(1.0 - share, 12), aggregate)
    standings, costs = standings_of(cost, found.contenders.models, ranked, share, settings.seed)
    order = _order(found, ranked)
    rows = _rows(found, ranked, scores, order, standings, costs)
    made = Board(
        evidence=found.summary,
        measure=found.measure,
        direction=found.direction,
        aggregate=aggregate,
        sets=settings.sets,
        level=settings.level,
        choice=Choice(method="rank_sets", reason=reason_of(found, aggregate, pooled=draws.pooled)),
        rows=rows,
        winner=winner,
        best=settings.best,
        candidates=_candidates(ranked, order, found.contenders.models, settings.best),
        pairs_apart=int(ranked.apart.sum()) // 2,
        neighbours=_neighbours(found, ranked, order, settings.margin),
        sentence="",
        does_not_say=does_not_say(
            found, aggregate, AGGREGATES[aggregate].title, apart=ranked.apart, level=settings.level
        ),
        units=found.words,
        tasks=() if found.table is None else found.table.tasks,
        weights=() if found.table is None else found.table.weights,
        ledger=None if kept is None else kept.ledger,
        notes=(*found.notes, *_notes(found, draws, share, kept)),
        seed=settings.seed,
        details=_details(ranked, draws),
    )
    made = replace(made, sentence=sentence_of(made))
    if kept is not None and ledger is not None:
        keep(ledger, kept, made, found, ranked)
    return made


def _details(ranked: Ranking, draws: RankDraws) -> Details:
    return (
        ("critical", ranked.decisions.critical),
        ("single_step", ranked.decisions.single_step),
        ("n_resamples", len(draws.sums)),
        ("complete", draws.complete),
        ("pooled", draws.pooled),
    )


def _scored(
    found: RankedField, settings: _Settings, level: float, aggregate: str
) -> tuple[tuple[Estimate, ...], Estimate]:
    """Every score with its simultaneous interval, and that of the winner, corrected."""
    options: dict[str, Any] = {
        "level": level,
        "measure": found.measure if aggregate == "mean" else aggregate,
        "n_draws": max(settings.n_draws, 5000),
        "seed": settings.seed,
        "bounds": found.bounds,
    }
    scores = simultaneous_scores(found.contenders, **options)
    return scores, corrected_winner(found.contenders, **options)


def _order(found: RankedField, ranked: Ranking) -> list[int]:
    """Best first; equal scores by the name."""
    names = found.contenders.models
    return sorted(range(len(names)), key=lambda place: (int(ranked.rank[place]), names[place]))


def _rows(
    found: RankedField,
    ranked: Ranking,
    scores: tuple[Estimate, ...],
    order: list[int],
    standings: list[Any],
    costs: list[float | None],
) -> tuple[BoardRow, ...]:
    letters = None
    if len(order) <= MOST_LETTERED:
        letters = compact_letters(ranked.apart[np.ix_(order, order)])
    tasks = None if found.table is None else found.table.task_scores
    return tuple(
        BoardRow(
            model=found.contenders.models[place],
            estimate=scores[place],
            rank=int(ranked.rank[place]),
            low=int(ranked.low[place]),
            high=int(ranked.high[place]),
            may_be_best=bool(ranked.may_be_best[place]),
            letters=None if letters is None else letters[row],
            standing=standings[place],
            cost=costs[place],
            tasks=() if tasks is None else tuple(map(float, tasks[:, place])),
            reported=found.reported.get(found.contenders.models[place]),
        )
        for row, place in enumerate(order)
    )


def _candidates(
    ranked: Ranking, order: list[int], models: tuple[str, ...], best: int
) -> tuple[str, ...]:
    """All models that may be among the first so many; of one place the set of possible winners."""
    if best == 1:
        return tuple(models[place] for place in order if ranked.may_be_best[place])
    low = 1 + ranked.decisions.better.sum(axis=0)
    return tuple(models[place] for place in order if low[place] <= best)


def _neighbours(
    found: RankedField, ranked: Ranking, order: list[int], margin: float | None
) -> tuple[Neighbours, ...]:
    """Each model and the next one, and how many units would tell them apart."""
    draws, critical = ranked.draws, ranked.decisions.single_step
    reach = _with_many_units(critical, draws.units) + float(ndtri(POWER))
    pairs = []
    for above, below in pairwise(order):
        error = float(draws.errors[above, below])
        difference = float(draws.values[above] - draws.values[below])
        planned = margin if margin is not None else difference
        separated = bool(ranked.decisions.better[above, below])
        units = None
        if not separated and planned > TIE * error > 0.0 and math.isfinite(reach):
            units = math.ceil(found.contenders.n * (reach * error / planned) ** 2)
        half = critical * error if error > 0.0 else 0.0
        pairs.append(
            Neighbours(
                better=found.contenders.models[above],
                worse=found.contenders.models[below],
                difference=difference,
                # steps may decide a pair that one step leaves open: then it ends at zero
                low=max(difference - half, 0.0) if separated else difference - half,
                high=difference + half,
                separated=separated,
                planned=float(planned),
                units=units if units is None or units > found.contenders.n else None,
            )
        )
    return tuple(pairs)


def _with_many_units(critical: float, units: int | None) -> float:
    """The critical value of the same chance where standard errors are known: planned units are many."""
    if units is None or not math.isfinite(critical):
        return critical
    return float(-ndtri(stdtr(units - 1, -critical)))


def _notes(
    found: RankedField, draws: RankDraws, alpha: float, kept: KeptBoard | None
) -> tuple[Note, ...]:
    notes = []
    if not reachable(draws, alpha):
        notes.append(
            note("ranks-out-of-reach", units=found.words, models=len(found.contenders.models))
        )
    if kept is not None:
        notes.append(note("kept-board", arrivals=kept.ledger.arrivals, level=kept.level))
    return tuple(notes)
