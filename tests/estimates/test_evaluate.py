"""`assay.evaluate`: measures of models with intervals, caveats and curves."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import assay
from assay.core.errors import AssayError, NotApplicable, UsageError
from assay.core.wire import from_json, to_json
from assay.estimates.default_intervals import estimate
from assay.estimates.evaluate import evaluate
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.measures.registry import find_measure

RNG = np.random.default_rng(3)
N = 90
TRUTH = (RNG.random(N) < 0.4).astype(int)
SCORE = np.clip(0.3 + 0.4 * TRUTH + RNG.normal(0, 0.2, N), 0.01, 0.99)
LABELS = (SCORE > 0.5).astype(int)
OTHER = np.where(RNG.random(N) < 0.3, 1 - TRUTH, TRUTH)


def both() -> dict[str, Any]:
    return {"truth": TRUTH, "a": LABELS, "b": OTHER}


class TestEvaluate:
    def test_every_measure_of_every_model(self) -> None:
        found = evaluate(both(), truth="truth", measures=("accuracy", "f1", "mcc"), rng=4)
        asked = [(one.measure, one.model) for one in found.estimates]
        assert asked == [(m, who) for m in ("accuracy", "f1", "mcc") for who in ("a", "b")]
        assert all(one.interval is not None for one in found.estimates)
        assert (found.level, found.seed, found.evidence.n) == (0.95, 4, N)
        assert from_json(to_json(found)) == found

    def test_is_what_estimate_gives(self) -> None:
        given = read(both(), truth="truth")
        assert isinstance(given, Predictions)
        found = evaluate(given, measures="mcc", level=0.9, n_resamples=499, rng=7)
        assert found.estimates[1] == estimate(given, "mcc", "b", level=0.9, n_resamples=499, rng=7)

    def test_same_seed_same_result_whatever_the_order_of_rows(self) -> None:
        order = RNG.permutation(N)
        shuffled = {name: np.asarray(values)[order] for name, values in both().items()}
        one, other = (
            evaluate(given, truth="truth", measures=("f2", "mcc"), rng=1)
            for given in (both(), shuffled)
        )
        assert one.estimates == other.estimates

    def test_names_measures_and_functions(self) -> None:
        def agreement(truth: Any, prediction: Any) -> float:
            return float(np.mean(truth == prediction))

        found = evaluate(
            both(),
            truth="truth",
            measures=["accuracy", find_measure("kappa"), agreement],
            n_resamples=99,
            rng=1,
            level=0.9,
        )
        assert [one.measure for one in found.estimates[::2]] == ["accuracy", "kappa", "agreement"]
        assert found.estimates[0].value == found.estimates[4].value

    def test_none_takes_what_fits(self) -> None:
        kinds: list[tuple[dict[str, Any], str]] = [
            (both(), "accuracy"),
            ({"truth": TRUTH, "a:score": SCORE * 9}, "roc_auc"),
            ({"truth": SCORE, "a:value": SCORE + 0.1}, "mse"),
        ]
        for columns, expected in kinds:
            found = evaluate(columns, truth="truth", measures=None, rng=1)
            assert found.estimates[0].measure == expected

    def test_without_measures_what_fits_is_taken(self) -> None:
        truth = [0, 1] * 20
        scores = [0.2, 0.9, 0.4, 0.3] * 10
        for one, measure in ((truth, "accuracy"), (scores, "roc_auc")):
            assert {e.measure for e in evaluate(truth, one).estimates} == {measure}

    def test_reads_files_with_their_options(self, tmp_path: Path) -> None:
        path = tmp_path / "predictions.csv"
        rows = "\n".join(
            f"{t},{p},{c}" for t, p, c in zip(TRUTH, LABELS, np.arange(N) // 3, strict=True)
        )
        path.write_text(f"y,tree,patient\n{rows}\n")
        found = evaluate(path, truth="y", cluster="patient")
        assert found.estimates[0].method == "cluster_mean"
        assert found.evidence.clusters == 30

    def test_models_on_different_items(self) -> None:
        parts = read(
            {"truth": TRUTH, "a": LABELS},
            {"truth": TRUTH[:50], "b": OTHER[:50]},
            truth="truth",
            paired=False,
        )
        found = evaluate(parts, measures="accuracy")
        assert [(one.model, one.n) for one in found.estimates] == [("a", N), ("b", 50)]

    def test_accuracy_of_a_rare_class_misleads(self) -> None:
        truth = np.r_[np.zeros(990, int), np.ones(10, int)]
        found = evaluate({"truth": truth, "a": 0 * truth}, truth="truth")
        assert found.estimates[0].value == 0.99
        assert "accuracy-misleads" in {one.code for one in found.estimates[0].notes}

    def test_a_truth_of_one_class_is_said_instead_of_a_misleading_accuracy(self) -> None:
        data = {"y": [1] * 50, "a": [1] * 45 + [0] * 5, "b": [1] * 40 + [0] * 10}
        notes = [one.notes for one in evaluate(data, truth="y").estimates]
        codes = [{note.code for note in own} - {"small-counts"} for own in notes]
        assert codes == [{"one-class"}, {"one-class"}]

    def test_a_reversed_ranking_is_noted(self) -> None:
        found = evaluate({"truth": TRUTH, "a:score": -SCORE}, truth="truth", measures="roc_auc")
        assert "auc-reversed" in {one.code for one in found.estimates[0].notes}


class TestCurves:
    def test_scores_bring_a_curve_with_a_band(self) -> None:
        found = evaluate({"truth": TRUTH, "a:score": SCORE}, truth="truth", measures="roc_auc")
        curve = found.curves[0]
        assert curve.model == "a"
        assert [name for name, _ in curve.columns] == ["fpr", "tpr", "low", "high"]
        assert dict(curve.details)["auc"] == found.estimates[0].value

    def test_clusters_have_no_band_and_weights_no_curve(self) -> None:
        columns = {"truth": TRUTH, "a:score": SCORE, "extra": np.arange(N) // 3 + 1}
        curve = evaluate(columns, truth="truth", cluster="extra", measures="roc_auc").curves[0]
        assert [name for name, _ in curve.columns] == ["fpr", "tpr"]
        assert evaluate(columns, truth="truth", weight="extra", measures="roc_auc").curves == ()

    def test_labels_and_one_class_bring_none(self) -> None:
        assert evaluate(both(), truth="truth").curves == ()
        alone = {"truth": 0 * TRUTH, "a:score": SCORE}
        assert evaluate(alone, truth="truth", positive="1", measures="roc_auc").curves == ()


class TestRefusals:
    def test_a_measure_that_needs_other_evidence(self) -> None:
        with pytest.raises(NotApplicable, match=r"f1 needs predicted labels, but .*threshold"):
            evaluate({"truth": TRUTH, "a:score": SCORE}, truth="truth", measures="f1")

    def test_a_two_class_measure_of_three_classes_names_another(self) -> None:
        three = {"truth": np.arange(30) % 3, "a": np.arange(30) % 3}
        with pytest.raises(NotApplicable, match="use f1_macro"):
            evaluate(three, truth="truth", measures="f1")

    def test_models_that_share_no_kind_of_prediction(self) -> None:
        mixed = {"truth": TRUTH, "a:score": SCORE, "b:label": TRUTH}
        match = r"no measure .*\(probabilities and scores of 'a'; labels of 'b'\).*threshold=0.5"
        with pytest.raises(UsageError, match=match):
            evaluate(mixed, truth="truth", measures=None)

    def test_no_measure_or_an_unknown_one(self) -> None:
        with pytest.raises(UsageError, match="at least one measure"):
            evaluate(both(), truth="truth", measures=())
        with pytest.raises(UsageError, match="did you mean"):
            evaluate(both(), truth="truth", measures="acuracy")

    def test_all_errors_are_ours(self) -> None:
        with pytest.raises(AssayError, match="between 0 and 1"):
            evaluate(both(), truth="truth", level=0)


TABLE: dict[str, Any] = {
    "dataset": list("pqrs"), "model": ["m"] * 4,
    "accuracy": [0.95, 1.0, 0.99, 1.0], "precision": [0.1, 0.2, 0.3, 0.5],
}  # fmt: skip


class TestScoresAsked:
    @pytest.mark.parametrize("asked", ["accuracy", ["accuracy"], ("accuracy",)])
    def test_only_what_was_asked(self, asked: Any) -> None:
        assert [e.measure for e in evaluate(TABLE, measures=asked).estimates] == ["accuracy"]

    def test_a_measure_names_scores_that_have_none(self) -> None:
        data = {"dataset": ["s", "t", "u"], "a": [0.7, 0.8, 0.9], "b": [0.6, 0.7, 0.7]}
        found = evaluate(data, unit="dataset", measures="accuracy")
        assert {one.measure for one in found.estimates} == {"accuracy"}

    def test_all_where_nothing_was_asked(self) -> None:
        assert [e.measure for e in evaluate(TABLE).estimates] == ["accuracy", "precision"]

    def test_intervals_stay_inside_the_range_of_the_measure(self) -> None:
        folds = {"fold": range(5), "model": ["m"] * 5, "accuracy": [0.99, 1.0, 1.0, 0.98, 0.9]}
        found = evaluate(folds).estimates[0]
        assert found.interval is not None
        assert found.interval.high == 1.0
        assert any(one.code == "interval-cut" for one in found.notes)

    def test_percentages_are_on_another_scale(self) -> None:
        folds = {"fold": range(5), "model": ["m"] * 5, "accuracy": [99.0, 100.0, 100.0, 98.0, 90.0]}
        found = evaluate(folds).estimates[0]
        assert found.interval is not None
        assert found.interval.high > 100.0


class TestValuesCalledByTheirName:
    """Numbers by item are shown under the name of their column, where it tells the direction."""

    @staticmethod
    def rows(measure: str) -> pd.DataFrame:
        return pd.DataFrame(
            {"item": k, "model": model, measure: base + 0.01 * (k % step)}
            for k in range(40)
            for model, base, step in (("ann", 0.1, 7), ("bob", 0.3, 5))
        )

    def test_every_verb_shows_the_name_and_the_better_model_first(self) -> None:
        rows = self.rows("wer")
        found = evaluate(rows)
        assert {one.measure for one in found.estimates} == {"wer"}
        shown = assay.render(found, width=80)
        assert "wer ↓" in shown
        assert shown.index("\nann ") < shown.index("\nbob ")
        compared = assay.compare(rows)
        assert compared.measure == "wer"
        assert compared.verdict.sentence.startswith("ann is better than bob: wer is lower by")
        assert assay.board(rows).measure == "wer"

    def test_the_name_may_be_asked_for(self) -> None:
        rows = self.rows("wer")
        asked = evaluate(rows, measures="wer")
        assert [one.value for one in asked.estimates] == [
            one.value for one in evaluate(rows).estimates
        ]
        planned = assay.plan("wer", pilot=rows, difference=0.01)
        assert "wer" in assay.render(planned, width=80)

    def test_a_name_that_tells_no_direction_stays_a_mean(self) -> None:
        rows = self.rows("zorp")
        assert evaluate(rows, lower_is_better=True).estimates[0].measure == "mean_loss"
        assert assay.compare(rows, measure="zorp", lower_is_better=True).measure == "zorp"

    @pytest.mark.parametrize("name", ["brier", "mae", "auc"])
    def test_a_name_of_a_registered_measure_is_one_of_numbers_by_item(self, name: str) -> None:
        """The line that says what was read and the sentence speak of one measure; its interval is a mean's."""
        rows = self.rows(name)
        found = assay.compare(rows, unit="item")
        assert found.measure == name
        assert f": {name} is {found.verdict.direction} by" in found.verdict.sentence
        by_hand = assay.compare(rows.rename(columns={name: "zorp"}), lower_is_better=name != "auc")
        assert found.verdict.outcome.p_value == by_hand.verdict.outcome.p_value

    def test_models_are_named_as_they_are_shown(self, tmp_path: Path) -> None:
        """xgb of mae_xgb and mae_lstm may be asked for, and of two measures the one that was asked for counts."""
        path = tmp_path / "station.csv"
        rows = self.rows("mae").pivot(index="item", columns="model", values="mae")
        rows.add_prefix("mae_").join(1 - rows.add_prefix("r2_")).to_csv(path)
        asked = assay.compare(path, models=["bob", "ann"], measure="mae")
        assert (asked.evidence.models, asked.verdict.word) == (("bob", "ann"), "worse")
        assert "ann is better than bob: mae is lower by 0.19" in asked.verdict.sentence
