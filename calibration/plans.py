"""`python -m calibration.plans`: power as `assay plan` states it beside power as simulation finds it.

One case for each question of the planner, at several sizes. Measures what is missing (resumable, as
the calibration is) and writes docs/power.md; --publish writes from what there is.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.kernels.binomial import clopper_pearson_limits
from calibration import studies
from calibration.designs.cells import Found, Job, Table
from calibration.designs.grid_run import calibrate, merged
from calibration.words import PLANS

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "power.md"
BATCH, GOAL = 2_000, 20_000
SURE = 0.005
PLANNED = 9_999
"""Studies behind a plan by simulation."""
Simulated = Callable[[np.random.Generator, int], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One plan, and studies that follow it: ``simulate`` says which of them reject."""

    question: str
    size: str
    planned: Mapping[str, Any]
    simulate: Simulated
    quick: bool = True
    """Whether thousands of studies take a moment."""
    heuristic: bool = False
    """Whether what the plan assumes is known not to hold: shown, not judged."""
    drawn: int | None = None
    """How many studies the plan itself simulates, where it has no closed form."""

    @property
    def power(self) -> float:
        found = assay.plan(**self.planned, rng=1).power
        if found is None:
            raise ValueError(f"{self.question}, {self.size}: the plan has no power")
        return found


def cases() -> tuple[Case, ...]:
    """Every question of the planner about one or two models, and the ranks of several."""
    return (*_items(), *_areas(), *_grouped(), *_folds(), *_learners(), *_over(), *_pilots())


def judged_cases() -> tuple[Case, ...]:
    """All but the learners, which are trained thousands of times to be shown."""
    return (*_items(), *_areas(), *_grouped(), *_folds(), *_over(), *_pilots())


def _items() -> Sequence[Case]:
    found: list[Case] = []
    found += [
        Case(
            question="one rate against a level", size=f"{n} items, 0.85 against 0.75",
            planned={"measure": "accuracy", "against": 0.75, "difference": 0.1, "n": n},
            simulate=partial(studies.one_rate, n, 0.75, 0.1),
        )
        for n in (60, 150, 500)
    ]  # fmt: skip
    found += [
        Case(
            question="two models, same items", size=f"{n} items, {discordant:.0%} in dispute, {difference:g}",
            planned={"measure": "accuracy", "discordant": discordant, "difference": difference, "n": n},
            simulate=partial(studies.paired_labels, n, discordant, difference),
        )
        for n, discordant, difference in ((150, 0.3, 0.1), (300, 0.1, 0.05), (2000, 0.1, 0.02))
    ]  # fmt: skip
    found += [
        Case(
            question="two models, different items", size=f"{n} items each, 0.9 against 0.8",
            planned={"measure": "accuracy", "baseline": 0.8, "difference": 0.1, "n": n, "paired": False},
            simulate=partial(studies.two_rates, n, 0.2, 0.1),
        )
        for n in (60, 120, 500)
    ]  # fmt: skip
    found += [
        Case(
            question="mean loss, same items", size=f"{n} items, 0.4 of an sd",
            planned={"measure": "log_loss", "sd": 1.0, "difference": 0.4, "n": n},
            simulate=partial(studies.paired_means, n, 0.4),
        )
        for n in (10, 30, 200)
    ]  # fmt: skip
    return found


def _areas() -> Sequence[Case]:
    shapes = ((200, 0.7, 0.3, 0.0, 0.1), (120, 0.8, 0.5, 0.5, 0.1), (400, 0.75, 0.4, 0.9, 0.03))
    return [
        Case(
            question="two AUCs, same items (DeLong)",
            size=f"{n} items, {auc:g} + {difference:g}, correlation {correlation:g}",
            planned={
                "measure": "roc_auc", "baseline": auc, "difference": difference, "n": n,
                "prevalence": prevalence, "correlation": correlation,
            },
            simulate=partial(studies.areas, n, auc, difference, prevalence, correlation),
            quick=False,
        )
        for n, auc, prevalence, correlation, difference in shapes
    ]  # fmt: skip


def _grouped() -> Sequence[Case]:
    clusters = [
        Case(
            question="mean loss, items in clusters",
            size=f"{count} clusters of 5, icc {icc:g}",
            planned={
                "measure": "mean_loss", "sd": 1.0, "difference": 0.3, "n": 5 * count,
                "cluster_size": 5, "icc": icc,
            },
            simulate=partial(studies.clusters, count, icc, 0.3),
        )
        for count, icc in ((10, 0.0), (20, 0.3), (40, 0.3), (40, 0.8))
    ]  # fmt: skip
    repeats = [
        Case(
            question="several answers for each item",
            size=f"{n} items, {first} and {second} answers",
            planned={
                "sd": 0.3, "sd_within": 0.4, "repeats_per_item": (first, second), "n": n,
                "difference": 0.05,
            },
            simulate=partial(studies.repeats, n, 0.3, 0.4, (first, second), 0.05),
        )
        for n, first, second in ((100, 1, 1), (300, 4, 2), (300, 10, 10))
    ]  # fmt: skip
    return [*clusters, *repeats]


def _folds() -> Sequence[Case]:
    found: list[Case] = []
    found += [
        Case(
            question="two algorithms over folds (corrected t)", size=f"{runs} x 10 folds, one sd",
            planned={"unit": "fold", "folds": 10, "sd": 1.0, "difference": 1.0, "n": 10 * runs},
            simulate=partial(studies.correlated_folds, 10 * runs, 0.1, 1.0),
        )
        for runs in (1, 3, 10)
    ]  # fmt: skip
    found += [
        Case(
            question="two algorithms over random splits (corrected t)", size=f"{runs} splits, one part of three tested",
            planned={"unit": "fold", "test_share": 1.0 / 3.0, "sd": 1.0, "difference": 2.0, "n": runs},
            simulate=partial(studies.correlated_folds, runs, 1.0 / 3.0, 2.0),
        )
        for runs in (15, 30)
    ]  # fmt: skip
    return found


