"""`assay datasets`: real data sets that work offline, with their sources and licences."""

from typing import TYPE_CHECKING

import click

from assay.core.notes import by_count

if TYPE_CHECKING:
    from assay.study.catalogues import Listed


@click.command("datasets")
@click.argument("words", nargs=-1, metavar="[list | [show] NAME]")
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
def command(words: tuple[str, ...], form: str) -> None:
    """List the data sets that come with assay, or show one: columns, source, licence, traps.

    \b
    assay datasets
    assay datasets penguins
    assay datasets show penguins --format json
    """
    import msgspec

    from assay.study.catalogues import suite

    names = words[1:] if words[:1] in (("list",), ("show",)) else words
    if len(names) > 1 or (words[:1] == ("list",) and names) or (words == ("show",)):
        raise click.UsageError("say `assay datasets`, or `assay datasets NAME`")
    chosen = _found(names[0]) if names else list(suite().values())
    if form == "json":
        plain = msgspec.to_builtins(chosen)
        click.echo(msgspec.json.format(msgspec.json.encode(plain), indent=2).decode())
    else:
        click.echo(_page(chosen) if not isinstance(chosen, list) else _table(chosen))


def _found(name: str) -> "Listed":
    from assay.core.errors import UsageError
    from assay.study.catalogues import suite

    known = suite()
    if name in known:
        return known[name]
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else "`assay datasets` lists them"
    raise UsageError(f"the suite has no data set {name!r}; {hint}")


def _table(listed: list["Listed"]) -> str:
    heads = ("name", "rows", "features", "nominal", "blank", "classes", "")
    rows = [
        (
            one.name,
            f"{one.rows:,}",
            str(one.features),
            str(one.categorical or ""),
            f"{one.missing_percent:g}%" if one.missing_percent else "",
            f"{one.classes} ({100 * one.majority_fraction:.0f}%)"
            if one.majority_fraction
            else str(one.task),
            f"by {one.group_column}" if one.group_column else "by time" if one.ordered else "",
        )
        for one in listed
    ]
    widths = [max(len(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    words = {0, len(heads) - 1}
    lines = [
        "  ".join(
            cell.ljust(width) if place in words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (heads, *rows)
    ]
    lines[0] = click.style(lines[0], bold=True)
    tail = (
        "\nnominal: features that are categories; classes: how many (share of the largest)\n"
        "by …: rows of one group belong together, or rows follow one another in time\n"
        f"{len(listed)} data sets, no network needed. `assay datasets NAME` shows one."
    )
    return "\n".join([*lines, tail])


def _page(one: "Listed") -> str:
    repeat = by_count(one.duplicate_rows or 0, "repeats", "repeat")
    facts = {
        "Task": f"{one.task} of {one.target}" + (f", {one.classes} classes" if one.classes else ""),
        "Rows": f"{one.rows:,}, of which {one.duplicate_rows:,} {repeat} another",
        "Features": f"{one.features}, of which {one.categorical} nominal; "
        f"{one.missing_percent:g}% of the cells missing",
        "Classes": f"the smallest has {one.smallest_class:,} rows, the largest "
        f"{100 * (one.majority_fraction or 0.0):.1f}%"
        if one.classes
        else "",
        "Together": f"rows with the same {one.group_column}" if one.group_column else "",
        "Order": "rows follow one another in time" if one.ordered else "",
        "Columns": ", ".join(
            f"{name} ({kind})" if kind != "numeric" else name for name, kind in one.columns.items()
        ),
        "Source": f"{one.source}; {one.creators}",
        "From": one.obtained_from,
        "Licence": one.licence,
        "Evidence": one.licence_evidence,
        "SHA-256": one.sha256 or f"of the content: {one.fingerprint}",
        "Notes": one.notes,
    }
    from assay.cli.output import terminal_width
    from assay.report.labelled_lines import labelled

    known = ((label, text) for label, text in facts.items() if text)
    return f"{one.name}: {one.title}\n\n{labelled(known, width=terminal_width())}"
