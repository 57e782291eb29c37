"""A reading as text or JSON: columns and why, what is open, and what can be asked, ready to paste."""

import json
import shlex
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from assay.core.errors import AssayError
from assay.core.formatting import capital, clean, clean_name, fitted, write_rounded
from assay.core.measure_names import better_side
from assay.core.notes import by_count
from assay.core.questions import AmbiguousEvidence, in_options
from assay.core.wording import in_python
from assay.evidence.judged_items import Judged
from assay.evidence.open_questions import which_direction, which_measure
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.readers.source_tables import open_sources
from assay.evidence.reading import ColumnRole, Evidence, Reading
from assay.evidence.scores import Scores

NOT_YET = "no answer is possible yet:"
"""What stands above the reason why there is no answer."""
INDENT = 2
"""Columns that what is open stands in."""
MOST_COLUMNS = 40
"""Columns that are listed one by one."""


def reading_text(
    reading: Reading,
    files: Sequence[str],
    *,
    width: int = 100,
    worded: Callable[[str], str] = in_python,
) -> str:
    """What was understood, column by column; what is open or wrong; commands to paste.

    ``worded`` puts the words of an error as the reader types them.
    """
    trouble = ""
    try:
        reading = _with_all_questions(reading)
    except AssayError as error:
        trouble = clean(worded(error.for_both))
    said = clean(reading.sentence) if trouble else _headline(reading)
    lines = textwrap.wrap(said, width, break_on_hyphens=False)
    if reading.columns:
        lines += ["", *_columns(reading.columns, width, unsure=_unsure(reading))]
    if reading.summary_rows:
        left = ", ".join(map(clean_name, reading.summary_rows))
        lines.append(f"left out: {left} (summary of the rest)")
    if trouble:
        return "\n".join([*lines, "", NOT_YET, *_indented(_broken(trouble, width))]) + "\n"
    if reading.questions:
        lines += ["", "open questions; answer each with an option:"]
        lines += _indented(clean_lines(in_options(reading.questions, width - INDENT)))
        return "\n".join(lines) + "\n"
    lines += ["", "what can be asked:"]
    return "\n".join([*lines, *_commands(reading, files)]) + "\n"


def _broken(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width - INDENT, break_long_words=False, break_on_hyphens=False)


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"{' ' * INDENT}{line}" for line in lines]


def unread_text(
    sources: Sequence[Any],
    error: AssayError,
    *,
    worded: Callable[[str], str],
    width: int = 100,
) -> str:
    """Of what cannot be laid out: the columns that are there, and what is in the way.

    A source that is no table at all is refused as everywhere.
    """
    if isinstance(error, AmbiguousEvidence):
        said = clean_lines(in_options(error.questions, width - INDENT))
    else:
        said = _broken(worded(error.for_both), width)
    try:
        tables = open_sources(sources)
    except AmbiguousEvidence:
        return "\n".join(["open questions; answer each with an option:", *_indented(said)]) + "\n"
    except AssayError:
        raise error from None
    lines = [
        f"{clean(one.title)}: columns {', '.join(map(clean_name, one.names))}" for one in tables
    ]
    return "\n".join([*lines, "", NOT_YET, *_indented(said)]) + "\n"


def _with_all_questions(reading: Reading) -> Reading:
    """The reading with the questions that only appear when every row, or the direction, is looked at."""
    try:
        evidence = reading.evidence()
    except AmbiguousEvidence as error:
        return replace(reading, questions=error.questions)
    unsaid = reading.told.measure is None
    if unsaid and isinstance(evidence, Scores) and len(evidence.measures) > 1:
        asked = which_measure(", ".join(reading.sources), evidence.measures)
        return replace(reading, questions=(asked,))
    unknown = _without_direction(evidence, reading)
    return replace(reading, questions=(which_direction(unknown),)) if unknown else reading


def _without_direction(evidence: Evidence, reading: Reading) -> str | None:
    """The measure of which nobody says whether higher or lower is better."""
    if not isinstance(evidence, Scores) or reading.told.lower_is_better is not None:
        return None
    silent = [one for one in evidence.measures if better_side(one) is None]
    return next((one for one in silent if one not in evidence.directions), None)


def clean_lines(text: str) -> list[str]:
    return [clean(line) for line in text.split("\n")]


