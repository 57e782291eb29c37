"""The numbers of an answer under the names that formulas and the lines of other programs use."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.methods import Method
from assay.core.results import Details, Estimate, FamilyOutcome, Scalar, TestOutcome

_EVIDENCE: dict[str, tuple[str, ...]] = {
    "counts": ("errors", "n"),
    "two-counts": ("errors_a", "n_a", "errors_b", "n_b"),
    "paired-table": ("both_right", "only_a", "only_b", "both_wrong"),
    "scored-labels": ("truth", "scores"),
    "paired-scored-labels": ("truth", "scores_a", "scores_b"),
    "confusion": ("table",),
}
"""Names of evidence that a method takes as ``*evidence``; others are named by its parameters."""

_OTHER_WAYS = ("variant", "method", "zeros", "correct", "ties", "center", "adjustment")
"""Options that change the answer and that the line of another program may not know."""


def named_evidence(method: Method, evidence: Sequence[Any]) -> dict[str, Any]:
    """The evidence under its names; nothing where it is evidence of predictions."""
    names = _EVIDENCE.get(method.takes) or tuple(
        one.name for one in _parameters(method) if one.kind is one.POSITIONAL_OR_KEYWORD
    )
    in_pairs = method.takes.endswith("pairs")
    if len(evidence) == 1 and len(names) > 1 and not in_pairs:
        return {}  # its counts are in the details
    known = dict(zip(names, evidence, strict=False))
    if in_pairs and len(evidence) == 1 and len(names) > 1:  # differences alone
        known[names[1]] = np.zeros_like(np.asarray(evidence[0], dtype=float))
    if method.takes == "groups" and evidence and not isinstance(evidence[0], Mapping):
        known["groups"] = {f"g{place}": one for place, one in enumerate(evidence[0], start=1)}
    return known


def described(method: Method, known: Mapping[str, Any]) -> dict[str, Scalar]:
    """Sizes, means and variances that formulas name and results need not repeat."""
    values = list(known.values())
    if method.takes == "p-values" and values:
        return {"m": len(np.atleast_1d(values[0]))}
    if method.takes == "two-samples":
        return _of_samples([np.asarray(one, dtype=float) for one in values])
    if method.takes == "criteria-pairs" and values:
        rows = [np.atleast_2d(np.asarray(one)) for one in values]
        found: dict[str, Scalar] = {"units": len(rows[0]), "criteria": rows[0].shape[1]}
        return found | {f"n_{name}": len(one) for name, one in zip("ab", rows, strict=False)}
    return {}


def asked(method: Method, options: Mapping[str, Any], result: Any) -> dict[str, Any]:
    """Options as they were, defaults included."""
    given = {one.name: one.default for one in _parameters(method) if _is_option(one)} | {**options}
    found = {name: value for name, value in given.items() if value is not None}
    effect = getattr(result, "effect", result)
    if getattr(effect, "interval", None) is not None:
        found["level"] = effect.interval.level
    if isinstance(result, TestOutcome):
        found |= {"alternative": result.alternative, "null": result.null}
        # a comparison tells in accuracies what the method says about errors
        if method.takes == "counts" and result.effect.measure == "accuracy":
            found["null"] = 1.0 - result.null
    return found


def other_ways(method: Method, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that make this answer another one than the default line's."""
    defaults = {one.name: one.default for one in _parameters(method) if _is_option(one)}
    return {
        name: options[name]
        for name in _OTHER_WAYS
        if name in options and options[name] not in (None, defaults.get(name))
    }


def names_of(method: Method, result: Any) -> dict[str, Scalar]:
    """Every number of a result under its name: its own details before those of its effect."""
    names: dict[str, Scalar] = {}
    for part in (getattr(result, "effect", None), result):
        if isinstance(part, Estimate):
            names |= {"value": part.value, "standard_error": part.standard_error}
            names |= {part.measure: part.value, "n": part.n, "N": part.n}
        names |= numbers_of(part)
    for suffix in ("", "_a", "_b"):
        share, n = names.get(f"p{suffix}"), names.get(f"n{suffix}")
        if f"errors{suffix}" not in names and isinstance(share, float) and isinstance(n, int):
            names[f"errors{suffix}"] = round(share * n)
    if isinstance(result, TestOutcome):
        symbol = (method.formula or "").split(" = ", 1)[0]
        if symbol == "p":
            names["p"] = result.p_value
        elif symbol.isidentifier() and symbol not in dict(result.details):
            names[symbol] = result.statistic
    return names


def numbers_of(part: Any) -> dict[str, Scalar]:
    """The details that are numbers."""
    found: Details = getattr(part, "details", ())
    return {name: value for name, value in found if is_number(value)}


def names_of_pair(
    family: FamilyOutcome, pair: tuple[str, str], known: Mapping[str, Any]
) -> dict[str, Scalar]:
    """What the two models of a pair have: mean ranks, sizes, and what the family shares."""
    names = numbers_of(family)
    shared = {**(numbers_of(family.omnibus) if family.omnibus else {}), **names}
    sizes = _group_sizes(family, known)
    for place, model in zip("ab", pair, strict=True):
        if f"mean rank: {model}" in shared:
            names[f"rank_{place}"] = shared[f"mean rank: {model}"]
        if model in sizes:
            names[f"n_{place}"] = sizes[model]
    if "rank_b" in names:
        names["rank_control"] = names["rank_b"]
    return names


def is_number(value: Any) -> bool:
    kinds = (int, float, np.integer, np.floating)
    return isinstance(value, kinds) and not isinstance(value, bool)


def _parameters(method: Method) -> list[inspect.Parameter]:
    return list(inspect.signature(method.function).parameters.values())


def _is_option(parameter: inspect.Parameter) -> bool:
    return parameter.kind is parameter.KEYWORD_ONLY and parameter.default is not parameter.empty


def _of_samples(samples: Sequence[Any]) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    for name, values in zip("ab", samples, strict=False):
        found |= {f"mean_{name}": float(values.mean()), f"n_{name}": int(values.size)}
        if values.size > 1:
            found[f"var_{name}"] = float(values.var(ddof=1))
    return found


def _group_sizes(family: FamilyOutcome, known: Mapping[str, Any]) -> dict[str, int]:
    groups = known.get("groups")
    if not isinstance(groups, Mapping) or len(groups) != len(family.models):
        return {}
    return {model: len(one) for model, one in zip(family.models, groups.values(), strict=True)}
