"""Arguments nobody meant: what `python -m tools.fuzz --door arguments` found, each as small as it can be."""

import contextlib
import json
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy import sparse

import assay
from assay.cli.main import cli
from assay.core.checks import glimpse
from assay.core.errors import AssayError
from assay.core.study_results import CurveComparison
from assay.core.wire import from_json, to_json
from assay.evidence.cell_text import shortened
from tools.fuzz import verbs
from tools.fuzz.arguments import opened

ASSAY: Any = assay  # types would refuse what is tried here
VALUES = [0.1, 0.4, 0.2, 0.9, 0.5, 0.3]
TRUTH = [0, 1, 0, 1, 1, 0]
TABLE = {"truth": TRUTH, "a": TRUTH, "b": [0, 1, 1, 1, 0, 0]}
JUDGED = {"people": [1, 0, 1, None, None, None], "g": TRUTH, "length": TRUTH}
RESULTS: dict[str, Callable[[], Any]] = {
    "evaluate": lambda: assay.evaluate(TABLE, measures=["accuracy"], rng=1),
    "compare": lambda: assay.compare(TABLE, rng=1),
    "several": lambda: assay.compare(TABLE | {"g": TRUTH}, slice="g", rng=1, n_resamples=99),
    "board": lambda: assay.board(TABLE, rng=1, n_resamples=100),
    "judge": lambda: assay.judge(verbs.JUDGED, truth="people", judge="gpt", correct=True),
    "plan": lambda: assay.plan("accuracy", n=100, difference=0.05, baseline=0.8),
    "wilson": lambda: assay.wilson(3, 10),
}
SCORES = {
    "dataset": [f"d{place}" for place in range(9)],
    **{name: [0.5 + 0.03 * (place * step % 7) for place in range(9)]
       for name, step in (("a", 2), ("b", 3), ("c", 5))},
}  # fmt: skip
ONE_HOT = {"truth": np.eye(2)[TRUTH], "a": ["x", "y", "x", "y", "y", "y"]}
ITEMS = {"item": range(6), "y": VALUES}
LONG = {"item": [*range(6)] * 2, "model": [*"aaaaaabbbbbb"], "u": VALUES * 2, "v": VALUES[::-1] * 2}
BEYOND = {"item": np.repeat(range(6), 3), "a": np.tile([1e200, 3e200, 2e200], 6), "b": [4e250] * 18}
SUMMED = {
    "model": [*"aaaabbbb"],
    "fold": [0, 1, 2, 3] * 2,
    "accuracy": [7e242, 8e242, 9e242, 6e242] * 2,
}
RAGGED = [[1.0], [1.0, 2.0]]
MASKED = np.ma.masked_array(VALUES, mask=[False, True, *[False] * 4])
CELLS = np.array([[1], [2, 3], [4]], dtype=object)


STRANGE_CELLS = {
    "list": [1], "set": {1}, "signal": Decimal("sNaN"), "no length": np.timedelta64("NaT"), "digits": 10**5_000,
    "no unit": np.timedelta64(5),
}  # fmt: skip


@pytest.mark.parametrize("kind", STRANGE_CELLS)
@pytest.mark.parametrize("column", ["model", "dataset", "acc", "truth", "a"])
@pytest.mark.parametrize("places", [[0], range(0, 12, 2), range(12)], ids=["one", "half", "all"])
def test_cells_that_are_no_values_are_refused_in_words(
    kind: str, column: str, places: list[int]
) -> None:
    """Beside names merged over rows, among classes and among numbers."""
    merged: dict[str, list[Any]] = {
        "model": ["x", None] * 6,
        "dataset": [f"d{place // 3}" if place % 3 == 0 else None for place in range(12)],
        "acc": [place / 10 for place in range(12)],
    }
    labelled: dict[str, list[Any]] = {"truth": ["a", "b"] * 6, "a": ["b", "b"] * 6}
    table = merged if column in merged else labelled
    for place in places:
        table[column][place] = STRANGE_CELLS[kind]
    for form in (dict, pd.DataFrame):
        with contextlib.suppress(AssayError):
            str(assay.look(form(table)))
            str(assay.compare(form(table), rng=1))