def _headline(reading: Reading) -> str:
    if reading.questions and _unsure(reading):
        files = ", ".join(reading.sources)
        count = len(reading.models)
        may = by_count(count, "column that may be a model", "columns that may be models")
        return clean(f"{files}: {reading.shape}; {count} {may}")
    if reading.questions:
        return clean(reading.sentence)
    evidence = reading.evidence()
    summary = evidence.summary()
    notes = getattr(evidence, "notes", ())
    missing = [f"{capital(one.message)}." for one in notes if one.code == "study-gaps"]
    return clean(" ".join([f"{', '.join(summary.sources)}: {summary.description}", *missing]))


def _columns(columns: Sequence[ColumnRole], width: int, *, unsure: bool) -> list[str]:
    some = next((c.looked_at for c in columns if c.looked_at), None)
    rows = [("column", "role", "reason", f"values in {some} rows" if some else "values")]
    rows += [
        (
            clean_name(c.name) or "(no name)",
            f"{c.role}{'?' if unsure and c.role == 'model' else ''}",
            "open" if unsure and c.why.startswith("values of ") else c.why or "-",
            column_values(c),
        )
        for c in columns[:MOST_COLUMNS]
    ]
    longest = [max(len(row[place]) for row in rows) for place in range(4)]
    name, role = min(longest[0], 24), min(longest[1], 14)
    room = width - name - role - min(longest[3], 20) - 6
    sizes = [name, role, min(longest[2], max(room, 34))]
    lines = []
    for column, row in zip(fitted([row[0] for row in rows], name), rows, strict=True):
        said = (column, *row[1:])
        cells = [f"{_cut(cell, size):<{size}}" for cell, size in zip(said, sizes, strict=False)]
        lines.append(_cut("  ".join([*cells, row[3]]), width).rstrip())
    if len(columns) > MOST_COLUMNS:
        lines.append(f"… and {len(columns) - MOST_COLUMNS} more columns")
    return lines


def _unsure(reading: Reading) -> bool:
    """Whether it is open which columns are models."""
    return any(one.code in ("models", "truth", "values", "unit") for one in reading.questions)


def column_values(column: ColumnRole) -> str:
    gaps = f", {column.missing} blank" if column.missing else ""
    if column.missing and column.looked_at:
        gaps = f", {write_rounded(100 * column.missing / column.looked_at, 2)}% blank"
    if column.low is not None and column.high is not None and column.distinct > 2:
        return f"{write_rounded(column.low, 6)} to {write_rounded(column.high, 6)}{gaps}"
    more = ", …" if column.distinct > len(column.sample) else ""
    return f"{', '.join(map(clean_name, column.sample))}{more}{gaps}"


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"


def _commands(reading: Reading, files: Sequence[str]) -> list[str]:
    """The questions this evidence can answer, each as a command."""
    evidence = reading.evidence()
    given = " ".join(map(shlex.quote, [*files, *_typed(reading)]))
    first, *others = map(shlex.quote, evidence.models)
    commands = [("how good is each model?", f"assay evaluate {given}")]
    if others:
        commands.append(("which is better, by how much, how sure?", f"assay compare {given}"))
        commands.append(
            ("are the others better than the first?", f"assay compare {given} --baseline {first}")
        )
    elif _of_classes(evidence):
        commands.append(("is it better than chance?", f"assay compare {given} --against chance"))
    if len(others) > 1:
        commands.append(("which ranks may each have?", f"assay board {given}"))
    if isinstance(evidence, Judged):
        commands.append(("how far does the judge agree with people?", f"assay judge {given}"))
        wanted = min(50, (evidence.size - evidence.graded().size) // 2)
        ask = f"assay plan {given} --next {wanted} --output next.csv"
        commands += [("which items should people label next?", ask)] if wanted else []
    if others and _of_classes(evidence):
        named = f"--baseline {first} --candidate {others[0]}"
        gate = f"assay gate {given} {named} --margin 0.01"
        commands.append(("may the second replace the first?", gate))
    verb = "compare" if others else "evaluate"
    commands.append(("a report to keep", f"assay {verb} {given} --output report.html"))
    return [
        line
        for question, command in commands
        for line in (f"  {question}", f"    {clean(command)}")
    ]


def _of_classes(evidence: Evidence) -> bool:
    """Whether these are predictions of classes: they have a chance, and shares as their measures."""
    if not isinstance(evidence, Predictions | Unpaired):
        return False
    parts = evidence.parts if isinstance(evidence, Unpaired) else (evidence,)
    offered = {kind for part in parts for model in part.models for kind in part.offers[model]}
    return not offered & {"values", "losses"}


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
        unsaid = value is None or (isinstance(value, tuple | dict) and not value)
        if one.name not in ("extra", "paired") and not unsaid and value != one.default:
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
                    "looked_at": one.looked_at,
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
