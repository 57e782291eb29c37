"""`assay selftest`: the reference cases on this machine, in seconds."""

import json
import math
import sys
from collections.abc import Iterable
from itertools import groupby
from textwrap import wrap
from typing import Any

import click

from assay.cli.main import EXIT_DEFECT
from assay.cli.output import terminal_width


@click.command("selftest")
@click.argument("family", required=False)
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
def command(family: str | None, form: str) -> None:
    """Compute the reference cases that come with assay and compare with R and others.

    FAMILY is a family (ttest) or one of its functions (ttest__paired_t); all without it. The exit
    code is 0 if every case agrees, else 70.

    \b
    assay selftest
    assay selftest proportion
    """
    from assay.selftest.run import SelftestReport, run_selftest

    report: SelftestReport = run_selftest((family,) if family else None)
    if form == "json":
        click.echo(json.dumps(_document(report), indent=2))
    else:
        click.echo(_table(report, by_function=family is not None))
    sys.exit(0 if report.passed else EXIT_DEFECT)


def _document(report: Any) -> dict[str, Any]:
    functions = [
        {
            "name": one.name,
            "family": one.family,
            "source": one.source,
            "cases": one.cases,
            "agreeing": one.agreeing,
            "not_offered": one.not_offered,
            "worst_relative_error": _finite(one.error),
            "worst_case": one.worst_case,
            "differing": [
                {"id": case.id, "value": case.worst, "relative_error": _finite(case.error)}
                for case in one.differing
            ],
            "unoffered": dict(one.unoffered),
        }
        for one in report.functions
    ]
    return {
        "cases": report.cases,
        "agreeing": report.agreeing,
        "not_offered": report.not_offered,
        "passed": report.passed,
        "seconds": round(report.seconds, 3),
        "functions": functions,
    }


def _finite(error: float) -> float | str:
    return error if math.isfinite(error) else "Infinity"


def _table(report: Any, *, by_function: bool) -> str:
    """One row per family, or per function of a family."""
    rows = [("", "cases", "agree", "worst rel. error", "case")]
    for name, group in groupby(
        report.functions, key=lambda one: one.name if by_function else one.family
    ):
        rows.append(_row(name, list(group)))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = [
        f"{name:<{widths[0]}}  {cases:>{widths[1]}}  {agree:>{widths[2]}}  "
        f"{error:>{widths[3]}}  {where}".rstrip()
        for name, cases, agree, error, where in rows
    ]
    below = [*_differing(report), *_left_out(report)]
    told = [wrap(one, terminal_width(), subsequent_indent="  ") for one in below]
    return "\n".join([_sum(report), "", *lines, "", *(line for one in told for line in one)])


def _row(name: str, checks: list[Any]) -> tuple[str, str, str, str, str]:
    worst = max(checks, key=lambda one: one.error)
    cases, agreeing = sum(one.cases for one in checks), sum(one.agreeing for one in checks)
    if all(one.not_offered == one.cases for one in checks):
        return name, str(cases), str(agreeing), "not yet offered", ""
    error = f"{worst.error:.1e}" if worst.error else "0"
    where = (worst.worst_case or "") if worst.error else ""
    where = where.removeprefix(name.replace("__", ".")).removeprefix(".")
    return name, str(cases), str(agreeing), error, where


def _differing(report: Any) -> Iterable[str]:
    for one in report.functions:
        for case in one.differing:
            yield f"differs: {case.id} {case.worst} (relative error {case.error:.1e})"


def _left_out(report: Any) -> Iterable[str]:
    """Values of other programs that assay does not give, by the reason."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for one in report.functions:
        for value, reason in one.unoffered:
            values = reasons.setdefault(reason, {}).setdefault(one.name, [])
            values += [] if value == "*" else [value]
    for reason, functions in reasons.items():
        named = (f"{name} {', '.join(values)}".rstrip() for name, values in functions.items())
        yield f"left out: {'; '.join(named)} ({reason})"


def _sum(report: Any) -> str:
    rest = f", {report.not_offered} not yet offered" if report.not_offered else ""
    return (
        f"{report.agreeing} of {report.cases} reference cases agree{rest} ({report.seconds:.1f} s)."
    )
