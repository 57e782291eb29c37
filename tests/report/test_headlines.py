"""Every kind of report opens with an answer of at most twelve words; where there is an effect, it is drawn below."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import assay
from assay.report import render
from assay.report.views import view

RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 2, 200)
LABELS = {
    "truth": TRUTH.tolist(),
    **{
        name: np.where(RNG.random(200) < rate, TRUTH, 1 - TRUTH).tolist()
        for name, rate in (("forest", 0.95), ("tree", 0.8), ("net", 0.75))
    },
}
TWO = {name: LABELS[name] for name in ("truth", "forest", "tree")}
SETS = {"dataset": [f"d{i}" for i in range(12)]} | {
    name: (0.8 + by + RNG.normal(0, 0.02, 12)).tolist()
    for name, by in (("a", 0.0), ("b", 0.05), ("c", 0.06))
}
FOLDS = {
    "fold": list(range(10)),
    "a": RNG.normal(0.8, 0.02, 10).tolist(),
    "b": RNG.normal(0.9, 0.02, 10).tolist(),
}
SEEDS = {
    "seed": list(range(6)),
    "a": RNG.normal(0.8, 0.02, 6).tolist(),
    "b": RNG.normal(0.9, 0.02, 6).tolist(),
}
WINS = [[0, 30, 45], [10, 0, 30], [5, 12, 0]]
KINDS: dict[str, Callable[[], Any]] = {
    "one model": lambda: assay.evaluate({name: LABELS[name] for name in ("truth", "forest")}),
    "several models measured": lambda: assay.evaluate(LABELS),
    "two models": lambda: assay.compare(TWO, margin=0.02),
    "many models": lambda: assay.compare(LABELS),
    "several measures": lambda: assay.compare(TWO, measure=["accuracy", "f1"], positive="1"),
    "data sets": lambda: assay.compare(SETS, higher_is_better=True),
    "folds": lambda: assay.compare(FOLDS, higher_is_better=True),
    "runs": lambda: assay.compare(SEEDS, higher_is_better=True),
    "preferences": lambda: assay.bradley_terry(WINS),
    "a test": lambda: assay.mcnemar(TWO),
    "equivalence": lambda: assay.tost_means(FOLDS["a"], FOLDS["b"], margin=0.5),
    "a board": lambda: assay.board(LABELS),
    "a gate": lambda: assay.gate(TWO, baseline="tree", candidate="forest", margin=0.02),
    "a plan": lambda: assay.plan(measure="accuracy", difference=0.05, discordant=0.2, power=0.8),
    "a plan of power": lambda: assay.plan(
        measure="accuracy", difference=0.05, discordant=0.2, n=500
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_headline_has_at_most_twelve_words_and_a_figure(kind: str) -> None:
    result = KINDS[kind]()
    seen = view(result)
    assert 1 <= len(seen.glance.split()) <= 12
    page = render(result, "html")
    assert f"<h1>{seen.glance}</h1>" in page
    assert page.index("</h1>") < page.index("<svg") < page.index('id="evidence"')
