"""What columns are for, by their names."""

from typing import Any

import pytest

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.model_columns import ModelColumns, chosen_models, column_grammar, parse_columns


class TestParseColumns:
    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("bert", "bare"),
            ("bert:label", "labels"),
            ("bert_label", "bare"),
            ("bert_pred", "bare"),
            ("bert_Prediction", "bare"),
            ("bert:score", "scores"),
            ("bert_score", "scores"),
            ("bert_prob", "scores"),
            ("bert_proba", "scores"),
            ("bert_probability", "scores"),
            ("bert:loss", "losses"),
            ("bert_loss", "losses"),
            ("bert:value", "values"),
        ],
    )
    def test_one_column(self, name: str, kind: str) -> None:
        (model, columns), *more = parse_columns([name], (), "file").items()
        assert not more
        assert model == "bert"
        assert getattr(columns, kind) == name

    @pytest.mark.parametrize("name", ["m:p(cat)", "m_p_cat", "m_proba_cat", "m_prob_cat"])
    def test_a_probability_of_a_class(self, name: str) -> None:
        assert parse_columns([name], {"cat"}, "file") == {
            "m": ModelColumns(probabilities={"cat": name})
        }

    def test_a_class_the_truth_lacks_is_no_class_of_a_suffix(self) -> None:
        assert parse_columns(["m_p_5"], {"cat"}, "file") == {"m_p_5": ModelColumns(bare="m_p_5")}

    def test_classes_with_brackets_and_colons(self) -> None:
        found = parse_columns(["a:b:p(x:(y))"], (), "file")
        assert found == {"a:b": ModelColumns(probabilities={"x:(y)": "a:b:p(x:(y))"})}

    def test_several_columns_of_a_model(self) -> None:
        found = parse_columns(["a", "a_score", "a:loss", "a:p(1.0)"], ("1",), "file")
        assert found == {
            "a": ModelColumns(
                bare="a", scores="a_score", losses="a:loss", probabilities={"1": "a:p(1.0)"}
            )
        }

    def test_columns_without_a_model_take_the_name_of_the_file(self) -> None:
        found = parse_columns(["y_pred", "y_prob", "loss"], (), "run1")
        assert found == {"run1": ModelColumns(bare="y_pred", scores="y_prob", losses="loss")}

    def test_twice_the_same_is_refused(self) -> None:
        with pytest.raises(EvidenceError, match="'a_score' and 'a_prob' both hold the scores"):
            parse_columns(["a_score", "a_prob"], (), "file")


class TestChosenModels:
    def test_the_order_asked_for(self) -> None:
        found = parse_columns(["a", "b", "c"], (), "file")
        assert list(chosen_models(["c", "a"], ["a", "b", "c"], found, "t")) == ["c", "a"]
        assert list(chosen_models("b", ["a", "b", "c"], found, "t")) == ["b"]
        assert list(chosen_models(None, ["a", "b", "c"], found, "t")) == ["a", "b", "c"]

    def test_other_names_for_columns(self) -> None:
        names = ["x1", "x2", "p0", "p1", "x3_score"]
        given: dict[str, Any] = {
            "one": "x1",
            "two": {"labels": "x2", "probabilities": {0: "p0", 1: "p1"}},
            "three": "x3_score",
        }
        assert chosen_models(given, names, {}, "t") == {
            "one": ModelColumns(bare="x1"),
            "two": ModelColumns(labels="x2", probabilities={"0": "p0", "1": "p1"}),
            "three": ModelColumns(scores="x3_score"),
        }

    def test_a_column_by_its_own_name(self) -> None:
        names = ["y_pred"]
        found = parse_columns(names, (), "file")
        assert chosen_models(["y_pred"], names, found, "t") == {
            "y_pred": ModelColumns(bare="y_pred")
        }

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            (["z"], "no column 'z' for model 'z'; it has 'a'"),
            ({"m": {"scores": "z"}}, "no column 'z' for model 'm'"),
        ],
    )
    def test_unknown_columns(self, given: Any, match: str) -> None:
        with pytest.raises(EvidenceError, match=match):
            chosen_models(given, ["a"], {}, "t")

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            (["a", "a"], "names a model twice"),
            ({"m": {"guesses": "a"}}, "takes labels, scores"),
            ({"m": {}}, "takes labels, scores"),
            ({"m": {"probabilities": "a"}}, "mapping of classes to columns"),
        ],
    )
    def test_wrong_use(self, given: Any, match: str) -> None:
        with pytest.raises(UsageError, match=match):
            chosen_models(given, ["a"], {}, "t")


class TestColumnGrammar:
    @pytest.mark.parametrize(
        ("name", "model", "kind", "sure"),
        [
            ("bert", "bert", "bare", False),
            ("y_pred", "", "bare", True),
            ("bert_pred", "bert", "bare", True),
            ("bert_proba", "bert", "scores", True),
            ("bert:score", "bert", "scores", True),
            ("credit_score", "credit", "scores", False),
            ("weight_loss", "weight", "losses", False),
            ("m_p_cat", "m", "probabilities", True),
        ],
    )
    def test_what_only_models_are_called_is_sure(
        self, name: str, model: str, kind: str, sure: bool
    ) -> None:
        assert column_grammar(name, {"cat"}) == (model, kind, sure)
