"""The page docs/calibration-boards.md, written from what was counted."""

from collections.abc import Sequence
from typing import Any

COVERS, LARGER = 0.945, 1.05
"""Joint coverage that counts as covering, and the ratio of sizes that is named."""

HEAD = """# Calibration of boards

Written by `python -m calibration.boards` (resumable; the worlds are in `calibration/boards.py`). Every number is
counted on simulated evidence whose true order is known. Nominal coverage is 95 %; a share counted from R draws is
known to about ± 2 √(0.05 · 0.95 / R): ± 0.7 points from 4,000, ± 1.4 from 1,000, ± 3.1 from 200.

**covered**: the sets of ranks of all models hold the true ranks, all at once. **no false claim**: no model was called
better that is not (stricter: with ties a rank may be covered nonetheless). **size**: ranks in a set, the mean over
models. **single**: share of models whose set is the one true rank. **winner**: the set of possible winners holds the
truly best model (the first of several that tie). *csranks* is our implementation of that R package's procedure on the
same evidence (normal draws, step-down). *percentiles* are bootstrapped ranks between their 2.5 % and 97.5 % points,
model by model, as evalstats gives them. The packages themselves are at the end.

Worlds:

- *ties*: all models are equal.
- *near-ties*: three standard errors of a difference from the first to the last.
- *groups*: four groups of equals, far apart; every second model is a near copy of the one before.
- *leader*: one model is eight standard errors ahead of equals.
- *spread*: one and a half standard errors from each model to the next.

Items are right or wrong; *correlated*: items differ in difficulty; *clones*: nine of ten answers are copied. Scores of
data sets are normal, heavy-tailed (t with 3 degrees of freedom) or skewed (exponential). *noisy*: the second model
scatters twice as much as the others. *factor*: some models gain on data sets on which others lose. Suites have five
fixed tasks of 10 to 30 % of the items. *leaning* models are good at different tasks and equal in the mean of task
means.

How it was counted: worlds of fewer than 50 data sets now share one standard error and were counted again.
[Decision 0200](inside/decisions/0200-one-scale-for-few-units.md) also says how narrow sets can be there. Six tied
worlds of items were drawn more often after a first, smaller count (20 x 500, both 50 x 1,000, 100 x 500, 200 x 1,000,
20 x 10,000). First, 50 x 1,000 independent had given 94.0 % of 300, and 20 x 10,000 had given 93 % of 100. 200 x 1,000
had given 93 % of 100 and 94.0 % of 400. The larger counts repeat those draws and continue. The cells of 5
models on items, and 10 x 200 with ties and near-ties, were counted with 999 patterns of signs, all others with 499.
"""


def page(
    kept: dict[str, Any], worlds: Sequence[Any], winners: Sequence[tuple[int, str, str]]
) -> str:
    """All tables, and the summary that the requirements ask for."""
    there = [world for world in worlds if world.name in kept]
    parts = [HEAD, _summary(kept, there)]
    if len(there) < len(worlds):
        lacking = [world.name for world in worlds if world.name not in kept]
        parts.append(
            f"Not yet measured, {len(lacking)} of {len(worlds)} worlds: {'; '.join(lacking)}.\n"
        )
    titles = {"datasets": "Data sets", "suites": "Suites of five tasks", "items": "Items"}
    for kind, title in titles.items():
        rows = [_row(world, kept[world.name]) for world in there if world.kind == kind]
        if rows:
            parts.append("\n".join([f"## {title}\n", *_HEADING, *rows, ""]))
    found = [(one, kept[f"winner {one[0]} {one[1]} {one[2]}"]) for one in winners
             if f"winner {one[0]} {one[1]} {one[2]}" in kept]  # fmt: skip
    if found:
        parts.append("\n".join([_WINNER, *(_winner(*one) for one in found), ""]))
    parts += _extras(kept.get("extras", {}))
    if "matched" in kept:
        parts.append(_matched(kept))
    if "peers" in kept:
        parts.append(_peers(kept["peers"], there))
    return "\n".join(parts)


_HEADING = (
    "| models | units | world | draws | covered | no false claim | size | single | winner | csranks: covered | "
    "size | ours / csranks | percentiles: covered |",
    "| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
)
_WINNER = """## The winner's score

400 items, 400 draws each. *limit*: how many standard errors the lower limit lies below the observed score, on
average. *best_of*: the same for `best_of`. *nearer*: by how much it is nearer. *flattery*: the observed score
of the winner minus its true one; *left*: the same of the corrected score.

| models | world | covered | limit | best_of | nearer | flattery | left |
| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


_PEERS = """## csranks {csranks}, evalstats {evalstats} and bencheval {bencheval} themselves

