"""Reference cases of effect sizes, and of the Bayesian correlated t."""

from typing import Any

from assay.estimates.effects import cohens_d, cohens_d_paired, cohens_h, odds_ratio
from assay.estimates.rank_effects import a12, akinshin_gamma, cliffs_delta
from assay.hypotheses.bayes import bayes_correlated_t
from assay.selftest.values import Adapter, Computed, Input, Looser, facts, limits

_HUNDRED = 100
"""The rates of the cases are whole percentages."""


def _cohens_d(given: Input) -> Computed:
    names = ("cohens_d", "hedges_g_exact", "hedges_g_approx", "glass_delta_sd_b")
    return facts(cohens_d(given["a"], given["b"]), *names)


def _cohens_d_paired(given: Input) -> Computed:
    return facts(cohens_d_paired(given["a"], given["b"]), "d_z", "d_av", "d_rm")


def _cohens_h(given: Input) -> Computed:
    errors = [round(_HUNDRED * given[name]) for name in ("p1", "p2")]
    return {"h": cohens_h(errors[0], _HUNDRED, errors[1], _HUNDRED).value}


def _odds_ratio(given: Input) -> Computed:
    counts = (given["a"], given["a"] + given["b"], given["c"], given["c"] + given["d"])
    computed: Computed = {}
    for variant in ("haldane_anscombe", "raw"):
        estimate = odds_ratio(*counts, variant=variant, level=given["confidence"])
        # with an empty cell the file has [undefined, infinite], assay no interval
        ends: list[Any] = limits(estimate) or [None, estimate.value]
        computed[variant] = {**facts(estimate, "odds_ratio", "log_or", "se_log_or"), "ci": ends}
    conditional = odds_ratio(*counts, variant="conditional", level=given["confidence"])
    return {**computed, "conditional_mle": conditional.value}


def _wins(given: Input) -> Computed:
    pair = given["a"], given["b"]
    return {"a12": a12(*pair).value, "cliffs_delta": cliffs_delta(*pair).value}


def _gamma(given: Input) -> Computed:
    return dict(akinshin_gamma(given["a"], given["b"], n_resamples=39, rng=1).details)


def _bayes_correlated_t(given: Input) -> Computed:
    low, high = given["rope"]
    found = bayes_correlated_t(given["diffs"], rope=max(-low, high), test_share=given["rho"])
    return {"left": found.p_left, "rope": found.p_rope, "right": found.p_right}


ADAPTERS: dict[str, Adapter] = {
    "effect__cohens_d_independent": _cohens_d,
    "effect__cohens_d_paired": _cohens_d_paired,
    "effect__cohens_h": _cohens_h,
    "effect__odds_ratio": _odds_ratio,
    "effect__cliffs_delta_a12": _wins,
    "effect__akinshin_gamma": _gamma,
    "ttest__bayes_correlated_t": _bayes_correlated_t,
}

LOOSER: dict[str, Looser] = {
    "effect__odds_ratio": {
        # R's fisher.test stops uniroot at 1.2e-4 on the scale of min(psi, 1/psi); assay's root
        # agrees with 30 digits of mpmath to 1e-12 (tests/estimates/test_effects.py)
        "conditional_mle": 1e-3,
    },
}
