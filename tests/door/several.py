"""Two or three files: a truth and submissions, the old model and the new one."""

from pathlib import Path
from typing import Any

from tests.door.case import Case, Goodness, Scene, agreement, asked, certain, defensible, leads
from tests.door.draw import Columns, generator, scores_by_set, spoilt, write

GB, NO = (("good", "bad"),), (("new", "old"),)
N = 200
CLASSES = (0, 1, 2)


def _drawn(seed: str, *names: str) -> tuple[Any, dict[str, Any]]:
    rng = generator(seed)
    truth = rng.choice(CLASSES, N)
    return truth, {
        name: spoilt(rng, truth, rate, CLASSES)
        for name, rate in zip(names, (0.07, 0.35), strict=True)
    }


def _shuffled(seed: str, columns: Columns, keep: int = N) -> Columns:
    order = generator(seed).permutation(N)[:keep]
    return {name: [column[i] for i in order] for name, column in columns.items()}


def submissions(
    prefix: str, *, header: str = "id", answer: str = "prediction", truth_as: str = "target"
) -> Scene:
    """A file with the truth and one for each submission, in orders of their own."""
    files = (f"{prefix}_truth.csv", "good.csv", "bad.csv")

    def make(folder: Path) -> Goodness:
        truth, models = _drawn(prefix, "good", "bad")
        names = [f"x{i}" for i in range(N)]
        write(folder / files[0], {header: names, truth_as: truth})
        for name, column in models.items():
            write(folder / f"{name}.csv", _shuffled(name, {header: names, answer: column}))
        return agreement(truth, **models)

    return Scene(files, make)


def old_new(
    prefix: str,
    *,
    header: str | None = "item",
    answer: str = "prediction",
    region: bool = False,
    dropped: int = 0,
    shuffle: bool = True,
    padded: bool = False,
    other_truth: int = 0,
) -> Scene:
    """Predictions of the old and the new model, each file with the truth."""
    files = ("old.csv", "new.csv")

    def make(folder: Path) -> Goodness:
        truth, models = _drawn(prefix, "new", "old")
        for name in ("old", "new"):
            columns: dict[str, Any] = {}
            if header is not None:
                width = 4 if padded and name == "new" else 0
                columns[header] = [f"{i:0{width}}" for i in range(N)]
            if region:
                columns["region"] = ["north" if i % 3 else "south" for i in range(N)]
            columns["y"] = [
                (value + 1) % 3 if name == "new" and i < other_truth else value
                for i, value in enumerate(truth)
            ]
            columns[answer] = models[name]
            keep = N - dropped if name == "new" else N
            write(
                folder / f"{name}.csv",
                _shuffled(f"{prefix}{name}", columns, keep) if shuffle else columns,
            )
        good = agreement(truth, **models)
        kept = generator(f"{prefix}new").permutation(N)[: N - dropped] if dropped else slice(None)
        return {name: values[kept] for name, values in good.items()}

    return Scene(files, make)


def _score_files(folder: Path) -> Goodness:
    scores = scores_by_set(
        generator("score files"), 20, {"ROCKET_accuracy": 0.0, "DTW_accuracy": 0.05}
    )
    for name, values in scores.items():
        write(
            folder / f"{name}.csv", {"dataset": [f"set{i}" for i in range(20)], "accuracy": values}
        )
    return scores


def _same_columns(folder: Path) -> Goodness:
    truth, models = _drawn("titanic", "good", "bad")
    for name, column in (("answers", truth), *models.items()):
        write(folder / f"{name}.csv", {"PassengerId": range(892, 892 + N), "Survived": column})
    return agreement(truth, **models)


def _unlabelled(folder: Path) -> Goodness:
    _, models = _drawn("no truth", "good", "bad")
    for name, column in models.items():
        write(folder / f"{name}.csv", {"id": range(N), "prediction": column})
    return {}


GATE: dict[str, Any] = {"verb": "gate", "n": N}

CASES: list[Case] = [
    certain(
        "files-submissions",
        submissions("told"),
        GB,
        "a truth and two submissions with one id",
        options=("--id", "id"),
        n=N,
    ),
    defensible(
        "files-submissions-plain",
        submissions("plain"),
        GB,
        "id is in all files and different in every row",
        ("--id", "id"),
        n=N,
    ),
    defensible(
        "files-labels",
        submissions("labels", header="image", answer="label", truth_as="label"),
        GB,
        "every file has a label, and one is named truth",
        n=N,
    ),
    defensible(
        "files-passengers",
        Scene(("answers.csv", "good.csv", "bad.csv"), _same_columns),
        GB,
        "three files with the same columns: only a name tells the truth",
        n=N,
    ),
    asked(
        "files-no-truth",
        Scene(("good.csv", "bad.csv"), _unlabelled),
        "two files of predictions and no truth",
    ),
    certain(
        "files-old-new",
        old_new("old new"),
        NO,
        "old and new with id and truth",
        options=("--id", "item", "--truth", "y"),
        n=N,
    ),
    defensible(
        "files-old-new-plain",
        old_new("old new plain"),
        NO,
        "item and y are known names",
        ("--id", "item", "--truth", "y"),
        n=N,
    ),
    certain(
        "files-region",
        old_new("region", region=True),
        NO,
        "the same region in both files describes the items",
        options=("--id", "item", "--truth", "y", "--ignore", "region"),
        n=N,
    ),
    defensible(
        "files-region-plain",
        old_new("region plain", region=True),
        NO,
        "the same region in both files describes the items",
        ("--ignore", "region"),
        options=("--id", "item", "--truth", "y"),
        n=N,
    ),
    asked(
        "files-no-id",
        old_new("no id", header=None, shuffle=False),
        "no id: rows are not paired by their position without a word",
        leads("--by-position", order=NO, n=N),
    ),
    asked(
        "files-missing-ids",
        old_new("missing ids", dropped=10),
        "the new model lacks ten items",
        leads("--on-mismatch", "intersect", order=NO, n=N - 10),
        options=("--id", "item", "--truth", "y"),
    ),
    asked(
        "files-padded-ids",
        old_new("padded", padded=True),
        "1 and 0001 may be one item or two",
        options=("--id", "item", "--truth", "y"),
    ),
    asked(
        "files-two-truths",
        old_new("two truths", other_truth=12),
        "the files do not agree about the truth of twelve items",
        options=("--id", "item", "--truth", "y"),
    ),
    defensible(
        "files-scores",
        Scene(("ROCKET_accuracy.csv", "DTW_accuracy.csv"), _score_files),
        (("ROCKET_accuracy", "DTW_accuracy"),),
        "one file of accuracies for each method",
        ("--id", "dataset", "--unit", "dataset"),
        unit="dataset",
        n=20,
    ),
    certain(
        "gate-old-new",
        old_new("gate"),
        NO,
        "the new model is better",
        options=("--id", "item", "--truth", "y", "--margin", "0.02"),
        **GATE,
    ),
    defensible(
        "gate-region",
        old_new("gate region", region=True),
        NO,
        "the same region in both files describes the items",
        ("--ignore", "region"),
        options=("--id", "item", "--truth", "y", "--margin", "0.02"),
        **GATE,
    ),
    asked(
        "gate-missing-ids",
        old_new("gate missing", dropped=10),
        "the new model lacks ten items",
        leads("--on-mismatch", "intersect", order=NO, n=N - 10),
        options=("--id", "item", "--truth", "y", "--margin", "0.02"),
        verb="gate",
    ),
]