The packages as they install, on the first draws of the same worlds (`python -m calibration.board_peers`). There are
200 draws, or as many as fit into a few seconds (*draws*); shares of few draws say little. Blank: not run (csranks has
no answer where two models are alike throughout).

- csranks: its defaults (joint, two-sided, steps, 1,000 normal draws). *ours of it*: the size by our own form of its
  procedure on the same draws.
- evalstats: the ranks between the 2.5 % and 97.5 % points of its rank distribution (`bootstrap_ranks`, its default).
- bencheval: the ranks that its 95 % intervals of Elo leave where they do not overlap.

The last two hold model by model and do not aim at joint coverage. They have no mean of task means, so only csranks is
run on suites. *ms*: time of one board.

| models | units | world | csranks: draws | covered | size | ours of it | ms | evalstats: draws | covered | size \
| ms | bencheval: draws | covered | size | ms |
| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


_MATCHED = """## csranks at the level at which it covers ties as well

Over few data sets csranks covers spread means but not ties, and a board cannot know which it has (`python -m
calibration.board_levels`). Here its nominal level is raised until it covers the ties of the same design in 94.5 % of
the draws. A design is models, data sets and noise; *α* is 1 minus that level. The table has all worlds over data sets
in which csranks covers at 95 % but does not cover the ties of the design.

| models | units | world | ties: ours | csranks | α | csranks: covered | size | ours | ours / csranks | at 95 % |
| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def _matched(kept: dict[str, Any]) -> str:
    lines = []
    for name, found in kept["matched"].items():
        kind, models, units, shape, noise = name.split()
        ties, one = kept[f"{kind} {models} {units} ties {noise}"], kept[name]
        ours, theirs = one["assay"]["size"], one["csranks"]["size"]
        of_ties = f"{ties['assay']['covered']:.1%} | {ties['csranks']['covered']:.1%}"
        lines.append(
            f"| {models} | {units} | {shape}, {noise} | {of_ties} "
            f"| {found['alpha']:.2g} | {found['covered']:.1%} | {found['size']:.2f} | {ours:.2f} "
            f"| {ours / found['size']:.3f} | {ours / theirs:.3f} |"
        )
    return "\n".join([_MATCHED, *lines, ""])


def _peers(peers: dict[str, Any], worlds: Sequence[Any]) -> str:
    """What other packages give, where they were run."""
    lines = []
    for world in worlds:
        cells = [
            cell
            for package in ("csranks", "evalstats", "bencheval")
            for cell in _peer(package, peers.get(package, {}).get(world.name, {}))
        ]
        if any(cells):
            lines.append(
                f"| {world.k} | {world.n:,} | {world.shape}, {world.noise} | {' | '.join(cells)} |"
            )
    versions = dict.fromkeys(("csranks", "evalstats", "bencheval"), "") | peers["versions"]
    return "\n".join([_PEERS.format(**versions), *lines, ""])


def _peer(package: str, found: dict[str, Any]) -> list[str]:
    if "covered" not in found:
        return [""] * (5 if package == "csranks" else 4)
    own = [f"{found['again_size']:.2f}"] if package == "csranks" else []
    return [
        f"{found['replicates']}", f"{found['covered']:.1%}", f"{found['size']:.2f}", *own,
        f"{1000 * found['seconds']:.0f}",
    ]  # fmt: skip


_AGGREGATES = """## Elo ratings, interquartile means and votes

*ranks covered*: all sets of ranks at once. *scores covered*: all simultaneous intervals of scores at once. Their target
is the value that 100,000 units give, or the true strengths for votes. Elo of 5 x 8 spread is refused where a model
beats another on every data set.

| board | models | units | world | draws | ranks covered | size | single | scores covered |
| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |"""
_FRONTS = """## The front of score against costs that vary

Items are right or wrong, costs lognormal and shared by items in part. *no false standing*: no model on the front is
called off it, and no other is called on it. *maybe*: share of models left open.

| models | items | costs | draws | no false standing | maybe |
| ---: | ---: | --- | ---: | ---: | ---: |"""
_LEDGERS = """## Boards that are kept

Models arrive one by one, in random order, on a board kept with `--ledger`. *covered*: all sets of ranks of the final
board. *at once*: one board of all models.

