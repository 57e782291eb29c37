"""What methods are called in sentences: McNemar's test, Tango's interval, Holm's correction."""

import math

from assay.core.method_names import method_name
from assay.core.methods import record_of
from assay.core.results import Estimate, TestOutcome

_WAYS = {"smoothing": "smoothed-count", "auc_difference_interval": "DeLong"}
"""Ways to an interval that are no methods of the catalogue."""


def named_test(method: str) -> str:
    """A test with its noun: McNemar's test."""
    record = record_of(method)
    if record is None:
        return f"{method_name(method)} test"
    variant = record.variants.get(method.removeprefix(f"{record.id} (").removesuffix(")"))
    return record.title if variant is None else f"{record.title} ({variant})"


def named_outcome(outcome: TestOutcome) -> str:
    """The test of an outcome; one that follows the skewness of the values says so."""
    return f"{_adapted(outcome.effect)}{named_test(outcome.method)}"


def by_test(method: str) -> str:
    """A test as it stands after *by*: McNemar's test, the paired t test, Wilcoxon signed-rank tests."""
    title = named_test(method)
    first = title.split(" ", 1)[0]
    bare = first.endswith(("'s", "’s")) or title.split(" (")[0].split(",")[0].endswith("tests")
    return title if bare else f"the {title}"


def named_interval(method: str) -> str:
    """What an interval is called before its noun: Tango, Clopper-Pearson, t."""
    if method in _WAYS:
        return _WAYS[method]
    record = record_of(method)
    return method_name(method).removesuffix(" interval") if record is None else record.interval


def interval_of(estimate: Estimate) -> str:
    """The interval of an estimate, before its noun; a t interval that follows skewness says so."""
    method = estimate.method if estimate.interval is None else estimate.interval.method
    return f"{_adapted(estimate)}{named_interval(method)}"


def interval_method_of(estimate: Estimate) -> str:
    """The method of its interval by its full name, as tables have it."""
    method = estimate.method if estimate.interval is None else estimate.interval.method
    return f"{_adapted(estimate)}{method_name(method)}"


def _adapted(estimate: Estimate) -> str:
    interval, value = estimate.interval, estimate.value
    record = None if interval is None else record_of(interval.method)
    if interval is None or value is None or record is None or not record.symmetric:
        return ""
    above, below = interval.high - value, value - interval.low
    symmetric = math.isclose(above, below, rel_tol=1e-6) or not math.isfinite(interval.width)
    return "" if symmetric or interval.alternative != "two-sided" else "skewness-adjusted "
