import math
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import EvidenceError
from assay.evidence.readers.lm_eval_metrics import aggregation, has_scores
from assay.evidence.reading import read
from tests.evidence.forms import predictions
from tests.evidence.readers.harness_logs import lm_eval_run, lm_sample, lm_samples

LIKELIHOODS = [-6.0, -2.5, -9.25, -4.0]
ROLLING = [[-200.0, 25], [-90.0, 10], [-30.0, 5], [-160.0, 16]]


def value_of(folder: Path, **asked: Any) -> float:
    found = assay.evaluate(read(folder, **asked), measures=None).estimates[0].value
    assert found is not None
    return found


class TestAggregation:
    @pytest.mark.parametrize(
        ("metric", "values", "way"),
        [
            ("acc", [1.0, 0.0], "mean"),
            ("perplexity", LIKELIHOODS, "perplexity"),
            ("word_perplexity", ROLLING, "weighted_perplexity"),
            ("word_perplexity", [3.0, 4.0], "mean"),
            ("bits_per_byte", ROLLING, "bits_per_byte"),
            ("bits_per_byte", [[-3.0, 0]], "mean"),
            ("f1", [[1, 0]], "f1"),
            ("f1", [0.5], "mean"),
            ("mcc", [["a", "b"]], "matthews_corrcoef"),
            ("brier_score", [[1, [0.5, 0.5]]], "brier_score"),
            ("brier_score", [[2, [0.5, 0.5]]], "mean"),
        ],
    )
    def test_by_name_where_the_values_allow_it(
        self, metric: str, values: list[Any], way: str
    ) -> None:
        assert aggregation(metric, values, None) == way

    def test_as_the_task_says(self) -> None:
        config = {"metric_list": [{"metric": "nll", "aggregation": "perplexity"}, "odd"]}
        assert aggregation("nll", LIKELIHOODS, config) == "perplexity"
        assert aggregation("other", LIKELIHOODS, config) == "mean"
        assert aggregation("nll", LIKELIHOODS, {"metric_list": "odd"}) == "mean"

    def test_of_texts_no_item_has_a_score(self) -> None:
        assert not has_scores("bleu", [["a", "b"]], None)
        assert has_scores("f1", [["a", "b"]], None)


class TestPerplexity:
    def test_log_likelihoods_are_turned_into_losses(self, tmp_path: Path) -> None:
        """The lines of lambada hold log likelihoods, of which more is better; perplexity is not."""
        folder = lm_eval_run(
            tmp_path,
            "a",
            {"lambada": lm_samples(LIKELIHOODS, "perplexity")},
            higher={"lambada": {"perplexity": False}},
            averages={"perplexity,none": math.exp(-sum(LIKELIHOODS) / 4)},
        )
        evidence = predictions(folder)
        assert evidence.columns("losses").predictions.tolist() == [[-x for x in LIKELIHOODS]]
        assert [note.code for note in evidence.notes] == ["log-perplexity"]
        assert math.exp(value_of(folder)) == pytest.approx(math.exp(21.75 / 4))

    def test_the_likelier_model_is_better(self, tmp_path: Path) -> None:
        a = lm_samples([x - 1.0 - i / 9 for i, x in enumerate(LIKELIHOODS)], "perplexity")
        run = {"a": a, "b": lm_samples(LIKELIHOODS, "perplexity")}
        folders = [lm_eval_run(tmp_path, name, {"t": lines}) for name, lines in run.items()]
        result = assay.compare(read(*folders))
        assert result.direction == "lower"
        assert result.verdict.word == "worse"


class TestRollingLikelihoods:
    def test_words_weigh_as_in_the_harness(self, tmp_path: Path) -> None:
        mean = 480 / 56
        folder = lm_eval_run(
            tmp_path,
            "a",
            {"wiki": lm_samples(ROLLING, "word_perplexity")},
            averages={"word_perplexity,none": math.exp(mean)},
        )
        evidence = predictions(folder)
        assert evidence.weighted
        assert [note.code for note in evidence.notes] == ["log-perplexity"]
        assert value_of(folder) == pytest.approx(mean, rel=1e-14)

    def test_bits_per_byte_are_bits(self, tmp_path: Path) -> None:
        lines = {"wiki": lm_samples(ROLLING, "bits_per_byte")}
        folder = lm_eval_run(
            tmp_path, "a", lines, averages={"bits_per_byte,none": 480 / 56 / math.log(2)}
        )
        assert predictions(folder).notes == ()
        assert value_of(folder) == pytest.approx(480 / 56 / math.log(2), rel=1e-14)

    def test_two_models_are_compared_by_losses_with_the_weights(self, tmp_path: Path) -> None:
        better = [[x + n * (0.5 + n / 99), n] for x, n in ROLLING]
        a = lm_eval_run(tmp_path, "a", {"t": lm_samples(ROLLING, "byte_perplexity")})
        b = lm_eval_run(tmp_path, "b", {"t": lm_samples(better, "byte_perplexity")})
        effect = assay.compare(read(a, b)).verdict.outcome.effect.value
        assert effect == pytest.approx(sum(n * (0.5 + n / 99) for _, n in ROLLING) / 56)


class TestBrierScores:
    def test_the_squares_of_an_item_are_its_loss(self, tmp_path: Path) -> None:
        values = [[0, [0.5, 0.25, 0.25]], [2, [0.0, 0.0, 1.0]]]
        folder = lm_eval_run(
            tmp_path,
            "a",
            {"t": lm_samples(values, "brier_score")},
            averages={"brier_score,none": 0.1875},
        )
        evidence = predictions(folder)
        assert evidence.columns("losses").predictions.tolist() == [[0.375, 0.0]]
        assert evidence.origin is not None
        assert evidence.origin.measure == "mean_loss"
        assert evidence.notes == ()


class TestAgainstTheResultsFile:
    def test_another_number_is_noted(self, tmp_path: Path) -> None:
        folder = lm_eval_run(
            tmp_path, "a", {"t": lm_samples([0.5, 0.25, 0.1])}, averages={"exact_match,none": 0.25}
        )
        (found,) = predictions(folder).notes
        assert found.code == "log-disagrees"
        assert "exact_match = 0.283333, and the file with the averages says 0.25" in found.message

    def test_the_filter_is_the_same(self, tmp_path: Path) -> None:
        lines = [
            lm_sample(place, {"exact_match": float(each == "loose")}, each=each)
            for place in range(3)
            for each in ("strict", "loose")
        ]
        folder = lm_eval_run(tmp_path, "a", {"t": lines})
        for kept in ("strict", "loose"):
            assert predictions(folder, metric=f"exact_match,{kept}").notes == ()

    def test_a_huge_perplexity_does_not_overflow(self, tmp_path: Path) -> None:
        folder = lm_eval_run(
            tmp_path,
            "a",
            {"t": lm_samples([-1e5], "perplexity")},
            averages={"perplexity,none": 1.0},
        )
        codes = [note.code for note in predictions(folder).notes]
        assert codes == ["log-perplexity", "log-disagrees"]

    def test_shapes_of_tasks_are_not_mixed(self, tmp_path: Path) -> None:
        tasks = {"t": lm_samples(ROLLING, "word_perplexity"), "u": lm_samples([-3.0], "perplexity")}
        folder = lm_eval_run(tmp_path, "a", tasks)
        with pytest.raises(EvidenceError, match="cannot be pooled"):
            read(folder, task="*")
