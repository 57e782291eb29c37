import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.readers.sklearn_results import is_dump, records
from assay.evidence.reading import read
from assay.evidence.reading_options import Told
from assay.evidence.scores import Scores

TREE = {
    "fit_time": np.array([0.1, 0.1, 0.1, 0.1]),
    "score_time": np.array([0.0, 0.0, 0.0, 0.0]),
    "test_accuracy": np.array([0.9, 0.8, 1.0, 0.7]),
    "test_f1": np.array([0.5, 0.25, 0.5, 0.75]),
    "train_accuracy": np.array([1.0, 1.0, 1.0, 1.0]),
}
BAYES = {**TREE, "test_accuracy": np.array([0.7, 0.6, 0.8, 0.5])}
SEARCH = {
    "mean_fit_time": np.array([0.1, 0.1]),
    "param_C": np.ma.MaskedArray([1, None], mask=[False, True], dtype=object),
    "params": [{"C": 1, "kernel": "rbf"}, {"C": None, "kernel": "rbf"}],
    "split0_test_score": np.array([0.5, 0.6]),
    "split1_test_score": np.array([0.7, 0.8]),
    "mean_test_score": np.array([0.6, 0.7]),
    "rank_test_score": np.array([2, 1]),
}


def plain(results: dict[str, Any]) -> dict[str, Any]:
    return {name: np.asarray(column).tolist() for name, column in results.items()}


class TestCrossValidate:
    def test_a_record_for_each_split_and_measure(self) -> None:
        found = records(TREE, model="tree", dataset="iris")
        assert len(found) == 8
        assert found[0] == {
            "model": "tree", "dataset": "iris", "fold": 0, "measure": "accuracy", "score": 0.9
        }  # fmt: skip

    def test_repeated_folds(self) -> None:
        places = [(r["repeat"], r["fold"]) for r in records(TREE, told=Told(folds=2, measure="f1"))]
        assert places == [(0, 0), (0, 1), (1, 0), (1, 1)]
        with pytest.raises(UsageError, match="at least 2"):
            records(TREE, told=Told(folds=1))

    def test_what_scikit_learn_really_returns(self) -> None:
        from sklearn.datasets import load_iris
        from sklearn.dummy import DummyClassifier
        from sklearn.model_selection import GridSearchCV, cross_validate
        from sklearn.tree import DecisionTreeClassifier

        x, y = load_iris(return_X_y=True)
        tree = DecisionTreeClassifier(random_state=0)
        both = {
            "tree": cross_validate(tree, x, y, cv=5),
            "dummy": cross_validate(DummyClassifier(), x, y, cv=5),
        }
        result = assay.compare(both)
        assert (result.choice.method, result.verdict.word) == ("corrected_resampled_t", "better")
        search = GridSearchCV(tree, {"max_depth": [1, None]}, cv=3).fit(x, y).cv_results_
        assert {r["model"] for r in records(search)} == {"max_depth=1", "max_depth=None"}

    def test_a_few_splits_are_one_run_and_that_is_said(self) -> None:
        both = {"tree": TREE, "bayes": BAYES}
        found = read(both, measure="accuracy")
        assert isinstance(found, Scores)
        assert [note.code for note in found.notes] == ["folds-assumed"]
        told = read(both, measure="accuracy", folds=4)
        assert isinstance(told, Scores)
        assert told.notes == ()

    def test_a_model_whose_every_fit_failed_is_named(self) -> None:
        lost = {name: np.full_like(values, np.nan, dtype=float) for name, values in TREE.items()}
        found = read({"tree": TREE, "bayes": BAYES, "lost": lost}, measure="accuracy", folds=4)
        assert isinstance(found, Scores)
        assert found.models == ("tree", "bayes")
        ((code, message),) = ((one.code, one.message) for one in found.notes)
        assert code == "models-failed"
        assert "every fit of 'lost' failed: it has no score" in message

    def test_many_splits_are_asked_about(self) -> None:
        long = {name: np.tile(values, 5) for name, values in TREE.items()}
        both = {"tree": long, "other": long}
        with pytest.raises(AmbiguousEvidence, match="How were the 20 splits made"):
            read(both, measure="accuracy")
        found = read(both, measure="accuracy", folds=4, repeats=5)
        assert isinstance(found, Scores)
        assert (found.folds, found.repeats) == (4, 5)

    def test_a_negated_loss_is_turned_back(self) -> None:
        good = {**TREE, "test_neg_mean_squared_error": np.array([-0.1, -0.2, -0.1, -0.3])}
        poor = {**TREE, "test_neg_mean_squared_error": np.array([-1.1, -1.2, -1.1, -1.4])}
        result = assay.compare({"good": good, "poor": poor}, measure="neg_mean_squared_error")
        assert result.direction == "lower"
        assert result.verdict.word == "better"

    def test_a_failed_fit_leaves_a_gap(self) -> None:
        failed = {**TREE, "test_accuracy": np.array([0.9, np.nan, 1.0, 0.7])}
        assert [r["fold"] for r in records(failed, told=Told(measure="accuracy"))] == [0, 2, 3]
        with pytest.raises(EvidenceError, match="did every fit fail"):
            records({"test_score": np.array([np.nan])})

    def test_an_unknown_measure(self) -> None:
        said = "no scores in 'auc'; there are accuracy, f1: say measure='accuracy' or measure='f1'"
        with pytest.raises(UsageError, match=said):
            records(TREE, told=Told(measure="auc"))

    def test_something_else(self) -> None:
        with pytest.raises(EvidenceError, match="neither what cross_validate returns"):
            records({"a": [1, 2]})
        with pytest.raises(EvidenceError, match="a mapping or a frame"):
            records([1, 2])


