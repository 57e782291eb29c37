"""`assay.board`: ranks, sets, winners, suites, aggregates, votes, costs and boards kept in a file."""

import json
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.board_results import Board
from assay.core.errors import EvidenceError, NotApplicable, UsageError

Right = dict[str, Any]


def right(n: int = 400, seed: int = 0, abilities: dict[str, float] | None = None) -> Right:
    """Right and wrong answers of models to items of different difficulty."""
    rng = np.random.default_rng(seed)
    chosen = abilities or {"opus": 1.6, "gpt": 1.5, "llama": 0.9, "phi": 0.0}
    hard = rng.normal(0, 1.5, n)
    return {
        name: (rng.random(n) < 1 / (1 + np.exp(hard - ability))).astype(int)
        for name, ability in chosen.items()
    }


def data_sets(n: int = 15, seed: int = 0, k: int = 4) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.4, 0.8, n)
    scores = {f"m{place}": level + 0.02 * place + rng.normal(0, 0.02, n) for place in range(k)}
    return {"dataset": [f"d{place}" for place in range(n)], **scores}


class TestItems:
    def test_ranks_sets_and_letters(self) -> None:
        found = assay.board(right(), correct=True)
        assert isinstance(found, Board)
        assert [row.model for row in found.rows] == ["opus", "gpt", "llama", "phi"]
        assert [row.rank for row in found.rows] == [1, 2, 3, 4]
        assert all(row.low <= row.rank <= row.high for row in found.rows)
        assert found.row("phi").low == found.row("phi").high == 4
        assert found.row("phi").letters not in (None, found.row("opus").letters)
        assert found.may_be_best[0] == "opus"
        assert "phi" not in found.may_be_best
        assert found.sentence.startswith("opus has the highest accuracy")

    def test_scores_are_the_accuracies(self) -> None:
        table = right()
        found = assay.board(table, correct=True)
        for row in found.rows:
            assert row.estimate.value == pytest.approx(table[row.model].mean())
            assert row.estimate.interval is not None
            assert row.estimate.interval.contains(row.estimate.value or 0.0)

    def test_intervals_hold_together_and_are_wider_than_single_ones(self) -> None:
        table = right()
        found = assay.board(table, correct=True)
        single = assay.evaluate(table, correct=True).estimates
        for one in single:
            ours = found.row(str(one.model)).estimate.interval
            assert ours is not None
            assert one.interval is not None
            assert ours.width > one.interval.width

    def test_the_sets_are_those_of_the_method(self) -> None:
        table = right()
        found = assay.board(table, correct=True)
        ranks = assay.rank_sets({name: list(map(float, one)) for name, one in table.items()})
        for one in ranks.estimates:
            row = found.row(str(one.model))
            assert one.interval is not None
            assert (one.interval.low, one.interval.high) == (row.low, row.high)

    def test_losses_rank_the_lowest_first(self) -> None:
        rng = np.random.default_rng(1)
        table = {"good": rng.exponential(1.0, 200), "bad": rng.exponential(2.0, 200)}
        found = assay.board(table, losses=True)
        assert [row.model for row in found.rows] == ["good", "bad"]
        assert found.direction == "lower"
        assert found.neighbours[0].difference > 0

    def test_other_measures(self) -> None:
        rng = np.random.default_rng(2)
        truth = rng.integers(0, 2, 300)
        table = {"truth": truth}
        for name, share in (("a", 0.9), ("b", 0.7)):
            table[name] = np.where(rng.random(300) < share, truth, 1 - truth)
        found = assay.board(table, measure="f1", positive=1)
        assert found.rows[0].model == "a"
        assert found.measure == "f1"
        assert found.pairs_apart == 1

    def test_clusters_are_the_units(self) -> None:
        table = right(n=300)
        table["document"] = [f"d{place // 10}" for place in range(300)]
        found = assay.board(table, correct=True, cluster="document")
        assert found.units == "300 items in 30 clusters"
        plain = assay.board(right(n=300), correct=True)
        assert found.rows[0].estimate.value == pytest.approx(plain.rows[0].estimate.value)

    def test_equal_scores_share_a_rank(self) -> None:
        table = right()
        found = assay.board({"b": table["gpt"], "a": table["gpt"], "c": table["phi"]}, correct=True)
        assert [(row.model, row.rank) for row in found.rows] == [("a", 1), ("b", 1), ("c", 3)]
        assert found.sentence.startswith("a and b share the highest accuracy")

    def test_the_same_seed_gives_the_same_board(self) -> None:
        assert assay.board(right(), correct=True) == assay.board(right(), correct=True)

    def test_methods_are_cited(self) -> None:
        text = assay.board(right(), correct=True).to_markdown()
        assert "Mogstad" in text
        assert "Andrews" in text

    def test_json_keeps_everything(self) -> None:
        found = assay.board(right(), correct=True)
        assert assay.from_json(assay.to_json(found)) == found


