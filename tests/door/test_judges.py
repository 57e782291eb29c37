"""What ordinary people bring when a judge graded all and people graded some: ten files, and what they type."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.typed import typed

N = 600
RNG = np.random.default_rng(12)
TRUTH = (RNG.random(N) < 0.5).astype(int)
SEEN = RNG.random(N) < 0.2
GPT = np.where(RNG.random(N) < 0.88, TRUTH, 1 - TRUTH)
GOOD = np.where(RNG.random(N) < 0.95, TRUTH, 1 - TRUTH)
POOR = np.where(RNG.random(N) < 0.7, TRUTH, 1 - TRUTH)


def some(values: Any) -> list[Any]:
    """Only what people saw."""
    return [value if seen else "" for value, seen in zip(values, SEEN, strict=True)]


def right(model: Any, truth: Any) -> Any:
    return (model == truth).astype(int)


def table(path: Path, columns: dict[str, Any]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def one_system(folder: Path) -> None:
    table(
        folder / "grades.csv",
        {"id": range(N), "human": some(right(GOOD, TRUTH)), "gpt": right(GOOD, GPT)},
    )


def with_a_length(folder: Path) -> None:
    columns = {
        "id": range(N),
        "length": RNG.integers(5, 99, N),
        "human": some(right(GOOD, TRUTH)),
        "gpt": right(GOOD, GPT),
    }
    table(folder / "grades.csv", columns)


def long_table(folder: Path) -> None:
    columns = {
        "item": [*range(N), *range(N)],
        "model": ["good"] * N + ["poor"] * N,
        "human": [*some(right(GOOD, TRUTH)), *some(right(POOR, TRUTH))],
        "gpt": [*right(GOOD, GPT), *right(POOR, GPT)],
    }
    table(folder / "grades.csv", columns)


def pairs_of_columns(folder: Path) -> None:
    columns = {
        "id": range(N), "human_good": some(right(GOOD, TRUTH)), "gpt_good": right(GOOD, GPT),
        "human_poor": some(right(POOR, TRUTH)), "gpt_poor": right(POOR, GPT),
    }  # fmt: skip
    table(folder / "grades.csv", columns)


def file_per_model(folder: Path) -> None:
    for name, model in (("good", GOOD), ("poor", POOR)):
        columns = {"item": range(N), "human": some(right(model, TRUTH)), "gpt": right(model, GPT)}
        table(folder / f"{name}.csv", columns)


def labels_apart(folder: Path) -> None:
    table(folder / "grades.csv", {"item": range(N), "gpt": right(GOOD, GPT)})
    seen = np.flatnonzero(SEEN)
    table(folder / "labels.csv", {"item": seen, "human": right(GOOD, TRUTH)[seen]})


def predictions(folder: Path) -> None:
    words = np.array(["ham", "spam"])
    columns = {
        "id": range(N), "human": some(words[TRUTH]), "gpt": words[GPT], "good": words[GOOD], "poor": words[POOR]
    }  # fmt: skip
    table(folder / "grades.csv", columns)


def scores_of_words(folder: Path) -> None:
    words = np.array(["ham", "spam"])
    score = np.round(np.random.default_rng(7).normal(2 * TRUTH, 1.0), 3)
    columns = {"id": range(N), "human": some(words[TRUTH]), "gpt": words[GPT], "score": score}
    table(folder / "grades.csv", columns)


def words(folder: Path) -> None:
    said = np.array(["fail", "pass"])
    columns = {
        "id": range(N),
        "human": some(said[right(GOOD, TRUTH)]),
        "gpt": said[right(GOOD, GPT)],
    }
    table(folder / "grades.csv", columns)


def ratings(folder: Path) -> None:
    people = np.clip(3 + RNG.integers(-2, 3, N), 1, 5)
    judge = np.clip(people + RNG.integers(-1, 2, N), 1, 5)
    table(folder / "grades.csv", {"id": range(N), "human": some(people), "gpt": judge})


def several_judges(folder: Path) -> None:
    columns = {
        "id": range(N), "human": some(right(GOOD, TRUTH)), "gpt": right(GOOD, GPT),
        "claude": right(GOOD, np.where(RNG.random(N) < 0.9, TRUTH, 1 - TRUTH)),
    }  # fmt: skip
    table(folder / "grades.csv", columns)


def gaps_of_the_judge(folder: Path) -> None:
    gpt = [value if place % 9 else "" for place, value in enumerate(right(GOOD, GPT))]
    table(folder / "grades.csv", {"id": range(N), "human": some(right(GOOD, TRUTH)), "gpt": gpt})


def three_labels(folder: Path) -> None:
    human = [1, 0, 1, *([""] * (N - 3))]
    table(folder / "grades.csv", {"id": range(N), "human": human, "gpt": right(GOOD, GPT)})


def labels_of_strangers(folder: Path) -> None:
    table(folder / "grades.csv", {"item": range(N), "gpt": right(GOOD, GPT)})
    table(folder / "labels.csv", {"item": range(N - 5, N + 45), "human": [1, 0] * 25})


CASES: list[tuple[Callable[[Path], None], str, str]] = [
    (one_system, "evaluate grades.csv --truth human --judge gpt --correct", "600 items graded by a judge"),
    (one_system, "evaluate grades.csv --truth human --judge gpt", "add --correct"),
    (one_system, "evaluate grades.csv --judge gpt", "add --truth human"),
    (one_system, "compare grades.csv --truth human --judge gpt --correct --against 0.8", "is better than level 0.8"),
    (with_a_length, "evaluate grades.csv --truth human --judge gpt --correct", "judge-assisted rate"),
    (long_table, "compare grades.csv --truth human --judge gpt --correct --id item", "good is better"),
    (pairs_of_columns, "compare grades.csv --truth human_good,human_poor --judge gpt_good,gpt_poor --correct",
     "good is better than poor"),
    (file_per_model, "compare good.csv poor.csv --id item --truth human --judge gpt --correct", "good is better"),
    (file_per_model, "gate good.csv poor.csv --id item --truth human --judge gpt --correct --margin 0.02", "failed"),
    (pairs_of_columns, "gate grades.csv --truth human_good,human_poor --judge gpt_good,gpt_poor --correct "
     "--baseline poor --candidate good --margin 0.02", "Gate passed. good has a higher accuracy"),
    (pairs_of_columns, "compare grades.csv --truth human_good,human_poor --judge gpt_good,gpt_poor --correct "
     "--models poor,fine", "name the models in the order of their columns"),
    (file_per_model, "compare good.csv poor.csv --id item --truth human --judge gpt --correct --models poor,good",
     "good is better than poor"),
    (labels_apart, "evaluate grades.csv labels.csv --id item --truth human --judge gpt --correct", "assisted rate"),
    (predictions, "compare grades.csv --truth human --judge gpt --models good,poor", "good is better than poor"),
    (predictions, "evaluate grades.csv --truth human --judge gpt --models good,poor --measure f1 --positive spam",
     "judge-assisted mean"),
    (predictions, "board grades.csv --truth human --judge gpt --models good,poor", "good has the highest accuracy"),
    (scores_of_words, "evaluate grades.csv --truth human --judge gpt --models score --measure roc_auc",
     "add --positive spam"),
    (scores_of_words,
     "evaluate grades.csv --truth human --judge gpt --models score --measure roc_auc --positive spam",
     "judge-assisted mean"),
    (words, "evaluate grades.csv --truth human --judge gpt", "add --positive pass"),
    (words, "evaluate grades.csv --truth human --judge gpt --positive pass", "add --correct"),
    (words, "evaluate grades.csv --truth human --judge gpt --positive pass --correct", "judge-assisted rate"),
    (ratings, "evaluate grades.csv --truth human --judge gpt --higher-is-better", "judge-assisted mean"),
    (several_judges, "judge grades.csv --truth human --judge gpt,claude", "claude: agreement"),
    (gaps_of_the_judge, "evaluate grades.csv --truth human --judge gpt --correct --details",
     "gpt gave no grade to 67 items"),
    (three_labels, "evaluate grades.csv --truth human --judge gpt --correct", "5 or more are needed"),
    (labels_of_strangers, "evaluate grades.csv labels.csv --id item --truth human --judge gpt --correct",
     "--on-mismatch intersect"),
    (one_system, "evaluate grades.csv --truth human --judge gpt --labelled-at looking", "no method can correct"),
    (one_system, "evaluate grades.csv --truth nobody --judge gpt", "there is no column 'nobody'"),
    (one_system, "plan grades.csv --truth human --judge gpt --difference 0.2 --power 0.8", "labels are needed"),
    (one_system, "plan grades.csv --truth human --judge gpt --next 5 --seed 1", "id,probability,label"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("made", "command", "said"), CASES, ids=[f"{m.__name__}: {t[:50]}" for m, t, _ in CASES]
)
def test_a_file_gets_its_answer_or_its_question(
    made: Callable[[Path], None], command: str, said: str, tmp_path: Path
) -> None:
    made(tmp_path)
    run = typed(*command.split(), cwd=tmp_path)
    assert said in " ".join((run.stdout + run.stderr).split()), run.stdout + run.stderr
    assert "Traceback" not in run.stderr
