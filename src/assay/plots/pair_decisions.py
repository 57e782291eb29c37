"""What a result decided about each pair of models, as figures of ranks and pairs need it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from assay.core.arrays import BoolArray
from assay.core.errors import UsageError
from assay.core.formatting import clean, clean_name, shown_percent
from assay.core.methods import record_of
from assay.core.results import (
    Comparison,
    Estimate,
    FamilyOutcome,
    Interval,
    TestOutcome,
    Verdict,
)
from assay.core.vocabulary import Direction, known_side
from assay.kernels.tails import alpha_of
from assay.plots.cliques import as_decisions
from assay.plots.measure_labels import direction_of
from assay.plots.study_figures import compared
from assay.plots.style import given_numbers

MOST_PAIRS = 28
"""More pairs than this are looked up in a matrix, not read in a forest plot."""

RANK = "mean rank: "
"""How families name the mean ranks among their details."""
RANK_MEASURE = "mean_rank"
REVERSED = {"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}
_ADJUSTMENTS = {
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
    "bergmann_hommel": "Bergmann-Hommel",
}
_UNSAID = (
    "none",
    "single-step",
    "single-step-inf",
    "max-t",
)  # part of the method, or nothing at all


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDecision:
    """One pair, first minus second; ``different`` is None where the test gave no answer."""

    effect: Estimate
    word: str
    different: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDecisions:
    """Every pair of a comparison or family, and what puts the models in order."""

    models: tuple[str, ...]
    pairs: Mapping[tuple[str, str], PairDecision]
    measure: str
    direction: Direction | None
    margin: float | None
    test: str
    standing: Mapping[str, float]
    ranks: Mapping[str, float] | None
    control: str | None
    critical_difference: float | None = None

    def of(self, a: str, b: str) -> tuple[PairDecision | None, int]:
        """What was decided about a minus b, and -1 where it stands the other way round."""
        if (a, b) in self.pairs:
            return self.pairs[a, b], 1
        return self.pairs.get((b, a)), -1

    def word(self, a: str, b: str) -> str:
        """The verdict on a against b."""
        decided, sign = self.of(a, b)
        if decided is None or decided.different is None:
            return "undefined"
        return decided.word if sign > 0 else REVERSED.get(decided.word, decided.word)

    @property
    def order(self) -> tuple[str, ...]:
        """The models, best first; of equals first the one that is told apart from more below it."""
        alike = dict.fromkeys(self.models, 0)
        for (a, b), decided in self.pairs.items():
            gap = self.standing[a] - self.standing[b]
            if not decided.different and gap:
                alike[a] += 1 if gap < 0 else -1
                alike[b] += 1 if gap > 0 else -1
        return tuple(sorted(self.models, key=lambda model: (self.standing[model], alike[model])))

    def matrix(self, order: Sequence[str]) -> BoolArray:
        """Which pairs were told apart; every pair must have an answer."""
        place = {model: index for index, model in enumerate(order)}
        found = np.zeros((len(order), len(order)), dtype=np.bool_)
        for (a, b), decided in self.pairs.items():
            if decided.different is None:
                raise UsageError(
                    f"the test of {clean_name(a)} and {clean_name(b)} has no answer (its p-value "
                    "is undefined), so no figure can show it. See its notes"
                )
            found[place[a], place[b]] = found[place[b], place[a]] = decided.different
        return found


def decisions_of(
    result: Any,
    *,
    figure: str,
    ranks: "Mapping[str, float] | FamilyOutcome | None" = None,
    measure: str = "",
) -> PairDecisions:
    """The decisions of a comparison, of a family of tests, of a finished study, or of intervals."""
    if isinstance(result, Mapping):
        return _of_intervals(result, measure, ranks)
    result = compared(result)
    if isinstance(result, Comparison):
        return _of_comparison(result, ranks)
    if isinstance(result, FamilyOutcome):
        return _of_family(result, ranks)
    raise UsageError(
        f"{figure} draws a comparison or a family of tests, such as assay.wilcoxon_pairs(scores), or of numbers "
        f"{{('a', 'b'): (difference, low, high), …}}; got {type(result).__name__}"
    )


def _of_intervals(given: Mapping[Any, Any], measure: str, ranks: Any) -> PairDecisions:
    """Pairs of models with difference, low and high: an interval without 0 is a difference."""
    direction = direction_of(measure)
    pairs = {}
    for pair, numbers in given.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or len(tuple(numbers)) != 3:
            raise UsageError(
                "give each pair of models its difference, low and high: {('a', 'b'): (0.1, 0.0, 0.2)}; "
                f"got {pair!r}: {numbers!r}"
            )
        value, low, high = map(float, numbers)
        effect = Estimate(
            measure=measure, value=value, method="given", n=0, unit="item",
            interval=Interval(low=low, high=high, level=0.95, method="given"),
        )  # fmt: skip
        different = not low <= 0.0 <= high
        word = _word(direction, above=value > 0.0) if different else "undecided"
        pairs[str(pair[0]), str(pair[1])] = PairDecision(
            effect=effect, word=word, different=different
        )
    models = tuple(dict.fromkeys(name for pair in pairs for name in pair))
    found = _given_ranks(ranks, models)
    return PairDecisions(
        models=models, pairs=pairs, measure=measure, direction=direction, margin=None,
        test="intervals as given", standing=found or _behind(models, pairs, direction),
        ranks=found,
        control=_control(models, tuple(pairs)),
    )  # fmt: skip


def of_ranks(
    ranks: Mapping[str, float], different: Any, *, critical_difference: float | None
) -> PairDecisions:
    """Mean ranks with a matrix of who differs, or with the difference from which ranks differ."""
    models = tuple(map(str, ranks))
    found = [given_numbers(rank, f"the rank of {name!r}") for name, rank in ranks.items()]
    if any(len(one) != 1 for one in found) or len(set(models)) < len(models):
        raise UsageError(
            "each model needs a name of its own and one mean rank: {'a': 1.2, 'b': 1.8}"
        )
    standing = {name: one[0] for name, one in zip(models, found, strict=True)}
    if different is None and critical_difference is None:
        raise UsageError(
            "mean ranks need decisions. Give different (a matrix of true and false, in the order "
            "of the ranks) or width (the critical difference)"
        )
    matrix = None if different is None else as_decisions(different)
    if matrix is not None and len(matrix) != len(models):
        raise UsageError(f"{len(models)} ranks came with decisions about {len(matrix)} models")
    pairs = {}
    for (row, a), (column, b) in combinations(enumerate(models), 2):
        gap = standing[a] - standing[b]
        apart = abs(gap) >= (critical_difference or 0.0) if matrix is None else matrix[row, column]
        effect = Estimate(
            measure=RANK_MEASURE, value=gap, interval=None, method="given", n=0, unit="dataset"
        )
        word = _word("lower", above=gap > 0.0) if apart else "undecided"
        pairs[a, b] = PairDecision(effect=effect, word=word, different=bool(apart))
    return PairDecisions(
        models=models, pairs=pairs, measure=RANK_MEASURE, direction="lower", margin=None,
        test="decisions as given", standing=standing, ranks=standing, control=None,
        critical_difference=critical_difference,
    )  # fmt: skip


def mean_ranks(result: Comparison | FamilyOutcome) -> dict[str, float] | None:
    """The mean ranks that a family, or one beside a comparison, carries among its details."""
    families = (
        [family for _, family in result.families] if isinstance(result, Comparison) else [result]
    )
    for family in families:
        details = dict(family.details)
        found = {model: details.get(f"{RANK}{model}") for model in result_models(result)}
        if all(isinstance(rank, int | float) for rank in found.values()):
            return {model: float(rank or 0.0) for model, rank in found.items()}
    return None


def result_models(result: Comparison | FamilyOutcome) -> tuple[str, ...]:
    return result.evidence.models if isinstance(result, Comparison) else result.models


def _of_comparison(result: Comparison, ranks: Any) -> PairDecisions:
    models = result_models(result)
    pairs = {
        (verdict.a, verdict.b): PairDecision(
            effect=verdict.outcome.effect, word=verdict.word, different=_told_apart(verdict)
        )
        for verdict in result.verdicts
    }
    found = _given_ranks(ranks, models) or mean_ranks(result)
    sign = 1.0 if result.direction == "lower" else -1.0
    values = {
        one.model: sign * one.value
        for one in result.estimates
        if one.measure == result.measure and one.value is not None and one.model is not None
    }
    return PairDecisions(
        models=models,
        pairs=pairs,
        measure=result.measure,
        direction=known_side(result.direction),
        margin=result.margin,
        test=_test(result.choice.method, result.adjustment, result.level),
        standing=found or {model: values.get(model, math.inf) for model in models},
        ranks=found,
        control=_control(models, tuple(pairs)),
    )


def _of_family(result: FamilyOutcome, ranks: Any) -> PairDecisions:
    level = _level(result)
    measure = result.outcomes[0].effect.measure if result.outcomes else ""
    direction: Direction | None = "lower" if measure == RANK_MEASURE else direction_of(measure)
    pairs = {
        pair: _decided(outcome, direction, alpha_of(level))
        for pair, outcome in zip(result.pairs, result.outcomes, strict=True)
    }
    found = _given_ranks(ranks, result.models) or mean_ranks(result)
    details = dict(result.details)
    wide = details.get("critical_difference")
    return PairDecisions(
        models=result.models,
        pairs=pairs,
        measure=measure,
        direction=direction,
        margin=None,
        test=_test(result.method, result.adjustment, level),
        standing=found or _net_losses(result.models, pairs),
        ranks=found,
        control=_control(result.models, tuple(pairs)),
        critical_difference=float(wide) if isinstance(wide, int | float) else None,
    )


def _decided(outcome: TestOutcome, direction: Direction | None, alpha: float) -> PairDecision:
    """The adjusted p-value decides in a family; which side is better may not be known."""
    p, effect = outcome.p_value, outcome.effect
    if p is None or math.isnan(p):
        return PairDecision(effect=effect, word="undefined", different=None)
    word = "undecided"
    if outcome.rejects(alpha) and effect.value is not None:
        word = _word(direction, above=effect.value > outcome.null)
    return PairDecision(effect=effect, word=word, different=outcome.rejects(alpha))


def _word(direction: Direction | None, *, above: bool) -> str:
    """The verdict on the first of a pair that lies above or below the second."""
    if direction is None:
        return "higher" if above else "lower"
    return "better" if above == (direction == "higher") else "worse"


def _told_apart(verdict: Verdict) -> bool | None:
    """The verdict's own answer, unless there was nothing to rest it on."""
    p, interval = verdict.outcome.p_value, verdict.outcome.effect.interval
    undefined = p is None or math.isnan(p)
    if interval is None or math.isnan(interval.low) or math.isnan(interval.high):
        return None if undefined else verdict.different
    return verdict.different


