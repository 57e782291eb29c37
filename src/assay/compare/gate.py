"""`assay.gate`: may the candidate take the baseline's place? Non-inferiority on the paired bound (A4)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from assay.compare.compare import compare
from assay.compare.gate_error_rate import rehearse
from assay.compare.gate_resampling import Contest
from assay.compare.gate_rule import Bounds, judge_all
from assay.compare.gate_sentences import check_sentence, gate_sentence
from assay.compare.gate_terms import Policy, Terms, terms_of
from assay.compare.verdict import POWER
from assay.core.argument_synonyms import many_names
from assay.core.checks import check_count
from assay.core.errors import UsageError
from assay.core.questions import AmbiguousEvidence
from assay.core.results import Comparison, Gate, GateCheck, GateTrial, Needed, Verdict
from assay.core.rng import Rng, seed_of
from assay.core.vocabulary import GateWord, Unit
from assay.evidence.judged import Judged, read_any
from assay.evidence.open_questions import which_direction
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.scores import Scores
from assay.kernels.tails import alpha_of
from assay.plan.sample_size import units_for_margin

EXIT_CODES: dict[GateWord, int] = {"passed": 0, "failed": 1, "undecided": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contestants:
    evidence: Predictions | Unpaired | Scores | Judged
    baseline: str
    candidate: str


@many_names
def gate(
    *evidence: Any,
    baseline: Any = None,
    candidate: Any = None,
    margin: float | Mapping[str, float] | None = None,
    measures: Any = None,
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
    """Whether a candidate is not worse than a baseline by more than a margin: passed, failed or undecided.

    ``evidence`` is two sources, the baseline's and the candidate's, joined as `assay.read` joins
    them (``reading`` are its options); or one source in which ``baseline`` and ``candidate`` name
    two models. Of candidate minus baseline, positive being better, and its one-sided bounds at
    ``level``: passed if the lower bound lies above -margin; failed if it does not and the upper
    bound lies below 0; else undecided. Several ``measures`` must all pass, each at ``level``, or
    with Holm's correction; ``margin`` is one number or one for each. ``config`` is a TOML file
    with these terms. ``aa`` tries the gate that often on models that are equal, and on a
    candidate that is worse by exactly the margin, and counts its errors. ``max_loss`` is the largest
    loss that an item can have, where the only measure is a mean of losses.

    Examples
    --------
    >>> truth = [0, 1] * 200
    >>> old = [0, 1] * 190 + [1, 1] * 10
    >>> gate({"y": truth, "old": old, "new": truth}, baseline="old", candidate="new", margin=0.01).word
    'passed'
    """
    terms = terms_of(
        margin=margin,
        measures=measures,
        level=level,
        holm=holm,
        on_undecided=on_undecided,
        config=config,
    )
    replicates, seed = check_count(aa, "aa"), seed_of(rng)
    named = [measure for measure, _ in terms.measures]
    lone = named[0] if len(named) == 1 and isinstance(named[0], str) else None
    told: dict[str, Any] = {"missing": missing, "lower_is_better": lower_is_better}
    found = _contestants(
        evidence, baseline, candidate, {"unit": unit, "measure": lone, **told, **reading}
    )
    options: dict[str, Any] = {**told, "n_resamples": n_resamples, "max_loss": max_loss}

    @cache
    def compared(place: int, share: float) -> Comparison:
        return _compared(found, *terms.measures[place], share, rng=seed, **options)

    def bounds(place: int, share: float) -> Bounds:
        return bounds_of(compared(place, share))

    margins = [allowed for _, allowed in terms.measures]
    judged = judge_all(bounds, margins, alpha=alpha_of(terms.level), holm=terms.holm)
    comparisons = tuple(compared(place, one.share) for place, one in enumerate(judged))
    checks = tuple(
        _check(one, seen.word, found) for one, seen in zip(comparisons, judged, strict=True)
    )
    if replicates and isinstance(found.evidence, Judged):
        raise UsageError("aa= (--aa) does not go with a judge: leave it out")
    trials = _trials(terms, checks, found, replicates, seed, max_loss) if replicates else ()
    return _gate(terms, found, checks, comparisons, seed, trials)


def _compared(
    found: _Contestants, measure: Any, margin: float, share: float, **options: Any
) -> Comparison:
    """The comparison whose interval leaves out ``share`` on each side: its ends are one-sided bounds."""
    comparison: Comparison = compare(
        found.evidence,
        measure=measure,
        baseline=found.baseline,
        margin=margin,
        level=round(1.0 - 2.0 * share, 12),
        **options,
    )
    return comparison


def bounds_of(comparison: Comparison) -> Bounds:
    """The ends of the interval of candidate minus baseline, positive being better."""
    interval = comparison.verdict.outcome.effect.interval
    if interval is None:
        return None, None
    if comparison.direction == "unknown":
        raise AmbiguousEvidence([which_direction(comparison.measure)])
    oriented = interval if comparison.direction == "higher" else interval.negated()
    return oriented.low, oriented.high


def _contestants(
    evidence: tuple[Any, ...], baseline: Any, candidate: Any, reading: dict[str, Any]
) -> _Contestants:
    """The evidence with the two models named, however it came."""
    if not evidence and baseline is not None and candidate is not None:
        evidence, baseline, candidate = (baseline, candidate), None, None
    if len(evidence) not in (1, 2):
        raise UsageError(
            "a gate takes two sources, the baseline's first, or one source with the names of both "
            f"models; got {len(evidence)} sources"
        )
    observed = read_any(*evidence, **reading)
    if len(evidence) == 1 and baseline is None:
        raise UsageError(
            f"which model is the baseline? there are {', '.join(observed.models)}: name it with "
            "baseline="
        )
    base = observed.models[0] if baseline is None else baseline
    others = [model for model in observed.models if model != base]
    if candidate is None and len(others) != 1:
        raise UsageError(
            f"which model is the candidate? besides {base} there are {', '.join(others) or 'none'}: "
            "name it with candidate= (--candidate)"
        )
    chosen = others[0] if candidate is None else candidate
    if chosen == base:
        raise UsageError(f"the baseline and the candidate are both {base!r}")
    return _Contestants(
        evidence=observed.select(chosen, base), baseline=str(base), candidate=str(chosen)
    )


def _check(comparison: Comparison, word: GateWord, found: _Contestants) -> GateCheck:
    verdict = comparison.verdict
    margin = comparison.margin or 0.0
    value = verdict.outcome.effect.value
    low, high = bounds_of(comparison)
    sign = 1.0 if comparison.direction == "higher" else -1.0
    check = GateCheck(
        measure=comparison.measure,
        word=word,
        margin=margin,
        level=round((1.0 + comparison.level) / 2.0, 12),
        difference=None if value is None else sign * value + 0.0,
        low=low,
        high=high,
        sentence="",
        needed=_needed(verdict, margin) if word == "undecided" else None,
    )
    unit = verdict.outcome.effect.unit
    return replace(check, sentence=check_sentence(check, found.candidate, found.baseline, unit))


def _needed(verdict: Verdict, margin: float) -> Needed | None:
    """How many units let a candidate pass that is as good as the baseline."""
    effect = verdict.outcome.effect
    if effect.interval is None or effect.unit == "fold" or not isfinite(effect.interval.width):
        return None
    units = units_for_margin(effect.interval, effect.n, margin, power=POWER)
    if units <= effect.n:
        return None
    return Needed(units=units, unit=effect.unit, have=effect.n, power=POWER, margin=margin)


def _trials(
    terms: Terms,
    checks: tuple[GateCheck, ...],
    found: _Contestants,
    replicates: int,
    seed: int,
    max_loss: float | None,
) -> tuple[GateTrial, ...]:
    contests = [
        Contest.of(
            found.evidence,
            measure=measure,
            baseline=found.baseline,
            candidate=found.candidate,
            margin=check.margin,
            max_loss=max_loss,
        )
        for (measure, _), check in zip(terms.measures, checks, strict=True)
    ]
    return rehearse(
        contests, alpha=alpha_of(terms.level), holm=terms.holm, replicates=replicates, seed=seed
    )


def _gate(
    terms: Terms,
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
        sentence=gate_sentence(word, checks, found.candidate, found.baseline),
        baseline=found.baseline,
        candidate=found.candidate,
        level=terms.level,
        rule="holm" if terms.holm else "all",
        on_undecided=terms.on_undecided,
        checks=checks,
        comparisons=comparisons,
        trials=trials,
        notes=tuple(notes),
        seed=seed,
    )
