"""Reference cases of variances: ANOVA, several criteria, checks of assumptions."""

from typing import Any

from assay.hypotheses.anova import (
    epsilon_squared,
    eta_squared,
    omega_squared,
    oneway_anova,
    rm_anova,
    tukey_hsd,
    welch_anova,
)
from assay.hypotheses.assumptions import (
    anderson_darling,
    bartlett,
    dagostino,
    fligner,
    levene,
    lilliefors,
    mauchly,
    shapiro_wilk,
)
from assay.hypotheses.many_criteria import (
    hotelling_one_sample,
    hotelling_paired,
    hotelling_two_sample,
    manova,
)
from assay.selftest.values import (
    Adapter,
    Computed,
    Input,
    Unoffered,
    answer,
    facts,
    limits,
    p_values,
    places,
)


def _oneway(given: Input) -> Computed:
    outcome = oneway_anova(given["groups"])
    return {**answer(outcome, "F"), **facts(outcome, "df1", "df2", "ss_between", "ss_within")}


def _welch(given: Input) -> Computed:
    outcome = welch_anova(given["groups"])
    return {**answer(outcome, "F"), **facts(outcome, "df1", "df2")}


def _repeated(given: Input) -> Computed:
    outcome = rm_anova(given["scores"])
    names = {"ss_treatment": "ss_models", "ss_subject": "ss_blocks", "p_value": "p_uncorrected"}
    corrected = ("gg_epsilon", "hf_epsilon_raw", "hf_epsilon", "p_gg", "p_hf", "p_lower_bound")
    return {
        "F": outcome.statistic,
        "p_value": outcome.p_value,
        **facts(outcome, "df1", "df2", "ss_error", *corrected, **names),
    }


def _tukey(given: Input) -> Computed:
    """The differences of the file are B minus A."""
    family = tukey_hsd(given["groups"], level=given["confidence"])
    ends = [limits(outcome.effect) for outcome in family.outcomes]
    values = [outcome.effect.value for outcome in family.outcomes]
    return {
        "pairs": places(family),
        "diff_j_minus_i": [value and -value for value in values],
        "p": p_values(family),
        "ci_lower": [end and -end[1] for end in ends],
        "ci_upper": [end and -end[0] for end in ends],
    }


def _mauchly(given: Input) -> Computed:
    outcome = mauchly(given["scores"])
    names = {"p_value_second_order": "p_second_order", "p_chi2_first_order": "p_first_order"}
    return {**answer(outcome, "W"), **facts(outcome, "chi2", "df", **names)}


def _shares(given: Input) -> Computed:
    return {
        "eta_squared": eta_squared(given["groups"]).value,
        "omega_squared": omega_squared(given["groups"]).value,
        "epsilon_squared": epsilon_squared(given["groups"]).value,
    }


def _hotelling(outcome: Any) -> Computed:
    return {**answer(outcome, "T2"), **facts(outcome, "df1", "df2", F="f")}


def _manova(given: Input) -> Computed:
    computed: Computed = {}
    for variant in ("pillai", "wilks", "hotelling-lawley", "roy"):
        outcome = manova(given["groups"], variant=variant)
        name = variant.replace("-", "_")
        computed[name] = {"value": outcome.statistic, "p_value": outcome.p_value}
        computed[name] |= facts(outcome, F=f"{name}_f", df1=f"{name}_df1", df2=f"{name}_df2")
        names = {"value": "mckeon", "F": "mckeon_f", "p_value": "mckeon_p"}
        mckeon = facts(outcome, **names, df1="mckeon_df1", df2="mckeon_df2")
        computed["hotelling_lawley_mckeon"] = mckeon
    return computed


def _dagostino(given: Input) -> Computed:
    outcome = dagostino(given["x"])
    names = {"z_kurt": "z_kurtosis", "p_kurt": "p_kurtosis"}
    return {**answer(outcome, "K2"), **facts(outcome, "z_skew", "p_skew", **names)}


def _levene(given: Input) -> Computed:
    found = {center: levene(given["groups"], center=center) for center in ("median", "mean")}
    return {
        center: {**answer(outcome, "F"), **facts(outcome, "df1", "df2")}
        for center, outcome in found.items()
    }


def _bartlett(given: Input) -> Computed:
    outcome = bartlett(given["groups"])
    return {**answer(outcome, "K2"), **facts(outcome, "df")}


def _fligner(given: Input) -> Computed:
    outcome = fligner(given["groups"])
    return {**answer(outcome, "chi2"), **facts(outcome, "df")}


ADAPTERS: dict[str, Adapter] = {
    "anova__oneway_anova": _oneway,
    "anova__welch_anova": _welch,
    "anova__rm_anova": _repeated,
    "anova__tukey_hsd": _tukey,
    "anova__mauchly": _mauchly,
    "effect__eta_omega_squared": _shares,
    "multivariate__hotelling_one_sample": lambda given: _hotelling(
        hotelling_one_sample(given["x"], null=given["mu"])
    ),
    "multivariate__hotelling_paired": lambda given: _hotelling(
        hotelling_paired(given["a"], given["b"])
    ),
    "multivariate__hotelling_two_sample": lambda given: _hotelling(
        hotelling_two_sample(given["a"], given["b"])
    ),
    "multivariate__manova": _manova,
    "assumption__shapiro_wilk": lambda given: answer(shapiro_wilk(given["x"]), "W"),
    "assumption__dagostino_normaltest": _dagostino,
    "assumption__lilliefors": lambda given: answer(
        lilliefors(given["x"]), "D", "p_value_dallal_wilkinson"
    ),
    "assumption__anderson_darling_normal": lambda given: answer(anderson_darling(given["x"]), "A2"),
    "assumption__levene": _levene,
    "assumption__bartlett": _bartlett,
    "assumption__fligner": _fligner,
}

UNOFFERED: dict[str, Unoffered] = {}
