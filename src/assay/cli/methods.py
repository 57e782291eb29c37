"""`assay methods`: the catalogue, and each method's facts."""

import json
from typing import Any

import click

from assay.core.methods import Method, catalogue, find_method


@click.command("methods")
@click.argument("name", required=False)
@click.option(
    "--search", metavar="WORD", help="Only methods whose name, question or family has this word."
)
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
def command(name: str | None, search: str | None, form: str) -> None:
    """List the methods by family, or show one: its question, assumptions and reference.

    \b
    assay methods
    assay methods mcnemar
    assay methods --search bootstrap
    """
    if name is not None:
        found = find_method(name)
        click.echo(json.dumps(_facts(found), indent=2) if form == "json" else _page(found))
        return
    chosen = [m for m in catalogue().values() if search is None or search.lower() in _searched(m)]
    if form == "json":
        click.echo(json.dumps([_facts(m) for m in chosen], indent=2))
        return
    width = max((len(m.id) for m in chosen), default=0)
    family = None
    for one in sorted(chosen, key=lambda m: (m.layer, m.family)):
        if one.family != family:
            family = one.family
            click.secho(f"\n{family.replace('_', ' ')}", bold=True)
        click.echo(f"  {one.id:<{width}}  {one.question}")


def _searched(one: Method) -> str:
    return " ".join((one.id, one.question, one.family, one.summary, *one.assumes)).lower()


def _facts(one: Method) -> dict[str, Any]:
    import inspect

    from assay.report.elsewhere import unfilled

    return {
        "id": one.id,
        "question": one.question,
        "summary": one.summary,
        "takes": one.takes,
        "gives": one.gives,
        "unit": list(one.unit),
        "assumes": list(one.assumes),
        "formula": one.formula,
        "same_as": unfilled(one.same_as) if one.same_as else None,
        "reference": one.reference,
        "requirement": one.requirement,
        "call": f"assay.{one.id}{inspect.signature(one.function)}",
        "docs": f"docs/methods/{one.family}.md#{one.id}",
    }


def _page(one: Method) -> str:
    from assay.report.elsewhere import unfilled
    from assay.report.references import works

    lines = [f"{one.id}: {one.summary}", "", f"Question    {one.question}"]
    lines += [f"Takes       {one.takes}; unit: {', '.join(one.unit)}"]
    lines += [f"Assumes     {assumption}" for assumption in one.assumes]
    lines += [f"Formula     {one.formula}"] if one.formula else []
    lines += [f"Same as     {unfilled(one.same_as)}"] if one.same_as else []
    lines += [
        f"Reference   {'; '.join(works(one.reference))}",
        f"Docs        {_facts(one)['docs']}",
        f"Python      {_facts(one)['call']}",
    ]
    return "\n".join(lines)
