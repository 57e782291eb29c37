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
truly best model (the first of several that tie). *csranks* is the procedure of that R package on the same evidence
(normal draws, step-down), written anew from its paper; *percentiles* are bootstrapped ranks between their 2.5 % and
97.5 % points, model by model, the idea behind the ranks of evalstats; both packages themselves are at the end.

Worlds: *ties*, all models are equal; *near-ties*, three standard errors of a difference from the first to the last;
*groups*, four groups of equals, far apart, every second model a near copy of the one before; *spread*, one and a half
standard errors from each model to the next. Items are right or wrong; *correlated*: items differ in difficulty;
*clones*: nine of ten answers copied. Data sets have normal, heavy-tailed (t with 3 degrees of freedom) or skewed
(exponential) scores. Suites have five tasks of 10 to 30 % of the items, fixed; *leaning* models are good at different
tasks and equal in the mean of task means.

How it was counted: six tied worlds of items (20 x 500, both 50 x 1,000, 100 x 500, 200 x 1,000, 20 x 10,000) were
drawn more often after a first, smaller count; 50 x 1,000 independent had given 94.0 % of 300, 20 x 10,000 93 % of 100,
200 x 1,000 93 % of 100 and 94.0 % of 400. The larger counts repeat those draws and go on. The cells of 5 models on
items, and 10 x 200 with ties and near-ties, were counted with 999 patterns of signs, all others with 499.
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
    if "peers" in kept:
        parts.append(_peers(kept))
    return "\n".join(parts)


_HEADING = (
    "| models | units | world | draws | covered | no false claim | size | single | winner | csranks: covered | "
    "size | ours / csranks | percentiles: covered |",
    "| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
)
_WINNER = """## The winner's score

400 items, 400 draws each. *limit*: how many standard errors the limit on the flattered side lies below the observed
score, the mean; *best_of* the same for `best_of`; *nearer*: by how much. *flattery*: the observed score of the winner
minus its true one; *left*: the same of the corrected score.

| models | world | covered | limit | best_of | nearer | flattery | left |
| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


_PEERS = """## evalstats {evalstats} and bencheval {bencheval} themselves

The packages as they install, on the same draws of ten worlds (`python -m calibration.board_peers`; {draws} draws
each). evalstats: the ranks between the 2.5 % and 97.5 % points of its rank distribution (`bootstrap_ranks`, its
default). bencheval: the ranks that its 95 % intervals of Elo leave where they do not overlap. Both hold model by
model and promise no joint coverage; *ms*: CPU of one board.

| models | units | world | assay: covered | size | evalstats: covered | size | ms | bencheval: covered | size | ms |
| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def _peers(kept: dict[str, Any]) -> str:
    """What other packages give, where they were run."""
    lines, draws = [], 0
    for name, found in kept["peers"]["worlds"].items():
        _, k, n, shape, noise = name.split()
        ours, draws = kept[name]["assay"], found["replicates"]
        cells = [f"{ours['covered']:.1%} | {ours['size']:.2f}"]
        cells += [
            f"{one['covered']:.1%} | {one['size']:.2f} | {1000 * one['seconds']:.0f}"
            for one in (found["evalstats"], found["bencheval"])
        ]
        lines.append(f"| {k} | {n} | {shape}, {noise} | {' | '.join(cells)} |")
    return "\n".join([_PEERS.format(draws=draws, **kept["peers"]["versions"]), *lines, ""])


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
        f" Over all {len(each)} worlds in which csranks covers, whatever it does in the others of the design, they "
        f"are {sum(each.values()) / len(each):.3f} times as large on average; above {LARGER:g} in {len(larger)}, all "
        f"of them over few data sets (up to {larger.get(worst, 1.0):.2f}: {worst}). There the same critical value "
        "has to hold if all models are equal, where csranks does not."
    )
    below = sum(share < COVERS for share in ours.values())
    return (
        f"In {len(worlds)} worlds our joint coverage is {min(ours.values()):.1%} ({lowest}) to "
        f"{max(ours.values()):.1%}; {below} of them counted below 94.5 %. csranks falls to "
        f"{theirs[weak]:.1%} ({weak}): normal draws are too narrow where units are few. {sizes}\n"
    )
