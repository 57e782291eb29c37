"""Files that visitors bring: results listed by model, tables in prose, words that judge, pairs of models in a row."""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from tests.door.brought import BY_SET, FIRST, SETS, Drawn, drawn, sheet
from tests.door.brought_items import N, items
from tests.door.case import Case, Scene, asked, certain, defensible, leads
from tests.door.draw import csv_text, outcomes, records, rounded
from tests.door.tables import ACCURACY

Q = [f"q{i}" for i in range(N)]


def lines(rows: Iterable[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def judged(file: str, write: Any, right: float = 0.88, other: float = 0.62) -> Scene:
    """Right and wrong answers to N questions: rf is right more often."""

    def make(rng: np.random.Generator) -> Drawn:
        rf, lr = outcomes(rng, N, right), outcomes(rng, N, other)
        return write(rf.tolist(), lr.tolist()), {"rf": rf, "lr": lr}

    return drawn(file, make)


def words(bad: str, good: str) -> Any:
    def write(rf: list[int], lr: list[int]) -> dict[str, Any]:
        return {
            "prompt": Q,
            **{m: [(bad, good)[v] for v in of] for m, of in (("rf", rf), ("lr", lr))},
        }

    return write


def _results() -> list[Case]:
    def listed(rf: list[int], lr: list[int]) -> list[Any]:
        return [
            {
                "id": q,
                "results": [
                    {"model": "rf", "correct": bool(a)},
                    {"model": "lr", "correct": bool(b)},
                ],
            }
            for q, a, b in zip(Q, rf, lr, strict=True)
        ]

    def nested(rf: list[int], lr: list[int]) -> str:
        rows = zip(Q, rf, lr, strict=True)
        return lines(
            {
                "id": q,
                "by": {m: {"correct": bool(v), "latency": 1.5} for m, v in (("rf", a), ("lr", b))},
            }
            for q, a, b in rows
        )

    def of_pandas(t: Any, a: Any, b: Any) -> str:
        rows = [list(row) for row in zip(t, a, b, strict=True)]
        return json.dumps({"columns": ["truth", "rf", "lr"], "index": [*range(N)], "data": rows})

    def pairs(rng: np.random.Generator) -> Drawn:
        rf, lr = (rng.integers(low, low + 5, N) for low in (6, 4))
        swapped = [i % 2 for i in range(N)]
        columns = {
            "model_1": [("rf", "lr")[s] for s in swapped],
            "model_2": [("lr", "rf")[s] for s in swapped],
            "score_1": [(a, b)[s] for a, b, s in zip(rf, lr, swapped, strict=True)],
            "score_2": [(b, a)[s] for a, b, s in zip(rf, lr, swapped, strict=True)],
        }
        return lines(records({"prompt": Q, **columns})), {"rf": rf, "lr": lr}

    def by_column(t: Any, a: Any, b: Any) -> dict[str, Any]:
        named = zip(Q, zip(t, a, b, strict=True), strict=True)
        return {"": ["truth", "rf", "lr"], **{q: list(cells) for q, cells in named}}

    return [
        certain(
            "listed-by-model",
            judged("listed_by_model.jsonl", lambda a, b: lines(listed(a, b))),
            FIRST,
            "each line lists what the models did",
            n=N,
        ),
        certain(
            "listed-in-array",
            judged("listed_in_array.json", lambda a, b: json.dumps(listed(a, b))),
            FIRST,
            "each record lists what the models did",
            n=N,
        ),
        certain("nested-by-model", judged("nested_by_model.jsonl", nested), FIRST, "correct by model", n=N),
        certain("split-of-pandas", items("split_of_pandas.json", of_pandas), FIRST, "names and rows", n=N),
        asked(
            "pairs-scored",
            drawn("pairs_scored.jsonl", pairs),
            "the models change places; nothing says which scores are good",
            leads("--higher-is-better", order=FIRST, n=N),
        ),
        certain("truth-in-a-row", items("truth_in_a_row.csv", by_column), FIRST, "items in columns", n=N),
        certain(
            "truth-in-a-row-told",
            items("truth_in_a_row_told.csv", by_column),
            FIRST,
            "the truth is no model, whatever is said of rows",
            options=("--models-in-rows",),
            n=N,
        ),
    ]  # fmt: skip


def _words() -> list[Case]:
    def arms(rng: np.random.Generator) -> Drawn:
        rf, lr = outcomes(rng, N, 0.5), outcomes(rng, N, 0.2)
        clicked = [("no", "yes")[v] for v in (*rf, *lr)]
        rows = {"session": [f"s{i}" for i in range(2 * N)], "group": ["rf"] * N + ["lr"] * N}
        return {**rows, "clicked": clicked}, {}

    def graded(rng: np.random.Generator) -> Drawn:
        scale = ["very bad", "bad", "fair", "good", "very good"]
        return {"prompt": Q, **{m: rng.choice(scale, N).tolist() for m in ("rf", "lr")}}, {}

    def rated(rng: np.random.Generator) -> Drawn:
        rf, lr = (rng.integers(low, low + 5, N) for low in (6, 3))
        return {"prompt": Q, "rf": [f"{v}/10" for v in rf], "lr": [f"{v}/10" for v in lr]}, {
            "rf": rf,
            "lr": lr,
        }

    return [
        certain("thumbs", judged("thumbs.csv", words("👎", "👍")), FIRST, "thumbs up is right", n=N),
        certain("ok-or-error", judged("ok_or_error.csv", words("error", "ok")), FIRST, "an error is none", n=N),
        asked(
            "safe-or-unsafe",
            judged("safe_or_unsafe.csv", words("unsafe", "safe")),
            "nothing says whether these are answers, or judge them",
            leads("--correct", "--positive", "safe", order=FIRST, n=N),
            leads("--correct", "--positive", "unsafe", order=(FIRST[0][::-1],), n=N, said=-1),
        ),
        asked("graded-in-words", drawn("graded_in_words.csv", graded), "words have no distance"),
        asked(
            "arms-in-words",
            drawn("arms_in_words.csv", arms),
            "nothing says which column names what is compared",
            leads("--models", "group", "--correct", "--unpaired", order=FIRST),
        ),
        asked(
            "points-of-ten",
            drawn("points_of_ten.csv", rated),
            "nothing says that high is good",
            leads("--higher-is-better", order=FIRST, n=N),
        ),
    ]  # fmt: skip


def _numbers() -> list[Case]:
    def thousands(rng: np.random.Generator) -> Drawn:
        truth = rng.normal(1000, 300, N).clip(200)
        rf, lr = (truth + rng.normal(0, spread, N) for spread in (10, 60))
        columns = {"actual": truth, "rf": rf, "lr": lr}
        text = {m: [f"{v:,.0f}".replace(",", ".") for v in of] for m, of in columns.items()}
        good = {"rf": -((rf - truth) ** 2), "lr": -((lr - truth) ** 2)}
        return csv_text({"nr": [*range(N)], **text}, sep=";"), good

    def ranks(rng: np.random.Generator) -> Drawn:
        rows = [(1, 2, 3) if rng.random() < 0.9 else (1, 3, 2) for _ in SETS]
        named = dict(zip(("rf", "lr", "nb"), zip(*rows, strict=True), strict=True))
        return {"dataset": SETS, **named}, {}

    def again(rng: np.random.Generator) -> Drawn:
        base = rng.normal(0.9, 0.02, 50)
        rf, lr = rounded(base + 0.06 + rng.normal(0, 0.004, 50)), rounded(base)
        return {"fold": [*range(10)] * 5, "rf": rf, "lr": lr}, {}

    def prices(rng: np.random.Generator) -> Drawn:
        price = rng.normal(200_000, 50_000, N).round()
        rf, lr = ((price + rng.normal(0, spread, N)).round() for spread in (10_000, 30_000))
        described = {"bedrooms": rng.integers(1, 6, N), "sqft": rng.integers(500, 4000, N)}
        columns = {**described, "price": price, "pred_rf": rf, "pred_lr": lr}
        whole = {name: [int(v) for v in of] for name, of in columns.items()}
        return {"house": [*range(N)], **whole}, {
            "pred_rf": -abs(rf - price),
            "pred_lr": -abs(lr - price),
        }

    return [
        asked(
            "whole-prices",
            drawn("whole_prices.csv", prices),
            "predictions say so, and price goes with all of them; no number of bedrooms is a model",
            leads("--truth", "price", order=(("pred_rf", "pred_lr"),), n=N),
        ),
        asked(
            "points-of-thousands",
            drawn("points_of_thousands.csv", thousands),
            "1.477 beside 914 may be a thousand",
            leads("--decimal", "comma", "--truth", "actual", order=FIRST, n=N),
        ),
        asked(
            "ranks-untold",
            drawn("ranks_untold.csv", ranks),
            "ranks are not in per cent, and nothing says that they are ranks",
            leads("--lower-is-better", order=(("rf", "lr"), ("rf", "nb")), unit="dataset", models=("rf", "lr", "nb")),
        ),
        asked(
            "folds-again",
            drawn("folds_again.csv", again),
            "the numbers of folds come five times",
            leads("--folds", "10", "--repeats", "5", order=FIRST, unit="fold", n=50),
            options=ACCURACY,
        ),
        defensible(
            "many-codes",
            items("many_codes.csv", lambda t, a, b: {"id": Q, "label": t, "rf": a, "lr": _more(b)}, [*range(80)]),
            FIRST,
            "codes of classes, or values",
            ("--measure", "accuracy"),
            n=N,
        ),
        asked(
            "flag-of-fraud",
            drawn("flag_of_fraud.csv", _frauds),
            "is_fraud may describe the items",
            leads("--truth", "is_fraud", order=FIRST, n=N),
        ),
    ]  # fmt: skip


def _more(values: list[int]) -> list[int]:
    """More wrong answers: every third is another code."""
    return [(v + 37) % 80 if i % 3 == 0 else v for i, v in enumerate(values)]


def _frauds(rng: np.random.Generator) -> Drawn:
    fraud = rng.integers(0, 2, N)
    rf, lr = (1 / (1 + np.exp(-k * (2 * fraud - 1) - rng.normal(0, 1, N))) for k in (2.5, 0.8))
    columns = {
        "rf_score": rounded(rf),
        "lr_score": rounded(lr),
        "amount": rounded(rng.gamma(2, 50, N)),
    }
    return {"id": Q, "is_fraud": [bool(v) for v in fraud], **columns}, {}


def _sheets() -> list[Case]:
    def drawn_table(text: str) -> str:
        head, *rows = [line.split(",") for line in text.strip().split("\n")]
        return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))

    def latex(_: str, scores: Any) -> str:
        head = "Dataset & \\multicolumn{2}{c}{Accuracy $\\uparrow$} \\\\ \\cline{2-3}\n & rf & lr \\\\\n"
        cells = zip(SETS, scores["rf"], scores["lr"], strict=True)
        return head + "".join(
            f"{s} & {a}$_{{\\pm 0.2}}$ & {b}$_{{\\pm 0.1}}$ \\\\\n" for s, a, b in cells
        )

    def ruled(text: str, _: Any) -> str:
        rule = "======== ====== ======"
        head, *rows = text.strip().replace(",", "  ").split("\n")
        return "\n".join([rule, head, rule, *rows, rule, ""])

    def in_rows(_: str, scores: Any) -> str:
        named = [[f"**{m}**" if m == "rf" else m, *map(str, of)] for m, of in scores.items()]
        return drawn_table("\n".join(map(",".join, [["Model", *SETS], *named])))

    return [
        certain(
            "table-in-prose",
            sheet("table_in_prose.md", lambda t, _: f"# Results\n\nBest | worst.\n\n{drawn_table(t)}\n\nMore.\n"),
            FIRST,
            "the text has one table",
            **BY_SET,
        ),
        certain("spanned-latex", sheet("spanned.tex", latex), FIRST, "one name above two", unit="dataset", n=20),
        certain("ruled-by-signs", sheet("ruled.txt", ruled), FIRST, "lines between rows", **BY_SET),
        certain("bold-in-rows", sheet("bold_in_rows.md", in_rows), FIRST, "a name in bold", **BY_SET),
    ]  # fmt: skip


CASES: list[Case] = [*_results(), *_words(), *_numbers(), *_sheets()]
