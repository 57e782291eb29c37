"""Reference cases of judgements: strengths from preferences, and a judge's grades corrected by people's."""

import numpy as np

from assay.estimates.judged_means import judged_mean, judged_proportion
from assay.evidence.preferences import Preferences
from assay.hypotheses.judged_differences import judged_difference, judged_paired_rates
from assay.hypotheses.preferences import bradley_terry
from assay.selftest.values import Adapter, Computed, Input, answer, facts, limits


def _bradley_terry(given: Input) -> Computed:
    first, second, ties = (np.array(given[name], float) for name in ("first", "second", "ties"))
    models = tuple(f"m{place}" for place in range(1, len(first) + 1))
    counted = Preferences(models=models, first=first, second=second, ties=ties, placed=True)
    found = bradley_terry(counted, position=given["position"])
    strengths = [one for one in found.estimates if one.model is not None]
    computed: Computed = {
        "strengths": [one.value for one in strengths],
        "standard_errors": [one.standard_error for one in strengths],
    }
    for one in found.estimates[len(strengths) :]:
        computed |= {"position": one.value, "position_error": one.standard_error}
    return computed


def _judged_mean(given: Input) -> Computed:
    found = judged_mean(given["people"], given["judge"], level=given.get("level", 0.95))
    told = facts(found, "slope")
    return {
        **told, "value": found.value, "standard_error": found.standard_error, "interval": limits(found)
    }  # fmt: skip


def _judged_proportion(given: Input) -> Computed:
    found = judged_proportion(given["people"], given["judge"], level=given["level"])
    return {"value": found.value, "interval": limits(found)}


def _judged_difference(given: Input) -> Computed:
    found = judged_difference(given["people"], given["judge"], level=given["level"])
    told = {**answer(found), **facts(found, "df")}
    return {**told, "value": found.effect.value, "interval": limits(found.effect)}


def _judged_paired_rates(given: Input) -> Computed:
    found = judged_paired_rates(given["people"], given["judge"], level=given["level"])
    return {"value": found.effect.value, "interval": limits(found.effect), "p_value": found.p_value}


ADAPTERS: dict[str, Adapter] = {
    "preference__bradley_terry": _bradley_terry,
    "judged__judged_mean": _judged_mean,
    "judged__judged_proportion": _judged_proportion,
    "judged__judged_difference": _judged_difference,
    "judged__judged_paired_rates": _judged_paired_rates,
    "judged__ppi_mean": _judged_mean,
}
