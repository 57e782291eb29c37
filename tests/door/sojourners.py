"""What sojourners of November brought: rows below the table, a column for each label, a sheet for each model."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.door.brought import BY_SET, FIRST, SETS, Drawn, drawn, sheet
from tests.door.brought_items import N, items
from tests.door.case import Case, Goodness, Scene, agreement, asked, certain, leads
from tests.door.draw import csv_text, generator, spoilt, write_excel

IDS: Mapping[str, Any] = {"id": range(N)}
Foot = Callable[[Any, Any, Any], str]


def _with_foot(file: str, foot: Foot, words: tuple[Any, ...] = (0, 1)) -> Scene:
    """Predictions of 240 items, and rows below them."""

    def text(t: Any, a: Any, b: Any) -> str:
        below = foot(*(np.asarray(one) for one in (t, a, b)))
        return csv_text({**IDS, "y": t, "rf": a, "lr": b}) + below

    return items(file, text, words)


def _feet() -> list[Case]:
    def mean(name: str) -> Foot:
        return lambda *of: ",".join([name, *(f"{one.mean():.3f}" for one in of)]) + "\n"

    def share(name: str, form: str = ".3f") -> Foot:
        return lambda t, a, b: f"{name},,{(a == t).mean():{form}},{(b == t).mean():{form}}\n"

    def mean_and_sd(*of: Any) -> str:
        return mean("Mean")(*of) + ",".join(["SD", *(f"{one.std():.2f}" for one in of)]) + "\n"

    words = ("cat", "dog")
    feet: dict[str, tuple[Foot, tuple[Any, ...]]] = {
        "mean": (mean("Average"), (0, 1)),
        "mean-unnamed": (mean(""), (0, 1)),
        "mean-and-sd": (mean_and_sd, (0, 1)),
        "accuracy": (share("Accuracy"), (0, 1)),
        "accuracy-per-cent": (share("Accuracy", ".1%"), (0, 1)),
        "accuracy-of-words": (share("Accuracy"), words),
        "correct": (lambda t, a, b: f"Correct,,{(a == t).sum()},{(b == t).sum()}\n", (0, 1)),
        "empty": (lambda *_: ",,,\n" * 3, (0, 1)),
        "blanks": (lambda *_: " , , , \n", words),
    }
    return [
        certain(f"items-above-{name}", _with_foot(f"foot_{name}.csv", *of), FIRST, "no item", n=N)
        for name, of in feet.items()
    ]


def _sheets() -> list[Case]:
    def means(scores: Mapping[str, Any]) -> str:
        return ",".join(f"{np.mean(values):.3f}" for values in scores.values())

    def numbered(_: str, s: Mapping[str, Any]) -> str:
        return csv_text({"Nr": range(1, 21), "dataset": SETS, **s}) + f",Average,{means(s)}\n"

    def in_rows(_: str, s: Mapping[str, Any]) -> str:
        middle = np.round(np.mean([*s.values()], axis=0), 4)
        rows = {**s, "Average": middle.tolist()}
        return csv_text(
            {"model": [*rows], **{n: [v[i] for v in rows.values()] for i, n in enumerate(SETS)}}
        )

    def indexed(_: str, s: Mapping[str, Any]) -> str:
        of = {name: [values[i] for values in s.values()] for i, name in enumerate(SETS)}
        return csv_text({"": range(2), "model": [*s], **of})

    def numbered_rows(_: str, s: Mapping[str, Any]) -> str:
        of = {name: [values[i] for values in s.values()] for i, name in enumerate(SETS)}
        return csv_text({"Nr.": (1, 2), "model": [*s], **of})

    def tossed(_: str, s: Mapping[str, Any]) -> str:
        of = {"task_id": SETS * 2, "learner_id": ["rf"] * 20 + ["lr"] * 20}
        return csv_text({**of, "classif.acc": [*s["rf"], *s["lr"]], "coin": [0, 1] * 20})

    def long(_: str, s: Mapping[str, Any]) -> str:
        values = [*s["rf"], *s["lr"]]
        of = {"model": ["rf", "rf "] * 10 + ["lr"] * 20, "dataset": SETS * 2, "acc": values}
        return csv_text(of) + f",,{np.mean(values):.3f}\n"

    def nameless(_: str, s: Mapping[str, Any]) -> str:
        of = {"model": ["rf"] * 20 + [""] + ["lr"] * 20, "dataset": [*SETS, "set20", *SETS]}
        return csv_text({**of, "acc": [*s["rf"], 0.5, *s["lr"]]})

    def parted(_: str, s: Mapping[str, Any]) -> str:
        of = {n: [f"{round(v * (90 + i))}/{90 + i}" for i, v in enumerate(x)] for n, x in s.items()}
        return csv_text({"dataset": SETS, **of})

    def spread(_: str, s: Mapping[str, Any]) -> str:
        mu = {f"{name}_mu": values for name, values in s.items()}
        sigma = {f"{name}_sigma": [0.01 + 0.001 * i for i in range(20)] for name in s}
        return csv_text({"dataset": SETS, **mu, **sigma})

    def settings(_: str, s: Mapping[str, Any]) -> str:
        return csv_text({"dataset": SETS, "alpha": [0.1, 0.5] * 10, **s}) + "Source: own work,,,\n"

    told: dict[str, Any] = {"order": FIRST, "unit": "dataset", "n": 20}
    return [
        certain("sets-numbered-above-mean", sheet("numbered.csv", numbered), FIRST, "a mean", **BY_SET),
        certain("models-in-rows-above-mean", sheet("in_rows.csv", in_rows), FIRST, "a mean", **BY_SET),
        certain("models-in-rows-indexed", sheet("indexed.csv", indexed), FIRST, "an index", **BY_SET),
        certain("models-in-rows-numbered", sheet("rows_nr.csv", numbered_rows), FIRST, "a number", **BY_SET),
        asked(
            "learners-and-a-coin", sheet("tossed.csv", tossed), "accuracies of tasks are of no item",
            leads("--unit", "dataset", **told),
        ),
        certain("long-above-mean", sheet("long_mean.csv", long), FIRST, "'rf ' is rf", unit="dataset", n=20),
        certain("sheet-empty-rows", sheet("empty.csv", lambda t, _: f"{t},,\n,,\n"), FIRST, "blank", **BY_SET),
        certain("shares-of-counts", sheet("parted_counts.csv", parted), FIRST, "81/95 are right", **BY_SET),
        certain(
            "mu-and-sigma", sheet("mu.csv", spread), (), "sigma is a spread",
            **BY_SET, models=("rf_mu", "lr_mu"),
        ),
        asked(
            "row-without-model", sheet("nameless.csv", nameless), "whose score is it?",
            leads("--where", "model=rf", "--where", "model=lr", **told),
        ),
        asked(
            "setting-above-remark", sheet("settings.csv", settings), "alpha may be a setting",
            leads("--ignore", "alpha", **told), options=BY_SET["options"],
        ),
    ]  # fmt: skip


LABELS = ("news", "sport", "tech")


def _of_labels(file: str, called: Callable[[str, str], str]) -> Scene:
    """A column of 0 and 1 for each label: its truth, what rf and what lr say."""

    def make(rng: np.random.Generator) -> Drawn:
        found, good = {**IDS}, {}  # type: dict[str, Any], Goodness
        for label in LABELS:
            truth = rng.integers(0, 2, N)
            said = {
                name: spoilt(rng, truth, rate, (0, 1))
                for name, rate in (("rf", 0.06), ("lr", 0.25))
            }
            found |= {called(who, label): of for who, of in {"true": truth, **said}.items()}
            good = good or agreement(
                truth, **{called(name, label): of for name, of in said.items()}
            )
        return found, good

    return drawn(file, make)


def _labels() -> list[Case]:
    forms: dict[str, Callable[[str, str], str]] = {
        "true-news": lambda who, label: f"{who}_{label}",
        "news-true": lambda who, label: f"{label}_{who}",
        "y-news": lambda who, label: f"{'y' if who == 'true' else who}_{label}",
        "news": lambda who, label: label if who == "true" else f"{who}_{label}",
        "News": lambda who, label: label.title() if who == "true" else f"{who} {label.title()}",
    }
    cases = []
    for name, called in forms.items():
        order = ((called("rf", "news"), called("lr", "news")),)
        cases.append(
            asked(
                f"labels-{name}-{len(name)}", _of_labels(f"labels_{name}_{name[0].isupper()}.csv", called),
                "every label has its truth", leads("--truth", called("true", "news"), order=order, n=N),
            )
        )  # fmt: skip
    return cases


def _counted(file: str, name: str, words: tuple[str, ...]) -> Scene:
    def patterns(t: Any, a: Any, b: Any) -> Mapping[str, Any]:
        found = Counter(zip(t, a, b, strict=True))
        columns = dict(zip(("truth", "rf", "lr"), zip(*found, strict=True), strict=True))
        index = {"": range(len(found))} if name == "n" else {}  # as pandas writes it
        return {**index, **columns, name: [*found.values()]}

    return items(file, patterns, words)


def _coded(file: str, words: tuple[str, ...], names: str) -> Case:
    """The truth in words, predictions as a LabelEncoder numbers them."""

    def columns(t: Any, a: Any, b: Any) -> Mapping[str, Any]:
        coded = {name: [sorted(words).index(x) for x in of] for name, of in (("rf", a), ("lr", b))}
        return {**IDS, "y_true": t, **coded}

    remedy = leads("--classes", names, order=FIRST, n=N)
    return asked(
        file.removesuffix(".csv"), items(file, columns, words), "0 is which class?", remedy
    )


def _booked(file: str, sheets: Callable[[Any, Any, Any], Mapping[str, Mapping[str, Any]]]) -> Scene:
    def written(folder: Any) -> Goodness:
        rng = generator(file)
        truth = np.asarray(["cat", "dog"])[rng.integers(0, 2, N)]
        a, b = (spoilt(rng, truth, rate, ("cat", "dog")) for rate in (0.06, 0.25))
        write_excel(folder / file, **sheets(truth, a, b))
        return agreement(truth, rf=a, lr=b)

    return Scene((file,), written)


def _lines(folder: str, ending: str, words: tuple[Any, ...]) -> Scene:
    """The truth and each model's answers, one a line, without a name."""
    files = tuple(f"{name}{ending}" for name in ("truth", "rf", "lr"))

    def written(place: Any) -> Goodness:
        rng = generator(folder)
        truth = np.asarray(words)[rng.integers(0, len(words), N)]
        a, b = (spoilt(rng, truth, rate, words) for rate in (0.06, 0.25))
        for file, of in zip(files, (truth, a, b), strict=True):
            (place / file).write_text("".join(f"{one}\n" for one in of), encoding="utf-8")
        return agreement(truth, rf=a, lr=b)

    return Scene(files, written)