def _given_ranks(ranks: Any, models: tuple[str, ...]) -> dict[str, float] | None:
    if ranks is None:
        return None
    if isinstance(ranks, FamilyOutcome):
        found = mean_ranks(ranks)
        if found is None:
            raise UsageError(f"{ranks.method} does not carry mean ranks: nemenyi does")
    else:
        found = {str(model): float(rank) for model, rank in dict(ranks).items()}
    if set(found) != set(models) or not all(map(math.isfinite, found.values())):
        raise UsageError(
            f"ranks must give one number for each of the {len(models)} models ({', '.join(models[:5])} …); "
            f"got {found!r}"
        )
    return found


def _control(models: tuple[str, ...], pairs: tuple[tuple[str, str], ...]) -> str | None:
    """The model that all others were compared with; None where every pair was."""
    strangers = [name for pair in pairs for name in pair if name not in models]
    if strangers or len(models) < 2:
        raise UsageError(
            "this figure needs two models or more, compared with one another; for one model "
            "against a level use forest"
        )
    if len({frozenset(pair) for pair in pairs}) == len(list(combinations(models, 2))):
        return None
    seconds = {b for _, b in pairs}
    if len(pairs) == len(models) - 1 and len(seconds) == 1:
        return seconds.pop()
    raise UsageError(
        f"{len(pairs)} pairs of {len(models)} models came; needed are all pairs, or all against one"
    )


