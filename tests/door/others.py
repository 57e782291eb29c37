"""What people bring and `compare` has nothing to pair in: votes, counts, summaries, logs, settings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.case import Case, Goodness, Scene, asked, certain, defensible
from tests.door.draw import Columns, generator, outcomes, rounded, write


def table(file: str, columns: Callable[[np.random.Generator], Columns]) -> Scene:
    """A file of these columns, of which nothing follows about two models."""

    def make(folder: Path) -> Goodness:
        write(folder / file, columns(generator(file)))
        return {}

    return Scene((file,), make)


def _votes(rng: np.random.Generator) -> Columns:
    wins = rng.random(200) < 0.8
    first = rng.random(200) < 0.5
    return {
        "model_a": np.where(first, "gpt", "llama"),
        "model_b": np.where(first, "llama", "gpt"),
        "winner": np.where(wins == first, "model_a", "model_b"),
    }


def _confusion(rng: np.random.Generator) -> Columns:
    return {
        "model": ["forest", "logit"],
        "tp": [90, 60],
        "fp": [8, 30],
        "fn": [10, 40],
        "tn": [92, 70],
    }


def _summary(rng: np.random.Generator) -> Columns:
    return {
        "model": ["forest", "logit", "tree"],
        "accuracy": [0.92, 0.81, 0.77],
        "std": [0.01, 0.02, 0.01],
        "n": [500] * 3,
    }


def _training(rng: np.random.Generator) -> Columns:
    loss = np.exp(-np.arange(60) / 15)
    return {
        "epoch": range(60),
        "train_loss": rounded(loss),
        "val_loss": rounded(loss + 0.2 + rng.normal(0, 0.01, 60)),
    }


def _two_trainings(rng: np.random.Generator) -> Columns:
    grown = 0.9 - 0.5 * np.exp(-np.arange(60) / 15)
    return {
        "model": ["net"] * 60 + ["mlp"] * 60,
        "epoch": [*range(60), *range(60)],
        "accuracy": rounded(
            [*(grown + rng.normal(0, 0.004, 60)), *(grown - 0.05 + rng.normal(0, 0.004, 60))]
        ),
    }


def _settings(rng: np.random.Generator) -> Columns:
    return {
        "learning_rate": [0.1, 0.01, 0.001] * 20,
        "depth": [3, 5, 7, 9] * 15,
        "accuracy": rounded(rng.uniform(0.7, 0.9, 60)),
    }


def _customers(rng: np.random.Generator) -> Columns:
    return {
        "customer_id": range(120),
        "age": rng.integers(18, 90, 120),
        "income": rng.integers(20, 90, 120) * 1000,
        "spent": rng.uniform(0, 500, 120).round(2),
    }


def _series(rng: np.random.Generator) -> Columns:
    day = [str(np.datetime64("2024-01-01") + i) for i in range(120)]
    return {
        "date": day,
        "open": rounded(100 + rng.normal(0, 1, 120).cumsum(), 2),
        "close": rounded(104 + rng.normal(0, 1, 120).cumsum(), 2),
    }


def _readers(rng: np.random.Generator) -> Columns:
    rows = [
        (reader, treatment, case)
        for reader in range(1, 6)
        for treatment in (1, 2)
        for case in range(1, 31)
    ]
    truth = rng.integers(0, 2, 31)
    return {
        "reader": [reader for reader, _, _ in rows],
        "treatment": [treatment for _, treatment, _ in rows],
        "case": [case for _, _, case in rows],
        "truth": [truth[case] for _, _, case in rows],
        "rating": [
            int(np.clip(rng.integers(1, 4) + 2 * truth[case] + treatment - 1, 1, 6))
            for _, treatment, case in rows
        ],
    }


def _runs(rng: np.random.Generator) -> Columns:
    return {
        "Name": [f"run-{i}" for i in range(40)],
        "Runtime": rng.integers(100, 900, 40),
        "seed": range(40),
        "val_acc": rounded(rng.uniform(0.8, 0.9, 40)),
        "State": ["finished"] * 40,
    }


def _leaderboard(rng: np.random.Generator) -> Columns:
    names = [f"model-{i}" for i in range(8)]
    return {
        "rank": range(1, 9),
        "model": names,
        "elo": [1300 - 20 * i for i in range(8)],
        "votes": rng.integers(900, 9000, 8),
    }


def _ids(rng: np.random.Generator) -> Columns:
    return {"id": range(50), "prompt": [f"Say {i}" for i in range(50)]}


def _counted(folder: Path) -> Goodness:
    cells = {
        (1, 1, 1): 80,
        (1, 1, 0): 30,
        (1, 0, 1): 4,
        (1, 0, 0): 6,
        (0, 0, 0): 70,
        (0, 0, 1): 28,
        (0, 1, 0): 5,
        (0, 1, 1): 7,
    }
    write(
        folder / "counted.csv",
        {
            "truth": [t for t, _, _ in cells],
            "a": [a for _, a, _ in cells],
            "b": [b for _, _, b in cells],
            "count": list(cells.values()),
        },
    )
    rows = np.repeat(np.array(list(cells)), list(cells.values()), axis=0)
    return {"a": (rows[:, 1] == rows[:, 0]) * 1.0, "b": (rows[:, 2] == rows[:, 0]) * 1.0}


def _search(folder: Path) -> Goodness:
    rng = generator("search")
    candidates = {"C=0.1": 0.90, "C=10": 0.80}
    splits = {name: rounded(mean + rng.normal(0, 0.01, 10), 4) for name, mean in candidates.items()}
    columns: dict[str, Any] = {
        "mean_fit_time": [0.1, 0.2],
        "std_fit_time": [0.01, 0.01],
        "param_C": [0.1, 10],
        "params": ["{'C': 0.1}", "{'C': 10}"],
    }
    columns |= {
        f"split{i}_test_score": [values[i] for values in splits.values()] for i in range(10)
    }
    means = [float(np.mean(values)) for values in splits.values()]
    write(
        folder / "cv_results.csv",
        {**columns, "mean_test_score": rounded(means, 5), "rank_test_score": [1, 2]},
    )
    return {name: np.asarray(values) for name, values in splits.items()}


def _half(folder: Path) -> Goodness:
    rng = generator("half")
    right = {"big": outcomes(rng, 160, 0.85), "small": outcomes(rng, 160, 0.5)}
    cost = {
        "cost_big": rounded(rng.uniform(2, 3, 160)),
        "cost_small": rounded(rng.uniform(0.1, 0.2, 160)),
    }
    write(
        folder / "correct_and_cost.csv",
        {"item": range(160), "correct_big": right["big"], "correct_small": right["small"], **cost},
    )
    return {f"correct_{name}": values.astype(float) for name, values in right.items()}


CASES: list[Case] = [
    defensible(
        "votes",
        table("votes.csv", _votes),
        (),
        "votes between two models are compared by Bradley and Terry's model, or pointed there",
        models=("gpt", "llama"),
        unit=None,
    ),
    asked(
        "confusion",
        table("confusion.csv", _confusion),
        "counts of each model do not say which items both got right",
    ),
    asked("summary", table("summary.csv", _summary), "means of three models hold no pairs"),
    asked(
        "training",
        table("training.csv", _training),
        "a training log: epochs are not independent and losses of parts no models",
    ),
    asked(
        "two-trainings",
        table("two_trainings.csv", _two_trainings),
        "epochs of one training are not independent runs",
    ),
    asked(
        "settings",
        table("settings.csv", _settings),
        "settings and their accuracy: nothing is a model on the same units",
    ),
    asked(
        "customers", table("customers.csv", _customers), "descriptions of customers and no models"
    ),
    asked("prices", table("ohlc.csv", _series), "prices of days and no models"),
    asked(
        "readers-treatments",
        table("mrmc.csv", _readers),
        "readers × treatments × cases: neither the case nor the reader is a model",
    ),
    asked("runs", table("runs.csv", _runs), "runs of a tracker and no two models"),
    asked(
        "leaderboard",
        table("leaderboard.csv", _leaderboard),
        "a leaderboard has one number for each model",
    ),
    asked(
        "prompts", table("prompts.csv", _ids), "there is nothing to compare in a list of prompts"
    ),
    certain(
        "counted",
        Scene(("counted.csv",), _counted),
        (("a", "b"),),
        "count says how many items a row stands for",
    ),
    defensible(
        "search",
        Scene(("cv_results.csv",), _search),
        (),
        "ten splits of each candidate of a search",
        ("--folds", "10"),
        unit="fold",
        models=(),
    ),
    defensible(
        "correct-and-cost",
        Scene(("correct_and_cost.csv",), _half),
        (("correct_big", "correct_small"),),
        "correct by name; costs are no answers",
        ("--ignore", "cost_big,cost_small"),
        ("--models", "correct_big,correct_small", "--correct"),
    ),
]