def _objects_by_id() -> Scene:
    """A JSON object of ids and classes for the truth and each model."""
    files = ("truth.json", "rf.json", "lr.json")

    def written(place: Any) -> Goodness:
        rng = generator("objects by id")
        truth = rng.integers(0, 2, N)
        a, b = (spoilt(rng, truth, rate, (0, 1)) for rate in (0.06, 0.25))
        for file, of in zip(files, (truth, a, b), strict=True):
            said = {f"q{i}": int(one) for i, one in enumerate(of)}
            (place / file).write_text(json.dumps(said), encoding="utf-8")
        return agreement(truth, rf=a, lr=b)

    return Scene(files, written)


def _measured() -> Scene:
    def written(place: Any) -> Goodness:
        for name, value in (("rf", 0.9), ("lr", 0.8)):
            (place / f"{name}.json").write_text(json.dumps({"accuracy": value, "f1": value}))
        return {}

    return Scene(("rf.json", "lr.json"), written)


def _spoken(t: Any, a: Any, b: Any) -> Mapping[str, Any]:
    return {"word": [*(f"word{i}" for i in range(N - 1)), "mean"], "y": t, "rf": a, "lr": b}


def _dotted(t: Any, a: Any, b: Any) -> Mapping[str, Any]:
    return {"item.id": range(N), "y.true": t, "rf": a, "lr": b}


