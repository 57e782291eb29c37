"""The gate: the rule on the bounds, however the evidence came; its errors counted."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import binom

import assay
from assay.compare.gate import gate
from assay.compare.gate_error_rate import rehearse, spoilt, symmetric
from assay.compare.gate_resampling import DECIDERS, Contest
from assay.compare.gate_rule import Demand, judge, judge_all
from assay.compare.gate_terms import terms_of
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.gate_results import GateTrial
from assay.core.methods import catalogue
from assay.core.questions import AmbiguousEvidence
from assay.core.rng import stream
from assay.core.wire import from_json, to_json

ALPHA = 0.05


def labels(n: int = 600, *, seed: int = 1, worse: float = 0.0) -> dict[str, Any]:
    """Two models of one error rate on the same items, the new one worse by ``worse``."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    hard = rng.random(n) < 0.08
    old = np.where(hard | (rng.random(n) < 0.05), 1 - truth, truth)
    new = np.where(hard | (rng.random(n) < 0.05 + worse), 1 - truth, truth)
    return {"truth": truth, "old": old, "new": new}


def scores(n: int = 400, *, seed: int = 2) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    shared = rng.normal(size=n)
    return {
        "truth": truth,
        "old": 1.5 * truth + shared + rng.normal(size=n),
        "new": 10 * (1.5 * truth + shared + rng.normal(size=n)),  # on a scale of its own
    }