class TestSets:
    def test_marginal_sets_are_no_wider(self) -> None:
        joint = assay.board(right(n=150), correct=True)
        single = assay.board(right(n=150), correct=True, sets="marginal")
        for row in joint.rows:
            one = single.row(row.model)
            assert row.low <= one.low <= one.high <= row.high

    def test_the_best_m(self) -> None:
        found = assay.board(right(), correct=True, best=3)
        assert set(found.candidates) == {row.model for row in found.rows if row.low <= 3}
        assert assay.board(right(), correct=True).candidates == found.may_be_best

    def test_coverage_with_ties_and_few_data_sets(self) -> None:
        held = 0
        for seed in range(200):
            rng = np.random.default_rng(seed)
            scores = {f"m{place}": rng.normal(0, 1, 10) for place in range(4)}
            found = assay.board(
                {"dataset": [f"d{place}" for place in range(10)], **scores},
                measure="score", lower_is_better=False, n_resamples=999,
            )  # fmt: skip
            held += all(row.low == 1 for row in found.rows)
        assert held >= 179  # 190 expected at least; 0.1 % of binomial counts are below


class TestWinner:
    def test_is_the_first_row_corrected_downwards(self) -> None:
        found = assay.board(right(), correct=True)
        assert found.winner is not None
        assert found.winner.model == "opus"
        assert (found.winner.value or 0) <= (found.rows[0].estimate.value or 0)

    def test_needs_less_correction_than_best_of_where_the_lead_is_clear(self) -> None:
        rng = np.random.default_rng(0)
        table = {f"m{place}": (rng.random(400) < 0.6).astype(int) for place in range(12)}
        table["lead"] = (rng.random(400) < 0.85).astype(int)
        found = assay.board(table, correct=True)
        other = assay.best_of(np.column_stack(list(table.values())))
        assert found.winner is not None
        assert found.winner.interval is not None
        assert other.interval is not None
        naive = float(table["lead"].mean())
        assert naive - found.winner.interval.low <= 0.8 * (naive - other.interval.low)


class TestNeighbours:
    def test_planning_from_the_observed_difference(self) -> None:
        found = assay.board(right(), correct=True)
        pair = found.neighbours[0]
        assert (pair.better, pair.worse) == ("opus", "gpt")
        assert pair.planned == pytest.approx(pair.difference)
        assert pair.units is not None
        assert pair.units > 400
        assert found.neighbours[-1].units is None or not found.neighbours[-1].separated

    def test_the_interval_of_a_pair_says_what_its_decision_says(self) -> None:
        """Steps separate pairs that the first step leaves open: their intervals do not pass zero."""
        rng = np.random.default_rng(1)
        noise = rng.normal(0.0, 0.02, (12, 6))
        rows = [
            {"dataset": f"d{place}", **dict(zip("abcdef", noise[place] - step, strict=True))}
            for place, step in enumerate([np.arange(6) * 0.022] * 12)
        ]
        found = assay.board(rows, measure="score", lower_is_better=False, rng=0)
        assert any(pair.separated for pair in found.neighbours)
        for pair in found.neighbours:
            assert (pair.low >= 0.0) == pair.separated

    def test_planning_from_a_margin(self) -> None:
        wide, narrow = (
            assay.board(right(), correct=True, margin=one).neighbours[0].units
            for one in (0.01, 0.005)
        )
        assert narrow == pytest.approx(4 * (wide or 0), rel=0.01)


