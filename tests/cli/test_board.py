"""`assay board` as it is typed: tables, files, figures, badges, and what it refuses."""

import csv
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.typed import typed


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return typed("board", *arguments, cwd=cwd)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers of three models to 200 items of two tasks, scores on data sets, and votes."""
    place = tmp_path_factory.mktemp("board")
    rng = np.random.default_rng(1)
    chances = {"opus": 0.85, "gpt": 0.8, "phi": 0.4}
    answers = {name: (rng.random(200) < share).astype(int) for name, share in chances.items()}
    _write(place / "right.csv", {"item": range(200), "task": ["law", "math"] * 100, **answers})
    scores = {name: (share + rng.normal(0, 0.02, 12)).round(4) for name, share in chances.items()}
    _write(place / "scores.csv", {"dataset": [f"d{n}" for n in range(12)], **scores})
    _write(
        place / "votes.csv",
        {
            "model_a": ["opus", "gpt", "phi"] * 2,
            "model_b": ["gpt", "phi", "opus", "phi", "opus", "gpt"],
            "winner": ["opus", "gpt", "phi", "phi", "gpt", "gpt"],
        },
    )
    return place


def _write(path: Path, columns: dict[str, object]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


RIGHT = ("right.csv", "--correct", "--ignore", "task")


def test_the_table(folder: Path) -> None:
    found = run(*RIGHT, "--best", "2", cwd=folder)
    assert found.returncode == 0, found.stderr
    assert "opus has the highest accuracy" in found.stdout
    assert "rank set" in found.stdout
    assert "Best 2" in found.stdout
    assert "corrected for selection as the best" in found.stdout


def test_json_and_csv(folder: Path) -> None:
    found = run(*RIGHT, "--format", "json", cwd=folder)
    document = json.loads(found.stdout)
    assert document["kind"] == "board"
    assert [row["model"] for row in document["rows"]] == ["opus", "gpt", "phi"]
    rows = list(csv.DictReader(run(*RIGHT, "--format", "csv", cwd=folder).stdout.splitlines()))
    board = [row for row in rows if row["table"] == "board"]
    assert [row["rank_low"] for row in board][-1] == "3"


@pytest.mark.parametrize(
    "name", ["board.html", "board.tex", "board.md", "ladder.png", "ladder.svg"]
)
def test_files(folder: Path, name: str) -> None:
    found = run(*RIGHT, "--output", name, cwd=folder)
    assert found.returncode == 0, found.stderr
    assert (folder / name).stat().st_size > 500


def test_a_suite(folder: Path) -> None:
    found = run(
        "right.csv",
        "--correct",
        "--suite",
        "task",
        "--weights",
        "law=1,math=3",
        "--details",
        cwd=folder,
    )
    assert found.returncode == 0, found.stderr
    assert "200 items of 2 tasks" in found.stdout
    assert "0.75" in found.stdout
    sample = run("right.csv", "--correct", "--suite", "task", "--tasks-as", "sample", cwd=folder)
    assert "ranks-out-of-reach" in sample.stdout + sample.stderr
    wrong = run("right.csv", "--correct", "--suite", "task", "--weights", "law=x", cwd=folder)
    assert wrong.returncode == 2


def test_data_sets_and_aggregates(folder: Path) -> None:
    found = run("scores.csv", "--measure", "accuracy", "--aggregate", "mean_rank", cwd=folder)
    assert found.returncode == 0, found.stderr
    assert "lowest mean rank" in found.stdout


def test_votes_costs_and_badges(folder: Path) -> None:
    assert "6 votes" in run("votes.csv", "--votes", "--details", cwd=folder).stdout
    front = run(*RIGHT, "--cost", "opus=15,gpt=2,phi=3", cwd=folder)
    assert "front" in front.stdout
    badge = run(*RIGHT, "--badge", "gpt", cwd=folder)
    assert badge.stdout.startswith("**gpt**: rank 2 of 3")
    assert run(*RIGHT, "--badge", "nobody", cwd=folder).returncode == 2


def test_a_ledger(folder: Path) -> None:
    first = run(*RIGHT, "--models", "opus,phi", "--ledger", "kept.json", cwd=folder)
    assert first.returncode == 0, first.stderr
    second = run(*RIGHT, "--ledger", "kept.json", cwd=folder)
    assert second.returncode == 0, second.stderr
    assert json.loads((folder / "kept.json").read_text())["arrivals"] == [["opus", "phi"], ["gpt"]]


def test_what_is_open_is_asked(folder: Path) -> None:
    found = run("scores.csv", "--measure", "goodness", "--no-input", cwd=folder)
    assert found.returncode == 2
    assert "--higher-is-better" in found.stderr


LEADERS = {
    "model": ["claude", "gpt", "gemini", "gpt"],
    "mmlu": [80.1, 79.0, 77.2, 78.1],
    "gsm8k": [90.2, 91.3, 85.0, 89.4],
    "arc": [70.0, 71.2, 69.9, 70.7],
}


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        pytest.param(LEADERS, (), "--models-in-rows", id="a model is in it twice"),
        pytest.param(LEADERS, ("--models-in-rows", "--higher-is-better"), "two scores of 'gpt'", id="twice, told"),
        pytest.param(
            {"question": [1, 2, 3, 4], "model_a": ["x", "y", "x", "z"], "model_b": ["y", "z", "z", "x"],
             "winner": ["model_a", "model_b", "tie", "tie (bothbad)"]},
            (), "assay board it.csv --votes", id="votes, not said so",
        ),
        pytest.param({"item": [1], "a": [1], "b": [0]}, ("--correct",), "1 item says nothing", id="one item"),
    ],
)  # fmt: skip
def test_what_people_bring_is_refused_with_what_to_type(
    tmp_path: Path, columns: dict[str, object], options: tuple[str, ...], said: str
) -> None:
    _write(tmp_path / "it.csv", columns)
    found = run("it.csv", *options, cwd=tmp_path)
    assert found.returncode != 0
    assert said in " ".join(found.stderr.split())


def test_averages_alone_are_refused_and_no_way_around_is_offered(tmp_path: Path) -> None:
    _write(tmp_path / "final.csv", {"model": ["a", "b", "c"], "average": [71.2, 70.1, 69.0]})
    found = run("final.csv", cwd=tmp_path)
    assert "their variation is unknown" in " ".join(found.stderr.split())
    assert "--models-in-rows" not in found.stderr


def test_one_item_has_no_warnings_of_other_packages(tmp_path: Path) -> None:
    _write(tmp_path / "one.csv", {"item": [1], "a": [1], "b": [0]})
    assert "RuntimeWarning" not in run("one.csv", cwd=tmp_path).stderr


def test_resolved_and_unresolved_are_right_and_wrong(tmp_path: Path) -> None:
    words: dict[str, object] = {"instance_id": [f"i{n}" for n in range(40)], "alpha": ["resolved", "unresolved"] * 20,
             "beta": ["resolved"] * 30 + ["unresolved"] * 10}  # fmt: skip
    _write(tmp_path / "swe.csv", words)
    found = run("swe.csv", cwd=tmp_path)
    assert "beta has the highest accuracy (0.75)" in found.stdout


def test_a_suite_says_that_its_tasks_count_alike(folder: Path) -> None:
    found = run("right.csv", "--correct", "--suite", "task", cwd=folder)
    assert "on new items of these 2 tasks, weighted alike" in found.stdout
    found = run(
        "right.csv", "--correct", "--suite", "task", "--weights", "law=3,math=1", cwd=folder
    )
    assert "on new items of these 2 tasks, weighted as asked" in found.stdout


def test_a_kept_board_says_for_which_models_it_holds(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "board.json"
    first = run("right.csv", "--correct", "--ignore", "task,phi", "--ledger", str(kept), cwd=folder)
    assert first.returncode == 0, first.stderr
    found = run(*RIGHT, "--ledger", str(kept), cwd=folder).stdout
    assert "95% sets over 1 addition, for models not tuned on this board" in found
