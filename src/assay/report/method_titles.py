"""What methods are called in sentences: McNemar's test, Tango's interval, Holm's correction."""

from assay.core.method_names import method_name
from assay.core.methods import record_of


def named_test(method: str) -> str:
    """A test with its noun: McNemar's test."""
    record = record_of(method)
    return f"{method_name(method)} test" if record is None else record.title


def by_test(method: str) -> str:
    """A test as it stands after *by*: McNemar's test, the paired t test, Wilcoxon signed-rank tests."""
    title = named_test(method)
    first = title.split(" ", 1)[0]
    bare = first.endswith(("'s", "’s")) or title.split(" (")[0].split(",")[0].endswith("tests")
    return title if bare else f"the {title}"


def named_interval(method: str) -> str:
    """What an interval is called before its noun: Tango, Clopper-Pearson, t."""
    if method == "smoothing":
        return "smoothed-count"
    record = record_of(method)
    return method_name(method).removesuffix(" interval") if record is None else record.interval
