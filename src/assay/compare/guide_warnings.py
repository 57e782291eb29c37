"""What is refused or warned about, by the design of the evidence."""

from collections.abc import Callable, Mapping

from assay.compare.design import Design

Applies = Callable[[Design], bool]

WARNINGS: tuple[tuple[Applies, str], ...] = (
    (
        lambda d: d.kind == "level" and d.unit == "item",
        "the normal approximation where N p or N (1 - p) is below 5",
    ),
    (
        lambda d: d.unit == "item" and d.kind == "pair" and _is_outcome(d) and not d.dependent,
        "two_proportions_z, which ignores the pairing: shown with that remark",
    ),
    (
        lambda d: d.unit == "item" and d.kind == "pair" and not _is_outcome(d),
        "McNemar's test: it compares accuracies, not {measure}",
    ),
    (lambda d: d.kind == "independent", "pairing the rows of two files by position"),
    (
        lambda d: d.baseline is not None,
        "a baseline chosen after looking at the results: that is a comparison of all pairs",
    ),
    (lambda d: d.clustered, "tests that assume independent items: exact tests, McNemar's test"),
    (lambda d: d.weighted, "exact tests, which cannot use weights"),
    (
        lambda d: d.unit == "fold" and d.kind != "many",
        "the naive t test over folds, above all over repeated ones: shown with that remark",
    ),
    (lambda d: d.unit == "fold", "the AUC of scores pooled over folds"),
    (
        lambda d: d.unit == "fold" and d.kind == "many",
        "folds taken as independent blocks (Friedman test): shown with that remark",
    ),
    (lambda d: d.unit == "seed", "so few runs that no outcome could reach α"),
    (
        lambda d: d.unit == "dataset",
        "missing scores, unless you say what to do with them (--missing)",
    ),
    (lambda d: d.unit == "dataset", "so few data sets that no outcome could reach α"),
    (
        lambda d: d.unit == "dataset" and d.kind == "many",
        "a critical-difference diagram whose bars contradict the tests",
    ),
)
"""Each with the designs it belongs to."""

OF_ESTIMATES = {
    "predictions": ("Wald's interval, whose width is zero at no errors",),
    "folds": ("the standard deviation of the folds divided by √k as if they were independent",),
    "seeds": ("the standard deviation read as if it were the uncertainty of the mean",),
    "datasets": ("the standard deviation read as if it were the uncertainty of the mean",),
}


def refused_of(design: Design | None, settled: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The warnings that belong to a design, or to an estimate where there is no comparison."""
    if design is None:
        return OF_ESTIMATES.get((settled or {}).get("have", ""), ())
    return tuple(
        text.format(measure=design.measure.called) for applies, text in WARNINGS if applies(design)
    )


def _is_outcome(design: Design) -> bool:
    return design.measure.counts is not None
