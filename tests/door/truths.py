"""Items with a truth: what it is called, and what stands beside the predictions and is none."""

from tests.door.case import Case, asked, certain, defensible, leads
from tests.door.labelled import AB, ERRORS, days, labelled, numbers, one_of, whole


def _names_of_truths() -> list[Case]:
    """What the truth is called."""
    fl, kt = {"forest": 0.07, "logit": 0.3}, {"knn": 0.06, "tree": 0.28}
    return [
        certain(
            "truth-known", labelled("known.csv"), AB, "truth, id and two columns of its classes"
        ),
        certain(
            "truth-y-true",
            labelled("y_true.csv", truth="y_true", header=None),
            AB,
            "y_true is the truth; rows need no id",
        ),
        certain(
            "truth-gold",
            labelled(
                "gold.csv",
                truth="gold",
                header="sentence_id",
                errors={"bert": 0.08, "tfidf": 0.3},
                classes=("negative", "neutral", "positive"),
            ),
            (("bert", "tfidf"),),
            "gold means the right answer and nothing else",
        ),
        certain(
            "truth-ground",
            labelled(
                "ground.csv",
                truth="ground_truth",
                header="image",
                errors={"resnet": 0.07, "vgg": 0.29},
                classes=("bird", "cat", "dog"),
            ),
            (("resnet", "vgg"),),
            "ground_truth says what it is",
        ),
        certain(
            "truth-actual", labelled("actual.csv", truth="actual"), AB, "actual against predicted"
        ),
        certain(
            "truth-y-test",
            labelled("y_test.csv", truth="y_test", header=None, errors=kt),
            (("knn", "tree"),),
            "y_test is scikit-learn's name of the truth of test rows",
        ),
        certain(
            "truth-class",
            labelled(
                "class.csv",
                truth="Class",
                header="Unnamed: 0",
                errors=kt,
                classes=("tested_negative", "tested_positive"),
            ),
            (("knn", "tree"),),
            "Class is the truth and Unnamed: 0 the index that pandas wrote",
        ),
        certain(
            "truth-label",
            labelled(
                "label_pred.csv",
                truth="label",
                header=None,
                errors={"bert_pred": 0.08, "lstm_pred": 0.3},
            ),
            (("bert_pred", "lstm_pred"),),
            "label is the truth, what ends in _pred the predictions",
        ),
        certain(
            "truth-pred-prefix",
            labelled(
                "pred_prefix.csv", truth="true_label", errors={"pred_bert": 0.08, "pred_lstm": 0.3}
            ),
            (("pred_bert", "pred_lstm"),),
            "true_label is the truth, what begins with pred_ the predictions",
        ),
        defensible(
            "truth-disease",
            labelled(
                "disease.csv",
                truth="disease",
                header="patient",
                errors=fl,
                beside={"age": whole(20, 90)},
                ids=range(1000, 1200),
            ),
            (("forest", "logit"),),
            "disease is the truth to a reader, not to a rule",
            ("--truth", "disease", "--models", "forest,logit"),
            ("--truth", "disease", "--ignore", "patient,age"),
        ),
        defensible(
            "truth-churned",
            labelled(
                "churned.csv",
                truth="churned",
                header="customer",
                errors=fl,
                beside={"tenure": whole(1, 72), "region": one_of("north", "south", "east")},
                ids=[f"C{i:04}" for i in range(200)],
            ),
            (("forest", "logit"),),
            "tenure and region describe customers",
            ("--truth", "churned", "--models", "forest,logit"),
            knows=("--ignore", "tenure,region"),
        ),
        defensible(
            "truth-outcome",
            labelled(
                "outcome.csv",
                truth="outcome",
                header="subject",
                errors={"ai": 0.05, "clinician": 0.3},
            ),
            (("ai", "clinician"),),
            "outcome is most likely the truth",
            ("--truth", "outcome", "--models", "ai,clinician"),
            knows=("--id", "subject"),
        ),
        defensible(
            "truth-species",
            labelled(
                "species.csv",
                truth="species",
                header=None,
                errors=kt,
                classes=("setosa", "versicolor", "virginica"),
            ),
            (("knn", "tree"),),
            "three columns of the same classes: only the name tells the truth",
            ("--truth", "species"),
        ),
        defensible(
            "truth-said",
            labelled(
                "said.csv",
                truth="survived",
                header="passenger",
                errors=fl,
                beside={"fare": numbers(5, 90), "sex": one_of("male", "female")},
            ),
            (("forest", "logit"),),
            "the truth is told; the number of the passenger, fare and sex are no predictions of it",
            ("--models", "forest,logit"),
            ("--ignore", "passenger,fare,sex"),
            options=("--truth", "survived"),
        ),
        defensible(
            "truth-stars",
            labelled(
                "stars.csv",
                truth="stars",
                header="review",
                classes=(1, 2, 3, 4, 5),
                errors={"bert": 0.1, "bow": 0.5},
            ),
            (("bert", "bow"),),
            "stars may be the truth or a third model",
            ("--truth", "stars", "--models", "bert,bow"),
            options=("--measure", "accuracy"),
        ),
        asked(
            "truth-two",
            labelled("two_truths.csv", truth="label", beside={"target": one_of(0, 1)}),
            "label and target could both be the truth",
            leads("--truth", "label", "--models", "a,b", order=AB),
            knows=("--ignore", "target"),
        ),
        asked(
            "truth-none",
            labelled("nobody.csv", truth="x1", header="row", errors={"x2": 0.08, "x3": 0.3}),
            "nothing says which of three columns of 0 and 1 is the truth",
            leads("--truth", "x1", "--models", "x2,x3", order=(("x2", "x3"),)),
        ),
    ]


