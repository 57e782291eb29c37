"""Single tests and estimates in a sentence: the question of the method is answered in it."""

import pytest

import assay
from assay.core.errors import UsageError
from assay.core.methods import find_method
from assay.report import methods_paragraph

ROWS = [[0.81, 0.78, 0.7], [0.79, 0.8, 0.72], [0.84, 0.79, 0.75], [0.8, 0.76, 0.71], [0.77, 0.75, 0.77]]  # fmt: skip
A, B = [0.81, 0.79, 0.84, 0.8], [0.78, 0.8, 0.79, 0.76]


@pytest.fixture(autouse=True)
def _whole_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods_paragraph, "find_method", find_method)


def answer(result: object) -> str:
    return " ".join(str(result).partition("\n\n")[0].split())


def test_a_test_of_all_models_speaks_of_the_models() -> None:
    """Its interval of Kendall's W is a bootstrap's, and no test of W = 0."""
    assert answer(assay.quade(ROWS)).endswith("the models differ significantly (p = .020).")
    assert answer(assay.friedman(ROWS)).endswith(
        "the models do not differ significantly (p = .076)."
    )


def test_the_confidence_is_the_answer() -> None:
    said = answer(assay.confidence_better(20, 100, 25, 100))
    assert (
        "A has the lower rate: 80.2% (one-sided), that the rates differ: 60.4% (two-sided)" in said
    )


def test_a_range_of_p_values_is_the_answer() -> None:
    assert "Over the 21 joint tables that fit, p ranges from .025 to .46." in answer(
        assay.margins_range(20, 25, 100)
    )


def test_effects_have_names_in_words() -> None:
    ratings = [[1, 1, 2], [2, 2, 2], [3, 3, 2], [1, 2, 1], [3, 3, 3]]
    assert answer(assay.fleiss_kappa(ratings)).startswith("Fleiss' kappa = 0.39")
    assert answer(assay.cohens_d_paired(A, B)).startswith("Cohen's d of the differences")
    assert answer(assay.mann_whitney(A, B)).startswith("Shift (A − B) = +")
    assert answer(assay.chi_square([[50, 10], [4, 36]])).startswith("Cramér's V = 0.72")
    found = assay.delong_test([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.5, 0.4])
    assert answer(found).startswith("Difference in area under the ROC curve (A − B)")


def test_a_rate_has_no_difference() -> None:
    said = answer(assay.bayes_proportion(20, 100))
    assert (
        said == "Posterior probability > .999 that the rate is below 0.5, < .001 that it is above."
    )


def test_the_first_rank_is_the_best() -> None:
    found = assay.rank_sets(ROWS)
    assert "Ranks     model 1 1 (1–3) · model 2 2 (1–3) · model 3 3 (1–3)" in str(found)
    details = found.summary(details=True)
    assert details.startswith("model 1 has the lowest rank.")
    assert details.index("model 1        1.0") < details.index("model 3        3.0")


def test_too_many_arguments_are_refused_with_a_call_that_works() -> None:
    with pytest.raises(
        UsageError, match=r"friedman\(\) got 3 arguments; .*rows data sets.*`assay\.friedman\("
    ):
        assay.friedman(A, B, A)
    with pytest.raises(UsageError, match=r"for instance `assay\.levene\(\[\["):
        assay.levene(A, B)
