"""What a report of a board shows: who may be the best, the ladder, the table, the winner, the neighbours."""

from collections.abc import Iterable, Sequence

from assay.core.board_results import ROUNDED_AVERAGE, Board, BoardRow, Neighbours
from assay.core.formatting import (
    as_sentence,
    clean,
    clean_name,
    finest_of,
    listed,
    shown,
    shown_percent,
    write_estimate,
    write_rounded,
)
from assay.core.notes import by_count
from assay.core.vocabulary import Unit, counted, population
from assay.estimates.board_aggregates import AGGREGATES
from assay.plots.measure_labels import ARROWS, measure_label, measure_title
from assay.report import tables
from assay.report.brief import notes_of, shorter_forms
from assay.report.brief_grids import drawing_of
from assay.report.brief_lines import Brief, Grid, GridRow, LabelledLine
from assay.report.figure_list import ReportFigure
from assay.report.headline import short_of
from assay.report.methods_paragraph import Citations
from assay.report.tables import (
    Cell,
    Column,
    ColumnOf,
    ReportTable,
    estimated,
    number,
    table_of,
    whole,
    words,
)
from assay.report.views import Fact, View, evidence_facts

MOST_ROWS = 40
STANDINGS = {"on": "yes", "maybe": "maybe", "off": "no", None: ""}


def score_name(board: Board) -> str:
    """What is ranked, with an arrow to its better side: accuracy ↑, mean rank ↓."""
    if board.aggregate == "mean":
        return measure_label(board.measure, board.direction)
    return f"{_of_aggregate(board)}{ARROWS.get(board.direction, '')}"


def _of_aggregate(board: Board) -> str:
    """The title of what is averaged; a board from a file may name what this assay does not know."""
    known = AGGREGATES.get(board.aggregate)
    return clean(board.aggregate) if known is None else known.title


def view_of_board(board: Board) -> View:
    """The view of a board, drawn from it and from nothing else."""
    title = measure_title(board.measure)
    if board.aggregate != "mean":
        title = f"{_of_aggregate(board)} of {title}" if board.measure != "elo" else "Elo"
    return View(
        title=f"Board of {len(board.rows):,} models by {title}",
        glance=_glance(board),
        headline=clean(board.sentence),
        facts=_facts(board),
        figures=(
            ReportFigure(
                name="ladder",
                caption=f"Ranks with their {shown_percent(board.level)} confidence sets, "
                f"{'all together' if board.sets == 'joint' else 'each by itself'}; blue models may be the best.",
                alt=f"Ladder of the ranks of {len(board.rows):,} models. {clean(board.sentence)}",
                table=board_table(board),
            ),
        ),
        tables=(
            board_table(board),
            *tables.optional(neighbours_table(board), tasks_table(board)),
        ),
        decided=as_sentence(clean(board.choice.reason)),
        applies=_applies(board),
        does_not_say=clean(board.does_not_say),
        evidence=evidence_facts(board.evidence),
    )


def _glance(board: Board) -> str:
    """Who is first and how many may be the best, in at most twelve words."""
    of = f"{len(board.may_be_best):,} of {len(board.rows):,}"
    if len(board.rows) < 2 or board.rows[0].rank == board.rows[1].rank:
        return f"{of} models may be the best"
    first = short_of([row.model for row in board.rows])[0]
    if len(board.may_be_best) == 1:
        return f"{first} is the best of {len(board.rows):,} models"
    return f"{first} ranks first; {of} models may be the best"


def _applies(board: Board) -> str:
    if board.tasks and _scored_unit(board) == "item":
        alike = max(board.weights) - min(board.weights) < 1e-9
        how = "alike" if alike else "as asked"
        return f"these models on new items of these {len(board.tasks)} tasks, weighted {how}"
    if board.tasks:
        return "these trained models on new tasks like the ones used"
    if board.units.endswith("votes"):
        return "these models on new comparisons like the ones made"
    return population(board.evidence.unit, len(board.rows))


def _facts(board: Board) -> tuple[Fact, ...]:
    level = shown_percent(board.level)
    facts = [
        Fact(
            label="may be the best",
            text=str(len(board.may_be_best)),
            detail=f"{listed(map(clean_name, board.may_be_best))}; {level} confidence",
        )
    ]
    if board.best > 1:
        facts.append(
            Fact(
                label=f"may be among the best {board.best}",
                text=str(len(board.candidates)),
                detail=listed(map(clean_name, board.candidates), most=12),
            )
        )
    facts += _winner_facts(board, level)
    pairs = len(board.rows) * (len(board.rows) - 1) // 2
    facts.append(
        Fact(
            label="pairs",
            text=f"{board.pairs_apart:,} of {pairs:,}",
            detail=f"{by_count(board.pairs_apart, 'differs', 'differ')} significantly",
        )
    )
    if board.ledger is not None:
        facts.append(
            Fact(
                label="additions",
                text=str(board.ledger.arrivals),
                detail=f"the newest decided at {shown_percent(round(board.ledger.share, 4))} of α",
            )
        )
    return tuple(facts)


