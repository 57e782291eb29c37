"""The page docs/calibration-judges.md, written from what was counted."""
# ruff: noqa: E501 (the page has long lines)

from collections.abc import Sequence
from typing import Any

HEAD = """# Calibration of judge-assisted answers

Written by `python -m calibration.judges` (resumable; the worlds are in `calibration/judges.py`). Every number is counted on simulated evidence whose
truth is known. Nominal coverage is 95 %; a share counted from R draws is known to about ± 2 √(0.05 · 0.95 / R): ± 0.4 points from 10,000, ± 1.4 from 1,000, ± 2.8
from 250.

**covered**: the interval holds the truth. Of pairs the true difference is 0, so that 100 % less this is the false-positive rate. **labels**: the same of people's labels alone (mid-p of
rates, t of means, Tango's interval of pairs of rates, the default interval of F1 and AUC). **ratio**: mean width, ours over labels alone. **used**: share of draws in which the judge was used.
*truescore* 0.7.4 (`ppi_estimate`) and *evalstats* 0.3.3 (`ppi.correct` of the mean) ran on the first draws of the same evidence (100 and 30), up to 500 items of the latter: its coverage is known to ± 8 points.
Their **width** is over ours on those draws. Bold: less than 92 % covered.

Judges, by sensitivity and specificity: useless 50/50, weak 70/60, biased 95/60, good 90/90, excellent 98/98. Rates are 0 and 1 with a judge of 0 and 1 (counted 10,000 at a time, from the four counts). *mean*: normal grades, the judge's correlation with people 0, 0.3, 0.55, 0.8, 0.96, its mean 0.3 too high. *ratings*: 1 to 5, the judge repeats people's rating with that probability or
draws its own, too generous. *f1*: 30 % positives, a model 85 % right. *auc*: scores a standard deviation apart. *pairs*: two models of the same quality.
"""
HEADING = (
    "| labels | judged | judge | draws | used | covered | labels | ratio | truescore: covered | width | evalstats: covered | "
    "width |",
    "| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
)


def page(kept: dict[str, Any], cells: Sequence[Any]) -> str:
    """All tables, and the summary that the requirements ask for."""
    there = [cell for cell in cells if cell.name in kept]
    parts = [HEAD, *_summary(kept, there)]
    lacking = [cell.name for cell in cells if cell.name not in kept]
    if lacking:
        parts.append(
            f"Not yet measured, {len(lacking)} of {len(cells)} cells: {'; '.join(lacking)}.\n"
        )
    for target in dict.fromkeys(cell.target for cell in there):
        rows = [_row(cell, kept[cell.name]) for cell in there if cell.target == target]
        parts.append("\n".join([f"## {target}\n", *HEADING, *rows, ""]))
    return "\n".join(parts)


def _summary(kept: dict[str, Any], cells: Sequence[Any]) -> list[str]:
    """The worst of every target."""
    lines = [
        "## Summary\n",
        "| target | cells | least covered | its draws | below 93.5 % | most covered, from 200 labels | largest ratio, 20 "
        "labels | from 50 labels | truescore: cells below 92 % | evalstats: cells below 92 % |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for target in dict.fromkeys(cell.target for cell in cells):
        own = [(cell, kept[cell.name]) for cell in cells if cell.target == target]
        least = min(own, key=lambda one: one[1]["ours"]["covered"])[1]
        below = sum(found["ours"]["covered"] < 0.935 for _, found in own)
        most = max(
            (found["ours"]["covered"] for cell, found in own if cell.labels >= 200), default=None
        )
        few = max((_ratio(found) for cell, found in own if cell.labels < 50), default=None)
        many = max((_ratio(found) for cell, found in own if cell.labels >= 50), default=None)
        lines.append(
            f"| {target} | {len(own)} | {_percent(least['ours']['covered'])} | {least['draws']:,.0f} | {below} | "
            f"{_percent(most)} | {_number(few)} | {_number(many)} | {_failing(own, 'truescore')} | "
            f"{_failing(own, 'evalstats')} |"
        )
    return ["\n".join([*lines, ""])]


def _failing(own: Sequence[tuple[Any, Any]], peer: str) -> str:
    ran = [found[peer]["covered"] for _, found in own if peer in found]
    return f"{sum(one < 0.92 for one in ran)} of {len(ran)}" if ran else ""


def _ratio(found: dict[str, Any]) -> float:
    return float(found["ours"]["width"] / found["labels"]["width"])


def _row(cell: Any, found: dict[str, Any]) -> str:
    peers = []
    for peer in ("truescore", "evalstats"):
        if peer not in found:
            peers += ["", ""]
            continue
        covered = _percent(found[peer]["covered"])
        peers.append(f"**{covered}**" if found[peer]["covered"] < 0.92 else covered)
        peers.append(_number(found[peer]["width"] / found[f"ours beside {peer}"]["width"]))
    ours = _percent(found["ours"]["covered"])
    return (
        f"| {cell.labels:,} | {cell.judged:,} | {cell.judge} | {found['draws']:,.0f} | {_percent(found['used'])} | "
        f"{f'**{ours}**' if found['ours']['covered'] < 0.92 else ours} | {_percent(found['labels']['covered'])} | "
        f"{_number(_ratio(found))} | {' | '.join(peers)} |"
    )


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
