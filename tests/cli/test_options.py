"""Options that describe evidence, as a user types them."""

import contextlib
import io
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.cli.main import main
from tests.support import PATIENCE

PAIR = "y,a,b\n0,0,0\n1,1,1\n0,0,1\n1,1,1\n1,1,0\n"


@dataclass(frozen=True)
class Done:
    exit_code: int
    stdout: str
    stderr: str


def run(*arguments: str) -> Done:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as ended:
            return Done(int(ended.code or 0), out.getvalue(), err.getvalue())
    return Done(0, out.getvalue(), err.getvalue())


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> str:
    Path(name).write_text(text)
    return name


def refused(done: Done, code: int, *words: str) -> None:
    assert done.exit_code == code
    for word in words:
        assert word in done.stderr


class TestSeveralMeasures:
    def test_with_commas_between_them(self) -> None:
        path = write("m.csv", PAIR)
        done = run(
            "evaluate", path, "--measure", "accuracy,f1", "--positive", "1", "--format", "csv"
        )
        assert [name in done.stdout for name in ("accuracy", "f1")] == [True, True]
        refused(run("evaluate", path, "--measure", "accuracy,none"), 2, "accuracy,none")


class TestPairing:
    def test_by_position_only_when_asked(self) -> None:
        a, b = write("a.csv", "y,p\n0,0\n1,1\n"), write("b.csv", "y,p\n0,1\n1,1\n")
        refused(run("compare", a, b, "--truth", "y"), 4, "name one with --id", "--by-position")
        done = run("compare", a, b, "--truth", "y", "--by-position")
        assert done.exit_code == 0
        assert "2 items x 2 models (a, b)" in (done.stdout + done.stderr).replace("×", "x")
        refused(run("compare", a, b, "--by-position", "--id", "p"), 2, "--id does not go with it")

    def test_no_common_items_points_to_unpaired(self) -> None:
        a, b = write("a.csv", "id,y,p\n1,0,0\n2,1,1\n"), write("b.csv", "id,y,p\n8,0,1\n9,1,1\n")
        refused(run("compare", a, b), 4, "no item in common", "--unpaired")
        assert run("compare", a, b, "--unpaired").exit_code == 0

    def test_repeats_are_clusters(self) -> None:
        rows = [f"{i},{r},{i % 2},{i % 2 if r < 4 else 0}" for i in range(12) for r in (1, 2, 4)]
        path = write("r.csv", "\n".join(["id,epoch,y,m", *rows]))
        refused(run("evaluate", path), 2, "add --cluster id", "add --id id --repeat epoch")
        done = run("evaluate", path, "--repeat", "epoch", "--format", "json")
        assert done.exit_code == 0
        assert '"clusters": 12' in done.stdout


class TestThreshold:
    def test_labels_of_scores(self) -> None:
        path = write("s.csv", "y,m:score\n0,0.1\n1,0.9\n0,0.6\n1,0.8\n")
        refused(run("evaluate", path, "--measure", "f1"), 4, "--threshold 0.5")
        done = run("evaluate", path, "--measure", "recall", "--threshold", "0.85")
        assert done.exit_code == 0
        assert "0.50" in done.stdout

    def test_not_of_scores_of_models(self) -> None:
        path = write("f.csv", "fold,a,b\n1,0.5,0.6\n2,0.5,0.7\n3,0.4,0.6\n")
        refused(run("compare", path, "--threshold", "0.5"), 2, "--threshold makes labels of item")


class TestNothingIsIgnored:
    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            (("--lower-is-better",), "accuracy has a known direction (higher is better)"),
            (("--missing", "skillings-mack"), "--missing"),
            (("--unit", "dataset"), "holds predictions of items"),
            (("--unit", "fold"), "predictions item by item; --unit fold needs the fold"),
            (("--unit", "week"), "unit is one of item, fold, seed, dataset; got 'week'"),
        ],
    )
    def test_on_predictions(self, options: tuple[str, ...], reason: str) -> None:
        refused(run("compare", write("p.csv", PAIR), *options), 2, reason)

    def test_a_reward_says_so(self) -> None:
        path = write(
            "r.csv",
            "id,a,b\n" + "".join(f"{i},{i % 3},{i % 3 + 1 + i % 2 / 10}\n" for i in range(30)),
        )
        assert (
            "b is better than a"
            in run("compare", path, "--higher-is-better", "--baseline", "a").stdout
        )
        losses = run("compare", path, "--lower-is-better", "--baseline", "a")
        assert "b is worse than a" in losses.stdout
        refused(run("compare", path, "--baseline", "a"), 2, "add --higher-is-better")


