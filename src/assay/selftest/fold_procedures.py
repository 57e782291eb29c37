"""Reference cases of procedures over folds, halves and resamples of one data set, and of Rogan and Gladen's rate."""

import math

from assay.core.results import Estimate, TestOutcome
from assay.estimates.cross_validation import cv_bayle, nested_cv, paired_cv_bayle
from assay.estimates.judged_means import rogan_gladen
from assay.estimates.out_of_bag import bootstrap_632_plus
from assay.hypotheses.resampled_scores import (
    cautious_resampled_t,
    cautious_t_one,
    corrected_t_one,
)
from assay.hypotheses.training_variance import (
    bootstrap_cv_t,
    conservative_z,
    nested_cv_difference,
    replace_one_z,
)
from assay.selftest.values import Adapter, Computed, Input, facts, limits


def _told(outcome: TestOutcome) -> Computed:
    effect = outcome.effect
    return {
        "value": effect.value,
        "standard_error": effect.standard_error,
        "statistic": outcome.statistic,
        "p_value": outcome.p_value,
        "ci": limits(effect),
    }


def _conservative_z(given: Input) -> Computed:
    return _told(
        conservative_z(
            given["differences"],
            mean=given["mean"],
            quarters=given["quarters"] or None,
            null=given["null"],
            level=given["confidence"],
        )
    )


def _replace_one_z(given: Input) -> Computed:
    asked = {"null": given["null"], "level": given["confidence"]}
    return _told(replace_one_z(given["values"], mean=given["mean"], **asked))


def _bootstrap_cv_t(given: Input) -> Computed:
    asked = {"null": given["null"], "level": given["confidence"]}
    return _told(bootstrap_cv_t(given["values"], mean=given["mean"], **asked))


def _splits(given: Input) -> Computed:
    sizes = {name: given[name] for name in ("n_test", "n_train")}
    return {**sizes, "level": given["confidence"]}


def _cautious_resampled_t(given: Input) -> Computed:
    hidden = given["training_sd"]
    return _told(cautious_resampled_t(given["values"], training_sd=hidden, **_splits(given)))


def _cautious_t_one(given: Input) -> Computed:
    asked = {"null": given["null"], "training_sd": given["training_sd"]}
    return _told(cautious_t_one(given["values"], **asked, **_splits(given)))


def _corrected_t_one(given: Input) -> Computed:
    return _told(corrected_t_one(given["values"], null=given["null"], **_splits(given)))


def _paired_cv_bayle(given: Input) -> Computed:
    nothing = [0.0] * len(given["values"])
    return _told(
        paired_cv_bayle(
            given["values"],
            nothing,
            given["folds"],
            variant="within-fold" if given["within"] else "all-pairs",
            null=given["null"],
            level=given["confidence"],
        )
    )


def _nested_cv_difference(given: Input) -> Computed:
    asked = {"null": given["null"], "level": given["confidence"]}
    return _told(nested_cv_difference(given["losses"], given["folds"], **asked))


def _error(found: Estimate, *names: str) -> Computed:
    """A learner's error; an open end of its interval is None."""
    ends = limits(found)
    return {
        "value": found.value,
        "standard_error": found.standard_error,
        "ci": ends and [end if math.isfinite(end) else None for end in ends],
        **facts(found, *names),
    }


def _cv_bayle(given: Input) -> Computed:
    found = cv_bayle(
        given["losses"],
        given["folds"],
        variant="within-fold" if given["within"] else "all-pairs",
        alternative=given["alternative"],
        level=given["confidence"],
    )
    return _error(found, "wald_low", "wald_high")


def _nested_cv(given: Input) -> Computed:
    found = nested_cv(given["losses"], given["folds"], level=given["confidence"])
    return _error(found, "nested", "plain", "mse")


def _bootstrap_632_plus(given: Input) -> Computed:
    losses = [[math.nan if one is None else one for one in row] for row in given["out_of_bag"]]
    found = bootstrap_632_plus(
        given["fitted"], losses, given["no_information"], level=given["confidence"]
    )
    return _error(found, "overfitting", "bootstrap_632")


def _rogan_gladen(given: Input) -> Computed:
    found = rogan_gladen(given["people"], given["judge"], level=given["level"])
    return {"value": found.value, "interval": limits(found)}


ADAPTERS: dict[str, Adapter] = {
    "folds__conservative_z": _conservative_z,
    "folds__replace_one_z": _replace_one_z,
    "folds__bootstrap_cv_t": _bootstrap_cv_t,
    "folds__cautious_resampled_t": _cautious_resampled_t,
    "folds__cautious_t_one": _cautious_t_one,
    "folds__corrected_t_one": _corrected_t_one,
    "folds__paired_cv_bayle": _paired_cv_bayle,
    "folds__nested_cv_difference": _nested_cv_difference,
    "folds__cv_bayle": _cv_bayle,
    "folds__nested_cv": _nested_cv,
    "folds__bootstrap_632_plus": _bootstrap_632_plus,
    "judged__rogan_gladen": _rogan_gladen,
}