def test_values_that_cannot_be_written_are_named_by_their_type() -> None:
    for odd in (pd.Series([Decimal("sNaN")]), pd.DataFrame({"x": [Decimal("sNaN")] * 2})):
        assert type(odd).__name__ in shortened(odd)
        assert type(odd).__name__ in glimpse(odd)
    assert shortened(10**5_000) == glimpse(10**5_000) == "a whole number of thousands of digits"


def test_sparse_scores_of_runs() -> None:
    found = ASSAY.evaluate(
        {"rf": sparse.csr_array([[1, 0, 1]]), "lr": sparse.csr_array([[1, 1, 1]])}, unit="seed"
    )
    assert [one.value for one in found.estimates] == pytest.approx([2 / 3, 1.0])


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
        (lambda: ASSAY.mean_t([np.complex64(1j), np.complex64(2)]), "must be numbers"),
        (lambda: ASSAY.mean_t(np.array([1j, 2]).astype("complex64").astype(object)), "must be numbers"),
        (lambda: ASSAY.label_permutation({"truth": ["x", [1]], "a": ["x", "x"]}), "list"),
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
        (lambda: ASSAY.evaluate(JUDGED, judge="g", weight={"a": "b"}), "weight= is text, got"),
        (lambda: ASSAY.evaluate(JUDGED, judge="g", id={"a": 1}), "id= is the name of a column"),
        (lambda: ASSAY.evaluate(JUDGED, judge="g", fold=np.array(0.9)), "fold= does not go with a judge"),
        (lambda: ASSAY.evaluate(JUDGED, truth=2.5, judge="g"), "truth= is a name or a list of names"),
        (lambda: ASSAY.evaluate(JUDGED, judge=pd.NA), "judge= is a name or a list of names"),
        (lambda: ASSAY.judge(JUDGED, truth="people", judge=()), "name the judge's column"),
        (lambda: ASSAY.judge(JUDGED, truth=len, judge="g"), "truth= is a name or a list of names"),
        (lambda: ASSAY.plan("accuracy", n=100, difference=0.05, method=float("nan")), "no plan for"),
        (lambda: ASSAY.plan("accuracy", n=100, difference=0.05, baseline=10**400), "baseline"),
        (lambda: ASSAY.plan("accuracy", n=100, difference=0.05, cluster_size=10**400), "cluster_size"),
        (lambda: ASSAY.board(TABLE, ledger=()), "a ledger is a path, got tuple"),
        (lambda: ASSAY.wilson(3, 10).save([[]]), "a report is a path, got list"),
        (lambda: ASSAY.wilson(3, 10).save("x" * 5_000 + ".csv"), "cannot be the name of a report"),
        (lambda: ASSAY.plots.save(None, 0.5), "a figure is a path, got float"),
        (lambda: ASSAY.to_json(ASSAY.wilson(3, 10), indent="x"), "indent is a whole number"),
        (lambda: ASSAY.wilson(3, 10).plot(slice(2)), "this result has the figures"),
        (lambda: ASSAY.plots.sequence({"a": 1.0}), "columns of equal length"),
        (lambda: ASSAY.look(TABLE, classes=np.array([])), "classes= is a list of classes in their order"),
        (lambda: ASSAY.look(TABLE, classes={"x", "y"}), "classes= is a list of classes in their order"),
        (lambda: ASSAY.board(TABLE, weights=np.array([1.0, 2.0])), "weights= is a word or a mapping of tasks"),
        (lambda: ASSAY.look(JUDGED, judge=pd.DataFrame({"a": [1]}), truth="people"), "no column 'a'"),
        (lambda: ASSAY.look(JUDGED, judge=np.array(["x", "y"]), truth="people"), "no column 'x'"),
        (lambda: ASSAY.look(ONE_HOT, classes=["x", "x"]), "each once; got"),
        (lambda: ASSAY.look(ONE_HOT, classes=["x"]), "classes= names 1, and the truth has 2 columns"),
        (lambda: assay.to_json(assay.compare(SCORES, measure="\ud800")), "JSON holds text only"),
        (lambda: ASSAY.from_json('{"schema": "assay/1", "kind": {}}'), "unknown kind of result"),
        (lambda: ASSAY.mcnemar([1, 0, 1], [1, 0]), r"two lists of one length: got shapes \(3,\) and \(2,\)"),
        (lambda: ASSAY.tango(1.0, [1, 0, 1]), r"got shapes \(\) and \(3,\)"),
        (lambda: ASSAY.winner_score(np.eye(4), level=0.999999), "too many for memory"),
        (lambda: ASSAY.shaffer([0.1] * 6, b"1"), "pairs are the two models of each p-value"),
        (lambda: ASSAY.evaluate(TABLE, higher_is_better=10**400), "lower_is_better= is True or False"),
        (lambda: ASSAY.compare(ITEMS, LONG, truth="y", id="item"), "Which columns of source 2 are predictions"),
        (lambda: ASSAY.compare(TRUTH, pa.table([pa.array(TRUTH)] * 2, names=["a", "a"])), "evidence is a path"),
        (lambda: ASSAY.evaluate({**TABLE, "count": [1e300] * 6}, count="count"), "n is a whole number"),
        (lambda: ASSAY.evaluate(BEYOND, rng=1), "independent"),
        (lambda: ASSAY.evaluate(SUMMED, measure="accuracy", rng=1), "Which is better"),
    ],
)  # fmt: skip
def test_refused_in_our_words(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(AssayError, match=words):
        call()


def test_a_judge_whose_errors_are_one_large_number_has_no_slope() -> None:
    found = assay.judge_bias([1e12] * 7, [0.1, 0.4, 0.2, 0.9, 0.5, 0.3, 0.7])
    assert found.p_value is None
    assert found.effect.value == 0.0


def test_a_truth_and_an_arrow_table_are_evidence() -> None:
    table = {"a": TABLE["a"], "b": TABLE["b"]}
    found = [assay.evaluate(TRUTH, one, rng=1) for one in (table, pa.table(table))]
    assert found[0] == found[1]


def test_of_one_cluster_no_design_effect_is_told() -> None:
    found = assay.evaluate({"truth": TRUTH, "a": VALUES, "cluster": [1] * 6}, rng=1)
    for one in found.estimates:
        assert {dict(one.details).get(name) for name in ("design_effect", "icc")} == {None}
    assert from_json(to_json(found)) == found


def test_a_missing_number_of_pandas_is_a_failed_split() -> None:
    times = {name: [0.1, 0.1] for name in ("mean_fit_time", "std_fit_time", "mean_score_time")}
    scores = {f"split{k}_test_score": [0.5, 0.4 if k else None] for k in range(3)}
    results = {"params": [{"a": 1}, {"a": 2}], "rank_test_score": [1, 2], **times, **scores}
    for table in (pd.DataFrame(results), pd.DataFrame(results).convert_dtypes()):
        with pytest.raises(AssayError, match=r"1 score is missing \(a=2 on 0\)"):
            assay.compare(table, rng=1)


def test_losses_below_zero_are_no_error_rate() -> None:
    found = assay.bootstrap_632_plus([0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, -1.0, -1.0], 0.5)
    assert found.value is not None
    assert found.interval is not None
    assert found.interval.contains(found.value)


def test_differences_that_no_draw_can_bound_say_why() -> None:
    found = assay.rank_sets(np.arange(12.0).reshape(3, 4), rng=1)
    assert {one.effect.interval for one in found.outcomes} == {None}
    assert {one.notes[0].code for one in found.outcomes} == {"cannot-reach-alpha"}


@pytest.mark.parametrize("level", [Fraction(9, 10), Decimal("0.9"), np.float64(0.9), np.array(0.9)])
def test_a_number_of_any_type_is_that_number(level: Any) -> None:
    found = ASSAY.wilson(3, 10, level=level)
    assert found == assay.wilson(3, 10, level=0.9)
    assert from_json(to_json(found)) == found


def _emptied(value: Any, *path: str | int) -> str:
    """A result as JSON of which one part was taken away."""
    document = json.loads(to_json(value))
    inside = document
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = type(inside[path[-1]])()
    return json.dumps(document)


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("evaluate", ["estimates"]),
        ("several", ["parts"]),
        ("several", ["parts", 0, "measure"]),
        ("board", ["rows"]),
        ("judge", ["estimates"]),
        ("plan", ["curve", "columns"]),
    ],
)
def test_results_without_what_all_have_are_damaged(verb: str, path: list[str | int]) -> None:
    with pytest.raises(AssayError, match=r"damaged \w+: (it has no|there are slices of)"):
        from_json(_emptied(RESULTS[verb](), *path))