class TestSearch:
    def test_candidates_are_models(self) -> None:
        found = records(SEARCH)
        assert [(r["model"], r["fold"], r["score"]) for r in found] == [
            ("C=1, kernel=rbf", 0, 0.5),
            ("C=None, kernel=rbf", 0, 0.6),
            ("C=1, kernel=rbf", 1, 0.7),
            ("C=None, kernel=rbf", 1, 0.8),
        ]

    def test_nameless_candidates(self) -> None:
        with pytest.raises(EvidenceError, match="no params"):
            records({k: v for k, v in SEARCH.items() if not k.startswith("param")})
        with pytest.raises(EvidenceError, match="same parameters"):
            records({**SEARCH, "params": [{"C": 1}, {"C": 1}]})

    def test_candidates_named_by_the_columns_of_their_parameters(self) -> None:
        found = records({k: v for k, v in SEARCH.items() if k != "params"})
        assert {one["model"] for one in found} == {"C=1", "C=None"}


class TestDumps:
    @pytest.mark.parametrize("form", ["csv", "csv without index", "json", "frame json"])
    @pytest.mark.parametrize("results", [TREE, SEARCH], ids=["cross_validate", "search"])
    def test_are_read_as_what_they_were(
        self, tmp_path: Path, form: str, results: dict[str, Any]
    ) -> None:
        frame = pd.DataFrame(results)
        path = tmp_path / ("tree.csv" if form.startswith("csv") else "tree.json")
        if form == "json":
            path.write_text(json.dumps(plain(results)))
        elif form == "frame json":
            frame.to_json(path)
        else:
            frame.to_csv(path, index=form == "csv")
        evidence = read(path)
        assert isinstance(evidence, Scores)
        assert evidence.unit == "fold"
        expected = Scores.from_records(records(results, model="tree"))
        assert evidence.models == expected.models
        for measure in expected.measures:
            assert (
                evidence.blocks(measure).values.tolist() == expected.blocks(measure).values.tolist()
            )

    def test_two_files_are_two_models(self, tmp_path: Path) -> None:
        for name, results in (("tree", TREE), ("bayes", BAYES)):
            pd.DataFrame(results).to_csv(tmp_path / f"{name}.csv")
        evidence = read(tmp_path / "tree.csv", tmp_path / "bayes.csv", measure="accuracy")
        assert isinstance(evidence, Scores)
        assert evidence.models == ("tree", "bayes")
        assert assay.compare(evidence).verdict.outcome.effect.value == pytest.approx(0.2)

    def test_models_inside_one_document(self, tmp_path: Path) -> None:
        path = tmp_path / "both.json"
        path.write_text(json.dumps({"tree": plain(TREE), "bayes": plain(BAYES)}))
        evidence = read(path, measure="accuracy", models=["bayes", "tree"])
        assert isinstance(evidence, Scores)
        assert evidence.models == ("bayes", "tree")

    def test_ragged_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "tree.csv"
        path.write_text("fit_time,score_time,test_score\n1,1,0.5\n1,1\n")
        with pytest.raises(EvidenceError, match=r"line 3 of .* has not as many cells"):
            read(path)

    def test_text_is_no_score(self, tmp_path: Path) -> None:
        path = tmp_path / "tree.csv"
        path.write_text("fit_time,score_time,test_score\n1,1,0.5\n1,1,good\n")
        with pytest.raises(EvidenceError, match="split 1 of 'tree' has the score 'good'"):
            read(path)

    def test_parameters_are_literals_only(self, tmp_path: Path) -> None:
        evil = tmp_path / "evil"
        text = f"__import__('pathlib').Path({str(evil)!r}).touch()"
        path = tmp_path / "grid.csv"
        frame = pd.DataFrame({**SEARCH, "params": [text, "{'C': 2}"]})
        frame.to_csv(path)
        evidence = read(path)
        assert isinstance(evidence, Scores)
        assert evidence.models == (text, "C=2")
        assert not evil.exists()


