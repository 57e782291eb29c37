"""What the parts of a column's name say; silence where a name may mean something else."""

import pytest

from assay.evidence.name_parts import (
    counted_model,
    models_by_measure,
    numbered_place,
    of_training,
    runs_by_model,
    spread_of,
    total_of,
)


class TestRuns:
    def test_runs_of_models(self) -> None:
        found = runs_by_model(["rf_seed1", "rf_seed2", "lr_seed1", "lr_seed2"])
        assert found["rf_seed2"] == ("rf", "seed", "2")
        assert runs_by_model(["rf fold 1", "rf fold 2"])["rf fold 1"] == ("rf", "fold", "1")

    @pytest.mark.parametrize(
        "names", [["rf_seed1", "lr_seed1"], ["rf_seed1", "rf_seed2", "lr"], []]
    )
    def test_one_run_each_is_no_repetition(self, names: list[str]) -> None:
        assert runs_by_model(names) == {}

    @pytest.mark.parametrize(
        ("names", "place"),
        [
            (["fold_0", "fold_1"], "fold"),
            (["split0_test_score", "split1_test_score"], "fold"),
            (["Run 1", "Run 2"], "seed"),
            (["fold_0", "seed_1"], None),
            (["fold_0", "iris"], None),
            ([], None),
        ],
    )
    def test_what_names_number(self, names: list[str], place: str | None) -> None:
        assert numbered_place(names) == place


class TestParts:
    def test_training_beside_test(self) -> None:
        names = ["rf_train", "rf_test", "lr_train", "lr_test"]
        assert of_training(names) == ["rf_train", "lr_train"]
        assert of_training(["train_rf", "val_rf"]) == ["train_rf"]
        assert of_training(["rf_train", "lr_train"]) == []

    def test_a_part_belongs_to_the_measure(self) -> None:
        names = ["forest_train_acc", "forest_test_acc", "tree_train_acc", "tree_test_acc"]
        assert models_by_measure(names)["tree_test_acc"] == ("tree", "test_acc")

    def test_counts_and_totals(self) -> None:
        assert [counted_model(n) for n in ("rf_correct", "n_correct", "errors", "rf")] == [
            "rf",
            "",
            "",
            None,
        ]
        assert [total_of(name) for name in ("rf_total", "n", "number")] == ["rf", "", None]


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("gpt_rank", "gpt"),
        ("rank_gpt", "gpt"),
        ("gpt (rank)", "gpt"),
        ("gpt_time", "gpt"),
        ("gptq", None),
    ],
)
def test_what_stands_beside_a_model(name: str, of: str | None) -> None:
    """A model whose name is longer by a letter is another model: gptq is none of gpt."""
    assert spread_of(name, ["gpt", name]) == of
