"""Reference cases of many questions at once: pairs of models, critical differences, adjusted p."""

import math
from collections.abc import Callable
from typing import Any

from assay.core.results import FamilyOutcome
from assay.hypotheses.friedman_posthoc import (
    aligned_ranks_posthoc,
    bonferroni_dunn,
    conover_friedman,
    critical_difference,
    friedman_posthoc,
    nemenyi,
    quade_posthoc,
)
from assay.hypotheses.kruskal_wallis import conover_iman, dunn, nemenyi_kruskal
from assay.hypotheses.many_models import friedman_aligned_ranks
from assay.hypotheses.multiplicity import adjust, bergmann_hommel, shaffer
from assay.selftest.values import (
    Adapter,
    Computed,
    Input,
    Unoffered,
    by_model,
    direction,
    of_pairs,
    p_values,
    places,
    sizes,
)

_AGAINST_ONE = ("holm", "hochberg", "hommel", "holland", "finner", "li")
_ALONE = (
    "bonferroni",
    "holm",
    "hochberg",
    "hommel",
    "sidak",
    "holland",
    "finner",
    "li",
    "bh",
    "by",
)


def _nemenyi(given: Input) -> Computed:
    family = nemenyi(given["scores"], direction=direction(given))
    return {
        "pairs": places(family),
        "mean_ranks": by_model(family, "mean rank"),
        "q": sizes(family),
        "p": p_values(family),
    }


def _critical_difference(given: Input) -> Computed:
    k, n, level = given["k"], given["n_datasets"], 1 - given["alpha"]
    scale = math.sqrt(k * (k + 1) / (6 * n))
    computed: Computed = {}
    for kind in ("nemenyi", "bonferroni-dunn"):
        name = kind.replace("-", "_")
        found = critical_difference(k, n, level=level, kind=kind)
        computed |= {f"cd_{name}": found, f"q_{name}": found / scale}
    return computed


def _against_control(given: Input) -> Computed:
    options: dict[str, Any] = {"control": given["control"], "direction": direction(given)}
    family = friedman_posthoc(given["scores"], **options)
    computed: Computed = {
        "others": [pair[0] for pair in places(family)],
        # the file takes control minus other, assay model minus control
        "z": [o.statistic and -o.statistic for o in family.outcomes],
        "p": of_pairs(family, "p_unadjusted"),
        "bonferroni_dunn": p_values(bonferroni_dunn(given["scores"], **options)),
    }
    for name in _AGAINST_ONE:
        adjusted = friedman_posthoc(given["scores"], adjustment=name, **options)  # type: ignore[arg-type]
        computed[name] = p_values(adjusted)
    return computed


def _conover(given: Input) -> Computed:
    way = direction(given)
    family = conover_friedman(given["scores"], direction=way)
    finite = conover_friedman(given["scores"], direction=way, adjustment="single-step")
    infinite = conover_friedman(given["scores"], direction=way, adjustment="single-step-inf")
    return {
        "pairs": places(family),
        "t": sizes(family),
        "p_unadjusted": of_pairs(family, "p_unadjusted"),
        "p_single_step_tukey_df_finite": p_values(finite),
        "p_single_step_tukey_df_inf": p_values(infinite),
    }


def _quade(given: Input) -> Computed:
    way = direction(given)
    family = quade_posthoc(given["scores"], direction=way)
    normal = quade_posthoc(given["scores"], direction=way, variant="z")
    return {
        "pairs": places(family),
        "t": sizes(family),
        "p_t_unadjusted": of_pairs(family, "p_unadjusted"),
        "p_z_unadjusted": of_pairs(normal, "p_unadjusted"),
    }


def _aligned_ranks(given: Input) -> Computed:
    way = direction(given)
    family = aligned_ranks_posthoc(given["scores"], direction=way)
    omnibus = friedman_aligned_ranks(given["scores"], direction=way)
    return {
        "pairs": places(family),
        "mean_aligned_ranks": by_model(omnibus, "mean aligned rank"),
        "z": sizes(family),
        "p": of_pairs(family, "p_unadjusted"),
    }


def _of_groups(test: Callable[[Any], FamilyOutcome], statistic: str) -> Adapter:
    def adapt(given: Input) -> Computed:
        family = test(given["groups"])
        unadjusted = of_pairs(family, "p_unadjusted")
        return {"pairs": places(family), statistic: sizes(family), "p_unadjusted": unadjusted}

    return adapt


def _nemenyi_kruskal(given: Input) -> Computed:
    family = nemenyi_kruskal(given["groups"])
    return {"pairs": places(family), "q": sizes(family), "p": p_values(family)}


def _adjust(given: Input) -> Computed:
    return {name: adjust(given["p"], method=name) for name in _ALONE}  # type: ignore[arg-type]


def _adjust_pairs(given: Input) -> Computed:
    p = given["p"]
    return {
        "nemenyi_bonferroni": adjust(p, method="bonferroni"),
        "holm": adjust(p, method="holm"),
        "shaffer_static": shaffer(p, given["pairs"]),
        "bergmann_hommel_definition": bergmann_hommel(p, given["pairs"]),
        "bergmann_hommel": bergmann_hommel(p, given["pairs"], variant="monotone"),
    }


ADAPTERS: dict[str, Adapter] = {
    "posthoc__friedman_nemenyi": _nemenyi,
    "posthoc__critical_difference": _critical_difference,
    "posthoc__friedman_z_vs_control": _against_control,
    "posthoc__friedman_conover": _conover,
    "posthoc__quade_posthoc": _quade,
    "posthoc__aligned_ranks_posthoc": _aligned_ranks,
    "posthoc__kruskal_dunn": _of_groups(dunn, "abs_z"),
    "posthoc__kruskal_conover": _of_groups(conover_iman, "t_abs"),
    "posthoc__kruskal_nemenyi": _nemenyi_kruskal,
    "multiplicity__p_adjust": _adjust,
    "multiplicity__p_adjust_pairwise": _adjust_pairs,
}

_PRINTED_SE = "the standard error printed in García et al. (2010) is not that of aligned ranks"

UNOFFERED: dict[str, Unoffered] = {
    "posthoc__aligned_ranks_posthoc": {
        "z_garcia2010_printed_se": _PRINTED_SE,
        "p_garcia2010_printed_se": _PRINTED_SE,
    },
}
