"""Dietterich and Nadeau and Bengio again: the designs, the tests, and who errs."""

import numpy as np
import pytest

from assay.hypotheses.resampled_scores import corrected_resampled_t
from assay.simulate.worlds.folds import Folds
from calibration.designs import two_algorithms
from calibration.designs.criteria import keeps
from calibration.designs.means import Disagreement
from calibration.designs.two_algorithms import (
    PAIRS,
    TESTS,
    answers,
    batched_p_values,
    p_values,
    replicate,
    replication_jobs,
    summary,
    true_accuracies,
)

WORLD = Folds(learners="centroid", population="two-gaussians")


class TestAnswers:
    def test_every_design_is_there(self) -> None:
        found = answers(WORLD, 60, 3, np.random.default_rng(1))
        assert [one.shape for one in found.single] == [(3, 20), (3, 20)]
        assert [one.shape for one in found.resampled] == [(3, 30), (3, 30)]
        assert [one.shape for one in found.folds] == [(3, 10), (3, 10)]
        assert [one.shape for one in found.halves] == [(3, 10), (3, 10)]
        assert all(0.0 <= one.min() <= one.max() <= 1.0 for one in (*found.folds, *found.halves))

    def test_p_values_are_those_of_the_public_methods(self) -> None:
        drawn = answers(WORLD, 60, 20, np.random.default_rng(2))
        found = drawn.sample(0)
        p = p_values(found)
        assert tuple(p) == TESTS
        assert p["corrected 10-fold t"] == corrected_resampled_t(*found.folds, folds=10).p_value
        batched = batched_p_values(drawn)
        for row in range(20):
            for test, own in p_values(drawn.sample(row)).items():
                theirs = np.nan if own is None else own
                assert batched[test][row] == pytest.approx(theirs, nan_ok=True)

    def test_a_difference_stops_the_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(two_algorithms, "mcnemar_p_values", lambda cells: np.full(5, 0.123))
        with pytest.raises(Disagreement, match=r"McNemar: .* from the method"):
            replicate("centroid", "two-gaussians", 0.0, np.random.default_rng(3), 5)


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
