"""Runs of trackers and tuners: folders, databases and tables that they wrote themselves."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import assay
from assay.core.errors import EvidenceError
from assay.evidence.readers.experiments import of_database
from assay.evidence.readers.log_formats import known_files, recognise
from assay.evidence.readers.wandb_log import run_of

TOOLS = Path(__file__).parent / "tools"
"""Its README says which tool wrote what."""


def means(found: Any, measure: str = "accuracy") -> dict[str, float]:
    """The mean of each model, rounded."""
    kept = [one for one in found.scores if one.measure == measure]
    models = {one.model for one in kept}
    values = {name: [one.value for one in kept if one.model == name] for name in models}
    return {name: round(sum(one) / len(one), 4) for name, one in values.items()}


def written(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


class TestRunsThatDidNotFinish:
    """What a run that crashed measured last is no score of its model."""

    @pytest.mark.parametrize(
        ("place", "runs"),
        [("wandb", 7), ("ray", 6), ("mlflow.sqlite", 7), ("mlflow_runs.csv", 7)],
    )
    def test_they_are_named(self, place: str, runs: int) -> None:
        with pytest.raises(
            EvidenceError, match=f"1 of {runs} runs of .* did not finish: .*unscored='drop'"
        ):
            assay.read(TOOLS / place, measure="accuracy")

    @pytest.mark.parametrize("place", ["wandb", "ray", "mlflow.sqlite", "mlflow_runs.csv"])
    def test_they_are_left_out(self, place: str) -> None:
        found = assay.compare(TOOLS / place, measure="accuracy", unscored="drop")
        assert found.evidence.unit == "seed"
        assert len(found.evidence.models) == 2

    def test_counting_them_as_wrong_says_nothing(self) -> None:
        with pytest.raises(EvidenceError, match="did not finish"):
            assay.read(TOOLS / "wandb", measure="accuracy", unscored="wrong")

    def test_a_folder_of_mlflow(self, tmp_path: Path) -> None:
        shutil.copytree(TOOLS / "mlruns", tmp_path / "mlruns")
        runs = sorted((tmp_path / "mlruns").glob("*/*"))
        written(runs[0] / "meta.yaml", "lifecycle_stage: active\nrun_name: 'a: b'\nstatus: 4\n")
        written(runs[1] / "meta.yaml", "lifecycle_stage: deleted\nstatus: 3\n")
        written(runs[2] / "meta.yaml", "lifecycle_stage: active\nstatus: 3\n")
        with pytest.raises(EvidenceError, match=f"1 of {len(runs) - 1} runs"):
            assay.read(tmp_path / "mlruns", measure="accuracy")


class TestMLflow:
    def test_runs_of_a_model_are_its_seeds(self) -> None:
        found = assay.compare(TOOLS / "mlruns", measure="accuracy")
        assert found.evidence.unit == "seed"
        assert set(found.evidence.models) == {"svm", "tree"}

    def test_the_measures_there_are(self) -> None:
        with pytest.raises(EvidenceError, match="it has 'accuracy', 'val/f1'"):
            assay.read(TOOLS / "mlruns", measure="recall")

    def test_database_and_table_say_the_same(self) -> None:
        told: dict[str, Any] = {"measure": "accuracy", "unscored": "drop"}
        one, other = (
            assay.read(TOOLS / name, **told) for name in ("mlflow.sqlite", "mlflow_runs.csv")
        )
        assert means(one) == means(other) == {"svm": 0.8605, "tree": 0.8431}


class TestWandb:
    EXPECTED = MappingProxyType({"mlp": 0.8810, "gru": 0.8951})

    def test_logs_of_offline_runs(self) -> None:
        found: Any = assay.read(TOOLS / "wandb", measure="accuracy", unscored="drop")
        assert (found.unit, means(found)) == ("seed", dict(self.EXPECTED))

    def test_measures_are_what_was_logged(self) -> None:
        found: Any = assay.read(TOOLS / "wandb", unscored="drop")
        assert set(found.measures) == {"accuracy", "val/loss", "epoch"}

    def test_single_files(self) -> None:
        files = [
            one for one in sorted((TOOLS / "wandb").glob("*/*.wandb")) if one.stat().st_size > 7
        ]
        assert means(assay.read(*files, measure="accuracy")) == self.EXPECTED

    def test_a_log_that_was_cut_off_did_not_finish(self, tmp_path: Path) -> None:
        whole = next(
            one for one in sorted((TOOLS / "wandb").glob("*/*.wandb")) if one.stat().st_size > 7
        )
        for size in range(7, whole.stat().st_size - 1, 53):
            path = tmp_path / "run-x.wandb"
            path.write_bytes(whole.read_bytes()[:size])
            with pytest.raises(EvidenceError, match="did not finish"):
                assay.read(path)

    def test_bytes_that_are_no_record(self, tmp_path: Path) -> None:
        path = tmp_path / "run-x.wandb"
        path.write_bytes(b":W&B\xe1\xbe\x00" + b"\x00" * 4 + b"\x05\x00\x01" + b"\xff" * 5)
        with pytest.raises(EvidenceError, match="cannot be read as a run of W&B"):
            assay.read(path)

    def test_a_record_in_pieces_over_blocks(self, tmp_path: Path) -> None:
        """A value of 40,000 letters spans two blocks, as the tool itself cuts it."""
        path = tmp_path / "run-x.wandb"
        path.write_bytes(
            b":W&B\xe1\xbe\x00"
            + pieces(
                [summary("text", '"' + "x" * 40_000 + '"'), summary("f1", "0.5"), b"\x92\x01\x00"]
            )
        )
        found = run_of(path)
        assert (found.found, found.finished) == ({"f1": 0.5}, True)

    def test_summaries_of_synced_runs(self, tmp_path: Path) -> None:
        for seed in range(3):
            place = tmp_path / f"run-2026-{seed}" / "files"
            written(
                place / "wandb-summary.json",
                {"accuracy": 0.8 + seed / 100, "_step": 7, "_runtime": 3},
            )
            written(place / "config.yaml", f"model:\n  value: mlp\nseed:\n  value: {seed}\n")
        found: Any = assay.read(tmp_path)
        assert (found.models, found.unit, found.measures) == (("mlp",), "seed", ("accuracy",))
        assert recognise(tmp_path / "run-2026-0" / "files" / "wandb-summary.json") == "W&B"

    def test_the_table_that_the_documentation_exports(self, tmp_path: Path) -> None:
        """By hand, after W&B's page on exporting data: dictionaries as Python writes them."""
        rows = [
            f"{k},\"{{'accuracy': 0.8{k}, '_step': 2}}\",\"{{'model': 'm{k % 2}', 'seed': {k // 2}}}\",run-{k}"
            for k in range(6)
        ]
        path = written(tmp_path / "project.csv", "\n".join([",summary,config,name", *rows]) + "\n")
        assert means(assay.read(path)) == {"m0": 0.82, "m1": 0.83}
        written(path, ",summary,config,name\n0,\"{'a': <object>}\",{},x\n")
        with pytest.raises(EvidenceError, match=r"line 2 of .*project.csv: 'summary' and 'config'"):
            assay.read(path)

    def test_the_table_of_runs(self, tmp_path: Path) -> None:
        """By hand, in the columns that the page of runs exports."""
        head = '"Name","State","Notes","User","Tags","Created","Runtime","Sweep","model","seed","accuracy"'
        rows = [
            f'"r{k}","finished","-","u","","2026-01-01T00:00:00.000Z","60","","m{k % 2}","{k // 2}","0.8{k}"'
            for k in range(6)
        ]
        path = written(tmp_path / "wandb_export.csv", "\n".join([head, *rows]) + "\n")
        assert means(assay.read(path)) == {"m0": 0.82, "m1": 0.83}
        crashed = rows[0].replace("finished", "crashed")
        written(path, "\n".join([head, crashed, *rows[1:]]) + "\n")
        with pytest.raises(EvidenceError, match=r"1 of 6 runs of .* did not finish: 'r0'"):
            assay.read(path)

    def test_a_curve_is_no_evidence_of_spread(self, tmp_path: Path) -> None:
        head = '"Step","a - accuracy","a - accuracy__MIN","a - accuracy__MAX"'
        path = written(
            tmp_path / "chart.csv",
            head + "\n" + "".join(f'"{k}","0.{k}","0.{k}","0.{k}"\n' for k in range(1, 9)),
        )
        with pytest.raises(EvidenceError, match="a curve by step"):
            assay.read(path)


