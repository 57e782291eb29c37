"""Objects that sojourners bring: names beside results, curves, codes of classes, logarithms of probabilities."""

from collections.abc import Callable

import numpy as np

from tests.door.draw import generator, spoilt
from tests.door.given import Answer, Given, Object, asked, certain
from tests.door.unfamiliar_objects import RF_LR, N

WORDS = ("bird", "cat", "dog")
FOLDS = Answer({"unit": "fold", "folds": 10}, order=RF_LR, unit="fold", n=10)


def named(as_array: bool) -> Callable[[], Given]:
    """What a loop over models collects: their names, and ten scores of each."""

    def make() -> Given:
        scores = generator("names").normal(0, 0.004, (2, 10)).round(3) + np.array([[0.9], [0.8]])
        results = scores if as_array else [list(one) for one in scores]
        good = dict(zip(("rf", "lr"), scores, strict=True))
        told = {"measure": "accuracy"}
        return Given(({"names": ["rf", "lr"], "results": results},), told, good)

    return make


def numbered() -> Given:
    """A truth in words, predictions as a LabelEncoder numbers them."""
    rng = generator("numbered")
    truth = np.array(WORDS)[rng.integers(0, 3, N)]
    of = {name: spoilt(rng, truth, rate, WORDS) for name, rate in (("rf", 0.05), ("lr", 0.3))}
    codes = {name: [WORDS.index(word) for word in said] for name, said in of.items()}
    return Given((truth, codes), {}, {name: (said == truth) * 1.0 for name, said in of.items()})


def logarithms() -> Given:
    """What predict_log_proba gives."""
    rng = generator("logarithms")
    truth = rng.integers(0, 2, N)
    chances = {
        name: 1 / (1 + np.exp(-(gap * (2 * truth - 1) + rng.normal(0, 1, N))))
        for name, gap in (("rf", 3.0), ("lr", 0.5))
    }
    logs = {name: np.log(np.c_[1 - p, p]) for name, p in chances.items()}
    good = {name: logs[name][np.arange(N), truth] for name in logs}
    return Given((truth, logs), {"measure": "log_loss"}, good)


def curves() -> Given:
    """What learning_curve gives: sizes, scores of training and of testing."""
    scores = generator("curves").uniform(0.6, 0.9, (2, 2, 5, 10))
    return Given(({n: (np.arange(5), *of) for n, of in zip("ab", scores, strict=True)},))


def labelled() -> Given:
    """A 1 for every label of an item."""
    sets = generator("labelled").integers(0, 2, (3, N, 4))
    return Given((sets[0], dict(zip("ab", sets[1:], strict=True))))


CASES: list[Object] = [
    asked("names-and-results", named(False), "folds, or data sets", FOLDS, corrected=1 / 9),
    asked("names-and-array", named(True), "folds, or data sets", FOLDS, corrected=1 / 9),
    asked(
        "codes-of-words",
        numbered,
        "which class is 0?",
        Answer({"classes": [*WORDS]}, order=RF_LR, n=N),
    ),
    certain("log-probabilities", logarithms, RF_LR, "their exponentials sum to 1", n=N),
    asked("learning-curves", curves, "a curve is no row of scores"),
    asked("labels-of-items", labelled, "one label, or all of them"),
]
