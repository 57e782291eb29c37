"""`assay.gate`: may the candidate take the baseline's place? Non-inferiority on the paired bound (A4)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.compare.design import baseline_among
from assay.compare.gate_error_rate import rehearse
from assay.compare.gate_file import Policy
from assay.compare.gate_questions import (
    Difference,
    Evidence,
    GateAnswer,
    GateQuestion,
    LevelQuestion,
    repeats_of,
)
from assay.compare.gate_resampling import Contest
from assay.compare.gate_rule import Bounds, GateDecision, judge, judge_all
from assay.compare.gate_sentences import check_sentence, gate_sentence
from assay.compare.gate_terms import GateTerms, WantedMeasure, terms_of
from assay.core.checks import check_count, many_names
from assay.core.errors import NotApplicable, UsageError
from assay.core.gate_results import Gate, GateCheck, GateTrial
from assay.core.results import Comparison, Needed
from assay.core.rng import Rng, seed_of
from assay.core.vocabulary import GateWord, Unit
from assay.evidence.judged_items import Judged
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.readers.objects import is_column
from assay.evidence.reading import read_any
from assay.evidence.slices import slices_of
from assay.kernels.tails import alpha_of

EXIT_CODES: dict[GateWord, int] = {"passed": 0, "failed": 1, "undecided": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contestants:
    evidence: Evidence
    baseline: str | None
    candidate: str

    def alone(self, evidence: Evidence) -> Evidence:
        """What the evidence has of the candidate by itself."""
        found = evidence.select(self.candidate)
        return found.parts[0] if isinstance(found, Unpaired) else found


@many_names
def gate(
    *evidence: Any,
    baseline: Any = None,
    candidate: Any = None,
    margin: float | Mapping[str, float] | None = None,
    measures: Any = None,
    better_by: float | Mapping[str, float] | None = None,
    at_least: Mapping[str, float] | None = None,
    at_most: Mapping[str, float] | None = None,
    slice: str | None = None,  # noqa: A002 (the word of the command line)
    slice_margin: float | None = None,
    each: float | None = None,
    observed: bool | None = None,
    level: float | None = None,
    holm: bool | None = None,
    on_undecided: Policy | None = None,
    config: str | Path | None = None,
    unit: Unit | None = None,
    missing: str = "refuse",
    lower_is_better: bool | None = None,
    aa: int = 0,
    n_resamples: int = 9999,
    rng: Rng = None,
    max_loss: float | None = None,
    **reading: Any,
) -> Gate:
    """Whether a candidate shows what is demanded of it: passed, failed or undecided.

    ``evidence`` is two sources, the baseline's and the candidate's, joined as `assay.read` joins
    them (``reading`` are its options); or one source in which ``baseline`` and ``candidate`` name
    two models. Of candidate minus baseline, positive being better, and its one-sided bounds at
    ``level``: passed if the lower bound lies above -``margin``; failed if it does not and the
    upper bound lies below 0; else undecided. ``better_by`` asks for a gain above it instead.
    ``at_least`` and ``at_most`` map measures to levels of the candidate: passed if the bound
    reaches the level, failed if the other bound misses it. ``slice`` is a column each value of
    which must pass too (with ``slice_margin``, if given), ``each`` the share of its repeats that
    every item must get right; ``observed`` judges levels without bounds. All demands must be met.
    ``config`` is a TOML file with these terms. ``aa`` tries the gate that often on models that
    are equal, and on a candidate that is worse by exactly the margin, and counts its errors.
    ``max_loss`` is the largest loss that an item can have, where the only measure is a mean of losses.

    Examples
    --------
    >>> truth = [0, 1] * 200
    >>> old = [0, 1] * 190 + [1, 1] * 10
    >>> gate({"y": truth, "old": old, "new": truth}, baseline="old", candidate="new", margin=0.01).word
    'passed'
    >>> gate({"y": truth, "old": old}, at_least={"accuracy": 0.9}).word
    'passed'
    """
    terms = terms_of(
        margin=margin,
        measures=measures,
        better_by=better_by,
        at_least=at_least,
        at_most=at_most,
        slice=slice,
        slice_margin=slice_margin,
        each=each,
        observed=observed,
        level=level,
        holm=holm,
        on_undecided=on_undecided,
        config=config,
    )
    replicates, seed = check_count(aa, "aa"), seed_of(rng)
    named = {one.measure for one in terms.wanted}
    lone = next(iter(named)) if len(named) == 1 else None
    told: dict[str, Any] = {"missing": missing, "lower_is_better": lower_is_better}
    read_as = {"unit": unit, "measure": lone if isinstance(lone, str) else None, **told, **reading}
    if terms.slice is not None:
        read_as["slice"] = terms.slice
    found = _contestants(evidence, baseline, candidate, read_as, terms)
    options = {**told, "n_resamples": n_resamples, "rng": seed, "max_loss": max_loss}
    questions = _questions(terms, found, options)
    judged = _judged(terms, questions)
    checks = tuple(
        _check(question, one, found, terms) for question, one in zip(questions, judged, strict=True)
    )
    answers = [question.at(one.share) for question, one in zip(questions, judged, strict=True)]
    comparisons = tuple(one.comparison for one in answers if one.comparison is not None)
    if replicates and isinstance(found.evidence, Judged):
        raise UsageError("aa= does not go with a judge: leave it out")
    trials = _trials(terms, checks, found, replicates, seed, max_loss) if replicates else ()
    return _gate(terms, found, checks, comparisons, seed, trials)


def _questions(
    terms: GateTerms, found: _Contestants, options: dict[str, Any]
) -> list[GateQuestion]:
    """Every demand on all items, then on every slice, then on every item that was repeated."""
    parts: dict[str | None, Evidence] = {None: found.evidence}
    if terms.slice is not None:
        if isinstance(found.evidence, Judged):
            raise UsageError("slices do not go with a judge: leave out slice=")
        parts.update(slices_of(found.evidence).items())
    questions: list[GateQuestion] = []
    for name, evidence in parts.items():
        for one in terms.wanted:
            wanted = one
            if name is not None and terms.slice_margin is not None and one.asks == "not-worse":
                wanted = replace(one, amount=terms.slice_margin)
            questions.append(_question(wanted, name, evidence, found, options))
    if terms.each is not None:
        questions += repeats_of(found.alone(found.evidence), found.candidate, terms.each)
    return questions


def _question(
    wanted: WantedMeasure,
    name: str | None,
    evidence: Evidence,
    found: _Contestants,
    options: dict[str, Any],
) -> GateQuestion:
    if wanted.asks in ("at-least", "at-most"):
        return LevelQuestion(
            wanted=wanted,
            slice=name,
            evidence=found.alone(evidence),
            baseline=None,
            options=options,
        )
    pair = evidence.select(found.candidate, str(found.baseline))
    return Difference(
        wanted=wanted, slice=name, evidence=pair, baseline=found.baseline, options=options
    )


def _judged(terms: GateTerms, questions: list[GateQuestion]) -> tuple[GateDecision, ...]:
    """The words; levels are judged by what was observed where that was asked for."""

    def bounds(place: int, share: float) -> Bounds:
        return questions[place].at(share).bounds

    demands = [question.demand for question in questions]
    judged = judge_all(bounds, demands, alpha=alpha_of(terms.level), rule=terms.rule)
    if not terms.observed:
        return judged
    counted = []
    for question, one in zip(questions, judged, strict=True):
        seen = question.at(one.share).difference
        if question.demand.reached and seen is not None:
            one = replace(one, word=judge((seen, seen), question.demand))  # noqa: PLW2901
        counted.append(one)
    return tuple(counted)


def _contestants(
    evidence: tuple[Any, ...],
    baseline: Any,
    candidate: Any,
    reading: dict[str, Any],
    terms: GateTerms,
) -> _Contestants:
    """The evidence with the models named, however it came."""
    if not evidence and baseline is not None and candidate is not None:
        evidence, baseline, candidate = (baseline, candidate), None, None
    if len(evidence) not in (1, 2):
        raise UsageError(
            "a gate takes two sources, the baseline's first, or one source with the names of both "
            f"models; got {len(evidence)} sources. Put a truth in a file of its own beside the predictions, "
            "or use compare with margin="
        )
    named = [one for one in (baseline, candidate) if isinstance(one, str)]
    if len(evidence) == 1 and len(set(named)) == 2 and reading.get("models") is None:
        reading = {**reading, "models": named}  # who names both has named the models
    observed = read_any(*evidence, **reading)
    by_source = len(evidence) == 2 and not _begins_with_truth(evidence, observed)
    pair = terms.needs_baseline or by_source or baseline is not None
    if pair and baseline is None:
        _check_two(observed)
    if pair and not by_source and baseline is None:
        raise UsageError(
            f"which model is the baseline? there are {', '.join(observed.models)}: name it with "
            "baseline="
        )
    base = None
    if pair:
        called = observed.models[0] if baseline is None else str(baseline)
        base = baseline_among(observed.models, called)
    others = [model for model in observed.models if model != base]
    if candidate is None and len(others) != 1:
        besides = f"besides {base} " if pair else ""
        raise UsageError(
            f"which model is the candidate? {besides}there are {', '.join(others) or 'none'}: "
            "name it with candidate="
        )
    chosen = str(others[0] if candidate is None else candidate)
    if chosen == base:
        raise UsageError(f"the baseline and the candidate are both {base!r}")
    kept = observed.select(chosen) if base is None else observed.select(chosen, base)
    return _Contestants(evidence=kept, baseline=base, candidate=chosen)


def _begins_with_truth(evidence: tuple[Any, ...], observed: Any) -> bool:
    """Whether the first of two sources is the truth of what the second predicts, and no baseline."""
    predicted = isinstance(observed, Predictions) and observed.origin is None
    return predicted and is_column(evidence[0])


def _check_two(observed: Any) -> None:
    if len(observed.models) == 1:
        raise UsageError(
            f"a gate with a margin compares two models; there is only {observed.models[0]}. Give the "
            "baseline's predictions too, or levels to reach (at_least=). Where both sources say what is "
            "right, add correct=True"
        )


def _check(
    question: GateQuestion, judged: GateDecision, found: _Contestants, terms: GateTerms
) -> GateCheck:
    answer, wanted = question.at(judged.share), question.wanted
    is_level = question.demand.reached
    low, high = answer.bounds
    check = GateCheck(
        measure=answer.measure,
        word=judged.word,
        margin=0.0 if is_level else wanted.amount,
        level=round(1.0 - judged.share, 12),
        difference=answer.difference,
        low=low,
        high=high,
        sentence="",
        needed=_needed(question, answer) if judged.word == "undecided" else None,
        asks=wanted.asks,
        required=wanted.amount if is_level else None,
        value=answer.value,
        slice=question.slice,
        item=question.item,
        n=answer.n,
    )
    # with Holm an item may have to pass at a smaller share; this is the one of the last step
    said = check_sentence(
        check, found.candidate, found.baseline, answer.unit, answer.why, alpha_of(terms.level),
        lower_is_better=answer.comparison is not None and answer.comparison.direction == "lower",
    )  # fmt: skip
    return replace(check, sentence=said)


def _needed(question: GateQuestion, answer: GateAnswer) -> Needed | None:
    """How many units let a candidate pass that is as good as the baseline: those that show a loss of the margin."""
    if answer.comparison is None or question.wanted.asks != "not-worse":
        return None
    return answer.comparison.verdict.needed


def _trials(
    terms: GateTerms,
    checks: tuple[GateCheck, ...],
    found: _Contestants,
    replicates: int,
    seed: int,
    max_loss: float | None,
) -> tuple[GateTrial, ...]:
    if len(terms.measures) != len(checks):
        raise NotApplicable(
            "aa= tries margins on all items: leave out levels, gains, slices and repeats (at_least=, "
            "at_most=, better_by=, slice=, each=)"
        )
    contests = [
        Contest.of(
            found.evidence,
            measure=measure,
            baseline=str(found.baseline),
            candidate=found.candidate,
            margin=check.margin,
            max_loss=max_loss,
        )
        for (measure, _), check in zip(terms.measures, checks, strict=True)
    ]
    return rehearse(
        contests,
        alpha=alpha_of(terms.level),
        holm=terms.rule == "holm",
        replicates=replicates,
        seed=seed,
    )


def _gate(
    terms: GateTerms,
    found: _Contestants,
    checks: tuple[GateCheck, ...],
    comparisons: tuple[Comparison, ...],
    seed: int,
    trials: tuple[GateTrial, ...],
) -> Gate:
    words = [check.word for check in checks]
    word: GateWord = "undecided"
    if "failed" in words:
        word = "failed"
    elif set(words) == {"passed"}:
        word = "passed"
    tolerated = word == "undecided" and terms.on_undecided != "fail"
    notes = dict.fromkeys(one for comparison in comparisons for one in comparison.notes)
    return Gate(
        word=word,
        exit_code=0 if tolerated else EXIT_CODES[word],
        sentence=gate_sentence(
            word, checks, found.candidate, found.baseline, observed=terms.observed
        ),
        baseline=found.baseline,
        candidate=found.candidate,
        level=terms.level,
        rule=terms.rule,
        on_undecided=terms.on_undecided,
        checks=checks,
        comparisons=comparisons,
        trials=trials,
        notes=tuple(notes),
        seed=seed,
        sliced_by=terms.slice,
    )
