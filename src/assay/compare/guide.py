"""Which test do I need? Questions, and advice that is what `compare` would do (A6).

One source for the command line, the page and the documentation: the advice is not written here
but asked of the choosing table, with a small example of the evidence described.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec

from assay.compare.choose import Rule, choose
from assay.compare.design import DOES_NOT_SAY, Design, read_design
from assay.compare.findings import Findings, Settings
from assay.compare.guide_examples import MARGIN, GuideExample, example_of
from assay.compare.guide_numbers import FromNumbers, from_numbers
from assay.compare.guide_warnings import refused_of
from assay.compare.verdict_posteriors import posteriors_of
from assay.core.errors import UsageError
from assay.core.methods import find_method
from assay.core.results import Posterior
from assay.core.vocabulary import POPULATION, Unit
from assay.estimates.default_intervals import estimate
from assay.estimates.evaluate import evaluate
from assay.evidence.scores import Scores
from assay.measures.registry import find_measure

GuideAnswers = Mapping[str, str]
EVIDENCE = ("predictions", "folds", "seeds", "datasets")
"""What can be read from a file and compared; the rest is numbers to type."""


ESTIMATED: dict[Unit, str] = {
    "item": "one model, its {measure} on items: the default interval of this measure, which also holds "
    "where counts are small",
    "fold": "one algorithm over folds, which share training data: t with Nadeau and Bengio's correction",
    "seed": "one algorithm over its own seeds: the mean of its scores with a t interval",
    "dataset": "one algorithm over data sets: the mean of its scores with a t interval",
}
"""Why an estimate has the interval it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideQuestion:
    """One question: its options with what they mean, and which earlier answers make it matter.

    Without options the answer is a word of the user's; ``default`` is None where one must choose.
    """

    key: str
    text: str
    options: tuple[tuple[str, str], ...] = ()
    asked_if: tuple[tuple[str, tuple[str, ...]], ...] = ()
    default: str | None = None

    def matters(self, answers: GuideAnswers) -> bool:
        return all(answers.get(key) in values for key, values in self.asked_if)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What decides and why, what is shown beside it, what is refused, and how to get it."""

    answers: tuple[tuple[str, str], ...]
    method: str
    question: str
    reason: str
    beside: tuple[str, ...]
    refused: tuple[str, ...]
    assumes: tuple[str, ...]
    speaks_about: str
    does_not_say: str
    command: str
    call: str
    docs: str


@cache
def questions() -> tuple[GuideQuestion, ...]:
    """Every question, in the order they are asked."""
    text = files("assay.compare").joinpath("guide_questions.toml").read_text(encoding="utf-8")
    return tuple(msgspec.convert(tomllib.loads(text)["question"], list[GuideQuestion]))


def open_question(answers: GuideAnswers) -> GuideQuestion | None:
    """The next question that these answers leave open."""
    return next((q for q in questions() if q.key not in answers and q.matters(answers)), None)


def answer(**answers: str) -> Advice:
    """The advice for these answers; those left out take their defaults.

    Examples
    --------
    >>> answer(have="predictions", models="2", same_items="yes", measure="f1").method
    'paired_delta'
    """
    settled = settle(answers)
    if settled["have"] not in EVIDENCE:
        found = from_numbers(settled)
        return _advice(
            settled,
            found.method,
            reason=found.reason,
            beside=found.beside,
            refused=found.refused,
            of=found,
        )
    example = example_of(settled)
    if settled.get("goal") == "estimate":
        return _of_estimate(settled, example)
    return _of_comparison(settled, example)


def settle(given: GuideAnswers) -> dict[str, str]:
    """Every question that matters answered: checked, in order, with defaults where they are."""
    known = {question.key for question in questions()}
    unknown = [key for key in given if key not in known]
    if unknown:
        raise UsageError(f"no question {unknown[0]!r}; there are {', '.join(sorted(known))}")
    settled: dict[str, str] = {}
    for question in questions():
        said = given.get(question.key)
        if not question.matters(settled):
            if said is not None:
                raise UsageError(f"{question.key} plays no part here; leave it out")
            continue
        if said is None and question.default is None:
            allowed = ", ".join(name for name, _ in question.options)
            raise UsageError(f"{question.text} Say {question.key}: {allowed}")
        settled[question.key] = checked(question, said if said is not None else question.default)
    return settled


def checked(question: GuideQuestion, said: str | None) -> str:
    """The answer as the question has it; a number of models from three up is 3+."""
    text = str(said).strip()
    if question.key == "models" and text.isdecimal() and int(text) >= 3:
        return "3+"
    if question.key == "measure":
        return find_measure(text).name
    names = [name for name, _ in question.options]
    if text not in names:
        raise UsageError(
            f"{question.text} Answer {', '.join(names[:-1])} or {names[-1]}; got {text!r}"
        )
    return text


def _of_comparison(settled: dict[str, str], example: GuideExample) -> Advice:
    design = read_design(
        example.evidence,
        measure=example.measure,
        baseline=example.baseline,
        against=example.against,
        margin=None if example.against is not None else MARGIN,
    )
    rule, choice = choose(design)
    settings = Settings(level=0.95, n_resamples=199, seed=0)
    found = rule.run(design, settings)
    scored = design if isinstance(design.evidence, Scores) else None
    rope = design.margin or 0.0
    beliefs = posteriors_of(found.pairs, design.measure, settings, rope=rope, scored=scored)
    return _advice(
        settled,
        choice.method,
        reason=_reason(rule, design),
        beside=_beside(found, beliefs),
        refused=refused_of(design),
        unit=design.unit,
        of=example,
    )


def _advice(
    settled: GuideAnswers,
    method: str,
    *,
    reason: str,
    beside: tuple[str, ...],
    refused: tuple[str, ...],
    of: GuideExample | FromNumbers,
    unit: Unit | None = None,
) -> Advice:
    """The advice of a method; ``of`` is what it was found with, and says for what it holds where no ``unit`` does."""
    record = find_method(method)
    said = of if isinstance(of, FromNumbers) else None
    return Advice(
        answers=tuple(settled.items()),
        method=record.id,
        question=record.question,
        reason=reason,
        beside=beside,
        refused=refused,
        assumes=record.assumes,
        speaks_about=said.speaks_about if said else POPULATION[unit or "item"],
        does_not_say=said.does_not_say if said else DOES_NOT_SAY[unit or "item"],
        command=of.command,
        call=of.call,
        docs=f"docs/methods/{record.family}.md#{record.id}",
    )


def _reason(rule: Rule, design: Design) -> str:
    """The rule's reason, for any number of models where there are more than two."""
    if design.kind != "many":
        return rule.reason.format(measure=design.measure.called)
    pairs = "k - 1" if design.baseline else "k(k - 1)/2"
    return rule.reason.format(measure=design.measure.called, k="k", pairs=pairs)


