"""Files that travellers bring: degrees and codes among numbers, readers' grades, steps ahead, other alphabets."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.brought import BY_SET, FIRST, SETS, Drawn, drawn, sheet, table
from tests.door.brought_items import N, items
from tests.door.case import Case, Goodness, Scene, asked, certain, defensible, leads
from tests.door.draw import csv_text, outcomes, placements, rounded
from tests.door.tables import ACCURACY

COMPLETE = ("--missing", "complete")


def forecast(file: str, columns: Callable[..., str | Mapping[str, Any]]) -> Scene:
    """Numbers that rf predicts better than lr."""

    def make(rng: np.random.Generator) -> Drawn:
        y = rng.normal(20, 5, N)
        rf, lr = (y + rng.normal(0, sd, N) for sd in (1, 2.5))
        good = {"rf": -np.abs(rf - y), "lr": -np.abs(lr - y)}
        return columns(*(rounded(values, 2) for values in (y, rf, lr))), good

    return drawn(file, make)


def _numbers() -> list[Case]:
    ids = [f"d{i}" for i in range(N)]

    def degrees(y: Any, rf: Any, lr: Any) -> Mapping[str, Any]:
        named = {"observed_c": y, "rf": rf, "lr": lr}
        cells = {name: [f"{v} °C" for v in values] for name, values in named.items()}
        return {"station": [f"st{i % 12}" for i in range(N)], **cells}

    def residuals(y: Any, rf: Any, lr: Any) -> Mapping[str, Any]:
        of = {"rf": rf, "lr": lr}
        wrong = {f"{m}_resid": rounded(np.subtract(y, v), 2) for m, v in of.items()}
        return {"id": ids, "y": y, **{f"{m}_pred": v for m, v in of.items()}, **wrong}

    def ahead(rng: np.random.Generator) -> Drawn:
        rf = rng.uniform(0.5, 2.0, 300)
        lr = rf + rng.normal(0.3, 0.3, 300)
        place = {"series": [f"s{i // 6}" for i in range(300)], "h": [1 + i % 6 for i in range(300)]}
        return {**place, "arima_ae": rounded(rf), "ets_ae": rounded(lr)}, {}

    return [
        asked(
            "degrees",
            forecast("degrees.csv", degrees),
            "20.5 °C is a number, and a station comes again",
            leads("--truth", "observed_c", "--cluster", "station", order=FIRST, n=N),
        ),
        asked(
            "code-among-values",
            forecast(
                "code_among_values.csv",
                lambda y, rf, lr: {"id": ids, "y": y, "rf": [-999, *rf[1:]], "lr": lr},
            ),
            "-999 is no forecast of 20: the model failed",
            leads(*COMPLETE, order=FIRST, n=N - 1),
        ),
        asked(
            "infinite-value",
            forecast(
                "infinite_value.csv",
                lambda y, rf, lr: {"id": ids, "y": y, "rf": ["inf", *rf[1:]], "lr": lr},
            ),
            "what is infinite is no forecast",
            leads(*COMPLETE, order=FIRST, n=N - 1),
        ),
        asked(
            "infinite-score",
            table("infinite_score.csv", lambda s: {**s, "rf": ["inf", *s["rf"][1:]]}),
            "what is infinite is no accuracy",
            leads(*COMPLETE, order=FIRST, unit="dataset"),
            options=ACCURACY,
        ),
        certain(
            "residuals-beside",
            forecast("residuals_beside.csv", residuals),
            FIRST,
            "the residuals follow from truth and predictions",
            models=("rf_pred", "lr_pred"),
            n=N,
        ),
        asked(
            "steps-ahead",
            drawn("steps_ahead.csv", ahead),
            "six steps of a series are not independent, and a step is no model",
            leads(
                *("--cluster", "series", "--losses"),
                order=(("arima_ae", "ets_ae"),),
                n=300,
            ),
        ),
    ]


def _items() -> list[Case]:
    def grades(rng: np.random.Generator) -> Drawn:
        cancer = rng.integers(0, 2, N)
        cad = np.clip(0.5 + 0.35 * (2 * cancer - 1) + rng.normal(0, 0.2, N), 0, 1)
        birads = np.clip(np.round(3 + 0.5 * (2 * cancer - 1) + rng.normal(0, 1, N)), 1, 5)
        columns = {"cad_score": rounded(cad), "reader_birads": birads.astype(int).tolist()}
        named = {"case": range(N), "cancer": cancer.tolist(), **columns}
        return named, placements(cancer == 1, **columns)

    def totalled(rng: np.random.Generator) -> Drawn:
        rf, lr = outcomes(rng, N, 0.85), outcomes(rng, N, 0.6)
        feet = {"rf": "85.0%", "lr": "60.0%"}
        columns = {m: [*of.tolist(), feet[m]] for m, of in (("rf", rf), ("lr", lr))}
        questions = [*(f"q{i}" for i in range(N)), "Accuracy"]
        return {"question": questions, **columns}, {"rf": rf, "lr": lr}

    def words(t: Any, a: Any, b: Any) -> Mapping[str, Any]:
        return {"id": range(N), "Real": t, "Predicho_bosque": a, "Predicho_logit": b}

    bosque = (("Predicho_bosque", "Predicho_logit"),)
    spanish = items("predicho.csv", words, ("gato", "perro"))

    def renamed(folder: Path) -> Goodness:
        good = spanish.make(folder)
        return dict(zip(bosque[0], good.values(), strict=True))

    def of_china(folder: Path) -> Goodness:
        scene = items(
            "gbk.txt", lambda t, a, b: {"编号": range(N), "标签": t, "随机森林": a, "逻辑回归": b}
        )
        good = scene.make(folder)
        path = folder / "gbk.txt"
        path.write_bytes(path.read_text(encoding="utf-8").encode("gb18030"))
        return dict(zip(("随机森林", "逻辑回归"), good.values(), strict=True))

    return [
        defensible(
            "grades-of-readers",
            drawn("grades_of_readers.csv", grades),
            (("cad_score", "reader_birads"),),
            "grades from 1 to 5 are not in per cent",
            ("--truth", "cancer"),
            n=N,
        ),
        certain(
            "accuracy-at-the-foot",
            drawn("accuracy_at_the_foot.csv", totalled),
            FIRST,
            "the last row is no question, but the mean of all",
            options=("--correct",),
            n=N,
        ),
        certain(
            "logit-of-words",
            Scene(spanish.files, renamed),
            bosque,
            "a column of classes holds no logits: the model is called so",
            n=N,
        ),
        certain(
            "chinese-code-page",
            Scene(("gbk.txt",), of_china),
            (("随机森林", "逻辑回归"),),
            "as Excel saves it in China",
            n=N,
        ),
        certain(
            "baseline-of-predictions",
            items("pred_new.csv", lambda t, a, b: {"id": range(N), "y": t, "pred_rf": a, "pred_lr": b}),
            (),
            "the baseline of pred_lr is called lr",
            options=("--baseline", "lr", "--margin", "0.01"),
            models=("pred_rf", "pred_lr"),
            verb="gate",
            n=N,
        ),
    ]  # fmt: skip


def _sets() -> list[Case]:
    def chinese(rng: np.random.Generator) -> Drawn:
        base = rng.uniform(0.6, 0.9, 20)
        rf, lr = (rounded(base + gap + rng.normal(0, 0.004, 20)) for gap in (0.05, 0))
        columns = {"数据集": SETS * 2, "模型": ["rf"] * 20 + ["lr"] * 20, "准确率": [*rf, *lr]}
        return columns, {"rf": np.array(rf), "lr": np.array(lr)}

    def means(rng: np.random.Generator) -> Drawn:
        columns, good = chinese(rng)
        assert isinstance(columns, Mapping)
        names = ("dataset", "model", "mean")
        named = dict(zip(names, columns.values(), strict=True))
        return {**named, "std": rounded(rng.uniform(0.01, 0.02, 40))}, good

    return [
        certain(
            "chinese-accuracy",
            drawn("chinese_accuracy.csv", chinese),
            FIRST,
            "准确率 is the accuracy",
            unit="dataset",
            n=20,
        ),
        asked(
            "means-of-each",
            drawn("means_of_each.csv", means),
            "a mean of each model on each data set, of nobody knows what",
            leads("--higher-is-better", order=FIRST, unit="dataset", n=20),
        ),
        certain(
            "bold-mean",
            sheet(
                "bold_mean.csv",
                lambda _, s: csv_text(
                    {
                        "dataset": SETS,
                        "rf": [f"**{v}** ± 0.01" for v in s["rf"]],
                        "lr": [f"{v} ± 0.02" for v in s["lr"]],
                    }
                ),
            ),
            FIRST,
            "the mean is in bold, its spread is not",
            **BY_SET,
        ),
    ]


CASES = [*_numbers(), *_items(), *_sets()]
