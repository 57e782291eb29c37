"""`compare`, `gate`, `board` and `evaluate` with a judge."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.questions import AmbiguousEvidence

RNG = np.random.default_rng(21)
N = 3000
TRUTH = (RNG.random(N) < 0.4).astype(int)
MODELS = {
    m: np.where(RNG.random(N) < right, TRUTH, 1 - TRUTH)
    for m, right in (("a", 0.9), ("b", 0.8), ("c", 0.78))
}
GPT = np.where(RNG.random(N) < np.where(TRUTH == 1, 0.97, 0.85), TRUTH, 1 - TRUTH)
SEEN = RNG.random(N) < 0.1
HUMAN = np.where(SEEN, TRUTH.astype(float), np.nan)
EVIDENCE = {"id": np.arange(N), "human": HUMAN, "gpt": GPT, **MODELS}
TOLD: dict[str, Any] = {
    "truth": "human",
    "judge": "gpt",
    "models": ["a", "b", "c"],
    "labelled_at": "random",
}
PAIR: dict[str, Any] = {**TOLD, "models": ["a", "b"]}


def codes(result: object) -> list[str]:
    return [one.code for one in result.notes]  # type: ignore[attr-defined]


class TestCompare:
    def test_the_judge_sharpens_the_verdict(self) -> None:
        found = assay.compare(EVIDENCE, **PAIR)
        alone = assay.compare(
            {"y": TRUTH[SEEN], "a": MODELS["a"][SEEN], "b": MODELS["b"][SEEN]}, truth="y"
        )
        ours, theirs = (one.verdict.outcome.effect.interval for one in (found, alone))
        assert ours is not None
        assert theirs is not None
        assert found.verdict.word == "better"
        assert ours.width < 0.85 * theirs.width
        assert found.verdict.outcome.method == "judged_difference"

    @pytest.mark.parametrize("measure", ["f1", "mcc", "balanced_accuracy"])
    def test_any_measure_of_labels(self, measure: str) -> None:
        found = assay.compare(EVIDENCE, measure=measure, positive="1", **PAIR)
        whole = assay.compare(
            {"y": TRUTH, "a": MODELS["a"], "b": MODELS["b"]},
            truth="y",
            measure=measure,
            positive="1",
        )
        effect = whole.verdict.outcome.effect.value
        assert found.verdict.outcome.method == "judged_difference"
        assert found.verdict.outcome.effect.interval.contains(effect)

    def test_many_models_are_adjusted(self) -> None:
        found = assay.compare(EVIDENCE, **TOLD)
        assert (found.adjustment, found.family) == ("holm", 3)
        assert {(v.a, v.b): v.word for v in found.verdicts}["a", "b"] == "better"

    def test_a_judge_that_sees_nothing_leaves_the_labels(self) -> None:
        coin = RNG.integers(0, 2, N)
        found = assay.compare({**EVIDENCE, "gpt": coin}, **PAIR)
        alone = assay.compare(
            {"y": TRUTH[SEEN], "a": MODELS["a"][SEEN], "b": MODELS["b"][SEEN]}, truth="y"
        )
        if found.verdict.outcome.method == "mcnemar":
            assert "judge-unused" in codes(found)
            assert found.verdict.outcome.effect.interval == alone.verdict.outcome.effect.interval

    def test_undecided_points_to_the_plan(self) -> None:
        found = assay.compare(EVIDENCE, **{**TOLD, "models": ["b", "c"]}, margin=0.01)
        assert "use plan with the same evidence" in found.verdict.sentence
        assert found.verdict.needed is None

    def test_one_model_against_a_level(self) -> None:
        found = assay.compare(EVIDENCE, **{**TOLD, "models": ["a"]}, against=0.8)
        assert found.verdict.word == "better"
        assert found.verdict.outcome.p_value < 0.001

    def test_a_level_far_off_has_a_tiny_p(self) -> None:
        """Once the search asked for an interval at a level that is 1 but for rounding."""
        found = assay.compare(EVIDENCE, **{**TOLD, "models": ["a"]}, against=0.01)
        assert found.verdict.word == "better"
        assert 0.0 < found.verdict.outcome.p_value < 1e-11

    def test_a_mean_of_several_people_is_no_accuracy_and_what_it_is_called_is_said(self) -> None:
        columns = {"ann": HUMAN, "bob": np.where(np.arange(N) % 3, HUMAN, 1.0 - HUMAN), "gpt": GPT}
        told: dict[str, Any] = {"truth": "ann+bob", "judge": "gpt", "labelled_at": "random"}
        told["correct"] = True
        with pytest.raises(NotApplicable, match="take measure='mean_score'"):
            assay.gate(columns, **told, at_least={"accuracy": 0.6})
        found = assay.gate(columns, **told, at_least={"mean_score": 0.01})
        assert found.word == "passed"

    def test_slices_and_sequences_are_refused(self) -> None:
        with pytest.raises(UsageError, match="sequential"):
            assay.compare(EVIDENCE, **PAIR, sequential=True)

    def test_json_round_trip(self) -> None:
        found = assay.compare(EVIDENCE, **PAIR)
        assert assay.from_json(found.to_json()) == found


class TestEvaluate:
    def test_the_judge_alone_misleads(self) -> None:
        found = assay.evaluate(EVIDENCE, **TOLD)
        assert "judge-misleads" in codes(found)
        value = found.estimates[0].value
        assert value is not None
        assert abs(value - 0.9) < 0.04

    def test_the_sample_is_assumed_and_checked(self) -> None:
        silent: dict[str, Any] = {
            name: value for name, value in TOLD.items() if name != "labelled_at"
        }
        assert "assumed-random" in codes(assay.evaluate(EVIDENCE, **silent))
        rng = np.random.default_rng(5)
        chosen = np.where(SEEN & ((GPT == 1) | (rng.random(N) < 0.5)), TRUTH.astype(float), np.nan)
        assert "labelled-differ" in codes(assay.evaluate({**EVIDENCE, "human": chosen}, **TOLD))

    def test_labels_where_the_judge_said_so_are_refused(self) -> None:
        """Nothing corrects labels of the judge's positives only."""
        chosen = {**EVIDENCE, "human": np.where(GPT == 1, TRUTH.astype(float), np.nan)}
        for verb in (assay.evaluate, assay.compare, assay.board):
            with pytest.raises(NotApplicable, match="not a random sample"):
                verb(chosen, **TOLD)
        with pytest.raises(NotApplicable, match="selected by"):
            assay.judge(chosen, **TOLD)
        with pytest.raises(NotApplicable, match="strata:COLUMN"):
            assay.plan(pilot=chosen, difference=0.05, power=0.8, **PAIR)

    @pytest.mark.parametrize("rare", [0.0, 0.9])
    def test_a_rare_grade_among_few_labels_is_chance(self, rare: float) -> None:
        """One or two of 25 rare grades in 5,000 among 20 labels: exact p 0.19 and 0.009, by z 0.004 and 1e-9."""
        judge = np.ones(5000)
        judge[:25] = 0.0
        judge[25:50] = rare or 1.0  # with a third value no counts tell it
        told: dict[str, Any] = {"truth": "human", "judge": "gpt", "labelled_at": "random"}
        told["lower_is_better"] = False
        for hits, warned in ((1, bool(rare)), (2, True)):
            human = np.full(5000, np.nan)
            human[[*range(hits), *range(1000, 1020 - hits)]] = [0.5] * hits + [1.0] * (20 - hits)
            found = assay.evaluate({"human": human, "gpt": judge}, **told)
            assert ("labelled-differ" in codes(found)) is warned

    def test_labels_of_all_items_are_no_sample(self) -> None:
        every = {**EVIDENCE, "human": TRUTH.astype(float)}
        silent: dict[str, Any] = {k: v for k, v in TOLD.items() if k != "labelled_at"}
        assert "assumed-random" not in codes(assay.evaluate(every, **silent))

    def test_strata_undo_an_uneven_choice(self) -> None:
        """Positives by the judge were labelled six times as often."""
        rng = np.random.default_rng(4)
        seen = rng.random(N) < np.where(GPT == 1, 0.3, 0.05)
        human = np.where(seen, TRUTH.astype(float), np.nan)
        told: dict[str, Any] = {**TOLD, "models": ["b"]}
        evidence = {
            **EVIDENCE,
            "human": human,
            "verdict": GPT,
            "chance": np.where(GPT == 1, 0.3, 0.05),
        }
        whole = float((MODELS["b"] == TRUTH).mean())
        for how in ("strata:verdict", "probability:chance"):
            found = assay.evaluate(evidence, **{**told, "labelled_at": how}).estimates[0]
            assert found.interval is not None
            assert found.interval.contains(whole)

    def test_clusters_widen(self) -> None:
        conversation = np.arange(N) // 10
        copied = {name: column[conversation * 10] for name, column in EVIDENCE.items()}
        plain = assay.evaluate(copied, **{**TOLD, "models": ["a"]}, id="id")
        clustered = assay.evaluate(
            {**copied, "talk": conversation}, **{**TOLD, "models": ["a"]}, cluster="talk"
        )
        assert clustered.estimates[0].interval.width > 2 * plain.estimates[0].interval.width  # type: ignore[union-attr]

    def test_what_0_and_1_mean_is_asked(self) -> None:
        grades = {
            "human": np.where(SEEN, MODELS["a"] == TRUTH, np.nan),
            "gpt": (MODELS["a"] == GPT).astype(int),
        }
        with pytest.raises(AmbiguousEvidence, match="correct=True"):
            assay.evaluate(grades, truth="human", judge="gpt")

    def test_few_labels_are_refused(self) -> None:
        few = HUMAN.copy()
        few[np.flatnonzero(SEEN)[4:]] = np.nan
        with pytest.raises(EvidenceError, match="5 or more"):
            assay.evaluate({**EVIDENCE, "human": few}, **TOLD)

    def test_a_judge_is_read_as_every_verb_reads_it(self) -> None:
        evidence = assay.read(EVIDENCE, **TOLD)
        assert evidence.models == assay.evaluate(EVIDENCE, **TOLD).evidence.models
        assert assay.evaluate(evidence) == assay.evaluate(EVIDENCE, **TOLD)


