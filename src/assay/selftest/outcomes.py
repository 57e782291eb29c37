"""Reference cases of right and wrong: error rates, their differences, tables of counts."""

from typing import Any

from assay.estimates.differences import (
    agresti_caffo,
    agresti_min,
    bonett_price,
    newcombe,
    newcombe_cc,
    newcombe_paired,
    score_difference,
    tango,
    wald_difference,
    wald_paired,
)
from assay.estimates.proportions import (
    agresti_coull,
    clopper_pearson,
    jeffreys,
    wald,
    wilson,
    wilson_cc,
)
from assay.hypotheses.independent_outcomes import chi_square, fisher_exact, two_proportions_z
from assay.hypotheses.many_models import cochran_q
from assay.hypotheses.one_model import binomial, proportion_z
from assay.hypotheses.paired_outcomes import mcnemar
from assay.selftest.values import Adapter, Computed, Input, adapter, answer, facts, limits

_RATE_INTERVALS = {
    "wilson": wilson,
    "wilson_cc": wilson_cc,
    "clopper_pearson": clopper_pearson,
    "agresti_coull": agresti_coull,
    "jeffreys_modified_ends": jeffreys,
}
_DIFFERENCE_INTERVALS = {
    "wald": wald_difference,
    "newcombe": newcombe,
    "newcombe_cc": newcombe_cc,
    "agresti_caffo": agresti_caffo,
    "mee": score_difference,
}
_PAIRED_INTERVALS = {
    "wald": wald_paired,
    "wald_unclipped": wald_paired,
    "newcombe_method10": newcombe_paired,
    "tango": tango,
    "bonett_price": bonett_price,
    "agresti_min": agresti_min,
}


def _binom_ci(given: Input) -> Computed:
    counts, level = (given["k"], given["n"]), given["confidence"]
    plain = wald(*counts, level=level)
    raw = facts(plain, "wald_low", "wald_high")
    low, high = raw["wald_low"], raw["wald_high"]
    return {
        "estimate": plain.value,
        "wald": [low, high],
        "wald_clipped": limits(wald(*counts, level=level, clip=True)) or [low, high],
        **{name: limits(of(*counts, level=level)) for name, of in _RATE_INTERVALS.items()},
        "agresti_coull_clipped": limits(agresti_coull(*counts, level=level, clip=True)),
        "jeffreys_equal_tailed": limits(jeffreys(*counts, level=level, variant="equal_tailed")),
    }


def _binom_test(given: Input) -> Computed:
    outcome = binomial(given["k"], given["n"], null=given["p0"], alternative=given["alternative"])
    return {"p_value": outcome.p_value}


def _one_prop_z(given: Input) -> Computed:
    counts = given["k"], given["n"]
    options: dict[str, Any] = {"null": given["p0"], "alternative": given["alternative"]}
    outcome = proportion_z(*counts, **options)
    return {
        **facts(outcome, "z_score", "chi2", "chi2_cc", "z_wald", "p_wald"),
        "p_score": outcome.p_value,
        "p_cc": proportion_z(*counts, correct=True, **options).p_value,
    }


def _rates(given: Input) -> tuple[int, int, int, int]:
    return given["k1"], given["n1"], given["k2"], given["n2"]


def _two_prop_diff_ci(given: Input) -> Computed:
    rates, level = _rates(given), given["confidence"]
    inflated = score_difference(*rates, level=level, variant="miettinen_nurminen")
    return {
        "diff": wald_difference(*rates).value,
        "miettinen_nurminen": limits(inflated),
        **{name: limits(of(*rates, level=level)) for name, of in _DIFFERENCE_INTERVALS.items()},
    }


def _paired_diff_ci(given: Input) -> Computed:
    counts, level = (given["n11"], given["n10"], given["n01"], given["n00"]), given["confidence"]
    plain_phi = newcombe_paired(*counts, level=level, variant="phi")
    return {
        "diff": tango(*counts).value,
        "newcombe_method8_no_phi_correction": limits(plain_phi),
        **{name: limits(of(*counts, level=level)) for name, of in _PAIRED_INTERVALS.items()},
    }


def _two_prop_z(given: Input) -> Computed:
    options: dict[str, Any] = {
        "alternative": given["alternative"],
        "level": given["confidence"],
    }
    outcome = two_proportions_z(*_rates(given), **options)
    corrected = two_proportions_z(*_rates(given), correct=True, **options)
    return {
        **dict(outcome.details),
        "p_pooled": outcome.p_value,
        "R_prop_test_p_cc": corrected.p_value,
    }


def _mcnemar(given: Input) -> Computed:
    table = (0, given["n10"], given["n01"], 1)
    variants: dict[str, Any] = {"exact_p": "exact", "midp_p": "mid-p"}
    chosen = {name: mcnemar(*table, variant=way).p_value for name, way in variants.items()}
    return {**dict(mcnemar(*table).details), **chosen}


def _fisher(given: Input) -> Computed:
    return {"p_value": fisher_exact(given["table"], alternative=given["alternative"]).p_value}


def _chi_square(given: Input) -> Computed:
    outcome = chi_square(given["table"])
    computed = {**answer(outcome, "chi2"), **facts(outcome, "df", "chi2_yates", "p_yates")}
    if len(given["table"]) == len(given["table"][0]) == 2:
        computed["p_yates"] = chi_square(given["table"], correct=True).p_value
    return computed


ADAPTERS: dict[str, Adapter] = {
    "proportion__binom_ci": _binom_ci,
    "proportion__binom_test": _binom_test,
    "proportion__one_prop_z": _one_prop_z,
    "proportion__two_prop_diff_ci": _two_prop_diff_ci,
    "proportion__paired_diff_ci": _paired_diff_ci,
    "proportion__two_prop_z": _two_prop_z,
    "contingency__mcnemar": _mcnemar,
    "contingency__fisher_exact": _fisher,
    "contingency__chi2_independence": _chi_square,
    "contingency__cochran_q": adapter(cochran_q, "successes", gives="Q", known=("df",)),
}
