"""Whole answers from scores that stay on disk, and refusals that name a way on."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import AssayError, EvidenceError, NotApplicable, UsageError
from assay.core.results import Comparison, Evaluation
from assay.evidence import duckdb_connection, score_ranks, score_ranks_sql
from tests.evidence.ranked import agree, drawn, holds, limits, read, written


def compared(path: Path, **options: Any) -> Comparison:
    found = assay.compare(path, truth="y", measure="roc_auc", **options)
    assert isinstance(found, Comparison)
    return found


def codes(found: Comparison | Evaluation) -> set[str]:
    return {one.code for one in found.notes}


class TestWholeAnswers:
    def test_two_models_as_in_memory(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", models=2))
        exact, plain = compared(path, scores="exact"), compared(path)
        assert exact.sentence == plain.sentence
        assert exact.choice == plain.choice
        assert exact.verdict.outcome.p_value == pytest.approx(
            plain.verdict.outcome.p_value, rel=1e-12
        )
        for one, other in zip(exact.estimates, plain.estimates, strict=True):
            assert limits(one) == pytest.approx(limits(other), rel=1e-12)
        assert codes(exact) - codes(plain) == {"thinned-curves"}

    def test_two_models_in_bins_say_so(self, tmp_path: Path, monkeypatch: Any) -> None:
        monkeypatch.setattr(score_ranks_sql, "BINS", 1_000)
        monkeypatch.setattr(score_ranks, "BINS", 1_000)
        path = written(tmp_path, *drawn("continuous", 4_000, 2))
        found, plain = compared(path, scores="binned"), compared(path)
        assert {"binned-scores", "thinned-curves"} <= codes(found)
        assert holds(found.verdict.outcome.effect, plain.verdict.outcome.effect)
        bound = dict(found.verdict.outcome.effect.details)["bin_bound"]
        assert isinstance(bound, float)
        assert 0.0 < bound < 2e-3

    def test_many_models_hold_together(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", 1_500, 4))
        found = compared(path, scores="exact", rng=3)
        resampled = compared(path, rng=3)
        assert "normal-replicates" in codes(found)
        assert found.adjustment == "max-t"
        for one, other in zip(found.verdicts, resampled.verdicts, strict=True):
            assert (one.a, one.b) == (other.a, other.b)
            assert one.outcome.effect.value == pytest.approx(other.outcome.effect.value)
            wide, narrow = limits(one.outcome.effect), limits(other.outcome.effect)
            assert wide[1] - wide[0] == pytest.approx(narrow[1] - narrow[0], rel=0.06)
        assert compared(path, scores="exact", rng=3) == found

    def test_many_models_decide_by_their_intervals(self, tmp_path: Path) -> None:
        for seed in range(6):
            path = written(tmp_path, *drawn("continuous", 200, 4, seed))
            for level in (0.5, 0.9):
                found = compared(path, scores="binned", level=level, rng=seed)
                for verdict in found.verdicts:
                    interval = verdict.outcome.effect.interval
                    assert interval is not None
                    assert verdict.outcome.rejects(1 - level) == (not interval.contains(0.0))

    def test_models_that_rank_alike_have_an_interval_of_some_width(self, tmp_path: Path) -> None:
        truth, scores = drawn("continuous", 300, 3)
        scores[1] = np.exp(scores[0])
        found = compared(written(tmp_path, truth, scores), scores="exact")
        (alike,) = (one for one in found.verdicts if {one.a, one.b} == {"m0", "m1"})
        assert alike.outcome.p_value == 1.0
        low, high = limits(alike.outcome.effect)
        assert low < 0.0 < high

    def test_against_a_baseline_and_by_gini(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", 600, 3))
        areas = compared(path, scores="exact", baseline="m0")
        gini = assay.compare(path, truth="y", measure="gini", scores="exact", baseline="m0")
        assert isinstance(gini, Comparison)
        assert [(one.a, one.b) for one in areas.verdicts] == [("m1", "m0"), ("m2", "m0")]
        for one, other in zip(areas.verdicts, gini.verdicts, strict=True):
            doubled = [2 * limit for limit in limits(one.outcome.effect)]
            assert limits(other.outcome.effect) == pytest.approx(doubled)

    def test_different_items(self, tmp_path: Path) -> None:
        truth, scores = drawn("continuous", 400, 2)
        a = written(tmp_path, truth[:250], scores[:1, :250], "a.csv")
        b = written(tmp_path, truth[250:], scores[1:, 250:], "b.csv")
        found = [
            assay.compare(assay.read(a, b, truth="y", paired=False, scores=how), measure="roc_auc")
            for how in (None, "exact", "binned")
        ]
        effects = [one.verdict.outcome.effect for one in found if isinstance(one, Comparison)]
        assert limits(effects[1]) == pytest.approx(limits(effects[0]), rel=1e-12)
        assert holds(effects[2], effects[0])

    @pytest.mark.parametrize("how", ["exact", "binned"])
    def test_a_level(self, tmp_path: Path, how: str) -> None:
        path = written(tmp_path, *drawn("continuous", 400, 1))
        for level in (0.5, 0.8, 0.95):
            for measure, null in (("roc_auc", 0.65), ("roc_auc", 0.6), ("gini", 0.25)):
                found = assay.compare(
                    path, truth="y", measure=measure, against=null, scores=how, level=level
                )
                assert isinstance(found, Comparison)
                outcome = found.verdict.outcome
                assert outcome.effect.interval is not None
                assert outcome.rejects(1 - level) == (not outcome.effect.interval.contains(null))
                plain = assay.compare(path, truth="y", measure=measure, against=null, level=level)
                assert isinstance(plain, Comparison)
                expected = plain.verdict.outcome
                if how == "binned":
                    assert holds(outcome.effect, expected.effect)
                    continue
                assert limits(outcome.effect) == pytest.approx(limits(expected.effect), rel=1e-9)
                assert outcome.p_value == pytest.approx(expected.p_value, rel=1e-6)

    def test_a_gate(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", 400, 2))
        gates = [
            assay.gate(path, truth="y", measures="roc_auc", baseline="m0", margin=0.05, scores=how)
            for how in (None, "exact")
        ]
        assert gates[0].word == gates[1].word
        assert gates[0].checks[0].low == pytest.approx(gates[1].checks[0].low, rel=1e-12)

    def test_curves_lie_on_those_of_memory(self, tmp_path: Path) -> None:
        truth, scores = drawn("continuous", models=1)
        path = written(tmp_path, truth, scores)
        found = assay.evaluate(path, truth="y", measures="roc_auc", scores="exact")
        assert [curve.name for curve in found.curves] == [
            "roc_band", "roc_hull", "precision_recall_band"
        ]  # fmt: skip
        plain = assay.evaluate(path, truth="y", measures="roc_auc")
        band, whole = (
            next(curve for curve in one.curves if curve.name == "roc_band")
            for one in (found, plain)
        )
        points = set(zip(whole.column("fpr"), whole.column("tpr"), strict=True))
        assert set(zip(band.column("fpr"), band.column("tpr"), strict=True)) <= points
        assert dict(band.details)["auc"] == pytest.approx(found.estimates[0].value, rel=1e-14)

    def test_labels_are_evaluated_as_ever(self, tmp_path: Path) -> None:
        truth, scores = drawn("continuous", models=1)
        path = written(tmp_path, truth, scores)
        found = assay.evaluate(path, truth="y", threshold=0.5, scores="binned")
        plain = assay.evaluate(path, truth="y", threshold=0.5)
        assert found.estimates == plain.estimates


class TestTooMany:
    """A tiny limit stands for a large file, which the engine reads."""

    @pytest.fixture(autouse=True)
    def limit(self, monkeypatch: Any, engine: None) -> None:
        monkeypatch.setattr(score_ranks, "MOST_SCORES", 500)

    @pytest.mark.parametrize("measure", ["roc_auc", "average_precision", "log_loss"])
    def test_the_choices_are_named(self, tmp_path: Path, measure: str) -> None:
        path = written(tmp_path, drawn("continuous")[0], np.random.default_rng(1).random((2, 400)))
        with pytest.raises(
            EvidenceError, match=r"scores='exact'.*scores='binned'.*scores='memory'"
        ):
            assay.compare(path, truth="y", measure=measure)

    def test_the_command_line_names_its_own_options(self, tmp_path: Path) -> None:
        from click.testing import CliRunner

        from assay.cli.main import cli
        from assay.report.option_names import as_typed

        path = written(tmp_path, *drawn("continuous", models=2))
        asked = ["compare", str(path), "--truth", "y", "--measure", "roc_auc", "--format", "json"]
        refused = CliRunner().invoke(cli, asked).exception
        assert isinstance(refused, EvidenceError)
        for option in ("--scores exact", "--scores binned", "--scores memory"):
            assert option in as_typed(str(refused))
        answered = CliRunner().invoke(cli, [*asked, "--scores", "exact"])
        assert answered.exit_code == 0
        assert json.loads(answered.stdout)["kind"] == "comparison"

    def test_memory_if_it_is_said(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", models=2))
        agree(read(path, scores="memory").areas(), read(path, scores="exact").areas())

    def test_labels_beside_scores_lose_only_the_curves(self, tmp_path: Path) -> None:
        truth, scores = drawn("continuous", 600, 1)
        path = written(tmp_path, truth, scores)
        found = assay.evaluate(path, truth="y", threshold=0.5)
        assert not found.curves
        assert codes(found) == {"no-curves"}

    def test_arrays_are_in_memory_already(self) -> None:
        truth, scores = drawn("continuous", 600, 1)
        assert assay.evaluate(
            {"y": truth, "m:score": scores[0]}, truth="y", measures="roc_auc"
        ).curves


class TestRefusals:
    @pytest.mark.parametrize("measure", ["average_precision", "log_loss", "partial_auc[0.1]"])
    def test_measures_that_need_every_score(self, tmp_path: Path, measure: str) -> None:
        path = written(tmp_path, drawn("continuous")[0], np.random.default_rng(91).random((3, 400)))
        for models in (["m0"], ["m0", "m1"], None):
            verb: Any = assay.evaluate if models == ["m0"] else assay.compare
            asked = {"measures" if models == ["m0"] else "measure": measure}
            with pytest.raises(NotApplicable, match="scores='memory'"):
                verb(path, truth="y", models=models, scores="binned", **asked)

    def test_several_measures_together(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", models=2))
        with pytest.raises(NotApplicable, match="roc_auc or gini alone"):
            assay.compare(path, truth="y", measure=["roc_auc", "gini"], scores="exact")

    @pytest.mark.parametrize(("role", "word"), [("weight", "weights"), ("cluster", "clusters")])
    def test_weights_and_clusters(self, tmp_path: Path, role: str, word: str) -> None:
        truth, scores = drawn("continuous", models=2)
        path = written(tmp_path, truth, scores, extra=np.arange(truth.size) % 40 + 1)
        verbs: list[tuple[Any, str]] = [(assay.evaluate, "measures"), (assay.compare, "measure")]
        for verb, asked in verbs:
            with pytest.raises(NotApplicable, match="scores='memory'"):
                verb(path, truth="y", scores="exact", **{asked: "roc_auc", role: "extra"})
        with pytest.raises(NotApplicable, match=word):
            read(path, scores="exact", **{role: "extra"}).areas()

    def test_bins_of_what_is_in_memory(self) -> None:
        with pytest.raises(UsageError, match="in memory"):
            assay.read({"y": [0, 1], "m:score": [0.1, 0.2]}, truth="y", scores="binned")

    def test_a_word_that_is_no_choice(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("tied"))
        with pytest.raises(UsageError, match="memory"):
            read(path, scores="sketch")

    def test_scores_of_models(self) -> None:
        with pytest.raises(UsageError, match="scores of models"):
            assay.read({"dataset": ["x", "y"], "a": [0.1, 0.2], "b": [0.2, 0.3]}, scores="exact")

    @pytest.mark.parametrize("wrong", ["nan", "", "inf", "high"])
    def test_what_is_no_score(self, tmp_path: Path, wrong: str) -> None:
        path = written(tmp_path, *drawn("continuous", 40, 1))
        lines = path.read_text().splitlines()
        lines[7] = f"1,{wrong}"
        path.write_text("\n".join(lines))
        with pytest.raises(AssayError, match="line 8"):
            read(path, scores="exact")

    def test_a_file_that_grew(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("continuous", 40, 1))
        found = read(path, scores="exact")
        path.write_text(path.read_text() + "1,0.5\n")
        with pytest.raises(EvidenceError, match="changed"):
            found.areas()


class TestSpills:
    SCRIPT = """
