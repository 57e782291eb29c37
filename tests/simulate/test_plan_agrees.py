"""Power by `assay plan` and power by simulation are one number, up to Monte-Carlo error."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.rng import stream
from assay.simulate.simulate import simulate
from assay.simulate.worlds import evidence, make_world
from calibration import plans

REPLICATES = 4000
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    *(
        (
            f"mcnemar-{discordant}-{n}",
            {"measure": "accuracy", "discordant": discordant, "difference": effect, "n": n},
            {
                "methods": "mcnemar", "world": "paired-labels", "discordant": discordant,
                "effect": effect, "n": n,
            },
        )
        for discordant, effect, n in ((0.1, 0.05, 300), (0.2, 0.05, 200), (0.3, 0.1, 150))
    ),
    *(
        (
            f"two-proportions-{n}",
            {
                "measure": "accuracy", "baseline": 0.8, "difference": 0.1, "n": n,
                "paired": False,
            },
            {
                "methods": "two_proportions_z", "world": "independent-labels", "p": 0.1,
                "effect": 0.1, "sizes": (n, n),
            },
        )
        for n in (60, 120)
    ),
    *(
        (
            f"level-{n}",
            {"measure": "accuracy", "difference": 0.1, "against": 0.75, "n": n},
            {"methods": "binomial", "world": "proportion", "p": 0.25, "effect": -0.1, "n": n},
        )
        for n in (60, 150)
    ),
    *(
        (
            f"paired-t-{n}",
            {"measure": "log_loss", "sd": 1.0, "difference": 0.4, "n": n},
            {
                "methods": "paired_t", "world": "normal", "effect": 0.4, "sd": float(np.sqrt(0.5)),
                "n": n,
            },
        )
        for n in (20, 60)
    ),
    *(
        (
            f"seeds-{n}",
            {"unit": "seed", "sd": 1.0, "difference": 1.5, "n": n, "paired": False},
            {"methods": "two_sample_t", "world": "runs", "effect": 1.5, "n": n},
        )
        for n in (5, 12)
    ),
    *(
        (
            f"auc-{correlation}-{n}",
            {
                "measure": "roc_auc", "baseline": auc, "difference": 0.1, "prevalence": prevalence,
                "correlation": correlation, "n": n,
            },
            {
                "methods": "delong_test", "world": "scores", "auc": auc, "effect": 0.1,
                "prevalence": prevalence, "correlation": correlation, "n": n,
            },
        )
        for auc, prevalence, correlation, n in ((0.7, 0.3, 0.0, 200), (0.8, 0.5, 0.5, 120))
    ),
    *(
        (
            f"data-sets-{n}",
            {"unit": "dataset", "sd": 0.02, "difference": 0.012, "n": n},
            {
                "methods": "wilcoxon", "world": "datasets", "sd": 0.02 / float(np.sqrt(2.0)),
                "effect": 0.012, "n": n,
            },
        )
        for n in (9, 20)
    ),
    (
        "friedman-of-two",
        {
            "unit": "dataset", "sd": 0.02, "difference": 0.015, "n": 15, "among": 2,
            "method": "friedman",
        },
        {
            "methods": "iman_davenport", "world": "datasets", "k": 2,
            "sd": 0.02 / float(np.sqrt(2.0)), "effect": 0.015, "n": 15, "replicates": 1000,
        },
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("planned", "drawn"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_simulated_power_is_that_of_the_plan(
    planned: dict[str, Any], drawn: dict[str, Any]
) -> None:
    power = assay.plan(**planned).power
    assert power is not None
    replicates = drawn.get("replicates", REPLICATES)
    found = simulate(rng=11, **{**drawn, "replicates": replicates})
    seen = dict(found.cells[0].details)["power"]
    assert isinstance(seen, float)
    error = np.sqrt(power * (1.0 - power) / replicates)
    assert abs(seen - power) <= 4.0 * error, (seen, power)


def test_clusters_and_their_design_effect() -> None:
    """40 clusters of 5: the interval excludes zero as often as planned."""
    planned = assay.plan("mean_loss", sd=1.0, difference=0.3, n=200, cluster_size=5, icc=0.3).power
    assert planned is not None
    # differences of two models, each of variance one, have spread sqrt(2)
    world = make_world("clusters", clusters=40, icc=0.3, effect=0.3 * float(np.sqrt(2.0)))
    drawn, replicates = world.draw(1000, None, stream(5)), 1000
    found = [
        assay.cluster_difference(*evidence("clustered-pairs", drawn, place)).interval
        for place in range(replicates)
    ]
    seen = np.mean([one is not None and not one.contains(0.0) for one in found])
    assert abs(seen - planned) <= 4.0 * np.sqrt(planned * (1.0 - planned) / replicates)


QUICK = [case for case in plans.judged_cases() if case.quick]


@pytest.mark.parametrize("case", QUICK, ids=[f"{case.question}; {case.size}" for case in QUICK])
def test_every_question_of_the_planner(case: plans.Case) -> None:
    """A true plan fails this once in ten thousand times."""
    hits = int(np.asarray(case.simulate(stream(21), REPLICATES)).sum())
    assert plans.agrees(case, case.power, hits, REPLICATES, 5e-5), (case.power, hits / REPLICATES)


def test_a_wrong_plan_is_seen() -> None:
    case = QUICK[0]
    hits = int(np.asarray(case.simulate(stream(21), REPLICATES)).sum())
    assert not plans.agrees(case, case.power + 0.08, hits, REPLICATES, 5e-5)


def test_the_page_has_a_row_for_each_case() -> None:
    found = [one for case in QUICK[:3] for one in plans._measure(case, stream(1), 200)]
    text = plans.page(found)
    assert all(f"| {case.question} | {case.size} |" in text for case in QUICK[:3])
