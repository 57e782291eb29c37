"""Items with a truth and the labels that models gave: what the truth is called, what stands beside."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.case import Case, Goodness, Scene, agreement, asked, certain, defensible, leads
from tests.door.draw import generator, spoilt, write

ERRORS = {"a": 0.08, "b": 0.30}
AB = (("a", "b"),)


def labelled(
    file: str,
    *,
    truth: str = "truth",
    id: str | None = "id",
    ids: Sequence[Any] | None = None,
    classes: Sequence[Any] = (0, 1),
    errors: Mapping[str, float] = ERRORS,
    before: Mapping[str, Any] | None = None,
    beside: Mapping[str, Any] | None = None,
    n: int = 200,
    only: Any = None,
    block: int = 1,
    **style: Any,
) -> Scene:
    """A row for each item, the truth and a label of each model; goodness of one class if ``only``.

    ``block`` rows in turn are of one item. Columns ``before`` and ``beside`` are sequences, or functions of a generator and the number of rows.
    """

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        right = np.repeat(rng.choice(np.asarray(classes), n // block), block)
        models = {name: spoilt(rng, right, rate, classes) for name, rate in errors.items()}
        more = {
            name: column(rng, n) if callable(column) else column
            for name, column in {**(before or {}), **(beside or {})}.items()
        }
        columns: dict[str, Any] = {} if id is None else {id: ids if ids is not None else range(n)}
        columns |= {name: more[name] for name in before or {}}
        columns |= {truth: right, **models} | {name: more[name] for name in beside or {}}
        write(folder / file, columns, **style)
        of = np.ones(n, bool) if only is None else right == only
        return {name: good[of] for name, good in agreement(right, **models).items()}

    return Scene((file,), make)


def whole(low: int, high: int) -> Any:
    return lambda rng, n: rng.integers(low, high, n)


def one_of(*values: Any) -> Any:
    return lambda rng, n: rng.choice(np.asarray(values), n)


def days(rng: np.random.Generator, n: int) -> Any:  # noqa: ARG001
    return [str(np.datetime64("2025-01-01") + day) for day in range(n)]


def numbers(low: float, high: float) -> Any:
    return lambda rng, n: rng.uniform(low, high, n).round(2)


def one_model(file: str, **more: Any) -> Scene:
    return labelled(file, errors={"prediction": 0.15}, **more)


def _names_of_truths() -> list[Case]:
    """What the truth is called."""
    fl, kt = {"forest": 0.07, "logit": 0.3}, {"knn": 0.06, "tree": 0.28}
    return [
        certain("truth-known", labelled("known.csv"), AB, "truth, id and two columns of its classes"),
        certain("truth-y-true", labelled("y_true.csv", truth="y_true", id=None), AB,
                "y_true is the truth; rows need no id"),
        certain("truth-gold", labelled("gold.csv", truth="gold", id="sentence_id", errors={"bert": 0.08, "tfidf": 0.3},
                classes=("negative", "neutral", "positive")), (("bert", "tfidf"),),
                "gold means the right answer and nothing else"),
        certain("truth-ground", labelled("ground.csv", truth="ground_truth", id="image", errors={"resnet": 0.07, "vgg": 0.29},
                classes=("bird", "cat", "dog")), (("resnet", "vgg"),), "ground_truth says what it is"),
        certain("truth-actual", labelled("actual.csv", truth="actual"), AB, "actual against predicted"),
        certain("truth-y-test", labelled("y_test.csv", truth="y_test", id=None, errors=kt), (("knn", "tree"),),
                "y_test is scikit-learn's name of the truth of test rows"),
        certain("truth-class", labelled("class.csv", truth="Class", id="Unnamed: 0", errors=kt,
                classes=("tested_negative", "tested_positive")), (("knn", "tree"),),
                "Class is the truth and Unnamed: 0 the index that pandas wrote"),
        certain("truth-label", labelled("label_pred.csv", truth="label", id=None, errors={"bert_pred": 0.08, "lstm_pred": 0.3}),
                (("bert_pred", "lstm_pred"),), "label is the truth, what ends in _pred the predictions"),
        certain("truth-pred-prefix", labelled("pred_prefix.csv", truth="true_label", errors={"pred_bert": 0.08, "pred_lstm": 0.3}),
                (("pred_bert", "pred_lstm"),), "true_label is the truth, what begins with pred_ the predictions"),
        defensible("truth-disease", labelled("disease.csv", truth="disease", id="patient", errors=fl,
                   beside={"age": whole(20, 90)}, ids=range(1000, 1200)), (("forest", "logit"),),
                   "disease is the truth to a reader, not to a rule",
                   ("--truth", "disease", "--models", "forest,logit"), ("--truth", "disease", "--ignore", "patient,age")),
        defensible("truth-churned", labelled("churned.csv", truth="churned", id="customer", errors=fl,
                   beside={"tenure": whole(1, 72), "region": one_of("north", "south", "east")},
                   ids=[f"C{i:04}" for i in range(200)]), (("forest", "logit"),),
                   "tenure and region describe customers",
                   ("--truth", "churned", "--models", "forest,logit"), knows=("--ignore", "tenure,region")),
        defensible("truth-outcome", labelled("outcome.csv", truth="outcome", id="subject", errors={"ai": 0.05, "clinician": 0.3}),
                   (("ai", "clinician"),), "outcome is most likely the truth", ("--truth", "outcome", "--models", "ai,clinician")),
        defensible("truth-species", labelled("species.csv", truth="species", id=None, errors=kt,
                   classes=("setosa", "versicolor", "virginica")), (("knn", "tree"),),
                   "three columns of the same classes: only the name tells the truth", ("--truth", "species")),
        defensible("truth-said", labelled("said.csv", truth="survived", id="passenger", errors=fl,
                   beside={"fare": numbers(5, 90), "sex": one_of("male", "female")}), (("forest", "logit"),),
                   "the truth is told; the number of the passenger, fare and sex are no predictions of it",
                   ("--models", "forest,logit"), ("--ignore", "passenger,fare,sex"), options=("--truth", "survived")),
        defensible("truth-stars", labelled("stars.csv", truth="stars", id="review", classes=(1, 2, 3, 4, 5),
                   errors={"bert": 0.1, "bow": 0.5}), (("bert", "bow"),), "stars may be the truth or a third model",
                   ("--truth", "stars", "--models", "bert,bow", "--measure", "accuracy"), options=("--measure", "accuracy")),
        asked("truth-two", labelled("two_truths.csv", truth="label", beside={"target": one_of(0, 1)}),
              "label and target could both be the truth",
              leads("--truth", "label", "--models", "a,b", order=AB), knows=("--ignore", "target")),
        asked("truth-none", labelled("nobody.csv", truth="x1", id="row", errors={"x2": 0.08, "x3": 0.3}),
              "nothing says which of three columns of 0 and 1 is the truth",
              leads("--truth", "x1", "--models", "x2,x3", order=(("x2", "x3"),))),
    ]  # fmt: skip


def _descriptions() -> list[Case]:
    """What stands beside the predictions and is none."""
    people = {"age": whole(18, 90), "sex": one_of("F", "M"), "region": one_of("north", "south"), "amount": numbers(3, 900)}
    usage = {"tokens": whole(100, 900), "latency_ms": whole(200, 3000), "cost_usd": numbers(0, 2)}
    sentences = [f"Is the number {i} a sum of two squares, and why?" for i in range(200)]
    return [
        certain("beside-people", labelled("people.csv", beside=people), AB,
                "age, sex, region and amount describe people and are not on the scale of the truth"),
        certain("beside-usage", labelled("usage.csv", beside=usage), AB, "tokens, latency and cost are no labels"),
        certain("beside-prompt", labelled("prompt.csv", before={"prompt": sentences}, classes=tuple("ABCD"),
                errors={"gpt": 0.1, "llama": 0.4}), (("gpt", "llama"),), "a prompt is text, not an answer among A to D"),
        certain("beside-constant", labelled("constant.csv", beside={"version": ["v2"] * 200}), AB,
                "a constant word that is no class is no model"),
        certain("beside-uid", labelled("uid.csv", id="uid", ids=[f"{i * 7919:08x}" for i in range(200)]), AB,
                "a different word in every row names the rows"),
        certain("beside-number", labelled("number.csv", id="no", ids=range(1, 201), classes=(0, 1, 2, 3, 4)), AB,
                "1 to 200 in the first column counts the rows, though some of these numbers are classes too"),
        certain("beside-index", labelled("index.csv", id="index"), AB, "index is the number of the row"),
        certain("beside-unnamed", labelled("unnamed.csv", id=""), AB, "a first column without a name is the index of pandas"),
        certain("beside-unnamed-0", labelled("unnamed_0.csv", id="Unnamed: 0"), AB, "Unnamed: 0 is the index of pandas"),
        defensible("beside-female", labelled("female.csv", beside={"female": one_of(0, 1)}), AB,
                   "female is on the scale of the truth, and a description by its name only",
                   ("--ignore", "female"), ("--models", "a,b")),
        defensible("beside-conditions", labelled("conditions.csv", beside={"smoker": one_of(0, 1), "diabetic": one_of(0, 1)}), AB,
                   "smoker and diabetic describe people", ("--ignore", "smoker,diabetic"), ("--models", "a,b")),
        asked("beside-unknown", labelled("flagged.csv", beside={"flag_x": one_of(0, 1)}),
              "flag_x may be a third model", leads("--ignore", "flag_x", order=AB), leads("--models", "a,b", order=AB)),
        defensible("beside-breed", labelled("breed.csv", classes=("cat", "dog"), beside={"breed": one_of("tabby", "husky", "pug")}), AB,
                   "a breed is no answer of cat or dog", ("--ignore", "breed"), ("--models", "a,b")),
        defensible("beside-date", labelled("dated.csv", before={"date": days}), AB,
                   "a date names the rows; rows in time may depend on each other", ("--ignore", "date")),
        defensible("beside-season", labelled("games.csv", id="game_id", truth="home_win", errors={"elo": 0.1, "coin": 0.45},
                   before={"season": one_of(2021, 2022, 2023)}), (("elo", "coin"),), "a season is no prediction of a win",
                   ("--truth", "home_win", "--models", "elo,coin"), knows=("--ignore", "season")),
        defensible("beside-group", labelled("lesions.csv", id="lesion_id", before={"patient": [i // 4 for i in range(200)]}), AB,
                   "lesions of one patient are not independent", ("--cluster", "patient")),
        defensible("beside-fold", labelled("folded.csv", before={"fold": [i % 5 for i in range(200)]}), AB,
                   "the predictions of five fits beside the truth: items, of models fitted five times", ("--ignore", "fold"), unit=None),
        certain("beside-weight", labelled("weighted.csv", beside={"weight": numbers(0.5, 2)}), AB, "weight says what it is"),
        asked("covariates", labelled("covariates.csv", errors={"female": 0.4, "smoker": 0.2}),
              "descriptions of people and no prediction", leads("--models", "female,smoker", order=(("smoker", "female"),))),
        asked("covariates-people", labelled("covariates_more.csv", errors={}, beside=people),
              "descriptions of people and no prediction"),
    ]  # fmt: skip


def _rows() -> list[Case]:
    """Which rows belong, and whether they are independent."""
    three = {"id": [i // 3 for i in range(240)], "sample": [i % 3 for i in range(240)]}
    readers = {"case": [i // 4 for i in range(240)], "reader": [f"R{i % 4 + 1}" for i in range(240)]}
    part = ["test" if i % 2 else "valid" if i % 4 else "train" for i in range(400)]
    return [
        asked("rows-split", labelled("split.csv", n=400, before={"split": part}), "half of the rows are not test rows",
              leads("--where", "split=test", order=AB, n=200)),
        asked("rows-set", labelled("subset.csv", n=400, before={"set": ["train" if i % 2 else "test" for i in range(400)]}),
              "half of the rows are training rows", leads("--where", "set=test", order=AB, n=200)),
        certain("rows-test", labelled("test_only.csv", before={"split": ["test"] * 200}), AB, "all rows are test rows", n=200),
        defensible("rows-samples", labelled("samples.csv", id=None, before=three, n=240, block=3), AB,
                   "three samples of each question", ("--repeat", "sample")),
        asked("rows-repeated", labelled("repeated.csv", id=None, before={"id": three["id"]}, n=240, block=3),
              "rows of one id are not independent items", leads("--cluster", "id", order=AB)),
        asked("rows-readers", labelled("readers.csv", id=None, before=readers, n=240, block=4),
              "four readers saw the same cases: neither 240 cases nor 60",
              leads("--where", "reader=R1", order=AB, n=60)),
        defensible("rows-judges", labelled("judges.csv", truth="human", id="item", classes=("bad", "good"),
                   errors={"judge_a": 0.08, "judge_b": 0.3}), (("judge_a", "judge_b"),),
                   "judges are the models here, if the human is the truth", ("--truth", "human", "--models", "judge_a,judge_b")),
    ]  # fmt: skip


def _classes() -> list[Case]:
    """Which class is positive, and labels of every kind."""

    def recall(file: str, classes: Sequence[Any], positive: Any, **more: Any) -> Scene:
        return labelled(f"{file}.csv", classes=classes, only=positive, n=300, **more)

    spam, fraud = recall("spam", ("ham", "spam"), "spam"), recall("fraud", ("fraud", "legit"), "fraud")
    plain = labelled("letters.csv", classes=tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), errors={"a": 0.1, "b": 0.4})
    places = ("Los Angeles", "New York", "San Francisco")
    return [
        certain("classes-26", plain, AB, "26 letters are classes"),
        certain("classes-spaces", labelled("places.csv", classes=places), AB, "labels may have spaces"),
        certain("classes-true-false", labelled("booleans.csv", classes=("False", "True")), AB, "True and False are labels"),
        certain("classes-spam-accuracy", spam, AB, "accuracy needs no positive class"),
        asked("positive-spam", spam, "F1 of which class is not told", leads("--positive", "spam", order=AB),
              options=("--measure", "f1")),
        asked("positive-fraud", fraud, "recall of which class is not told", leads("--positive", "fraud", order=AB),
              leads("--positive", "legit", order=AB), options=("--measure", "recall")),
        asked("positive-malignant", recall("tumours", ("benign", "malignant"), "malignant"), "recall of which class is not told",
              leads("--positive", "malignant", order=AB), options=("--measure", "recall")),
        asked("positive-1-2", recall("one_two", (1, 2), 2), "of 1 and 2 neither is the positive one by custom",
              leads("--positive", "2", order=AB), options=("--measure", "recall")),
        certain("positive-0-1", recall("zero_one", (0, 1), 1), AB, "of 0 and 1 the 1 is positive", options=("--measure", "recall")),
        certain("positive-no-yes", recall("no_yes", ("no", "yes"), "yes"), AB, "of no and yes the yes is positive",
                options=("--measure", "recall")),
        certain("positive-false-true", recall("false_true", ("false", "true"), "true"), AB,
                "of false and true the true is positive", options=("--measure", "precision")),
        defensible("positive-neg-pos", recall("neg_pos", ("neg", "pos"), "pos"), AB, "pos is positive by its name",
                   ("--positive", "pos"), options=("--measure", "precision")),
        defensible("positive-signs", recall("signs", (-1, 1), 1), AB, "of -1 and 1 the 1 is positive by custom",
                   ("--positive", "1"), options=("--measure", "recall")),
        certain("positive-three", labelled("three.csv", classes=("bird", "cat", "dog")), AB,
                "macro F1 of three classes needs no positive one", options=("--measure", "f1_macro")),
    ]  # fmt: skip


def _odd() -> list[Case]:
    """Blanks, constants, one model, many models, equal models."""
    n = 200

    def blanks(folder: Path) -> Goodness:
        rng = generator("blanks")
        truth = rng.integers(0, 2, n)
        a, b = (spoilt(rng, truth, rate, (0, 1)) for rate in (0.05, 0.4))
        answered = rng.random(n) < 0.85
        write(folder / "blanks.csv", {"id": range(n), "truth": truth, "a": a,
              "b": ["" if not there else value for there, value in zip(answered, b, strict=True)]})  # fmt: skip
        return {name: good[answered] for name, good in agreement(truth, a=a, b=b).items()}

    def floats(folder: Path) -> Goodness:
        rng = generator("floats")
        truth = rng.integers(0, 2, n)
        a, b = (spoilt(rng, truth, rate, (0, 1)) for rate in (0.08, 0.3))
        write(folder / "floats.csv", {"id": range(n), "truth": truth, "a": a.astype(float), "b": b.astype(float)})
        return agreement(truth, a=a, b=b)

    def other_words(folder: Path) -> Goodness:
        rng = generator("words")
        truth = rng.integers(0, 2, n)
        answers = {name: np.where(spoilt(rng, truth, rate, (0, 1)) == 1, "sick", "healthy") for name, rate in ERRORS.items()}
        write(folder / "other_words.csv", {"id": range(n), "truth": truth, **answers})
        return {}

    def twins(folder: Path) -> Goodness:
        rng = generator("twins")
        truth = rng.integers(0, 2, n)
        a = spoilt(rng, truth, 0.1, (0, 1))
        write(folder / "twins.csv", {"id": range(n), "truth": truth, "a": a, "b": a})
        return {}

    def majority(folder: Path) -> Goodness:
        rng = generator("majority")
        truth = (rng.random(n) < 0.4).astype(int)
        forest = spoilt(rng, truth, 0.08, (0, 1))
        write(folder / "majority.csv", {"id": range(n), "truth": truth, "forest": forest, "majority": [0] * n})
        return agreement(truth, forest=forest, majority=np.zeros(n, int))

    fm = (("forest", "majority"),)
    many = {f"m{i:02}": 0.05 if i == 0 else 0.35 for i in range(100)}
    texts = {"gpt_answer": [f"It is {i} because of {i * i}" for i in range(n)],
             "llama_answer": [f"The answer is about {i + i % 2}" for i in range(n)]}  # fmt: skip

    def free_text(folder: Path) -> Goodness:
        write(folder / "free_text.csv", {"id": range(n), "question": [f"What is {i}?" for i in range(n)],
              "reference": [f"{i}" for i in range(n)], **texts})  # fmt: skip
        return {}

    return [
        asked("odd-blanks", Scene(("blanks.csv",), blanks), "a model that gave no answer did not do well: the rule must be told",
              leads("--missing", "complete", order=AB)),
        defensible("odd-all-blank", labelled("all_blank.csv", beside={"c": [""] * n}), AB, "a column without any value is no model",
                   ("--ignore", "c"), ("--models", "a,b")),
        certain("odd-floats", Scene(("floats.csv",), floats), AB, "1.0 is the label 1"),
        asked("odd-other-words", Scene(("other_words.csv",), other_words), "0 and 1 against healthy and sick: nobody said which is which"),
        certain("odd-twins", Scene(("twins.csv",), twins), (), "two models with equal answers do not differ",
                models=("a", "b"), same=(("a", "b"),)),
        defensible("odd-majority", Scene(("majority.csv",), majority), fm,
                   "a baseline that always says 0 is a model", ("--models", "forest,majority")),
        certain("odd-hundred", labelled("hundred.csv", errors=many, n=100), tuple(("m00", f"m{i:02}") for i in (1, 50, 99)),
                "a hundred columns of the classes of the truth are a hundred models", models=tuple(many), options=("--baseline", "m00")),
        defensible("one-model", one_model("one_model.csv"), (), "one model, not two", ("--against", "0.5"), models=("prediction",)),
        defensible("one-confidence", one_model("one_confidence.csv", beside={"confidence": numbers(0.5, 1)}), (),
                   "one model and how sure it was", ("--against", "0.5"), models=("prediction",), knows=("--ignore", "confidence")),
        asked("free-text", Scene(("free_text.csv",), free_text), "free answers have to be judged before they can be compared"),
    ]  # fmt: skip


CASES = [*_names_of_truths(), *_descriptions(), *_rows(), *_classes(), *_odd()]