import os, sys
from pathlib import Path
from assay.evidence import duckdb_connection
duckdb_connection._MEMORY = "60MB"
connection = duckdb_connection.connect([Path(sys.argv[1])])
connection.execute("create temp table t as select hash(i) a, hash(i + 1) b from range(6000000) t(i)")
spilled = [name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("assay-spill-")]
raise SystemExit(3 if spilled else 4)
"""

    def test_nothing_is_left_behind_after_an_error(self, tmp_path: Path) -> None:
        path = written(tmp_path, *drawn("tied", 10, 1))
        spill = tmp_path / "spill"
        spill.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", self.SCRIPT, str(path)],
            env={**os.environ, "TMPDIR": str(spill)},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 3, done.stderr.decode()
        assert not list(spill.iterdir())

    def test_those_of_killed_processes_are_swept(self, tmp_path: Path, monkeypatch: Any) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        process = subprocess.Popen([sys.executable, "-c", ""])
        process.wait()
        dead, living, other = (
            tmp_path / name
            for name in (
                f"assay-spill-{process.pid}-0",
                f"assay-spill-{os.getpid()}-7",
                "assay-spill-x-0",
            )
        )
        for folder in (dead, living, other):
            folder.mkdir()
            (folder / "duckdb_temp_storage.tmp").write_text("rows")
        duckdb_connection.sweep_spills()
        assert not dead.exists()
        assert living.exists()
        assert other.exists()


@pytest.mark.parametrize("size", [1e308, np.inf])
def test_several_scores_of_a_cell_that_cannot_be_summed(size: float) -> None:
    """Of several data sets when seeds are the units."""
    table = {"dataset": [f"set{place}" for place in range(20)],
             "a": [0.5 + place / 50 for place in range(20)], "b": [size] * 20}  # fmt: skip
    with pytest.raises(AssayError):
        assay.compare(table, unit="seed")