class TestDataSets:
    def test_ranks_over_data_sets(self) -> None:
        found = assay.board(data_sets(), measure="accuracy")
        assert found.rows[0].model == "m3"
        assert found.units == "15 data sets"
        assert "signed ranks" in found.does_not_say

    def test_says_where_signed_ranks_decide_otherwise(self) -> None:
        rng = np.random.default_rng(4)
        level = rng.uniform(0.5, 0.7, 12)
        steady = (level + 0.02 + rng.normal(0, 0.002, 12)).round(4)
        wild = level + np.where(np.arange(12) == 0, -0.9, 0.0)  # one data set decides the mean
        table = {"dataset": [*range(12)], "base": level, "steady": steady, "wild": wild - 0.01}
        found = assay.board(table, measure="score", lower_is_better=False)
        compared = assay.compare(table, measure="score", lower_is_better=False)
        differ = sum(one.word in ("better", "worse") for one in compared.verdicts)
        assert (
            f"By signed ranks {differ} of 3 pairs differ. Only by signed ranks: "
            in found.does_not_say
        )
        assert "base and wild" in found.does_not_say
        alike = {**table, "wild": (level - 0.05 + rng.normal(0, 0.002, 12)).round(4)}
        found = assay.board(alike, measure="score", lower_is_better=False)
        assert "By signed ranks 3 of 3 pairs differ, the same ones." in found.does_not_say

    def test_four_data_sets_decide_nothing_and_say_so(self) -> None:
        found = assay.board(data_sets(n=4), measure="accuracy")
        assert all((row.low, row.high) == (1, 4) for row in found.rows)
        assert "ranks-out-of-reach" in [one.code for one in found.notes]

    def test_an_unknown_direction_is_asked(self) -> None:
        with pytest.raises(assay.AmbiguousEvidence, match="higher or lower"):
            assay.board(data_sets(), measure="goodness")

    @pytest.mark.parametrize(
        "name", ["mean_rank", "win_rate", "borda", "iqm", "improvability", "elo"]
    )
    def test_aggregates_have_sets_and_intervals(self, name: str) -> None:
        found = assay.board(data_sets(), measure="accuracy", aggregate=name)
        assert found.aggregate == name
        assert found.rows[0].model == "m3"
        assert all(row.estimate.interval is not None for row in found.rows)
        assert found.rows[0].low == 1

    def test_mean_rank_and_win_rate_decide_alike(self) -> None:
        ranks = assay.board(data_sets(), measure="accuracy", aggregate="mean_rank")
        wins = assay.board(data_sets(), measure="accuracy", aggregate="win_rate")
        assert [(row.model, row.low, row.high) for row in ranks.rows] == [
            (row.model, row.low, row.high) for row in wins.rows
        ]

    def test_skill_beside_a_baseline(self) -> None:
        found = assay.board(data_sets(), measure="accuracy", aggregate="skill_score", baseline="m0")
        assert found.row("m0").estimate.value == 0.0


class TestSuites:
    def table(self) -> Right:
        table = right(n=300)
        table["task"] = (["mmlu_law"] * 60 + ["mmlu_math"] * 90 + ["gsm"] * 150)[:300]
        return table

    def test_the_mean_of_task_means(self) -> None:
        table = self.table()
        found = assay.board(table, correct=True, suite="task")
        tasks = np.array(table["task"])
        for row in found.rows:
            means = [table[row.model][tasks == name].mean() for name in found.tasks]
            assert row.estimate.value == pytest.approx(np.mean(means))
            assert row.tasks == pytest.approx(means)
        assert found.weights == pytest.approx([1 / 3] * 3)
        assert found.units == "300 items of 3 tasks"

    def test_by_items_groups_and_given_weights(self) -> None:
        table = self.table()
        by_items = assay.board(table, correct=True, suite="task", weights="items")
        assert by_items.rows[0].estimate.value == pytest.approx(
            table[by_items.rows[0].model].mean()
        )
        groups = assay.board(table, correct=True, suite="task", weights="groups")
        assert dict(zip(groups.tasks, groups.weights, strict=True))["gsm"] == pytest.approx(0.5)
        given = assay.board(
            table, correct=True, suite="task", weights={"gsm": 2, "mmlu_law": 1, "mmlu_math": 1}
        )
        assert given.rows == groups.rows

    def test_tasks_as_a_sample_are_less_sure(self) -> None:
        fixed = assay.board(self.table(), correct=True, suite="task")
        sample = assay.board(self.table(), correct=True, suite="task", tasks_as="sample")
        assert sample.units == "3 tasks"
        assert sum(row.high - row.low for row in sample.rows) >= sum(
            row.high - row.low for row in fixed.rows
        )

    def test_options_of_suites_need_one(self) -> None:
        with pytest.raises(UsageError, match="suite="):
            assay.board(right(), correct=True, weights="items")
        with pytest.raises(UsageError, match="one task"):
            assay.board({**right(), "task": ["x"] * 400}, correct=True, suite="task")
        with pytest.raises(UsageError, match="already make a board over data sets"):
            assay.board(data_sets(), measure="accuracy", unit="dataset", suite="dataset")