class TestGateAndBoard:
    def test_the_gate(self) -> None:
        found = assay.gate(EVIDENCE, **PAIR, baseline="b", candidate="a", margin=0.02)
        assert (found.word, found.exit_code) == ("passed", 0)

    def test_the_board(self) -> None:
        found = assay.board(EVIDENCE, **TOLD)
        assert found.rows[0].model == "a"
        assert found.may_be_best == ("a",)
        assert found.row("c").high == 3
        assert "labelled items of 3,000 judged" in found.units

    def test_a_board_reaches_as_far_as_evaluate(self) -> None:
        """Where no label shows an error of the judge, its errors are not known to be none."""
        rng = np.random.default_rng(2)
        right = (rng.random((2, 400)) < 0.9).astype(float)
        people = np.where(np.arange(400) < 30, right, np.nan)
        columns = {"h_a": people[0], "h_b": people[1], "g_a": right[0], "g_b": right[1]}
        told: dict[str, Any] = {
            "truth": "h_a,h_b", "judge": "g_a,g_b", "correct": True, "labelled_at": "random"
        }  # fmt: skip
        found, alone = assay.board(columns, **told), assay.evaluate(columns, **told)
        for one in alone.estimates:
            row = found.row(str(one.model))
            assert one.interval is not None
            assert row.estimate.interval is not None
            assert row.estimate.interval.width > one.interval.width

    def test_labels_of_different_items_are_all_used_by_a_board(self) -> None:
        rng = np.random.default_rng(3)
        right = (rng.random((2, 1000)) < np.array([[0.9], [0.6]])).astype(float)
        judge = np.where(rng.random((2, 1000)) < 0.9, right, 1.0 - right)
        place = np.arange(1000)
        people = np.where(np.stack([place < 100, (place >= 90) & (place < 190)]), right, np.nan)
        columns = {"h_a": people[0], "h_b": people[1], "g_a": judge[0], "g_b": judge[1]}
        told: dict[str, Any] = {
            "truth": "h_a,h_b", "judge": "g_a,g_b", "correct": True, "labelled_at": "random"
        }  # fmt: skip
        assert assay.board(columns, **told).may_be_best == ("a",)
        compared = assay.compare(columns, **told)
        assert compared.verdict.outcome.effect.n == 10
        (few,) = [one for one in compared.notes if one.code == "few-shared-labels"]
        assert "labelled 10 items for both a and b" in few.message

    def test_a_board_needs_twenty_labels(self) -> None:
        few = HUMAN.copy()
        few[np.flatnonzero(SEEN)[15:]] = np.nan
        with pytest.raises(EvidenceError, match="20 or more"):
            assay.board({**EVIDENCE, "human": few}, **TOLD)


@pytest.mark.parametrize(
    "told", [{"correct": True}, {"lower_is_better": False}, {"lower_is_better": True}]
)
def test_models_may_be_called_as_a_truth_is(told: dict[str, Any]) -> None:
    rng = np.random.default_rng(6)
    least = 0 if "correct" in told else 1
    people = rng.integers(least, 2 if "correct" in told else 6, size=(2, 300)).astype(float)
    judge = np.where(rng.random((2, 300)) < 0.8, people, people[:, ::-1])
    people[:, 80:] = np.nan
    columns = {"human_truth": people[0], "human_y": people[1], "gpt_truth": judge[0], "gpt_y": judge[1]}  # fmt: skip
    named: dict[str, Any] = {"truth": ["human_truth", "human_y"], "judge": ["gpt_truth", "gpt_y"]}
    found = assay.compare(columns, labelled_at="random", **named, **told)
    assert {found.verdicts[0].a, found.verdicts[0].b} == {"truth", "y"}
    assert len(assay.evaluate(columns, labelled_at="random", **named, **told).estimates) == 2
