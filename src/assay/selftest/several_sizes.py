"""Reference cases of differences at several training sizes, and of sets of models over folds."""

from assay.hypotheses.confidence_sets import cv_confidence_set
from assay.hypotheses.training_sizes import extrapolated_t, subsampling_t
from assay.selftest.values import Adapter, Computed, Input, answer, facts, limits


def _extrapolated_t(given: Input) -> Computed:
    taken = (given["differences"], given["sizes"], given["n"])
    outcome = extrapolated_t(*taken, level=given["confidence"])
    return {
        **answer(outcome),
        **facts(outcome, "df"),
        "value": outcome.effect.value,
        "standard_error": outcome.effect.standard_error,
        "ci": limits(outcome.effect),
    }


def _subsampling_t(given: Input) -> Computed:
    taken = (given["differences"], given["sizes"], given["n"])
    outcome = subsampling_t(*taken, mean=given["mean"], level=given["confidence"])
    return {
        **answer(outcome),
        **facts(outcome, "df", "rate", "estimated_rate"),
        "standard_error": outcome.effect.standard_error,
        "ci": limits(outcome.effect),
    }


def _cv_confidence_set(given: Input) -> Computed:
    found = cv_confidence_set(given["losses"], given["folds"], n_resamples=99).outcomes
    return {
        "statistics": [one.statistic for one in found],
        "differences": [one.effect.value for one in found],
        "standard_errors": [one.effect.standard_error for one in found],
    }


ADAPTERS: dict[str, Adapter] = {
    "folds__extrapolated_t": _extrapolated_t,
    "folds__subsampling_t": _subsampling_t,
    "folds__cv_confidence_set": _cv_confidence_set,
}
