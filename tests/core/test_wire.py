"""One JSON form: every result comes back as it went."""

import json
import math

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError
from assay.core.notes import Note
from assay.core.results import Estimate, Interval, Result, TestOutcome
from assay.core.study_results import ScoreTable, StudyReport
from assay.core.wire import SCHEMA, from_builtins, from_json, to_builtins, to_json
from assay.measures.curves import roc_curve

ESTIMATE = Estimate(
    measure="accuracy",
    value=0.9,
    interval=Interval(low=0.8, high=math.inf, level=0.95, method="wilson", alternative="greater"),
    method="wilson",
    n=10,
    unit="item",
    model="Infinity",
    notes=(Note(code="small-counts", message="few"),),
    details=(("ratio", -math.inf), ("word", "x"), ("nothing", None), ("count", 3), ("flag", True)),
)


class TestRoundTrip:
    @pytest.mark.parametrize(
        "result",
        [ESTIMATE, TestOutcome(method="f", statistic=math.inf, p_value=None, effect=ESTIMATE)],
    )
    def test_comes_back_equal(self, result: Result) -> None:
        assert from_json(to_json(result)) == result

    def test_schema_and_infinities_are_plain_json(self) -> None:
        document = json.loads(to_json(ESTIMATE))
        assert document["schema"] == SCHEMA
        assert document["kind"] == "estimate"
        assert document["interval"]["high"] == "Infinity"
        assert document["model"] == "Infinity"

    def test_kinds_of_details_survive(self) -> None:
        back = from_json(to_json(ESTIMATE))
        assert isinstance(back, Estimate)
        assert back.model == "Infinity"
        assert [type(value) for _, value in back.details] == [float, str, type(None), int, bool]


class TestErrors:
    @pytest.mark.parametrize("document", [{}, [], {"schema": "assay/99", "kind": "estimate"}])
    def test_another_schema_is_named(self, document: object) -> None:
        with pytest.raises(EvidenceError, match="schema assay/1"):
            from_builtins(document)

    def test_damage_is_named(self) -> None:
        document = json.loads(to_json(ESTIMATE))
        document["n"] = "many"
        with pytest.raises(EvidenceError, match="damaged estimate"):
            from_builtins(document)

    def test_parts_that_contradict_each_other_are_named(self) -> None:
        scores = {"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.5], "c": [0.7, 0.6, 0.2]}
        family = to_builtins(assay.wilcoxon_pairs(scores))
        curve = to_builtins(roc_curve([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]))
        truth = [0, 1] * 50
        given = {"truth": truth, "old": truth, "new": truth}
        gate = to_builtins(assay.gate(given, baseline="old", margin=0.1))
        suite = {**given, "task": ["s", "s", "t", "t"] * 25}
        board = to_builtins(assay.board(suite, truth="truth", suite="task", n_resamples=100, rng=1))
        for document, broken in (
            (family, {"outcomes": family["outcomes"][:-1]}),
            (curve, {"columns": [[n, v[i:]] for i, (n, v) in enumerate(curve["columns"])]}),
            (gate, {"comparisons": []}),
            (gate, {"checks": [{**one, "asks": "at-least"} for one in gate["checks"]]}),
            (gate, {"checks": [{**one, "required": 0.5} for one in gate["checks"]]}),
            (board, {"weights": board["weights"][:-1]}),
            (board, {"rows": [{**one, "tasks": one["tasks"][:-1]} for one in board["rows"]]}),
        ):
            from_builtins(document)
            with pytest.raises(EvidenceError, match=f"damaged {document['kind']}: "):
                from_builtins({**document, **broken})

    def test_unknown_kind(self) -> None:
        with pytest.raises(EvidenceError, match="unknown kind"):
            from_builtins({"schema": SCHEMA, "kind": "poem"})

    def test_not_json(self) -> None:
        with pytest.raises(EvidenceError, match="not JSON"):
            from_json("{")


def test_names_out_of_an_array_are_written_as_names() -> None:
    names = np.array(["a", "b", "accuracy", "f1"])
    truth = [0, 1, 1, 0, 1, 0, 0, 1]
    said = {names[0]: truth, names[1]: truth[::-1]}
    one = assay.compare(truth, said, measure=names[2])
    several = assay.compare(truth, said, measures=list(names[2:]))
    scores = assay.compare(
        {"a": [0.9, 0.8, 0.7, 0.6], "b": [0.8, 0.7, 0.7, 0.5]},
        unit="dataset",
        measure=names[2],
        rng=1,
    )
    for result in (one, several, scores):
        assert assay.from_json(assay.to_json(result)) == result


def test_a_plan_for_endless_units_is_damaged() -> None:
    plan = assay.plan(measure="accuracy", baseline=0.8, difference=0.02, power=0.8)
    document = to_builtins(plan)
    document["curve"]["columns"][0][1][0] = "Infinity"
    with pytest.raises(EvidenceError, match="damaged plan: its curve has no end"):
        from_builtins(document)


def test_a_table_of_scores_with_a_hole_is_damaged() -> None:
    table = ScoreTable(
        measure="accuracy", direction="higher", datasets=("x", "y"), learners=("a", "b"),
        values=((0.5, 0.6), (0.7, None)),
    )  # fmt: skip
    report = StudyReport(
        name="s", design=(), evidence=assay.compare({"truth": [0, 1], "a": [0, 1], "b": [1, 1]}).evidence,
        level=0.95, margin=None, sentence="", scores=(table,),
    )  # fmt: skip
    document = to_builtins(report)
    assert from_builtins(document) == report
    document["scores"][0]["values"][1].pop()
    with pytest.raises(EvidenceError, match="damaged study: the scores of 'accuracy' are no table"):
        from_builtins(document)