def test_curves_without_a_curve_are_damaged() -> None:
    nothing: dict[str, Any] = dict.fromkeys(
        ("curves", "differences", "tests", "crossings", "levelling"), ()
    )
    found = CurveComparison(
        curve_kind="learning", dataset="d", measure="accuracy", level=0.95, margin=None, **nothing
    )
    with pytest.raises(AssayError, match="it has no curves"):
        from_json(to_json(found))


@pytest.mark.parametrize("name", ['"power"', '"level"'])
def test_not_a_number_is_no_number_of_a_result(name: str) -> None:
    text = to_json(RESULTS["plan"](), indent=-1)
    assert re.search(f"{name}:[0-9.]+", text)
    with pytest.raises(AssayError, match="it holds NaN"):
        from_json(re.sub(f"{name}:[0-9.]+", f'{name}:"nan"', text))


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("compare", ["estimates"]),
        ("several", ["parts", 0, "estimates"]),
        ("several", ["parts", 0, "adjustment"]),
        ("board", ["aggregate"]),
        ("wilson", ["measure"]),
    ],
)
def test_results_without_what_some_have_are_printed(verb: str, path: list[str | int]) -> None:
    found = from_json(_emptied(RESULTS[verb](), *path))
    assert all(len(text) > 40 for text in (str(found), assay.render(found, "markdown")))