def _winner_facts(board: Board, level: str) -> Iterable[Fact]:
    """The score of the first, corrected for having been chosen, where it has an interval."""
    if board.winner is not None and board.winner.interval is not None:
        naive, half = dict(board.winner.details).get("naive"), board.winner.interval.width / 2
        seen = shown(naive, half) if isinstance(naive, float) else "unknown"
        yield Fact(
            label=f"corrected score of {clean_name(board.winner.model)}",
            text=str(write_estimate(board.winner)),
            detail=f"{level} interval, corrected for being the first of {len(board.rows)}; observed {seen}",
        )


def board_table(board: Board) -> ReportTable:
    """One row for each model, best first."""
    kind = "hold jointly" if board.sets == "joint" else "hold each by itself"
    lettered = all(row.letters is not None for row in board.rows)
    fronted = any(row.standing is not None for row in board.rows)
    spare = [] if fronted else ["cost", "on the front"]
    spare += [] if any(row.reported is not None for row in board.rows) else ["in the log"]
    spare += [] if lettered else ["group"]
    level = shown_percent(board.level)
    group = " Models that share a letter do not differ significantly." if lettered else ""
    finest = finest_of(board.estimates)
    return table_of(
        board.rows,
        ColumnOf("model", (), lambda row: Cell(text=clean_name(row.model), strong=row.may_be_best)),
        number("rank", lambda row: row.rank, str),
        ColumnOf(
            "rank set",
            ("rank_low", "rank_high"),
            lambda row: Cell(text=ranks_text(row), numbers=(row.low, row.high)),
        ),
        *estimated(
            (score_name(board), f"{level} CI"),
            lambda row: row.estimate,
            "score",
            none="no interval",
            finest=finest,
        ),
        ColumnOf(
            "in the log",
            ("reported",),
            lambda row: Cell(text=_logged(row), numbers=(row.reported,)),
        ),
        words("may be best", lambda row: "yes" if row.may_be_best else ""),
        words("group", lambda row: row.letters or ""),
        number("cost", lambda row: row.cost, lambda cost: write_rounded(cost, 6)),
        words("on the front", lambda row: STANDINGS[row.standing]),
        name="board",
        caption=f"{score_name(board)} over {clean(board.units)} with simultaneous intervals; {level} sets of ranks, "
        f"which {kind}.{group}",
    ).without(*spare)


def _logged(row: BoardRow) -> str:
    """The harness's own average with the digits of ours."""
    interval = row.estimate.interval
    if row.reported is None:
        return ""
    return shown(row.reported, None if interval is None else interval.width / 2)


def ranks_text(row: BoardRow) -> str:
    """A set of ranks: 3, or 2–5."""
    return str(row.low) if row.low == row.high else f"{row.low}–{row.high}"


def neighbours_table(board: Board) -> ReportTable:
    """What it would take to separate each model from the next."""
    unit = _plural(board)
    return table_of(
        board.neighbours,
        words("better", lambda pair: clean_name(pair.better)),
        words("worse", lambda pair: clean_name(pair.worse)),
        ColumnOf(
            "difference",
            ("difference",),
            lambda pair: Cell(text=_shown(pair.difference, pair), numbers=(pair.difference,)),
        ),
        ColumnOf(
            "interval",
            ("low", "high"),
            lambda pair: Cell(
                text=f"[{_shown(pair.low, pair)}, {_shown(pair.high, pair)}]".replace("-", "−"),
                numbers=(pair.low, pair.high),
            ),
        ),
        words("separated", lambda pair: "yes" if pair.separated else "no"),
        ColumnOf(
            "planned",
            ("planned",),
            lambda pair: Cell(text=_shown(pair.planned, pair), numbers=(pair.planned,)),
        ),
        number(f"{unit} needed", lambda pair: pair.units, whole, "needed"),
        name="neighbours",
        caption=f"Each model and the next, with simultaneous intervals. {unit.capitalize()} needed: for "
        "80% power if the true difference is the planned one.",
    )


def _shown(value: float, pair: Neighbours) -> str:
    return shown(value, (pair.high - pair.low) / 2)


def _scored_unit(board: Board) -> Unit:
    return board.rows[0].estimate.unit


def _plural(board: Board) -> str:
    """What more of the evidence would be counted in."""
    last = board.units.rsplit(" ", 1)[-1]
    if last in ("clusters", "votes"):
        return last
    if last == "judged":
        return "labels"
    if board.tasks and _scored_unit(board) == "dataset":
        return "tasks"
    return counted(2, _scored_unit(board))[2:]


def tasks_table(board: Board) -> ReportTable:
    """The tasks of a suite: the weight of each, and every model's score on it."""
    return ReportTable(
        name="tasks",
        caption="Weights of the tasks, and the scores on each, best model first.",
        columns=(
            Column(name="task"),
            Column(name="weight", parts=("weight",)),
            *(
                Column(name=clean_name(row.model), parts=(clean_name(row.model),))
                for row in board.rows[:MOST_ROWS]
            ),
        ),
        rows=tuple(
            (
                Cell(text=clean_name(task)),
                Cell(text=write_rounded(weight, 3), numbers=(weight,)),
                *(
                    Cell(text=shown(row.tasks[place]), numbers=(row.tasks[place],))
                    for row in board.rows[:MOST_ROWS]
                ),
            )
            for place, (task, weight) in enumerate(zip(board.tasks, board.weights, strict=True))
        ),
    )


