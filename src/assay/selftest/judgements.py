"""Reference cases of judgements: strengths from preferences."""

import numpy as np

from assay.evidence.preferences import Preferences
from assay.hypotheses.preferences import bradley_terry
from assay.selftest.values import Adapter, Computed, Input, Unoffered


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


ADAPTERS: dict[str, Adapter] = {"preference__bradley_terry": _bradley_terry}

UNOFFERED: dict[str, Unoffered] = {}
