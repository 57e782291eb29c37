"""What names of columns and rows can mean."""

import pytest

from assay.evidence.name_parts import spread_of
from assay.evidence.names import (
    DESCRIPTIONS,
    KNOWN,
    PLACES,
    has_role,
    is_baseline,
    is_description,
    is_nameless,
    is_summary,
    known_as,
    looks_like_scores,
    place_of,
    plain,
)


@pytest.mark.parametrize(
    ("name", "text"), [("Data set", "data_set"), (" Y ", "y"), ("ndcg@10", "ndcg@10"), ("#", "#")]
)
def test_plain(name: str, text: str) -> None:
    assert plain(name) == text


class TestRoles:
    @pytest.mark.parametrize("name", ["truth", "y_true", "y", "Label", "target", "actual", " Y "])
    def test_truth(self, name: str) -> None:
        assert known_as(name, "truth")

    @pytest.mark.parametrize(
        ("name", "role"),
        [
            ("Item_ID", "id"),
            ("sample_weight", "weight"),
            ("freq", "count"),
            ("group", "cluster"),
            ("fold", "fold"),
            ("seed", "repeat"),
        ],
    )
    def test_every_other(self, name: str, role: str) -> None:
        assert known_as(name, role)  # type: ignore[arg-type]

    def test_no_name_has_two_roles(self) -> None:
        words = [word for known in KNOWN.values() for word in known]
        assert {word for word in words if words.count(word) > 1} <= {
            "obs"
        }  # a row's number or what was seen

    def test_every_known_word_is_plain(self) -> None:
        """A word that is not written as `plain` writes it would never be found."""
        every = [*KNOWN.values(), *PLACES.values(), DESCRIPTIONS]
        assert [word for words in every for word in words if plain(word) != word] == []

    def test_models_have_no_role(self) -> None:
        assert not has_role("bert")
        assert not has_role("model")
        assert has_role("weight")
        assert has_role("dataset")


class TestPlaces:
    @pytest.mark.parametrize(
        ("name", "place"),
        [
            ("Dataset", "dataset"),
            ("Problem", "dataset"),
            ("Method / Data set", "model"),
            ("Key_Fold", "fold"),
            ("random_state", "seed"),
            ("classifier", "model"),
            ("metric", "measure"),
            ("bert", None),
        ],
    )
    def test_by_name(self, name: str, place: str | None) -> None:
        assert place_of(name) == place

    def test_no_name_has_two_places(self) -> None:
        words = [word for known in PLACES.values() for word in known]
        assert len(words) == len(set(words))

    def test_tables_of_scores(self) -> None:
        assert looks_like_scores(["dataset", "a", "b"])
        assert not looks_like_scores(["fold", "y_true", "a"])
        assert not looks_like_scores(["a", "b"])


class TestNameless:
    @pytest.mark.parametrize("name", ["", "  ", "Unnamed: 0", "unnamed_0", "Unnamed: 0_level_1"])
    def test_as_pandas_writes_an_index(self, name: str) -> None:
        assert is_nameless(name)

    def test_a_name_is_a_name(self) -> None:
        assert not is_nameless("unnamed model")


class TestDescriptions:
    @pytest.mark.parametrize(
        "name",
        ["age", "Sex", "patient_age", "n_tokens", "is_weekend", "latency_ms", "cost_usd", "region"],
    )
    def test_describe_an_item(self, name: str) -> None:
        assert is_description(name)

    @pytest.mark.parametrize("name", ["bert", "logit", "opus", "random_forest", "k-NN", "llama-3"])
    def test_models_are_none(self, name: str) -> None:
        assert not is_description(name)


class TestSpread:
    @pytest.mark.parametrize("name", ["C4.5_std", "C4.5 (sd)", "C4.5.se", "std C4.5", "C4.5 ±"])
    def test_of_a_column_that_is_there(self, name: str) -> None:
        assert spread_of(name, ["C4.5", "NB", name]) == "C4.5"

    def test_of_a_mean(self) -> None:
        assert spread_of("C4.5_sd", ["C4.5_mean", "C4.5_sd"]) == "C4.5_mean"

    def test_of_nothing_that_is_there(self) -> None:
        assert spread_of("ada_max", ["tree", "ada_max"]) is None
        assert spread_of("tree", ["tree", "tree_std"]) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [("DummyClassifier", True), ("majority vote", True), ("ZeroR", True), ("xgboost", False)],
)
def test_baselines(name: str, expected: bool) -> None:
    assert is_baseline(name) is expected


@pytest.mark.parametrize(
    "name", ["# best", "#Params", "Average (small)", "Time (s)", "Avg.", "mean: all"]
)
def test_rows_that_sum_up(name: str) -> None:
    assert is_summary(name)


@pytest.mark.parametrize("name", ["#MeToo", "meanwhile", "timeline", "memory-v2 corpus", "iris"])
def test_rows_that_are_data_sets(name: str) -> None:
    assert not is_summary(name)


@pytest.mark.parametrize(
    "name", ["p-value", "p (t-test)", "#inst", "Params (M)", "FLOPs", "# classes"]
)
def test_columns_that_describe(name: str) -> None:
    assert is_description(name)


@pytest.mark.parametrize("name", ["#1", "pegasus", "signal", "paramount"])
def test_columns_that_may_be_models(name: str) -> None:
    assert not is_description(name)