def clustered(groups: int = 40, size: int = 10, *, seed: int = 3) -> dict[str, Any]:
    """Items in clusters that are hard for one model or the other as a whole."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, groups * size)
    columns: dict[str, Any] = {"truth": truth, "cluster": np.repeat(np.arange(groups), size)}
    for name in ("old", "new"):
        hard = np.repeat(rng.beta(0.6, 3.0, groups), size)
        columns[name] = np.where(rng.random(truth.size) < hard, 1 - truth, truth)
    return columns


def opened(evidence: Any, **options: Any) -> assay.Gate:
    return gate(evidence, baseline="old", candidate="new", rng=7, **options)


class TestRule:
    @pytest.mark.parametrize(
        ("low", "high", "word"),
        [
            (0.01, 0.03, "passed"),  # better
            (-0.004, 0.01, "passed"),  # not worse by the margin
            (-0.004, -0.001, "passed"),  # worse, and not by the margin
            (-0.005, 0.01, "undecided"),  # the bound must clear the margin
            (-0.02, 0.01, "undecided"),
            (-0.02, 0.0, "undecided"),
            (-0.02, -0.001, "failed"),
            (-0.03, -0.01, "failed"),
            (None, None, "undecided"),  # without bounds nothing passes
        ],
    )
    def test_every_place_of_the_bounds(
        self, low: float | None, high: float | None, word: str
    ) -> None:
        assert judge((low, high), Demand.not_worse(0.005)) == word

    @given(st.lists(st.tuples(st.floats(-4, 4), st.floats(0.01, 2)), min_size=1, max_size=6))
    def test_holm_is_the_step_down_of_p_values(self, found: list[tuple[float, float]]) -> None:
        """Bounds of normal estimates with standard error 1, against adjusted p-values."""
        demands = [Demand.not_worse(margin) for _, margin in found]

        def bounds(place: int, share: float) -> tuple[float, float]:
            reach = float(-ndtri(share))
            return found[place][0] - reach, found[place][0] + reach

        words = [one.word for one in judge_all(bounds, demands, alpha=ALPHA, rule="holm")]
        not_worse = assay.holm([float(ndtr(-(value + margin))) for value, margin in found])
        for place, (p, word) in enumerate(zip(not_worse, words, strict=True)):
            if abs(p - ALPHA) > 1e-9:
                assert (word == "passed") == (p < ALPHA), place
        if "failed" in words:
            worse = assay.holm([float(ndtr(value)) for value, _ in found])
            assert min(worse) <= ALPHA + 1e-9

    def test_all_at_once_tests_each_at_alpha(self) -> None:
        asked = []

        def bounds(place: int, share: float) -> tuple[float, float]:
            asked.append((place, share))
            return (-0.5, 0.5)

        demands = [Demand.not_worse(1), Demand.not_worse(1)]
        judged = judge_all(bounds, demands, alpha=ALPHA, rule="all")
        assert {one.word for one in judged} == {"passed"}
        assert asked == [(0, ALPHA), (1, ALPHA)]


class TestBounds:
    """The bound is the one-sided one of the procedure that `compare` chooses."""

    def test_labels_have_tangos(self) -> None:
        evidence = labels(worse=0.03)
        check = opened(evidence, margin=0.01).checks[0]
        a, b = evidence["new"] == evidence["truth"], evidence["old"] == evidence["truth"]
        cells = [int((x & y).sum()) for x, y in ((a, b), (a, ~b), (~a, b), (~a, ~b))]
        low = assay.tango(*cells, alternative="greater").interval
        high = assay.tango(*cells, alternative="less").interval
        assert check.low == pytest.approx(low.low, abs=1e-9)
        assert check.high == pytest.approx(high.high, abs=1e-9)

    @pytest.mark.parametrize("margin", [0.005, 0.01, 0.02, 0.04])
    def test_passes_exactly_when_non_inferiority_is_shown(self, margin: float) -> None:
        evidence = labels(worse=0.01)
        test = assay.non_inferiority_paired_proportions(
            assay.read(evidence).select("new", "old"), margin=margin
        )
        assert (opened(evidence, margin=margin).word == "passed") == test.rejects(ALPHA)

    def test_scores_have_delongs(self) -> None:
        evidence = scores()
        check = opened(evidence, margin=0.02).checks[0]
        outcome = assay.delong_test(
            evidence["truth"], evidence["new"], evidence["old"], variant="t", alternative="greater"
        )
        assert check.measure == "roc_auc"
        assert check.low == pytest.approx(outcome.effect.interval.low, abs=1e-9)

    def test_clusters_and_weights_are_honoured(self) -> None:
        evidence = clustered()
        plain = {name: column for name, column in evidence.items() if name != "cluster"}
        found, naive = (opened(one, margin=0.05).checks[0] for one in (evidence, plain))
        assert found.low is not None
        assert naive.low is not None
        assert found.low < naive.low - 0.01
        right = [evidence[name] == evidence["truth"] for name in ("new", "old")]
        by_hand = assay.cluster_difference(*right, evidence["cluster"], alternative="greater")
        assert found.low == pytest.approx(by_hand.interval.low, abs=1e-9)
        weighted = opened({**plain, "sample_weight": np.arange(1, 401)}, margin=0.05)
        assert weighted.comparisons[0].choice.method == "paired_jackknife"

    def test_positive_is_better_whatever_the_direction(self) -> None:
        evidence = labels(worse=0.2)
        one, other = (
            opened(evidence, margin=0.01, measures=m).checks[0] for m in ("accuracy", "error_rate")
        )
        assert one.word == other.word == "failed"
        assert (one.low, one.high) == pytest.approx((other.low, other.high))
        assert one.difference == pytest.approx(other.difference)
        assert one.difference is not None
        assert one.difference < 0

    def test_scores_by_data_set(self) -> None:
        rng = np.random.default_rng(4)
        old = 0.8 + 0.1 * rng.random(20)
        table = {
            "dataset": [f"d{i}" for i in range(20)],
            "old": old,
            "new": old + 0.02 * rng.random(20),
        }
        said: dict[str, Any] = {"unit": "dataset", "lower_is_better": False}
        with pytest.raises(AmbiguousEvidence, match="Which is better, higher or lower"):
            gate(table, baseline="old", candidate="new", margin=0.01, unit="dataset")
        found = gate(table, baseline="old", candidate="new", margin=0.01, **said)
        assert found.word == "passed"
        assert found.comparisons[0].choice.method == "wilcoxon"

    def test_different_items(self) -> None:
        evidence = labels(2000)
        parts = [
            {"truth": evidence["truth"][half], name: evidence[name][half]}
            for name, half in (("old", slice(0, 1000)), ("new", slice(1000, 2000)))
        ]
        found = gate(*parts, margin=0.05, paired=False)
        assert (found.baseline, found.candidate) == ("old", "new")
        assert found.comparisons[0].choice.method == "two_proportions_z"


class TestIdenticalModels:
    """Zero variance never means zero width."""

    @pytest.mark.parametrize(("n", "word"), [(100, "undecided"), (2000, "passed")])
    def test_labels_pass_only_if_the_score_bound_clears(self, n: int, word: str) -> None:
        evidence = labels(n)
        found = opened({**evidence, "new": evidence["old"]}, margin=0.01)
        z2 = float(ndtri(0.95)) ** 2
        assert found.word == word
        assert found.checks[0].low == pytest.approx(-z2 / (n + z2))

    @pytest.mark.parametrize(("groups", "word"), [(20, "undecided"), (300, "passed")])
    def test_clusters_count_not_items(self, groups: int, word: str) -> None:
        evidence = clustered(groups)
        found = opened({**evidence, "new": evidence["old"]}, margin=0.01)
        assert found.word == word
        tango = assay.tango(groups, 0, 0, 0, level=0.9).interval
        assert tango is not None
        assert found.checks[0].low == pytest.approx(tango.low)
        assert [note.code for note in found.notes] == ["no-disagreement"]

    def test_areas(self) -> None:
        evidence = scores(100)
        found = opened({**evidence, "new": evidence["old"]}, margin=0.01)
        assert found.word == "undecided"
        assert found.checks[0].low is not None
        assert found.checks[0].low < -0.01

    def test_an_unbounded_loss_never_passes(self) -> None:
        values = np.random.default_rng(0).normal(size=5000)
        found = opened({"truth": values, "old": values + 1, "new": values + 1}, margin=10.0)
        assert found.word == "undecided"
        assert found.checks[0].low is None
        assert "has no interval, so the gate cannot pass" in found.sentence


class TestSeveralMeasures:
    def test_all_must_pass(self) -> None:
        evidence = labels(1500)
        found = opened(evidence, margin={"accuracy": 0.05, "mcc": 0.0001})
        assert [check.word for check in found.checks] == ["passed", "undecided"]
        assert (found.word, found.exit_code) == ("undecided", 3)
        assert found.margins == {"accuracy": 0.05, "mcc": 0.0001}

    def test_one_failure_fails(self) -> None:
        found = opened(labels(1500, worse=0.1), margin={"accuracy": 0.5, "f1": 0.01})
        assert [check.word for check in found.checks] == ["passed", "failed"]
        assert (found.word, found.exit_code) == ("failed", 1)

    def test_holm_asks_more_of_each(self) -> None:
        evidence, margin = labels(800, worse=0.03), 0.05
        plain, holm = (
            opened(evidence, margin=margin, measures=["accuracy", "f1"], holm=h)
            for h in (False, True)
        )
        assert plain.checks[0].level == 0.95
        assert max(check.level for check in holm.checks) == 0.975
        assert holm.rule == "holm"


class TestEvidence:
    def test_two_files_the_first_is_the_baseline(self, tmp_path: Path) -> None:
        evidence = labels(300, worse=0.3)
        for name in ("old", "new"):
            rows = zip(range(300), evidence["truth"], evidence[name], strict=True)
            text = "item,y,prediction\n" + "\n".join(",".join(map(str, row)) for row in rows)
            (tmp_path / f"{name}.csv").write_text(text)
        paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
        found = gate(*paths, margin=0.01)
        assert (found.baseline, found.candidate, found.word) == ("old", "new", "failed")
        assert gate(baseline=paths[0], candidate=paths[1], margin=0.01, rng=found.seed) == found
        assert gate(*paths[::-1], margin=0.01).word == "passed"

    def test_a_truth_before_predictions_is_no_baseline(self) -> None:
        truth, new = (labels(300)[name] for name in ("truth", "new"))
        for predicted in (new, {"new": new}):
            assert gate(truth, predicted, at_least={"accuracy": 0.7}).word == "passed"
            with pytest.raises(UsageError, match="a gate with a margin compares two models"):
                gate(truth, predicted, margin=0.01)
        with pytest.raises(UsageError, match=r"which model is the baseline.*baseline="):
            gate(truth, {"new": new, "old": truth}, margin=0.01)

    def test_frames_are_joined_by_id(self) -> None:
        evidence = labels(300)
        old, new = (
            {"id": range(300), "y": evidence["truth"], m: evidence[m]} for m in ("old", "new")
        )
        found = gate(old, new, margin=0.1)
        assert (found.baseline, found.candidate, found.word) == ("old", "new", "passed")

    def test_reads_back_from_json_and_repeats(self) -> None:
        found = opened(labels(), margin=0.02, measures="f1", aa=20)
        assert from_json(to_json(found)) == found
        assert opened(labels(), margin=0.02, measures="f1", aa=20) == found

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({}, "needs a margin"),
            ({"margin": 0.0}, "above 0"),
            ({"margin": 0.01, "level": 95}, "did you mean 0.95"),
            ({"margin": 0.01, "level": 0.05}, "above 0.5"),
            ({"margin": {"f1": 0.01}, "measures": ["accuracy"]}, "'f1', which is not among"),
            ({"margin": {"f1": 0.01}, "measures": ["accuracy", "f1"]}, "no margin for 'accuracy'"),
            ({"margin": 0.01, "measures": []}, "at least one measure"),
            ({"margin": 0.01, "measures": ["f1", "f1"]}, "named twice"),
            ({"margin": 0.01, "on_undecided": "shrug"}, "on_undecided is one of"),
        ],
    )
    def test_terms_that_are_none(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            opened(labels(50), **options)

    def test_names_that_are_missing_or_the_same(self) -> None:
        evidence = labels(50)
        with pytest.raises(UsageError, match="which model is the baseline"):
            gate(evidence, margin=0.1)
        with pytest.raises(UsageError, match="which model is the candidate"):
            gate({**evidence, "third": evidence["old"]}, baseline="old", margin=0.1)
        with pytest.raises(UsageError, match="both 'old'"):
            gate(evidence, baseline="old", candidate="old", margin=0.1)
        with pytest.raises(EvidenceError, match=r"no (model|column) 'younger'"):
            gate(evidence, baseline="old", candidate="younger", margin=0.1)
        with pytest.raises(UsageError, match="got 3 sources"):
            gate(evidence, evidence, evidence, margin=0.1)


class TestTerms:
    FILE = 'level = 0.9\nholm = true\non_undecided = "warn"\nmargin = 0.02\n[margins]\nf1 = 0.01\n'

    def from_file(self, tmp_path: Path, text: str, **given: Any) -> Any:
        path = tmp_path / "gate.toml"
        path.write_text(text)
        nothing = dict.fromkeys(("margin", "measures", "level", "holm", "on_undecided"))
        return terms_of(**{**nothing, **given}, config=path)

    def test_a_committed_file(self, tmp_path: Path) -> None:
        terms = self.from_file(tmp_path, 'measures = ["accuracy", "f1"]\n' + self.FILE)
        assert terms.measures == (("accuracy", 0.02), ("f1", 0.01))
        assert (terms.level, terms.rule, terms.on_undecided) == (0.9, "holm", "warn")

    def test_measures_are_those_with_margins(self, tmp_path: Path) -> None:
        assert self.from_file(tmp_path, "[margins]\nf1 = 0.01\n").measures == (("f1", 0.01),)

    @pytest.mark.parametrize(
        ("text", "given", "message"),
        [
            ("margin = 0.01\nlevle = 0.9", {}, "has no levle; it may have margin"),
            ('margin = "small"', {}, r"Expected `float \| null`"),
            ("margin = 0.01", {"margin": 0.5}, "margin is fixed in .* and given besides"),
            ("[margins]\nf1 = 0.01", {"margin": 0.5}, "margin is fixed in .* and given besides"),
            ("margin = 0.01\nlevel = 0.9", {"level": 0.8}, "level is fixed in"),
            ("margin = ", {}, "is not TOML"),
        ],
    )
    def test_files_that_are_refused(
        self, tmp_path: Path, text: str, given: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(UsageError, match=message):
            self.from_file(tmp_path, text, **given)

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="there is no file"):
            gate(labels(), baseline="old", candidate="new", config=tmp_path / "none.toml")

    @pytest.mark.parametrize(("policy", "code"), [("fail", 3), ("warn", 0), ("pass", 0)])
    def test_undecided_is_what_the_policy_makes_of_it(self, policy: Any, code: int) -> None:
        found = opened(labels(100), margin=0.001, on_undecided=policy)
        assert (found.word, found.exit_code, found.on_undecided) == ("undecided", code, policy)


class TestSentence:
    def test_undecided_says_what_is_needed(self) -> None:
        check = opened(labels(300), margin=0.005).checks[0]
        assert check.needed is not None
        assert f"About {check.needed.units:,} items (now 300)" in check.sentence
        assert "never" not in check.sentence

    def test_worse_by_how_much(self) -> None:
        clearly = opened(labels(800, worse=0.3), margin=0.01)
        assert "new is worse than old by more than 0.01." in clearly.sentence
        wide = opened(labels(800, worse=0.3), margin=0.3)
        assert (
            "new is worse than old, and a loss of more than 0.3 cannot be ruled out."
            in wide.sentence
        )


def contest(evidence: dict[str, Any], measure: str, margin: float) -> Contest:
    observed = assay.read(evidence).select("new", "old")
    return Contest.of(observed, measure=measure, baseline="old", candidate="new", margin=margin)


WORLDS: list[tuple[str, dict[str, Any], str, float]] = [
    ("labels", labels(400), "accuracy", 0.03),
    ("labels, errors", labels(400), "error_rate", 0.03),
    ("labels, any measure", labels(400), "f1", 0.03),
    ("scores", scores(300), "roc_auc", 0.04),
    ("losses", {"old:loss": np.random.default_rng(0).exponential(size=300),
                "new:loss": np.random.default_rng(1).exponential(size=300)}, "mean_loss", 0.1),
    ("values", {"truth": np.arange(300.0) / 100,
                "old": np.arange(300.0) / 100 + np.random.default_rng(2).normal(size=300),
                "new": np.arange(300.0) / 100 + np.random.default_rng(3).normal(size=300)}, "rmse", 0.05),
    ("clusters", clustered(), "accuracy", 0.03),
    ("clusters, any measure", clustered(), "f1", 0.03),
    ("weights", {**labels(300), "weight": np.linspace(1, 3, 300)}, "accuracy", 0.03),
]  # fmt: skip


@pytest.mark.parametrize(
    ("evidence", "measure", "margin"),
    [world[1:] for world in WORLDS],
    ids=[world[0] for world in WORLDS],
)
class TestWorlds:
    def test_swapped_models_are_equal(
        self, evidence: dict[str, Any], measure: str, margin: float
    ) -> None:
        one = contest(evidence, measure, margin)
        assert one.difference(symmetric(one.rows)) == pytest.approx(0.0, abs=1e-12)

    def test_the_spoilt_candidate_is_worse_by_the_margin(
        self, evidence: dict[str, Any], measure: str, margin: float
    ) -> None:
        one = contest(evidence, measure, margin)
        world = spoilt(one, symmetric(one.rows), stream(0))
        assert world is not None
        difference = one.difference(world)
        assert difference <= -margin + 1e-12
        assert difference == pytest.approx(-margin, rel=0.01)

    def test_the_interval_is_the_gates_own(
        self, evidence: dict[str, Any], measure: str, margin: float
    ) -> None:
        one = contest(evidence, measure, margin)
        found = one.bounds(iter([one.rows]), [0.9])[0, 0]
        check = opened(evidence, margin=margin, measures=measure, n_resamples=999).checks[0]
        scale = 0.15 if one.method == "paired_bootstrap" else 1e-9  # other draws there
        assert check.low is not None
        assert check.high is not None
        assert found == pytest.approx((check.low, check.high), abs=scale * (check.high - check.low))


def at_most_nominal(trial: GateTrial) -> bool:
    """Whether the count could come from a rate of at most the nominal one (0.1 % beyond)."""
    assert trial.count is not None
    return trial.count <= binom.ppf(0.999, trial.replicates, trial.nominal)


class TestTrials:
    @pytest.mark.parametrize(
        ("evidence", "measure", "margin"),
        [
            (labels(1000), "accuracy", 0.01),
            (labels(1000), "f1", 0.02),
            (scores(1000), "roc_auc", 0.02),
            (clustered(50, 20), "accuracy", 0.03),
        ],
        ids=["labels", "labels, f1", "scores", "clusters"],
    )
    def test_both_rates_are_at_most_nominal(
        self, evidence: dict[str, Any], measure: str, margin: float
    ) -> None:
        fail, passing = opened(evidence, margin=margin, measures=measure, aa=1000).trials
        assert (fail.error, passing.error) == ("false-fail", "false-pass")
        assert fail.replicates == passing.replicates == 1000
        assert (fail.difference, passing.difference) == (0.0, -margin)
        assert at_most_nominal(fail)
        assert at_most_nominal(passing)
        assert passing.interval is not None
        assert passing.count is not None
        assert passing.count > 0  # a gate that passes nothing would be no achievement
        assert passing.interval.contains(passing.count / 1000)
        drawn = "clusters" if "cluster" in evidence else "items"
        assert fail.drawn == passing.drawn == drawn

    def test_clusters_ignored_would_be_seen(self) -> None:
        """The naive procedure on clustered samples errs far more often: the trial can tell."""
        one = contest(clustered(50, 20), "accuracy", 0.03)
        naive = contest(
            {k: v for k, v in clustered(50, 20).items() if k != "cluster"}, "accuracy", 0.03
        )
        cheating = Contest(
            design=naive.design, method=naive.method, rows=one.rows, margin=0.03, of_losses=False
        )
        fail, _ = rehearse([cheating], alpha=ALPHA, holm=False, replicates=400, seed=1)
        assert not at_most_nominal(fail)

    def test_several_measures_are_drawn_together(self) -> None:
        options: dict[str, Any] = {
            "margin": 0.01,
            "measures": ["accuracy", "error_rate"],
            "aa": 300,
        }
        together = opened(labels(500), **options).trials
        alone = opened(labels(500), margin=0.01, measures="accuracy", aa=300).trials
        assert [trial.measure for trial in together] == [None, "accuracy", "error_rate"]
        assert together[0].nominal == pytest.approx(2 * ALPHA)
        assert together[0].count == alone[0].count  # the same items, so the same failures
        holm = opened(labels(500), **options, holm=True).trials
        assert holm[0].nominal == pytest.approx(ALPHA)
        assert (holm[0].count or 0) <= (together[0].count or 0)

    def test_a_margin_out_of_reach(self) -> None:
        trial = opened(labels(100), margin=0.99, aa=10).trials[1]
        assert (trial.rate, trial.count, trial.interval) == (None, None, None)

    def test_what_cannot_be_swapped(self) -> None:
        table = {
            "dataset": list("abcdef"),
            "old": np.arange(6) / 10,
            "new": (np.arange(6) / 10) ** 2,
        }
        with pytest.raises(NotApplicable, match="item by item"):
            gate(table, baseline="old", candidate="new", margin=0.1, measures="accuracy", aa=10)


class TestTooFewUnits:
    def test_three_data_sets_bound_nothing(self) -> None:
        """No level of confidence is reached, which is said instead of a number of data sets."""
        table = {"dataset": list("abc"), "old": [0.1, 0.2, 0.3], "new": [0.2, 0.25, 0.41]}
        said: dict[str, Any] = {"unit": "dataset", "lower_is_better": False}
        with pytest.raises(AmbiguousEvidence, match="Which is better, higher or lower"):
            gate(table, baseline="old", candidate="new", margin=0.01, unit="dataset")
        found = gate(table, baseline="old", candidate="new", margin=0.01, **said)
        assert found.word == "undecided"
        assert found.checks[0].needed is None
        assert "too few data sets to bound the difference" in found.sentence
        compared = assay.compare(table, baseline="old", margin=0.01, unit="dataset")
        assert "too few to bound the difference" in compared.verdict.sentence


def test_every_short_cut_belongs_to_a_method_that_is_chosen() -> None:
    named = {one.redrawn_by for one in catalogue().values() if one.redrawn_by}
    assert named == set(DECIDERS)
