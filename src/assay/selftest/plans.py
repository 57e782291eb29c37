"""Reference cases of power and sample size."""

from assay.selftest.values import Adapter, Unoffered

ADAPTERS: dict[str, Adapter] = {}

_LATER = "not yet offered: assay plans no sample sizes so far"

UNOFFERED: dict[str, Unoffered] = {
    f"power__{name}": {"*": _LATER}
    for name in (
        "mcnemar",
        "one_proportion",
        "paired_t",
        "proportion_ci_sample_size",
        "two_proportions",
        "two_sample_t",
    )
}
