"""The page docs/calibration-judges.md and its picture, written from what was counted."""
# ruff: noqa: E501 (the page has long lines)

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HEAD = """# Calibration of judge-assisted answers

Written by `python -m calibration.judges` (resumable; the worlds are in `calibration/judges.py`). Every number is counted on simulated evidence whose
truth is known. Nominal coverage is 95 %; a share counted from R draws is known to about ± 2 √(0.05 · 0.95 / R): ± 0.4 points from 10,000, ± 1.0 from 2,000, ± 1.9
from 500.

**covered**: the interval holds the truth. Of pairs of equals the true difference is 0, so 100 % minus this is the level of the test. **labels**: the same of people's labels alone. These
use mid-p for rates and the default interval for means, F1 and AUC. Pairs of rates use Tango's interval, pairs of ratings use t. **ratio**: mean width, ours over labels alone. **used**: share of draws in which the judge was used.
*truescore* 0.7.4 (`ppi_estimate`) answered the same draws (its closed form in arrays, checked against the package where that is installed). *evalstats* 0.3.3 used the method that its own table names for the kind of data, of rates by the package, else in arrays. It answered
all draws where ours were wider than 1.02 of its intervals and its coverage was within a point of 94.5 %. Elsewhere it answered at least the first 1,000 (of rates 600 and 300), with 1,000 labels 50 to 300. Neither has intervals of F1 or AUC with a judge. Their **width** is over ours on those draws. Bold: less than 93.5 % covered.

Judges, by sensitivity and specificity: useless 50/50, weak 70/60, biased 95/60, good 90/90, excellent 98/98. Rates are 0 and 1 with a judge of 0 and 1. *mean*: normal grades; the judge's correlation with people is 0, 0.3, 0.55, 0.8, 0.96, its mean 0.3 too high. *ratings*: 1 to 5; the judge repeats people's rating with that probability, or
draws its own, which is too generous. *f1*: 30 % positives, a model 85 % right. *auc*: scores a standard deviation apart. *pairs*: two models of the same quality. *apart*: one right on 85 %, the other on 75 %. *favoured*: two equals, of which the judge accepts a fifth of the wrong answers of one, its own family say.

![Coverage with a judge](pictures/calibration_judges.png)
"""
HEADING = (
    "| labels | judged | judge | draws | used | covered | labels | ratio | truescore: covered | width | evalstats: covered | "
    "width |",
    "| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
)
COVERED, LEVEL_MOST, LEVEL_LEAST = 0.935, 0.055, 0.035
PEER_COVERED, PEER_WIDTH = 0.945, 1.02
Found = tuple[Any, dict[str, Any]]
"""A cell, and what was counted in it."""
Rows = dict[str, dict[str, Any]]


def page(
    kept: dict[str, Any],
    cells: Sequence[Any],
    twins: Rows | None = None,
    designs: Rows | None = None,
    neighbours: Rows | None = None,
) -> str:
    """All tables, and the summary that the requirements ask for; the last three are of worlds beside the cells'."""
    there = [cell for cell in cells if cell.name in kept]
    found = [(cell, kept[cell.name]) for cell in there]
    parts = [
        HEAD,
        _summary(found),
        *_failures(found),
        _neighbours(neighbours or {}, found, designs or {}),
        _designs(designs or {}, found),
        _twins(twins or {}),
    ]
    lacking = [cell.name for cell in cells if cell.name not in kept]
    if lacking:
        parts.append(
            f"- **Not yet measured, {len(lacking)} of {len(cells)} cells:** {'; '.join(lacking)}.\n"
        )
    for target in dict.fromkeys(cell.target for cell in there):
        rows = [_row(cell, one) for cell, one in found if cell.target == target]
        parts.append("\n".join([f"## {target}\n", *HEADING, *rows, ""]))
    return "\n".join(parts)


def _level(cell: Any, one: dict[str, Any]) -> bool:
    """A pair whose test rejects too often, or from 200 labels on too seldom."""
    level = 1.0 - float(one.get("again", one["ours"])["covered"])
    off = level > LEVEL_MOST or (cell.labels >= 200 and level < LEVEL_LEAST)
    return bool(_equal(cell.target) and off)


