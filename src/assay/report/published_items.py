"""Answers item by item as they are published: the question, the right answer, what the model said, its score."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.core.errors import NotApplicable, UsageError
from assay.evidence.cell_text import id_text, is_missing
from assay.evidence.predictions import Predictions
from assay.evidence.readers.item_evidence import RIGHT

BY_ITEM = ("accuracy", "mean_score")
"""Measures that are the mean of what each item scored, from 0 to 1."""


class PublishedSample(NamedTuple):
    """One answer; without words of it where the evidence has its score alone."""

    name: str
    question: str
    reference: list[str]
    answer: list[str]
    score: float


def of_items(measures: Sequence[str]) -> list[str]:
    """Those measures of which single answers can be published."""
    found = [name for name in measures if name in BY_ITEM]
    if not found:
        raise NotApplicable(
            f"single answers have no {measures[0]}: publish them by {' or '.join(BY_ITEM)} (measure=), "
            "or leave out question="
        )
    return found


def samples_of(evidence: Predictions, model: str, measure: str) -> Iterator[PublishedSample]:
    """What a model answered to every item, in the order of the rows; read with the questions as slices."""
    asked = evidence.roles.get("slice")
    if asked is None:
        raise UsageError("which column holds the questions? Name it with question='COLUMN'")
    if "count" in evidence.roles:
        raise NotApplicable("rows that stand for several items hold no single answers to publish")
    name = evidence.roles.get("id")
    questions = _texts(evidence, asked)
    names = map(str, range(1, len(questions) + 1)) if name is None else iter(_texts(evidence, name))
    if measure == "mean_score":
        scores = evidence.columns("losses", [model]).predictions[0].tolist()
        for one, question, score in zip(names, questions, scores, strict=True):
            yield PublishedSample(one, question, [], [], score)
        return
    answers = evidence.columns("labels", [model])
    # where only right and wrong are known, a column of ours stands for the truth; joins put a number before its name
    known = not evidence.roles["truth"].endswith(RIGHT)
    pairs = zip(answers.truth.tolist(), answers.predictions[0].tolist(), strict=True)
    for one, question, (true, said) in zip(names, questions, pairs, strict=True):
        right, told = evidence.classes[true], evidence.classes[said]
        yield PublishedSample(
            one, question, [right] if known else [], [told] if known else [], float(true == said)
        )


def _texts(evidence: Predictions, column: str) -> list[str]:
    """A column as text; a question that is missing is refused."""
    ((codes, levels),) = evidence.rows.coded([column])
    if None in levels:
        place, _ = evidence.rows.place(column, is_missing)
        raise NotApplicable(f"{evidence.rows.describe(column)} has no value at {place}")
    written = [id_text(level) for level in levels]
    return [written[code] for code in codes.tolist()]
