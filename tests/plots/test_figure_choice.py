"""Every result has one figure that answers it, and knows the names of all."""

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import assay
from assay.core.errors import UsageError
from assay.hypotheses.bayes import bayes_correlated_t, bayes_sign
from assay.hypotheses.friedman_posthoc import nemenyi, wilcoxon_pairs
from assay.plots import all_figures, main_figure
from tests.plots.figures import decided, spaced, with_ranks
from tests.report.examples import (
    against_level,
    estimate,
    evaluation,
    lower_is_better,
    many_models,
    outcome,
    roc_curve,
    several,
    two_models,
    undefined,
)


def items(n: int = 300) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, n)
    old = np.where(rng.random(n) < 0.8, truth, 1 - truth)
    new = np.where(rng.random(n) < 0.9, truth, 1 - truth)
    return {"truth": truth, "old": old, "new": new}


FIRST: dict[str, tuple[Any, str]] = {
    "data sets": (lambda: with_ranks(4), "ranks"),
    "two models": (two_models, "differences"),
    "many models on items": (lambda: many_models(5), "differences"),
    "too many pairs to read": (lambda: many_models(12), "matrix"),
    "one against a level": (against_level, "differences"),
    "scores of two classes": (evaluation, "roc"),
    "a family with ranks": (lambda: nemenyi(spaced(4)), "ranks"),
    "a family without": (lambda: wilcoxon_pairs(spaced(4)), "differences"),
    "a test": (lambda: outcome(0.1, 0.0, 0.2, 0.05), "differences"),
    "an estimate": (lambda: estimate("a", 0.8, 0.7, 0.9), "estimates"),
    "a posterior": (lambda: lower_is_better().posteriors[0], "posterior"),
    "a curve": (lambda: roc_curve("m", 0.2), "roc"),
    "curves": (lambda: [roc_curve("m", 0.2), roc_curve("n", 0.3)], "roc"),
    "several measures": (several, "slices-accuracy"),
    "a plan": (lambda: assay.plan("accuracy", discordant=0.1, difference=0.02, power=0.8), "power"),
    "a simulation": (
        lambda: assay.simulate("wald", question="coverage", p=[0.1, 0.2], n=20),
        "simulation",
    ),
}


@pytest.mark.parametrize(("make", "name"), FIRST.values(), ids=FIRST)
def test_the_main_figure_is_the_first_of_all(make: Any, name: str) -> None:
    result = make()
    drawn = all_figures(result)
    assert next(iter(drawn)) == name
    assert all(isinstance(one, Figure) for one in drawn.values())
    main = main_figure(result)
    assert main.get_xlabel() == main_figure(result, kind=name).get_xlabel()


def test_all_figures_of_an_evaluation() -> None:
    assert list(all_figures(evaluation())) == [
        "roc", "estimates-accuracy", "estimates-roc_auc", "estimates-log_loss",
    ]  # fmt: skip


def test_posteriors_have_the_figures_of_their_kind() -> None:
    t = bayes_correlated_t([0.81, 0.84, 0.86], [0.8, 0.8, 0.82], rope=0.01, folds=3)
    sign = bayes_sign([3.0, 2.0, 4.0, 1.0], [1.0, 1.0, 1.0, 1.1], rope=0.5)
    assert list(all_figures(t)) == ["posterior", "posterior_density"]
    assert list(all_figures(sign)) == ["posterior", "simplex"]


def test_a_gate_is_drawn() -> None:
    found = assay.gate(items(), baseline="old", margin=0.02)
    assert list(all_figures(found))


def test_slices_of_one_pair_are_one_figure() -> None:
    rows = items()
    rows["site"] = np.where(np.arange(300) % 2 == 0, "north", "south")
    found = assay.compare(rows, measure="accuracy", slice="site")
    assert next(iter(all_figures(found))) == "slices-accuracy"


def test_what_cannot_be_drawn_gives_way_to_what_can() -> None:
    """Without a p-value no diagram of ranks says whether two models differ."""
    family = decided([True, None, False], [1.0, 2.0, 3.0])
    assert "ranks" not in all_figures(family)
    assert main_figure(family).get_xlabel()
    with pytest.raises(UsageError, match="has no answer"):
        main_figure(family, kind="ranks")


def test_draws_into_axes_of_the_user() -> None:
    axes = Figure().add_subplot()
    assert main_figure(two_models(), ax=axes) is axes


def test_unknown_kinds_are_answered_with_the_names() -> None:
    with pytest.raises(UsageError, match="has the figures differences, estimates; got kind='pie'"):
        main_figure(two_models(), kind="pie")


@pytest.mark.parametrize("function", [main_figure, all_figures])
def test_not_a_result(function: Any) -> None:
    with pytest.raises(UsageError, match="no figure of int"):
        function(3)
    with pytest.raises(UsageError, match="no figure of Evaluation"):
        function(undefined())


def test_public_and_lazy() -> None:
    assert assay.plots.main_figure is main_figure
    assert set(assay.plots.__all__) <= set(dir(assay.plots))
    with pytest.raises(AttributeError, match="no figure 'pie'"):
        _ = assay.plots.pie
