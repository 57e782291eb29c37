"""What others brought item by item: flags, forecasts, training curves, submissions, outcomes in words."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.brought import FIRST, Drawn, drawn
from tests.door.case import Case, Goodness, Scene, agreement, asked, certain, leads
from tests.door.draw import csv_text, generator, outcomes, placements, rounded, spoilt

N = 240


def items(
    file: str, columns: Callable[..., str | Mapping[str, Any]], classes: Any = (0, 1)
) -> Scene:
    """Predictions of 240 items: rf errs in 6 %, lr in 25 %."""

    def make(rng: np.random.Generator) -> Drawn:
        truth = np.asarray(classes)[rng.integers(0, len(classes), N)]
        rf, lr = (spoilt(rng, truth, rate, classes) for rate in (0.06, 0.25))
        found = columns(truth.tolist(), rf.tolist(), lr.tolist())
        return found, agreement(truth, rf=rf, lr=lr)

    return drawn(file, make)


def _items() -> list[Case]:
    flat = ("id",)
    ids = {flat[0]: range(N)}
    halves = [int(i < N // 2) for i in range(N)]

    def train(file: str, name: str, values: Any) -> Scene:
        def learnt(truth: list[int], rf: list[int], lr: list[int]) -> Mapping[str, Any]:
            return {**ids, name: values, "y": truth, "rf": rf, "lr": lr}

        return items(file, learnt)

    def flagged(name: str, option: str) -> Case:
        scene = train(f"{name}.csv", name, halves)
        bare = Scene(scene.files, lambda folder: _dropped(scene, folder))
        return asked(
            f"flag-{name.replace('_', '-')}",
            bare,
            "half of the rows were trained on",
            leads("--where", option, order=(), models=("rf", "lr"), n=N // 2),
        )

    def one_hot(truth: list[str], rf: list[str], lr: list[str]) -> Mapping[str, Any]:
        of = {f"true_{c}": [int(t == c) for t in truth] for c in "abc"}
        return {**ids, **of, "rf": rf, "lr": lr}

    def long(truth: list[int], rf: list[int], lr: list[int]) -> Mapping[str, Any]:
        return {"model": ["rf"] * N + ["lr"] * N, "y_true": truth * 2, "y_pred": rf + lr}

    def named(truth: list[int], rf: list[int], lr: list[int]) -> Mapping[str, Any]:
        of = {"label": truth * 2, "predicted_label": rf + lr}
        return {"id": [*range(N)] * 2, "model": ["rf"] * N + ["lr"] * N, **of}

    return [
        flagged("is_train", "is_train=0"),
        flagged("split", "split=0"),
        asked(
            "household",
            items(
                "household.csv",
                lambda t, rf, lr: {
                    **ids,
                    "household": [i // 3 for i in range(N)],
                    "y": t,
                    "rf": rf,
                    "lr": lr,
                },
            ),
            "three people of a household are not independent",
            leads("--cluster", "household", order=FIRST),
        ),
        certain(
            "one-hot",
            items("one_hot.csv", one_hot, ("a", "b", "c")),
            FIRST,
            "one of the three is 1",
            n=N,
        ),
        certain(
            "long-no-ids",
            items("long_no_ids.csv", long),
            FIRST,
            "the same truths in the same order",
            n=N,
        ),
        certain(
            "long-predicted",
            items("long_predicted.csv", named),
            FIRST,
            "label and predicted label",
            n=N,
        ),
        certain(
            "spelt",
            items(
                "spelt.csv",
                lambda t, rf, lr: {
                    **ids,
                    "truth": t,
                    "rf": [x.lower() for x in rf],
                    "lr": [f"{x} " for x in lr],
                },
                ("No", "Yes"),
            ),
            FIRST,
            "yes is Yes",
            n=N,
        ),
        certain(
            "booleans",
            items(
                "booleans.csv",
                lambda t, rf, lr: {
                    **ids,
                    "truth": t,
                    "rf": [bool(x) for x in rf],
                    "lr": [bool(x) for x in lr],
                },
            ),
            FIRST,
            "True is 1",
            n=N,
        ),
        certain(
            "flags-beside",
            items(
                "flags_beside.csv",
                lambda t, rf, lr: {
                    **ids,
                    "truth": t,
                    "rf": rf,
                    "rf_correct": [int(a == b) for a, b in zip(t, rf, strict=True)],
                    "lr": lr,
                    "lr_correct": [int(a == b) for a, b in zip(t, lr, strict=True)],
                },
            ),
            FIRST,
            "whether rf is right is no model",
            n=N,
        ),
    ]


def _dropped(scene: Scene, folder: Path) -> Goodness:
    scene.make(folder)
    return {}


def _scored() -> list[Case]:
    def scores(file: str, columns: Callable[[list[int], Any, Any], Mapping[str, Any]]) -> Scene:
        def make(rng: np.random.Generator) -> Drawn:
            truth = rng.integers(0, 2, N)
            rf, lr = (
                np.round(1 / (1 + np.exp(-(gap * (truth - 0.5) + rng.normal(0, 1, N)))), 4)
                for gap in (3.5, 1.0)
            )
            return {"id": range(N), "y": truth.tolist(), **columns(truth.tolist(), rf, lr)}, (
                placements(truth, rf=rf, lr=lr)
            )

        return drawn(file, make)

    turned = scores("turned.csv", lambda _, rf, lr: {"rf": 1 - rf, "lr": 1 - lr})
    return [
        certain(
            "chances-plain",
            scores(
                "chances_plain.csv",
                lambda _, rf, lr: {
                    "rf_0": np.round(1 - rf, 4),
                    "rf_1": rf,
                    "lr_0": np.round(1 - lr, 4),
                    "lr_1": lr,
                },
            ),
            FIRST,
            "two columns of each model that sum to 1",
            n=N,
        ),
        certain(
            "logits-suffix",
            scores(
                "logits.csv",
                lambda _, rf, lr: {
                    "rf_logit": rounded(np.log(rf / (1 - rf))),
                    "lr_logit": rounded(np.log(lr / (1 - lr))),
                },
            ),
            FIRST,
            "logits rank as probabilities do",
            n=N,
        ),
        asked(
            "scores-turned",
            turned,
            "the scores are lower for the class 1: distances, or chances of 0",
            leads("--positive", "0", order=FIRST),
        ),
        certain(
            "prefix-both",
            items(
                "prefix_both.csv",
                lambda t, rf, lr: {
                    "y_true": t,
                    "y_pred_rf": rf,
                    "y_proba_rf": [0.2 + 0.6 * x for x in rf],
                    "y_pred_lr": lr,
                    "y_proba_lr": [0.3 + 0.5 * x for x in lr],
                },
            ),
            FIRST,
            "labels and probabilities of two models",
            n=N,
        ),
    ]


def _values() -> list[Case]:
    def right(file: str, write: Callable[[str, Any], Any]) -> Scene:
        def make(rng: np.random.Generator) -> Drawn:
            good = {"rf": outcomes(rng, N, 0.85), "lr": outcomes(rng, N, 0.6)}
            found = {"question": range(N), **{n: write(n, v.tolist()) for n, v in good.items()}}
            return found, {name: values.astype(float) for name, values in good.items()}

        return drawn(file, make)

    def measured(file: str, name: str, *, also: bool = False) -> Scene:
        def make(rng: np.random.Generator) -> Drawn:
            values = {
                "rf": rng.normal(0.5, 0.1, N).clip(0, 1),
                "lr": rng.normal(0.4, 0.1, N).clip(0, 1),
            }
            columns = {name.format(n): rounded(v) for n, v in values.items()}
            columns |= {f"{n}_ter": rounded(1 - v) for n, v in values.items() if also}
            return {"sentence_id": range(N), **columns}, values

        return drawn(file, make)

    def forecasts(rng: np.random.Generator) -> Drawn:
        base = rng.uniform(0.5, 1.5, 60)
        rows = [
            (f"T{i}", m, f * b, 1.2 * f * b)
            for i, b in enumerate(base)
            for m, f in (("mase", 1), ("smape", 12))
        ]
        names = ("unique_id", "metric", "AutoETS", "SeasonalNaive")
        columns = {n: [r[p] for r in rows] for p, n in enumerate(names)}
        noise = rng.normal(0, 0.01, (2, 60))
        return {n: rounded(v) if p > 1 else v for p, (n, v) in enumerate(columns.items())}, {
            "AutoETS": -base + noise[0] / 100,
            "SeasonalNaive": -1.2 * base + noise[1] / 100,
        }

    def panel(rng: np.random.Generator) -> Drawn:
        y = rng.normal(100, 20, 360)
        a, b = rng.normal(0, 1, 360), rng.normal(0, 3, 360)
        columns = {
            "unique_id": [f"T{i // 12}" for i in range(360)],
            "ds": [f"2024-{1 + i % 12:02}-01" for i in range(360)],
            "y": rounded(y),
            "AutoETS": rounded(y + a),
            "AutoETS-lo-90": rounded(y + a - 2),
            "SeasonalNaive": rounded(y + b),
        }
        of = np.arange(360) // 12
        return columns, {
            n: -np.array([np.mean(e[of == g] ** 2) for g in range(30)])
            for n, e in (("AutoETS", a), ("SeasonalNaive", b))
        }

    ets = (("AutoETS", "SeasonalNaive"),)
    both = measured("measured_both.csv", "{}_bleu", also=True)
    return [
        certain(
            "outcome-words",
            right("outcome_words.csv", lambda _, v: ["PASS" if x else "FAIL" for x in v]),
            FIRST,
            "pass is right",
            n=N,
        ),
        certain(
            "outcome-said",
            right(
                "outcome_said.csv",
                lambda n, v: [f"[PASS] {n}{i}" if x else f"[FAIL] {n}{i}" for i, x in enumerate(v)],
            ),
            FIRST,
            "pass stands before the answer",
            n=N,
        ),
        certain(
            "measured-suffix",
            measured("measured_suffix.csv", "{}_bleu"),
            FIRST,
            "BLEU of rf and of lr",
            n=N,
        ),
        certain(
            "measured-prefix",
            measured("measured_prefix.csv", "bleu_{}"),
            FIRST,
            "BLEU of rf and of lr",
            n=N,
        ),
        asked("measured-both", both, "BLEU or TER", leads("--measure", "bleu", order=FIRST)),
        asked(
            "metric-column",
            drawn("metric.csv", forecasts),
            "two measures in one column",
            leads("--measure", "mase", order=ets, n=60),
        ),
        asked(
            "panel",
            drawn("panel.csv", panel),
            "months of one series are not independent",
            leads("--cluster", "unique_id", order=ets),
        ),
    ]


def _others() -> list[Case]:
    def submissions(truth: str) -> Scene:
        files = (truth, "one.csv", "two.csv")

        def make(folder: Path) -> Goodness:
            rng = generator(truth)
            target = rng.integers(0, 2, N)
            found = {
                "one": spoilt(rng, target, 0.06, (0, 1)),
                "two": spoilt(rng, target, 0.25, (0, 1)),
            }
            order = rng.permutation(N)
            (folder / files[0]).write_text(
                csv_text(
                    {
                        "id": range(N),
                        "target": target.tolist(),
                        "Usage": ["Public", "Private"] * (N // 2),
                    }
                )
            )
            (folder / files[1]).write_text(
                csv_text({"id": order.tolist(), "target": found["one"][order].tolist()})
            )
            (folder / files[2]).write_text(
                csv_text({"id": range(N), "target": found["two"].tolist()})
            )
            return agreement(target, **found)

        return Scene(files, make)

    def curves(rng: np.random.Generator) -> Drawn:
        rows = [
            (a, s, t, t / 10 * f + rng.normal(0, 3))
            for a, f in (("ppo", 1.4), ("dqn", 1.0))
            for s in range(20)
            for t in range(0, 1000, 100)
        ]
        columns: dict[str, Any] = {
            n: [r[p] for r in rows] for p, n in enumerate(("algo", "seed", "step", "reward"))
        }
        columns["reward"] = rounded(row[3] for row in rows)
        last = {
            a: np.array([r[3] for r in rows if r[0] == a and r[2] == 900]) for a in ("ppo", "dqn")
        }
        return columns, last

    def prompted(rng: np.random.Generator) -> Drawn:
        right = {m: rng.random((60, 3)) < share for m, share in (("opus", 0.85), ("llama", 0.55))}
        rows = [
            (m, f"p{p}", s, int(right[m][p, s])) for m in right for p in range(60) for s in range(3)
        ]
        columns = {
            n: [r[k] for r in rows] for k, n in enumerate(("model", "prompt", "seed", "score"))
        }
        return columns, {m: cells.mean(axis=1) for m, cells in right.items()}

    def features(file: str, factor: float) -> Scene:
        def make(rng: np.random.Generator) -> Drawn:
            y = rng.normal(100, 20, N)
            a, b = rng.normal(0, 1, N), rng.normal(0, 4, N)
            more = factor * (y + rng.normal(0, 15, N))
            columns = {"actual": y, "xgb": y + a, "lasso": y + b, "last_year": more}
            return {"id": range(N), **{n: rounded(v) for n, v in columns.items()}}, {
                "xgb": -(a**2),
                "lasso": -(b**2),
            }

        return drawn(file, make)

    models = (("xgb", "lasso"),)
    ignore = leads("--ignore", "last_year", order=models)
    one = (("one", "two"),)
    return [
        certain(
            "submissions-solution",
            submissions("solution.csv"),
            one,
            "the solution is the truth",
            n=N,
        ),
        asked(
            "submissions-alike",
            submissions("three.csv"),
            "any of three files may hold the truth",
            leads("--truth", "three.csv", order=one),
        ),
        asked(
            "curves",
            drawn("curves.csv", curves),
            "steps of one run are not independent",
            leads("--where", "step=900", order=(("ppo", "dqn"),), unit="seed"),
        ),
        asked(
            "prompt-seed",
            drawn("prompt_seed.csv", prompted),
            "seeds repeat a prompt: they are no runs of their own",
            leads(
                "--id", "prompt", "--repeat", "seed", "--correct", order=(("opus", "llama"),), n=180
            ),
        ),
        asked(
            "feature", features("feature.csv", 1.0), "last year's value is no prediction", ignore
        ),
        asked(
            "feature-scale",
            features("feature_scale.csv", 10.0),
            "a number of another size is no prediction",
            ignore,
        ),
        asked(
            "totals",
            drawn("totals.csv", lambda _: ("model,n,correct\nrf,200,180\nlr,200,150\n", {})),
            "which items were right is not told",
        ),
    ]


CASES = [*_items(), *_scored(), *_values(), *_others()]
