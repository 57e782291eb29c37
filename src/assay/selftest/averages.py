"""Reference cases of means: t tests, folds, 5x2 cross-validation."""

from assay.estimates.means import mean_summary
from assay.hypotheses.one_model import one_sample_t
from assay.hypotheses.paired_scores import paired_t
from assay.hypotheses.resampled_scores import (
    alpaydin_5x2_f,
    corrected_resampled_t,
    dietterich_5x2_t,
)
from assay.hypotheses.two_samples import two_sample_t
from assay.selftest.values import Adapter, Computed, Input, adapter, answer, facts, limits


def _one_sample_t(given: Input) -> Computed:
    outcome = one_sample_t(
        given["x"],
        null=given["mu"],
        alternative=given["alternative"],
        level=given["confidence"],
    )
    return {
        **facts(outcome, "mean", "sd", "df"),
        **answer(outcome),
        "ci": limits(outcome.effect),
    }


def _paired_t(given: Input) -> Computed:
    outcome = paired_t(
        given["a"], given["b"], alternative=given["alternative"], level=given["confidence"]
    )
    return {
        **facts(outcome, "df", mean_diff="mean", sd_diff="sd"),
        **answer(outcome),
        "ci": limits(outcome.effect),
    }


def _two_sample_t(given: Input) -> Computed:
    computed: Computed = {}
    for variant in ("welch", "pooled"):
        outcome = two_sample_t(
            given["a"],
            given["b"],
            variant=variant,
            alternative=given["alternative"],
            level=given["confidence"],
        )
        computed["mean_diff"] = outcome.effect.value
        computed[variant] = {
            **answer(outcome),
            **facts(outcome, "df"),
            "ci": limits(outcome.effect),
        }
    return computed


def _mean_summary(given: Input) -> Computed:
    estimate = mean_summary(given["mean"], given["sd"], given["n"], level=given["confidence"])
    known = dict(estimate.details)
    kept = known.get("t_low"), known.get("t_high")  # an interval of zero width is withheld
    return {
        "se": estimate.standard_error or 0.0,
        "t_ci": limits(estimate) or kept,
        "z_ci": (known["z_low"], known["z_high"]),
    }


def _corrected_resampled_t(given: Input) -> Computed:
    sizes = {"n_test": given["n_test"], "n_train": given["n_train"]}
    asked = corrected_resampled_t(given["a"], given["b"], alternative=given["alternative"], **sizes)
    two_sided = corrected_resampled_t(given["a"], given["b"], level=given["confidence"], **sizes)
    names = {"t_uncorrected": "t_uncorrected", "p_uncorrected_two_sided": "p_uncorrected"}
    return {
        **facts(two_sided, "df", sd_diff="sd", **names),
        **answer(asked),
        "mean_diff": asked.effect.value,
        "se_corrected": asked.effect.standard_error,
        "ci_two_sided": limits(two_sided.effect),
    }


def _dietterich(given: Input) -> Computed:
    outcome = dietterich_5x2_t(given["diffs"])
    known = dict(outcome.details)
    variances = [known.get(f"variance_{repeat}") for repeat in range(1, 6)]
    return {"variances": variances, **answer(outcome), **facts(outcome, "df")}


ADAPTERS: dict[str, Adapter] = {
    "ttest__one_sample_t": _one_sample_t,
    "ttest__paired_t": _paired_t,
    "ttest__two_sample_t": _two_sample_t,
    "ttest__mean_ci_summary": _mean_summary,
    "ttest__corrected_resampled_t": _corrected_resampled_t,
    "ttest__dietterich_5x2cv_t": _dietterich,
    "ttest__alpaydin_5x2cv_f": adapter(alpaydin_5x2_f, "diffs", gives="f", known=("df1", "df2")),
}
