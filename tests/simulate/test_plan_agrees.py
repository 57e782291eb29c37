"""Power by `assay plan` and power by simulation are one number, up to Monte-Carlo error."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.simulate.run import simulate

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
        for n in (100, 250)
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
]  # fmt: skip


@pytest.mark.parametrize(
    ("planned", "drawn"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_simulated_power_is_that_of_the_plan(
    planned: dict[str, Any], drawn: dict[str, Any]
) -> None:
    power = assay.plan(**planned).power
    assert power is not None
    found = simulate(replicates=REPLICATES, rng=11, **drawn)
    seen = dict(found.cells[0].details)["power"]
    assert isinstance(seen, float)
    error = np.sqrt(power * (1.0 - power) / REPLICATES)
    assert abs(seen - power) <= 4.0 * error, (seen, power)
