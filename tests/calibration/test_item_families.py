"""Families without clusters: batched p-values beside the public ones, Holm's steps, and what counts as short."""

import numpy as np
import pytest
from scipy.special import stdtr

from calibration import item_families, several_questions
from calibration.designs.cells import Found, Job, Table
from calibration.designs.means import Disagreement
from calibration.short_cells import judged, short_page


class TestFiveModels:
    @pytest.mark.parametrize("name", item_families.WORLDS)
    def test_batched_p_values_are_the_public_ones(self, name: str) -> None:
        """The first families of a batch go through `simultaneous_bootstrap`."""
        (found,) = item_families.measured(name, 30, np.random.default_rng(1), 40)
        assert found.counts["n"] == 40
        assert found.counts["family_wise@0.05"] <= 10

    def test_what_surely_differs_nowhere_is_not_drawn(self) -> None:
        losses = item_families.lognormal(np.random.default_rng(2), (60, 30))
        far = item_families._farthest(losses).max(axis=1)
        p = np.array([item_families._p_values(own, row).min() for row, own in enumerate(losses)])
        spared = 2.0 * stdtr(29.0, -far) > item_families.SURELY
        assert spared.sum() > 20
        assert p[spared].min() > 0.05

    def test_a_difference_stops_the_run(self) -> None:
        losses = item_families.lognormal(np.random.default_rng(3), (1, 30))[0]
        with pytest.raises(Disagreement, match="from assay"):
            item_families._check(losses, 0, np.zeros(10))

    def test_few_items_keep_the_family_wise_error(self) -> None:
        """Without the drawn standard errors 55 of these 500 families have a false difference."""
        (found,) = item_families.measured(
            "Brier, exchangeable models", 20, np.random.default_rng(4), 500
        )
        assert found.counts["family_wise@0.05"] <= 30


class TestSeveralQuestions:
    @pytest.mark.parametrize("job", several_questions.question_jobs(), ids=lambda job: job.name)
    def test_batched_p_values_are_the_public_ones(self, job: Job) -> None:
        (found,) = job.run(np.random.default_rng(5), 30)
        assert found.counts["family_wise@0.05"] <= 8

    def test_holm_steps_down_and_leaves_out_what_is_undefined(self) -> None:
        p = np.array([[0.012, 0.04, np.nan, 0.02], [0.02, 0.04, 0.03, 0.05]])
        assert several_questions.holm(p).tolist() == [[True, True, False, True], [False] * 4]


def cell(hits: float, name: str, clusters: int) -> Found:
    parameters = ("clusters", "sizes", "prevalence")
    table = Table(
        procedure="clusters", answers="compare", world="measures", unit="item",
        parameters=parameters, measure="f1",
    )  # fmt: skip
    counts = {"n": 20_000.0, name: hits}
    return Found(table=table, at=(clusters, "10", 0.5), replicates=20_000, counts=counts)


class TestShortCells:
    @pytest.mark.parametrize(
        ("hits", "name", "clusters", "short"),
        [
            (1230, "level@0.05", 10, True),
            (1180, "level@0.05", 10, False),  # Monte-Carlo error could explain it
            (1230, "family_wise@0.05", 6, False),  # the limit is 6 % there
            (18_540, "coverage@0.05", 10, True),
            (18_540, "coverage@0.05", 6, False),
        ],
    )
    def test_the_rule_of_each_cell(
        self, hits: int, name: str, clusters: int, *, short: bool
    ) -> None:
        (found,) = judged([cell(hits, name, clusters)])
        assert found.short is short

    def test_the_page_counts_and_names_them(self) -> None:
        cells = judged([cell(1230, "level@0.05", 10), *[cell(900, "level@0.05", 20)] * 9])
        told = short_page(cells, judged([cell(1260, "level@0.05", 10)]))
        assert (
            "have 10 cells with a limit. Of these 1 surely miss it (10.0%; at most 3% may)." in told
        )
        assert (
            "| f1, clusters 10, sizes 10, prevalence 0.5 | level | 6.2% | 6.3% | 5.5% | 20,000 |"
            in told
        )
