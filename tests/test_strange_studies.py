"""Studies, stores, figures and simulations as nobody meant them: an answer, or a refusal in our words."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

import assay
from assay.core.errors import AssayError
from assay.store.damage import DamagedStore
from assay.study.datasets import Source, resolve
from tools.fuzz.store_doors import small_study, sound_store

ASSAY: Any = assay  # types would refuse what is tried here
Y = np.array([0, 1] * 15)
X = np.arange(60.0).reshape(30, 2)
HALF = "\ud800"
PREDICTIONS: Any = assay.read(
    {"truth": [0, 1] * 8, "a": [0, 1, 1, 1] * 4}, truth="truth", models=["a"]
)


def study(**changed: Any) -> Any:
    """A small study of which one part is another."""
    given: dict[str, Any] = {
        "learners": {"nb": GaussianNB()},
        "datasets": {"d": (X, Y)},
        "resampling": {"folds": 3},
    }
    made = ASSAY.Study(**(given | changed))
    made.plan()
    return made  # fmt: skip


def tuned(**changed: Any) -> Any:
    given: dict[str, Any] = {"grid": {"var_smoothing": [1e-9, 1e-8]}}
    return study(
        learners={"nb": ASSAY.Learner(GaussianNB(), tuning=ASSAY.Tuning(**given | changed))}
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_store(small_study(), tmp_path_factory.mktemp("store") / "study.db")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: study(name=1 + 2j), "name of a study is text"),
        (lambda: study(name=HALF), "half a character"),
        (lambda: study(learners={HALF: GaussianNB()}), "name of a learner is text"),
        (lambda: study(datasets={HALF: (X, Y)}), "name of a data set is text"),
        (lambda: study(datasets=None), "datasets= is a list of data sets"),
        (lambda: study(datasets=np.array(1.0)), "datasets= is a list of data sets"),
        (lambda: study(measures=3), "measures= is a list of measures"),
        (lambda: study(resampling=HALF), "no scheme"),
        (lambda: study(resampling={"scheme": np.array([])}), "resampling"),
        (lambda: study(resampling={"scheme": pd.NA}), "resampling"),
        (lambda: study(curves={"learning": HALF}), "curves"),
        (lambda: study(datasets={"d": (X, None)}), "target has 0 dimensions"),
        (lambda: study(datasets={"d": (X, 1)}), "target has 0 dimensions"),
        (lambda: study(datasets={"d": (X, np.stack([Y, Y], axis=1))}), "target has 2 columns"),
        (lambda: study(datasets={"d": (X, [np.inf, *Y[1:]])}), "has infinite values"),
        (lambda: study(datasets={"d": (X, [*Y[1:], [1]])}), "target must be one list"),
        (lambda: study(datasets={"d": ([[1.0, [2]]] * 30, Y)}), "features must be one list"),
        (lambda: study(datasets={"d": ([[HALF, 1.0]] * 30, Y)}), "column 'X' holds half a character"),
        (lambda: study(learners={"nb": ASSAY.Learner(GaussianNB(), tuning="grid")}), "tuning= is a Tuning"),
        (lambda: study(learners={"nb": ASSAY.Learner(GaussianNB(), prepare=None)}), "prepare= is True or False"),
        (lambda: study(learners={"nb": ASSAY.Learner(GaussianNB(), complexity=3)}), "complexity= is a function"),
        (lambda: tuned(grid=None), "tune is a table"),
        (lambda: tuned(grid=pd.DataFrame()), "tune is a table"),
        (lambda: tuned(grid={"var_smoothing": 1e-9}), "tune.var_smoothing is a list of values"),
        (lambda: tuned(grid={"var_smoothing": np.array(1e-9)}), "tune.var_smoothing is a list of values"),
        (lambda: tuned(folds=None), "at least 2 inner folds"),
        (lambda: tuned(folds=2.5), "at least 2 inner folds"),
        (lambda: tuned(search="random", candidates="x"), "1 candidate"),
        (lambda: tuned(search=np.array([])), "search is one of grid"),
        (lambda: tuned(inner=pd.NA), "inner is one of cv"),
        (lambda: tuned(measure=HALF), "no measure"),
        (lambda: ASSAY.Study.from_toml(None), "a study is a path"),
        (lambda: ASSAY.Study.from_toml("x.toml", allow=3), "allow= is a name or a list"),
        (lambda: ASSAY.simulate(np.array(0.9)), "name the method to simulate"),
        (lambda: ASSAY.simulate("wilcoxon", n=10, options={"a": 1}), "has no option 'a'"),
        (lambda: ASSAY.simulate("paired_t", n=10, sd=1e308), "sd is a finite number of at most"),
        (lambda: ASSAY.simulate("dunn", n=10**9, replicates=1), "at most 50,000,000 can be drawn"),
        (lambda: ASSAY.simulate("friedman", n=100, world="datasets", k=10**7), "× k 10,000,000 is"),
        (lambda: ASSAY.simulate("paired_t", n=10, level=np.ma.masked), "level is a confidence"),
        (lambda: ASSAY.mcnemar(20, 5, 9, 6).rejects(None), "alpha= is a number"),
        (lambda: ASSAY.wilson(3, 10).to_frame(backend=np.array([])), "backend is one of"),
        (lambda: ASSAY.wilson(3, 10).plot(ax="x"), "ax= is the Axes of a figure"),
        (lambda: ASSAY.plots.forest({"a": None}), "one is missing"),
        (lambda: ASSAY.plots.rank_ladder({"a": 1}), "needs its rank"),
        (lambda: ASSAY.plots.checks({"a": 1}), "needs its difference, low, high and margin"),
        (lambda: ASSAY.plots.simulation({"a": 1}), "needs columns of places and rates"),
        (lambda: ASSAY.plots.critical_difference({"a": [1, 2], "b": [2, 1]}, width=1.0), "one mean rank"),
        (lambda: ASSAY.tango([[1, 2], [3]]), "expected numbers or evidence"),
        (lambda: ASSAY.two_proportions_z([[1, 2], [3]]), "errors and items of both models"),
        (lambda: ASSAY.mcnemar(np.ma.masked_equal([[20, 5], [9, 6]], 5)), "only_a is a whole"),
        (lambda: ASSAY.mean_summary(np.ma.masked, 1.0, 3), "one of its arguments is masked"),
        (lambda: ASSAY.krippendorff_alpha([[1, [2]], [1, [2]]]), "ratings are a table"),
        (lambda: ASSAY.from_json("[" * 100_000), "nested too deeply"),
        (lambda: PREDICTIONS.select(True), "no model"),
        (lambda: PREDICTIONS.tally(models=3), "models= is a name or a list of names"),
        (lambda: PREDICTIONS.tally(models=np.eye(2)), "no model"),
        (lambda: PREDICTIONS.columns(np.array([])), "needs is one of"),
        (lambda: PREDICTIONS.labels_from_scores(threshold="x"), "threshold is a finite number"),
        (lambda: PREDICTIONS.labels_from_scores(threshold=10**400), "threshold is a finite number"),
    ],
)  # fmt: skip
def test_refused_in_our_words(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(AssayError, match=words):
        call()


@pytest.mark.parametrize("strange", [pd.NA, ["a"], object(), {"a": 1}, b"x", 5.5j, 10**400, HALF])
def test_a_wrong_argument_does_not_damage_a_store(store: Path, strange: Any) -> None:
    """SQLite cannot bind such a value; the store was called damaged for it."""
    with ASSAY.Store.open(store, create=False) as opened:
        calls: list[Callable[[], Any]] = [
            lambda: opened.spec(strange),
            lambda: opened.records(strange),
            lambda: opened.scores("strange", strange),
            lambda: opened.scores("strange", "accuracy", part=strange),
            lambda: opened.predictions("strange", "one", learners=strange),
            lambda: opened.as_evidence(study=strange),
            lambda: opened.as_evidence(unit=strange),
            lambda: ASSAY.read_study(opened, strange),
            lambda: ASSAY.Store.salvage(store, strange),
        ]
        for call in calls:
            with pytest.raises(AssayError) as refused:
                call()
            assert not isinstance(refused.value, DamagedStore)


def test_nothing_and_nowhere_are_no_names_of_a_study_or_a_folder(store: Path) -> None:
    with ASSAY.Store.open(store, create=False) as opened:
        with pytest.raises(AssayError, match="study= is text"):
            ASSAY.read_study(opened, np.array([]))
        with pytest.raises(AssayError, match="a folder is a path, got NoneType"):
            opened.export(None, study="strange")


def test_models_and_tasks_of_a_store_in_whatever_holds_them(store: Path) -> None:
    with ASSAY.Store.open(store, create=False) as opened:
        wanted = opened.as_evidence(measure="accuracy", models=["nb", "tree"], task="one")
        kinds: tuple[Any, ...] = (tuple, np.array, iter, pd.Index)
        for kind in kinds:
            found = opened.as_evidence(
                measure="accuracy", models=kind(["nb", "tree"]), task=kind(["one"])
            )
            assert found.summary() == wanted.summary()
        with pytest.raises(AssayError, match="task= is a name or a list of names"):
            opened.as_evidence(task=3)


def test_a_bunch_names_its_features_in_an_array() -> None:
    found = study(datasets={"cancer": load_breast_cancer()})
    assert len(found.datasets["cancer"].features) == 30


@pytest.mark.parametrize("target", [Y[:, None], pd.DataFrame({"y": Y}), Y.tolist()])
def test_a_target_of_one_column(target: Any) -> None:
    assert (
        study(datasets={"d": (X, target)}).datasets["d"].fingerprint
        == study().datasets["d"].fingerprint
    )


def test_classes_beyond_whole_numbers_of_the_machine() -> None:
    found = study(datasets={"d": (X, np.where(Y, 1e300, 2e300))})
    assert {float(one) for one in found.datasets["d"].y} == {1e300, 2e300}


def test_columns_of_a_frame_named_by_numbers() -> None:
    frame = pd.DataFrame(np.column_stack([X, Y]))
    found = resolve(Source(source=frame, target="2"))
    assert (found.X.shape, found.task) == ((30, 2), "classification")
    with pytest.raises(AssayError, match="two columns of the same name"):
        resolve(Source(source=pd.concat([frame, frame], axis=1), target="2"))


@pytest.mark.parametrize("measures", [None, (), "accuracy", ["accuracy"]])
def test_one_measure_or_none_of_a_study(measures: Any) -> None:
    assert [one.name for one in study(measures=measures).measures] == ["accuracy"]


@pytest.mark.parametrize("p", [np.float32(0.25), np.longdouble(0.25), np.float16(0.25)])
def test_a_world_takes_numbers_of_any_width(p: Any) -> None:
    wanted = assay.simulate("wilson", question="coverage", n=10, p=0.25)
    assert assay.simulate("wilson", question="coverage", n=10, p=p).cells == wanted.cells


def test_a_part_that_a_result_does_not_have_is_named_with_those_it_has() -> None:
    table = {"truth": [0, 1] * 20, "a": [0, 1] * 20, "b": [0, 1, 1, 1] * 10}
    board = assay.board(table, truth="truth", rng=1, n_resamples=100)
    for kind in (KeyError, AssayError):
        with pytest.raises(kind, match="no model 'x' on this board; it has a, b"):
            board.row("x")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"workers": "two"}, "workers= is a whole number"),
        ({"workers": 1.5}, "workers= is a whole number"),
        ({"only": 3}, "only= is a name or a list of names"),
        ({"only": b"nb"}, "nothing of the study matches"),
        ({"engine": b"local"}, "engine= is an address or an engine"),
        ({"force": "yes"}, "force= is True or False"),
        ({"time_limit": "1"}, "time_limit= is a number"),
        ({"memory_limit": float("nan")}, "memory_limit= is a number"),
    ],
)
def test_a_run_with_strange_options(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(AssayError, match=words):
        study().run(tmp_path / "s.db", **{"progress": False, "engine": "inline", **options})


MODELS = [{"model": "a", "score": 1}, {"model": "b", "score": 0}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (json.dumps([{"id": 1, "r": MODELS}])[:-2] + ",]", "not a readable JSON array"),
        (json.dumps([{"id": 1, "r": MODELS}, 3]), "a JSON array, but not of objects"),
        (f'[{json.dumps({"id": 1, "r": MODELS})}, {{"id": {"9" * 5_000}}}]', "not a readable JSON array"),
        (f'[{json.dumps({"id": 1, "r": MODELS})}, {"[" * 100_000}]', "not a readable JSON array"),
        ('{"columns": ["a"], "data": [[1], 2]}', "row 2 of the data in .*x.json is not a list of cells"),
        ('{"columns": [["a"]], "data": [[1], [2]]}', "named by objects or lists"),
    ],
)  # fmt: skip
def test_json_that_begins_well(tmp_path: Path, text: str, words: str) -> None:
    """Found by the fuzzer (seed 9002, input 12995), and its siblings."""
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(AssayError, match=words):
        assay.look(path)


def test_a_label_that_was_masked_is_missing() -> None:
    """A list made of a masked array holds a constant that prints as --, which became a class."""
    masked = np.ma.masked_array(["x", "y", "x", "y"], mask=[False, True, False, False])
    with pytest.raises(AssayError, match="1 items have no truth"):
        assay.delong(list(masked), [0.1, 0.2, 0.3, 0.4])


RECORDS = np.array([(1, 2.0)] * 3, dtype="i8,f8").view(np.recarray)


@pytest.mark.parametrize(
    "truth",
    [
        [RECORDS],
        [RECORDS, RECORDS],
        [np.array([0, 1]), RECORDS],
        [np.array([0, 1]), np.array(["2020"], "datetime64[Y]")],
        [np.eye(2), np.eye(3)],
        [np.zeros(2, dtype="V4")] * 2,
    ],
)
def test_batches_of_a_truth_that_do_not_go_together(truth: Any) -> None:
    """Found by the fuzzer (seed 4101, input 33676): a batch of records."""
    with pytest.raises(AssayError, match=r"holds records|do not go together"):
        assay.look({"truth": truth, "a": truth})


@pytest.mark.parametrize("level", [1e-9, 1e-3, 0.95])
def test_an_effect_beyond_the_digits_of_floats_has_an_interval(level: float) -> None:
    """Found by the fuzzer (seed 4101, input 22832): the lower end stood above the upper one."""
    far = [2**53 + 1, 2**53, 2**53, 2**53 + 1, 2**53 + 3, 2**53 + 2]
    found = assay.cohens_d(far, [1.0, 0.0, 0.0], level=level).interval
    assert found is not None
    assert found.low < found.high
    # t is so large that only the spread of the standard deviation counts: limits grow as t does
    smaller = assay.cohens_d(np.array(far) / 2**20, np.array([1.0, 0.0, 0.0]) / 2**20, level=level)
    assert smaller.interval is not None
    assert found.low == pytest.approx(smaller.interval.low, rel=1e-9)