def _items() -> list[Case]:
    def each(t: Any, a: Any, b: Any) -> Mapping[str, Mapping[str, Any]]:
        return {n: {**IDS, "truth": t, "prediction": of} for n, of in (("rf", a), ("lr", b))}

    def noted(*of: Any) -> Mapping[str, Mapping[str, Any]]:
        return {**each(*of), "notes": {"author": ["me", "you"]}}

    def turned(t: Any, a: Any, b: Any) -> str:
        right = {
            n: [int(x == y) for x, y in zip(of, t, strict=True)] for n, of in (("rf", a), ("lr", b))
        }
        return csv_text(
            {"model": [*right], **{f"q{i}": [of[i] for of in right.values()] for i in range(N)}}
        )

    def blank(t: Any, a: Any, b: Any) -> str:
        return csv_text(
            {**IDS, "y": t, "rf": a, "lr": [" " if i == 7 else x for i, x in enumerate(b)]}
        )

    def headless(t: Any, a: Any, b: Any) -> str:
        return csv_text({**IDS, "y": t, "rf": a, "lr": b}).partition("\n")[2]

    together = leads("--sheet", "rf,lr", order=FIRST, n=N)
    named = leads("--names", "label", "--by-position", order=FIRST, n=N)
    three = ("cat", "dog", "bird")

    def parted(t: Any, a: Any, b: Any) -> Mapping[str, Any]:
        return {**IDS, "y": t, "rf_train": a, "rf_test": a, "lr_train": b, "lr_test": b}

    def housed(t: Any, a: Any, b: Any) -> Mapping[str, Any]:
        return {"HOUSEHOLD_ID": [i // 3 for i in range(N)], "GOLD": t, "rf": a, "lr": b}

    def graded(t: Any, a: Any, b: Any) -> Mapping[str, Any]:
        said, truth = [*(f"({x})" for x in a), *b], t * 2
        right = [x.strip("()") == y for x, y in zip(said, truth, strict=True)]
        of = {"id": [*range(N)] * 2, "model": ["rf"] * N + ["lr"] * N, "expected": truth}
        return {
            **of,
            "answer": said,
            "correct": right,
            "temperature": [0.7] * 2 * N,
            "penalty": [0.1] * 2 * N,
        }

    def humped(t: Any, a: Any, b: Any) -> Mapping[str, Any]:
        right = [int(x == y) for x, y in zip([*a, *b], t * 2, strict=True)]
        names = {"modelName": ["rf"] * N + ["lr"] * N, "questionId": [*range(N)] * 2}
        return {**names, "isCorrect": right}

    def clocked(t: Any, a: Any, b: Any) -> Mapping[str, Any]:
        return {"t": [i / 10 for i in range(N)], "y": t, "rf": a, "lr": b}

    return [
        asked(
            "items-of-training", items("parted.csv", parted), "rf_train is of training data",
            leads("--ignore", "rf_train,lr_train", order=(), models=("rf_test", "lr_test")),
        ),
        asked(
            "households-in-capitals", items("HOUSED.csv", housed), "three people of a household",
            leads("--cluster", "HOUSEHOLD_ID", order=FIRST),
        ),
        certain("graded-beside-settings", items("graded.csv", graded, tuple("ABCD")), FIRST, "(A) is A", n=N),
        certain("objects-by-id", _objects_by_id(), FIRST, "a class of each id", n=N),
        asked("measures-of-each", _measured(), "one value of each model says nothing about spread"),
        certain("word-called-mean", items("spoken.csv", _spoken), FIRST, "an item", n=N),
        certain("names-with-humps", items("humped.csv", humped), FIRST, "modelName is one", n=N),
        certain("names-with-dots", items("dotted.csv", _dotted), FIRST, "as R writes them", n=N),
        certain("items-by-the-clock", items("clocked.csv", clocked), FIRST, "t is the time", n=N),
        certain("counts-haufigkeit", _counted("count_de.csv", "Häufigkeit", ("yes", "no")), FIRST, "counts", n=N),
        asked(
            "counts-indexed", _counted("count_n.csv", "n", ("yes", "no")), "patterns, beside an index",
            leads("--count", "n", order=FIRST, n=N),
        ),
        asked(
            "counts-unknown", _counted("count_pt.csv", "quantos", ("yes", "no")), "how many, or what it is",
            leads("--count", "quantos", order=FIRST, n=N),
        ),
        _coded("codes-of-three.csv", ("cat", "dog", "bird"), "bird,cat,dog"),
        _coded("codes-of-two.csv", ("cat", "dog"), "cat,dog"),
        asked(
            "answers-in-columns", items("turned.csv", turned), "1 is right, or wrong",
            leads("--correct", order=FIRST, unit="item", n=N),
        ),
        asked("sheet-of-each-model", _booked("each.xlsx", each), "which sheet", together),
        asked("sheet-of-each-and-notes", _booked("noted.xlsx", noted), "which sheet", together),
        asked("words-one-a-line", _lines("words", ".txt", three), "no names", named, knows=("--by-position",)),
        asked("words-one-a-line-csv", _lines("words-csv", ".csv", three), "the first is no name", named),
        asked("numbers-one-a-line", _lines("numbers", ".txt", (0, 1, 2)), "no names", named),
        asked(
            "words-without-names", items("headless.csv", headless, three), "the first line is an item",
            leads("--names", "id,truth,rf,lr", order=FIRST, n=N),
        ),
        asked(
            "blank-of-blanks", items("blank.csv", blank, ("cat", "dog")), "a cell of blanks is empty",
            leads("--missing", "complete", order=FIRST, n=N - 1),
        ),
    ]  # fmt: skip


CASES = [*_feet(), *_sheets(), *_labels(), *_items()]