def _equal(target: str) -> bool:
    """Whether two models of the same quality are compared."""
    return target.startswith("pair") and not target.endswith("apart")


def _best_peer(one: dict[str, Any]) -> float | None:
    """Our width over that of the narrowest peer that covers enough."""
    return max(_covering_peers(one).values(), default=None)


def _covering_peers(one: dict[str, Any]) -> dict[str, float]:
    """Our width over that of each peer that covers enough."""
    return {
        peer: 1.0 / _beside(one, peer)
        for peer in ("truescore", "evalstats")
        if peer in one and one[peer]["covered"] >= PEER_COVERED
    }


def narrower_peers(one: dict[str, Any]) -> dict[str, float]:
    """Those of them whose intervals are narrower than a 1.02nd of ours."""
    return {peer: ratio for peer, ratio in _covering_peers(one).items() if ratio > PEER_WIDTH}


def _beside(one: dict[str, Any], peer: str) -> float:
    """A peer's width over ours on the same draws."""
    ours = one.get(f"ours beside {peer}", one["ours"])
    return float(one[peer]["width"] / ours["width"])


REQUIRED: dict[str, tuple[str, Callable[[Any, dict[str, Any]], bool]]] = {
    "covered": (
        "covered less than 93.5 %",
        lambda _, one: one["ours"]["covered"] < COVERED,
    ),
    "level": ("level above 5.5 %, or below 3.5 % from 200 labels on (pairs)", _level),
    "labels": (
        "wider than 1.03 of labels alone (1.06 at 20)",
        lambda cell, one: _ratio(one) > (1.06 if cell.labels < 50 else 1.03),
    ),
    "peers": (
        "wider than 1.02 of a peer that covers 94.5 %",
        lambda _, one: (_best_peer(one) or 0.0) > PEER_WIDTH,
    ),
}
"""What must hold in every cell, and when it does not."""


def failing(found: Sequence[Found], name: str) -> list[Any]:
    """The cells that fall short of one requirement."""
    return [cell for cell, one in found if REQUIRED[name][1](cell, one)]


