"""Reference cases of ranks: Wilcoxon, Mann-Whitney, signs, Friedman and its kin."""

from typing import Any

from assay.hypotheses.kruskal_wallis import kruskal_wallis
from assay.hypotheses.many_models import (
    friedman,
    friedman_aligned_ranks,
    iman_davenport,
    quade,
)
from assay.hypotheses.paired_scores import sign_test, wilcoxon
from assay.hypotheses.two_samples import mann_whitney
from assay.selftest.values import (
    Adapter,
    Computed,
    Input,
    Unoffered,
    answer,
    by_model,
    direction,
    facts,
    limits,
)

_SIGNED_SUMS = ("n", "n_nonzero", "n_zero", "ties", "W_plus", "W_minus", "T_min")


def _wilcoxon(given: Input) -> Computed:
    pairs = (given["d"],) if "d" in given else (given["a"], given["b"])
    options: dict[str, Any] = {"alternative": given["alternative"], "method": "exact"}
    dropped = wilcoxon(*pairs, **options)
    pratt = wilcoxon(*pairs, zeros="pratt", **options)
    split = wilcoxon(*pairs, zeros="split", **options)
    tails = ("z", "asymptotic_p", "exact_p")
    return {
        **facts(dropped, *_SIGNED_SUMS),
        "p_value": dropped.p_value,
        "drop_zeros": {**facts(dropped, *tails, "asymptotic_cc_p"), "exact_p": dropped.p_value},
        "pratt": {**facts(pratt, *tails, "W_plus", "W_minus"), "exact_p": pratt.p_value},
        "zsplit": facts(split, "R_plus", "R_minus", "z_demsar", "T_min"),
    }


def _sign_test(given: Input) -> Computed:
    outcome = sign_test(given["d"], alternative=given["alternative"])
    return {**facts(outcome, "n_pos", "n_neg", "n_zero"), "p_value": outcome.p_value}


def _mann_whitney(given: Input) -> Computed:
    outcome = mann_whitney(given["a"], given["b"], alternative=given["alternative"], method="exact")
    tails = ("asymptotic_p", "asymptotic_cc_p", "exact_p_doubled")
    return {**facts(outcome, "U_a", "U_b", "ties", "z", *tails), "exact_p": outcome.p_value}


def _hodges_lehmann(given: Input) -> Computed:
    level = given["confidence"]
    outcome = (
        wilcoxon(given["d"], level=level)
        if "d" in given
        else mann_whitney(given["a"], given["b"], level=level)
    )
    return {"estimate": outcome.effect.value, "ci": limits(outcome.effect)}


def _kruskal_wallis(given: Input) -> Computed:
    outcome = kruskal_wallis(given["groups"])
    return {
        **answer(outcome, "H"),
        **facts(outcome, "df", "H_uncorrected"),
        "mean_ranks_ascending": by_model(outcome, "mean rank"),
    }


def _friedman(given: Input) -> Computed:
    computed: Computed = {}
    for ties, name in (("corrected", "tie_corrected"), ("demsar", "uncorrected")):
        options: dict[str, Any] = {"direction": direction(given), "ties": ties}
        chi2 = friedman(given["scores"], **options)
        f = iman_davenport(given["scores"], **options)
        computed |= answer(chi2, f"chi2_{name}", f"p_chi2_{name}")
        # where all blocks agree, F is infinite and our p the exact one; the tail of F is in details
        computed |= {f"F_{name}": f.statistic, **facts(f, **{f"p_F_{name}": "p_f"})}
        computed |= {**facts(f, "df1", "df2"), "kendall_w": chi2.effect.value}
        computed["mean_ranks"] = by_model(chi2, "mean rank")
    return computed


def _aligned_ranks(given: Input) -> Computed:
    way = direction(given)
    exact = friedman_aligned_ranks(given["scores"], direction=way)
    garcia = friedman_aligned_ranks(given["scores"], direction=way, variant="garcia")
    return {
        **answer(garcia, "T"),
        **answer(exact, "T_tie_exact", "p_tie_exact"),
        **facts(exact, "df"),
        "mean_aligned_ranks": by_model(exact, "mean aligned rank"),
    }


def _quade(given: Input) -> Computed:
    outcome = quade(given["scores"], direction=direction(given))
    return {
        **answer(outcome, "F"),
        **facts(outcome, "df1", "df2"),
        "conover_convention_p_when_A_equals_B": outcome.p_value,
    }


ADAPTERS: dict[str, Adapter] = {
    "rank__wilcoxon_signed_rank": _wilcoxon,
    "rank__wilcoxon_paired_scores": _wilcoxon,
    "rank__sign_test": _sign_test,
    "rank__mann_whitney": _mann_whitney,
    "rank__hodges_lehmann": _hodges_lehmann,
    "rank__kruskal_wallis": _kruskal_wallis,
    "rank__friedman": _friedman,
    "rank__friedman_aligned_ranks": _aligned_ranks,
    "rank__quade": _quade,
}

_NOISE = "shows what binary subtraction does to equal decimals; assay ties them"

UNOFFERED: dict[str, Unoffered] = {
    "rank__wilcoxon_signed_rank": {
        "undefined": "where all differences are zero assay gives p = 1, the limit, and says so"
    },
    "rank__wilcoxon_paired_scores": {
        "naive_float.n_nonzero": _NOISE,
        "naive_float.W_plus": _NOISE,
        "naive_float.W_minus": _NOISE,
    },
    "rank__quade": {"R_float_F": _NOISE, "R_float_p_value": _NOISE},
}