| models | items | world | draws | covered | size | at once: covered | size |
| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |"""


def _extras(extras: dict[str, Any]) -> list[str]:
    """What is published besides means, by the first word of each name."""
    tables: dict[str, list[str]] = {_AGGREGATES: [], _FRONTS: [], _LEDGERS: []}
    titles = {"elo": "Elo over data sets", "iqm": "IQM over data sets", "votes": "Elo of votes"}
    for name, one in extras.items():
        kind, models, units, *world = name.split()
        where = f"| {models} | {int(units):,} | {', '.join(world)} | {one['replicates']:,} |"
        if kind == "front":
            where = f"| {models} | {int(units):,} | {' '.join(world)} | {one['replicates']:,} |"
            tables[_FRONTS].append(f"{where} {one['true']:.1%} | {one['maybe']:.0%} |")
        elif kind == "ledger":
            tables[_LEDGERS].append(
                f"{where} {one['covered']:.1%} | {one['size']:.2f} | {one['at_once']:.1%} | "
                f"{one['size_at_once']:.2f} |"
            )
        else:
            tables[_AGGREGATES].append(
                f"| {titles[kind]} {where} {one['covered']:.1%} | {one['size']:.2f} | {one['single']:.1%} | "
                f"{one['intervals']:.1%} |"
            )
    return ["\n".join([head, *rows, ""]) for head, rows in tables.items() if rows]


def _row(world: Any, one: dict[str, Any]) -> str:
    ours, theirs = one["assay"], one["csranks"]
    other = f"{one['percentiles']['covered']:.1%}" if "percentiles" in one else ""
    return (
        f"| {world.k} | {world.n:,} | {world.shape}, {world.noise} | {one['replicates']:,} | {ours['covered']:.1%} | "
        f"{ours['true_claims']:.1%} | {ours['size']:.2f} | {ours['single']:.1%} | {ours['winner']:.1%} | "
        f"{theirs['covered']:.1%} | {theirs['size']:.2f} | {ours['size'] / theirs['size']:.3f} | {other} |"
    )


def _winner(one: tuple[int, str, str], found: dict[str, float]) -> str:
    nearer = 1.0 - found["reach"] / found["best_of"]
    return (
        f"| {one[0]} | {one[1]}, {one[2]} | {found['covered']:.1%} | {found['reach']:.2f} | {found['best_of']:.2f} | "
        f"{nearer:.0%} | {found['flattery']:+.4f} | {found['bias']:+.4f} |"
    )


def _summary(kept: dict[str, Any], worlds: Sequence[Any]) -> str:
    """The lowest coverage, and the sizes beside csranks where csranks covers in every world of a design."""
    if not worlds:
        return ""
    ours = {world.name: kept[world.name]["assay"]["covered"] for world in worlds}
    theirs = {world.name: kept[world.name]["csranks"]["covered"] for world in worlds}
    lowest = min(ours, key=lambda name: ours[name])
    weak = min(theirs, key=lambda name: theirs[name])
    designs: dict[tuple[str, int, int], list[Any]] = {}
    for world in worlds:
        designs.setdefault((world.kind, world.k, world.n), []).append(world)
    covering = [
        world
        for group in designs.values()
        if min(theirs[world.name] for world in group) >= COVERS
        for world in group
    ]
    ratios = [kept[w.name]["assay"]["size"] / kept[w.name]["csranks"]["size"] for w in covering]
    sizes = (
        f"In the {len(covering)} worlds whose design (models, units) csranks covers everywhere, our sets are "
        f"{min(ratios):.3f} to {max(ratios):.3f} times as large as its, {sum(ratios) / len(ratios):.3f} on average."
        if ratios
        else "No design was covered by csranks everywhere."
    )
    alone = [world for world in worlds if theirs[world.name] >= COVERS]
    each = {w.name: kept[w.name]["assay"]["size"] / kept[w.name]["csranks"]["size"] for w in alone}
    larger = {name: ratio for name, ratio in each.items() if ratio > LARGER}
    worst = max(larger, key=lambda name: larger[name], default="none")
    sizes += (
        f" Over all {len(each)} worlds in which csranks itself covers, they are "
        f"{sum(each.values()) / len(each):.3f} times as large on average. They are above {LARGER:g} times in "
        f"{len(larger)} worlds, all over few data sets (up to {larger.get(worst, 1.0):.2f}: {worst}). There csranks "
        "does not cover ties."
    )
    if "matched" in kept:
        fair = [kept[name]["assay"]["size"] / one["size"] for name, one in kept["matched"].items()]
        sizes += (
            " Csranks can also be run at the level at which it covers the ties of the design. Then our sets are "
            f"{min(fair):.3f} to {max(fair):.3f} times as large in these {len(fair)} worlds (table below)."
        )
    below = sum(share < COVERS for share in ours.values())
    return (
        f"In {len(worlds)} worlds our joint coverage is {min(ours.values()):.1%} ({lowest}) to "
        f"{max(ours.values()):.1%}; {below} of them counted below 94.5 %. The coverage of csranks falls to "
        f"{theirs[weak]:.1%} ({weak}), because normal draws are too narrow where units are few. {sizes}\n"
    )