def _learners() -> Sequence[Case]:
    found: list[Case] = []
    for learner in ("centroid", "logistic"):
        difference, sd = studies.learner_facts(learner)
        found.append(Case(
            question="two real learners over 10 folds", size=f"{learner}, 200 items, two Gaussians",
            planned={"unit": "fold", "folds": 10, "sd": sd, "difference": difference, "n": 10},
            simulate=partial(studies.learners, learner), quick=False, heuristic=True,
        ))  # fmt: skip
    return found


def _over() -> Sequence[Case]:
    """Over seeds and over data sets."""
    found: list[Case] = []
    found += [
        Case(
            question="two algorithms over seeds (Welch)", size=f"{n} seeds each, one sd",
            planned={"unit": "seed", "sd": 1.0, "difference": 1.0, "n": n, "paired": False},
            simulate=partial(studies.seeds, n, 1.0),
        )
        for n in (5, 12, 30)
    ]  # fmt: skip
    found += [
        Case(
            question="two algorithms over data sets (Wilcoxon)", size=f"{n} data sets, 0.6 of an sd",
            planned={"unit": "dataset", "sd": 1.0, "difference": 0.6, "n": n},
            simulate=partial(studies.datasets, n, 0.6), drawn=PLANNED, quick=n < 60,
        )
        for n in (9, 20, 60)
    ]  # fmt: skip
    found += [
        Case(
            question="do k algorithms differ over data sets (Friedman)", size=f"{n} data sets, {k} models",
            planned={"unit": "dataset", "sd": 1.0, "difference": 0.9, "n": n, "among": k, "method": "friedman"},
            simulate=partial(studies.friedman, n, k, 0.9), drawn=PLANNED, quick=k < 6,
        )
        for n, k in ((15, 2), (12, 4), (30, 6))
    ]  # fmt: skip
    return found


def _pilots() -> Sequence[Case]:
    """Pilots of many items, so that what they tell is what is true."""
    found = []
    for measure, n in (
        ("accuracy", 300),
        ("f1", 300),
        ("f1", 1000),
        ("mcc", 300),
        ("balanced_accuracy", 300),
    ):
        found.append(Case(
            question=f"any measure from a pilot: {measure}", size=f"{n} items",
            planned={
                "measure": measure, "pilot": studies.pilot(), "n": n,
                "difference": studies.pilot_difference(measure),
            },
            simulate=partial(studies.like_the_pilot, measure, n),
        ))  # fmt: skip
    return found


def agrees(case: Case, power: float, hits: int, size: int, sure: float = SURE) -> bool:
    """Whether so many rejections are possible for the power that was planned.

    Exact binomial tails; where the plan is itself a share of simulated studies, the 99 % intervals
    of both shares must meet.
    """
    low, high = (float(end) for end in clopper_pearson_limits(hits, size, sure))
    if case.drawn is None:
        return low <= power <= high
    own = clopper_pearson_limits(round(power * case.drawn), case.drawn, sure)
    return bool(float(own[0]) <= high and low <= float(own[1]))


def plan_jobs() -> list[Job]:
    return [
        Job(
            name=f"plan {case.question}; {case.size}",
            world="plans",
            run=partial(_measure, case),
            batch=BATCH if case.quick else BATCH // 2,
            goal=GOAL if case.quick else GOAL // 4,
        )
        for case in cases()
    ]


def _measure(case: Case, rng: np.random.Generator, replicates: int) -> list[Found]:
    table = Table(
        procedure=case.question, answers="compare", world="plans", unit="item", parameters=("size",)
    )
    hits = float(np.asarray(case.simulate(rng, replicates)).sum())
    return [Found(table=table, at=(case.size,), replicates=replicates, counts={"power@0.05": hits})]


def page(found: Sequence[Found]) -> str:
    """docs/power.md: a row for each case."""
    seen = {(one.table.procedure, one.at[0]): one for one in found}
    lines = ["| question | study | planned | simulated (99 %) | studies |", "|---|---|---|---|---|"]
    off = total = 0
    for case in cases():
        one = seen.get((case.question, case.size))
        if one is None or not one.replicates:
            continue
        hits, size, power = round(one.counts["power@0.05"]), one.replicates, case.power
        low, high = (float(end) for end in clopper_pearson_limits(hits, size, SURE))
        away = not agrees(case, power, hits, size)
        if not case.heuristic:
            total, off = total + 1, off + away
        mark = " (heuristic)" if case.heuristic else " **off**" if away else ""
        lines.append(
            f"| {case.question} | {case.size} | {100 * power:.1f} | {100 * hits / size:.1f} "
            f"({100 * low:.1f}–{100 * high:.1f}){mark} | {size:,} |"
        )
    return PLANS.format(table="\n".join(lines), off=off, total=total).strip() + "\n"


def main() -> None:
    results = HERE / "results"
    if "--publish" not in sys.argv[1:]:
        calibrate(
            plan_jobs(), results, workers=1,
            report=lambda line: print(line, file=sys.stderr, flush=True),
        )  # fmt: skip
    PAGE.write_text(page([one for one in merged(results) if one.table.world == "plans"]))


if __name__ == "__main__":
    main()