def _beside(found: Findings, beliefs: tuple[Posterior | None, ...]) -> tuple[str, ...]:
    """What a comparison shows without letting it decide."""
    named = [_titled(title) for title, _ in found.also()]
    if found.omnibus is not None:
        named.insert(0, f"{found.omnibus.method}: are all equal?")
    named += [title for title, _ in found.families]
    named += [belief.method for belief in beliefs if belief is not None]
    return tuple(dict.fromkeys(named))


def _titled(title: str) -> str:
    """The title of a test without the names of the pair it is about."""
    return (
        "McNemar of each pair, Holm" if title.startswith("McNemar ") and " − " in title else title
    )


def _of_estimate(settled: dict[str, str], example: GuideExample) -> Advice:
    unit: Unit = "item"
    if isinstance(example.evidence, Scores):
        found = evaluate(example.evidence, measures=None, rng=0).estimates[0]
        unit = example.evidence.unit
    else:
        found = estimate(
            example.parts[0], example.measure, example.parts[0].models[0], n_resamples=199, rng=0
        )
    method = found.interval.method if found.interval is not None else found.method
    reason = ESTIMATED[unit].format(measure=found.measure)
    refused = refused_of(None, settled)
    named = method.split(" ")[0]
    return _advice(settled, named, reason=reason, beside=(), refused=refused, unit=unit, of=example)