def varint(number: int) -> bytes:
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def field(number: int, body: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(body)) + body


def summary(name: str, value: str) -> bytes:
    """A record of W&B with one value in its summary."""
    return field(3, field(1, field(2, name.encode()) + field(16, value.encode())))


def pieces(records: list[bytes]) -> bytes:
    """Records in blocks of 32,768 bytes, the first of which begins after seven others."""
    written = b""
    for record in records:
        first, left = True, record
        while first or left:
            room = 2**15 - (7 + len(written)) % 2**15
            if room < 7:
                written += b"\x00" * room
                continue
            part, left = left[: room - 7], left[room - 7 :]
            kind = (1 if not left else 2) if first else (4 if not left else 3)
            written += b"\x00" * 4 + len(part).to_bytes(2, "little") + bytes([kind]) + part
            first = False
    return written


def test_a_database_whose_schema_is_damaged_is_of_no_tool(tmp_path: Path) -> None:
    """SQLite quotes the bytes that it cannot read, and they are no text."""
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE songs (name TEXT)")
        database.execute("PRAGMA writable_schema = ON")
        wrong = b"CREATE TABLE songs (name) \xffbad"
        database.execute("UPDATE sqlite_master SET sql = CAST(? AS TEXT)", (wrong,))
        database.commit()
    assert of_database(path) is None
    with pytest.raises(EvidenceError, match="is an SQLite database"):
        assay.look(path)