class TestWhatIsShown:
    def test_names_of_anybody(self) -> None:
        hostile = "n\x1b[31mred\x1b]0;t\x07.csv"
        path = write(hostile, "y,m\x1b[2J,k\n0,0,0\n1,1,0\n0,0,1\n")
        for options in ((), ("--measure", "f1"), ("--truth", "nothing")):
            done = run("compare", path, *options)
            assert "\x1b" not in done.stdout + done.stderr
            assert "\x07" not in done.stdout + done.stderr
        assert "\x1b" not in run("compare", "no\x1b[31msuch.csv").stderr

    def test_one_item(self) -> None:
        path = write("one.csv", "y,a,b\n1,1,0\n")
        for verb, extra in (("evaluate", ()), ("compare", ()), ("compare", ("--measure", "f1"))):
            done = run(verb, path, "--models", "a,b", *extra)
            assert done.exit_code == 0
            assert "1 items" not in done.stdout + done.stderr

    def test_infinite_log_loss(self) -> None:
        path = write("inf.csv", "y,a:p(1),b:p(1)\n1,0,0.5\n0,0.2,0.1\n1,0.9,0.8\n0,0.2,0.1\n")
        done = run("compare", path, "--measure", "log_loss")
        refused(done, 4, "log_loss of 'a' is infinite: 1 item", "--measure 'log_loss[1e-15]'")
        assert run("compare", path, "--measure", "log_loss[1e-15]").exit_code == 0

    def test_weighted_accuracy_is_called_a_mean(self) -> None:
        path = write(
            "w.csv",
            "y,a,b,weight\n" + "".join(f"{i % 2},{i % 2},0,{1 + i % 3}\n" for i in range(30)),
        )
        done = run("compare", path, "--details")
        said = " ".join(done.stdout.split()).lower()
        assert "items have weights, and accuracy is a mean over items" in said

    def test_the_same_command_gives_the_same_answer(self) -> None:
        path = write(
            "s.csv",
            "y,a:score,b:score\n"
            + "".join(f"{i % 2},{i % 7 / 7},{i % 5 / 5}\n" for i in range(40)),
        )
        asked = ("compare", path, "--measure", "average_precision", "--format", "json")
        once, again = (run(*asked).stdout for _ in "ab")
        assert once == again
        assert '"seed": 0' in once


class TestMeasures:
    @pytest.mark.parametrize(
        "method", ["tost_measure", "non_inferiority_measure", "paired_bootstrap"]
    )
    def test_a_measure_is_a_name(self, method: str) -> None:
        margin = () if method == "paired_bootstrap" else ("--margin", "0.2")
        rows = "".join(
            f"{i % 2},{(i + (i % 7 == 0)) % 2},{(i + (i % 5 == 0)) % 2}\n" for i in range(60)
        )
        file = write("labels.csv", "y,a,b\n" + rows)
        options = ("--measure", "balanced_accuracy", "--resamples", "199", "--seed", "1", *margin)
        done = run("test", method, file, "--truth-column", "y", *options)
        assert (done.exit_code, done.stderr) == (0, done.stderr)
        assert "balanced" in done.stdout


class TestRunsByTask:
    def test_data_sets_are_not_pooled(self) -> None:
        """Runs of an easy task must not stand against runs of a hard one."""
        import assay

        tasks = {"easy": ([0.9, 0.8], [0.85, 0.7]), "hard": ([0.2, 0.1], [0.3, 0.05])}
        rows = [
            f"{model},{task},{seed},{values[place][seed]}"
            for task, values in tasks.items()
            for place, model in enumerate("ab")
            for seed in (0, 1)
        ]
        file = write("runs.csv", "model,dataset,seed,score\n" + "\n".join(rows) + "\n")
        done = run("test", "probability_of_improvement", file, "--format", "json")
        assert done.exit_code == 0
        a, b = ({task: values[place] for task, values in tasks.items()} for place in (0, 1))
        expected = assay.probability_of_improvement(a, b)
        found = assay.from_json(done.stdout)
        assert isinstance(found, assay.Estimate)
        assert found.value == expected.value
        assert dict(found.details)["tasks"] == 2

    def test_one_model(self) -> None:
        rows = "".join(
            f"m,{task},{s},{0.1 * s + (task == 'q')}\n" for task in "pq" for s in range(5)
        )
        file = write("one.csv", "model,dataset,seed,score\n" + rows)
        done = run("test", "interquartile_mean", file, "--format", "json", "--seed", "1")
        assert done.exit_code == 0
        assert '"tasks"' in done.stdout or "tasks" in done.stdout


QUERY = """
import os, signal, sys, threading
import duckdb
import assay.estimates.evaluate as evaluating
from assay.cli.main import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it

def long(*_, **__):
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    duckdb.connect().execute("SELECT sum(a.range * b.range) FROM range(4000) a, range(1000000) b").fetchall()

evaluating.evaluate = long
main(["evaluate", "pair.csv", "--truth", "y"])
"""


class TestCtrlC:
    def test_inside_a_query_it_ends_as_everywhere(self) -> None:
        """DuckDB makes a RuntimeError of it, also where no reader of ours asked."""
        write("pair.csv", PAIR)
        done = subprocess.run(
            [sys.executable, "-c", QUERY],
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert (done.returncode, done.stderr.splitlines()[-1]) == (130, "assay: stopped")
        assert "Traceback" not in done.stderr
