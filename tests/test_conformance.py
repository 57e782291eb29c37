"""Laws that every method of the catalogue obeys; an exemption is declared with its reason."""

import copy
import inspect
import math
from collections.abc import Collection
from functools import cache
from typing import Any

import numpy as np
import pytest

from assay.core.errors import AssayError
from assay.core.methods import Law, Method, catalogue
from assay.core.results import Estimate, FamilyOutcome, Posterior, TestOutcome
from assay.core.wire import from_json, to_json
from tests.shapes import OPTIONS, SHUFFLES, SWAPS, examples, shifted, shuffled, swapped

METHODS = list(catalogue().values())
SEEDS = range(4)
LEVELS = (0.8, 0.9, 0.95, 0.99)


RESULTS = ("estimate", "test", "family", "posterior", "check")
TESTS = ("test", "family")


def of(*gives: str, law: Law | None = None, shapes: Collection[str] | None = None) -> Any:
    """The methods that a law applies to: not exempt from it, and of a shape that it can act on."""
    chosen = [
        method
        for method in METHODS
        if method.gives in gives
        and law not in method.exempt
        and (shapes is None or method.takes in shapes)
    ]
    return pytest.mark.parametrize("method", chosen, ids=lambda method: method.id)


def run(method: Method, evidence: tuple[Any, ...], **options: Any) -> Any:
    accepted = inspect.signature(method.function).parameters
    options = {**OPTIONS.get(method.id, {}), **options}
    if "rng" in accepted:
        options.setdefault("rng", 1)
    if "n_resamples" in accepted:
        options.setdefault("n_resamples", 499)
    return method.function(*evidence, **options)


@cache
def result_of(method_id: str, seed: int) -> Any:
    """What a method says of its examples; several laws look at the same frozen result."""
    method = catalogue()[method_id]
    return run(method, examples(method.takes, seed))


def effects(result: Any) -> list[tuple[float | None, Estimate]]:
    """Every (p-value, effect) in a result."""
    if isinstance(result, Estimate):
        return [(None, result)]
    if isinstance(result, TestOutcome):
        return [(result.p_value, result.effect)]
    if isinstance(result, FamilyOutcome):
        return [(outcome.p_value, outcome.effect) for outcome in result.outcomes]
    return [(None, result.effect)]


def close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-7, abs_tol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
class TestEveryResult:
    @of(*RESULTS)
    def test_is_sane(self, method: Method, seed: int) -> None:
        for p_value, effect in effects(result_of(method.id, seed)):
            assert p_value is None or 0.0 <= p_value <= 1.0
            assert effect.value is None or math.isfinite(effect.value)
            assert effect.n > 0
            if effect.interval is not None:
                assert effect.interval.low <= effect.interval.high

    @of(*RESULTS, law="contains")
    def test_interval_contains_the_estimate(self, method: Method, seed: int) -> None:
        for _, effect in effects(result_of(method.id, seed)):
            if effect.interval is not None and effect.value is not None:
                slack = 1e-9 * max(1.0, abs(effect.value))
                assert effect.interval.low - slack <= effect.value <= effect.interval.high + slack

    @of(*RESULTS)
    def test_an_effect_has_an_interval_or_says_why_not(self, method: Method, seed: int) -> None:
        result = result_of(method.id, seed)
        for _, effect in effects(result):
            assert effect.interval is not None or effect.notes or result.notes

    @of(*RESULTS)
    def test_input_is_left_alone(self, method: Method, seed: int) -> None:
        evidence = examples(method.takes, seed)
        before = copy.deepcopy(evidence)
        run(method, evidence)
        np.testing.assert_equal(evidence, before)

    @of(*RESULTS)
    def test_survives_the_wire(self, method: Method, seed: int) -> None:
        result = result_of(method.id, seed)
        assert from_json(to_json(result)) == result

    @of(*RESULTS)
    def test_is_repeatable(self, method: Method, seed: int) -> None:
        evidence = examples(method.takes, seed)
        assert run(method, evidence) == result_of(method.id, seed)

    @of(*RESULTS, law="order", shapes=SHUFFLES)
    def test_order_of_units_is_irrelevant(self, method: Method, seed: int) -> None:
        evidence = examples(method.takes, seed)
        one = effects(result_of(method.id, seed))
        other = effects(run(method, shuffled(method.takes, evidence, seed)))
        for (p_value, effect), (p_other, effect_other) in zip(one, other, strict=True):
            assert close(p_value, p_other)
            assert close(effect.value, effect_other.value)