class TestOptuna:
    def test_steps_are_folds_only_if_that_is_said(self) -> None:
        found: Any = assay.read(TOOLS / "optuna.sqlite", lower_is_better=False, folds=5, repeats=1)
        assert found.models == ("trial 0", "trial 1", "trial 2", "trial 3")
        assert len(found.scores) == 20
        with pytest.raises(EvidenceError, match=r"says nothing about spread.*folds=5"):
            assay.read(TOOLS / "optuna.sqlite", lower_is_better=False)

    @pytest.mark.parametrize("name", ["optuna_values.sqlite", "optuna_trials.csv"])
    def test_one_value_a_trial_says_nothing_about_spread(self, name: str) -> None:
        with pytest.raises(EvidenceError, match="says nothing about spread"):
            assay.compare(TOOLS / name, lower_is_better=False)


class TestRayTune:
    EXPECTED = MappingProxyType({"gru": 0.9026, "mlp": 0.8810})

    def test_last_reports(self) -> None:
        found: Any = assay.read(TOOLS / "ray", measure="accuracy", unscored="drop")
        assert (
            means(found)
            == means(assay.read(TOOLS / "ray_frame.csv", measure="accuracy"))
            == self.EXPECTED
        )

    def test_clocks_are_no_measures(self) -> None:
        for place in ("ray", "ray_frame.csv"):
            found: Any = assay.read(TOOLS / place, unscored="drop")
            assert set(found.measures) == {"accuracy", "loss"}

    def test_progress_without_results(self, tmp_path: Path) -> None:
        shutil.copytree(TOOLS / "ray", tmp_path / "ray")
        for one in (tmp_path / "ray").glob("*/result.json"):
            one.unlink()
        assert (
            means(assay.read(tmp_path / "ray", measure="accuracy", unscored="drop"))
            == self.EXPECTED
        )


