"""`assay.compare`: evidence in, one decision object out."""

from collections.abc import Callable, Mapping
from typing import Any, overload

from assay.compare.choose import choose
from assay.compare.comparison_result import comparison_of
from assay.compare.design import Design, read_design
from assay.compare.estimators import are_estimators, is_model, refuse_mixed, refuse_reading, trained
from assay.compare.findings import Settings
from assay.compare.fold_scores import scored_by_fold
from assay.core.checks import check_level, check_margin, many_names
from assay.core.errors import UsageError
from assay.core.methods import find_method
from assay.core.results import Comparison, Comparisons
from assay.core.rng import Rng, seed_of
from assay.core.vocabulary import Unit
from assay.evidence.judged_items import Judged
from assay.evidence.reading import Evidence, offers_evidence, read_any
from assay.evidence.scores import NoScores
from assay.measures.registry import Measure, registered_name

OneMeasure = str | Measure | Callable[..., float] | None
Measures = list[Any] | tuple[Any, ...]


@overload
def compare(
    evidence: Any,
    *more: Any,
    measure: OneMeasure = None,
    baseline: str | None = None,
    against: float | str | None = None,
    margin: float | None = None,
    unit: Unit | None = None,
    missing: str = "refuse",
    lower_is_better: bool | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
    sequential: bool = False,
    bound: float | None = None,
    max_loss: float | None = None,
    cv: Any = None,
    fits: int | None = None,
    slice: None = None,
    **reading: Any,
) -> Comparison: ...
@overload
def compare(
    evidence: Any,
    *more: Any,
    measure: Measures,
    baseline: str | None = None,
    against: float | str | None = None,
    margin: float | Mapping[str, float] | None = None,
    unit: Unit | None = None,
    missing: str = "refuse",
    lower_is_better: bool | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
    sequential: bool = False,
    bound: float | None = None,
    max_loss: float | None = None,
    cv: Any = None,
    fits: int | None = None,
    slice: str | None = None,
    **reading: Any,
) -> Comparisons: ...
@overload
def compare(
    evidence: Any,
    *more: Any,
    measure: OneMeasure | Measures = None,
    baseline: str | None = None,
    against: float | str | None = None,
    margin: float | Mapping[str, float] | None = None,
    unit: Unit | None = None,
    missing: str = "refuse",
    lower_is_better: bool | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
    sequential: bool = False,
    bound: float | None = None,
    max_loss: float | None = None,
    cv: Any = None,
    fits: int | None = None,
    slice: str,
    **reading: Any,
) -> Comparisons: ...


@many_names
def compare(
    evidence: Any,
    *more: Any,
    measure: OneMeasure | Measures = None,
    baseline: str | None = None,
    against: float | str | None = None,
    margin: float | Mapping[str, float] | None = None,
    unit: Unit | None = None,
    missing: str = "refuse",
    lower_is_better: bool | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
    sequential: bool = False,
    bound: float | None = None,
    max_loss: float | None = None,
    cv: Any = None,
    fits: int | None = None,
    slice: Any = None,  # noqa: A002 (the word of the command line)
    **reading: Any,
) -> Comparison | Comparisons:
    """Compare models and end in a verdict: better, worse, equivalent or undecided.

    ``evidence`` is what `assay.read` takes, and ``reading`` are its options (truth, models, id,
    positive, cluster, where …). A list of measures, or ``slice``, gives `Comparisons`: all
    measures, slices and pairs are decided together. Differences are model minus baseline. Without
    a ``margin`` no models are called *equivalent*. ``sequential`` takes items in the order of the
    evidence, and the verdict may be looked at after every one.

    Estimators may stand in place of evidence, ``compare({"lr": …, "tree": …}, X, y)``. Each is
    trained on the same splits of the data: ``fits`` times (by default 50, ten repeats of five
    folds, see docs/folds.md), or as ``cv`` says; items of one of ``groups`` stay together. The
    answer then applies to the algorithms at that training size.

    Examples
    --------
    >>> import assay
    >>> truth = [1, 1, 0, 0, 1, 0, 1, 0] * 25
    >>> a = truth[:190] + [0] * 10
    >>> b = truth[:150] + [1] * 50
    >>> assay.compare({"truth": truth, "a": a, "b": b}).verdict.word
    'better'
    """
    settings = Settings(
        level=check_level(level), n_resamples=n_resamples, seed=seed_of(rng), bound=bound
    )
    named = list(measure) if isinstance(measure, list | tuple) else [measure]
    trains = isinstance(evidence, Mapping | list | tuple) and are_estimators(evidence)
    if trains:
        more = (*more, *(reading.pop(name) for name in ("X", "y") if name in reading))
        groups = reading.pop("groups", reading.pop("cluster", None))
        refuse_reading(reading)
        splits = {"cv": cv, "fits": fits, "seed": settings.seed or 0, "groups": groups}
        evidence, more = trained(evidence, more, measures=named, **splits), ()
    elif any(is_model(one) and not hasattr(one, "cv_results_") for one in (evidence, *more)):
        raise UsageError("give estimators in a mapping: compare({'lr': …, 'tree': …}, X, y)")
    elif isinstance(evidence, Mapping) and (len(more) == 2 or cv is not None or fits is not None):
        refuse_mixed(evidence)
    if not trains and (cv is not None or fits is not None):
        raise UsageError(
            "cv= and fits= train estimators: compare({'lr': …, 'tree': …}, X, y, cv=10)"
        )
    lone = named[0] if len(named) == 1 and isinstance(named[0], str) else None
    told: dict[str, Any] = {"lower_is_better": lower_is_better, "missing": missing}
    return compare_read(
        read_over(unit, evidence, *more, measure=lone, slice=slice, **told, **reading),
        settings,
        measure=measure,
        unit=unit,
        slice=slice if isinstance(slice, str | None) else "slice given",  # by values, as a column
        baseline=baseline,
        against=against,
        margin=margin,
        sequential=sequential,
        max_loss=max_loss,
        **told,
    )


