"""What trackers, graders and leaderboards export: grades beside answers, ranks beside scores, steps and runs."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.brought import FIRST, SETS
from tests.door.case import Case, Goodness, Scene, agreement, asked, certain, leads
from tests.door.draw import csv_text, generator, outcomes, rounded, scores_by_set, spoilt
from tests.door.tables import ACCURACY

N = 120
Files = Mapping[str, str | Mapping[str, Any]]


def brought(
    name: str, make: Callable[[np.random.Generator], tuple[Files, Goodness]], *files: str
) -> Scene:
    """Several files drawn from a seed that is a name; the one of this name where none is named."""

    def written(folder: Path) -> Goodness:
        contents, good = make(generator(name))
        for file, content in contents.items():
            text = content if isinstance(content, str) else csv_text(content)
            (folder / file).write_text(text, encoding="utf-8")
        return good

    return Scene(files or (name,), written)


def _answers(rng: np.random.Generator) -> tuple[list[str], dict[str, Any], dict[str, list[str]]]:
    """The expected letters, whether rf and lr were right, and what they wrote: rf puts brackets around it."""
    truth = rng.choice(list("ABCD"), N).tolist()
    right = {"rf": outcomes(rng, N, 0.92), "lr": outcomes(rng, N, 0.6)}
    wrong = dict(zip("ABCD", "BCDA", strict=True))
    said = {
        "rf": [f"({t})" if ok and i % 4 else t if ok else wrong[t]
               for i, (t, ok) in enumerate(zip(truth, right["rf"], strict=True))],
        "lr": [t if ok else wrong[t] for t, ok in zip(truth, right["lr"], strict=True)],
    }  # fmt: skip
    return truth, right, said


def _graded() -> list[Case]:
    """Whoever graded the answers knows better than a comparison of texts."""

    def wide(rng: np.random.Generator) -> tuple[Files, Goodness]:
        truth, right, said = _answers(rng)
        beside: dict[str, Any] = {}
        for name in ("rf", "lr"):
            beside |= {f"{name}_answer": said[name], f"{name}_correct": right[name].tolist()}
        return {"graded_wide.csv": {"id": range(N), "gold": truth, **beside}}, right

    def long(rng: np.random.Generator) -> tuple[Files, Goodness]:
        truth, right, said = _answers(rng)
        cells = {
            "id": [*range(N)] * 2,
            "model": ["rf"] * N + ["lr"] * N,
            "expected": truth * 2,
            "answer": said["rf"] + said["lr"],
            "correct": [bool(one) for of in right.values() for one in of],
        }
        return {"graded_long.csv": cells}, right

    def apart(rng: np.random.Generator) -> tuple[Files, Goodness]:
        truth, right, said = _answers(rng)
        files = {
            f"{name}.csv": {
                "id": range(N), "expected": truth, "picked": said[name], "correct": right[name].tolist(),
            }
            for name in ("rf", "lr")
        }  # fmt: skip
        return files, right

    def passed(rng: np.random.Generator) -> tuple[Files, Goodness]:
        right = {"rf": outcomes(rng, N, 0.92), "lr": outcomes(rng, N, 0.6)}
        cells = {
            f"[{name}]": [f"[{'PASS' if ok else 'FAIL'}] {i}" for i, ok in enumerate(of)]
            for name, of in right.items()
        }
        good = {f"[{name}]": of for name, of in right.items()}
        asked_for = {
            "question": [f"{i}+1?" for i in range(N)],
            "__expected": [i + 1 for i in range(N)],
        }
        return {"passed.csv": {**asked_for, **cells}}, good

    def words(rng: np.random.Generator) -> tuple[Files, Goodness]:
        right = {"rf": outcomes(rng, N, 0.92), "lr": outcomes(rng, N, 0.6)}
        said = {n: ["correct" if ok else "wrong" for ok in of] for n, of in right.items()}
        return {"correct_wrong.csv": {"case": range(N), **said}}, right

    why = "an answer in brackets was graded as right"
    return [
        certain("graded-wide", brought("graded_wide.csv", wide), FIRST, why, n=N),
        certain("graded-long", brought("graded_long.csv", long), FIRST, why, n=N),
        certain("graded-files", brought("apart", apart, "rf.csv", "lr.csv"), FIRST, why, n=N),
        certain("correct-wrong", brought("correct_wrong.csv", words), FIRST, "correct or wrong", n=N),
        certain(
            "pass-beside-expected",
            brought("passed.csv", passed),
            (("[rf]", "[lr]"),),
            "cells say who passed; what was expected is a text",
            n=N,
        ),
    ]  # fmt: skip


def _boards() -> list[Case]:
    def ranked(rng: np.random.Generator) -> tuple[Files, Goodness]:
        scores = scores_by_set(rng, 20, {"rf": 0.0, "lr": 0.045})
        by_set = dict(zip(SETS, zip(*scores.values(), strict=True), strict=True))
        good = {name: np.asarray(of) for name, of in scores.items()}
        return {
            "ranked.csv": {"Rank": [1, 2], "Previous rank": [9, 4], "Model": ["rf", "lr"], **by_set}
        }, good

    def measured(**beside: Any) -> Callable[[np.random.Generator], tuple[Files, Goodness]]:
        cells = {"model": ["gbm_1", "gbm_2", "glm_1"], **beside}
        return lambda _: ({"measured.csv": cells}, {})

    mixed = {"auc": [0.91, 0.9, 0.8], "logloss": [0.31, 0.33, 0.4], "aucpr": [0.8, 0.7, 0.6]}
    timed = {
        "score_test": [0.91, 0.9, 0.8], "score_val": [0.92, 0.91, 0.79], "pred_time_test": [0.1, 0.2, 0.3],
        "fit_time": [3.2, 3.0, 2.1], "stack_level": [1, 2, 1],
    }  # fmt: skip
    rows = ("--models-in-rows",)
    return [
        certain(
            "previous-rank", brought("ranked.csv", ranked), FIRST, "a rank is no data set",
            unit="dataset", n=20, options=ACCURACY,
        ),
        asked(
            "board-of-measures", brought("measured.csv", measured(**mixed)),
            "an area and a loss are no data sets, whatever is said", options=rows,
        ),
        asked("board-of-times", brought("measured.csv", measured(**timed)), "one score of each model"),
    ]  # fmt: skip


def _runs() -> list[Case]:
    def curves(_: np.random.Generator) -> tuple[Files, Goodness]:
        steps = range(0, 4000, 100)
        return {
            f"{name}.csv": {
                "Wall time": [1.7e9 + s for s in steps],
                "Step": steps,
                "Value": [round(floor + 50 / (s + 100), 4) for s in steps],
            }
            for name, floor in (("rf", 0.1), ("lr", 0.3))
        }, {}

    def seeds(columns: Callable[[list[str], list[int], list[float]], Files]) -> Any:
        def make(rng: np.random.Generator) -> tuple[Files, Goodness]:
            good = {
                n: 0.9 - gap + rng.normal(0, 0.004, 20) for n, gap in (("rf", 0.0), ("lr", 0.06))
            }
            cells = columns(
                ["rf"] * 20 + ["lr"] * 20,
                [*range(20)] * 2,
                rounded(np.concatenate(list(good.values())), 4),
            )
            return cells, good

        return make

    by_seed: Mapping[str, Any] = {"unit": "seed", "n": 20}
    grouped = seeds(
        lambda m, s, v: {
            "group.csv": {
                "Name": [f"run-{i}" for i in range(40)],
                "Group": m,
                "seed": s,
                "test_acc": v,
            }
        }
    )
    return [
        asked(
            "scalars-by-step",
            brought("curves", curves, "rf.csv", "lr.csv"),
            "the steps of a run are not independent, under the name of an id too",
            options=("--losses", "--id", "Step"),
        ),
        asked(
            "group-of-runs",
            brought("group.csv", grouped),
            "Group may name models or tasks",
            leads("--models", "Group", order=FIRST, **by_seed),
        ),
    ]


def _placed() -> list[Case]:
    def sized(rng: np.random.Generator) -> tuple[Files, Goodness]:
        scores = scores_by_set(rng, 20, {"rf": 0.0, "lr": 0.045})
        cells = {"train_size": [50 * (i + 1) for i in range(20)], **scores}
        return {"sized.csv": cells}, {name: np.asarray(of) for name, of in scores.items()}

    def bold(rng: np.random.Generator) -> tuple[Files, Goodness]:
        scores = scores_by_set(rng, 20, {"rf": 0.0, "lr": 0.045})
        texts = {
            "rf": [rf"\textbf{{{100 * v:.1f}\%}}" for v in scores["rf"]],
            "lr": [rf"{100 * v:.1f}\%" for v in scores["lr"]],
        }
        good = {name: np.asarray(of) for name, of in scores.items()}
        return {"bold.csv": {"dataset": SETS, **texts}}, good

    def learners(rng: np.random.Generator) -> tuple[Files, Goodness]:
        scores = scores_by_set(rng, 20, {"rf": 0.0, "lr": 0.045})
        rows = [
            (name, task, fold, round(1 - v + 0.001 * fold, 4))
            for name, of in scores.items()
            for task, v in zip(SETS, of, strict=True)
            for fold in (1, 2)
        ]
        names = ("learner_id", "task_id", "iteration", "classif.ce")
        cells = dict(zip(names, zip(*rows, strict=True), strict=True))
        return {"learners.csv": cells}, {name: np.asarray(of) for name, of in scores.items()}

    def cases(rng: np.random.Generator) -> tuple[Files, Goodness]:
        dice = {
            "rf": rounded(0.9 + rng.normal(0, 0.02, 40)),
            "lr": rounded(0.8 + rng.normal(0, 0.02, 40)),
        }
        cells = {
            "case_id": [f"c{i}" for i in range(40)] * 2,
            "method": ["rf"] * 40 + ["lr"] * 40,
            "Dice": dice["rf"] + dice["lr"],
            "HD95": [4.5] * 40 + [9.5] * 39 + [9.0],
        }
        return {"dice.csv": cells}, {name: np.asarray(of) for name, of in dice.items()}

    def concordant(rng: np.random.Generator) -> tuple[Files, Goodness]:
        scores = scores_by_set(rng, 20, {"rf": 0.0, "lr": 0.045})
        good = {name: np.asarray(of) for name, of in scores.items()}
        return {"concordant.csv": {"dataset": SETS, **scores}}, good

    by_set: Mapping[str, Any] = {"unit": "dataset", "n": 20}
    return [
        asked(
            "sizes-of-training",
            brought("sized.csv", sized),
            "a row may be a data set or a point of a curve; its size is no model",
            leads("--unit", "dataset", order=FIRST, **by_set),
            options=ACCURACY,
        ),
        certain("bold-per-cent", brought("bold.csv", bold), FIRST, "LaTeX", options=ACCURACY, **by_set),
        asked(
            "learners-on-tasks",
            brought("learners.csv", learners),
            "task_id may name items or data sets",
            leads("--unit", "dataset", "--repeat", "iteration", order=FIRST, **by_set),
        ),
        certain(
            "measure-in-lower-case", brought("dice.csv", cases), FIRST, "dice is Dice",
            options=("--measure", "dice"), n=40,
        ),
        certain(
            "c-index", brought("concordant.csv", concordant), FIRST, "more concordance is better",
            options=("--measure", "c-index"), **by_set,
        ),
    ]  # fmt: skip


def _items() -> list[Case]:
    def contest(rng: np.random.Generator) -> tuple[Files, Goodness]:
        truth = rng.choice(("cat", "dog"), N)
        models = {
            n: spoilt(rng, truth, rate, ("cat", "dog")) for n, rate in (("rf", 0.06), ("lr", 0.4))
        }
        ids = [f"img_{i}.png" for i in range(N)]
        usage = ["Public" if i % 3 else "Private" for i in range(N)]
        files: dict[str, Mapping[str, Any]] = {
            f"{name}.csv": {"Id": ids, "Category": of} for name, of in models.items()
        }
        return {"solution.csv": {"Id": ids, "Category": truth, "Usage": usage}, **files}, agreement(
            truth, **models
        )

    def chances(rng: np.random.Generator) -> tuple[Files, Goodness]:
        kinds = ("setosa", "versicolor", "virginica")
        truth = rng.integers(0, 3, N)
        files: dict[str, Mapping[str, Any]] = {
            "truth.csv": {"id": range(N), "species": [kinds[t] for t in truth]}
        }
        good = {}
        for name, gap in (("rf", 4.0), ("lr", 0.5)):
            raw = np.exp(rng.normal(0, 1, (N, 3)) + gap * np.eye(3)[truth])
            chance = np.round(raw / raw.sum(axis=1, keepdims=True), 5)
            files[f"{name}.csv"] = {"id": range(N), **dict(zip(kinds, chance.T, strict=True))}
            good[name] = np.log(chance[np.arange(N), truth] + 1e-9)
        return files, good

    def traced(rng: np.random.Generator) -> tuple[Files, Goodness]:
        good = {"rf": outcomes(rng, N, 0.92), "lr": outcomes(rng, N, 0.6)}
        cells = {
            "id": [f"{i:04x}" for i in range(2 * N)],
            "inputs.question": [f"Q{i}" for i in range(N)] * 2,
            "feedback.correctness": [int(v) for of in good.values() for v in of],
            "latency": rounded(rng.uniform(1, 2, 2 * N)),
            "session": ["rf"] * N + ["lr"] * N,
        }
        return {"traced.csv": cells}, good

    def slow(rng: np.random.Generator) -> tuple[Files, Goodness]:
        times = {"rf": rng.normal(80, 5, N), "lr": rng.normal(100, 5, N)}
        files = {
            f"{name}.csv": {"request_id": range(N), "latency_ms": rounded(of, 1)}
            for name, of in times.items()
        }
        return files, {name: -of for name, of in times.items()}

    def ages(rng: np.random.Generator) -> tuple[Files, Goodness]:
        truth = rng.integers(20, 80, N)
        errors = {"rf_age": rng.integers(-2, 3, N), "lr_age": rng.integers(-12, 13, N)}
        cells = {name: (truth + off).tolist() for name, off in errors.items()}
        good = {name: -(off.astype(float) ** 2) for name, off in errors.items()}
        return {"ages.csv": {"scan": range(N), "chronological_age": truth.tolist(), **cells}}, good

    def targets(rng: np.random.Generator) -> tuple[Files, Goodness]:
        cells: dict[str, Any] = {"image": range(N)}
        for kind, rate in (("cat", 0.05), ("dog", 0.3)):
            truth = rng.integers(0, 2, N)
            cells |= {f"{kind}_true": truth, f"{kind}_pred": spoilt(rng, truth, rate, (0, 1))}
        return {"targets.csv": cells}, {}

    def scale(rng: np.random.Generator) -> tuple[Files, Goodness]:
        words = ("disagree", "neutral", "agree", "strongly agree")
        cells = {n: rng.choice(words, N).tolist() for n in ("design_a", "design_b")}
        return {"scale.csv": {"respondent": range(N), **cells}}, {}

    def arms(rng: np.random.Generator) -> tuple[Files, Goodness]:
        good = {"B": rng.normal(8, 2, N), "A": rng.normal(5, 2, N)}
        cells = {
            "user": range(2 * N),
            "arm": ["B"] * N + ["A"] * N,
            "revenue": rounded(np.concatenate(list(good.values())), 2),
        }
        return {"arms.csv": cells}, good

    return [
        certain(
            "solution-of-categories",
            brought("contest", contest, "solution.csv", "rf.csv", "lr.csv"),
            FIRST,
            "the solution has the truth, and Category is what is predicted",
            n=N,
        ),
        certain(
            "chances-in-files",
            brought("chances", chances, "truth.csv", "rf.csv", "lr.csv"),
            FIRST,
            "a column for each class of the truth",
            n=N,
        ),
        asked(
            "session-of-traces",
            brought("traced.csv", traced),
            "session may name models or clusters",
            leads("--models", "session", order=FIRST, n=N),
        ),
        certain(
            "latency-in-files", brought("slow", slow, "rf.csv", "lr.csv"), FIRST, "there is nothing else", n=N
        ),
        certain(
            "ages",
            brought("ages.csv", ages),
            (("rf_age", "lr_age"),),
            "what is called as the truth is",
            options=("--truth", "chronological_age"),
            n=N,
        ),
        asked(
            "two-targets",
            brought("targets.csv", targets),
            "dogs are no model of cats",
            options=("--truth", "cat_true"),
        ),
        asked("words-of-a-scale", brought("scale.csv", scale), "words have no distance"),
        asked(
            "arms",
            brought("arms.csv", arms),
            "who spends more may be better or worse",
            leads("--unit", "item", "--unpaired", "--higher-is-better", order=(("B", "A"),)),
        ),
    ]  # fmt: skip


CASES = [*_graded(), *_boards(), *_runs(), *_placed(), *_items()]