class TestTrainer:
    def test_results(self) -> None:
        found: Any = assay.read(TOOLS / "trainer")
        assert (found.models, found.unit) == (("bert", "distilbert"), "seed")
        assert set(found.measures) == {"accuracy", "loss"}

    def test_states_say_the_same(self, tmp_path: Path) -> None:
        """Also those of checkpoints, of which the last counts."""
        for run in (TOOLS / "trainer").iterdir():
            early = json.loads((run / "trainer_state.json").read_text())
            for entry in early["log_history"]:
                entry.update({key: 9.0 for key in entry if key.startswith("eval_")})
            written(tmp_path / run.name / "checkpoint-9" / "trainer_state.json", early)
            place = tmp_path / run.name / "checkpoint-10"
            place.mkdir()
            shutil.copy(run / "trainer_state.json", place)
        files = sorted((TOOLS / "trainer").glob("*/trainer_state.json"))
        expected = means(assay.read(TOOLS / "trainer", measure="loss"), "loss")
        assert means(assay.read(*files, measure="loss"), "loss") == expected
        assert means(assay.read(tmp_path, measure="loss"), "loss") == expected

    def test_a_file_that_is_only_called_so(self, tmp_path: Path) -> None:
        written(tmp_path / "all_results.json", {"rows": 3})
        assert known_files(tmp_path) == []


class TestDVC:
    def test_experiments(self) -> None:
        """The workspace and the commit repeat two of the six, and are left out."""
        one, other = (
            assay.read(TOOLS / name, measure="accuracy") for name in ("dvc_exp.json", "dvc_exp.csv")
        )
        found: Any = one
        assert len(found.scores) == 6
        assert means(one) == means(other) == {"mlp": 0.8556, "gru": 0.8852}

    @pytest.mark.parametrize("name", ["dvc_diff.json", "dvc_all.json"])
    def test_two_revisions_have_no_spread(self, name: str) -> None:
        assert recognise(TOOLS / name) == "DVC"
        with pytest.raises(EvidenceError, match=r"holds one run of each model .* several seeds"):
            assay.compare(TOOLS / name, measure="accuracy")


class TestTabArena:
    def test_means_are_those_of_bencheval(self) -> None:
        found: Any = assay.read(TOOLS / "bencheval.csv")
        assert means(found, "metric_error") == {"lgbm": 0.2828, "rf": 0.2995, "mlp": 0.3317}
        assert assay.compare(found).direction == "lower"

    def test_folds_and_data_sets(self, tmp_path: Path) -> None:
        rows = [
            f"{m},t{t},{f},{0.2 + t / 100}"
            for m in ("rf", "lgbm")
            for t in range(6)
            for f in (0, 1)
        ]
        path = written(
            tmp_path / "results.csv", "\n".join(["method,dataset,fold,metric_error", *rows]) + "\n"
        )
        found: Any = assay.read(path)
        assert (found.models, len({one.dataset for one in found.scores})) == (("rf", "lgbm"), 6)


class TestHub:
    def test_folders_of_models(self) -> None:
        """Written by huggingface_hub 2.4."""
        found = assay.compare(TOOLS / "hub", lower_is_better=False, baseline="small")
        assert (found.evidence.unit, found.evidence.n) == ("dataset", 6)
        assert found.verdict.outcome.effect.value == pytest.approx(0.08)


def test_a_folder_of_nothing_known_is_left_to_others(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    assert known_files(tmp_path) == []


class TestTablesOfOthers:
    """Tables that look a little like an export are none."""

    @pytest.mark.parametrize(
        "head",
        ["name,summary,score,config,other,more", "Name,State,accuracy", "run_id,status,score", "trial_id,accuracy",
         "number,value", "rev,typ,accuracy", "Step,a,b", "method,error"],
    )  # fmt: skip
    def test_none(self, head: str, tmp_path: Path) -> None:
        path = written(
            tmp_path / "t.csv", f"{head}\n" + ",".join("1" for _ in head.split(",")) + "\n"
        )
        assert recognise(path) is None
