"""A gate as pipelines read it: JUnit XML for test reports, a summary for GitHub's page of a run."""

import re
from xml.etree import ElementTree

from assay._version import __version__
from assay.compare.gate_sentences import (
    demand_of,
    in_order,
    names_of,
    only_margins,
    place_of,
    write_bounds,
)
from assay.core.formatting import clean, shown_percent, write_given
from assay.core.gate_results import Gate, GateCheck
from assay.plots.measure_labels import measure_label
from assay.report.escapes import for_markdown

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold, however written."""
MOST_ITEMS = 20
"""Single items that a summary lists, the worst ones first."""
_SIGNS = {"passed": "✅", "failed": "❌", "undecided": "⚠️"}


def as_junit(gate: Gate) -> str:
    """JUnit XML with one test case for each check.

    An undecided measure is a failure of type ``undecided``, or skipped where the gate was told to
    let undecided ones through.
    """
    tolerated = gate.on_undecided != "fail"
    failures = sum(_is_failure(check, tolerated=tolerated) for check in gate.checks)
    skipped = sum(check.word != "passed" for check in gate.checks) - failures
    counts = {"tests": len(gate.checks), "failures": failures, "errors": 0, "skipped": skipped}
    suites = ElementTree.Element("testsuites", {name: str(n) for name, n in counts.items()})
    suite = ElementTree.SubElement(
        suites, "testsuite", {"name": "assay gate", **suites.attrib, "time": "0"}
    )
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _properties(gate).items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": _xml(value)})
    for check in gate.checks:
        _case(suite, gate, check, tolerated=tolerated)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + (
        ElementTree.tostring(suites, encoding="unicode") + "\n"
    )


def as_github_summary(gate: Gate) -> str:
    """Markdown for GitHub's step summary: the word, the checks in a table, the sentences."""
    plain = only_margins(gate.checks)
    shown = in_order(gate.checks, MOST_ITEMS)
    head = (
        "| measure | gain (positive is better) | margin | gate |"
        if plain
        else "| check | value or gain | required | gate |"
    )
    lines = [
        f"### {_SIGNS[gate.word]} Gate {gate.word}: {for_markdown(names_of(gate))}",
        "",
        head,
        "| --- | ---: | ---: | --- |",
    ]
    lines += [
        f"| {for_markdown(measure_label(check.measure) + place_of(check))} | "
        f"{for_markdown(write_bounds(check))} | "
        f"{write_given(check.margin) if plain else for_markdown(demand_of(check))} | "
        f"{_SIGNS[check.word]} {check.word} |"
        for check in shown
    ]
    if len(shown) < len(gate.checks):
        lines += [
            "",
            f"{len(gate.checks) - len(shown):,} more items, all no worse, are not listed.",
        ]
    told = shown if plain else [check for check in shown if check.word != "passed"]
    lines += ["", for_markdown(clean(gate.sentence))] if not plain else []
    lines += ["", *(f"- {for_markdown(clean(check.sentence))}" for check in told)]
    read_as = "".join(
        f"{for_markdown(clean(one.evidence.description))} " for one in gate.comparisons[:1]
    )
    seed = "" if gate.seed is None else f" Seed {gate.seed}."
    lines += [
        "",
        f"{read_as}Bounds are one-sided at {shown_percent(gate.level)}.{seed} assay {__version__}.",
        "",
    ]
    return "\n".join(lines) + "\n"


def _is_failure(check: GateCheck, *, tolerated: bool) -> bool:
    return check.word == "failed" or (check.word == "undecided" and not tolerated)


def _properties(gate: Gate) -> dict[str, str]:
    return {
        "word": gate.word,
        "exit_code": str(gate.exit_code),
        "baseline": gate.baseline or "",
        "candidate": gate.candidate,
        "level": f"{gate.level:g}",
        "rule": gate.rule,
        "seed": str(gate.seed),
        "assay": __version__,
    }


def _case(suite: ElementTree.Element, gate: Gate, check: GateCheck, *, tolerated: bool) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "name": _xml(check.measure + place_of(check)),
            "classname": _xml(f"gate.{names_of(gate)}"),
            "time": "0",
        },
    )
    message = _xml(check.sentence)
    if _is_failure(check, tolerated=tolerated):
        failure = ElementTree.SubElement(case, "failure", {"type": check.word, "message": message})
        failure.text = message
    elif check.word == "undecided":
        ElementTree.SubElement(case, "skipped", {"message": message})
    else:
        ElementTree.SubElement(case, "system-out").text = message


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", clean(text))
