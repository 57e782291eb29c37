"""What strangers brought: probabilities under any names, printed tables, counted wins, words for failures."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.door.brought import BY_SET, FIRST, SETS, Drawn, drawn, sheet
from tests.door.brought_items import N, items
from tests.door.case import Case, Scene, asked, certain, leads
from tests.door.draw import csv_text, outcomes, placements, rounded
from tests.door.tables import ACCURACY

ANIMALS = ("cat", "dog", "fox")
BOTH = ["rf"] * N + ["lr"] * N


def chances(file: str, named: Callable[[str, int], str], classes: Sequence[Any]) -> Scene:
    """Probabilities of three classes by rf, which is sharp, and lr, which is not."""

    def make(rng: np.random.Generator) -> Drawn:
        truth = rng.integers(0, 3, N)
        columns: dict[str, Any] = {"id": range(N), "label": [classes[t] for t in truth]}
        good = {}
        for model, sharp in (("rf", 3.0), ("lr", 0.5)):
            odds = np.exp(rng.normal(0, 1, (N, 3)) + sharp * np.eye(3)[truth])
            shares = (odds / odds.sum(axis=1, keepdims=True)).round(4)
            columns |= {named(model, k): shares[:, k] for k in range(3)}
            good[model] = np.log(np.maximum(shares[np.arange(N), truth], 1e-4))
        return columns, good

    return drawn(file, make)


def _probabilities() -> list[Case]:
    forms: Mapping[str, tuple[Callable[[str, int], str], Sequence[Any]]] = {
        "p-number": (lambda m, k: f"{m}_p{k}", range(3)),
        "class-number": (lambda m, k: f"{m}_class{k}", range(3)),
        "class-first": (lambda m, k: f"{ANIMALS[k]}_{m}", ANIMALS),
        "prob-first": (lambda m, k: f"prob_{k}_{m}", range(3)),
        "brackets": (lambda m, k: f"{m} P({ANIMALS[k]})", ANIMALS),
    }
    names = "id,label,rf:p({0}),rf:p({1}),rf:p({2}),lr:p({0}),lr:p({1}),lr:p({2})"
    unsure = {
        "from-one": (lambda m, k: f"{m}_p{k + 1}", range(3)),
        "of-words": (lambda m, k: f"{m}_{k}", ANIMALS),
    }  # type: dict[str, tuple[Callable[[str, int], str], Sequence[Any]]]

    def alone(rng: np.random.Generator) -> Drawn:
        shares = rng.dirichlet((1, 1, 1), N)
        return {"id": range(N), **{f"p_{k}": rounded(shares[:, k], 4) for k in range(3)}}, {}

    return [
        *(
            certain(
                f"chances-{name}", chances(f"chances_{name}.csv", *form), FIRST,
                "the columns of a model sum to 1, and their names say of which class they are", n=N,
            )
            for name, form in forms.items()
        ),
        *(
            asked(
                f"chances-{name}", chances(f"chances_{name}.csv", named, classes),
                "numbers in an order that only their writer knows",
                leads("--names", names.format(*classes), order=FIRST, n=N),
            )
            for name, (named, classes) in unsure.items()
        ),
        asked("chances-alone", drawn("chances_alone.csv", alone), "classes are no models"),
    ]  # fmt: skip


def printed(file: str, change: Callable[[list[list[str]]], str]) -> Scene:
    """Scores on data sets as a program printed them, from the cells of the table."""
    return sheet(
        file, lambda text, _: change([line.split(",") for line in text.strip().split("\n")])
    )


def _by_blanks(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(" ".join(cell.rjust(12) for cell in row) for row in rows)


def _in_latex(rows: Sequence[Sequence[str]]) -> str:
    first, *others = rows
    body = [rf"{name} & \textbf{{{a}}} & ${b}$ \\" for name, a, b in others]
    head = [r"\begin{tabular}{lcc}", r"\toprule", " & ".join(first) + r" \\ \midrule"]
    return "\n".join([*head, *body, r"\bottomrule", r"\end{tabular}"])


def _ruled(rows: Sequence[Sequence[str]]) -> str:
    first, *others = [" | ".join(row) for row in rows]
    return "\n".join([first, "-----+-----+----", *others, "(20 rows)"])


def _grid(rows: Sequence[Sequence[str]]) -> str:
    rule = "+-----+-----+-----+"
    return "\n".join([rule, *(f"| {' | '.join(row)} |\n{rule}" for row in rows)])


def _side_by_side(rows: Sequence[Sequence[str]]) -> str:
    first, *others = rows
    pairs = zip([first, *others[:10]], [first, *others[10:]], strict=True)
    return "\n".join(",".join([*left, "", *right]) for left, right in pairs)


def _printed() -> list[Case]:
    forms: Mapping[str, tuple[Callable[[list[list[str]]], str], str]] = {
        "blanks.txt": (_by_blanks, "columns between blanks, as pandas prints them"),
        "frame.txt": (
            lambda rows: _by_blanks([rows[0], *([str(i), *r] for i, r in enumerate(rows[1:]))]),
            "R and pandas give no name to the names of the rows",
        ),
        "paper.tex": (_in_latex, "rows of a LaTeX table"),
        "database.txt": (_ruled, "what a database prints"),
        "grid.txt": (_grid, "a table with lines around its cells"),
        "blocks.csv": (_side_by_side, "two halves of one table side by side"),
        "winners.csv": (
            lambda rows: "\n".join(
                [",".join(rows[0]), *(f"{d},{a} •,{b} ∘" for d, a, b in rows[1:])]
            ),
            "a mark says who won",
        ),
    }
    return [
        certain(f"printed-{name.split('.')[0]}", printed(name, change), FIRST, why, **BY_SET)
        for name, (change, why) in forms.items()
    ]


def _counted() -> list[Case]:
    """Counts that are no values of models."""
    tables: Mapping[str, tuple[Mapping[str, Any], str]] = {
        "wins-of-two": (
            {"model": ["rf", "lr"], "wins": [180, 95], "losses": [95, 180], "ties": [25, 25]},
            "what one has won the other has lost",
        ),
        "wins-of-three": (
            {"model": ["rf", "lr", "nb"], "wins": [380, 225, 200], "losses": [165, 330, 310]},
            "nothing says over whom they won",
        ),
        "wins-of-pairs": (
            {"model_a": ["rf", "rf", "lr"], "model_b": ["lr", "nb", "nb"], "a_wins": [180, 200, 150],
             "b_wins": [95, 70, 130], "ties": [25, 30, 20]},
            "a and b are sides, not models",
        ),
        "detections": (
            {"image": [f"{i}.jpg" for i in range(6)] * 2, "model": ["rf"] * 6 + ["lr"] * 6, "tp": [9] * 6 + [5] * 6,
             "fp": [1] * 12, "fn": [0] * 6 + [4] * 6},
            "true positives alone say nothing",
        ),
    }  # fmt: skip
    return [
        asked(name, drawn(f"{name}.csv", lambda _, of=of: (of, {})), why)  # type: ignore[misc]
        for name, (of, why) in tables.items()
    ]


def _timed(file: str, form: str) -> Scene:
    def make(rng: np.random.Generator) -> Drawn:
        time = rng.gamma(4, 30, 60) + 100
        cells = {
            name: [form.format(t * slow).replace(".", ",") for t in time]
            for name, slow in (("rf", 1.0), ("lr", 1.4))
        }
        good = {"rf": -time, "lr": -1.4 * time}
        return csv_text({"request": range(60), **cells}, sep=";"), good

    return drawn(file, make)


def _graded(file: str, column: str, right: str, *wrong: str) -> Scene:
    """Answers that a program judged in words, of which one says right and several say wrong."""

    def make(rng: np.random.Generator) -> Drawn:
        good = {"rf": outcomes(rng, N, 0.92), "lr": outcomes(rng, N, 0.7)}
        words = [
            right if ok else wrong[i % len(wrong)]
            for of in good.values()
            for i, ok in enumerate(of)
        ]
        return {"task_id": [*range(N)] * 2, "model": BOTH, column: words}, good

    return drawn(file, make)


def _written() -> list[Case]:
    lower = ("--lower-is-better",)
    return [
        certain(
            "comma-milliseconds", _timed("ms.csv", "{:.1f} ms"), FIRST, "150,1 ms is no 1501",
            options=lower, n=60,
        ),
        asked(
            "comma-thousandths", _timed("seconds.csv", "{:.3f} s"), "100,123 s may be a hundred thousand",
            leads("--decimal", "comma", order=FIRST, n=60), options=lower,
        ),
        certain(
            "euros",
            items(
                "euros.csv",
                lambda t, a, b: csv_text(
                    {
                        "Objekt": range(N),
                        **{
                            name: [f"{1.1e5 + 1e6 * x:,.2f} €".translate(str.maketrans(",.", ".,")) for x in of]
                            for name, of in (("Ist", t), ("rf", a), ("lr", b))
                        },
                    },
                    sep=";",
                ),
                tuple(range(40)),
            ),
            FIRST, "1.234.567,89 € is a number", options=("--truth", "Ist", "--measure", "mae"), n=N,
        ),
        certain(
            "failed-in-words", _graded("status.csv", "result", "passed", "failed: AssertionError", "timed out"),
            FIRST, "a run that timed out did not pass", n=N,
        ),
        certain(
            "not-attempted", _graded("simple.csv", "grade", "CORRECT", "INCORRECT", "NOT_ATTEMPTED"),
            FIRST, "no answer is not correct", n=N,
        ),
        asked(
            "excel-in-german",
            drawn("wahr.csv", _true_in_german), "WAHR may be the answer",
            leads("--correct", order=FIRST, n=N),
        ),
    ]  # fmt: skip


def _true_in_german(rng: np.random.Generator) -> Drawn:
    good = {"rf": outcomes(rng, N, 0.92), "lr": outcomes(rng, N, 0.7)}
    words = {name: [("FALSCH", "WAHR")[x] for x in of] for name, of in good.items()}
    return csv_text({"Frage": range(N), **words}, sep=";"), good


def _benchmark(rng: np.random.Generator) -> Drawn:
    """A row for each fold of each learner on each task, as mlr3 writes them."""
    sets = SETS[:12]
    base = rng.uniform(0.1, 0.3, len(sets))
    rows, good = [], {}
    for model, more in (("rf", 0.0), ("lr", 0.06)):
        errors = np.round(base[:, None] + more + rng.normal(0, 0.01, (len(sets), 5)), 4)
        good[model] = -errors.mean(axis=1)
        rows += [
            (len(good) * 100 + i, name, model, "cv", k + 1, errors[i, k])
            for i, name in enumerate(sets)
            for k in range(5)
        ]
    names = ("nr", "task_id", "learner_id", "resampling_id", "iteration", "classif.ce")
    return dict(zip(names, zip(*rows, strict=True), strict=True)), good


def _readers(rng: np.random.Generator) -> Drawn:
    """Three readers rate 60 cases in two modalities, from sure of none to sure of a lesion."""
    ill = np.arange(60) % 2
    rows, scores = [], {"CT": [], "MR": []}  # type: ignore[var-annotated]
    for reader in range(3):
        for modality, gap in (("CT", 2.6), ("MR", 0.8)):
            found = np.clip(np.round(2 + gap * ill + rng.normal(0, 0.8, 60)), 1, 5).astype(int)
            scores[modality] += found.tolist()
            rows += [
                (case, reader, modality, *x) for case, x in enumerate(zip(ill, found, strict=True))
            ]
    names = ("CaseID", "ReaderID", "ModalityID", "Truth", "Confidence")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    return columns, placements(np.tile(ill, 3), **scores)


def _layouts() -> list[Case]:
    ct = {"order": (("CT", "MR"),), "n": 180}  # type: dict[str, Any]
    by_set = {"order": FIRST, "unit": "dataset", "n": 20}  # type: dict[str, Any]

    def board(_: str, scores: Mapping[str, Any]) -> str:
        cells = {
            name: list(of)
            for name, of in zip(SETS, zip(*scores.values(), strict=True), strict=True)
        }
        return csv_text({"Model": list(scores), **cells, "Hub ❤️": [140, 912]})

    def nested(_: str, scores: Mapping[str, Any]) -> str:
        return json.dumps({
            model: {name: {"acc": x, "acc_stderr": 0.01} for name, x in zip(SETS, of, strict=True)}
            for model, of in scores.items()
        })  # fmt: skip

    def by_class(_: str, scores: Mapping[str, Any]) -> str:
        values = [x for of in scores.values() for x in of]
        return csv_text({"class": SETS * 2, "model": ["rf"] * 20 + ["lr"] * 20, "mAP50": values})

    def beside(form: str) -> Callable[..., Mapping[str, Any]]:
        def columns(t: Any, rf: Any, lr: Any) -> Mapping[str, Any]:
            sure = {name: rounded(np.linspace(0.5, 1, N)) for name in ("rf", "lr")}
            predicted = (
                {"pred_rf": rf, "pred_lr": lr} if form[0] == "c" else {"rf_pred": rf, "lr_pred": lr}
            )
            return {
                "id": range(N),
                "label": t,
                **predicted,
                **{form.format(n): of for n, of in sure.items()},
            }

        return columns

    return [
        asked(
            "benchmark-of-mlr3", drawn("bmr.csv", _benchmark), "nr numbers the runs of each learner",
            leads("--unit", "dataset", "--repeat", "iteration", order=FIRST, unit="dataset", n=12),
        ),
        asked(
            "readers-confidence", drawn("mrmc.csv", _readers), "three readers rated each case",
            leads("--models", "ModalityID", "--id", "CaseID", "--repeat", "ReaderID", **ct),
            leads("--models", "ModalityID", "--cluster", "CaseID", **ct),
            options=("--measure", "roc_auc"),
        ),
        asked(
            "likes-of-models", sheet("board.csv", board), "912 likes are no accuracy",
            leads("--ignore", "Hub ❤️", **by_set), options=ACCURACY,
        ),
        asked(
            "spread-in-mappings", sheet("nested.json", nested), "an accuracy and its standard error",
            leads("--unit", "dataset", **by_set),
        ),
        asked(
            "precision-by-class", sheet("by_class.csv", by_class), "class names the rows, one for each model",
            leads("--unit", "dataset", "--higher-is-better", **by_set),
        ),
        certain(
            "confidence-behind", items("conf.csv", beside("{}_conf")), FIRST, "how sure a model was is no model", n=N,
        ),
        certain(
            "confidence-before", items("confidence.csv", beside("confidence_{}")), FIRST,
            "how sure a model was is no model", n=N,
        ),
    ]  # fmt: skip


CASES = [*_probabilities(), *_printed(), *_counted(), *_written(), *_layouts()]
