"""Reference cases of power and sample size."""

from typing import Any

from assay.core.plan_results import Plan
from assay.plan.plan import plan
from assay.selftest.values import Adapter, Computed, Input


def _asked(given: Input) -> dict[str, Any]:
    """Level, side, and what of n and power is given."""
    side = given.get("alternative", "two-sided")
    if side == "one-sided":  # on the side where the difference is
        side = "greater" if given["p2"] > given["p1"] else "less"
    n = given.get("n", given.get("n_per_group"))
    return {
        "level": round(1.0 - given["alpha"], 12),
        "alternative": side,
        "n": n,
        "power": given.get("power"),
    }


def _units(found: Plan, exact: str, whole: str) -> Computed:
    return {exact: dict(found.details)["n_exact"], whole: found.n}


def _mcnemar(given: Input) -> Computed:
    asked = _asked(given)
    rates = {
        "discordant": given["p01"] + given["p10"],
        "difference": given["p10"] - given["p01"],
    }
    connor = plan(variant="connor", **rates, **asked)
    if asked["n"] is None:
        return _units(connor, "n_connor", "n_connor_ceil")
    exact = plan(variant="exact", **rates, **asked)
    return {"power_connor": connor.power, "power_exact_test": exact.power}


def _one_proportion(given: Input) -> Computed:
    difference = given["p"] - given["p0"]
    found = plan(against=given["p0"], difference=difference, variant="arcsine", **_asked(given))
    return {"power_arcsine": found.power}


def _two_proportions(given: Input) -> Computed:
    asked = _asked(given)
    rates = {"baseline": given["p1"], "difference": given["p2"] - given["p1"], "paired": False}
    found = {name: plan(variant=name, **rates, **asked) for name in ("normal", "strict", "arcsine")}
    if asked["n"] is not None:
        names = {"normal": "normal", "strict": "normal_strict", "arcsine": "arcsine"}
        return {f"power_{names[name]}": one.power for name, one in found.items()}
    computed: Computed = {}
    for name in ("normal", "arcsine"):
        computed |= _units(found[name], f"n_{name}", f"n_{name}_ceil")
    return computed


def _paired_t(given: Input) -> Computed:
    asked = _asked(given)
    found = plan("mean_loss", sd=1.0, difference=given["d"], **asked)
    return {"power": found.power} if asked["power"] is None else _units(found, "n", "n_ceil")


def _two_sample_t(given: Input) -> Computed:
    asked = _asked(given)
    found = plan(
        "mean_loss", sd=1.0, difference=given["d"], paired=False, variant="pooled", **asked
    )
    if asked["power"] is None:
        return {"power": found.power}
    return _units(found, "n_per_group", "n_ceil")


def _proportion_width(given: Input) -> Computed:
    found = plan(baseline=given["p"], half_width=given["half_width"], level=given["confidence"])
    return _units(found, "n", "n_ceil")


ADAPTERS: dict[str, Adapter] = {
    "power__mcnemar": _mcnemar,
    "power__one_proportion": _one_proportion,
    "power__paired_t": _paired_t,
    "power__proportion_ci_sample_size": _proportion_width,
    "power__two_proportions": _two_proportions,
    "power__two_sample_t": _two_sample_t,
}