class TestRecords:
    """The ways in which pandas writes a frame of results."""

    ROWS: ClassVar = [
        {
            "mean_fit_time": 0.1,
            "param_depth": depth,
            "params": {"depth": depth},
            "split0_test_score": 0.5 + place / 10,
            "split1_test_score": 0.75 - place / 10,
            "rank_test_score": 1,
        }
        for place, depth in enumerate((1, None))
    ]

    def read(self, path: Path) -> Scores:
        found = read(path)
        assert isinstance(found, Scores)
        assert found.models == ("depth=1", "depth=None")
        return found

    def test_an_array_of_records(self, tmp_path: Path) -> None:
        path = tmp_path / "grid.json"
        path.write_text(json.dumps(self.ROWS))
        self.read(path)

    def test_a_record_a_line(self, tmp_path: Path) -> None:
        path = tmp_path / "grid.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in self.ROWS))
        self.read(path)

    def test_parquet(self, tmp_path: Path) -> None:
        path = tmp_path / "grid.parquet"
        pq.write_table(pa.Table.from_pylist(self.ROWS), path)
        self.read(path)

    def test_a_parquet_file_that_is_cut_off(self, tmp_path: Path) -> None:
        path = tmp_path / "grid.parquet"
        pq.write_table(pa.Table.from_pylist(self.ROWS), path)
        whole = path.read_bytes()
        path.write_bytes(whole[:200] + whole[-600:])
        with pytest.raises(EvidenceError, match=r"grid\.parquet"):
            read(path)


@pytest.mark.parametrize("held", [0.5, None, [], np.array(0.5), [object()]])
def test_what_stands_for_fitted_estimators(held: Any) -> None:
    """Names of models would be words."""
    results = {"fit_time": [1.0, 2.0], "score_time": [1.0, 2.0], "test_score": [0.5, 0.6]}
    assert is_dump({**results, "estimator": held})
    assert not is_dump({**results, "estimator": ["svm", "tree"]})
