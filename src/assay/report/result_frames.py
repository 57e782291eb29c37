"""Results as data frames: one row per pair, estimate, check or cell, numbers unrounded."""

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from assay.core.board_results import Board
from assay.core.checks import check_choice
from assay.core.errors import MissingDependency, UsageError
from assay.core.gate_results import Gate
from assay.core.judge_results import JudgeReport
from assay.core.plan_results import Plan
from assay.core.results import (
    Comparison,
    Comparisons,
    Curve,
    Estimate,
    Evaluation,
    FamilyOutcome,
    Interval,
    Posterior,
    Simulation,
    TestOutcome,
    Verdict,
)
from assay.core.study_results import CurveComparison, StudyReport
from assay.report.tables import ends_of

Row = dict[str, Any]
BACKENDS = ("pandas", "polars", "pyarrow")


def frame_of(result: Any, backend: str | None = None) -> Any:
    """The rows of a result as a frame: of the backend, of what scikit-learn was told to give, of what is installed."""
    rows = rows_of(result)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    return made(columns, backend)


def made(columns: dict[str, list[Any]], backend: str | None) -> Any:
    """Columns as a frame of the backend that is asked for or configured."""
    return _made(
        columns, _configured() if backend is None else check_choice(backend, BACKENDS, "backend")
    )


def _configured() -> str | None:
    """What `sklearn.set_config(transform_output=…)` says, where somebody loaded scikit-learn and said something."""
    sklearn = sys.modules.get("sklearn")
    asked = sklearn.get_config().get("transform_output") if sklearn is not None else None
    return asked if asked in BACKENDS else None


def rows_of(result: Any) -> list[Row]:
    """The numbers of a result, row by row; differences are A minus B, as in JSON."""
    for kind, build in _ROWS.items():
        if isinstance(result, kind):
            return list(build(result))
    raise UsageError(f"there is no frame of {type(result).__name__}")


def _made(columns: dict[str, list[Any]], backend: str | None) -> Any:
    for name in BACKENDS if backend is None else (backend,):
        try:
            module = import_module(name)
        except ImportError:
            continue
        return module.table(columns) if name == "pyarrow" else module.DataFrame(columns)
    wanted = backend or "pandas, polars or pyarrow"
    raise MissingDependency(f"a frame needs {wanted}: pip install {backend or 'pandas'}")


def _fields(one: Any, *names: str) -> Row:
    """What a part of a result has under these names."""
    return {name: getattr(one, name) for name in names}


def _ends(interval: Interval | None) -> Row:
    if interval is None:
        return dict.fromkeys(("low", "high", "level", "interval_method"))
    return {**_fields(interval, "low", "high", "level"), "interval_method": interval.method}


def _estimate(one: Estimate) -> Row:
    return {
        **_fields(one, "model", "measure"),
        "estimate": one.value,
        **_ends(one.interval),
        **_fields(one, "standard_error", "n", "unit"),
    }


def _outcome(one: TestOutcome) -> Row:
    effect = one.effect
    return {
        "measure": effect.measure,
        "effect": effect.value,
        **_ends(effect.interval),
        **_fields(one, "statistic", "p_value", "null", "method"),
        **_fields(effect, "n", "unit"),
    }


def _verdict(one: Verdict) -> Row:
    return {
        **_fields(one, "a", "b"),
        **_outcome(one.outcome),
        "verdict": one.word,
        **_fields(one, "different", "margin", "p_better", "p_equivalent", "p_worse"),
    }


def _of_comparison(result: Comparison) -> Iterable[Row]:
    where = {} if result.slice is None else {"slice": result.slice}
    return ({**where, **_verdict(one)} for one in result.verdicts)


def _of_comparisons(result: Comparisons) -> Iterable[Row]:
    sliced = result.sliced_by is not None
    for part in result.parts:
        for one in part.verdicts:
            yield {**({"slice": part.slice} if sliced else {}), **_verdict(one)}


def _of_gate(result: Gate) -> Iterable[Row]:
    for one in result.checks:
        yield {
            **_fields(result, "candidate", "baseline"),
            **_fields(one, "measure", "difference", "low", "high", "level", "margin"),
            "gate": one.word,
            **_fields(one, "asks", "slice", "item", "value", "required"),
        }


def _of_plan(result: Plan) -> Iterable[Row]:
    for one in result.cases or (result,):
        label = getattr(one, "label", None)
        yield {"case": label, **_fields(one, "n", "power", "difference", "half_width")}


def _of_simulation(result: Simulation) -> Iterable[Row]:
    for one in result.cells:
        low, high = ends_of(one.interval)
        yield {
            **_fields(one, "method", "world", "n"),
            **dict(one.parameters),
            **_fields(one, "effect", "alpha", "quantity", "value"),
            "low": low,
            "high": high,
            "replicates": one.replicates,
        }


def _of_family(result: FamilyOutcome) -> Iterable[Row]:
    for (a, b), one in zip(result.pairs, result.outcomes, strict=True):
        yield {"a": a, "b": b, **_outcome(one)}


def _of_posterior(result: Posterior) -> Iterable[Row]:
    yield {
        **_fields(result, "a", "b", "method"),
        "effect": result.effect.value,
        **_ends(result.effect.interval),
        **_fields(result, "rope", "p_left", "p_rope", "p_right"),
    }


def _of_curve(result: Curve) -> Iterable[Row]:
    names = [name for name, _ in result.columns]
    for values in zip(*(values for _, values in result.columns), strict=True):
        yield {"model": result.model, **dict(zip(names, values, strict=True))}


def _of_curves(result: CurveComparison) -> Iterable[Row]:
    return (row for curve in result.curves for row in _of_curve(curve))


def _of_study(result: StudyReport) -> Iterable[Row]:
    return (row for one in result.comparisons for row in _of_comparison(one))


def _of_board(result: Board) -> Iterable[Row]:
    for row in result.rows:
        low, high = ends_of(row.estimate.interval)
        yield {
            **_fields(row, "model", "rank"),
            "rank_low": row.low,
            "rank_high": row.high,
            "score": row.estimate.value,
            "low": low,
            "high": high,
            "standard_error": row.estimate.standard_error,
            **_fields(row, "may_be_best", "letters"),
            **({} if row.reported is None else {"reported": row.reported}),
            **({} if row.cost is None else _fields(row, "cost", "standing")),
        }


def _of_judge(result: JudgeReport) -> Iterable[Row]:
    for one in result.estimates:
        low, high = ends_of(one.interval)
        yield {
            "judge": one.model,
            "agreement": one.measure,
            "value": one.value,
            "low": low,
            "high": high,
            **_fields(one, "standard_error", "n", "method"),
        }


_ROWS: dict[type[Any], Callable[[Any], Iterable[Row]]] = {
    Comparison: _of_comparison,
    Comparisons: _of_comparisons,
    Evaluation: lambda result: map(_estimate, result.estimates),
    TestOutcome: lambda result: [_outcome(result)],
    Estimate: lambda result: [_estimate(result)],
    FamilyOutcome: _of_family,
    Posterior: _of_posterior,
    Curve: _of_curve,
    Gate: _of_gate,
    Plan: _of_plan,
    Simulation: _of_simulation,
    CurveComparison: _of_curves,
    StudyReport: _of_study,
    Board: _of_board,
    JudgeReport: _of_judge,
}
