"""`assay methods`: the catalogue, and each method's facts."""

import json
import textwrap
from collections import Counter
from collections.abc import Callable
from typing import Any

import click

from assay.cli.completion import measure_names, method_names
from assay.core.methods import Method, catalogue, find_method


@click.command("methods")
@click.argument("name", required=False, shell_complete=method_names)
@click.option(
    "--search", metavar="WORD", help="Only methods whose name, question or family has this word."
)
@click.option("--choose", is_flag=True, help="Which method do I need? Answer a few questions.")
@click.option("--have", metavar="WHAT", help="predictions, folds, seeds, datasets, counts …")
@click.option("--models", metavar="NUMBER", help="How many models: 1, 2, 3+.")
@click.option("--goal", metavar="GOAL", help="Of one model: estimate, or level.")
@click.option("--same-items", metavar="YES|NO", help="Whether all models saw the same items.")
@click.option("--joint", metavar="YES|NO", help="Whether the joint table of two models is known.")
@click.option(
    "--measure",
    metavar="NAME",
    help="The measure that should decide.",
    shell_complete=measure_names,
)
@click.option("--clusters", metavar="YES|NO", help="Whether items come in clusters.")
@click.option("--weights", metavar="YES|NO", help="Whether items have importance weights.")
@click.option("--repeated", metavar="YES|NO", help="Whether five folds were drawn several times.")
@click.option("--baseline", metavar="YES|NO", help="Whether all are compared with one baseline.")
@click.option("--summary", metavar="WHICH", help="mean-sd-n or mean-ranks.")
@click.option("--control", metavar="WHAT", help="What p-values must keep small.")
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
def command(
    name: str | None, search: str | None, choose: bool, form: str, **answers: str | None
) -> None:
    """List the methods by family, or show one: its question, assumptions and reference.

    With --choose, find the one you need: in a dialogue, or with the answers as options.

    \b
    assay methods
    assay methods mcnemar
    assay methods --search bootstrap
    assay methods --choose
    assay methods --choose --have predictions --models 2 --same-items yes --measure f1
    """
    given = {key: said for key, said in answers.items() if said is not None}
    if choose or given:
        _advise(given, form)
        return
    if name is not None:
        found = find_method(name)
        click.echo(json.dumps(_facts(found), indent=2) if form == "json" else _page(found))
        return
    chosen = [m for m in catalogue().values() if search is None or search.lower() in _searched(m)]
    if form == "json":
        click.echo(json.dumps([_facts(m) for m in chosen], indent=2))
        return
    width = max((len(m.id) for m in chosen), default=0)
    asked = Counter(m.question for m in catalogue().values())
    family = None
    for one in sorted(chosen, key=lambda m: (m.layer, m.family)):
        if one.family != family:
            family = one.family
            click.secho(f"\n{family.replace('_', ' ')}", bold=True)
        own = f" {one.summary.replace('``', '')}" if asked[one.question] > 1 else ""
        click.echo(_hanging(f"  {one.id:<{width}}  ", f"{one.question}{own}"))


def _advise(given: dict[str, str], form: str) -> None:
    """The dialogue, or the answers given; questions with a default are asked only in a dialogue."""
    from dataclasses import asdict

    from assay.compare import guide
    from assay.report.guide_view import advice_text

    asked: dict[str, str] = {}
    for key, said in given.items():
        asked[key] = guide.checked(next(q for q in guide.questions() if q.key == key), said)
    while (question := guide.open_question(asked)) is not None:
        if given and question.default is not None:
            asked[question.key] = question.default
        else:
            asked[question.key] = _asked(question, guide.checked)
    advice = guide.answer(**asked)
    if form == "json":
        click.echo(json.dumps(asdict(advice), indent=2))
        return
    from assay.cli.output import terminal_width

    click.echo(advice_text(advice, width=terminal_width()))


def _asked(question: Any, checked: Callable[[Any, str], str]) -> str:
    """The answer typed; without anyone to ask, which option would have given it."""
    from assay.core.errors import UsageError

    click.echo(f"\n{question.text}", err=True)
    words = [word for word, _ in question.options]
    # a number chooses an answer, unless numbers are answers themselves
    numbers = (
        {} if any(w[0].isdigit() for w in words) else {str(n + 1): w for n, w in enumerate(words)}
    )
    for place, (word, meaning) in enumerate(question.options, start=1):
        number = f"{place:>2}  " if numbers else "  "
        click.echo(f"{number}{word:<22} {meaning}".rstrip(), err=True)

    def convert(typed: str) -> str:
        try:
            return checked(question, numbers.get(typed.strip(), typed))
        except UsageError as error:
            raise click.BadParameter(str(error)) from None

    try:
        said: str = click.prompt(
            "", value_proc=convert, default=question.default, err=True, prompt_suffix="> "
        )
    except click.Abort:
        click.echo(err=True)
        flag = question.key.replace("_", "-")
        answers = " | ".join(words) or "NAME"
        raise UsageError(f"nobody answered: {question.text} Say --{flag} {answers}") from None
    return said


def _searched(one: Method) -> str:
    return " ".join((one.id, one.question, one.family, one.summary, *one.assumes)).lower()


def _facts(one: Method) -> dict[str, Any]:
    from assay.report.method_help import short_signature
    from assay.report.other_programs import unfilled

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
        "call": f"assay.{one.id}{short_signature(one)}",
        "docs": f"docs/methods/{one.family}.md#{one.id}",
    }


def _page(one: Method) -> str:
    from assay.cli.method_options import example_of
    from assay.cli.output import terminal_width
    from assay.report.labelled_lines import labelled
    from assay.report.other_programs import unfilled
    from assay.report.references import works

    facts = _facts(one)
    rows = [
        ("Question", one.question),
        ("Takes", f"{one.takes}; unit: {', '.join(one.unit)}"),
        *(("Assumes", assumption) for assumption in one.assumes),
        ("Formula", one.formula),
        ("Same as", unfilled(one.same_as) if one.same_as else None),
        *(("Reference", work) for work in works(one.reference)),
        ("Docs", facts["docs"]),
        ("Command", example_of(one)),
        ("Python", facts["call"]),
    ]
    known = labelled(
        ((label, text) for label, text in rows if text), width=terminal_width(), whole=("Command",)
    )
    return f"{_hanging('', f'{one.id}: {one.summary}')}\n\n{known}"


def _hanging(label: str, text: str) -> str:
    """The text beside its label, in lines that fit the terminal."""
    from assay.cli.output import terminal_width

    return textwrap.fill(
        text,
        terminal_width(),
        initial_indent=label,
        subsequent_indent=" " * len(label),
        break_long_words=False,
        break_on_hyphens=False,
    )
