"""Many p-values at once: adjusted so that a family of questions keeps its error rate."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.core.checks import as_floats, check_choice
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.methods import Function, method
from assay.kernels.adjustments import RULES, models_of_pairs, step_down
from assay.kernels.partitions import MOST_MODELS, exhaustive_sets, shaffer_counts

Adjustment = Literal[
    "bonferroni",
    "sidak",
    "holm",
    "hochberg",
    "hommel",
    "holland",
    "finner",
    "li",
    "rom",
    "bh",
    "by",
]
PairAdjustment = Literal["shaffer", "bergmann_hommel", "holm", "nemenyi"]
PValues = Sequence[float | None] | FloatArray | Mapping[str, float | None]
Pairs = int | Sequence[tuple[Any, Any]] | None

_ALSO_CALLED = {
    "benjamini_hochberg": "bh",
    "benjamini_yekutieli": "by",
    "fdr": "bh",
    "fdr_bh": "bh",
    "fdr_by": "by",
    "holm_sidak": "holland",
    "simes_hochberg": "hochberg",
}
"""Names of other tools, and of our own functions."""
MOST_FOR_ROM = 200
"""Rom's constants are a recursion of cubic cost; beyond this Hochberg is nearly as sharp."""

_VALID = "each p-value is valid on its own"
_INDEPENDENT = "the p-values are independent or positively dependent"
_ALL_PAIRS = "all pairs of the models are listed"


@method(
    question="Which of many p-values stay significant after correction for multiple tests?",
    takes="p-values",
    gives="adjustment",
    unit=("item", "fold", "seed", "dataset"),
    assumes=(_VALID, "all members of the family are listed"),
    reference="wright1992",
    requirement="T10",
    same_as='R: p.adjust({p_values}, method = "holm")',
)
def adjust(p_values: PValues, *, method: Adjustment = "holm") -> tuple[float, ...]:
    """Adjusted p-values in the order given; compare each with alpha.

    ``method``: bonferroni, sidak, holm, hochberg, hommel, holland (Holm-Sidak), finner, li and
    rom bound the chance of any false claim; bh and by the expected share of false claims.
    """
    plain = method.lower().replace("-", "_") if isinstance(method, str) else method
    chosen = check_choice(_ALSO_CALLED.get(plain, plain), get_args(Adjustment), "method")
    return tuple(adjusted_array(checked_p_values(p_values), chosen).tolist())


def adjusted_array(p: FloatArray, adjustment: Adjustment) -> FloatArray:
    """The same of p-values that need no check."""
    if adjustment == "rom" and p.size > MOST_FOR_ROM:
        raise NotApplicable(
            f"rom is offered up to {MOST_FOR_ROM} p-values; got {p.size}: use hochberg"
        )
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = RULES[adjustment](p[order])
    return np.clip(adjusted, p, 1.0)


@method(
    question="Which pairs of k models differ, if logical relations between hypotheses are used (Shaffer)?",
    takes="p-values",
    gives="adjustment",
    unit=("item", "fold", "seed", "dataset"),
    assumes=(_VALID, _ALL_PAIRS),
    reference="garcia2008",
    requirement="T10",
    same_as="R: scmamp::adjustShaffer({p_values}) or scmamp::adjustBergmannHommel({p_values})",
)
def adjust_pairs(
    p_values: PValues, pairs: Pairs = None, *, method: PairAdjustment = "shaffer"
) -> tuple[float, ...]:
    """Adjusted p-values of all pairs of k models, in the order given.

    ``pairs`` is the list of pairs, or k (or nothing) where they come row by row: (1, 2), (1, 3) …
    "nemenyi" is Bonferroni over all pairs, as Garcia and Herrera call it.
    """
    chosen = check_choice(method, get_args(PairAdjustment), "method")
    if chosen == "shaffer":
        return shaffer(p_values, pairs)
    if chosen == "bergmann_hommel":
        return bergmann_hommel(p_values, pairs)
    _pair_indices(checked_p_values(p_values).size, pairs)
    return adjust(p_values, method="bonferroni" if chosen == "nemenyi" else "holm")


@method(
    question="Which pairs of k models differ, by the possible numbers of true hypotheses (Shaffer)?",
    takes="p-values",
    gives="adjustment",
    unit=("item", "fold", "seed", "dataset"),
    assumes=(_VALID, _ALL_PAIRS),
    reference="shaffer1986",
    requirement="T10",
    same_as="R: scmamp::adjustShaffer({p_values})",
    formula="adjusted_i = max over j <= i of possible_true_j · p_j",
    name="Shaffer",
)
def shaffer(
    p_values: PValues,
    pairs: Pairs = None,
    *,
    variant: Literal["static", "dynamic"] = "static",
) -> tuple[float, ...]:
    """Shaffer's step-down: Holm with only the counts of true hypotheses that can occur together.

    "static" uses how many have been rejected, "dynamic" also which (up to 10 models).
    """
    check_choice(variant, ("static", "dynamic"), "variant")
    p = checked_p_values(p_values)
    first, second, k = _pair_indices(p.size, pairs)
    order = np.argsort(p, kind="stable")
    if variant == "static":
        counts = shaffer_counts(k)
    else:
        _check_few(k, "the dynamic variant of shaffer", "the static variant of shaffer")
        counts = _dynamic_counts(exhaustive_sets(k, first, second)[:, order])
    adjusted = np.empty_like(p)
    adjusted[order] = step_down(counts * p[order])
    return _shown(adjusted, p)


