"""Evidence of any kind turned into the arguments that a method takes, or refused with the reason.

Each shape of `Takes` has one record (`argument_shapes`); what it accepts is told in
`docs/commands.md`.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.methods import Method
from assay.core.notes import Note, note
from assay.core.questions import AmbiguousEvidence, Question
from assay.evidence.argument_shapes import SHAPES, Arguments, ArgumentShape
from assay.evidence.method_source import (
    MethodSource,
    SourceOptions,
    is_source,
    offers_evidence,
)
from assay.evidence.names import looks_like_scores
from assay.evidence.predictions import Predictions

FAMILIES = ("items", "scores", "numbers", "judgements")
"""What the modules make arguments of that hold shapes."""

for family in FAMILIES:
    import_module(f"assay.evidence.arguments_from_{family}")

_SPLIT = {"folds", "test_share", "n_test", "n_train"}
"""Options of which one says how the data were split."""

Call = tuple[Arguments, dict[str, Any], tuple[Note, ...]]
"""The arguments of a call, its options, and what the method will not see of the evidence."""


def arguments_of(
    method: Method,
    sources: Sequence[Any],
    said: SourceOptions,
    options: Mapping[str, Any] | None = None,
    *,
    compared: Callable[[list[str]], None] | None = None,
) -> Call:
    """The positional arguments of a method from its sources, its options, and notes on both.

    What the sources tell of themselves (their unit, their folds) is among the options, unless
    ``options`` say otherwise. ``compared`` hears which models or columns were taken.
    """
    shape, given = SHAPES[method.takes], dict(options or {})
    if len(sources) > 1 and shape.part is None:
        raise UsageError(f"{method.id} takes one table, got {len(sources)}")
    if len(sources) > 2:
        raise UsageError(f"{method.id} takes two tables at most, got {len(sources)}")
    try:
        several = len(sources) > 1
        opened = [MethodSource.of(source, method, said, part=several) for source in sources]
        make = shape.part if several and shape.part else shape.make
        arguments = tuple(argument for source in opened for argument in make(source))
    except NotApplicable:
        raise
    except AmbiguousEvidence as error:
        needs = Question(code="method", text=shape.needed(method), answers=())
        questions = [*map(_by_columns, error.questions), needs]
        raise AmbiguousEvidence(questions, error.reading) from None
    except (EvidenceError, UsageError) as error:
        raise type(error)(f"{error.for_both}. {shape.needed(method)}") from None
    if compared is not None:
        compared([name for source in opened for name in source.compared])
    told = opened[0].told
    if _SPLIT & set(given):
        told = {name: value for name, value in told.items() if name not in _SPLIT}
    return arguments, {**told, **given}, _unseen(method, shape, opened)


def _by_columns(question: Question) -> Question:
    """A question about models, answered by the option that chooses the columns of a method."""
    answers = tuple(
        replace(answer, option=answer.option.replace("--models ", "--columns ", 1))
        for answer in question.answers
        if not (question.code == "models" and answer.option.startswith("--ignore"))
    )
    return replace(question, answers=answers)


def arguments_of_call(
    method: Method, positional: Sequence[Any], options: Mapping[str, Any]
) -> Call:
    """The arguments of a call in Python: evidence among them becomes numbers, the rest stays."""
    if any(value is np.ma.masked for value in positional):
        raise EvidenceError(f"{method.id} takes numbers, and one of its arguments is masked")
    as_it_is = method.takes == "predictions" and [type(one) for one in positional] == [Predictions]
    read = not as_it_is and all(map(is_source, positional))
    if read and any(_must_be_read(method, value) for value in positional):
        given = dict(options)
        keyword = inspect.Parameter.KEYWORD_ONLY
        beside = "n" in given and method.parameters["n"].kind is not keyword
        said = SourceOptions(n=given.pop("n")) if beside else SourceOptions()
        return arguments_of(method, positional, said, given)
    return tuple(positional), dict(options), ()  # numbers, or the method says what is wrong


def _unseen(
    method: Method, shape: ArgumentShape, sources: Sequence[MethodSource]
) -> tuple[Note, ...]:
    """That items come in clusters, or folds share training data, where the method takes both as independent."""
    of_folds = method.unit == ("fold",) or not _SPLIT.isdisjoint(method.parameters)
    folds = [number for source in sources for number in source.folds]
    if folds and not of_folds:
        return (note("folds-overlap", folds=folds[0]),)
    sees = shape.cluster_method in (None, method.id)
    if sees or not any(source.clustered for source in sources):
        return ()
    return (note("clusters-ignored", method=method.id, instead=shape.cluster_method),)


def _must_be_read(method: Method, value: Any) -> bool:
    """A mapping of names is as good as numbers to some methods, and a study as good as blocks."""
    if offers_evidence(value):
        return method.takes != "blocks"
    runs = (method.takes, method.family) == ("sample", "runs")
    by_name = SHAPES[method.takes].takes_names or runs
    if not (by_name and isinstance(value, Mapping)):
        return True
    return looks_like_scores([str(name) for name in value])
