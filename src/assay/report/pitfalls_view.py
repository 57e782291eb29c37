"""The mistakes measured, as a table for the terminal and as the page docs/pitfalls.md."""

from collections.abc import Sequence
from typing import Any

from assay.core.formatting import capital, shown_percent
from assay.report.tables import Cell, ColumnOf, number, table_of, words
from assay.report.text import render_text
from assay.report.views import View
from assay.simulate.misuse_catalogue import Measured, MisuseRate

_INTRODUCTION = """# Pitfalls, measured

Classic mistakes, each run on simulated data whose truth is known. The tables show how often the naive way goes wrong,
beside assay's default on the same data.

- *False alarms*: the share of samples in which equal models are called different (nominal 5%).
- *Coverage*: the share of 95% intervals that contain the truth.
- *Power*: the share of samples in which a real difference is detected.
- *Below the truth*: the share of estimates that are too low (ideally a half).
- *Contradiction*: a diagram shows a decision that its test did not make.

Intervals in brackets are for these shares (Clopper-Pearson, 95%).

    assay demo misuse

runs it all in seconds; `assay demo misuse --format markdown > docs/pitfalls.md` makes this page."""


def misuse_table(found: Sequence[Measured], *, width: int = 100, color: bool = False) -> str:
    """One row for each mistake: the naive way beside ours."""
    table = table_of(
        found,
        words("mistake", lambda one: one.mistake.title),
        words("counted", lambda one: one.mistake.quantity),
        number("nominal", lambda one: one.mistake.nominal, shown_percent, "due"),
        *(
            ColumnOf(name, (part, f"{part}_low", f"{part}_high"), cell)
            for name, part, cell in (
                ("naive", "naive", lambda one: _cell(one.naive)),
                ("assay", "ours", lambda one: _cell(one.ours)),
            )
        ),
        name="misuse",
        caption="How often the naive way and assay's default go wrong; in brackets 95% intervals of these shares.",
    )
    view = View(title="Classic mistakes, run and measured", tables=(table,))
    return render_text(view, width=width, color=color)


def pitfalls_page(found: Sequence[Measured]) -> str:
    """The page: all mistakes in one table, then wrong and right for each."""
    rows = ["| mistake | counted | nominal | naive | assay |", "|---|---|---:|---:|---:|"]
    rows += [
        f"| [{one.mistake.title}](#{one.mistake.id}) | {one.mistake.quantity} | {_due(one)} | "
        f"{_rate(one.naive)} | {_rate(one.ours)} |"
        for one in found
    ]
    blocks = [_INTRODUCTION, "\n".join(rows), *map(_section, found)]
    return "\n\n".join(blocks) + "\n"


def misuse_document(found: Sequence[Measured]) -> list[dict[str, Any]]:
    """The same as plain data."""
    return [
        {
            "id": one.mistake.id,
            "title": one.mistake.title,
            "world": one.mistake.world,
            "wrong": one.mistake.wrong,
            "right": one.mistake.right,
            "counted": one.mistake.quantity,
            "due": one.mistake.nominal,
            "naive": _plain(one.naive),
            "assay": _plain(one.ours),
        }
        for one in found
    ]


def _section(one: Measured) -> str:
    mistake = one.mistake
    return "\n".join(
        [
            f'<a id="{mistake.id}"></a>',
            "",
            f"## {mistake.title}",
            "",
            f"In {one.naive.replicates:,} samples: {mistake.world}.",
            "",
            f"- **Wrong:** {mistake.wrong}. {_words(mistake.quantity, one.naive)}",
            f"- **Right:** {mistake.right}. {_words(mistake.quantity, one.ours)}",
            "",
            mistake.why,
            "",
            f"    {mistake.command}",
        ]
    )


def _words(quantity: str, rate: MisuseRate) -> str:
    return f"{capital(quantity)}: {_rate(rate)}."


def _due(one: Measured) -> str:
    return "" if one.mistake.nominal is None else shown_percent(one.mistake.nominal)


def _rate(rate: MisuseRate) -> str:
    low, high = 100 * rate.interval.low, 100 * rate.interval.high
    return f"{100 * rate.value:.1f}% [{low:.1f}, {high:.1f}]"


def _cell(rate: MisuseRate) -> Cell:
    return Cell(text=_rate(rate), numbers=(rate.value, rate.interval.low, rate.interval.high))


def _plain(rate: MisuseRate) -> dict[str, Any]:
    return {
        "rate": rate.value,
        "low": rate.interval.low,
        "high": rate.interval.high,
        "count": rate.count,
        "replicates": rate.replicates,
    }