def _net_losses(
    models: tuple[str, ...], pairs: Mapping[tuple[str, str], PairDecision]
) -> dict[str, float]:
    """Pairs lost minus pairs won, where neither ranks nor scores tell who stands higher."""
    points = {"better": 1.0, "higher": 1.0, "worse": -1.0, "lower": -1.0}
    found = dict.fromkeys(models, 0.0)
    for (a, b), decided in pairs.items():
        won = points.get(decided.word, 0.0)
        found[a] -= won
        found[b] += won
    return found


def _behind(
    models: tuple[str, ...],
    pairs: Mapping[tuple[str, str], PairDecision],
    direction: Direction | None,
) -> dict[str, float]:
    """By how much each model lies behind the others, all differences together."""
    sign = 1.0 if direction == "lower" else -1.0
    found = dict.fromkeys(models, 0.0)
    for (a, b), decided in pairs.items():
        gap = sign * (decided.effect.value or 0.0)
        found[a] += gap
        found[b] -= gap
    return found


def _level(result: FamilyOutcome) -> float:
    levels = [o.effect.interval.level for o in result.outcomes if o.effect.interval is not None]
    if not levels and all(outcome.p_value is not None for outcome in result.outcomes):
        raise UsageError(
            "no outcome of this family has an interval, so its level is not known: draw the "
            "comparison that it belongs to"
        )
    return levels[0] if levels else 0.95  # without p-values no level matters


def _test(method: str, adjustment: str, level: float) -> str:
    """The test in a few words: Nemenyi, 95%."""
    record = record_of(method)
    name = (record and record.caption) or clean(method).replace("_", " ")
    parts = [f"{name[:1].upper()}{name[1:]}"]
    if adjustment and adjustment not in _UNSAID and adjustment not in method:
        parts.append(_ADJUSTMENTS.get(adjustment, clean(adjustment).capitalize()))
    return ", ".join([*parts, shown_percent(level)])
