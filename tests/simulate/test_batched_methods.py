"""Batched methods answer as the methods do, call by call."""

from typing import Any

import numpy as np
import pytest

from assay.core.methods import catalogue, find_method
from assay.core.rng import stream
from assay.simulate.answer_arrays import Answers, answer_all
from assay.simulate.answer_collection import answer
from assay.simulate.batched_methods import FORMS, placements
from assay.simulate.trial_settings import make_trial
from assay.simulate.worlds import make_world

ROWS = 25
CASES: list[tuple[str, dict[str, Any]]] = [
    ("one_sample_t", {"world": "normal"}),
    ("one_sample_t", {"world": "zero-inflated", "options": {"null": 0.3, "alternative": "greater"}}),
    ("mean_t", {"world": "lognormal", "options": {"level": 0.8, "alternative": "less"}}),
    ("paired_t", {"world": "normal", "mean": 100.0, "correlation": 0.5}),
    ("paired_t", {"world": "paired-labels", "discordant": 0.05}),
    ("mean_of_pairs", {"world": "t3", "options": {"level": 0.99}}),
    ("two_sample_t", {"world": "uniform"}),
    ("two_sample_t", {"world": "independent-labels", "p": 0.05, "sizes": (12, 30)}),
    ("two_sample_t", {"world": "runs", "options": {"variant": "pooled", "alternative": "less"}}),
    ("wilcoxon", {"world": "normal"}),
    ("wilcoxon", {"world": "datasets", "noise": "rounded-2-decimals"}),
    ("wilcoxon", {"world": "zero-inflated", "options": {"zeros": "pratt"}}),
    ("wilcoxon", {"world": "normal", "options": {"method": "normal", "correct": True}}),
    ("wilcoxon", {"world": "normal", "options": {"alternative": "less"}}),
    ("wilcoxon", {"world": "normal", "options": {"alternative": "greater", "method": "normal"}}),
    ("wilcoxon", {"world": "paired-labels", "discordant": 0.02}),
    ("mcnemar", {"world": "paired-labels"}),
    ("mcnemar", {"world": "paired-labels", "options": {"variant": "exact"}}),
    ("mcnemar", {"world": "paired-labels", "options": {"alternative": "less"}}),
    ("anytime_mean_difference", {"world": "paired-labels"}),
    (
        "anytime_mean_difference",
        {"world": "uniform", "sd": 0.5, "options": {"bound": 3.0, "null": 0.1, "alternative": "less"}},
    ),
    ("delong", {"world": "scores"}),
    ("delong", {"world": "scores", "auc": 0.99, "levels": 5, "prevalence": 0.2}),
    ("delong_test", {"world": "scores", "correlation": 0.9}),
    ("delong_test", {"world": "scores", "levels": 5, "auc": 0.95, "options": {"alternative": "less"}}),
    ("delong_test", {"world": "scores", "auc": 0.999, "prevalence": 0.1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given"), CASES)
@pytest.mark.parametrize("n", [12, 61])
def test_equal_to_the_method_call_by_call(name: str, given: dict[str, Any], n: int) -> None:
    settings = dict(given)
    options = settings.pop("options", {})
    world = make_world(settings.pop("world"), **settings)
    method = find_method(name)
    arrays = world.draw(ROWS, n, stream(3, n), takes=method.takes)
    ends = FORMS[method.batched_by or ""].has_interval
    question = "error" if not ends or method.gives == "test" else "coverage"
    told = {key: value for key, value in options.items() if key != "level"}
    trial = make_trial(name, world, n, None, 0.95, question, ROWS, told, {})
    quick = answer(trial, arrays, options, stream(1), None)
    slow = answer_all(method, method.takes, arrays, options, seeds=None)
    assert_alike(quick, slow, p=method.gives == "test", ends=ends)


def assert_alike(quick: Answers, slow: Answers, *, p: bool, ends: bool) -> None:
    if p:
        np.testing.assert_allclose(quick.p, slow.p, rtol=1e-9, atol=1e-13)
    if ends:
        for one in ("value", "low", "high"):
            np.testing.assert_allclose(getattr(quick, one), getattr(slow, one), atol=1e-11)
    assert quick.measure == slow.measure
    assert quick.null == slow.null
    assert quick.alternative == slow.alternative


def test_every_batched_form_is_compared() -> None:
    batched = {name: one.batched_by for name, one in catalogue().items() if one.batched_by}
    assert {name for name, _ in CASES} == set(batched)
    assert set(batched.values()) == set(FORMS)


def test_large_samples_use_the_normal_approximation_as_the_method_does() -> None:
    arrays = make_world("normal").draw(2, 1500, stream(1))
    trial = make_trial("wilcoxon", "normal", 1500, None, 0.95, "error", 2, {}, {})
    quick = answer(trial, arrays, {}, stream(1), None)
    slow = answer_all(find_method("wilcoxon"), "pairs", arrays, {}, seeds=None)
    np.testing.assert_allclose(quick.p, slow.p, rtol=1e-9)


@pytest.mark.parametrize("levels", [0, 3])
def test_placements_by_brute_force(levels: int) -> None:
    drawn = make_world("scores", levels=levels).draw(3, 15, stream(2), takes="scored-labels")
    above, below = placements(drawn["truth"], drawn["scores"])
    for row, scores in enumerate(drawn["scores"]):
        hits = drawn["truth"][0] == 1
        wins = np.sign(scores[hits][:, None] - scores[~hits][None, :]) / 2.0 + 0.5
        np.testing.assert_allclose(above[row], wins.mean(axis=1))
        np.testing.assert_allclose(below[row], wins.mean(axis=0))
