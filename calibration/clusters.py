"""`python -m calibration.clusters`: level and coverage of the defaults on clustered items, by measure.

Measures what is missing (resumable, one process) and writes docs/calibration-clusters.md; --publish writes
from what there is, --only PREFIX and --batches N measure a part.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from calibration import populations, promises
from calibration.cluster_families import check_families, smallest_p_values
from calibration.cluster_worlds import (
    MEANS,
    MEASURES,
    Drawn,
    World,
    check_public,
    one_limits,
    pair_p_values,
    values_without,
)
from calibration.designs.cells import Found, Job, Table
from calibration.designs.grid_run import calibrate, merged
from calibration.dispute_families import dispute_family_jobs, dispute_family_page
from calibration.disputes import dispute_jobs, dispute_page
from calibration.item_families import ITEMS, family_table, item_jobs
from calibration.item_families import SIZES as ITEM_SIZES
from calibration.several_questions import QUESTIONS, question_jobs
from calibration.several_questions import SIZES as QUESTION_SIZES
from calibration.short_cells import KINDS, judged, short_page
from calibration.squared_errors import square_jobs, square_page
from calibration.tails import tail_jobs, tail_page, tail_samples
from calibration.words import CLUSTERS

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "beyond"
AGAIN = RESULTS / "again"
"""Cells that came out short, measured once more."""
PAGE = HERE.parent / "docs" / "calibration-clusters.md"
COUNTS = (4, 6, 10, 20, 40, 100)
SHAPES = ((0.5, 1.2), (0.15, 2.0))
"""Prevalence, and how far apart the scores of both classes are."""
BATCH, GOAL, CHECKED, AT_ONCE = 1_000, 20_000, 1, 100_000
FAMILIES, RESAMPLES = 500, 999
CORRELATIONS = (0.05, 0.1, 0.3, 0.6)
WEIGHED = (("uneven", 0.5), ("classes", 0.5))
"""Kinds of weights, and the prevalence."""
WEIGHED_SIZES = (("1", (20, 50, 200, 1000)), ("10", (6, 10, 40)))
"""Sizes of clusters ("1": items are weighted and no clusters), and how many there are."""
THIRD = {
    "measures": "prevalence", "families": "prevalence", "correlations": "correlation", "weights": "weights",
    "correlated_families": "correlation", "weighted_families": "weights",
}  # fmt: skip
"""What distinguishes the worlds of a table beside clusters and their sizes."""
FEWER = (6, 20)
"""Clusters in families by correlation."""


def cluster_jobs() -> list[Job]:
    """Worlds by prevalence, correlation and weights: with two models and one, some of them with five."""
    jobs = []
    for sizes, (prevalence, separation), count in product(("10", "1-60"), SHAPES, COUNTS):
        world = World(clusters=count, sizes=sizes, prevalence=prevalence, separation=separation)
        name = f"clustered measures {count} of {sizes} prevalence={prevalence:g}"
        jobs.append(_job(name, "measures", world))
    even = World(clusters=0, sizes="", prevalence=0.5, separation=1.2)
    for sizes, count in product(("10", "1-60"), COUNTS):
        world = replace(even, clusters=count, sizes=sizes)
        jobs.append(_job(f"five models {count} of {sizes}", "families", world))
        for correlation in CORRELATIONS:
            own = replace(world, correlation=correlation)
            name = f"{count} of {sizes} correlation={correlation:g}"
            jobs.append(_job(f"correlated measures {name}", "correlations", own))
            if count in FEWER:
                jobs.append(_job(f"five correlated {name}", "correlated_families", own))
    for (weights, prevalence), (sizes, counts) in product(WEIGHED, WEIGHED_SIZES):
        for count in counts:
            within = 0.3 if sizes != "1" else 0.0
            world = replace(even, clusters=count, sizes=sizes, correlation=within)
            own = replace(world, prevalence=prevalence, weights=weights)
            jobs.append(_job(f"weighted measures {count} of {sizes} {weights}", "weights", own))
            if count in (6, 50, 200):
                name = f"five weighted {count} of {sizes} {weights}"
                jobs.append(_job(name, "weighted_families", own))
    return jobs


def _job(name: str, table: str, world: World) -> Job:
    run, batch = (families, FAMILIES) if "families" in table else (measured, BATCH)
    return Job(name=name, world=table, run=partial(run, world, table), batch=batch, goal=GOAL)


def measured(world: World, table: str, rng: np.random.Generator, replicates: int) -> list[Found]:
    """Two exchangeable models, and the first of them alone, in every measure."""
    counts: dict[tuple[str, str], dict[str, float]] = {}
    step = _at_once(world)
    for start in range(0, replicates, step):
        drawn = world.draw(min(step, replicates - start), 2, rng)
        for measure in MEASURES:
            without = None if measure in MEANS else values_without(drawn, measure)
            p, answered, width = pair_p_values(drawn, measure, without, counted=0.05)
            _plus(counts, "compare", measure, {
                "n": answered.sum(), "level@0.05": (p[answered] <= 0.05).sum(),
                "level@0.01": (p[answered] <= 0.01).sum(), "width": width[answered].sum(),
            })  # fmt: skip
            low, high, known = one_limits(drawn, measure, without)
            truth = world.truth(measure)
            _plus(counts, "evaluate", measure, {
                "n": known.sum(), "coverage@0.05": ((low <= truth) & (truth <= high))[known].sum(),
                "low": (low > truth)[known].sum(), "high": (high < truth)[known].sum(),
                "width": (high - low)[known].sum(),
            })  # fmt: skip
            if start == 0 and measure == _checked(drawn):
                check_public(drawn, measure, min(CHECKED, len(drawn.truth)))
    return _found(world, table, "clusters", replicates, counts)


def families(world: World, table: str, rng: np.random.Generator, replicates: int) -> list[Found]:
    """Five exchangeable models: any pair called different is an error."""
    counts: dict[tuple[str, str], dict[str, float]] = {}
    step = _at_once(world)
    for start in range(0, replicates, step):
        drawn = world.draw(min(step, replicates - start), 5, rng)
        for measure in MEASURES:
            p = smallest_p_values(drawn, measure, RESAMPLES, drawn_for=CHECKED)
            found = {"n": (~np.isnan(p)).sum(), "family_wise@0.05": (p <= 0.05).sum()}
            _plus(counts, "compare", measure, found)
            if start == 0 and measure == _checked(drawn):
                check_families(drawn, measure, p, RESAMPLES)
    return _found(world, table, "families", replicates, counts)


def _found(
    world: World,
    table: str,
    procedure: str,
    replicates: int,
    counts: dict[tuple[str, str], dict[str, float]],
) -> list[Found]:
    third = getattr(world, THIRD[table])
    return [
        Found(
            table=Table(
                procedure=procedure, answers=answers, world=table, unit="item",
                parameters=("clusters", "sizes", THIRD[table]), measure=measure,
            ),
            at=(world.clusters, world.sizes, third), replicates=replicates, counts=found,
        )
        for (answers, measure), found in counts.items()
    ]  # fmt: skip


def _checked(drawn: Drawn) -> str:
    """The measure in which a batch is held against the public functions, by chance: they take longer than all else."""
    return MEASURES[int(drawn.truth.sum()) % len(MEASURES)]


def _at_once(world: World) -> int:
    """Test sets that are held at a time."""
    return max(1, AT_ONCE // (world.clusters * {"1": 1, "10": 10}.get(world.sizes, 60)))


def _plus(
    counts: dict[tuple[str, str], dict[str, float]],
    answers: str,
    measure: str,
    more: dict[str, float],
) -> None:
    own = counts.setdefault((answers, measure), {})
    for name, value in more.items():
        own[name] = own.get(name, 0.0) + float(value)


def again(jobs: Sequence[Job], found: Sequence[Found]) -> list[Job]:
    """The jobs of short cells, with names and so seeds of their own."""
    short = {
        (one.table.world, _called(one))
        for one in found
        if any(cell.short for cell in judged([one]))
    }
    return [
        replace(job, name=f"again {job.name}")
        for job in jobs
        if any(job.world == world and job.name.endswith(f" {name}") for world, name in short)
    ]


def _called(one: Found) -> str:
    """How the names of the jobs that measure a cell end."""
    if "n" in one.table.parameters:
        return f"{one.table.procedure} n={one.at[0]}"
    where = f"{one.at[0]} of {one.at[1]}"
    if one.table.world == "families" or len(one.at) < 3:
        return where
    third = one.table.parameters[2]
    return f"{where} {one.at[2]}" if third == "weights" else f"{where} {third}={one.at[2]:g}"


def everywhere(found: Sequence[Found]) -> str:
    """The share of short cells on this page, of real populations and of promises together."""
    drawn = json.loads(populations.RESULTS.read_text())
    promised, missed = promises.judged(json.loads(promises.RESULTS.read_text()))
    here = judged(found)
    cells = len(here) + len(drawn) + promised
    short = sum(one.short for one in here) + sum(map(populations.is_short, drawn)) + len(missed)
    return (
        f"With [real populations](calibration-populations.md) and [promises](calibration-promises.md) {short:,} "
        f"of {cells:,} cells are short ({short / cells:.1%}). Those pages name theirs."
    )


def page(found: Sequence[Found], repeated: Sequence[Found] = ()) -> str:
    cells = [one for one in found if one.table.world in THIRD]
    return (
        CLUSTERS.format(
            levels=_table(cells, "compare", "level@0.05"),
            coverages=_table(cells, "evaluate", "coverage@0.05"),
            families=_table(cells, "compare", "family_wise@0.05", world="families"),
            correlated_families=_table(
                cells, "compare", "family_wise@0.05", world="correlated_families"
            ),
            weighted_families=_table(
                cells, "compare", "family_wise@0.05", world="weighted_families"
            ),
            correlated_levels=_table(cells, "compare", "level@0.05", world="correlations"),
            correlated_coverages=_table(cells, "evaluate", "coverage@0.05", world="correlations"),
            weighted_levels=_table(cells, "compare", "level@0.05", world="weights"),
            weighted_coverages=_table(cells, "evaluate", "coverage@0.05", world="weights"),
            items=family_table(found, ITEMS, ITEM_SIZES),
            questions=family_table(found, QUESTIONS, QUESTION_SIZES, "questions"),
            tails=tail_page(found),
            squares=square_page(found),
            disputes=dispute_page(found),
            disputed_families=dispute_family_page(found),
            samples=min(tail_samples(found)),
            drawn=min(one.replicates or 0 for one in found),
            short=short_page(judged(found), judged(repeated)),
            everywhere=everywhere(found),
        ).strip()
        + "\n"
    )


def _table(cells: Sequence[Found], answers: str, name: str, *, world: str = "measures") -> str:
    """A row for each world, a column for each measure; bold where the limit is surely missed."""
    mine = {(one.at, one.table.measure): one for one in cells
            if one.table.answers == answers and one.table.world == world}  # fmt: skip
    head = ["clusters", "items in each", THIRD[world], *MEASURES, "test sets", "fewest counted"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    rising = -1.0 if THIRD[world] == "prevalence" else 1.0

    def place(at: tuple[Any, ...]) -> tuple[Any, ...]:
        third = at[2] if isinstance(at[2], str) else rising * float(at[2])
        return str(at[1]), third, float(at[0])

    for at in sorted({at for at, _ in mine}, key=place):
        row = [mine[at, measure] for measure in MEASURES]
        fewest = min(round(one.counts["n"]) for one in row)
        lines.append(
            f"| {at[0]} | {at[1]} | {at[2]} | "
            + " | ".join(_entry(one, name) for one in row)
            + f" | {min(one.replicates or 0 for one in row):,} | {fewest:,} |"
        )
    return "\n".join(lines)


def _entry(one: Found, name: str) -> str:
    (cell,) = (kind for kind in judged([one]) if KINDS[name] == kind.what)
    text = f"{100 * cell.share:.1f}"
    if name.startswith("coverage"):
        missed = [100 * one.counts[side] / cell.size for side in ("high", "low")]
        text += f" ({missed[0]:.1f} + {missed[1]:.1f})"
    return f"**{text}**" if cell.short else text


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.clusters", description=__doc__)
    parser.add_argument("--only", default="", help="jobs whose name begins so")
    parser.add_argument("--batches", type=int, help="at most so many batches of each job")
    parser.add_argument("--again", action="store_true", help="short cells, a fresh seed")
    parser.add_argument("--publish", action="store_true", help="measure nothing")
    chosen = parser.parse_args()
    jobs = [
        *cluster_jobs(),
        *item_jobs(),
        *question_jobs(),
        *tail_jobs(),
        *square_jobs(),
        *dispute_jobs(),
        *dispute_family_jobs(),
    ]
    todo, folder = (again(jobs, merged(RESULTS)), AGAIN) if chosen.again else (jobs, RESULTS)
    folder.mkdir(exist_ok=True)
    if not chosen.publish:
        calibrate(
            todo, folder, workers=1, only=chosen.only, at_most=chosen.batches,
            report=lambda line: print(line, file=sys.stderr, flush=True),
        )  # fmt: skip
    PAGE.write_text(page(merged(RESULTS), merged(AGAIN)))


if __name__ == "__main__":
    main()