@method(
    question="Which pairs of k models differ, by all sets of hypotheses that can be true together?",
    takes="p-values",
    gives="adjustment",
    unit=("item", "fold", "seed", "dataset"),
    assumes=(_VALID, _ALL_PAIRS),
    reference="bergmann1988",
    requirement="T10",
    same_as="R: scmamp::adjustBergmannHommel({p_values})  # the monotone variant",
    formula="adjusted_i = max over exhaustive sets I with i of size(I) · smallest p in I",
    name="Bergmann-Hommel",
)
def bergmann_hommel(
    p_values: PValues,
    pairs: Pairs = None,
    *,
    variant: Literal["definition", "monotone"] = "definition",
) -> tuple[float, ...]:
    """Bergmann and Hommel's procedure over all exhaustive sets, up to 10 models.

    "monotone" also makes the adjusted values rise with the p-values, which rejects a little less.
    """
    check_choice(variant, ("definition", "monotone"), "variant")
    p = checked_p_values(p_values)
    first, second, k = _pair_indices(p.size, pairs)
    _check_few(k, "bergmann_hommel", "shaffer")
    members = exhaustive_sets(k, first, second)
    scores = members.sum(axis=1) * np.where(members, p, 2.0).min(axis=1)
    adjusted = np.where(members, scores[:, None], 0.0).max(axis=0)
    if variant == "monotone":
        order = np.argsort(p, kind="stable")
        adjusted[order] = step_down(adjusted[order])
    return _shown(adjusted, p)


def _single(
    reference: str, *, formula: str, assumes: tuple[str, ...] = (), **facts: Any
) -> Callable[[Function], Function]:
    """The facts that the named adjustments share."""
    return method(
        question="Which of many p-values stay significant after correction for multiple tests?",
        takes="p-values",
        gives="adjustment",
        unit=("item", "fold", "seed", "dataset"),
        assumes=(_VALID, *assumes),
        reference=reference,
        requirement="T10",
        formula=formula,
        **facts,
    )


@_single(
    "dunn1961",
    formula="adjusted = m · p",
    same_as='R: p.adjust({p_values}, "bonferroni")',
    name="Bonferroni",
)
def bonferroni(p_values: PValues) -> tuple[float, ...]:
    """Every p-value times their number."""
    return adjust(p_values, method="bonferroni")


@_single(
    "sidak1967",
    formula="adjusted = 1 - (1 - p)^m",
    same_as="R: 1 - (1 - {p_values})^{m}",
    assumes=(_INDEPENDENT,),
    name="Sidak",
)
def sidak(p_values: PValues) -> tuple[float, ...]:
    """The chance that the smallest of m uniform p-values is as small."""
    return adjust(p_values, method="sidak")


@_single(
    "holm1979",
    formula="adjusted_i = max over j <= i of (m - j + 1) · p_j",
    same_as='R: p.adjust({p_values}, "holm")',
    name="Holm",
)
def holm(p_values: PValues) -> tuple[float, ...]:
    """Step-down Bonferroni: never worse than Bonferroni and as generally valid."""
    return adjust(p_values, method="holm")


@_single(
    "hochberg1988",
    formula="adjusted_i = min over j >= i of (m - j + 1) · p_j",
    same_as='R: p.adjust({p_values}, "hochberg")',
    assumes=(_INDEPENDENT,),
    name="Hochberg",
)
def hochberg(p_values: PValues) -> tuple[float, ...]:
    """Step-up with Holm's constants."""
    return adjust(p_values, method="hochberg")


@_single(
    "hommel1988",
    formula="closed testing with Simes' test",
    same_as='R: p.adjust({p_values}, "hommel")',
    assumes=(_INDEPENDENT,),
    name="Hommel",
)
def hommel(p_values: PValues) -> tuple[float, ...]:
    """Closed testing with Simes' test: rejects all that Hochberg does, and more."""
    return adjust(p_values, method="hommel")


@_single(
    "holland1987",
    formula="adjusted_i = max over j <= i of 1 - (1 - p_j)^(m - j + 1)",
    same_as="R: scmamp::adjustHolland({p_values})",
    assumes=(_INDEPENDENT,),
    name="Holland",
)
def holland(p_values: PValues) -> tuple[float, ...]:
    """Holm's step-down with Sidak's constants (also called Holm-Sidak)."""
    return adjust(p_values, method="holland")


@_single(
    "finner1993",
    formula="adjusted_i = max over j <= i of 1 - (1 - p_j)^(m / j)",
    same_as="R: scmamp::adjustFinner({p_values})",
    assumes=(_INDEPENDENT,),
    name="Finner",
)
def finner(p_values: PValues) -> tuple[float, ...]:
    """Finner's step-down, sharper than Holland's for the later steps."""
    return adjust(p_values, method="finner")


