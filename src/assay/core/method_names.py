"""How methods are named in figures, reports and sentences: as their records say."""

from assay.core.formatting import clean
from assay.core.methods import record_of

_SPELLED = {"auc": "AUC", "bca": "BCa", "roc": "ROC", "welch": "Welch"}
"""Words of variants and of ways to an interval that have a spelling of their own."""


def method_name(method: str) -> str:
    """The name of a method as it is written in prose: ``clopper_pearson`` is Clopper-Pearson.

    What is said of its variant stays behind it; the name of no method (a way to an interval) is its words.
    """
    record = record_of(method)
    base, bracket, variant = method.partition(" (")
    name = _words(base) if record is None else record.name
    return f"{name}{bracket}{_words(variant.removesuffix(')'))}{')' if bracket else ''}"


def _words(text: str) -> str:
    words = clean(text).replace("_", " ").split(" ")
    return " ".join(_SPELLED.get(word, word) for word in words)


def method_title(method: str) -> str:
    """The name of a method as a label: ``paired_t`` is Paired t."""
    name = method_name(method)
    return f"{name[:1].upper()}{name[1:]}"
