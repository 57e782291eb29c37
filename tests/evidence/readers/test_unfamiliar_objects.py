"""Sources whose shape invites a wrong conclusion: read as what they are, or refused with what to type."""

import numpy as np
import pytest

import assay

SEEDS, EPISODES = 3, 50


def episodes_of_seeds(models=("dqn", "a2c")):
    """Rewards that vary from seed to seed far more than from episode to episode."""
    draw = np.random.default_rng(37)
    centres = {(model, seed): draw.normal(100, 20) for model in models for seed in range(SEEDS)}
    return [
        {"algo": model, "seed": seed, "episode": episode, "reward": draw.normal(centre, 3)}
        for (model, seed), centre in centres.items()
        for episode in range(EPISODES)
    ]


class TestScoresInsideASeed:
    def test_episodes_are_averaged_and_seeds_are_counted(self):
        rows = episodes_of_seeds()
        means = [
            {
                "algo": model,
                "seed": seed,
                "reward": np.mean(
                    [r["reward"] for r in rows if (r["algo"], r["seed"]) == (model, seed)]
                ),
            }
            for model in ("dqn", "a2c")
            for seed in range(SEEDS)
        ]
        ours = assay.compare(rows, repeat="episode").verdicts[0].outcome
        plain = assay.compare(means).verdicts[0].outcome
        assert ours.effect.n == 2 * SEEDS
        assert ours.p_value == pytest.approx(plain.p_value, rel=1e-9)
        assert ours.effect.interval.low == pytest.approx(plain.effect.interval.low, rel=1e-9)

    def test_the_first_line_says_so(self):
        found = assay.read(episodes_of_seeds(), repeat="episode").summary()
        assert found.n == SEEDS
        assert found.description.endswith("reward, 50 scores each, averaged.")

    def test_a_single_model_a_gate_and_a_pilot_count_seeds_too(self):
        rows = episodes_of_seeds()
        for one in assay.evaluate(rows, repeat="episode").estimates:
            assert one.n == SEEDS
        gate = assay.gate(rows, repeat="episode", baseline="dqn", margin=5.0)
        assert {one.verdict.outcome.effect.n for one in gate.comparisons} == {2 * SEEDS}
        plan = assay.plan(pilot=assay.read(rows, repeat="episode"), difference=5.0)
        assert "3 seeds of each model" in str(plan)

    def test_folds_inside_a_seed_are_averaged_where_seeds_are_asked_for(self):
        draw = np.random.default_rng(5)
        rows = [
            {"model": model, "seed": seed, "fold": fold, "accuracy": draw.uniform(0.6, 0.9)}
            for model in "ab"
            for seed in range(4)
            for fold in range(5)
        ]
        found = assay.compare(rows, unit="seed").verdicts[0].outcome
        assert found.effect.n == 8
