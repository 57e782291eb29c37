"""Evidence of any kind turned into the arguments that a method takes, or refused with the reason.

Each shape of `Takes` has one function; what it accepts is told in `docs/commands.md`.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.methods import Method
from assay.core.notes import Note, note
from assay.core.questions import AmbiguousEvidence, Question
from assay.evidence.from_items import ITEMS
from assay.evidence.from_numbers import NUMBERS
from assay.evidence.from_raters import RATERS, listed
from assay.evidence.from_scores import SCORES
from assay.evidence.given import Asked, Given, stands_for_evidence
from assay.evidence.predictions import Predictions
from assay.evidence.refusals import Arguments, needed
from assay.evidence.scores import Scores

SHAPES: dict[str, Callable[[Method, Sequence[Given]], Arguments]] = {
    **ITEMS, **SCORES, **NUMBERS, **RATERS,
}  # fmt: skip
"""How sources become the arguments of each shape."""

NAMED = {"groups", "many-runs", "runs", "blocks", "p-values", "ranks", "criteria-groups"}
"""Shapes whose functions take a mapping of names to numbers themselves."""

_SEVERAL = {"two-counts", "two-samples", "runs", "two-scored-labels", "two-predictions"}
"""Shapes that may come in two files."""


_DESIGN = {"folds", "test_share", "n_test", "n_train"}
"""Options of which one says how the data were split."""


WITH_CLUSTERS = {
    "model-predictions", "predictions", "two-predictions", "clustered-sample", "clustered-pairs",
}  # fmt: skip
"""Shapes that carry clusters along."""

_INSTEAD = {
    "counts": "cluster_mean",
    "paired-table": "cluster_difference",
    "scored-labels": "cluster_auc",
}
"""Which method takes the clusters in, by shape."""

Call = tuple[tuple[Any, ...], dict[str, Any], tuple[Note, ...]]
"""The arguments of a call, its options, and what the method will not see of the evidence."""


def arguments_of(
    method: Method, sources: Sequence[Any], asked: Asked, options: Mapping[str, Any] | None = None
) -> Call:
    """The positional arguments of a method from its sources, its options, and notes on both.

    What the sources tell of themselves (their unit, their folds) is among the options, unless
    ``options`` say otherwise.
    """
    said = dict(options or {})
    if len(sources) > 1 and method.takes not in _SEVERAL:
        raise UsageError(f"{method.id} takes one table, got {len(sources)}")
    if len(sources) > 2:
        raise UsageError(f"{method.id} takes two tables at most, got {len(sources)}")
    try:
        opened = map(listed, sources) if method.takes in RATERS else sources
        given = [Given.of(source, asked) for source in opened]
        positional, told = SHAPES[method.takes](method, given)
        told = {**_spoken(method, given[0]), **told}
    except AmbiguousEvidence as error:
        needs = Question(code="method", text=needed(method), answers=())
        raise AmbiguousEvidence(
            [*map(_by_columns, error.questions), needs], error.reading
        ) from None
    except (EvidenceError, UsageError) as error:
        if isinstance(error, NotApplicable):
            raise
        raise type(error)(f"{error}. {needed(method)}") from None
    if _DESIGN & set(said):
        told = {name: value for name, value in told.items() if name not in _DESIGN}
    return positional, {**told, **said}, _ignored(method, given)


def _by_columns(question: Question) -> Question:
    """A question about models, answered by the option that chooses the columns of a method."""
    answers = tuple(
        replace(answer, option=answer.option.replace("--models ", "--columns ", 1))
        for answer in question.answers
        if not (question.code == "models" and answer.option.startswith("--ignore"))
    )
    return replace(question, answers=answers)


def _ignored(method: Method, given: Sequence[Given]) -> tuple[Note, ...]:
    """That items come in clusters, where the method takes them as independent."""
    sees = method.takes in WITH_CLUSTERS or method.id == "cluster_auc"
    if sees or not any(one.clustered for one in given):
        return ()
    instead = _INSTEAD.get(method.takes, "assay compare, which resamples whole clusters,")
    return (note("clusters-ignored", method=method.id, instead=instead),)


def converted(method: Method, positional: Sequence[Any], options: Mapping[str, Any]) -> Call:
    """The arguments of a call in Python: evidence among them becomes numbers, the rest stays."""
    if method.takes == "predictions" and [type(value) for value in positional] == [Predictions]:
        return tuple(positional), dict(options), ()  # as it is
    if not all(map(stands_for_evidence, positional)):
        return tuple(positional), dict(options), ()  # numbers, or the method says what is wrong
    if not any(_must_be_read(method, value) for value in positional):
        return tuple(positional), dict(options), ()
    return arguments_of(method, positional, Asked(), options)


def _must_be_read(method: Method, value: Any) -> bool:
    """A mapping of names is as good as numbers to some methods."""
    by_name = method.takes in NAMED or (method.takes, method.family) == ("sample", "runs")
    if not (by_name and isinstance(value, Mapping)):
        return True
    from assay.evidence.names import looks_like_scores

    return looks_like_scores([str(name) for name in value])


def _spoken(method: Method, given: Given) -> dict[str, Any]:
    """What scores tell of themselves: their unit, and how the data were split."""
    if method.takes not in SCORES or given.kind != "scores":
        return {}
    accepted = inspect.signature(method.function).parameters
    found = given.read()
    if not isinstance(found, Scores):
        return {}
    told: dict[str, Any] = {"unit": found.unit} if "unit" in accepted else {}
    if "test_share" in accepted and found.unit == "fold" and found.datasets == ("",):
        sizes = found.sizes()
        if sizes is not None:
            told |= {"n_test": sizes[0], "n_train": sizes[1]}
        elif found.n == found.folds * found.repeats and found.folds > 1:
            told |= {"folds": found.folds}
    return told
