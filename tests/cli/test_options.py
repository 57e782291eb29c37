"""Options that describe evidence, as a user types them."""

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.cli.main import main

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


class TestPairing:
    def test_by_position_only_when_asked(self) -> None:
        a, b = write("a.csv", "y,p\n0,0\n1,1\n"), write("b.csv", "y,p\n0,1\n1,1\n")
        refused(run("compare", a, b, "--truth", "y"), 4, "Name one with --id", "--by-position")
        done = run("compare", a, b, "--truth", "y", "--by-position")
        assert done.exit_code == 0
        assert "2 items × 2 models (a, b)" in done.stderr
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
            (("--lower-is-better",), "accuracy owns its direction (higher is better)"),
            (("--missing", "skillings-mack"), "--missing"),
            (("--unit", "dataset"), "holds predictions, which speak about items"),
            (("--unit", "fold", "--truth", "a"), "which speak about items"),
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
        done = run("compare", path)
        assert "accuracy is a weighted mean over items" in " ".join(done.stdout.split())

    def test_the_same_command_gives_the_same_answer(self) -> None:
        path = write(
            "s.csv",
            "y,a:score,b:score\n"
            + "".join(f"{i % 2},{i % 7 / 7},{i % 5 / 5}\n" for i in range(40)),
        )
        once, again = (run("compare", path, "--measure", "average_precision").stdout for _ in "ab")
        assert once == again
        assert "Seed: 0" in once
