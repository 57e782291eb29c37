"""How many labels, and which items next."""

import numpy as np
import pytest

import assay
from assay.core.errors import UsageError
from assay.evidence.judged_items import Judged, read_judged
from assay.plan.labels import spread_of
from assay.plan.next_items import inclusion, next_items, systematic

RNG = np.random.default_rng(3)
N = 4000
RIGHT = (RNG.random(N) < 0.7).astype(float)
SURE = RNG.random(N) < 0.7
JUDGE = np.where(SURE, np.where(RIGHT == 1, 0.97, 0.03), RNG.uniform(0.3, 0.7, N)).round(2)


def judged(labels: int, seed: int = 0) -> Judged:
    seen = np.zeros(N, dtype=bool)
    seen[np.random.default_rng(seed).permutation(N)[:labels]] = True
    columns = {"id": np.arange(N), "human": np.where(seen, RIGHT, np.nan), "gpt": JUDGE}
    return read_judged(columns, truth="human", judge="gpt", correct=True)


class TestHowMany:
    def test_evidence_in_place_of_a_measure_is_told_its_argument(self) -> None:
        with pytest.raises(UsageError, match="pilot="):
            assay.plan(judged(200), difference=0.05, power=0.8)  # type: ignore[arg-type]

    def test_power_and_labels_are_inverse(self) -> None:
        evidence = judged(200)
        needed = assay.plan(pilot=evidence, difference=0.05, power=0.8)
        assert needed.n is not None
        back = assay.plan(pilot=evidence, n=needed.n, difference=0.05)
        assert back.power == pytest.approx(0.8, abs=0.01)

    def test_a_good_judge_saves_labels(self) -> None:
        found = assay.plan(pilot=judged(200), half_width=0.05)
        assert found.n is not None
        assert found.n < 0.6 * dict(found.details)["labels_alone"]  # type: ignore[operator]

    def test_too_few_judged_items_are_said(self) -> None:
        found = assay.plan(pilot=judged(200), half_width=0.001)
        assert found.n is None
        assert "too few" in found.sentence

    def test_labels_without_an_error_do_not_say_that_there_is_none(self) -> None:
        """Once three labels were enough for any half-width that the judged items allow."""
        right = (np.arange(N) % 3 > 0).astype(float)
        people = np.where(np.random.default_rng(1).permutation(N) < 80, right, np.nan)
        found = assay.plan(
            pilot=read_judged(
                {"human": people, "gpt": right}, truth="human", judge="gpt", correct=True
            ),
            half_width=0.03,
        )
        assert found.n is not None
        assert 80 < found.n < 0.3 * dict(found.details)["labels_alone"]  # type: ignore[operator]

    def test_a_judge_that_is_no_help_asks_for_no_more_labels_than_none(self) -> None:
        rng = np.random.default_rng(2)
        people = np.where(rng.permutation(N) < 60, RIGHT, np.nan)
        columns = {"human": people, "gpt": rng.integers(0, 2, N)}
        found = assay.plan(
            pilot=read_judged(columns, truth="human", judge="gpt", correct=True), half_width=0.05
        )
        assert found.n == dict(found.details)["labels_alone"]
        assert "does not lower" in found.sentence

    def test_the_worth_of_a_judge_is_counted_in_labels(self) -> None:
        assert spread_of(judged(200))[0].worth > 300


class TestNext:
    def test_so_many_new_items_with_chances(self) -> None:
        evidence = judged(100)
        found = next_items(evidence, 50, rng=1)
        assert len(found.items) == 50
        assert not set(found.items) & set(evidence.graded())
        assert found.chances.sum() == pytest.approx(150, rel=0.02)

    def test_unsure_items_come_first(self) -> None:
        found = next_items(judged(200), 400, rng=1)
        assert SURE[found.items].mean() < 0.6  # 0.7 of all items are sure

    def test_chances_never_exceed_one(self) -> None:
        chances = inclusion(np.array([100.0, 1.0, 1.0, 1.0]), 2.0)
        assert chances.sum() == pytest.approx(2.0)
        assert chances[0] == 1.0

    def test_items_are_drawn_with_their_chances(self) -> None:
        chances = np.array([0.9, 0.5, 0.3, 0.2, 0.1])
        rng = np.random.default_rng(0)
        hits = np.zeros(5)
        for _ in range(4000):
            drawn = systematic(chances, rng)
            assert len(drawn) == 2
            hits[drawn] += 1
        assert hits / 4000 == pytest.approx(chances, abs=0.03)

    def test_the_estimate_uses_the_chances(self) -> None:
        """Two rounds, over and over: the interval holds the truth about as often as it says."""
        covered = 0
        for seed in range(60):
            evidence = judged(60, seed)
            found = next_items(evidence, 60, rng=seed)
            both = np.union1d(found.items, evidence.graded())
            human = np.full(N, np.nan)
            human[both] = RIGHT[both]
            columns = {"human": human, "gpt": JUDGE, "chance": found.chances}
            one = assay.evaluate(
                columns, truth="human", judge="gpt", labelled_at="probability:chance", correct=True
            ).estimates[0]
            assert one.interval is not None
            covered += one.interval.contains(float(RIGHT.mean()))
        assert covered >= 52  # 57 expected; below 52 has a chance of 1 in 200

    def test_more_than_there_are(self) -> None:
        with pytest.raises(UsageError, match="fewer"):
            next_items(judged(100), N, rng=1)


class TestDoubt:
    """How expected errors follow a judge's own doubt."""

    def chances(self, timid: float) -> float:
        """The truth follows a sharper probability than the judge says (more than 1), or none at all (0)."""
        rng = np.random.default_rng(6)
        said = rng.uniform(0.02, 0.98, N)
        odds = (said / (1.0 - said)) ** timid
        right = (rng.random(N) < odds / (1.0 + odds)).astype(float)
        right[400:] = np.nan
        columns = {"human": right, "gpt": said}
        found = next_items(
            read_judged(columns, truth="human", judge="gpt", correct=True), 100, rng=1
        )
        middle = np.abs(said - 0.5) < 0.1
        new = found.chances - 400 / N  # the first labels were drawn with the same chance for all
        return float(new[middle].mean() / new[~middle].mean())

    def test_a_timid_judge_is_asked_where_it_doubts_and_a_blind_one_everywhere(self) -> None:
        assert self.chances(3.0) > 1.3 * self.chances(0.0)
        assert self.chances(0.0) == pytest.approx(1.0, abs=0.25)
