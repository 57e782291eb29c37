"""The mistakes: what is claimed about them holds, and the page says what a run says."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binomtest
from sklearn.linear_model import Ridge
from sklearn.neighbors import NearestCentroid

import assay
from assay.cli.main import cli
from assay.core.errors import UsageError
from assay.plots.cliques import cliques
from assay.report.pitfalls_view import misuse_document, misuse_table, pitfalls_page
from assay.simulate import batched_methods, misuse_trials
from assay.simulate.misuse_catalogue import Measured, MisuseRate, mistakes_of, run_misuse

PAGE = Path(__file__).parent.parent.parent / "docs" / "pitfalls.md"
ASKED = {  # A10 and issue 5
    "naive-folds", "unpaired-z", "f1-by-mcnemar", "direction-from-data", "baseline-from-data",
    "diagram-against-test", "peeking", "wald-at-zero", "few-positives", "pooled-auc",
}  # fmt: skip


@pytest.fixture(scope="module")
def quick() -> dict[str, Measured]:
    return {one.mistake.id: one for one in run_misuse(scale=0.4, bars=cliques, rng=11)}


def agrees(rate: MisuseRate, nominal: float) -> bool:
    """Whether the count could come from the nominal rate (0.1 % beyond on each side)."""
    return float(binomtest(rate.count, rate.replicates, nominal).pvalue) > 0.002


class TestClaims:
    """A quick run with another seed: the naive way errs, ours does not."""

    def test_all_that_was_asked_for(self, quick: dict[str, Measured]) -> None:
        assert set(quick) >= ASKED

    @pytest.mark.parametrize(
        ("name", "at_least"),
        [
            ("naive-folds", 0.3),
            ("f1-by-mcnemar", 0.6),
            ("direction-from-data", 0.085),
            ("baseline-from-data", 0.15),
            ("peeking", 0.15),
        ],
    )
    def test_false_alarms(self, quick: dict[str, Measured], name: str, at_least: float) -> None:
        one = quick[name]
        assert one.naive.interval.low > 0.05
        assert one.naive.value > at_least
        assert agrees(one.ours, 0.05) or one.ours.value < 0.05

    @pytest.mark.parametrize("name", ["wald-at-zero", "few-positives", "best-on-test"])
    def test_coverage(self, quick: dict[str, Measured], name: str) -> None:
        one = quick[name]
        assert one.naive.interval.high < 0.95
        assert one.naive.value < 0.85
        assert agrees(one.ours, 0.95) or one.ours.value > 0.95

    def test_power_is_thrown_away(self, quick: dict[str, Measured]) -> None:
        one = quick["unpaired-z"]
        assert one.naive.value < 0.05
        assert one.ours.value > 0.6

    def test_pooling_reverses_the_ranking(self, quick: dict[str, Measured]) -> None:
        one = quick["pooled-auc"]
        assert one.naive.value > 0.7
        assert agrees(one.ours, 0.5)

    def test_our_diagrams_never_contradict(self, quick: dict[str, Measured]) -> None:
        one = quick["diagram-against-test"]
        assert one.naive.value > 0.1
        assert one.ours.count == 0

    def test_same_seed_same_counts_whatever_else_runs(self, quick: dict[str, Measured]) -> None:
        again = run_misuse(["peeking"], scale=0.4, bars=cliques, rng=11)
        assert again[0].naive == quick["peeking"].naive


class TestWays:
    """The arithmetic on arrays is that of the methods."""

    CELLS = np.random.default_rng(0).multinomial(80, [0.7, 0.1, 0.05, 0.15], size=30)

    def test_mcnemar(self) -> None:
        expected = [assay.mcnemar(*row.tolist()).p_value for row in self.CELLS]
        assert batched_methods.mcnemar_p(self.CELLS) == pytest.approx(np.array(expected))
        assert batched_methods.mcnemar_p(np.array([10, 0, 0, 3])) == 1.0

    def test_two_proportions(self) -> None:
        expected = []
        for _, only_a, only_b, both_wrong in self.CELLS.tolist():
            counts = (only_b + both_wrong, 80, only_a + both_wrong, 80)
            expected.append(assay.two_proportions_z(*counts).p_value)
        assert misuse_trials.z_p(self.CELLS) == pytest.approx(np.array(expected))

    def test_t(self) -> None:
        rows = np.random.default_rng(1).normal(size=(5, 12))
        expected = [assay.paired_t(row).p_value for row in rows]
        assert misuse_trials._t_p(rows) == pytest.approx(np.array(expected))

    def test_learners_are_what_they_are_called(self) -> None:
        rng = np.random.default_rng(2)
        truth, folds = np.arange(40) % 2, np.arange(40) // 2 % 5
        features = rng.normal(size=(40, 5))
        scores = misuse_trials.ridge_scores(features, truth, folds, penalty=3.0)
        out = folds == 2
        fitted = Ridge(alpha=3.0).fit(features[~out], truth[~out])
        assert scores[out] == pytest.approx(fitted.predict(features[out]))

    def test_folds_are_scored_by_models_that_did_not_see_them(self) -> None:
        rng = np.random.default_rng(3)
        truth = np.arange(100) % 2
        features = 0.4 * (2 * truth[:, None] - 1) + rng.normal(size=(100, 4))
        found = misuse_trials.fold_differences(features, truth, np.random.default_rng(4))
        assert found.shape == (10, 10)
        fold = np.random.default_rng(4).permutation(100) % 10
        for place in range(10):
            out = fold == place
            accuracies = [
                NearestCentroid()
                .fit(features[~out, mine], truth[~out])
                .score(features[out, mine], truth[out])
                for mine in (slice(0, 2), slice(2, 4))
            ]
            assert found[0, place] == pytest.approx(accuracies[0] - accuracies[1])

    def test_f1_is_equal_in_its_world(self) -> None:
        rows = [(t, a, b) for t in (0, 1) for a in (0, 1) for b in (0, 1)]
        share = {row: misuse_trials._share(*row) for row in rows}
        assert sum(share.values()) == pytest.approx(1.0)
        for model in (1, 2):
            hits = sum(p for row, p in share.items() if row[0] == 1 and row[model] == 1)
            wrong = sum(p for row, p in share.items() if row[0] != row[model])
            assert 2 * hits / (2 * hits + wrong) == pytest.approx(2 / 3)

    def test_contradictions(self) -> None:
        apart = np.array([[False, True, False], [True, False, True], [False, True, False]])
        assert misuse_trials.naive_bars(apart) == ((0, 2),)
        assert misuse_trials.contradicts(((0, 2),), apart)  # a bar over a pair told apart
        chain = np.array([[False, False, True], [False, False, False], [True, False, False]])
        assert misuse_trials.naive_bars(chain) == ((0, 1), (1, 2))
        assert not misuse_trials.contradicts(((0, 1), (1, 2)), chain)
        assert misuse_trials.contradicts(((0, 1),), chain)  # a pair not told apart, and no bar


class TestRun:
    def test_names_and_scales_that_are_none(self) -> None:
        with pytest.raises(UsageError, match="mistake is one of"):
            run_misuse(["optimism"])
        with pytest.raises(UsageError, match="above 0"):
            run_misuse(["peeking"], scale=0.0)

    def test_the_diagram_needs_a_rule_to_draw_by(self) -> None:
        assert "diagram-against-test" not in {one.id for one in mistakes_of()}
        assert "diagram-against-test" in {one.id for one in mistakes_of(cliques)}

    def test_shown(self, quick: dict[str, Measured]) -> None:
        found = tuple(quick.values())
        assert "Naive t on 10 times 10 folds" in misuse_table(found)
        document: list[dict[str, Any]] = misuse_document(found)
        assert {one["id"] for one in document} == set(quick)
        assert all(
            one["naive"]["low"] <= one["naive"]["rate"] <= one["naive"]["high"] for one in document
        )


class TestPage:
    """docs/pitfalls.md: `assay demo misuse --format markdown > docs/pitfalls.md` makes it anew."""

    def test_words_are_those_of_the_records(self, quick: dict[str, Measured]) -> None:
        def words(text: str) -> str:
            return re.sub(r"[\d.]+% \[[\d., ]+\]|In [\d,]+ samples", "", text)

        assert words(PAGE.read_text()) == words(pitfalls_page(tuple(quick.values())))

    def test_its_numbers_agree_with_this_run(self, quick: dict[str, Measured]) -> None:
        rows = re.findall(
            r"\(#([\w-]+)\).*?\| ([\d.]+)% \[([\d.]+), ([\d.]+)\] \| ([\d.]+)% \[([\d.]+), ([\d.]+)\]",
            PAGE.read_text(),
        )
        assert {row[0] for row in rows} == set(quick)
        for name, _, naive_low, naive_high, _, ours_low, ours_high in rows:
            for rate, low, high in (
                (quick[name].naive, naive_low, naive_high),
                (quick[name].ours, ours_low, ours_high),
            ):
                assert 100 * rate.interval.low <= float(high) + 0.1, name
                assert 100 * rate.interval.high >= float(low) - 0.1, name


class TestCommand:
    @staticmethod
    def run(*arguments: str) -> str:
        done = CliRunner().invoke(cli, ["demo", "misuse", "--scale", "0.01", *arguments])
        assert done.exit_code == 0, done.output
        return done.stdout

    def test_every_format(self) -> None:
        assert self.run().startswith("Classic mistakes, run and measured")
        assert len(json.loads(self.run("--format", "json"))) == len(mistakes_of(cliques))
        assert self.run("--format", "markdown").startswith("# Pitfalls, measured")

    def test_the_demo_without_a_word_is_still_the_tour(self) -> None:
        shown = CliRunner().invoke(cli, ["demo", "--help"]).stdout
        assert "--folder" in shown
        assert "misuse" in shown