@pytest.mark.parametrize("kind", [tuple, np.array, pd.Index, iter, ",".join])
def test_classes_in_whatever_holds_them(kind: Any) -> None:
    wanted = str(assay.look(ONE_HOT, classes=["x", "y"]))
    assert str(ASSAY.look(ONE_HOT, classes=kind(["x", "y"]))) == wanted


@pytest.mark.parametrize("lost", ["won", "tied", "lost"])
def test_a_record_of_wins_that_lost_a_part_is_not_shown(lost: str) -> None:
    """Found by the fuzzer (seed 611801, input 6316): a result as JSON that somebody changed."""
    text = to_json(assay.compare(SCORES, measure="accuracy"))
    assert "won-tied-lost" in assay.render(from_json(text), "markdown")
    assert "won-tied-lost" not in assay.render(
        from_json(text.replace(f'"{lost}"', '"x"')), "markdown"
    )


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
        assay.UsageError, match=r"so cluster= cannot be used.*one vote of each cluster"
    ):
        assay.board(pd.DataFrame(votes), votes=True, cluster="prompt")


@pytest.mark.filterwarnings("error")
def test_scores_whose_sum_is_beyond_floats() -> None:
    far = {
        "seed": range(4),
        "a": [1e306, 2e306, 0.0, 1e305],
        "b": [1.7e308, 1.7e308, -1.7e308, 1.6e308],
    }
    with pytest.raises(AssayError, match="too large to be squared"):
        assay.compare(far, unit="seed", measure="score", lower_is_better=False)