def _descriptions() -> list[Case]:
    """What stands beside the predictions and is none."""
    people = {
        "age": whole(18, 90),
        "sex": one_of("F", "M"),
        "region": one_of("north", "south"),
        "amount": numbers(3, 900),
    }
    usage = {"tokens": whole(100, 900), "latency_ms": whole(200, 3000), "cost_usd": numbers(0, 2)}
    sentences = [f"Is the number {i} a sum of two squares, and why?" for i in range(200)]
    return [
        certain(
            "beside-people",
            labelled("people.csv", beside=people),
            AB,
            "age, sex, region and amount describe people and are not on the scale of the truth",
        ),
        certain(
            "beside-usage",
            labelled("usage.csv", beside=usage),
            AB,
            "tokens, latency and cost are no labels",
        ),
        certain(
            "beside-prompt",
            labelled(
                "prompt.csv",
                before={"prompt": sentences},
                classes=tuple("ABCD"),
                errors={"gpt": 0.1, "llama": 0.4},
            ),
            (("gpt", "llama"),),
            "a prompt is text, not an answer among A to D",
        ),
        certain(
            "beside-constant",
            labelled("constant.csv", beside={"version": ["v2"] * 200}),
            AB,
            "a constant word that is no class is no model",
        ),
        certain(
            "beside-uid",
            labelled("uid.csv", header="uid", ids=[f"{i * 7919:08x}" for i in range(200)]),
            AB,
            "a different word in every row names the rows",
        ),
        certain(
            "beside-number",
            labelled("number.csv", header="no", ids=range(1, 201), classes=(0, 1, 2, 3, 4)),
            AB,
            "1 to 200 in the first column counts the rows, though some of these numbers are classes too",
        ),
        certain(
            "beside-index",
            labelled("index.csv", header="index"),
            AB,
            "index is the number of the row",
        ),
        certain(
            "beside-unnamed",
            labelled("unnamed.csv", header=""),
            AB,
            "a first column without a name is the index of pandas",
        ),
        certain(
            "beside-unnamed-0",
            labelled("unnamed_0.csv", header="Unnamed: 0"),
            AB,
            "Unnamed: 0 is the index of pandas",
        ),
        defensible(
            "beside-female",
            labelled("female.csv", beside={"female": one_of(0, 1)}),
            AB,
            "female is on the scale of the truth, and a description by its name only",
            ("--ignore", "female"),
            ("--models", "a,b"),
        ),
        defensible(
            "beside-conditions",
            labelled("conditions.csv", beside={"smoker": one_of(0, 1), "diabetic": one_of(0, 1)}),
            AB,
            "smoker and diabetic describe people",
            ("--ignore", "smoker,diabetic"),
            ("--models", "a,b"),
        ),
        defensible(
            "beside-unknown",
            labelled("flagged.csv", errors={**ERRORS, "flag_x": 0.5}),
            (("a", "b"), ("a", "flag_x")),
            "by all that the file says flag_x is a third model",
            ("--models", "a,b,flag_x"),
        ),
        defensible(
            "beside-breed",
            labelled(
                "breed.csv",
                classes=("cat", "dog"),
                beside={"breed": one_of("tabby", "husky", "pug")},
            ),
            AB,
            "a breed is no answer of cat or dog",
            ("--ignore", "breed"),
            ("--models", "a,b"),
        ),
        defensible(
            "beside-date",
            labelled("dated.csv", before={"date": days}),
            AB,
            "a date names the rows; rows in time may depend on each other",
            ("--ignore", "date"),
        ),
        defensible(
            "beside-season",
            labelled(
                "games.csv",
                header="game_id",
                truth="home_win",
                errors={"elo": 0.1, "coin": 0.45},
                before={"season": one_of(2021, 2022, 2023)},
            ),
            (("elo", "coin"),),
            "a season is no prediction of a win",
            ("--truth", "home_win", "--models", "elo,coin"),
            knows=("--ignore", "season"),
        ),
        defensible(
            "beside-group",
            labelled(
                "lesions.csv", header="lesion_id", before={"patient": [i // 4 for i in range(200)]}
            ),
            AB,
            "lesions of one patient are not independent",
            ("--cluster", "patient"),
        ),
        defensible(
            "beside-fold",
            labelled("folded.csv", before={"fold": [i % 5 for i in range(200)]}),
            AB,
            "the predictions of five fits beside the truth: items, of models fitted five times",
            ("--ignore", "fold"),
            unit=None,
        ),
        certain(
            "beside-weight",
            labelled("weighted.csv", beside={"weight": numbers(0.5, 2)}),
            AB,
            "weight says what it is",
        ),
        asked(
            "covariates",
            labelled("covariates.csv", errors={"female": 0.4, "smoker": 0.2}),
            "descriptions of people and no prediction",
            leads("--models", "female,smoker", order=(("smoker", "female"),)),
        ),
        asked(
            "covariates-people",
            labelled("covariates_more.csv", errors={}, beside=people),
            "descriptions of people and no prediction",
        ),
    ]


CASES = [*_names_of_truths(), *_descriptions()]