class TestVotes:
    def votes(self, n: int = 600) -> dict[str, list[str]]:
        rng = np.random.default_rng(0)
        strength = {"a": 1.0, "b": 0.5, "c": 0.0}
        first = rng.choice(list(strength), n)
        second = np.array([rng.choice([name for name in strength if name != one]) for one in first])
        ahead = np.array([strength[x] - strength[y] for x, y in zip(first, second, strict=True)])
        won = np.where(rng.random(n) < 1 / (1 + np.exp(-ahead)), first, second)
        return {"model_a": list(first), "model_b": list(second), "winner": list(won)}

    def test_elo_with_sets(self) -> None:
        found = assay.board(self.votes(), votes=True)
        assert [row.model for row in found.rows] == ["a", "b", "c"]
        assert np.mean([row.estimate.value for row in found.rows]) == pytest.approx(1000.0)
        assert found.units == "600 votes"
        assert found.row("c").low == 3

    def test_ratings_are_bradley_terry(self) -> None:
        found = assay.board(self.votes(), votes=True)
        strengths = {one.model: one.value for one in assay.bradley_terry(self.votes()).estimates}
        gap = (found.row("a").estimate.value or 0) - (found.row("c").estimate.value or 0)
        assert gap * np.log(10) / 400 == pytest.approx(
            (strengths["a"] or 0) - (strengths["c"] or 0), abs=1e-6
        )

    def test_a_model_that_never_lost_has_no_rating(self) -> None:
        votes = {"model_a": ["a", "a", "b"], "model_b": ["b", "c", "c"], "winner": ["a", "a", "b"]}
        with pytest.raises(NotApplicable, match="no finite rating"):
            assay.board(votes, votes=True)


class TestFront:
    def test_who_is_on_it(self) -> None:
        cost = {"opus": 15.0, "gpt": 20.0, "llama": 1.0, "phi": 2.0}
        found = assay.board(right(n=2000), correct=True, cost=cost)
        standing = {row.model: row.standing for row in found.rows}
        assert standing["phi"] == "off"  # llama is better and cheaper
        assert standing["llama"] == "on"
        assert standing["gpt"] in ("maybe", "off")
        assert found.row("opus").cost == 15.0

    def test_costs_that_vary(self) -> None:
        rng = np.random.default_rng(3)
        cost = {
            name: rng.exponential(mean, 2000)
            for name, mean in {"opus": 5, "gpt": 5.05, "llama": 1, "phi": 3}.items()
        }
        found = assay.board(right(n=2000), correct=True, cost=cost)
        standing = {row.model: row.standing for row in found.rows}
        assert standing["phi"] == "off"
        assert standing["llama"] == "on"

    def test_every_model_needs_a_cost(self) -> None:
        with pytest.raises(UsageError, match="no cost of"):
            assay.board(right(), correct=True, cost={"opus": 1.0})


