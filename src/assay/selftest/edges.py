"""Edge cases of the other reference files: counts of millions, two values, all ties, odd levels.

Each says which file it belongs to and is answered by the adapter of that file.
"""

from assay.selftest import (
    averages,
    curves,
    effects,
    families,
    outcomes,
    plans,
    ranks,
    resampling,
    scoring,
    variances,
)
from assay.selftest.values import Adapter, Computed, Input

_OF: dict[str, Adapter] = {
    name: adapter
    for group in (
        averages, curves, effects, families, outcomes, plans, ranks, resampling, scoring, variances
    )
    for name, adapter in group.ADAPTERS.items()
}  # fmt: skip


def _edge(given: Input) -> Computed:
    return _OF[given["of"]](given["given"])


ADAPTERS: dict[str, Adapter] = {"edges": _edge}