def _summary(found: Sequence[Found]) -> str:
    """Of every target the worst, and how many cells fall short of what must hold."""
    lines = [
        "## Summary\n",
        "Cells that fall short of a requirement, and the worst of all.\n",
        "| target | cells | least covered | below 93.5 % | level off | largest ratio, 20 labels | from 50 labels | above 1.06 or 1.03 | a peer covers 94.5 % | ours above 1.02 of it | largest | truescore: cells below 93.5 % | evalstats: cells below 93.5 % |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for target in dict.fromkeys(cell.target for cell, _ in found):
        own = [(cell, one) for cell, one in found if cell.target == target]
        few = max((_ratio(one) for cell, one in own if cell.labels < 50), default=None)
        many = max((_ratio(one) for cell, one in own if cell.labels >= 50), default=None)
        beside = [ratio for _, one in own if (ratio := _best_peer(one)) is not None]
        level = str(len(failing(own, "level"))) if _equal(target) else ""
        lines.append(
            f"| {target} | {len(own)} | {_percent(min(one['ours']['covered'] for _, one in own))} | {len(failing(own, 'covered'))} | {level} | "
            f"{_number(few)} | {_number(many)} | {len(failing(own, 'labels'))} | {len(beside)} | {len(failing(own, 'peers'))} | {_number(max(beside, default=None))} | "
            f"{_short(own, 'truescore')} | {_short(own, 'evalstats')} |"
        )
    again = [
        f"{cell.name.replace(' | ', ', ')}: {_percent(1.0 - one['ours']['covered'])}, then {100 * (1.0 - one['again']['covered']):.2f} %"
        for cell, one in found
        if "again" in one
    ]
    if again:
        lines += ["", "Levels just off 3.5 to 5.5 % in 10,000 draws were counted again in 60,000 others, which decide.\n", *(f"- {one}" for one in again)]  # fmt: skip
    return "\n".join([*lines, ""])


def _short(own: Sequence[Found], peer: str) -> str:
    ran = [one[peer]["covered"] for _, one in own if peer in one]
    return f"{sum(one < COVERED for one in ran)} of {len(ran)}" if ran else ""


def _failures(found: Sequence[Found]) -> list[str]:
    """The cells behind the summary, by requirement."""
    parts = []
    for name, (words, _) in REQUIRED.items():
        cells = failing(found, name)
        listed = "; ".join(cell.name.replace(" | ", ", ") for cell in cells) or "none"
        parts.append(f"- **{words}, {len(cells)} of {len(found)} cells:** {listed}.\n")
    return parts


NEIGHBOURS = """## Narrower peers in a neighbouring world

`python -m calibration.judges_neighbours`. In a *neighbour* of a cell people and judge disagree, to one side, on a share q of the items. In the cell they agree on these. The judge's own grades stay as they are. Labels that hit none of these items could be
labels of the cell: nobody can tell where they are from. They come with probability u = (1 − q)ⁿ, which is at least 6.5 % in all neighbours here. Whoever covers 93.5 % of a neighbour must then reach its truth with at least 1 − 0.065/u of such labels.

{counts}

**ratio**: our width over the peer's in the cell. **turned**: what people say instead, and how often. **unseen**: how often no label hits a turned item. **needed**: how far the truth of the neighbour lies from that of the cell. **reach**: half the peer's mean width in the cell.
**peer**, **ours**, **labels**: how often they cover the neighbour, {draws}. It is the neighbour in which the peer covered least in {searched} other draws. Bold: less than 93.5 %. Normal grades have no neighbours here.

| target | labels | judged | judge | peer | ratio | turned | q | unseen | needed | reach | peer covers | ours | labels |
| --- | ---: | ---: | --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def neighbour_counts(rows: Rows, found: Sequence[Found]) -> dict[str, list[str]]:
    """Cells with a narrower peer: where every such peer misses in a neighbour, where not, and where none was tried."""
    cells: dict[str, list[str]] = {"missed": [], "covered": [], "none": []}
    for cell, one in found:
        own = [rows.get(f"{cell.name} | {peer}", {}) for peer in narrower_peers(one)]
        if not own:
            continue
        shares = [row["theirs"] for row in own if "theirs" in row]
        kind = "none" if len(shares) < len(own) else "missed" if max(shares) < COVERED else "covered"  # fmt: skip
        cells[kind].append(cell.name)
    return cells


def _wider_at_equal_coverage(cell: Any, one: dict[str, Any], designs: Rows) -> bool:
    """Whether some narrower peer of a cell is still narrower once everybody covers all worlds of its design."""
    family = "rates" if cell.target.startswith("rate ") else "pair of rates" if cell.target.startswith("pair of rates") else cell.target  # fmt: skip
    for peer, ratio in narrower_peers(one).items():
        row = designs.get(f"{family} | {cell.labels} | {peer}")
        if row is None or ratio * row["ours"]["stretch"] / row["theirs"]["stretch"] > PEER_WIDTH:
            return True
    return False


def _neighbours(rows: Rows, found: Sequence[Found], designs: Rows) -> str:
    """The peers that are narrower in a cell, in worlds that its labels come from too."""
    if not rows:
        return ""
    cells = neighbour_counts(rows, found)
    told = {name: row for name, row in rows.items() if "theirs" in row}
    missed = [row for name, row in told.items() if name.rpartition(" | ")[0] in cells["missed"]]
    theirs, ours = (sorted(row[who] for row in missed) for who in ("theirs", "ours"))
    kinds: dict[str, int] = {}
    for name in (*cells["covered"], *cells["none"]):
        target, labels, _, judge = name.split(" | ")
        kinds[f"{target}, {labels}, {judge}"] = kinds.get(f"{target}, {labels}, {judge}", 0) + 1
    listed = "; ".join(f"{kind} ({count})" for kind, count in kinds.items())
    wider = [cell.name for cell, one in found if cell.name in {*cells["covered"], *cells["none"]} and _wider_at_equal_coverage(cell, one, designs)]  # fmt: skip
    at_equal = "; ".join(name.replace(" | ", ", ") for name in wider)
    counts = (
        f"In {sum(map(len, cells.values()))} cells a peer that covers 94.5 % is narrower than a 1.02nd of ours. In {len(cells['missed'])} of them every such peer covers less than 93.5 % of a neighbour. It covers {_percent(theirs[0])} to {_percent(theirs[-1])}, "
        f"{_percent(theirs[len(theirs) // 2])} in the middle. Ours cover {_percent(ours[0])} to {_percent(ours[-1])} of the same neighbours, {_percent(ours[len(ours) // 2])} in the middle. In {len(cells['covered'])} cells a narrower peer covers its neighbours. {len(cells['none'])} are means of normal grades. "
        f"Of these {len(cells['covered']) + len(cells['none'])}, ours are at most 1.02 of every narrower peer in {len(cells['covered']) + len(cells['none']) - len(wider)} once both cover 93.5 % of a design, the next section. In {len(wider)} they are not.\n\n"
        f"- **a narrower peer covers its neighbours, or has none; by target, labels and judge:** {listed}.\n\n- **wider at equal coverage over designs too:** {at_equal}."
    )
    lines = [NEIGHBOURS.format(counts=counts, draws="counted on 4,000 draws (50 labels: 3,000; 200: 2,000; 1,000: 1,000)", searched="500 (400, 200)")]  # fmt: skip
    for name, row in told.items():
        target, labels, judged, judge, peer = name.split(" | ")
        lines.append(
            f"| {target} | {int(labels):,} | {int(judged):,} | {judge} | {peer} | {_number(row['ratio'])} | {row['turned']} | {_percent(row['mass'])} | {_percent(row['unseen'])} | {_number(row['shift'])} | "
            f"{_number(row['reach'])} | {_marked(row['theirs'])} | {_marked(row['ours'])} | {_marked(row['labels'])} |"
        )
    return "\n".join([*lines, ""])


DESIGNS = """## Narrower peers over a design

`python -m calibration.judges_twins`. Nobody who brings labels knows which world they are from. So a procedure must cover in all worlds of a design (decisions 0219 and 0262). A *design* is a kind of target with so many labels of 5,000 items.
Its worlds are those of the tables below, and more judges. These are good or excellent, and err to one side in one, two or four labels on average. There are also pairs of models that seldom differ, and grades that are exponential instead of normal. Nobody knows beforehand how grades are distributed.

{counts}

**cells**: those in which ours are wider than 1.02 of this peer, which covers 94.5 % there. **largest**: the largest such ratio. **least**: the least coverage in the design. **widened**: so many times as wide, about its middle, an interval covers 93.5 % of the worst world. Below 1 it could be narrower.
**equal**: the largest ratio of widths in these cells once both are widened so. **above**: cells in which it is still above 1.02. Each world has 300 to 1,000 draws. So the largest of many worlds is a little too large, for ours as for theirs.

| design | labels | peer | cells | largest | peer: least | where | widened | ours: least | where | widened | equal | above |
| --- | ---: | --- | ---: | ---: | ---: | --- | ---: | ---: | --- | ---: | ---: | ---: |"""


def _cancels(cell: Any) -> bool:
    """Whether a judge's errors cancel, so that its own mean is the truth: a pair of equals, a rate of a half."""
    return cell.target in ("pair of rates", "pair of ratings") or (
        cell.target == "rate 0.5" and cell.judge in ("useless", "good", "excellent")
    )


COUNTS = """At equal coverage {fine} of {pairs} pairs of cell and peer are at most 1.02, and {above} are above. In {cancelled} of the {cells} cells the judge's errors cancel, so that its mean over all items is the truth. There an interval about the judge's mean
covers however narrow the correction is. Most peers cover least where such a judge errs to one side, which labels hardly show."""


def _designs(rows: Rows, found: Sequence[Found]) -> str:
    """The peers that are narrower in a cell, at equal coverage of all worlds of its design."""
    if not rows:
        return ""
    narrower = failing(found, "peers")
    pairs, above = (sum(one[name] for one in rows.values()) for name in ("cells", "above"))
    counts = COUNTS.format(
        pairs=pairs, fine=pairs - above, above=above, cells=len(narrower), cancelled=sum(map(_cancels, narrower)),
    )  # fmt: skip
    lines = [DESIGNS.format(counts=counts)]
    for one in rows.values():
        sides = (
            f"{_marked(side['covered'])} | {side['world']} | {_number(side['stretch'])}"
            for side in (one["theirs"], one["ours"])
        )
        lines.append(
            f"| {one['family']} | {one['labels']:,} | {one['peer']} | {one['cells']} | {_number(one['largest'])} | {' | '.join(sides)} | "
            f"{_number(one['equal'])} | {one['above']} |"
        )
    return "\n".join([*lines, ""])


TWINS = """## Narrower peers in twins of a cell

Each row is a kind of cell in which a peer covers 94.5 % and ours are wider than 1.02 of it. **ratio** is that of one such cell. In a *twin* judge and people disagree, to one side, on some items they agreed on. **turned** is the share of these items. The judge's own grades
stay as they are. The most powerful test of the labels at 5 % distinguishes a twin from its cell in at most half of all draws. **distinguished** is that share for the twin shown, in which the peer covers least. Nobody can know in which of the two worlds the labels were drawn.

**equal**: our width over the peer's in the cell at equal coverage. Both are widened or narrowed about their middles. They then cover 93.5 % of the cell and of all its twins. There are 300 to 600 draws. Bold: more than 1.02. Normal grades have no twins here.

| target | labels | judge | peer | cells | ratio | worst twin | turned | distinguished | peer covers | ours cover | peer widened | equal |
| --- | ---: | --- | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


def _twins(rows: Rows) -> str:
    """The peers that are narrower in a cell, at equal coverage of its twins."""
    if not rows:
        return ""
    lines, cells = [TWINS], dict.fromkeys((True, False), 0)
    for one in rows.values():
        equal = _number(one["equal"])
        over = one["equal"] > PEER_WIDTH
        cells[over] += one["cells"]
        twin = (
            f"{one['twin']} | {_percent(one['mass'])} | {_percent(one['power'])} | {_marked(one['theirs'])} | {_marked(one['ours'])}"
            if "twin" in one
            else "none tried | | | |"
        )
        lines.append(
            f"| {one['target']} | {one['labels']:,} | {one['judge']} | {one['peer']} | {one['cells']} | {_number(one['ratio'])} | {twin} | "
            f"{_number(one['stretch'])} | {f'**{equal}**' if over else equal} |"
        )
    told = f"At equal coverage ours are at most 1.02 times as wide in kinds of {cells[False]} pairs of cell and peer, wider in kinds of {cells[True]}.\n"
    return "\n".join([*lines, "", told])


def _ratio(found: dict[str, Any]) -> float:
    return float(found["ours"]["width"] / found["labels"]["width"])


def _row(cell: Any, found: dict[str, Any]) -> str:
    peers = []
    for peer in ("truescore", "evalstats"):
        if peer not in found:
            peers += ["", ""]
            continue
        peers += [_marked(found[peer]["covered"]), _number(_beside(found, peer))]
    return (
        f"| {cell.labels:,} | {cell.judged:,} | {cell.judge} | {found['draws']:,.0f} | {_percent(found['used'])} | "
        f"{_marked(found['ours']['covered'])} | {_percent(found['labels']['covered'])} | "
        f"{_number(_ratio(found))} | {' | '.join(peers)} |"
    )


def _marked(covered: float) -> str:
    return f"**{_percent(covered)}**" if covered < COVERED else _percent(covered)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def picture(kept: dict[str, Any], cells: Sequence[Any], path: Path) -> None:
    """A row per target and package, a dot per cell: coverage, red where it falls short."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    found = [(cell, kept[cell.name]) for cell in cells if cell.name in kept]
    rows = {
        f"{target}: {'assay' if who == 'ours' else who}": values
        for target in dict.fromkeys(cell.target for cell, _ in found)
        for who in ("ours", "truescore", "evalstats")
        if (values := [one[who]["covered"] for cell, one in found if cell.target == target and who in one])
    }  # fmt: skip
    figure, axes = plt.subplots(figsize=(8, 0.9 + 0.27 * len(rows)))
    rng = np.random.default_rng(0)
    for place, values in enumerate(rows.values()):
        shown = np.maximum(np.array(values), 0.75)
        colours = ["#c0392b" if one < COVERED else "#34699a" for one in values]
        heights = place + rng.uniform(-0.3, 0.3, len(values))
        axes.scatter(100 * shown, heights, s=8, c=colours, alpha=0.7, linewidths=0)
    axes.axvline(95.0, color="black", linewidth=0.8)
    axes.axvline(93.5, color="black", linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(rows)), list(rows), fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("coverage of the 95 % interval, % (cells at the left edge: 75 % or less)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
