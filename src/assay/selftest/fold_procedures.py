"""Reference cases of procedures over folds, halves and resamples of one data set, and of Rogan and Gladen's rate."""

from assay.core.results import TestOutcome
from assay.estimates.cross_validation import paired_cv_bayle
from assay.estimates.judged import rogan_gladen
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
from assay.selftest.values import Adapter, Computed, Input, limits


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
    "judged__rogan_gladen": _rogan_gladen,
}