def brief_of_board(board: Board, hints: dict[str, str]) -> Brief:
    """What the terminal shows of a board."""
    warnings, details = notes_of(
        [*board.notes, *(n for one in board.estimates for n in one.notes)], hints
    )
    lettered = all(row.letters is not None for row in board.rows)
    fronted = any(row.standing is not None for row in board.rows)
    finest = finest_of(board.estimates)
    rows = []
    for row in board.rows[:MOST_ROWS]:
        written = write_estimate(row.estimate, finest=finest)
        cells = [clean_name(row.model), str(row.rank), ranks_text(row), written.value]
        cells += [written.interval or "none"]
        cells += [row.letters or ""] if lettered else []
        cells += [STANDINGS[row.standing]] if fronted else []
        drawing = drawing_of(row.estimate, "scores")
        rows.append(GridRow(cells=tuple(cells), drawing=drawing, strong=row.may_be_best))
    level = shown_percent(board.level)
    heads = ["", "rank", "rank set", score_name(board).rstrip(" ↑↓"), f"{level} CI"]
    more = len(board.rows) - MOST_ROWS
    return Brief(
        read=clean(board.evidence.description),
        read_shorter=shorter_forms(board.evidence),
        answer=clean(board.sentence),
        most_lines=2,
        most_total=10 + min(len(board.rows), MOST_ROWS),
        spaced=False,
        grid=Grid(
            heads=(*heads, *(["group"] if lettered else []), *(["front"] if fronted else [])),
            rows=tuple(rows),
            numbers=frozenset({3, 4}),
            left_out=f"… {more:,} more models in the details" if more > 0 else "",
        ),
        lines=tuple(_lines(board, level)),
        warnings=warnings,
        hints=(details, hints["figure"], hints["report"]),
    )


def _lines(board: Board, level: str) -> Iterable[LabelledLine]:
    sets, both = (
        ("simultaneous", " and intervals")
        if board.sets == "joint"
        else ("one model at a time:", "")
    )
    how = "normal draws" if board.units.endswith(("votes", "judged")) else "sign flips of units"
    if dict(board.details).get("pooled"):
        how += ", one scale"
    said = f"{sets} {level} confidence sets{both} ({how}, max-t, step-down)"
    if board.ledger is not None:
        times = board.ledger.arrivals
        looks = f"over {times} {by_count(times, 'addition', 'additions')}"
        said = f"{level} sets {looks}, for models not tuned on this board"
    yield LabelledLine(label="Ranks", text=said)
    if board.winner is not None and board.winner.interval is not None:
        yield LabelledLine(
            label="Winner",
            text=f"{write_estimate(board.winner)}, corrected for selection as the best",
        )
    if board.best > 1:
        yield LabelledLine(
            label=f"Best {board.best}",
            text=f"{len(board.candidates)} candidates: {listed(map(clean_name, board.candidates), most=10)}",
        )
    close = next((pair for pair in board.neighbours if pair.units is not None), None)
    if close is not None and close.units is not None:
        yield LabelledLine(
            label="Planning",
            text=f"about {close.units:,} {_plural(board)} to separate {clean_name(close.better)} and "
            f"{clean_name(close.worse)} ({write_rounded(close.planned, 2)} apart, 80% power)",
            spare=True,
        )
    logged = [row for row in board.rows if row.reported is not None]
    if logged:
        yield LabelledLine(label="Log", text=_compared(logged, finest_of(board.estimates)))
    yield LabelledLine(label="Applies", text=f"to {_applies(board)}")


def _compared(logged: Sequence[BoardRow], finest: float | None) -> str:
    """The averages that logs state beside ours."""
    off = {row: abs((row.reported or 0.0) - (row.estimate.value or 0.0)) for row in logged}
    row = max(logged, key=off.__getitem__)
    if off[row] < ROUNDED_AVERAGE:
        return f"states the same {'average' if len(logged) == 1 else 'averages'}"
    return (
        f"states {_logged(row)} for {clean_name(row.model)}, which is "
        f"{write_estimate(row.estimate, finest=finest).value} here: "
        "the largest difference"
    )


def board_sentences(board: Board, cited: Citations) -> Iterable[str]:
    """How the board was made, fit to be quoted."""
    level = shown_percent(board.level)
    kind = "simultaneous" if board.sets == "joint" else "marginal"
    yield (
        f"{len(board.rows):,} models were ranked by {clean(score_name(board).rstrip(' ↑↓'))} over "
        f"{clean(board.units)}; "
        "the rank of a model is one more than the number of models with a better value."
    )
    yield (
        f"Sets of ranks are {kind} {level} confidence sets from all pairwise "
        f"differences{cited.numbers('rank_sets')}; intervals of scores are simultaneous."
    )
    if board.winner is not None and board.winner.interval is not None:
        yield (
            f"The score of the leading model was corrected for selection{cited.numbers('winner_score')}."
        )
    yield f"The conclusions apply to {_applies(board)}."