def read_over(unit: str | None, *sources: Any, **options: Any) -> Evidence | Judged:
    """What `assay.read` gives; over folds also predictions, to be scored by fold afterwards."""
    if options.get("measure") and len(sources) == 1 and offers_evidence(sources[0]):
        # a study keeps scores under the names of the registry, whatever was typed
        options["measure"] = registered_name(options["measure"])
    try:
        return read_any(*sources, unit=unit, **options)
    except NoScores:
        if unit != "fold":
            raise
        return read_any(*sources, **options)


def compare_read(
    observed: Evidence | Judged,
    settings: Settings,
    *,
    measure: OneMeasure | Measures,
    unit: str | None,
    slice: str | None,  # noqa: A002 (the word of the command line)
    margin: float | Mapping[str, float] | None,
    sequential: bool,
    max_loss: float | None,
    **asked: Any,
) -> Comparison | Comparisons:
    """The comparison of evidence that was read with the same options."""
    named = list(measure) if isinstance(measure, list | tuple) else [measure]
    bound = settings.bound
    if isinstance(observed, Judged):
        refused = {"slice": slice, "sequential": sequential or None}
        asked.pop("missing")
        return _with_a_judge(observed, settings, named, margin, refused, **asked)
    of_items = (
        sequential or bound is not None or max_loss is not None or asked["against"] == "chance"
    )
    folded = unit is None and slice is None and "fold" in getattr(observed, "roles", ())
    if unit == "fold" or (folded and not of_items):
        observed, named = scored_by_fold(observed, named, asked=unit == "fold")
    if slice is not None or isinstance(measure, list | tuple) or isinstance(margin, Mapping):
        _refuse_of_several(sequential=sequential, bounds=(bound, max_loss))
        from assay.compare.several_measures import compare_together

        return compare_together(observed, named, settings, margin=margin, sliced_by=slice, **asked)
    design = read_design(
        observed, measure=named[0], margin=check_margin(margin), max_loss=max_loss, **asked
    )
    if sequential:
        from assay.compare.sequential import compare_sequentially

        return compare_sequentially(design, settings, bound=bound)
    rule, choice = choose(design)
    if bound is not None:
        _check_bound(design, choice.method)
    return comparison_of(design, choice, rule.run(design, settings), settings)


def _check_bound(design: Design, method: str) -> None:
    dependent = design.kind == "pair" and design.dependent
    heeded = design.of_means and (dependent or (design.kind == "many" and design.unit == "item"))
    if not heeded and "bound" not in find_method(method).parameters:
        raise UsageError(
            "bound= is for means of losses of models on the same items; here "
            f"{method} decides: leave it out"
        )


def _refuse_of_several(*, sequential: bool, bounds: tuple[float | None, ...]) -> None:
    """Several measures or slices are decided together, once, and without bounds of their losses."""
    if sequential:
        raise UsageError(
            "a sequential comparison is of one measure on all items: ask for one measure and no slice"
        )
    if any(bound is not None for bound in bounds):
        raise UsageError("bound= and max_loss= are of one measure: ask for one, without slice=")


def _with_a_judge(
    judged: Judged,
    settings: Settings,
    measures: list[Any],
    margin: Any,
    refused: Mapping[str, Any],
    **asked: Any,
) -> Comparison:
    """The comparison of evidence in which a judge graded all items and people some."""
    from assay.compare.judge_comparison import compare_judged

    unfit = next((name for name, value in refused.items() if value is not None), None)
    if unfit is not None:
        raise UsageError(f"{unfit}= does not go with a judge: leave it out (--{unfit})")
    if len(measures) > 1 or isinstance(margin, Mapping):
        raise UsageError("with a judge, compare in one measure at a time")
    return compare_judged(
        judged, settings, measure=measures[0], margin=check_margin(margin), **asked
    )