class TestLedger:
    def test_a_model_is_added_without_changing_what_was_decided(self, tmp_path: Path) -> None:
        file = tmp_path / "board.json"
        table = right(n=800)
        first = assay.board(
            {name: table[name] for name in ("opus", "gpt", "phi")}, correct=True, ledger=file
        )
        assert first.ledger is not None
        assert first.ledger.arrivals == 0
        assert first.ledger.share == pytest.approx(6 / np.pi**2)
        before = {tuple(pair) for pair in json.loads(file.read_text())["better"]}
        second = assay.board(table, correct=True, ledger=file)
        assert second.ledger is not None
        assert second.ledger.added == ("llama",)
        assert second.ledger.share == pytest.approx(6 / np.pi**2 / 4)
        after = {tuple(pair) for pair in json.loads(file.read_text())["better"]}
        assert before <= after
        assert all("llama" in pair for pair in after - before)
        assert "kept-board" in [one.code for one in second.notes]

    def test_looking_again_costs_nothing(self, tmp_path: Path) -> None:
        file = tmp_path / "board.json"
        first = assay.board(right(), correct=True, ledger=file)
        kept = file.read_text()
        again = assay.board(right(), correct=True, ledger=file)
        assert file.read_text() == kept
        assert [(row.low, row.high) for row in again.rows] == [
            (row.low, row.high) for row in first.rows
        ]

    def test_what_is_not_the_same_board_is_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "board.json"
        table = right()
        assay.board(table, correct=True, ledger=file)
        with pytest.raises(UsageError, match=r"level is 0\.95"):
            assay.board(table, correct=True, ledger=file, level=0.9)
        with pytest.raises(UsageError, match="lacks phi"):
            assay.board(
                {name: table[name] for name in ("opus", "gpt", "llama")}, correct=True, ledger=file
            )
        with pytest.raises(UsageError, match="a new model"):
            assay.board({**table, "phi": 1 - table["phi"]}, correct=True, ledger=file)
        with pytest.raises(UsageError, match="joint"):
            assay.board(table, correct=True, ledger=file, sets="marginal")

    def test_a_file_that_is_no_board_is_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "other.json"
        file.write_text("[1, 2]")
        with pytest.raises(EvidenceError, match="no board"):
            assay.board(right(), correct=True, ledger=file)
        file.write_text("{")
        with pytest.raises(EvidenceError, match="no board"):
            assay.board(right(), correct=True, ledger=file)

    @pytest.mark.parametrize(
        ("part", "value"),
        [
            ("arrivals", True), ("arrivals", []), ("scores", [1]), ("scores", {"opus": "high"}),
            ("better", [["opus"]]), ("better", [["opus", "stranger"]]), ("level", None),
        ],
    )  # fmt: skip
    def test_a_board_that_was_changed_is_refused(
        self, tmp_path: Path, part: str, value: object
    ) -> None:
        file = tmp_path / "kept.json"
        assay.board(right(), correct=True, ledger=file)
        file.write_text(json.dumps({**json.loads(file.read_text()), part: value}))
        with pytest.raises(EvidenceError, match="is damaged"):
            assay.board(right(), correct=True, ledger=file)


class TestSize:
    """Time and memory go with models x items, not with pairs x items."""

    def test_many_models_take_little_time(self) -> None:
        evidence = assay.read(
            right(n=500, abilities={f"m{n}": 0.01 * n for n in range(134)}), correct=True
        )
        assay.board(evidence)  # loads what is loaded once
        begun = time.process_time()
        assay.board(evidence)
        assert time.process_time() - begun < 1.0

    def test_many_items_take_little_memory(self) -> None:
        table = right(n=40_000, abilities={f"m{n}": 0.02 * n for n in range(40)})
        evidence = assay.read(table, correct=True)
        tracemalloc.start()
        try:
            assay.board(evidence, n_resamples=499)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 8 * 40_000 * 40 * 8  # 780 pairs would be 20 times the table each


class TestRefusals:
    def test_no_evidence(self) -> None:
        with pytest.raises(UsageError, match="give the evidence"):
            assay.board()

    def test_one_item(self) -> None:
        with pytest.raises(EvidenceError, match="two or more"):
            assay.board({"a": [1], "b": [0]}, correct=True)

    def test_a_level_near_one_has_draws_enough(self) -> None:
        found = assay.board(right(n=2000), correct=True, level=0.999)
        assert dict(found.details)["n_resamples"] == 50_000
        assert found.row("phi").low == 4

    def test_one_model(self) -> None:
        with pytest.raises(UsageError, match="two or more"):
            assay.board({"a": [1, 0, 1]}, correct=True)

    def test_different_items(self) -> None:
        truth = {"truth": [0, 1, 0, 1]}
        with pytest.raises(NotApplicable, match="different items"):
            assay.board(
                {**truth, "a": [0, 1, 1, 1]},
                {**truth, "b": [0, 0, 0, 1]},
                truth="truth",
                paired=False,
            )

    @pytest.mark.parametrize("option", [{"sets": "both"}, {"best": 0}, {"tasks_as": "some"}])
    def test_options(self, option: dict[str, Any]) -> None:
        with pytest.raises(UsageError):
            assay.board(right(), correct=True, **option)