def outcomes_of(result: Any) -> tuple[TestOutcome, ...]:
    return result.outcomes if isinstance(result, FamilyOutcome) else (result,)


def levels_about_p(result: Any) -> list[float]:
    """Levels just above and below 1 - p: a test that is not the inversion of its interval is told there."""
    found = [one.p_value for one in outcomes_of(result) if one.p_value is not None]
    return [1 - p * near for p in found[:1] if 0.005 < p < 0.45 for near in (0.95, 1.05)]


@pytest.mark.parametrize("seed", SEEDS)
class TestEveryTest:
    @of(*TESTS, law="decides")
    def test_the_interval_decides(self, method: Method, seed: int) -> None:
        evidence = examples(method.takes, seed)
        for level in (*LEVELS, *levels_about_p(result_of(method.id, seed))):
            for outcome in outcomes_of(run(method, evidence, level=level)):
                interval = outcome.effect.interval
                if interval is None or outcome.p_value is None:
                    continue
                codes = {note.code for note in outcome.notes}
                margin = abs(outcome.p_value - (1 - level))
                if margin < 1e-9 or "interval-gap" in codes:
                    continue
                rejects = outcome.p_value <= 1 - level
                assert rejects == (not interval.contains(outcome.null)), (level, outcome)

    @of(*TESTS, law="swap", shapes=SWAPS)
    def test_swapping_mirrors_the_answer(self, method: Method, seed: int) -> None:
        evidence = examples(method.takes, seed)
        one = result_of(method.id, seed)
        other = run(method, swapped(method.takes, evidence))
        for (p_value, effect), (p_other, mirrored) in zip(
            effects(one), effects(other), strict=True
        ):
            assert close(p_value, p_other)
            if effect.value is not None and mirrored.value is not None:
                assert close(effect.value, -mirrored.value)
            if effect.interval is not None and mirrored.interval is not None:
                assert close(effect.interval.low, -mirrored.interval.high)
                assert close(effect.interval.high, -mirrored.interval.low)

    @of(*TESTS, law="shift", shapes=("pairs", "blocks"))
    def test_a_constant_per_block_changes_nothing(self, method: Method, seed: int) -> None:
        evidence = examples(method.takes, seed)
        one = effects(result_of(method.id, seed))
        other = effects(run(method, shifted(method.takes, evidence, seed)))
        for (p_value, effect), (p_other, effect_other) in zip(one, other, strict=True):
            assert close(p_value, p_other)
            assert close(effect.value, effect_other.value)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.id)
class TestEveryRecord:
    def test_is_complete(self, method: Method) -> None:
        assert method.question.endswith("?")
        assert method.assumes or method.gives == "adjustment"
        assert method.reference
        assert method.summary.endswith((".", ":"))

    def test_wrong_evidence_is_named(self, method: Method) -> None:
        count = sum(
            parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.VAR_POSITIONAL)
            and parameter.default is parameter.empty
            for parameter in inspect.signature(method.function).parameters.values()
        )
        with pytest.raises(AssayError):
            method.function(*["nonsense" for _ in range(max(count, 1))])


def test_posteriors_are_probabilities() -> None:
    for method in METHODS:
        if method.gives == "posterior":
            result = run(method, examples(method.takes, 0))
            assert isinstance(result, Posterior)
            assert math.isclose(result.p_left + result.p_rope + result.p_right, 1.0, abs_tol=1e-9)


LEAST_RESAMPLES = {
    "aso": 2, "multi_aso": 2, "simultaneous_bootstrap": 2,
    "best_of": 20,
    "akinshin_gamma": 39, "interquartile_mean": 39, "optimality_gap": 39,  # for tails of 2.5 %
    "rank_sets": 100, "winner_score": 100,
}  # fmt: skip
"""Methods that need more than one resample."""
RESAMPLED = [one for one in METHODS if "n_resamples" in one.parameters]


@pytest.mark.parametrize("method", RESAMPLED, ids=lambda method: method.id)
def test_the_fewest_resamples_are_taken(method: Method) -> None:
    fewest = LEAST_RESAMPLES.get(method.id, 1)
    evidence = examples(method.takes, 1)
    if method.id != "measure_against":  # nothing is drawn of these examples
        with pytest.raises(AssayError, match="n_resamples"):
            run(method, evidence, n_resamples=fewest - 1)
    try:
        run(method, evidence, n_resamples=fewest)
    except AssayError as error:
        assert "n_resamples" not in str(error)  # noqa: PT017 (other reasons are no concern here)
