"""A finished study as evidence: the unit follows from the design, and what is missing is named."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.store.study_scores import gap_words, gaps
from assay.study.spec import Study
from tests.study.finished import one_dataset, several_datasets, toy


class TestUnit:
    def test_many_data_sets_are_the_unit_and_splits_are_averaged(self) -> None:
        result = several_datasets()
        scores = assay.read(result, measure="accuracy")
        assert isinstance(scores, Scores)
        assert (scores.unit, scores.n) == ("dataset", 8)
        table = result.scores("accuracy").by_dataset()
        assert scores.models == ("tree", "nb", "knn")
        assert np.allclose(scores.blocks("accuracy").values, table.values[:, :3])
        found = assay.compare(result, measure="accuracy", rng=1)
        assert found.choice.method == "wilcoxon_pairs"
        assert "study several" in found.evidence.sources[0]

    def test_splits_of_one_data_set_use_the_sizes_recorded(self) -> None:
        result = one_dataset()
        found = assay.compare(result, measure="accuracy", rng=1)
        assert found.evidence.unit == "fold"
        a, b = (result.scores("accuracy").by_fold().values[:, place] for place in range(2))
        plain = [
            one for one in result.records() if one["train_size"] is None and not one["noise_on"]
        ]
        sizes = [(one["n_test"], one["n_train"]) for one in plain[:5]]
        n_test, n_train = np.array(sizes, dtype=float).T
        direct = assay.corrected_resampled_t(a, b, n_test=n_test, n_train=n_train)
        assert found.verdict.outcome.p_value == direct.p_value
        assert len(set(n_train.tolist())) == 2  # unequal parts, so that the sizes matter

    def test_one_of_several_data_sets_and_its_items(self) -> None:
        result = several_datasets()
        one = assay.read(result, task="toy 3", measure="mcc")
        assert isinstance(one, Scores)
        assert (one.unit, one.n) == ("fold", 3)
        two = assay.read(result, task=["toy 3", "toy 4"])
        assert isinstance(two, Scores)
        assert two.unit == "dataset"
        items = assay.read(result, task="toy 3", unit="item", models=["nb", "knn"])
        assert isinstance(items, Predictions)
        assert items.n == 60

    def test_what_cannot_be_is_refused(self) -> None:
        result = several_datasets()
        with pytest.raises(
            EvidenceError, match=r"open it first: assay\.Store\.open\('.*study\.db'\)"
        ):
            assay.compare(result.store.location)
        with pytest.raises(UsageError, match=r"folds are of one data set: choose one with task="):
            assay.read(result, unit="fold")
        with pytest.raises(UsageError, match="the study has no data set 'x'; it has toy 0, toy 1"):
            assay.read(result, task="x")
        with pytest.raises(UsageError, match="not by seed"):
            assay.read(result, unit="seed")

    def test_a_column_of_that_name_is_a_column(self) -> None:
        import pandas as pd

        truth = ["a", "b"] * 10
        frame = pd.DataFrame({"truth": truth, "as_evidence": truth})
        assert assay.evaluate(frame, truth="truth", rng=1).estimates[0].value == 1.0

    def test_one_split_of_one_data_set_points_at_its_items(self, tmp_path: object) -> None:
        study = Study(
            learners={"nb": GaussianNB(), "most": DummyClassifier()}, datasets={"toy": toy(1)},
            resampling="holdout", measures=["accuracy"],
        )  # fmt: skip
        result = study.run(f"{tmp_path}/s.db", workers=1, progress=False)
        with pytest.raises(EvidenceError, match=r"one split of toy, .*unit='item'"):
            assay.compare(result)
        assert assay.compare(result, unit="item", rng=1).evidence.n == 20
        report = assay.study_report(result, rng=1)
        assert report.comparisons[0].evidence.unit == "item"


class TestGaps:
    def test_a_learner_that_failed_is_named_with_the_reason(self) -> None:
        found = assay.compare(several_datasets(), measure="accuracy", rng=1)
        (told,) = [one for one in found.notes if one.code == "study-gaps"]
        assert (
            "bad on toy 0, toy 1, toy 2 and 5 more (24 tasks, failed: ValueError: this"
            in told.message
        )
        assert "study-gaps" in {one.code for one in assay.evaluate(several_datasets()).notes}

    def test_one_learner_has_run(self, tmp_path: object) -> None:
        study = Study(
            learners={"nb": GaussianNB(), "most": DummyClassifier()},
            datasets={f"toy {place}": toy(place) for place in range(2)},
            resampling={"scheme": "cv", "folds": 2},
            measures=["accuracy"],
        )
        study.run(f"{tmp_path}/one.db", workers=1, progress=False, only=["toy 0/nb"])
        with (
            assay.Store.open(f"{tmp_path}/one.db") as opened,
            pytest.raises(
                UsageError, match=r"only nb can be compared\. .*most on.*assay run goes on"
            ),
        ):
            assay.compare(opened)

    def test_a_learner_without_some_splits_has_no_score_there(self, tmp_path: object) -> None:
        study = Study(
            learners={"nb": GaussianNB(), "most": DummyClassifier()},
            datasets={f"toy {place}": toy(place) for place in range(7)},
            resampling={"scheme": "cv", "folds": 2},
            measures=["accuracy"],
        )
        store = f"{tmp_path}/s.db"
        study.run(store, workers=1, progress=False, only=["nb", "toy [0-5]/most"])
        with assay.Store.open(store) as opened:
            with pytest.raises(EvidenceError, match=r"most on toy 6.*\(2 tasks, not run yet\)"):
                assay.compare(opened)
            kept = assay.compare(opened, missing="complete", rng=1)
            codes = {one.code: one.message for one in kept.notes}
            assert "1 of 7 data sets has a gap, left out" in codes["missing-cells"]
            assert "not run yet" in codes["study-gaps"]
            (gap,) = gaps(opened, "study", ["accuracy"])
            assert (gap.learner, gap.tasks, gap.datasets) == ("most", 2, ("toy 6",))
            assert gap_words([gap]) == (
                "most on toy 6 (2 tasks, not run yet). The same assay run goes on"
            )
            looked = " ".join(str(assay.look(opened)).split())  # however long the path is
            assert "Scores of the study are missing: most on toy 6" in looked
            report = assay.study_report(assay.read_study(store))
            assert report.comparisons == ()
            assert report.refused[0][0] == "accuracy"
            assert report.sentence.startswith("No comparison by accuracy: 1 score is missing")

    def test_an_infinite_loss_is_a_gap(self) -> None:
        result = one_dataset()
        values = result.scores("log_loss").by_fold().values
        assert np.isinf(values[:, 1]).any()
        reasons = {one.reason for one in gaps(result.store, "one", ["log_loss"])}
        assert reasons == {"log_loss is infinite"}

    def test_a_store_of_several_studies_asks_which(self, tmp_path: object) -> None:
        store = f"{tmp_path}/s.db"
        for name in ("a", "b"):
            Study(
                name=name, learners={"nb": GaussianNB()}, datasets={"toy": toy(1)},
                resampling={"scheme": "cv", "folds": 2}, measures=["accuracy"],
            ).run(store, workers=1, progress=False)  # fmt: skip
        with pytest.raises(UsageError, match="holds 2 studies"):
            assay.read_study(store)
        assert assay.read_study(store, "b").name == "b"
        with pytest.raises(EvidenceError, match="there is no store"):
            assay.read_study(f"{tmp_path}/none.db")
