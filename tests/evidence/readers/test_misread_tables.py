"""Tables that were once answered wrongly or with advice that led nowhere, and neighbours that keep their answer."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError
from tests.evidence.forms import write_csv

RNG = np.random.default_rng(14)
N = 120


def written(path: Path, table: Any) -> Path:
    return write_csv(path, table)


def right(share: float, truth: Any) -> list[int]:
    """Predictions of 0 and 1 that are right in this share of rows."""
    said = np.where(RNG.random(len(truth)) < share, truth, 1 - np.asarray(truth))
    return [int(one) for one in said]


def options_of(error: assay.AmbiguousEvidence) -> list[str]:
    return [answer.option for question in error.questions for answer in question.answers]


class TestBounds:
    """The most that a row can have is no model, though no model exceeds it."""

    def points(self, most: Any) -> dict[str, Any]:
        share = RNG.random((2, N)) * [[1.0], [0.4]]
        return {
            "gpt_points": (share[0] * most).round(1),
            "llama_points": (share[1] * most).round(1),
        }

    @pytest.mark.parametrize("name", ["max_points", "points_possible", "Max Score", "full marks"])
    def test_of_items(self, tmp_path: Path, name: str) -> None:
        most = RNG.choice([5, 10, 20], N)
        table = {"question": range(N), name: most, **self.points(most)}
        path = written(tmp_path / "exam.csv", table)
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(path)
        assert f"--truth {name}" not in options_of(open_.value)
        found = assay.compare(path, lower_is_better=False)
        assert set(found.evidence.models) == {"gpt_points", "llama_points"}
        assert found.sentence.startswith("gpt_points is better")

    def test_one_value_throughout(self, tmp_path: Path) -> None:
        table = {"question": range(N), "max_points": [10] * N, **self.points(10)}
        path = written(tmp_path / "exam.csv", table)
        assert len(assay.compare(path, lower_is_better=False).evidence.models) == 2

    def test_counts_of_trials_are_shares(self, tmp_path: Path) -> None:
        table = {
            "task": [f"t{i}" for i in range(12)],
            "trials": [20] * 12,
            "policy_A_successes": RNG.integers(5, 10, 12),
            "policy_B_successes": RNG.integers(12, 19, 12),
        }
        path = written(tmp_path / "robots.csv", table)
        found = assay.compare(path, lower_is_better=False)
        assert found.sentence.startswith("policy_B_successes is better")
        assert set(found.evidence.models) == {"policy_A_successes", "policy_B_successes"}

    def test_what_some_row_exceeds_is_a_model(self, tmp_path: Path) -> None:
        table = {
            "question": range(N),
            **{m: RNG.normal(5, 1, N) for m in ("max_score", "sigma7", "tau9")},
        }
        path = written(tmp_path / "poolings.csv", table)
        assert len(assay.compare(path, lower_is_better=False).evidence.models) == 3


class TestRepeatedFolds:
    def table(self, repeat: str) -> dict[str, Any]:
        truth = np.tile(RNG.integers(0, 2, 60), 3)
        return {
            "id": np.tile(np.arange(60), 3),
            repeat: np.repeat([1, 2, 3], 60),
            "cv_fold": np.tile(np.arange(60) % 5, 3),
            "y": truth,
            "rf": right(0.9, truth),
            "knn": right(0.7, truth),
        }

    def test_repeats_by_name(self, tmp_path: Path) -> None:
        path = written(tmp_path / "cv.csv", self.table("cv_repeat"))
        wanted = assay.compare(path, id="id", repeat="cv_repeat").verdict
        assert assay.compare(path).verdict == wanted

    def test_never_as_clusters(self, tmp_path: Path) -> None:
        """Pooling the repetitions of a fold would make it look larger than it is."""
        path = written(tmp_path / "cv.csv", self.table("pass_number"))
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(path)
        assert options_of(open_.value) == ["--id id --repeat pass_number"]

    def test_patients_in_folds_may_be_clusters(self, tmp_path: Path) -> None:
        table = self.table("visit_no")
        table = {"patient": table.pop("id"), **table}
        path = written(tmp_path / "cv.csv", table)
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(path)
        assert "--cluster patient" in options_of(open_.value)


class TestCountedPatterns:
    PATTERNS = {  # noqa: RUF012 - read only
        "truth": [0, 0, 0, 0, 1, 1, 1, 1],
        "modelA": [0, 0, 1, 1, 0, 0, 1, 1],
        "modelB": [0, 1, 0, 1, 0, 1, 0, 1],
    }

    @pytest.mark.parametrize("name", ["n", "N", "cases"])
    def test_a_row_stands_for_n_items(self, tmp_path: Path, name: str) -> None:
        path = written(
            tmp_path / "counted.csv", {**self.PATTERNS, name: [40, 9, 5, 3, 2, 7, 8, 30]}
        )
        assert assay.look(path).evidence().summary().n == 104

    def test_the_same_pattern_twice_is_two_items(self, tmp_path: Path) -> None:
        twice = {key: [*cells, cells[0]] for key, cells in self.PATTERNS.items()}
        path = written(tmp_path / "items.csv", {**twice, "n": [40, 9, 5, 3, 2, 7, 8, 30, 6]})
        assert assay.look(path).evidence().summary().n == 9

    def test_items_of_their_own_are_no_patterns(self, tmp_path: Path) -> None:
        path = written(
            tmp_path / "items.csv",
            {"id": range(8), **self.PATTERNS, "n": [40, 9, 5, 3, 2, 7, 8, 30]},
        )
        assert assay.look(path).evidence().summary().n == 8


class TestBadAnswers:
    """Words that say yes of something bad, as 1 does."""

    @pytest.mark.parametrize(("no", "yes"), [("no", "yes"), ("False", "True"), ("nein", "ja")])
    def test_wide(self, tmp_path: Path, no: str, yes: str) -> None:
        table: dict[str, Any] = {"prompt_id": range(N)}
        for model, share in (("gpt", 0.1), ("llama", 0.5)):
            table[f"{model}_toxic"] = [yes if x < share else no for x in RNG.random(N)]
        path = written(tmp_path / "flags.csv", table)
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(path)
        assert {"--correct", "--losses"} <= set(options_of(open_.value))
        assert assay.compare(path, losses=True).sentence.startswith("gpt_toxic is better")
        assert assay.compare(table, losses=True).sentence.startswith("gpt_toxic is better")
        assert assay.compare(path, correct=True).sentence.startswith("llama_toxic is better")

    def test_long(self, tmp_path: Path) -> None:
        table = {
            "model": ["a"] * N + ["b"] * N,
            "prompt_id": [*range(N)] * 2,
            "refused": [bool(x) for x in RNG.random(2 * N) < np.repeat([0.1, 0.5], N)],
        }
        path = written(tmp_path / "refusals.csv", table)
        assert assay.compare(path, losses=True).sentence.startswith("a is better")

    def test_wrong_and_right_keep_their_meaning(self, tmp_path: Path) -> None:
        table = {
            "id": range(N),
            "a": [("fail", "pass")[int(x < 0.9)] for x in RNG.random(N)],
            "b": [("fail", "pass")[int(x < 0.5)] for x in RNG.random(N)],
        }
        path = written(tmp_path / "passed.csv", table)
        assert assay.compare(path).sentence.startswith("a is better")
        assert assay.compare(path, losses=True).sentence.startswith("a is better")


class TestRowsTrainedOn:
    def test_the_words_of_the_file_are_named(self, tmp_path: Path) -> None:
        """True of is_train is not the 1 of the truth."""
        truth = RNG.integers(0, 2, N)
        table = {
            "id": range(N),
            "is_train": [bool(i % 2) for i in range(N)],
            "gold": truth,
            "crf": right(0.9, truth),
            "lstm": right(0.7, truth),
        }
        path = written(tmp_path / "parts.csv", table)
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(path)
        assert "--where is_train=False" in options_of(open_.value)
        assert assay.compare(path, where="is_train=False").evidence.n == N // 2


class TestNumberedWithinClusters:
    def table(self, frames: Any) -> dict[str, Any]:
        truth = np.repeat(RNG.integers(0, 2, 12), 10)
        return {
            "video": np.repeat([f"v{i}" for i in range(12)], 10),
            "frame": frames,
            "label": truth,
            "det_a": right(0.9, truth),
            "det_b": right(0.7, truth),
        }

    def noted(self, folder: Path, frames: Any) -> set[str]:
        path = written(folder / "frames.csv", self.table(frames))
        found = assay.compare(path, cluster="video")
        assert found.evidence.clusters == 12
        return {note.code for note in found.notes}

    def test_frames_start_anew(self, tmp_path: Path) -> None:
        assert "crossed-clusters" not in self.noted(tmp_path, np.tile(np.arange(10), 12))

    def test_names_in_every_cluster_are_crossed_with_it(self, tmp_path: Path) -> None:
        scenes = np.tile([f"scene{i}" for i in range(10)], 12)
        assert "crossed-clusters" in self.noted(tmp_path, scenes)


def test_environments_by_id_are_data_sets(tmp_path: Path) -> None:
    table = {
        "env_id": np.repeat([f"env{i}" for i in range(6)], 4),
        "seed": np.tile(np.arange(4), 6),
        "A2C": RNG.normal(1, 0.1, 24),
        "TD3": RNG.normal(2, 0.1, 24),
    }
    found: Any = assay.read(written(tmp_path / "rl.csv", table), measure="return")
    assert found.unit == "dataset"
    assert len(found.blocks("return").values) == 6


def numbers(**errors: float) -> dict[str, Any]:
    """A truth of numbers and columns that miss it by so much."""
    truth = RNG.normal(50, 10, N)
    near = {name: (truth + RNG.normal(0, width, N)).round(1) for name, width in errors.items()}
    return {"id": [f"i{i}" for i in range(N)], "y_true": truth.round(1), **near}


class TestDescriptionsBesideModels:
    @pytest.mark.parametrize("other", ["yesterday", "budget", "feels_like"])
    @pytest.mark.parametrize("models", [("gbm", "lin"), ("gbm", "sigma7"), ("sigma7", "tau9")])
    def test_one_more_column_on_the_scale_is_asked_about(
        self, tmp_path: Path, other: str, models: tuple[str, str]
    ) -> None:
        first, second = models
        table = numbers(**{other: 6.0, first: 2.0, second: 4.0})
        path = written(tmp_path / "numbers.csv", table)
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(path)
        assert f"--ignore {other}" in options_of(open_.value)
        found = assay.compare(path, ignore=other)
        assert set(found.evidence.models) == set(models)
        assert found.sentence.startswith(f"{first} is better")

    def test_two_columns_are_models_whatever_their_names(self, tmp_path: Path) -> None:
        path = written(tmp_path / "numbers.csv", numbers(sigma7=2.0, tau9=4.0))
        assert assay.compare(path).sentence.startswith("sigma7 is better")

    @pytest.mark.parametrize("name", ["t", "i", "T"])
    @pytest.mark.parametrize("first", [0, 1])
    def test_what_counts_the_rows_is_no_model(self, tmp_path: Path, name: str, first: int) -> None:
        truth = RNG.poisson(N / 2, N)
        table = {name: np.arange(first, first + N), "y_true": truth}
        table |= {m: truth + RNG.integers(-w, w + 1, N) for m, w in (("gbm", 3), ("rf", 9))}
        reading = assay.look(written(tmp_path / "counts.csv", table))
        assert set(reading.models) == {"gbm", "rf"}

    def test_a_letter_that_does_not_count_is_a_model(self, tmp_path: Path) -> None:
        path = written(tmp_path / "numbers.csv", numbers(t=2.0, s=4.0))
        assert assay.compare(path).sentence.startswith("t is better")

    @pytest.mark.parametrize(
        ("middle", "low", "high"),
        [("m1_p50", "m1_p10", "m1_p90"), ("TFT-median", "TFT-lo-90", "TFT-hi-90")],
    )
    def test_ends_of_intervals_are_no_models(
        self, tmp_path: Path, middle: str, low: str, high: str
    ) -> None:
        table = numbers(**{middle: 2.0, "arima": 4.0})
        table |= {low: table[middle] - 5, high: table[middle] + 5}
        found = assay.compare(written(tmp_path / "intervals.csv", table))
        assert set(found.evidence.models) == {middle, "arima"}

    @pytest.mark.parametrize("other", ["needs_tool", "language_en", "tricky"])
    def test_beside_right_and_wrong_answers(self, tmp_path: Path, other: str) -> None:
        flags = {
            name: (RNG.random(N) < share).astype(int)
            for name, share in ((other, 0.5), ("gpt4", 0.9), ("llama", 0.5))
        }
        path = written(tmp_path / "right.csv", {"question": [f"q{i}" for i in range(N)], **flags})
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(path, correct=True)
        assert f"--ignore {other}" in options_of(open_.value)
        assert assay.compare(path, correct=True, ignore=other).sentence.startswith("gpt4 is better")


class TestRowsAtTheFoot:
    SCORES = RNG.uniform(0.6, 0.9, (2, 12)).round(4)

    def path(self, folder: Path, name: str, last: Any) -> Path:
        table = {"dataset": [*(f"d{i}" for i in range(12)), name]}
        table |= {m: [*of, end] for m, of, end in zip("AB", self.SCORES, last, strict=True)}
        return written(folder / "paper.csv", table)

    @pytest.mark.parametrize("name", ["Gemiddelde", "平均", "Ø", "whatever"])
    def test_rounded_means_under_any_name(self, tmp_path: Path, name: str) -> None:
        path = self.path(tmp_path, name, self.SCORES.mean(axis=1).round(3))
        assert assay.compare(path, measure="accuracy").evidence.n == 12

    @pytest.mark.parametrize("name", ["Stabw.", "Std. dev.", "σ"])
    def test_spreads(self, tmp_path: Path, name: str) -> None:
        path = self.path(tmp_path, name, self.SCORES.std(axis=1, ddof=1).round(4))
        assert assay.compare(path, measure="accuracy").evidence.n == 12

    def test_a_data_set_like_the_others(self, tmp_path: Path) -> None:
        path = self.path(tmp_path, "zoo", self.SCORES[:, 0] + 0.011)
        assert assay.compare(path, measure="accuracy").evidence.n == 13


class TestModelsNamedInAColumn:
    """``models`` may be the column that names them, under any name."""

    def table(self, column: str = "thing") -> dict[str, Any]:
        truth = RNG.normal(50, 10, 60).round(1)
        two = np.concatenate([truth + RNG.normal(0, width, 60).round(1) for width in (2, 6)])
        named = ["lin"] * 60 + ["gbm"] * 60
        return {column: named, "id": [*range(60)] * 2, "actual": [*truth] * 2, "forecast": two}

    def test_items(self, tmp_path: Path) -> None:
        path = written(tmp_path / "long.csv", self.table())
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(path)
        assert "--models thing" in options_of(open_.value)
        found = assay.compare(path, models="thing")
        assert found.evidence.n == 60
        assert found.sentence.startswith("lin is better")
        assert assay.compare(path, models=["thing"]).verdict == found.verdict

    def test_known_names_of_such_columns(self, tmp_path: Path) -> None:
        path = written(tmp_path / "long.csv", self.table("regressor"))
        assert assay.compare(path).sentence.startswith("lin is better")

    def test_scores(self, tmp_path: Path) -> None:
        rows = [
            (f"d{d}", m, 0.7 + 0.1 * (m == "new") + 0.01 * d)
            for d in range(9)
            for m in ("new", "old")
        ]
        table = dict(
            zip(("dataset", "thing", "accuracy"), map(list, zip(*rows, strict=True)), strict=True)
        )
        found = assay.compare(written(tmp_path / "long.csv", table), models="thing")
        assert found.sentence.startswith("new is better")

    def test_one_model_of_several_columns_stays_a_model(self, tmp_path: Path) -> None:
        truth = RNG.choice(["cat", "dog"], N)
        table = {"id": range(N), "label": truth, "vit": truth, "cnn": np.roll(truth, 1)}
        found = assay.evaluate(written(tmp_path / "wide.csv", table), models="vit")
        assert found.evidence.models == ("vit",)

    def test_predictions_in_other_words_name_no_models(self, tmp_path: Path) -> None:
        truth = RNG.choice(["Positive", "Negative"], N)
        table = {
            "id": range(N),
            "label": truth,
            "bert": [t[:3].lower() for t in truth],
            "svm": truth,
        }
        with pytest.raises(assay.EvidenceError, match="shares no value with the truth"):
            assay.evaluate(written(tmp_path / "wide.csv", table), models="bert")

    def test_tidymodels(self, tmp_path: Path) -> None:
        rows = [
            (f"Fold{f:02}", metric, 0.7 + (0.1 + f / 200) * (m == "rf"), m)
            for f in range(1, 11)
            for metric in ("accuracy", "roc_auc")
            for m in ("rf", "glm")
        ]
        names = ("id", ".metric", ".estimate", "wflow_id")
        path = written(
            tmp_path / "tidy.csv", dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        )
        with pytest.raises(assay.AmbiguousEvidence, match="Which measure"):
            assay.compare(path)
        found = assay.compare(path, measure="accuracy")
        assert found.evidence.unit == "fold"
        assert found.sentence.startswith("rf is better")


class TestTruthsThatAreOffered:
    @pytest.mark.parametrize("name", ["true_age", "price_actual", "gt_category"])
    def test_called_so(self, tmp_path: Path, name: str) -> None:
        table = numbers(netA=2.0, netB=6.0)
        table = {
            "id": table["id"],
            name: table["y_true"],
            "netA": table["netA"],
            "netB": table["netB"],
        }
        assert assay.compare(written(tmp_path / "a.csv", table)).sentence.startswith(
            "netA is better"
        )

    @pytest.mark.parametrize("name", ["category", "language", "status", "response", "reference"])
    def test_classes_of_the_models_under_any_name(self, tmp_path: Path, name: str) -> None:
        truth = RNG.choice(["cat", "dog", "bird"], N)
        table = {"id": range(N), name: truth, "bert": truth, "svm": np.roll(truth, 1)}
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(written(tmp_path / "a.csv", table))
        assert f"--truth {name}" in options_of(open_.value)

    @pytest.mark.parametrize("name", ["is_fraud", "manual_count", "price"])
    def test_numbers_that_go_with_the_models(self, tmp_path: Path, name: str) -> None:
        table = numbers(netA=2.0, netB=6.0)
        table = {
            "photo": table["id"],
            name: table["y_true"],
            "netA": table["netA"],
            "netB": table["netB"],
        }
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(written(tmp_path / "a.csv", table))
        assert f"--truth {name}" in options_of(open_.value)

    @pytest.mark.parametrize("name", ["true_positive_rate", "is_true"])
    def test_other_truths(self, tmp_path: Path, name: str) -> None:
        table = {"dataset": [f"d{i}" for i in range(9)], name: RNG.random(9), "a": RNG.random(9)}
        assert not [
            c for c in assay.look(written(tmp_path / "a.csv", table)).columns if c.role == "truth"
        ]


class TestWhatTakesThem:
    def test_votes_beside_prompts(self, tmp_path: Path) -> None:
        table = {"prompt": [f"p{i}" for i in range(60)], "choice": ["A", "B", "tie"] * 20}
        with pytest.raises(assay.NotApplicable, match=r"bradley_terry\(\[\[0, 30\], \[30, 0\]\]\)"):
            assay.compare(written(tmp_path / "votes.csv", table))

    def test_won_and_lost(self, tmp_path: Path) -> None:
        table = {"task": [f"p{i}" for i in range(60)], "result": ["win", "loss", "win"] * 20}
        with pytest.raises(assay.NotApplicable, match=r"bradley_terry\(\[\[0, 40\], \[20, 0\]\]\)"):
            assay.compare(written(tmp_path / "votes.csv", table))

    def test_bootstrap_replicates(self, tmp_path: Path) -> None:
        table = {"bootstrap": range(60), "cox": RNG.random(60), "rsf": RNG.random(60)}
        path = written(tmp_path / "boot.csv", table)
        told: tuple[dict[str, Any], ...]
        told = ({}, {"unit": "item", "lower_is_better": False}, {"unit": "seed"})
        for options in told:
            with pytest.raises(assay.EvidenceError, match="bootstrap samples"):
                assay.compare(path, **options)

    def test_words_of_a_scale(self, tmp_path: Path) -> None:
        table = {
            "text": [f"p{i}" for i in range(30)] * 2,
            "system": ["A"] * 30 + ["B"] * 30,
            "rating": ["bad", "ok", "good"] * 20,
        }
        with pytest.raises(assay.EvidenceError, match="Write them as numbers"):
            assay.compare(written(tmp_path / "likert.csv", table), unit="item")

    def test_the_only_numbers_beside_the_model_are_its_values(self, tmp_path: Path) -> None:
        table = {
            "model": ["a"] * 30 + ["b"] * 30,
            "prompt_id": [*range(30)] * 2,
            "tokens_per_second": RNG.normal(np.repeat([30, 50], 30), 2),
        }
        path = written(tmp_path / "speed.csv", table)
        with pytest.raises(assay.AmbiguousEvidence, match="tokens_per_second"):
            assay.compare(path)
        assert assay.compare(path, lower_is_better=False).sentence.startswith("b is better")

    def test_texts_that_every_model_met_name_the_items(self, tmp_path: Path) -> None:
        table = {
            "Text": [f"T{i}" for i in range(30)] * 2,
            "System": ["alt"] * 30 + ["neu"] * 30,
            "Note": RNG.normal(np.repeat([4, 2], 30), 0.5).round(1),
        }
        found = assay.compare(written(tmp_path / "noten.csv", table), unit="item", losses=True)
        assert found.evidence.n == 30
        assert found.sentence.startswith("neu is better")


class TestDirections:
    """A word such as time decides only where nothing beside it turns its sense."""

    @pytest.mark.parametrize(
        "name", ["dwell_time", "errors_found", "cost_efficiency", "return_rate", "weight_loss"]
    )
    @pytest.mark.parametrize("wide", [True, False])
    def test_turned_words_are_asked_about(self, tmp_path: Path, name: str, wide: bool) -> None:
        values = RNG.normal([[10], [20]], 1, (2, N)).round(2)
        if wide:
            table = {"id": range(N)} | {
                f"model{m}_{name}": of for m, of in zip("AB", values, strict=True)
            }
        else:
            table = {"model": ["A"] * N + ["B"] * N, "id": [*range(N)] * 2, name: values.ravel()}
        path = written(tmp_path / "values.csv", table)
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(path)
        assert {"--losses", "--higher-is-better"} <= set(options_of(open_.value))

    @pytest.mark.parametrize("name", ["inference_time", "error", "loss", "time_ms"])
    def test_plain_words_decide(self, tmp_path: Path, name: str) -> None:
        values = RNG.normal([[10], [20]], 1, (2, N)).round(2)
        table = {"model": ["A"] * N + ["B"] * N, "id": [*range(N)] * 2, name: values.ravel()}
        assert assay.compare(written(tmp_path / "v.csv", table)).sentence.startswith("A is better")

    @pytest.mark.parametrize("name", ["passed_away", "no_success", "success_blocked"])
    def test_right_words_that_are_turned(self, tmp_path: Path, name: str) -> None:
        flags = (RNG.random(2 * N) < np.repeat([0.1, 0.5], N)).astype(int)
        table = {"model": ["A"] * N + ["B"] * N, "id": [*range(N)] * 2, name: flags}
        with pytest.raises(assay.AmbiguousEvidence):
            assay.compare(written(tmp_path / "v.csv", table))

    @pytest.mark.parametrize("name", ["failed", "is_wrong", "error"])
    @pytest.mark.parametrize("words", [(False, True), ("no", "yes")])
    def test_bad_words_in_words(self, tmp_path: Path, name: str, words: tuple[Any, Any]) -> None:
        flags = [words[int(x)] for x in RNG.random(2 * N) < np.repeat([0.1, 0.5], N)]
        table = {"model": ["A"] * N + ["B"] * N, "id": [*range(N)] * 2, name: flags}
        assert assay.compare(written(tmp_path / "v.csv", table)).sentence.startswith("A is better")


class TestClustersBesideANumber:
    def path(self, folder: Path, name: str, many: int) -> Path:
        truth = RNG.integers(0, 2, 300)
        table = {"row": range(300), name: [f"c{i % many}" for i in range(300)], "label": truth}
        return written(folder / "c.csv", table | {"m1": right(0.9, truth), "m2": right(0.7, truth)})

    @pytest.mark.parametrize("name", ["case_id", "sentence_id", "hospital", "store"])
    def test_many_values_that_come_again_are_asked_about(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(self.path(tmp_path, name, 30))
        assert f"--cluster {name}" in options_of(open_.value)

    @pytest.mark.parametrize("name", ["hospital", "topic", "region"])
    def test_few_values_are_a_category(self, tmp_path: Path, name: str) -> None:
        assert assay.compare(self.path(tmp_path, name, 4)).sentence.startswith("m1 is better")


class TestItemsOfTasks:
    def table(self) -> dict[str, Any]:
        rows = [(m, t, f"q{q}") for m in ("m1", "m2") for t in ("law", "math") for q in range(40)]
        table = dict(
            zip(("model", "task", "question_id"), map(list, zip(*rows, strict=True)), strict=True)
        )
        return table | {"correct": (RNG.random(160) < np.repeat([0.9, 0.4], 80)).astype(int)}

    def test_questions_numbered_anew_in_each_task(self, tmp_path: Path) -> None:
        path = written(tmp_path / "tasks.csv", self.table())
        found = assay.compare(path, ignore="task")
        assert found.evidence.n == 80
        assert found.evidence.clusters is None

    def test_text_is_no_count(self, tmp_path: Path) -> None:
        table: dict[str, Any] = {"id": range(N), "freq": ["Yearly", "Monthly"] * (N // 2)}
        table |= {f"{m}_MASE": RNG.normal(mean, 0.1, N) for m, mean in (("Theta", 1), ("ETS", 2))}
        assert assay.compare(written(tmp_path / "m4.csv", table)).sentence.startswith(
            "Theta is better"
        )


class TestOtherWays:
    def test_swiss_thousands(self, tmp_path: Path) -> None:
        table = numbers(ModellA=2.0, ModellB=6.0)
        table = {
            k: [f"{v * 1000:,.2f}".replace(",", "'") for v in of] if k != "id" else of
            for k, of in table.items()
        }
        assert assay.compare(written(tmp_path / "ch.csv", table)).sentence.startswith(
            "ModellA is better"
        )

    def test_nan_is_a_blank(self, tmp_path: Path) -> None:
        truth = RNG.integers(0, 2, N)
        a = ["nan" if i % 9 == 0 else f"{x:.1f}" for i, x in enumerate(right(0.9, truth))]
        path = written(
            tmp_path / "a.csv", {"id": range(N), "truth": truth, "a": a, "b": right(0.7, truth)}
        )
        with pytest.raises(assay.AmbiguousEvidence, match="What does a blank mean"):
            assay.compare(path)
        assert assay.compare(path, missing="complete").evidence.n == N - len(range(0, N, 9))

    def test_signed_errors_beside_what_they_are_of(self, tmp_path: Path) -> None:
        table = numbers(a=1.0, b=3.0)
        table |= {f"err_{m}": table[m] - table["y_true"] for m in "ab"}
        assert assay.compare(written(tmp_path / "e.csv", table)).sentence.startswith("a is better")

    def test_blanks_around_names(self, tmp_path: Path) -> None:
        truth = RNG.integers(0, 2, N)
        table = {
            " id ": range(N),
            " truth ": truth,
            " Model A ": right(0.95, truth),
            " Model B ": right(0.6, truth),
        }
        found = assay.compare(
            written(tmp_path / "b.csv", table), truth="truth", models=["Model A", "Model B"]
        )
        assert found.sentence.startswith("Model A is better")

    def test_measures_that_every_file_has(self, tmp_path: Path) -> None:
        paths = [
            written(
                tmp_path / f"{name}.csv",
                {"id": range(N)} | {m: RNG.normal(mean, 0.1, N) for m in ("rouge1", "rougeL")},
            )
            for name, mean in (("t5", 0.3), ("pegasus", 0.6))
        ]
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(*paths)
        assert "--measure rougeL" in options_of(open_.value)
        assert assay.compare(*paths, measure="rougeL").sentence.startswith("pegasus is better")

    def test_columns_that_were_told_are_called_so(self, tmp_path: Path) -> None:
        table = {
            "seed": range(8),
            "FID_gan": RNG.normal(12, 0.3, 8),
            "FID_ddpm": RNG.normal(9, 0.3, 8),
        }
        found = assay.compare(written(tmp_path / "fid.csv", table), models=["FID_gan", "FID_ddpm"])
        assert found.sentence.startswith("FID_ddpm is better than FID_gan")

    def test_words_that_come_in_every_run(self, tmp_path: Path) -> None:
        table = {"ds": np.repeat([f"d{i}" for i in range(9)], 3), "seed": [*range(3)] * 9}
        table |= {m: RNG.normal(mean, 0.01, 27) for m, mean in (("new", 0.9), ("old", 0.8))}
        path = written(tmp_path / "runs.csv", table)
        with pytest.raises(assay.AmbiguousEvidence) as open_:
            assay.compare(path, measure="accuracy")
        assert "--unit dataset" in options_of(open_.value)
        found = assay.compare(path, measure="accuracy", unit="dataset")
        assert (found.evidence.unit, found.evidence.n) == ("dataset", 9)

    def test_runs_of_unequal_number(self) -> None:
        runs = {"a": RNG.normal(0.9, 0.01, 5), "b": RNG.normal(0.8, 0.01, 7)}
        found = assay.compare(runs, unit="seed", measure="accuracy")
        assert found.sentence.startswith("a is better")

    def test_splits_of_unequal_number(self) -> None:
        runs = {
            name: {
                "fit_time": RNG.random(n),
                "score_time": RNG.random(n),
                "test_score": RNG.random(n),
            }
            for name, n in (("a", 10), ("b", 5))
        }
        with pytest.raises(assay.EvidenceError, match="same splits"):
            assay.compare(runs)


class TestStrayCodes:
    def path(self, folder: Path, places: Any) -> Path:
        truth = RNG.integers(0, 2, 40_000)
        a = np.array(right(0.9, truth))
        a[places] = 2
        table = {"id": range(40_000), "truth": truth, "a": a, "b": right(0.7, truth)}
        return written(folder / "codes.csv", table)

    def test_a_few_are_no_scores(self, tmp_path: Path) -> None:
        """In the middle of the file, where no sample of its rows sees them."""
        with pytest.raises(assay.EvidenceError, match=r"'2' at line 10002.*missing='wrong'"):
            assay.compare(self.path(tmp_path, slice(10_000, 10_040)))

    def test_a_scale_of_three_is_scores(self, tmp_path: Path) -> None:
        found: Any = assay.read(self.path(tmp_path, slice(0, 40_000, 3)), models=["a"])
        assert found.offers["a"] == {"scores"}


class TestRowsWithACommaTooMany:
    """They are read with the others, so what is seen of the others is not all there is."""

    def test_items(self, tmp_path: Path) -> None:
        rows = [f"{n},{n % 2},{int(n % 3 == 0)},{n % 2}" for n in range(40)]
        rows[17] += ","
        path = tmp_path / "t.csv"
        path.write_text("\n".join(["item,truth,a,b", *rows]))
        assert assay.evaluate(path).estimates[0].n == 40

    def test_merged_names(self, tmp_path: Path) -> None:
        first = {0: "rf", 20: "svm"}
        rows = [f"{first.get(n, '')},set{n % 20},0.{700 + n}" for n in range(40)]
        rows[17] += ","
        path = tmp_path / "t.csv"
        path.write_text("\n".join(["model,dataset,accuracy", *rows]))
        with pytest.raises(EvidenceError):
            assay.read(path, measure="roc_auc")


def test_words_among_numbers_with_three_digits_behind_the_point(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    cells = ["1.477", "914", "control", "2.003"] * 10
    path.write_text("\n".join(["group,a", *(f"case,{cell}" for cell in cells)]))
    assert assay.look(path).columns
