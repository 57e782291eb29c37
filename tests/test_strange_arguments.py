"""Arguments nobody meant: what `python -m tools.fuzz --door arguments` found, each as small as it can be."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import assay
from assay.core.errors import AssayError
from assay.core.wire import from_json, to_json
from tools.fuzz.arguments import opened

ASSAY: Any = assay  # types would refuse what is tried here
VALUES = [0.1, 0.4, 0.2, 0.9, 0.5, 0.3]
TRUTH = [0, 1, 0, 1, 1, 0]
TABLE = {"truth": TRUTH, "a": TRUTH, "b": [0, 1, 1, 1, 0, 0]}
RAGGED = [[1.0], [1.0, 2.0]]
MASKED = np.ma.masked_array(VALUES, mask=[False, True, *[False] * 4])
CELLS = np.array([[1], [2, 3], [4]], dtype=object)


def test_a_bounded_run_finds_nothing(tmp_path: Path) -> None:
    """`make fuzz` tries more."""
    attempt = opened(tmp_path, 31)
    assert [tried for tried in map(attempt, range(300)) if tried.found] == []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ASSAY.mean_t(np.array(VALUES) * 1j), "must be numbers"),
        (lambda: ASSAY.mean_t(np.array([1, 2], "datetime64[s]")), "must be numbers"),
        (lambda: ASSAY.mean_t(MASKED), "1 missing or infinite values"),
        (lambda: ASSAY.mean_t(RAGGED), "must be numbers"),
        (lambda: ASSAY.mean_t({1.0, 2.0}), "must be numbers"),
        (lambda: ASSAY.holm(0.5), "one list of numbers"),
        (lambda: ASSAY.holm(MASKED), "without a value: number 2"),
        (lambda: ASSAY.friedman(np.ones((4, 3)) * 1j), "table of numbers"),
        (lambda: ASSAY.friedman([[10**400, 1], [1, 2]]), "table of numbers"),
        (lambda: ASSAY.friedman({"a": 0.5, "b": 0.1}), "the scores of a must be one list"),
        (lambda: ASSAY.friedman({}), "at least one block"),
        (lambda: ASSAY.nemenyi(np.eye(4), level=1e-320), "confidence between 0 and 1"),
        (lambda: ASSAY.oneway_anova(np.array(0.5)), "groups are a list of lists"),
        (lambda: ASSAY.delong([0, 1, np.nan, 1], [0.1, 0.2, 0.3, 0.4]), "1 items have no truth"),
        (lambda: ASSAY.delong([0, 1, pd.NA, 1], [0.1, 0.2, 0.3, 0.4]), "1 items have no truth"),
        (lambda: ASSAY.delong_test(TRUTH, VALUES, VALUES[:5]), "6 labels but 5 scores"),
        (lambda: ASSAY.gwet_ac1(RAGGED), "must be one list"),
        (lambda: ASSAY.cluster_mean(VALUES, RAGGED), "cluster must be one list"),
        (lambda: ASSAY.cluster_mean(VALUES, [*"aabb", pd.NA, "c"]), "1 items have no cluster"),
        (lambda: ASSAY.interquartile_mean(RAGGED), "runs must be numbers"),
        (lambda: ASSAY.aso(RAGGED, VALUES), "must be numbers"),
        (lambda: ASSAY.corrected_resampled_t(VALUES, n_test=RAGGED, n_train=9), "n_test must be numbers"),
        (lambda: ASSAY.bradley_terry(RAGGED), "preferences must be one list"),
        (lambda: ASSAY.bradley_terry(CELLS, CELLS, CELLS), "holds values of type list"),
        (lambda: ASSAY.krippendorff_alpha([[1, {}], [2, {}], [1, 1]]), r"texts or numbers; got \{\}"),
        (lambda: ASSAY.anytime_mean_difference(VALUES, bound=1e308), "bound is the largest difference"),
        (lambda: ASSAY.bayes_two_proportions(36, 40, 22, 25, prior_strength=2**63), "at most 1e\\+11"),
        (lambda: ASSAY.bayes_signed_rank(VALUES, VALUES[::-1], prior_strength=1e308), "at most 1e\\+11"),
        (lambda: ASSAY.one_sample_t(VALUES, null=float("nan")), "null= is a number, got nan"),
        (lambda: ASSAY.paired_bootstrap(TABLE, models=5), "models= is a list of names, got 5"),
        (lambda: ASSAY.paired_bootstrap(TABLE, models=[["a"], ["b"]]), "models= is a list of names"),
        (lambda: ASSAY.paired_bootstrap(TABLE, models={"a", "b"}), "models= is a list of names"),
        (lambda: ASSAY.bonferroni_dunn(np.eye(4), control=False), "no model False to be the control"),
    ],
)  # fmt: skip
def test_refused_in_our_words(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(AssayError, match=words):
        call()


@pytest.mark.parametrize("level", [Fraction(9, 10), Decimal("0.9"), np.float64(0.9), np.array(0.9)])
def test_a_number_of_any_type_is_that_number(level: Any) -> None:
    found = ASSAY.wilson(3, 10, level=level)
    assert found == assay.wilson(3, 10, level=0.9)
    assert from_json(to_json(found)) == found


@pytest.mark.parametrize(
    "models", [("b", "a"), iter(["b", "a"]), np.array(["b", "a"]), pd.Index(["b", "a"])]
)
def test_names_in_any_order_that_has_one(models: Any) -> None:
    wanted = assay.paired_bootstrap(TABLE, models=["b", "a"], rng=1, n_resamples=99)
    assert ASSAY.paired_bootstrap(TABLE, models=models, rng=1, n_resamples=99) == wanted


@pytest.mark.parametrize(
    "kind", [list, tuple, np.array, pd.Series, lambda cells: np.array(cells, dtype=object)]
)
def test_the_later_of_two_classes_is_positive_whatever_holds_them(
    kind: Callable[[Any], Any],
) -> None:
    truth = [2, 10, 2, 10, 10, 2]
    assert ASSAY.delong(kind(truth), VALUES) == assay.delong(TRUTH, VALUES)


def test_no_prior_may_be_written_with_a_sign() -> None:
    pair = (np.array(VALUES), np.array(VALUES[::-1]))
    found = assay.bayes_signed_rank(*pair, prior_strength=-0.0, n_resamples=49, rng=1)
    assert found == assay.bayes_signed_rank(*pair, prior_strength=0.0, n_resamples=49, rng=1)


def test_half_floats_are_read_without_a_warning() -> None:
    half = {"truth": np.array(TRUTH, np.float16), "a": np.array([0, 1, 1, 1, 0, 0], np.float16)}
    assert (
        assay.evaluate(half).estimates
        == assay.evaluate({"truth": TRUTH, "a": TABLE["b"]}).estimates
    )


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1, 0.13, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_a_margin_is_judged_by_the_law_of_the_interval(margin: float, seed: int) -> None:
    """Drawn replicates contradicted the exact interval: p = .04 beside [-0.117, inf) and a margin of 0.1."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 60)
    table = {
        "truth": truth,
        "a": truth ^ (rng.random(60) < 0.4),
        "b": truth ^ (rng.random(60) < 0.45),
    }
    few = assay.non_inferiority_measure(table, margin=margin, n_resamples=49, rng=1)
    many = assay.non_inferiority_measure(table, margin=margin, n_resamples=999, rng=2)
    assert few.p_value is not None
    assert few.p_value == many.p_value
    assert few.effect.interval is not None
    assert (few.p_value <= 0.05) == (not few.effect.interval.contains(few.null))


def test_a_board_of_votes_refuses_what_it_would_not_heed(tmp_path: Path) -> None:
    votes = {"prompt": [1, 1, 2], "model_a": [*"aab"], "model_b": [*"bcc"], "winner": [*"abc"]}
    with pytest.raises(
        assay.UsageError, match=r"so cluster cannot be used.*one vote of each cluster"
    ):
        assay.board(pd.DataFrame(votes), votes=True, cluster="prompt")
