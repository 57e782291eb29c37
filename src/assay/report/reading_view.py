"""A reading as text or JSON: columns and why, what is open, and what can be asked, ready to paste."""

import json
import shlex
from collections.abc import Sequence
from typing import Any

from assay.core.questions import in_options
from assay.core.writing import clean, clean_name
from assay.evidence.reading import ColumnRole, Reading
from assay.evidence.scores import Scores

MOST_COLUMNS = 40
"""Columns that are listed one by one."""


def reading_text(reading: Reading, files: Sequence[str], *, width: int = 100) -> str:
    """What was understood, column by column; what is open; commands to paste."""
    lines = [_headline(reading)]
    if reading.columns:
        lines += ["", *_columns(reading.columns, width)]
    if reading.summary_rows:
        lines.append(
            f"left out: {', '.join(map(clean_name, reading.summary_rows))} (summary of the rest)"
        )
    if reading.questions:
        lines += ["", "open, before anything can be decided:"]
        lines += [f"  {line}" for line in clean_lines(in_options(reading.questions))]
        return "\n".join(lines) + "\n"
    lines += ["", "what can be asked:"]
    return "\n".join([*lines, *_commands(reading, files)]) + "\n"


def clean_lines(text: str) -> list[str]:
    return [clean(line) for line in text.split("\n")]


def _headline(reading: Reading) -> str:
    if reading.questions:
        return clean(reading.sentence)
    summary = reading.evidence().summary()
    return clean(f"{', '.join(summary.sources)}: {summary.description}")


def _columns(columns: Sequence[ColumnRole], width: int) -> list[str]:
    rows = [("column", "is", "because", "values")]
    rows += [
        (clean_name(c.name) or "(no name)", c.role, c.why or "-", _values(c))
        for c in columns[:MOST_COLUMNS]
    ]
    sizes = [
        min(max(len(row[place]) for row in rows), limit) for place, limit in enumerate((24, 14, 34))
    ]
    lines = []
    for row in rows:
        cells = [f"{_cut(cell, size):<{size}}" for cell, size in zip(row, sizes, strict=False)]
        lines.append(_cut("  ".join([*cells, row[3]]), width).rstrip())
    if len(columns) > MOST_COLUMNS:
        lines.append(f"… and {len(columns) - MOST_COLUMNS} more columns")
    return lines


def _values(column: ColumnRole) -> str:
    gaps = f", {column.missing} blank" if column.missing else ""
    if column.low is not None and column.high is not None and column.distinct > 2:
        return f"{column.low:g} to {column.high:g}{gaps}"
    more = ", …" if column.distinct > len(column.sample) else ""
    return f"{', '.join(map(clean_name, column.sample))}{more}{gaps}"


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"


def _commands(reading: Reading, files: Sequence[str]) -> list[str]:
    """The questions this evidence can answer, each as a command."""
    evidence = reading.evidence()
    given = " ".join(map(shlex.quote, [*files, *_typed(reading)]))
    commands = [("how good is each model?", f"assay evaluate {given}")]
    if len(evidence.models) > 1:
        commands.append(("which is better, and how sure is that?", f"assay compare {given}"))
        commands.append(
            (
                "the same against one of them",
                f"assay compare {given} --baseline {shlex.quote(evidence.models[0])}",
            )
        )
        if not isinstance(evidence, Scores):
            commands.append(
                (
                    "may the second replace the first?",
                    f"assay gate {given} --baseline {shlex.quote(evidence.models[0])} --candidate {shlex.quote(evidence.models[1])} --margin 0.01",
                )
            )
    else:
        commands.append(("is it better than chance?", f"assay compare {given} --against chance"))
    commands.append(("a report to keep", f"assay compare {given} --output report.html"))
    size = max(len(question) for question, _ in commands)
    return [f"  {question:<{size}}  {clean(command)}" for question, command in commands]


def _typed(reading: Reading) -> list[str]:
    """The options that were given, to be given again."""
    words: list[str] = []
    for name, value in told_options(reading).items():
        option = f"--{name.replace('_', '-')}"
        if name == "lower_is_better":
            words.append("--lower-is-better" if value else "--higher-is-better")
        elif value is True:
            words.append(option)
        elif name == "id" and value is False:
            words.append("--by-position")
        elif isinstance(value, list | tuple):
            words += [option, ",".join(map(str, value))]
        else:
            words += [option, str(value)]
    return words


def told_options(reading: Reading) -> dict[str, Any]:
    """What was told, by name of the option, without what was not."""
    from dataclasses import fields

    found: dict[str, Any] = {}
    for one in fields(reading.told):
        value = getattr(reading.told, one.name)
        if (
            one.name not in ("extra", "paired")
            and value != one.default
            and value not in (None, (), {})
        ):
            found[one.name] = value
    return found


def reading_json(reading: Reading) -> str:
    """The reading as data: columns, roles, reasons, questions with their options."""
    return json.dumps(
        {
            "sources": list(reading.sources),
            "shape": reading.shape,
            "unit": reading.unit,
            "models": list(reading.models),
            "values": reading.values,
            "columns": [
                {
                    "name": one.name,
                    "role": one.role,
                    "why": one.why,
                    "low": one.low,
                    "high": one.high,
                    "distinct": one.distinct,
                    "missing": one.missing,
                    "sample": list(one.sample),
                }
                for one in reading.columns
            ],
            "questions": [
                {
                    "code": one.code,
                    "text": one.text,
                    "answers": [
                        {"text": a.text, "option": a.option, "arguments": dict(a.arguments)}
                        for a in one.answers
                    ],
                }
                for one in reading.questions
            ],
        },
        indent=2,
        ensure_ascii=False,
    )
