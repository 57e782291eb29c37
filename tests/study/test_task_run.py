"""One task from beginning to end, without any engine."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from assay.store.record_types import PlanEntry, Record, unpack
from assay.study.datasets import made, resolve
from assay.study.learners import Learner
from assay.study.spec import Study
from assay.study.splits import make_splits
from assay.study.task_run import Workshop
from assay.study.tuning import Tuning
from tests.study.estimators import Leaves, Raises, SaysNaN


def study(**changes: Any) -> Study:
    facts: dict[str, Any] = {
        "learners": {"tree": DecisionTreeClassifier()},
        "datasets": ["wine"],
        "measures": ["accuracy", "log_loss"],
        "resampling": {"scheme": "cv", "folds": 3},
        "seed": 7,
    }
    return Study(**{**facts, **changes})


def workshop(one: Study) -> Workshop:
    parts = {f"data-{name}": pickle.dumps(data) for name, data in one.datasets.items()}
    return Workshop({"study": pickle.dumps(one.workload()), **parts}.__getitem__)


def performed(one: Study, place: int = 0, **changes: Any) -> Record:
    entry: PlanEntry = one.plan().entries[place]
    return workshop(one).perform(entry._replace(**changes))


class TestPerform:
    def test_a_record_holds_everything(self) -> None:
        one = study()
        found = performed(one)
        assert found.status == "ok", found.error
        assert found.n_train is not None
        assert found.n_test is not None
        assert found.n_train + found.n_test == 178
        assert found.train_scores["accuracy"] == 1.0
        assert found.times is not None
        assert found.times.fit_cpu > 0
        assert list(found.complexity) == ["leaves", "depth"]
        assert found.arrays is not None
        arrays = unpack(found.arrays)
        _, test = make_splits(one.datasets["wine"], one.resampling, 7)[0, 0]
        assert (arrays["rows"] == test).all()
        assert arrays["probabilities"].shape == (found.n_test, 3)

    def test_twice_is_the_same_to_the_bit(self) -> None:
        one = study(learners={"net": MLPClassifier((5,), max_iter=2)})
        first, second = performed(one), performed(one)
        assert first.arrays == second.arrays
        assert first.scores == second.scores
        assert any("ConvergenceWarning" in words for words in first.warnings)

    def test_every_learner_sees_the_same_split_and_seed(self) -> None:
        one = study(learners={"tree": DecisionTreeClassifier(), "nb": GaussianNB()})
        tree, nb = performed(one, 0), performed(one, 3)
        assert tree.arrays is not None
        assert nb.arrays is not None
        assert (unpack(tree.arrays)["rows"] == unpack(nb.arrays)["rows"]).all()
        assert tree.seed == nb.seed
        assert performed(one, 1).seed != tree.seed

    def test_smaller_training_sets(self) -> None:
        assert performed(study(), train_size=40).n_train == 40
        too_many = performed(study(), train_size=400)
        assert too_many.status == "failed"
        assert "400 training rows were asked for" in (too_many.error or "")

    def test_errors_are_records_with_a_traceback(self) -> None:
        learners = {"bad": Raises(), "nan": SaysNaN(), "leaves": Leaves()}
        one = study(learners=learners, measures=["accuracy"])
        assert "SystemExit: 0" in (performed(one, 6).error or "")
        bad = performed(one)
        assert bad.status == "failed"
        assert (bad.error or "").endswith("ValueError: this learner always raises\n")
        assert (bad.dataset, bad.scores) == (one.datasets["wine"].fingerprint, {})
        assert "NaN or infinite" in (performed(one, 3).error or "")

    def test_groups_reach_the_inner_search(self) -> None:
        wine = resolve("wine")
        groups = np.random.default_rng(1).integers(12, size=wine.n)
        data = made("grouped", wine.X, wine.y, source="memory", groups=groups)
        tree = Learner(DecisionTreeClassifier(), tuning=Tuning(grid={"max_depth": [1, 4]}))
        found = performed(study(learners={"tree": tree}, datasets=[data]))
        assert found.status == "ok", found.error
        assert found.tuned is not None
        assert found.tuned.params == {"max_depth": 4}
        assert found.tuned.measure == "accuracy"

    @pytest.mark.parametrize("balance", ["over", "under"])
    def test_balance_touches_the_training_part_only(self, balance: str) -> None:
        rng = np.random.default_rng(2)
        y = np.array(["rare"] * 30 + ["common"] * 270, dtype=object)
        X = rng.normal(size=(300, 2)) + (y == "rare")[:, None]
        data = made("uneven", X, y, source="memory")
        linear = {"linear": LogisticRegression()}
        measures = ["recall[rare]"]
        facts: dict[str, Any] = {"learners": linear, "datasets": [data], "measures": measures}
        plain = performed(study(**facts))
        even = performed(study(**facts, resampling={"folds": 3, "balance": balance}))
        assert plain.n_test == even.n_test == 100
        assert plain.n_train == even.n_train == 200
        assert (even.scores["recall[rare]"] or 0) > (plain.scores["recall[rare]"] or 0) + 0.2

    def test_mixed_columns_from_the_suite(self) -> None:
        found = performed(study(datasets=["penguins"]))
        assert found.status == "ok", found.error
        assert (found.scores["accuracy"] or 0) > 0.9
