"""Facts that were once decided without a word: each is asked about or read rightly, and what is said to type works."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import assay
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.questions import AmbiguousEvidence, Question

N = 200


def drawn() -> np.random.Generator:
    return np.random.default_rng(7)


def flipped(truth: Any, rate: float, draw: np.random.Generator) -> Any:
    return np.where(draw.random(len(truth)) < rate, 1 - truth, truth)


def open_question(source: Any, **options: Any) -> Question:
    with pytest.raises(AmbiguousEvidence) as raised:
        assay.compare(source, **options)
    return raised.value.questions[0]


def written(path: Path, frame: pd.DataFrame, **options: Any) -> Path:
    frame.to_csv(path, index=False, **options)
    return path


class TestDates:
    def test_data_may_be_the_word_for_date(self, tmp_path: Path) -> None:
        """In Portuguese data is the date and real what happened: no data sets, no third model."""
        draw = drawn()
        real = draw.normal(100, 5, 60).round(2)
        days = pd.date_range("2023-01-01", periods=60).strftime("%d/%m/%Y")
        forecasts = {f"prev_{n}": real + draw.normal(0, sd, 60) for n, sd in (("a", 1), ("b", 4))}
        frame = pd.DataFrame({"data": days, "real": real, **forecasts})
        found = assay.compare(written(tmp_path / "br.csv", frame, sep=";", decimal=","))
        assert (found.evidence.n, found.measure) == (60, "mse")
        assert {found.verdict.a, found.verdict.b} == {"prev_a", "prev_b"}


class TestTruths:
    def test_obs_that_comes_again_is_what_was_observed(self) -> None:
        draw = drawn()
        truth = draw.integers(0, 2, N)
        table = {"obs": truth, "rf": flipped(truth, 0.1, draw), "glm": flipped(truth, 0.4, draw)}
        assert assay.compare(pd.DataFrame(table)).verdict.word == "better"
        numbered = {"obs": range(N), "y": truth, "rf": table["rf"], "glm": table["glm"]}
        assert assay.compare(pd.DataFrame(numbered)).verdict.word == "better"

    def test_a_column_with_the_models_classes_is_offered_whatever_its_name(self) -> None:
        draw = drawn()
        truth = draw.integers(0, 2, N)
        words = np.array(["benign", "malign"])
        table = {
            "answer": words[truth],
            "rf": words[flipped(truth, 0.1, draw)],
            "svm": words[flipped(truth, 0.3, draw)],
        }
        offered = [one.arguments["truth"] for one in open_question(pd.DataFrame(table)).answers]
        assert offered[0] == "answer"
        assert assay.compare(pd.DataFrame(table), truth="answer").verdict.word == "better"

    @pytest.mark.parametrize("called", ["class", "target", "gold"])
    def test_a_name_is_no_proof(self, called: str) -> None:
        """A class of cabins has no class of what the models answer; the column that has them is offered."""
        draw = drawn()
        survived = draw.integers(0, 2, N)
        models = {"rf": flipped(survived, 0.1, draw), "svm": flipped(survived, 0.3, draw)}
        cabin = draw.choice(["1st", "2nd", "3rd"], N)
        table = pd.DataFrame({called: cabin, "survived": survived, **models})
        first, *_, last = open_question(table).answers
        assert (first.arguments, last.arguments) == ({"truth": "survived"}, {"truth": called})
        assert assay.compare(table, truth="survived").verdict.word == "better"

    def test_whole_prices_are_values_and_a_price_is_offered_as_the_truth(self) -> None:
        draw = drawn()
        price = draw.integers(90_000, 900_000, 80)
        table = {
            "house_id": range(80),
            "price": price,
            "ridge": price + draw.integers(-9_000, 9_000, 80),
            "gbm": price + draw.integers(-4_000, 4_000, 80),
        }
        question = open_question(pd.DataFrame(table))
        assert any(one.arguments.get("truth") == "price" for one in question.answers)
        assert assay.compare(pd.DataFrame(table), truth="price").measure == "mse"

    def test_the_one_column_left_is_the_answer_though_it_is_called_output(
        self, tmp_path: Path
    ) -> None:
        draw = drawn()
        expected = draw.choice(list("ABCD"), N)
        for name, rate in (("old", 0.4), ("new", 0.1)):
            output = np.where(draw.random(N) < rate, draw.choice(list("ABCD"), N), expected)
            frame = pd.DataFrame({"idx": range(N), "expected": expected, "output": output})
            written(tmp_path / f"{name}.csv", frame)
        found = assay.compare(tmp_path / "new.csv", tmp_path / "old.csv")
        assert (found.verdict.a, found.verdict.word) == ("new", "better")

    def test_a_truth_of_one_column_may_be_a_matrix(self) -> None:
        truth = drawn().integers(0, 2, N)
        found = assay.compare(truth[:, None], {"a": truth, "b": 1 - truth})
        assert found.estimates[0].value == 1.0


class TestScores:
    def distances(self) -> dict[str, Any]:
        draw = drawn()
        same = draw.integers(0, 2, N)
        near = {"arc_dist": 2 - same + draw.normal(0, 0.2, N)}
        return {"same": same, **near, "face_dist": 2 - same + draw.normal(0, 1, N)}

    def test_turned_scores_are_asked_about_though_the_models_were_told(self) -> None:
        told: dict[str, Any] = {"truth": "same", "models": ["arc_dist", "face_dist"]}
        question = open_question(self.distances(), **told)
        assert question.code == "positive"
        found = assay.compare(self.distances(), **told, positive=0)
        assert (found.verdict.a, found.verdict.word) == ("arc_dist", "better")

    def test_whoever_tells_that_high_scores_count_is_believed(self) -> None:
        """To name models and class answers two other questions."""
        told: dict[str, Any] = {"truth": "same", "models": ["arc_dist", "face_dist"], "positive": 1}
        with pytest.raises(AmbiguousEvidence, match="Do low scores indicate"):
            assay.compare(self.distances(), **told)
        assert (
            assay.compare(self.distances(), **told, lower_is_better=False).verdict.word == "worse"
        )

    def test_minus_one_may_be_what_is_looked_for(self) -> None:
        draw = drawn()
        truth = draw.integers(0, 2, N)
        table = {"label": truth, "a": flipped(truth, 0.1, draw), "b": flipped(truth, 0.2, draw)}
        signs = {name: 2 * of - 1 for name, of in table.items()}
        assert open_question(signs, measure="recall").code == "positive"
        scores = {"y": signs["label"], "a": truth + draw.normal(0, 1, N), "b": draw.random(N)}
        assert assay.compare(scores).measure == "roc_auc"


class TestAbstentions:
    def table(self) -> pd.DataFrame:
        draw = drawn()
        truth = draw.integers(0, 2, N)
        silent = np.where(draw.random(N) < 0.2, -1, truth)
        return pd.DataFrame({"truth": truth, "netA": silent, "netB": flipped(truth, 0.1, draw)})

    def test_minus_one_beside_classes_is_asked_about(self) -> None:
        question = open_question(self.table())
        offered = [one.arguments["missing"] for one in question.answers]
        assert offered == ["wrong", "complete"]

    def test_what_it_says_to_type_works(self) -> None:
        wrong = assay.compare(self.table(), missing="wrong")
        kept = assay.compare(self.table(), missing="complete")
        assert (wrong.verdict.word, kept.verdict.word) == ("worse", "better")


class TestColumnOfModels:
    @pytest.mark.parametrize("name", ["engine", "detector", "variable", "treatment", "thing"])
    def test_of_items_and_of_data_sets(self, name: str) -> None:
        draw = drawn()
        long = pd.DataFrame(
            {
                "item": [*range(60)] * 2,
                name: ["new"] * 60 + ["old"] * 60,
                "correct": [
                    *flipped(np.ones(60, int), 0.1, draw),
                    *flipped(np.ones(60, int), 0.5, draw),
                ],
            }
        )
        options = [one.arguments for one in open_question(long).answers]
        assert {"models": [name]} in options
        assert assay.compare(long, models=name).verdict.a == "new"
        scores = long.rename(columns={"item": "dataset", "correct": "accuracy"})
        options = [one.arguments for one in open_question(scores).answers]
        assert options == [{"models": [name]}]
        assert assay.compare(scores, models=name).evidence.unit == "dataset"


class TestCrossed:
    def table(self) -> pd.DataFrame:
        draw = drawn()
        y = draw.integers(0, 2, 180)
        models = {"a": flipped(y, 0.1, draw), "b": flipped(y, 0.3, draw)}
        units = {"item": np.repeat(range(30), 6), "user": np.tile(range(6), 30)}
        return pd.DataFrame({**units, "y": y, **models})

    @pytest.mark.parametrize("cluster", ["item", "user"])
    def test_either_way_is_answered_with_a_word(self, cluster: str) -> None:
        found = assay.compare(self.table(), cluster=cluster)
        assert "crossed-clusters" in [note.code for note in found.notes]

    def test_ids_within_clusters_need_none(self) -> None:
        table = self.table().assign(item=lambda of: of.index // 2, user=lambda of: of.index // 10)
        found = assay.compare(table, cluster="user")
        assert "crossed-clusters" not in [note.code for note in found.notes]

    def rated(self) -> pd.DataFrame:
        draw = drawn()
        gain = {"L1": 1.5, "L2": -0.8, "L3": 0.2}
        rows = [
            (u, who, system, 3 + (system == "new") * more + draw.normal(0, 0.3))
            for u in range(40) for who, more in gain.items() for system in ("new", "old")
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["utterance", "listener", "system", "MOS"])

    def test_raters_are_not_pooled_without_a_word(self) -> None:
        these, any_like = open_question(self.rated()).answers[1:3]
        found = assay.compare(self.rated(), **these.arguments)
        assert "raters-pooled" in [note.code for note in found.notes]
        assert found.verdict.word == "better"
        assert assay.compare(self.rated(), **any_like.arguments).verdict.word == "undecided"


class TestTables:
    def test_things_on_different_scales_are_no_models_on_data_sets(self) -> None:
        draw = drawn()
        cars = {"model": [f"car {i}" for i in range(20)], "mpg": draw.normal(20, 3, 20)}
        cars |= {"hp": draw.normal(150, 30, 20), "wt": draw.normal(3, 0.5, 20)}
        assert open_question(pd.DataFrame(cars)).code == "spread"

    def test_measures_are_no_data_sets(self) -> None:
        table = {"Model": ["a", "b", "c"], "Accuracy": [0.9, 0.8, 0.7], "Recall": [0.8, 0.7, 0.9]}
        with pytest.raises(NotApplicable, match="columns of the data are measures"):
            assay.compare(pd.DataFrame(table), models_in_rows=True)

    def test_a_standard_deviation_at_the_foot_is_no_data_set(self) -> None:
        draw = drawn()
        names = [*(f"set{i}" for i in range(12)), "Moyenne", "Écart-type"]
        base = draw.uniform(0.6, 0.9, 12)
        columns = {
            name: [*of, of.mean(), of.std(ddof=1)]
            for name, of in (("arbre", base), ("forêt", base + draw.uniform(0.01, 0.05, 12)))
        }
        found = assay.compare(pd.DataFrame({"dataset": names, **columns}), measure="accuracy")
        assert found.evidence.n == 12

    @pytest.mark.parametrize("percent", ["A", "A_acc"])
    def test_per_cent_by_the_model_or_by_the_column(self, percent: str) -> None:
        draw = drawn()
        share = draw.uniform(0.7, 0.9, 12)
        sets = {"dataset": [f"d{i}" for i in range(12)]}
        table = pd.DataFrame({**sets, "A_acc": 100 * share, "B_acc": share - 0.02})
        assert open_question(table).code == "scale"
        found = assay.compare(table, percent=percent)
        assert found.verdict.outcome.effect.value == pytest.approx(0.02)

    def test_a_counter_before_the_folds_is_no_model(self) -> None:
        draw = drawn()
        table = {"Faltung": range(1, 11), "Wald": draw.random(10), "Baum": draw.random(10)}
        found = assay.compare(pd.DataFrame(table), unit="fold", lower_is_better=True)
        assert {found.verdict.a, found.verdict.b} == {"Wald", "Baum"}

    def test_resamples_as_caret_writes_them(self) -> None:
        draw = drawn()
        folds = {"Resample": [f"Fold{i:02}" for i in range(10)]}
        names = ("rf~Accuracy", "rf~Kappa", "svm~Accuracy", "svm~Kappa")
        table = pd.DataFrame({**folds, **{name: draw.random(10) for name in names}})
        assert open_question(table).code == "measure"
        assert assay.compare(table, measure="Accuracy").evidence.models == ("rf", "svm")

    def test_windows_of_a_file_do_not_overlap(self, tmp_path: Path) -> None:
        """Ids of a Parquet file that are all different were said to come again."""
        pytest.importorskip("pyarrow")
        draw = drawn()
        for n in (600, 650, 799):
            truth = draw.integers(0, 2, n)
            models = {"a": flipped(truth, 0.1, draw), "b": flipped(truth, 0.3, draw)}
            frame = pd.DataFrame({"id": range(n), "y_true": truth, **models})
            frame.to_parquet(tmp_path / "p.parquet")
            assert assay.compare(tmp_path / "p.parquet").evidence.n == n

    def test_bootstrap_samples_are_no_units(self) -> None:
        draw = drawn()
        table = {"bootstrap": range(50), "cox": draw.random(50), "rsf": draw.random(50)}
        with pytest.raises(EvidenceError, match="bootstrap samples"):
            assay.compare(pd.DataFrame(table), unit="item", lower_is_better=False)


class TestSeveralFiles:
    def test_ids_by_the_end_of_their_name_and_never_by_position(self, tmp_path: Path) -> None:
        draw = drawn()
        label = draw.integers(0, 2, N)
        keys = [f"img{i}" for i in range(N)]
        solution = pd.DataFrame({"ImageId": keys, "Label": label})
        good = solution.assign(Label=flipped(label, 0.05, draw))
        poor = solution.assign(Label=flipped(label, 0.3, draw))[::-1]
        paths = [
            written(tmp_path / f"{name}.csv", frame)
            for name, frame in (("solution", solution), ("good", good), ("poor", poor))
        ]
        assert assay.compare(*paths).verdict.word == "better"
        with pytest.raises(UsageError, match="the same in all files but in a different order"):
            assay.compare(*paths, id=False)


class TestObjects:
    def test_a_report_is_refused_in_every_form(self) -> None:
        metrics = pytest.importorskip("sklearn.metrics")
        truth = drawn().integers(0, 2, N)
        report = metrics.classification_report(truth, truth, output_dict=True)
        for source in (report, {"a": report}, metrics.classification_report(truth, truth)):
            with pytest.raises(NotApplicable, match=r"compare\(truth"):
                assay.compare(source)

    def test_a_confusion_matrix_is_told_where_to_go(self) -> None:
        matrix = np.array([[90, 10], [20, 80]])
        with pytest.raises(NotApplicable, match="from_confusion"):
            assay.evaluate(matrix)
        found = assay.evaluate(assay.Predictions.from_confusion(matrix))
        assert found.estimates[0].value == pytest.approx(0.85)

    def test_counts_of_right_and_wrong_items(self) -> None:
        draw = drawn()
        a, b = draw.random(N) < 0.9, draw.random(N) < 0.7
        with pytest.raises(NotApplicable) as raised:
            assay.compare(pd.crosstab(a, b))
        said = (int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum()), int((~a & ~b).sum()))
        assert f"assay.mcnemar{said}" in str(raised.value)
        with pytest.raises(NotApplicable, match=r"newcombe\(20, 200, 50, 200\)"):
            assay.compare({"a": (180, 200), "b": (150, 200)})

    def test_folds_of_other_numbers_are_not_paired(self) -> None:
        draw = drawn()
        results = {
            name: {"fit_time": [0.1] * k, "score_time": [0.1] * k, "test_score": draw.random(k)}
            for name, k in (("lr", 10), ("tree", 5))
        }
        with pytest.raises(EvidenceError, match="different splits"):
            assay.compare(results)

    def test_a_function_of_ones_own_takes_numbers(self) -> None:
        draw = drawn()
        y = draw.normal(size=N)

        def middle(truth: Any, predicted: Any) -> float:
            return float(np.median(np.abs(truth - predicted)))

        models = {"a": y + draw.normal(0, 0.1, N), "b": y + draw.normal(0, 1, N)}
        found = assay.compare(y, models, measure=middle, lower_is_better=True, n_resamples=199)
        assert found.verdict.word == "better"

    def test_one_model_is_said_beside_what_was_left_out(self) -> None:
        draw = drawn()
        truth = draw.choice(list("ABCD"), N)
        table = {"truth": truth, "modelA": [f"is {one}" for one in truth], "modelB": truth}
        with pytest.raises(
            UsageError, match=r"one model \(modelB\).*Not read as a model: 'modelA'"
        ):
            assay.compare(pd.DataFrame(table))
