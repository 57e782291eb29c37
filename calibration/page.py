"""The page: a summary by procedure, then every cell, world by world."""

from collections.abc import Mapping, Sequence
from typing import Any

from calibration.designs.cells import Value
from calibration.designs.criteria import Judged
from calibration.words import CLOSING, HEADINGS, OPENING, PROCEDURES, WORLDS

COLUMNS = {"n", "runs", "icc", "n_b"}
"""Parameters laid out as columns; the others name the rows."""


MOST_NAMED = 12
"""Cells named one by one below their table; more are bold in it."""


def write_page(tables: Sequence[Sequence[Judged]], grid: Mapping[str, Any]) -> str:
    """docs/calibration.md from the judged cells of every table."""
    parts = [OPENING.format(**_totals(tables)), _summary(tables), CLOSING]
    for world, heading in HEADINGS.items():
        mine = [cells for cells in tables if cells[0].table.world == world]
        if mine:
            parts.append(f"## {heading}\n\n{WORLDS[world]}")
            parts += [_table(cells, grid) for cells in mine]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _totals(tables: Sequence[Sequence[Judged]]) -> dict[str, Any]:
    cells = [one for table in tables for one in table]
    judged = [one for one in cells if one.table.world != "folds"]
    return {
        "cells": len(cells),
        "judged": len(judged),
        "short": sum(bool(one.short) for one in judged),
        "open": sum(bool(one.open) and not one.short for one in judged),
        "exact": sum(one.replicates is None for one in cells),
    }