@pytest.mark.parametrize("width", [1, 2, 9, np.int8(1)])
def test_text_for_a_terminal_of_no_width(width: Any) -> None:
    assert assay.compare(TABLE).summary(width=width)


def test_a_record_of_an_array_has_no_line(tmp_path: Path) -> None:
    """Found by `make fuzz`: a JSON array on one line has fewer lines than records."""
    rows: list[dict[str, Any]] = [{"id": n, "truth": n % 2, "a": n % 2, "b": 1} for n in range(20)]
    rows[5]["b"] = None
    rows[7]["a"] = 2**63
    path = tmp_path / "array.json"
    for indent in (None, 1):
        path.write_text(json.dumps([*rows, rows[-1]], indent=indent))
        with pytest.raises(AssayError, match=r"position 5|record 6"):
            assay.compare(path, cluster="id", models=["a", "b"])


TWO = {"truth": [0, 1] * 20, "a": [0, 1] * 20, "b": [0, 1, 1, 1] * 10}


@pytest.mark.parametrize(
    "call",
    [
        lambda: assay.simulate("paired_t", n=10, replicates=20, effect=10**400),
        lambda: ASSAY.simulate("paired_t", n=10, replicates=20, world=np.array([])),
        lambda: ASSAY.gate(TWO, truth="truth", models=np.array([]), baseline="a", candidate="b", margin=0.1),
        lambda: assay.compare(TWO, truth="truth", models=["a", "b"], task=np.array([])),
        lambda: assay.compare({"a": {}, "b": {}}),
        lambda: assay.multi_aso(np.array(0.9)),
        lambda: assay.manova(np.array(0.9)),
        lambda: ASSAY.evaluate(TWO, truth="truth", measures=int),
        lambda: assay.compare(
            {"net": ["x", "y"], "iris": [0.8, 0.7], "wine": [0.9, 0.6]}, models_in_rows=True, slice="net",
            measure="accuracy",
        ),
    ],
)  # fmt: skip
def test_what_the_fuzzer_brought_is_refused_in_words(call: Any) -> None:
    with pytest.raises(AssayError):
        call()


def test_a_class_may_be_a_number_of_numpy() -> None:
    assert "positive" in str(assay.look(TWO, truth="truth", models=["a", "b"], positive=np.int8(1)))


def test_whole_numbers_beyond_floats_are_refused_in_results() -> None:
    document = json.loads(assay.to_json(assay.mcnemar(50, 10, 4, 36)))
    document["details"] = [["n", 10**400]]
    with pytest.raises(AssayError, match="beyond what results hold"):
        assay.from_json(json.dumps(document))


def test_what_cannot_be_read_has_no_json(tmp_path: Path) -> None:
    path = tmp_path / "cut.csv"
    path.write_text("id,truth,a,b\n")
    done = CliRunner().invoke(cli, ["look", str(path), "--truth", "truth", "--format", "json"])
    assert done.exit_code != 0
    assert not done.stdout


def test_a_source_without_a_name_is_called_the_data() -> None:
    """Printing a column of half precision may overflow, and nobody asked for it."""
    frame = pytest.importorskip("pandas").DataFrame(np.array([[0.4, 0.7]] * 3, dtype=np.float16))
    with pytest.raises(AssayError) as refused:
        ASSAY.mcnemar(frame)
    assert "\n0" not in str(refused.value)


def test_more_constant_columns_than_dimensions_of_an_array() -> None:
    constant = {f"m{k}": [1, 1, 1, 1] for k in range(70)}
    found = assay.evaluate({"truth": [1, 0, 1, 1], **constant}, truth="truth", models=[*constant])
    assert {one.value for one in found.estimates} == {0.75}


def test_slices_in_which_nothing_has_a_weight() -> None:
    with pytest.raises(AssayError, match="not all 0"):
        ASSAY.compare(
            TWO | {"w": TWO["a"]}, truth="truth", models=["a", "b"], slice="a", weight="w"
        )
