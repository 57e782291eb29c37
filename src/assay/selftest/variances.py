"""Reference cases of variances: ANOVA, several criteria, checks of assumptions."""

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
    adapter,
    answer,
    facts,
    limits,
    p_values,
    places,
)


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


def _shares(given: Input) -> Computed:
    return {
        "eta_squared": eta_squared(given["groups"]).value,
        "omega_squared": omega_squared(given["groups"]).value,
        "epsilon_squared": epsilon_squared(given["groups"]).value,
    }


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


def _levene(given: Input) -> Computed:
    found = {center: levene(given["groups"], center=center) for center in ("median", "mean")}
    return {
        center: {**answer(outcome, "F"), **facts(outcome, "df1", "df2")}
        for center, outcome in found.items()
    }


ADAPTERS: dict[str, Adapter] = {
    "anova__oneway_anova": adapter(
        oneway_anova, "groups", gives="F", known=("df1", "df2", "ss_between", "ss_within")
    ),
    "anova__welch_anova": adapter(welch_anova, "groups", gives="F", known=("df1", "df2")),
    "anova__rm_anova": _repeated,
    "anova__tukey_hsd": _tukey,
    "anova__mauchly": adapter(
        mauchly,
        "scores",
        gives="W",
        known=("chi2", "df"),
        p_value_second_order="p_second_order",
        p_chi2_first_order="p_first_order",
    ),
    "effect__eta_omega_squared": _shares,
    "multivariate__hotelling_one_sample": adapter(
        lambda x, mu: hotelling_one_sample(x, null=mu),
        "x",
        "mu",
        gives="T2",
        known=("df1", "df2"),
        F="f",
    ),
    "multivariate__hotelling_paired": adapter(
        hotelling_paired, "a", "b", gives="T2", known=("df1", "df2"), F="f"
    ),
    "multivariate__hotelling_two_sample": adapter(
        hotelling_two_sample, "a", "b", gives="T2", known=("df1", "df2"), F="f"
    ),
    "multivariate__manova": _manova,
    "assumption__shapiro_wilk": adapter(shapiro_wilk, "x", gives="W"),
    "assumption__dagostino_normaltest": adapter(
        dagostino,
        "x",
        gives="K2",
        known=("z_skew", "p_skew"),
        z_kurt="z_kurtosis",
        p_kurt="p_kurtosis",
    ),
    "assumption__lilliefors": adapter(
        lilliefors, "x", gives="D", p_value="p_value_dallal_wilkinson"
    ),
    "assumption__anderson_darling_normal": adapter(anderson_darling, "x", gives="A2"),
    "assumption__levene": _levene,
    "assumption__bartlett": adapter(bartlett, "groups", gives="K2", known=("df",)),
    "assumption__fligner": adapter(fligner, "groups", gives="chi2", known=("df",)),
}
