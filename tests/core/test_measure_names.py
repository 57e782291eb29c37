"""Directions told by names: right where they are given, silent where a name may mean both."""

import pytest

from assay.core.measure_names import better_side, is_beyond
from assay.measures.registry import find_measure, measures, parametrised


class TestBetterSide:
    @pytest.mark.parametrize(
        "name", ["accuracy", "Test Accuracy", "ndcg@10", "val_auc", "f1_macro", "R2", "pass@1"]
    )
    def test_higher(self, name: str) -> None:
        assert better_side(name) == "higher"

    @pytest.mark.parametrize(
        "name", ["rmse", "top-1 error", "test_loss", "Log Loss", "latency (ms)", "cross entropy"]
    )
    def test_lower(self, name: str) -> None:
        assert better_side(name) == "lower"

    @pytest.mark.parametrize(
        ("name", "side"),
        [
            ("1 - accuracy", "lower"),
            ("1−auc", "lower"),
            ("neg_mean_squared_error", "higher"),
            ("neg_log_loss", "higher"),
        ],
    )
    def test_a_complement_turns_it_round(self, name: str, side: str) -> None:
        assert better_side(name) == side

    @pytest.mark.parametrize(
        "name",
        ["score", "value", "tree", "", "error reduction", "accuracy_std", "rank", "accuracy loss"],
    )
    def test_silent_where_a_name_may_mean_both(self, name: str) -> None:
        assert better_side(name) is None


@pytest.mark.parametrize("name", sorted({*measures(), *parametrised()}))
def test_no_measure_of_ours_is_turned_round(name: str) -> None:
    """A column called like a registered measure is read in the direction of that measure."""
    known = find_measure(name)
    if known.comparable:  # of a signed bias neither side is better
        assert better_side(name) in (None, known.direction)


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("Foo ↓", "lower"),
        ("Acc (%) ↑", "higher"),
        ("Fehlerrate", "lower"),
        ("Genauigkeit", "higher"),
        ("Exactitude", "higher"),
    ],
)
def test_arrows_and_other_languages(name: str, side: str) -> None:
    assert better_side(name) == side


def test_an_arrow_against_the_name_tells_nothing() -> None:
    assert better_side("accuracy ↓") is None
    assert better_side("score (lower is better)") == "lower"


@pytest.mark.parametrize(
    ("name", "low", "high", "beyond"),
    [
        ("rmse", -0.1, 3.0, True),
        ("accuracy", 0.0, 812.0, True),
        ("accuracy", 0.0, 98.0, False),
        ("neg_log_loss", -2.0, -1.0, False),
        ("log loss difference", -2.0, -1.0, False),
        ("nll", -2.0, 1.0, False),
        ("mcc", -0.5, 0.5, False),
    ],
)
def test_values_that_a_measure_cannot_have(
    name: str, low: float, high: float, beyond: bool
) -> None:
    assert is_beyond(name, low, high) is beyond


@pytest.mark.parametrize(
    "name",
    [
        *(
            "dwell_time",
            "watch_time",
            "session duration",
            "survival_time",
            "time_on_site",
            "time_in_range",
        ),
        *(
            "mean_time_between_failures",
            "errors_found",
            "found errors",
            "error_detection_rate",
            "error_free_rate",
        ),
        *(
            "no_error_rate",
            "error_tolerance",
            "cost_efficiency",
            "weight_loss",
            "return_rate",
            "passed_away",
        ),
        *(
            "no_success",
            "success_blocked",
            "correct_refused",
            "missed_f1",
            "entropy",
            "churn likelihood",
        ),
    ],
)
def test_a_part_of_a_name_tells_nothing_against_the_whole(name: str) -> None:
    assert better_side(name) is None


@pytest.mark.parametrize(
    ("name", "side"),
    [
        *(
            (name, "lower")
            for name in ("inference_time", "wall clock time (s)", "latency_p95", "cost_usd")
        ),
        *(
            (name, "lower")
            for name in ("error_rate", "errors", "tracking error", "focal_loss", "top-5 err")
        ),
        *(
            (name, "lower")
            for name in ("failure rate", "cross_entropy", "train_time", "error_mean")
        ),
        *(
            (name, "higher")
            for name in ("episode_return", "success rate (%)", "tests_passed", "hits@10")
        ),
        *(
            (name, "higher")
            for name in ("log-likelihood", "information_gain", "solved_rate", "acc,none")
        ),
    ],
)
def test_everyday_words_tell_where_they_stand_last(name: str, side: str) -> None:
    assert better_side(name) == side