def _summary(tables: Sequence[Sequence[Judged]]) -> str:
    lines = [
        "| procedure | world | cells | level at 5 % | level at 1 % | coverage of 95 % | width | short | open |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for cells in tables:
        table = cells[0].table
        name = PROCEDURES.get(table.procedure, table.procedure)
        of = (
            f" of {table.measure}"
            if table.measure and table.world in ("label_measures", "scores")
            else ""
        )
        level = "family_wise" if _has(cells, "family_wise@0.05") else "level"
        coverage = "coverage" if table.answers == "evaluate" else "coverage_apart"
        lines.append(
            f"| {name}{of} | {table.world} | {len(cells)} | {_range(cells, f'{level}@0.05')} | "
            f"{_range(cells, f'{level}@0.01')} | {_range(cells, f'{coverage}@0.05')} | "
            f"{_largest(cells, 'width@0.05')} | {_count(cells, 'short')} | {_count(cells, 'open')} |"
        )
    return "\n".join(lines)


def _count(cells: Sequence[Judged], what: str) -> str:
    if cells[0].table.world == "folds":
        return "published"
    number = sum(bool(getattr(one, what)) for one in cells)
    return str(number) if number else "–"


def _has(cells: Sequence[Judged], name: str) -> bool:
    return any(name in one.measured for one in cells)


def _range(cells: Sequence[Judged], name: str) -> str:
    values = [one.measured[name][0] for one in cells if name in one.measured]
    return f"{_percent(min(values))}–{_percent(max(values))} %" if values else ""


def _largest(cells: Sequence[Judged], name: str) -> str:
    values = [one.measured[name][0] for one in cells if name in one.measured]
    return f"≤ {max(values):.2f}" if values else ""


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _table(cells: Sequence[Judged], grid: Mapping[str, Any]) -> str:
    table = cells[0].table
    name = PROCEDURES.get(table.procedure, table.procedure)
    of = f", {table.measure}" if table.measure else ""
    kinds = _kinds(cells)
    titles = " / ".join(title for _, title in kinds)
    head = f"### {name}{of} ({table.world})\n\nIn each cell: {titles}. {_replicates(cells, grid)}"
    return f"{head}\n\n{_pivot(cells, [kind for kind, _ in kinds])}\n\n{_shortfalls(cells)}"


def _kinds(cells: Sequence[Judged]) -> list[tuple[str, str]]:
    wanted = [
        ("level@0.05", "level at 5 %"),
        ("level@0.01", "level at 1 %"),
        ("family_wise@0.05", "family-wise error at 5 %"),
        ("family_wise@0.01", "family-wise error at 1 %"),
        ("power@0.05", "power at 5 %"),
    ]
    if cells[0].table.answers == "evaluate":
        wanted += [("coverage@0.05", "coverage of 95 %"), ("coverage@0.01", "coverage of 99 %")]
    else:
        wanted += [("coverage_apart@0.05", "coverage of 95 % under the alternative")]
    wanted += [("width@0.05", "width over the narrowest valid")]
    return [(kind, title) for kind, title in wanted if _has(cells, kind)]


def _replicates(cells: Sequence[Judged], grid: Mapping[str, Any]) -> str:
    sizes = [one.replicates for one in cells if one.replicates is not None]
    if not sizes:
        return "Exact: every outcome was listed."
    low, high, asked = min(sizes), max(sizes), grid["replicates"]
    said = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    less = "" if low >= 0.9 * asked else f", fewer than the {asked:,} asked for"
    error = 100 * 2.58 * (0.05 * 0.95 / max(low, 1)) ** 0.5
    return (
        f"{said} replicates{less}. Monte-Carlo error of a 5 % level: ± {error:.2g} points or less."
    )


def _pivot(cells: Sequence[Judged], kinds: Sequence[str]) -> str:
    names = cells[0].table.parameters
    across = next((name for name in reversed(names) if name in COLUMNS), names[-1])
    place = names.index(across)
    columns = sorted({one.at[place] for one in cells}, key=_sorted)
    rows: dict[tuple[Value, ...], dict[Value, Judged]] = {}
    for one in cells:
        key = one.at[:place] + one.at[place + 1 :]
        rows.setdefault(key, {})[one.at[place]] = one
    labels = [name for name in names if name != across]
    lines = [
        "| " + " | ".join([*labels, *(f"{across} = {_said(column)}" for column in columns)]) + " |",
        "|" + "---|" * (len(labels) + len(columns)),
    ]
    for key in sorted(rows, key=lambda row: tuple(_sorted(value) for value in row)):
        entries = [_entry(rows[key].get(column), kinds) for column in columns]
        lines.append("| " + " | ".join([*(_said(value) for value in key), *entries]) + " |")
    return "\n".join(lines)


def _sorted(value: Value) -> tuple[int, float, str]:
    return (1, 0.0, value) if isinstance(value, str) else (0, float(value), "")


def _said(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _entry(one: Judged | None, kinds: Sequence[str]) -> str:
    if one is None:
        return ""
    values = []
    for kind in kinds:
        if kind not in one.measured:
            values.append("**∞**" if kind in one.short else "–")
            continue
        value, low, high = one.measured[kind]
        text = f"{value:.2f}" if kind.startswith("width") else _percent(value)
        if (
            one.table.world == "folds"
            and kind == "level@0.05"
            and low is not None
            and high is not None
        ):
            text += f" ({_percent(low)}–{_percent(high)})"
        size = kind.replace("level", "size")
        mark = "**" if {kind, size} & set(one.short) else ""
        doubt = "?" if {kind, size} & set(one.open) else ""
        values.append(f"{mark}{text}{doubt}{mark}")
    return " / ".join(values)


def _shortfalls(cells: Sequence[Judged]) -> str:
    """The cells that fall short, by criterion, and whether the method warns there."""
    named: dict[str, list[str]] = {}
    for one in cells:
        for criterion in one.short:
            warned = " noted" if one.warns(criterion) else ""
            where = " ".join(_said(value) for value in one.at)
            named.setdefault(criterion, []).append(f"({where}{warned})")
    if not named:
        return "" if cells[0].table.world == "folds" else "No cell falls short."
    parts = [f"{criterion}: {_listed(found)}" for criterion, found in sorted(named.items())]
    return f"Short, {'; '.join(parts)}."


def _listed(found: Sequence[str]) -> str:
    if len(found) <= MOST_NAMED:
        return ", ".join(found)
    noted = sum(where.endswith(" noted)") for where in found)
    return f"{len(found)} cells, bold above ({noted} of them noted)"
