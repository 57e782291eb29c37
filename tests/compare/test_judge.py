"""`assay.judge`: agreement, bias, position, drift, several judges, worth."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.report import render

RNG = np.random.default_rng(9)
N = 2000
RIGHT = (RNG.random(N) < 0.7).astype(float)
LENGTH = RNG.integers(20, 900, N)
SEEN = RNG.random(N) < 0.15


def verdicts(hit: float, false: float, sway: float = 0.0) -> np.ndarray:
    chance = np.where(RIGHT == 1, hit, false) + sway * (LENGTH - 450) / 900
    return (RNG.random(N) < chance).astype(float)


EVIDENCE = {
    "human": np.where(SEEN, RIGHT, np.nan),
    "gpt": verdicts(0.85, 0.2, 0.4),
    "claude": verdicts(0.95, 0.08),
    "coin": verdicts(0.5, 0.5),
    "length": LENGTH,
    "family": np.where(RNG.random(N) < 0.5, "own", "other"),
}
ONE = {"human": EVIDENCE["human"], "gpt": EVIDENCE["gpt"]}


class TestAgreement:
    def test_a_column_for_each_model_is_one_judge(self) -> None:
        other = (RNG.random(N) < 0.6).astype(float)
        columns = {
            "human_a": EVIDENCE["human"], "human_b": np.where(SEEN, other, np.nan),
            "gpt_a": EVIDENCE["gpt"], "gpt_b": np.where(RNG.random(N) < 0.9, other, 1.0 - other),
        }  # fmt: skip
        found = assay.judge(
            columns, truth=["human_a", "human_b"], judge=["gpt_a", "gpt_b"], correct=True
        )
        assert found.sentence.startswith("gpt_a + gpt_b agrees with people on")

    def test_shares_by_class_are_counted(self) -> None:
        found = assay.judge(ONE, truth="human", judge="gpt")
        by = {one.measure: one for one in found.estimates}
        own, said = RIGHT[SEEN], EVIDENCE["gpt"][SEEN]
        assert by["agreement"].value == pytest.approx((own == said).mean())
        assert by["agreement where people say 1"].value == pytest.approx(said[own == 1].mean())
        assert by["judge minus people"].value == pytest.approx((said - own).mean())
        assert {"kappa", "AC1", "alpha"} <= set(by)

    def test_evidence_that_was_read_before_says_the_same(self) -> None:
        told: dict[str, Any] = {"truth": "human", "judge": "gpt", "labelled_at": "random"}
        assert assay.judge(assay.read(ONE, **told)).sentence == assay.judge(ONE, **told).sentence

    def test_grades_alone_are_no_accuracy(self) -> None:
        """Nobody said that a grade of 1 is right; and a share where people say 1 rests on those."""
        kind = np.random.default_rng(4).random(N) < 0.6
        lenient = {"human": EVIDENCE["human"], "gpt": np.where(kind, 1.0, RIGHT)}
        found = assay.judge(lenient, truth="human", judge="gpt")
        (misled,) = [one for one in found.notes if one.code == "judge-misleads"]
        assert "mean grade by the judge's grades alone, 0." in misled.message
        assert "accuracy" not in misled.message
        text = render(found, width=100) or ""
        (row,) = [
            one for one in text.splitlines() if one.startswith("agreement where people say 1")
        ]
        assert f" {int(RIGHT[SEEN].sum())} " in f"{row} "

    def test_a_judge_on_another_scale_agrees_with_nobody(self) -> None:
        people = np.random.default_rng(3).integers(1, 6, N).astype(float)
        columns = {"human": np.where(SEEN, people, np.nan), "gpt": 20.0 * people - 10.0}
        found = assay.judge(columns, truth="human", judge="gpt", labelled_at="random")
        assert found.sentence.startswith("gpt grades on another scale than people")
        assert found.estimates == ()
        assert found.answers[0].judge_alone is None
        assert "judge-misleads" not in [one.code for one in found.notes]
        assert render(found, width=80)

    def test_the_answer_stands_three_ways(self) -> None:
        answer = assay.judge(ONE, truth="human", judge="gpt").answers[0]
        assert answer.judge_alone == pytest.approx(EVIDENCE["gpt"].mean())
        assert answer.people_alone.value == pytest.approx(RIGHT[SEEN].mean())
        assert answer.corrected.interval is not None

    def test_ratings(self) -> None:
        people = RNG.integers(1, 6, N).astype(float)
        judge = np.clip(people + RNG.integers(-1, 2, N) + 0.5, 1, 5)
        found = assay.judge(
            {"human": np.where(SEEN, people, np.nan), "gpt": judge},
            truth="human",
            judge="gpt",
            lower_is_better=False,
        )
        assert "alpha (interval)" in [one.measure for one in found.estimates]


class TestSway:
    def test_length_is_found_and_family_is_not(self) -> None:
        evidence = {name: EVIDENCE[name] for name in ("human", "gpt", "length", "family")}
        found = assay.judge(evidence, truth="human", judge="gpt", bias="length,family")
        p = {title.split()[1]: one.p_value or 0.0 for title, one in found.tests}
        assert p["length"] < 0.01
        assert p["family"] > 0.05
        assert "depend on length" in found.sentence

    def test_position(self) -> None:
        first = RNG.choice(["first", "second"], N)
        turned = np.where(first == "first", "second", "first")
        swapped = np.where(RNG.random(N) < 0.8, turned, "first")
        evidence = {"human": np.where(SEEN, first, ""), "gpt": first, "swapped": swapped}
        found = assay.judge(evidence, truth="human", judge="gpt", swap="swapped", positive="first")
        ((title, test),) = found.tests
        assert title.startswith("position")
        assert test.effect.value == pytest.approx(
            ((first == "first") & (swapped == "first")).mean()
        )
        assert test.rejects(0.001)

    def test_drift(self) -> None:
        again = np.where(RNG.random(N) < 0.9, EVIDENCE["gpt"], 1.0)
        found = assay.judge({**ONE, "june": again}, truth="human", judge="gpt", again="june")
        assert found.tests[0][1].rejects(0.001)
        assert found.tests[0][1].effect.value > 0  # type: ignore[operator]

    def test_a_covariate_that_is_not_there(self) -> None:
        with pytest.raises(UsageError, match="no column 'style'"):
            assay.judge(ONE, truth="human", judge="gpt", bias="style")

    def test_a_covariate_of_one_value(self) -> None:
        with pytest.raises(EvidenceError, match="one value only"):
            assay.judge({**ONE, "length": np.ones(N)}, truth="human", judge="gpt", bias="length")


class TestSeveralJudges:
    def test_the_coin_is_not_worth_keeping(self) -> None:
        evidence = {name: EVIDENCE[name] for name in ("human", "gpt", "claude", "coin")}
        found = assay.judge(evidence, truth="human", judge="gpt,claude,coin")
        kept = {one.judge: one.keep for one in found.worths}
        assert kept["claude"]
        assert not kept["coin"]
        worth = {one.judge: one.worth for one in found.worths}
        assert worth["claude"] > worth["gpt"] > worth["coin"]


class TestMargin:
    def test_enough_or_how_many(self) -> None:
        easy = assay.judge(ONE, truth="human", judge="gpt", margin=0.2)
        hard = assay.judge(ONE, truth="human", judge="gpt", margin=0.05)
        assert easy.enough
        assert not hard.enough
        assert hard.labels_needed is None or hard.labels_needed > SEEN.sum()


class TestResult:
    def test_it_has_every_form(self, tmp_path: Path) -> None:
        found = assay.judge(ONE, truth="human", judge="gpt")
        assert assay.from_json(found.to_json()) == found
        assert "judge alone" in found.to_markdown()
        assert "agreement" in found.to_latex()
        assert next(iter(found.to_frame()["agreement"])) == "agreement"
        found.save(tmp_path / "judge.html")
        assert "judge alone" in (tmp_path / "judge.html").read_text(encoding="utf-8")

    def test_without_a_judge(self) -> None:
        with pytest.raises(UsageError, match="judge="):
            assay.judge(ONE, truth="human")


def test_a_judge_beside_labels_of_every_item_is_not_called_useless() -> None:
    graded = {"id": range(60), "human": [0, 1, 1] * 20, "judge": [0, 1, 1] * 20}
    found = assay.judge(graded, truth="human", judge="judge", correct=True)
    assert "People labelled every item, so its grades add nothing here." in found.sentence
    some = {**graded, "human": [g if i < 40 else None for i, g in enumerate(graded["human"])]}
    found = assay.judge(some, truth="human", judge="judge", correct=True)
    assert "People labelled every item" not in found.sentence
