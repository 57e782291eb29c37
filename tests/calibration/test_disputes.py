"""Rare disputes on clustered and weighted items: the truth, and batched answers beside the public ones."""

import numpy as np
import pytest

from calibration import dispute_families
from calibration.cluster_worlds import World
from calibration.designs.cells import Job
from calibration.designs.means import Disagreement
from calibration.disputes import _check, differences, dispute_jobs, dispute_page, measured, truth

CLUSTERS = World(clusters=8, sizes="10", prevalence=0.5, separation=0.0, correlation=0.1)
WEIGHTS = World(clusters=40, sizes="1", prevalence=0.5, separation=0.0, weights="uneven")


@pytest.mark.parametrize("world", [CLUSTERS, WEIGHTS], ids=["clusters", "weights"])
class TestDisputes:
    def test_batched_answers_are_the_public_ones(self, world: World) -> None:
        (found,) = measured(world, 0.2, np.random.default_rng(1), 5)
        assert found.counts["n"] == 5
        assert found.counts["width"] >= found.counts["t_width"]

    def test_the_truth_is_the_mean_of_many(self, world: World) -> None:
        rng = np.random.default_rng(2)
        values = differences(world, 0.2, np.ones((200, 100, 20), bool), rng)
        assert values.mean() == pytest.approx(truth(0.2), abs=0.003)

    def test_a_difference_stops_the_run(self, world: World) -> None:
        rng = np.random.default_rng(3)
        drawn = world.draw(1, 1, rng)
        with pytest.raises(Disagreement, match="from assay"):
            _check(drawn, differences(world, 0.2, drawn.there, rng), 0, (0.0, 1.0))


@pytest.mark.parametrize(
    "job", dispute_families.dispute_family_jobs()[::3], ids=lambda job: job.name
)
class TestFamilies:
    def test_all_ends_are_those_of_compare(self, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(dispute_families, "CHECKED", 3)
        (found,) = job.run(np.random.default_rng(5), 3)
        assert found.counts["n"] == 3
        assert found.counts["width"] >= found.counts["t_width"] > 0.0

    def test_other_ends_stop_the_run(self, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
        ends = dispute_families.Families.plain
        monkeypatch.setattr(dispute_families.Families, "limits", ends)
        with pytest.raises(Disagreement, match="from assay"):
            job.run(np.random.default_rng(5), 3)


def test_every_cell_has_a_name_of_its_own() -> None:
    names = [job.name for job in dispute_jobs()]
    assert len(names) == len(set(names)) == 32


def test_the_page_has_a_column_for_each_kind() -> None:
    rng = np.random.default_rng(4)
    found = [*measured(CLUSTERS, 0.2, rng, 4), *measured(WEIGHTS, 0.2, rng, 4)]
    head, _, *rows = dispute_page(found).splitlines()
    assert (
        head
        == "| clusters | items in each | 20% in dispute, correlation 0.1 | 20% in dispute, weights | test sets |"
    )
    assert [row.split(" | ")[0] for row in rows] == ["| 40", "| 8"]
