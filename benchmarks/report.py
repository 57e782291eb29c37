"""The tables of a benchmark: one line as it runs, Markdown at the end. No path, no host name."""

import datetime
import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers import versions
from benchmarks.race import REPLICATES, Outcome
from benchmarks.stored import section


def machine() -> str:
    """Processor, number of cores, versions."""
    own = ", ".join(f"{name} {version}" for name, version in versions().items())
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, one thread, "
        f"Python {platform.python_version()}, numpy {np.__version__}; {own}"
    )


def line(outcome: Outcome) -> str:
    race = outcome.race
    beside = [
        f"{name} {timing.text()} = {_times(outcome.ratio(name))}"
        for name, timing in outcome.peers.items()
    ]
    parts = [f"{race.task}, n = {race.n:,}: assay {outcome.ours.text()}", *beside]
    parts += [f"asked {_goal(*goal, outcome)}" for goal in race.goals]
    parts += [f"{name} failed ({why})" for name, why in outcome.failures.items()]
    if outcome.agreement is not None:
        parts.append(("" if outcome.agreement[0] else "DISAGREES: ") + outcome.agreement[1])
    return "; ".join(parts)


def cold(starts: list[tuple[str, float, int, str]]) -> list[str]:
    if not starts:
        return []
    lines = ["| start of | seconds of imports | modules | heavy packages |", "|---|---|---|---|"]
    return lines + [f"| `{name}` | {s:.3f} | {m} | {heavy} |" for name, s, m, heavy in starts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What one run found."""

    outcomes: dict[str, list[Outcome]]
    curves: list[Any]
    starts: list[tuple[str, float, int, str]]
    minutes: float
    quick: bool


TITLES = {
    "bootstraps": "Bootstrap intervals of one model",
    "permutations": "Permutation tests",
    "curves": "ROC curves and DeLong",
    "models": "Many models",
    "whole": "The whole call beside its kernel",
}
TABLE = ("| task | n | assay | peers (ratio) | asked | results |", "|---|---|---|---|---|---|")


def write(path: Path, page: Page) -> None:
    """All tables in one Markdown file."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    command = 'make bench ARGS="--quick --write"' if page.quick else "make bench ARGS=--write"
    lines = [
        "# Benchmarks: assay beside its peers",
        "",
        f"Made on {today} by `{command}` in {page.minutes:.0f} minutes: {machine()}.",
        "",
        "All in one process with one thread, on the same data, in turns; processor time, the best of several "
        f"rounds. Bootstraps and permutations are of {REPLICATES:,} replicates. `~`: timed on fewer and carried "
        "on in a straight line through two of its times. A ratio is the time of the peer over that of assay: "
        "trust the ratios, not the seconds. assay's times are of the whole public call, reading and "
        "checking included, except for ROC, AUC and average precision together, which is the kernel.",
        *_asked(page),
    ]
    for suite, outcomes in page.outcomes.items():
        lines += ["", f"## {TITLES[suite]}", *TABLE, *map(_row, outcomes)]
    lines += _trouble(page)
    if page.curves:
        from benchmarks.growth import table

        lines += ["", "## Growth", *table(page.curves), ""]
        lines += ["![time and memory](../docs/pictures/growth.png)"]
    lines += ["", "## Files, studies, large evidence"]
    lines += ["By their own scripts, when each was run last (`benchmarks/results/`).", *section()]
    if page.starts:
        lines += ["", "## Cold start", "Seconds by `-X importtime`, the best of three starts.", ""]
        lines += cold(page.starts)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _asked(page: Page) -> list[str]:
    """Every ratio that issue 6 asks for, and what was found."""
    lines = [
        "",
        "## What was asked",
        "| task | n | beside | asked | found | |",
        "|---|---|---|---|---|---|",
    ]
    for outcome in (one for suite in page.outcomes.values() for one in suite):
        for peer, wanted in outcome.race.goals:
            found = outcome.ratio(peer)
            word = "not there" if found is None else "met" if found >= wanted else "**missed**"
            beside = "the fastest peer" if peer == "fastest" else peer
            lines.append(
                f"| {outcome.race.task} | {outcome.race.n:,} | {beside} | {_times(wanted)} | "
                f"{_times(found)} | {word} |"
            )
    return lines


def _trouble(page: Page) -> list[str]:
    """Peers that failed on their own call, and those that are not there."""
    every = [one for suite in page.outcomes.values() for one in suite]
    failures = {name: why for one in every for name, why in one.failures.items()}
    lines = [f"- {name} failed: {why}" for name, why in failures.items()]
    lines += [
        f"- {name}: {found}"
        for name, found in versions().items()
        if "missing" in found or "does not" in found
    ]
    return ["", "Peers with trouble:", "", *lines] if lines else []


def _row(outcome: Outcome) -> str:
    race = outcome.race
    peers = "; ".join(
        f"{name} {timing.text()} ({_times(outcome.ratio(name))})"
        for name, timing in outcome.peers.items()
    )
    asked = "; ".join(_goal(*goal, outcome) for goal in race.goals)
    agreement = "" if outcome.agreement is None else outcome.agreement[1]
    if outcome.agreement is not None and not outcome.agreement[0]:
        agreement = f"**disagree**: {agreement}"
    return f"| {race.task} | {race.n:,} | {outcome.ours.text()} | {peers} | {asked} | {agreement} |"


def _goal(peer: str, wanted: float, outcome: Outcome) -> str:
    ratio = outcome.ratio(peer)
    if ratio is None:
        return f"{_times(wanted)} {peer}: not there"
    return f"{_times(wanted)} {peer}: {'met' if ratio >= wanted else '**missed**'}"


def _times(ratio: float | None) -> str:
    if ratio is None:
        return "–"
    if ratio >= 100:
        return f"{float(f'{ratio:.2g}'):,.0f}×"
    return f"{ratio:.1f}×" if ratio >= 10 else f"{ratio:.2f}×"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