@_single(
    "li2008",
    formula="adjusted_i = p_i / (p_i + 1 - p_max)",
    same_as="R: scmamp::adjustLi({p_values})",
    assumes=(_INDEPENDENT,),
)
def li(p_values: PValues) -> tuple[float, ...]:
    """Li's two-step rule: strong only where the largest p-value is well below 1."""
    return adjust(p_values, method="li")


@_single(
    "rom1990",
    formula="adjusted_i = min over j >= i of the alpha whose constant for m - j + 1 is p_j",
    assumes=(_INDEPENDENT,),
    name="Rom",
)
def rom(p_values: PValues) -> tuple[float, ...]:
    """Hochberg with the sharpest constants that independence allows."""
    return adjust(p_values, method="rom")


@_single(
    "benjamini1995",
    formula="adjusted_i = min over j >= i of m · p_j / j",
    same_as='R: p.adjust({p_values}, "BH")',
    assumes=(_INDEPENDENT,),
    name="Benjamini-Hochberg",
)
def benjamini_hochberg(p_values: PValues) -> tuple[float, ...]:
    """Bounds the expected share of false claims, not the chance of any."""
    return adjust(p_values, method="bh")


@_single(
    "benjamini2001",
    formula="adjusted_i = min over j >= i of m · (1 + 1/2 + … + 1/m) · p_j / j",
    same_as='R: p.adjust({p_values}, "BY")',
    name="Benjamini-Yekutieli",
)
def benjamini_yekutieli(p_values: PValues) -> tuple[float, ...]:
    """Bounds the expected share of false claims under any dependence."""
    return adjust(p_values, method="by")


def checked_p_values(p_values: PValues) -> FloatArray:
    """P-values between 0 and 1 as an array; the undefined ones are refused by name."""
    by_name = p_values if isinstance(p_values, Mapping) else {}
    p = as_floats(
        list(by_name.values()) if by_name else p_values, "p-values", meant="numbers between 0 and 1"
    )
    if p.ndim != 1:
        raise EvidenceError(f"p-values must be one list of numbers; got shape {p.shape}")
    if not p.size:
        raise EvidenceError("adjusting needs at least one p-value; got none")
    names = [*map(str, by_name)] or [f"number {place + 1}" for place in range(p.size)]
    if np.isnan(p).any():
        raise EvidenceError(
            f"p-values without a value: {_some(names, np.isnan(p))}; leave these questions out of "
            "the family, or count each as p = 1 and say so"
        )
    outside = (p < 0.0) | (p > 1.0)
    if outside.any():
        raise EvidenceError(f"p-values lie between 0 and 1; outside: {_some(names, outside)}")
    return p


def _some(names: list[str], chosen: BoolArray, most: int = 5) -> str:
    found = [names[place] for place in np.flatnonzero(chosen)]
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def _pair_indices(m: int, pairs: Pairs) -> tuple[IntArray, IntArray, int]:
    """For each p-value the two models it compares, as indices; all pairs must be there."""
    k = models_of_pairs(m)
    if k is None:
        raise EvidenceError(
            f"{m} p-values are not all pairs of k models (1, 3, 6, 10, 15 …); use holm"
        )
    if pairs is None or isinstance(pairs, int | np.integer):
        if pairs is not None and pairs != k:
            raise EvidenceError(
                f"{pairs} models have {pairs * (pairs - 1) // 2} pairs; got {m} p-values"
            )
        first, second = np.triu_indices(k, 1)
        return first, second, k
    try:
        names = list(dict.fromkeys(name for pair in pairs for name in pair))
        distinct = {frozenset(pair) for pair in pairs if len(set(pair)) == 2}
    except TypeError:
        raise UsageError(
            f"pairs are the two models of each p-value, or how many models there are; got {pairs!r}"
        ) from None
    index = {name: place for place, name in enumerate(names)}
    if not len(pairs) == len(distinct) == m or len(names) != k:
        raise EvidenceError(
            f"this adjustment needs every pair of the models once; got {len(pairs)} pairs of "
            f"{len(names)} models and {m} p-values. For another family use holm"
        )
    return np.array([index[a] for a, _ in pairs]), np.array([index[b] for _, b in pairs]), k


def _check_few(k: int, what: str, instead: str) -> None:
    if k > MOST_MODELS:
        raise NotApplicable(
            f"{what} goes through all partitions of the models, which is feasible up to "
            f"{MOST_MODELS} models; got {k}: use {instead}"
        )


def _dynamic_counts(members: BoolArray) -> FloatArray:
    """How many hypotheses can still be true when all before step i are false; columns by p."""
    # a set is out as soon as a hypothesis in it has been rejected
    first_member = np.where(members.any(axis=1), members.argmax(axis=1), members.shape[1])
    best = np.zeros(members.shape[1] + 1)
    np.maximum.at(best, first_member, members.sum(axis=1))
    return np.maximum.accumulate(best[::-1])[::-1][:-1]


def _shown(adjusted: FloatArray, p: FloatArray) -> tuple[float, ...]:
    return tuple(np.clip(adjusted, p, 1.0).tolist())
