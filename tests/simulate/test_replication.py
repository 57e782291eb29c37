"""Dietterich and Nadeau and Bengio again: the designs, the tests, and who errs."""

import numpy as np
import pytest

from assay.hypotheses.resampled_scores import corrected_resampled_t
from assay.simulate.calibration.judge import keeps
from assay.simulate.replication import (
    PAIRS,
    TESTS,
    answers,
    p_values,
    replicate,
    replication_jobs,
    summary,
    true_accuracies,
)
from assay.simulate.worlds.folds import Folds

WORLD = Folds(learners="centroid", population="two-gaussians")


class TestAnswers:
    def test_every_design_is_there(self) -> None:
        found = answers(WORLD, 60, np.random.default_rng(1))
        assert [one.size for one in found.single] == [20, 20]
        assert [one.size for one in found.resampled] == [30, 30]
        assert [one.size for one in found.folds] == [10, 10]
        assert [one.size for one in found.halves] == [10, 10]
        assert all(0.0 <= one.min() <= one.max() <= 1.0 for one in (*found.folds, *found.halves))

    def test_p_values_are_those_of_the_public_methods(self) -> None:
        found = answers(WORLD, 60, np.random.default_rng(2))
        p = p_values(found)
        assert tuple(p) == TESTS
        assert p["corrected 10-fold t"] == corrected_resampled_t(*found.folds, folds=10).p_value


class TestReplicate:
    def test_the_resampled_t_errs_and_its_correction_does_not(self) -> None:
        """As published: one calls a large part of exchangeable learners different, one does not."""
        found = replicate("centroid", "two-gaussians", 0.0, np.random.default_rng(3), 150)
        rates = {one.table.procedure: one.counts.get("level@0.05", 0.0) for one in found}
        assert not keeps(rates["resampled t"], 150, at_most=0.10)
        for test in ("corrected resampled t", "corrected 10-fold t", "McNemar", "5x2 t"):
            assert keeps(rates[test], 150, at_most=0.10), test

    def test_a_learner_that_sees_noise_is_found_worse(self) -> None:
        found = replicate("centroid", "two-gaussians", 2.0, np.random.default_rng(4), 30)
        (difference,) = {one.facts["difference"] for one in found}
        assert difference > 0.1
        table = summary(found)
        ((at, rates),) = table.items()
        assert at == ("centroid", "two-gaussians", 2.0)
        assert rates["corrected resampled t"][0] > 0.3

    def test_exchangeable_learners_are_equally_good(self) -> None:
        a, b = true_accuracies(WORLD, 100, np.random.default_rng(5))
        assert a == pytest.approx(b, abs=0.01)

    def test_jobs(self) -> None:
        jobs = replication_jobs()
        assert len(jobs) == len(PAIRS) * 5
        assert {job.world for job in jobs} == {"replication"}
