import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.core.errors import EvidenceError, MissingDependency, UsageError
from assay.estimates.clustered_means import cluster_difference
from assay.evidence.reading import read
from tests.evidence.forms import predictions
from tests.evidence.readers.harness_logs import (
    full_sample,
    inspect_eval,
    inspect_header,
    inspect_json,
    inspect_reduction,
    inspect_sample,
)
from tests.evidence.readers.zips import DEFLATE, STORED, ZSTD, Entry, write_zip

GRADES_A = ["C", "I", "C", "C", "N", "I"]
GRADES_B = ["I", "I", "C", "C", "C", "I"]


def graded(values: list[Any], **options: Any) -> list[dict[str, Any]]:
    return [inspect_sample(n + 1, {"match": value}, **options) for n, value in enumerate(values)]


def scores_of(evidence: assay.Predictions, needs: Any = "labels") -> list[list[float]]:
    found: list[list[float]] = evidence.columns(needs).predictions.tolist()
    return found


class TestForms:
    @pytest.mark.parametrize("method", [STORED, DEFLATE, ZSTD])
    def test_every_way_of_packing(self, tmp_path: Path, method: int) -> None:
        a = inspect_eval(tmp_path / "a.eval", "openai/a", graded(GRADES_A), method=method)
        b = inspect_eval(tmp_path / "b.eval", "openai/b", graded(GRADES_B), method=method)
        evidence = predictions(a, b)
        assert evidence.models == ("openai/a", "openai/b")
        assert scores_of(evidence) == [[1, 0, 1, 1, 0, 0], [0, 0, 1, 1, 1, 0]]
        assert evidence.notes == ()

    @pytest.mark.parametrize("frames", [2, 7])
    def test_several_frames_of_zstd(self, tmp_path: Path, frames: int) -> None:
        path = inspect_eval(tmp_path / "a.eval", "a", graded(GRADES_A * 30), frames=frames)
        assert predictions(path).n == 180

    def test_json_and_eval_agree(self, tmp_path: Path) -> None:
        a = inspect_eval(tmp_path / "a.eval", "a", graded(GRADES_A))
        b = inspect_json(tmp_path / "b.json", "b", graded(GRADES_A))
        evidence = predictions(a, b)
        assert scores_of(evidence)[0] == scores_of(evidence)[1]
        assert evidence.notes == ()

    def test_a_folder_of_logs(self, tmp_path: Path) -> None:
        inspect_eval(tmp_path / "logs" / "1.eval", "a", graded(GRADES_A))
        inspect_json(tmp_path / "logs" / "2.json", "b", graded(GRADES_B))
        assert predictions(tmp_path / "logs").models == ("a", "b")

    def test_without_zstd_the_extra_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = inspect_eval(tmp_path / "a.eval", "a", graded(GRADES_A))
        for name in ("compression", "compression.zstd", "backports", "backports.zstd"):
            monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(MissingDependency, match=r"install assay\[inspect\]"):
            read(path)

    def test_deflate_needs_no_extra(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = inspect_eval(tmp_path / "a.eval", "a", graded(GRADES_A), method=DEFLATE)
        for name in ("compression", "compression.zstd", "backports", "backports.zstd"):
            monkeypatch.setitem(sys.modules, name, None)
        assert predictions(path).n == 6

    @given(
        values=st.lists(
            st.one_of(
                st.sampled_from(["C", "I", "P", "N", "yes", "No", "TRUE", "false", "0.25"]),
                st.booleans(),
                st.integers(0, 1),
                st.floats(0, 1),
                st.just(float("nan")),
            ),
            min_size=1,
            max_size=20,
        ),
        write=st.sampled_from([inspect_eval, inspect_json]),
    )
    def test_round_trip(
        self, tmp_path_factory: Any, values: list[Any], write: Callable[..., Path]
    ) -> None:
        ending = "eval" if write is inspect_eval else "json"
        path = write(tmp_path_factory.mktemp("log") / f"a.{ending}", "a", graded(values))
        words = {"C": 1, "I": 0, "P": 0.5, "N": 0, "yes": 1, "No": 0, "TRUE": 1, "false": 0}
        expected = [words[v] if v in words else float(v) for v in values if v == v]
        if not expected:
            with pytest.raises(EvidenceError, match=r"no answer in .* has a score|no score"):
                read(path, unscored="drop")
            return
        evidence = predictions(path, unscored="drop")
        needs = "labels" if "labels" in evidence.offers["a"] else "losses"
        assert scores_of(evidence, needs) == [expected]


class TestBrokenOff:
    def test_the_journal_is_read(self, tmp_path: Path) -> None:
        path = inspect_eval(tmp_path / "a.eval", "a", graded(GRADES_A), finished=False, planned=9)
        evidence = predictions(path)
        assert scores_of(evidence) == [[1, 0, 1, 1, 0, 0]]
        assert [note.code for note in evidence.notes] == ["partial-log"]
        assert "6 samples of 9: it ended as 'started'" in evidence.notes[0].message

    def test_the_later_of_two_records_of_a_sample_counts(self, tmp_path: Path) -> None:
        again = [*graded(["I", "I", "C"]), *graded(["C"])]
        path = inspect_eval(tmp_path / "a.eval", "a", again, finished=False)
        assert scores_of(predictions(path)) == [[1, 0, 1]]

    def test_samples_without_a_summary_are_found(self, tmp_path: Path) -> None:
        summaries = graded(GRADES_A)
        parts: list[tuple[str, Any]] = [("_journal/start.json", inspect_header("a", samples=6))]
        parts += [("_journal/summaries/1.json", summaries[:4])]
        parts += [(f"samples/{s['id']}_epoch_1.json", full_sample(s)) for s in summaries]
        entries = [Entry(name=name, data=json.dumps(value).encode()) for name, value in parts]
        path = write_zip(tmp_path / "a.eval", entries)
        assert scores_of(predictions(path)) == [[1, 0, 1, 1, 0, 0]]

    @pytest.mark.parametrize("status", ["error", "cancelled"])
    def test_the_status_is_said(self, tmp_path: Path, status: str) -> None:
        path = inspect_eval(tmp_path / "a.eval", "a", graded(GRADES_A), status=status, planned=8)
        (note,) = predictions(path).notes
        assert f"6 samples of 8: it ended as '{status}'" in note.message

    def test_no_samples(self, tmp_path: Path) -> None:
        path = inspect_eval(tmp_path / "a.eval", "a", [], status="error")
        with pytest.raises(EvidenceError, match=r"holds no samples \(its status is 'error'\)"):
            read(path)

    def test_nothing_but_errors(self, tmp_path: Path) -> None:
        failed = [inspect_sample(n, None, error="ValueError('boom')") for n in range(3)]
        path = inspect_eval(tmp_path / "a.eval", "a", failed, status="error")
        with pytest.raises(EvidenceError, match="3 samples and no score; 3 ended in an error"):
            read(path)


class TestScorers:
    def test_the_first_is_taken_and_the_others_are_named(self, tmp_path: Path) -> None:
        samples = [
            inspect_sample(n, {"match": "C", "judge": {"tone": 0.5, "facts": 1}, "list": [0, 1]})
            for n in range(3)
        ]
        path = inspect_eval(tmp_path / "a.eval", "a", samples)
        (found,) = predictions(path).notes
        assert found.code == "metric-taken"
        assert found.message.endswith("others: 'judge/tone', 'judge/facts', 'list/0', 'list/1'")
        assert scores_of(predictions(path, metric="judge/tone"), "losses") == [[0.5] * 3]
        assert scores_of(predictions(path, metric="facts")) == [[1] * 3]
        assert scores_of(predictions(path, metric="list/1")) == [[1] * 3]

    def test_nan_stands_for_all_parts(self, tmp_path: Path) -> None:
        values: list[Any] = [{"tone": 0.5}, float("nan"), {"tone": 0.25}]
        path = inspect_eval(tmp_path / "a.eval", "a", graded(values))
        evidence = predictions(path, unscored="drop")
        assert scores_of(evidence, "losses") == [[0.5, 0.25]]
        assert "the score is NaN (1)" in evidence.notes[0].message

    def test_errors_and_missing_scores_are_not_zero(self, tmp_path: Path) -> None:
        samples = [
            *graded(["C", "I"]),
            inspect_sample(3, None, error="boom"),
            inspect_sample(4, {"other": 1}),
            inspect_sample(5, {"match": None}),
        ]
        path = inspect_eval(tmp_path / "a.eval", "a", samples)
        with pytest.raises(EvidenceError, match="3 answers without a score, of 5: "):
            read(path, metric="match")
        evidence = predictions(path, metric="match", unscored="drop")
        assert scores_of(evidence) == [[1, 0]]
        for why in ("ended in an error", "match gave no score", "no score was logged"):
            assert why in evidence.notes[0].message

    def test_text_is_refused_where_inspect_would_count_zero(self, tmp_path: Path) -> None:
        path = inspect_eval(tmp_path / "a.eval", "a", graded(["C", "excellent"]))
        with pytest.raises(EvidenceError, match=r"sample 2, epoch 1 .*Inspect would count it as 0"):
            read(path)


class TestEpochs:
    def test_items_tried_several_times_are_clusters(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(3)
        values = {model: rng.integers(0, 2, size=(12, 3)) for model in "ab"}
        for model, table in values.items():
            samples = [
                inspect_sample(item, {"match": int(table[item, epoch])}, epoch=epoch + 1)
                for epoch in range(3)
                for item in range(12)
            ]
            inspect_eval(tmp_path / f"{model}.eval", model, samples, epochs=3, planned=12)
        evidence = predictions(tmp_path / "a.eval", tmp_path / "b.eval")
        assert (evidence.n, evidence.clusters) == (36, 12)
        assert "36 answers to 12 items" in evidence.summary().description
        result = assay.compare(evidence)
        assert result.choice.method == "cluster_difference"
        # Miller's formulas: the items are the units, so means by item give the same answer
        a, b = (table.mean(axis=1) for table in values.values())
        direct = cluster_difference(a, b, range(12))
        effect = result.verdict.outcome.effect
        assert effect.value == pytest.approx(direct.value)
        assert effect.standard_error == pytest.approx(direct.standard_error)

    def test_other_numbers_of_epochs_are_averaged(self, tmp_path: Path) -> None:
        once = graded(["C", "I", "C"])
        twice = [*graded(["C", "I", "I"]), *graded(["I", "I", "C"], epoch=2)]
        a = inspect_eval(tmp_path / "a.eval", "a", once)
        b = inspect_eval(tmp_path / "b.eval", "b", twice, epochs=2, planned=3)
        evidence = predictions(a, b)
        assert scores_of(evidence, "losses") == [[1, 0, 1], [0.5, 0, 0.5]]
        assert [note.code for note in evidence.notes] == ["repeats-averaged"]
        assert evidence.clusters is None

    def test_a_lost_epoch_does_not_weigh_the_items_unequally(self, tmp_path: Path) -> None:
        samples = [*graded(["C", "I"]), *graded([float("nan"), "I"], epoch=2)]
        path = inspect_eval(tmp_path / "a.eval", "a", samples, epochs=2, planned=2)
        evidence = predictions(path, unscored="drop")
        assert scores_of(evidence, "losses") == [[1, 0]]


class TestClusters:
    def test_a_key_of_the_metadata(self, tmp_path: Path) -> None:
        samples = [inspect_sample(n, {"m": 1}, metadata={"passage": n // 2}) for n in range(6)]
        path = inspect_eval(tmp_path / "a.eval", "a", samples)
        assert predictions(path, cluster="passage").clusters == 3

    @pytest.mark.parametrize("short", ["It was a dark and...", "Key removed from summary (> 1k)"])
    def test_what_summaries_shorten_comes_from_the_samples(
        self, tmp_path: Path, short: str
    ) -> None:
        summaries = [inspect_sample(n, {"m": 1}, metadata={"text": short}) for n in range(6)]
        full = [full_sample(s, {"text": f"{s['id'] % 2} {'x' * 2000}"}) for s in summaries]
        path = inspect_eval(tmp_path / "a.eval", "a", summaries, full=full)
        assert predictions(path, cluster="text").clusters == 2

    def test_a_key_can_cut_slices_instead(self, tmp_path: Path) -> None:
        paths = []
        for name, share in (("a", 2), ("b", 3)):
            samples = [
                inspect_sample(n, {"m": int(n % share == 0)}, epoch=e, metadata={"topic": n % 2})
                for n in range(40)
                for e in (1, 2)
            ]
            paths.append(inspect_eval(tmp_path / f"{name}.eval", name, samples))
        evidence = predictions(*paths, slice="topic")
        assert evidence.clusters == 40  # two answers to each item
        assert "slices by topic" in evidence.summary().description
        found = assay.compare(evidence, slice="topic")
        assert [part.evidence.clusters for part in found.parts] == [40, 20, 20]
        assert len(assay.compare(read(*paths, slice="task"), slice="task").slices) == 1
        with pytest.raises(UsageError, match="slices of a log are by a key"):
            read(*paths, slice="topic", cluster="topic")

    def test_no_such_key(self, tmp_path: Path) -> None:
        path = inspect_eval(tmp_path / "a.eval", "a", graded(GRADES_A))
        with pytest.raises(EvidenceError, match=r"6 items of 6 in .* have no value of 'passage'"):
            read(path, cluster="passage")


class TestJoin:
    def test_another_question_under_the_same_id(self, tmp_path: Path) -> None:
        a = inspect_eval(tmp_path / "a.eval", "a", graded(GRADES_A))
        b = inspect_eval(tmp_path / "b.eval", "b", graded(GRADES_B, question="other"))
        with pytest.raises(EvidenceError, match=r"different questions or right answers .* 6 items"):
            read(a, b)
        with pytest.raises(EvidenceError, match="no item in common"):
            read(a, b, on_mismatch="intersect")

    def test_shortened_questions_are_still_the_same(self, tmp_path: Path) -> None:
        long = "word " * 3000
        short = f"{long[:5120]}...\n(content truncated)"
        a = inspect_eval(tmp_path / "a.eval", "a", graded(GRADES_A, question=short))
        b = inspect_json(tmp_path / "b.json", "b", graded(GRADES_B, question=long))
        assert predictions(a, b).n == 6

    def test_messages_are_compared_by_their_text(self, tmp_path: Path) -> None:
        files = []
        for model in "ab":
            samples = graded(GRADES_A)
            for sample in samples:
                question = {"id": f"random-{model}", "role": "user", "content": sample["input"]}
                sample["input"] = [question]
            files.append(inspect_eval(tmp_path / f"{model}.eval", model, samples))
        assert predictions(*files).notes == ()

    def test_numbers_and_texts_as_ids(self, tmp_path: Path) -> None:
        a = inspect_eval(tmp_path / "a.eval", "a", [inspect_sample(1, {"m": 1})])
        other = inspect_sample("1", {"m": 0})
        b = inspect_eval(tmp_path / "b.eval", "b", [other])
        assert scores_of(predictions(a, b)) == [[1], [0]]


class TestBadFiles:
    def test_a_log_without_a_header(self, tmp_path: Path) -> None:
        path = write_zip(tmp_path / "a.eval", [Entry(name="summaries.json", data=b"[]")])
        with pytest.raises(EvidenceError, match=r"neither header\.json nor _journal/start\.json"):
            read(path)

    def test_another_zip_archive_is_no_log(self, tmp_path: Path) -> None:
        path = write_zip(tmp_path / "model.pt", [Entry(name="archive/data.pkl", data=b"x")])
        with pytest.raises(EvidenceError, match="zip archive"):
            read(path)

    def test_a_log_under_another_name_is_known_by_its_content(self, tmp_path: Path) -> None:
        path = inspect_eval(tmp_path / "log.zip", "a", graded(GRADES_A))
        assert predictions(path).n == 6

    def test_broken_json_names_the_member(self, tmp_path: Path) -> None:
        header = json.dumps(inspect_header("a")).encode()
        entries = [
            Entry(name="header.json", data=header),
            Entry(name="summaries.json", data=b"[{]"),
        ]
        with pytest.raises(EvidenceError, match=r"summaries\.json in .*a\.eval is not JSON"):
            read(write_zip(tmp_path / "a.eval", entries))

    def test_deep_json(self, tmp_path: Path) -> None:
        deep = b"[" * 100_000 + b"]" * 100_000
        header = json.dumps(inspect_header("a")).encode()
        entries = [Entry(name="header.json", data=header), Entry(name="summaries.json", data=deep)]
        with pytest.raises(
            EvidenceError, match=r"summaries\.json in .* (nested too deeply|expected)"
        ):
            read(write_zip(tmp_path / "a.eval", entries))


class TestReducers:
    SAMPLES: ClassVar = [
        inspect_sample(n, {"match": grade}, epoch=epoch, metadata={"passage": n % 2})
        for n, grades in enumerate(("CC", "CI", "II"))
        for epoch, grade in enumerate(grades, start=1)
    ]
    MADE: ClassVar = [
        inspect_reduction("match", "mean", {0: 1.0, 1: 0.5, 2: 0.0}),
        inspect_reduction("match", "max", {0: "C", 1: "C", 2: "I"}),
        inspect_reduction("match", "pass_at_1", {2: 0, 1: 0.5, 0: 1}),
        inspect_reduction("rubric", "max", {0: {"tone": 1}, 1: {"tone": 1}, 2: {"tone": 1}}),
    ]

    @pytest.mark.parametrize("form", ["eval", "json"])
    def test_what_a_reducer_made_is_a_metric_of_its_own(self, tmp_path: Path, form: str) -> None:
        write: Any = inspect_eval if form == "eval" else inspect_json
        path = write(tmp_path / f"a.{form}", "a", self.SAMPLES, reductions=self.MADE)
        assert predictions(path, metric="max").columns("labels").predictions.tolist() == [[1, 1, 0]]
        shares = predictions(path, metric="match,pass_at_1", cluster="passage")
        assert shares.columns("losses").predictions.tolist() == [[0.0, 0.5, 1.0]]
        assert (shares.n, shares.clusters) == (3, 2)

    def test_the_epochs_themselves_are_the_default(self, tmp_path: Path) -> None:
        path = inspect_eval(tmp_path / "a.eval", "a", self.SAMPLES, epochs=2, reductions=self.MADE)
        evidence = predictions(path)
        assert (evidence.n, evidence.clusters) == (6, 3)
        (found, *_) = evidence.notes
        assert found.message.endswith("the others: 'match,max', 'match,pass_at_1'")

    def test_the_mean_alone_needs_no_word(self, tmp_path: Path) -> None:
        made = [inspect_reduction("match", None, {0: 1.0, 1: 0.5, 2: 0.0})]
        path = inspect_json(tmp_path / "a.json", "a", self.SAMPLES, reductions=made)
        assert predictions(path).notes == ()

    def test_a_sample_that_is_not_there(self, tmp_path: Path) -> None:
        made = [inspect_reduction("match", "max", {7: "C"})]
        path = inspect_json(tmp_path / "a.json", "a", self.SAMPLES, reductions=made)
        with pytest.raises(EvidenceError, match="reduces sample '7' and does not hold it"):
            read(path, metric="max")
