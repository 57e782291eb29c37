"""Worlds draw what they say: truths, margins, nulls, and evidence that methods accept."""

import tomllib
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

from assay.core.errors import NotApplicable, UsageError
from assay.core.rng import stream
from assay.core.vocabulary import TAKES
from assay.measures.registry import find_measure
from assay.simulate.worlds import KINDS, SHORTHANDS, World, evidence, fitting, make_world
from assay.simulate.worlds.folds import Folds, expected_accuracies, read_design
from assay.simulate.worlds.grouped import DataSets
from assay.simulate.worlds.learners import LearnerName, draw_items, predict
from assay.simulate.worlds.scores import ScoredLabels

GRID = """
[proportion]
p = [0.002, 0.5]
[paired_labels]
discordant = [0.01, 0.5]
[independent_labels]
p = [0.02, 0.5]
sizes = [[30, 30], [50, 500]]
[label_measures]
prevalence = [0.01, 0.1, 0.5]
recall = [0.6, 0.96]
precision = [0.6, 0.96]
[scores]
auc = [0.5, 0.7, 0.9, 0.99]
prevalence = [0.05, 0.5]
correlation = [0.0, 0.5, 0.95]
[losses]
shape = ["normal", "uniform", "lognormal", "t3", "zero-inflated"]
[clusters]
clusters = [6, 100]
sizes = ["equal-5", "unbalanced-1-50"]
icc = [0.0, 0.5]
[datasets]
k = [2, 20]
noise = ["normal", "skewed", "heteroscedastic", "rounded-2-decimals"]
[folds]
learners = ["tree-random-features", "one-nn-half-features", "centroid", "logistic"]
population = ["two-gaussians", "moons", "checkerboard"]
design = ["10-fold", "10x10-fold", "5x2", "15-subsamples-2-1"]
[runs]
runs = [3, 30]
shape = ["normal", "skewed", "bimodal"]
"""
"""The names and extremes of the grid on which the defaults are judged."""


def cells() -> list[tuple[str, dict[str, Any]]]:
    """Every value of the grid once, the other parameters as they are."""
    return [
        (world, {name: value})
        for world, parameters in tomllib.loads(GRID).items()
        for name, values in parameters.items()
        for value in values
    ]


class TestMakeWorld:
    @pytest.mark.parametrize(("name", "parameters"), cells())
    def test_the_grid_can_be_said(self, name: str, parameters: dict[str, Any]) -> None:
        world = make_world(name, **parameters)
        said = dict(world.parameters)
        for key, value in parameters.items():
            assert said[key] == ("x".join(map(str, value)) if isinstance(value, list) else value)

    def test_every_prevalence_recall_and_precision_of_the_grid_is_possible(self) -> None:
        for prevalence in (0.01, 0.1, 0.5):
            for recall in (0.6, 0.96):
                for precision in (0.6, 0.96):
                    for classes in (2, 5):
                        world = make_world(
                            "label-measures", prevalence=prevalence, recall=recall,
                            precision=precision, classes=classes,
                        )  # fmt: skip
                        assert world.truth("accuracy") is not None

    @pytest.mark.parametrize("name", SHORTHANDS)
    def test_shorthands_set_parameters(self, name: str) -> None:
        kind, preset = SHORTHANDS[name]
        world = make_world(name)
        assert world.name == kind
        assert preset.items() <= dict(world.parameters).items()

    def test_every_shape_of_evidence_comes_from_some_world(self) -> None:
        of_no_world = {"sized-differences", "many-fold-losses"}  # measured in calibration/
        assert {takes for takes in TAKES if not fitting(takes)} == of_no_world

    def test_worlds_are_values(self) -> None:
        assert make_world("scores", auc=0.7) == make_world("scores", auc=0.7)
        assert len({make_world("scores", auc=0.7), make_world("scores", auc=0.7)}) == 1
        assert not make_world("normal", effect=0.3).null_holds

    @pytest.mark.parametrize(
        ("name", "parameters", "words"),
        [
            ("nomral", {}, "did you mean normal"),
            ("normal", {"auc": 0.7}, "has no parameter 'auc'; it has effect, shape"),
            ("normal", {"sd": 0.0}, "sd is above 0"),
            ("normal", {"effect": float("nan")}, "effect is a finite number"),
            ("normal", {"mean": float("inf")}, "mean is a finite number"),
            ("normal", {"sd": "wide"}, "sd is a finite number; got 'wide'"),
            ("normal", {"shape": 3}, "shape is a word such as normal; got 3"),
            ("paired-labels", {"both_wrong": "some"}, "both_wrong is a finite number"),
            ("paired-labels", {"effect": True}, "effect is a finite number"),
            ("proportion", {"p": 0.9, "effect": 0.2}, "p . effect is a share"),
            ("paired-labels", {"discordant": 0.1, "effect": 0.2}, "cannot differ by 0.2"),
            ("paired-labels", {"discordant": 0.5, "both_wrong": 0.6}, "share of agreement"),
            ("label-measures", {"prevalence": 0.9, "precision": 0.5}, "more false positives"),
            ("scores", {"auc": 1.0}, "strictly between"),
            ("scores", {"levels": 1}, "at least 2"),
            ("scores", {"correlation": 2.0}, "between -1 and 1"),
            ("folds", {"design": "ten"}, "design is like 10-fold"),
            ("folds", {"effect": -1.0}, "noise added to B"),
            ("datasets", {"null_kind": "partial"}, "k of 3 or more"),
            ("independent-labels", {"sizes": (5,)}, "sizes are the items"),
            ("independent-labels", {"sizes": 5}, "sizes are the items"),
            ("clusters", {"sizes": "big"}, "sizes is one of equal-5"),
        ],
    )
    def test_wrong_words_are_named(self, name: str, parameters: Any, words: str) -> None:
        with pytest.raises(UsageError, match=words):
            make_world(name, **parameters)


def every_shape() -> list[tuple[str, str]]:
    return [(name, takes) for name, kind in KINDS.items() for takes in kind.shapes]


class TestDraw:
    @pytest.mark.parametrize(("name", "takes"), every_shape())
    def test_arrays_lead_with_the_replicate_and_the_seed_decides(
        self, name: str, takes: Any
    ) -> None:
        world = make_world(name, **({"design": "5x2"} if takes == "replicated-pairs" else {}))
        n = 40 if name == "folds" else 12
        one = world.draw(3, n, stream(7), takes=takes)
        again = world.draw(3, n, stream(7), takes=takes)
        assert all(len(array) == 3 for array in one.values())
        np.testing.assert_equal(one, again)
        assert len(evidence(takes, one, 2)) >= 1

    def test_a_shape_it_does_not_give_is_refused(self) -> None:
        with pytest.raises(NotApplicable, match="does not give counts; it gives pairs"):
            make_world("normal").draw(1, 10, stream(1), takes="counts")

    def test_the_number_of_units_must_be_known(self) -> None:
        with pytest.raises(UsageError, match="how many units"):
            make_world("normal").draw(1, None, stream(1))
        assert make_world("runs", runs=4).draw(2, None, stream(1))["a"].shape == (2, 4)

    def test_too_few_items_for_the_design(self) -> None:
        with pytest.raises(UsageError, match="needs at least 20 items"):
            make_world("folds").draw(1, 12, stream(1))
        with pytest.raises(UsageError, match="need the design 5x2"):
            make_world("folds").draw(1, 40, stream(1), takes="replicated-pairs")


class TestOutcomes:
    @pytest.mark.parametrize(
        ("name", "takes"),
        [
            ("proportion", "counts"),
            ("paired-labels", "paired-table"),
            ("independent-labels", "two-counts"),
        ],
    )
    def test_probabilities_add_up(self, name: str, takes: Any) -> None:
        found = make_world(name, effect=0.05).outcomes(40, takes)
        assert found is not None
        arrays, probability = found
        assert probability.sum() == pytest.approx(1.0, abs=1e-8)
        assert all(len(array) == len(probability) for array in arrays.values())

    def test_too_many_are_left_to_simulation(self) -> None:
        assert make_world("proportion").outcomes(10**9, "counts") is None
        assert make_world("paired-labels").outcomes(30_000, "paired-table") is None
        assert make_world("independent-labels").outcomes(10_000, "two-counts") is None
        assert make_world("normal").outcomes(10, "pairs") is None


class TestNumbers:
    @pytest.mark.parametrize("shape", ["normal", "uniform", "lognormal", "t3", "zero-inflated"])
    @pytest.mark.parametrize("correlation", [0.0, 0.6])
    def test_mean_and_spread_are_as_said(self, shape: str, correlation: float) -> None:
        world = make_world("losses", shape=shape, mean=2.0, sd=3.0, correlation=correlation)
        drawn = world.draw(400, 1000, stream(3))
        reach = 6 * 3.0 / np.sqrt(400_000)
        for values in (drawn["a"], drawn["b"]):
            assert abs(values.mean() - 2.0) < reach
            if shape != "t3":  # whose fourth moment does not exist
                assert abs(values.std() / 3.0 - 1.0) < 0.04
        if correlation and shape == "normal":
            found = np.corrcoef(drawn["a"].ravel(), drawn["b"].ravel())[0, 1]
            assert abs(found - 0.6) < 0.01

    @pytest.mark.parametrize("shape", ["uniform", "lognormal", "t3", "zero-inflated"])
    def test_the_copula_keeps_the_margin(self, shape: str) -> None:
        apart = make_world("losses", shape=shape).draw(1, 4000, stream(1))["a"][0]
        joined = make_world("losses", shape=shape, correlation=0.5).draw(1, 4000, stream(2))
        assert stats.ks_2samp(apart, joined["a"][0]).pvalue > 1e-4

    @pytest.mark.parametrize("shape", ["normal", "skewed", "bimodal"])
    def test_runs_have_mean_zero_and_spread_one(self, shape: str) -> None:
        values = make_world("runs", shape=shape).draw(400, 1000, stream(3))["b"]
        assert abs(values.mean()) < 0.01
        assert abs(values.std() - 1.0) < 0.04

    def test_a_leads_by_the_effect(self) -> None:
        world = make_world("normal", effect=0.5)
        drawn = world.draw(100, 1000, stream(5))
        assert abs((drawn["a"] - drawn["b"]).mean() - 0.5) < 0.03
        assert world.truth("mean_difference") == 0.5
        assert world.truth("a12") == pytest.approx(stats.norm.cdf(0.5 / np.sqrt(2)))


class TestLabels:
    def test_paired_cells(self) -> None:
        world = make_world("paired-labels", discordant=0.2, effect=0.1)
        cells = world.draw(2000, 100, stream(1))["cells"]
        np.testing.assert_allclose(cells.mean(axis=0) / 100, [0.64, 0.15, 0.05, 0.16], atol=0.005)

    @pytest.mark.parametrize("takes", ["pairs", "successes", "predictions"])
    def test_all_shapes_of_paired_labels_hold_the_same_table(self, takes: Any) -> None:
        world = make_world("paired-labels", discordant=0.4, effect=0.2)
        drawn = world.draw(500, 60, stream(2), takes=takes)
        if takes == "predictions":
            right_a, right_b = (drawn[m] == drawn["truth"] for m in ("a", "b"))
            lead = ((right_a * 1 - right_b) * drawn["count"]).sum(axis=1) / 60
        elif takes == "pairs":
            lead = (drawn["a"] - drawn["b"]).mean(axis=1)
        else:
            lead = (drawn["successes"][..., 0] - drawn["successes"][..., 1]).mean(axis=1)
        assert abs(lead.mean() - 0.2) < 5 * lead.std() / np.sqrt(500)

    @pytest.mark.parametrize("classes", [2, 5])
    def test_prevalence_recall_and_precision_are_as_said(self, classes: int) -> None:
        world = make_world(
            "label-measures", prevalence=0.1, recall=0.6, precision=0.75, classes=classes
        )
        table = world.draw(50, 10_000, stream(4), takes="confusion")["table"].sum(axis=0)
        assert table[-1].sum() / table.sum() == pytest.approx(0.1, abs=0.003)
        assert table[-1, -1] / table[-1].sum() == pytest.approx(0.6, abs=0.01)
        assert table[-1, -1] / table[:, -1].sum() == pytest.approx(0.75, abs=0.01)

    @pytest.mark.parametrize(("measure", "classes"), [("f1", 2), ("mcc", 2), ("f1_macro", 5)])
    def test_truth_is_the_measure_of_many_items(self, measure: str, classes: int) -> None:
        world = make_world("label-measures", classes=classes, effect=0.2)
        drawn = world.draw(1, 4_000_000, stream(6), takes="predictions")
        bound = find_measure(measure).bind(tuple(map(str, range(classes))), "1")
        seen = []
        for model in ("a", "b"):
            table = np.zeros((classes, classes))
            np.add.at(table, (drawn["truth"][0], drawn[model][0]), drawn["count"][0])
            seen.append(float(bound.function(table)))
        assert world.truth(measure) == pytest.approx(seen[0], abs=0.003)
        assert world.truth(measure, "predictions") == pytest.approx(seen[0] - seen[1], abs=0.004)

    def test_two_models_agree_more_than_chance(self) -> None:
        one, other = (
            make_world("label-measures", agreement=agreement).draw(
                1, 100_000, stream(1), takes="predictions"
            )
            for agreement in (0.0, 0.9)
        )
        shares = [(d["count"] * (d["a"] == d["b"])).sum() / 100_000 for d in (one, other)]
        assert shares[1] > shares[0] + 0.03

    def test_sizes_keep_their_ratio(self) -> None:
        world = make_world("independent-labels", sizes=(50, 500))
        assert world.draw(1, None, stream(1))["n_b"] == [500]
        assert world.draw(1, 10, stream(1))["n_b"] == [100]


class TestScores:
    @pytest.mark.parametrize("levels", [0, 5])
    @pytest.mark.parametrize("auc", [0.5, 0.7, 0.99])
    def test_area_is_as_said(self, auc: float, levels: int) -> None:
        world = make_world("scores", auc=auc, levels=levels, prevalence=0.4)
        drawn = world.draw(40, 1000, stream(1), takes="scored-labels")
        areas = []
        for scores in drawn["scores"]:
            above = stats.mannwhitneyu(scores[:400], scores[400:]).statistic
            areas.append(above / (400 * 600))
        assert np.mean(areas) == pytest.approx(auc, abs=5 * np.std(areas) / np.sqrt(40) + 1e-4)
        assert levels == 0 or len(np.unique(drawn["scores"])) <= levels

    @pytest.mark.parametrize("levels", [0, 5])
    def test_average_precision_of_many_items(self, levels: int) -> None:
        world = make_world("scores", auc=0.8, levels=levels, prevalence=0.1)
        drawn = world.draw(1, 400_000, stream(2), takes="scored-labels")
        found = average_precision_score(drawn["truth"][0], drawn["scores"][0])
        assert world.truth("average_precision", "scored-labels") == pytest.approx(found, abs=0.01)

    def test_correlation_within_a_class(self) -> None:
        drawn = make_world("scores", correlation=0.5).draw(1, 100_000, stream(3))
        found = np.corrcoef(drawn["a"][0, :50_000], drawn["b"][0, :50_000])[0, 1]
        assert found == pytest.approx(0.5, abs=0.02)

    def test_two_of_each_class_at_least(self) -> None:
        world = ScoredLabels(prevalence=0.05)
        assert world.positives(30) == 2
        with pytest.raises(UsageError, match="at least 4"):
            world.positives(3)


class TestClustersAndDataSets:
    def test_share_of_variance_between_clusters(self) -> None:
        drawn = make_world("clusters", clusters=50, icc=0.5).draw(200, None, stream(1))
        values = drawn["b"].reshape(200, 50, 5)
        within = values.var(axis=2, ddof=1).mean()
        assert within == pytest.approx(0.5, abs=0.02)
        assert values.mean(axis=2).var(axis=1, ddof=1).mean() == pytest.approx(0.6, abs=0.03)

    def test_unequal_clusters_go_from_one_to_fifty(self) -> None:
        drawn = make_world("clusters", clusters=6, sizes="unbalanced-1-50").draw(1, None, stream(1))
        sizes = np.bincount(drawn["clusters"][0])
        assert (sizes[0], sizes[-1]) == (1, 50)

    @pytest.mark.parametrize("noise", ["normal", "skewed", "heteroscedastic", "rounded-2-decimals"])
    def test_partial_null_leaves_the_others_alike(self, noise: str) -> None:
        world = make_world("datasets", k=3, noise=noise, null_kind="partial")
        blocks = world.draw(300, 20, stream(1))["blocks"]
        means = blocks.mean(axis=(0, 1))
        assert means[0] - means[1] == pytest.approx(0.1, abs=0.005)
        assert means[1] == pytest.approx(means[2], abs=0.003)
        assert isinstance(world, DataSets)
        assert world.alike() == (1, 2)

    def test_p_values_are_uniform_under_the_null(self) -> None:
        p_values = make_world("tests").draw(5000, 3, stream(1))["p_values"]
        assert stats.kstest(p_values.ravel(), "uniform").pvalue > 1e-3
        some = make_world("tests", nulls=0.5, effect=3.0)
        assert some.draw(500, 4, stream(1))["p_values"][:, 2:].mean() < 0.1


ORACLES: dict[LearnerName, Any] = {
    "centroid": NearestCentroid(),
    "one-nn-half-features": KNeighborsClassifier(1),
    "logistic": LogisticRegression(tol=1e-8, max_iter=1000),
}


class TestLearners:
    @pytest.mark.parametrize("learner", ORACLES)
    @pytest.mark.parametrize("population", ["two-gaussians", "moons", "checkerboard"])
    def test_agree_with_scikit_learn(self, learner: LearnerName, population: Any) -> None:
        rng = stream(5)
        features, truth = draw_items(population, 120, rng)
        train, test = read_design("10-fold").draw(120, rng)
        said = predict(learner, features[:, :2], truth, train, features[:, :2], rng)
        for row, inside, outside in zip(said, train > 0, test, strict=True):
            oracle = ORACLES[learner].fit(features[inside, :2], truth[inside])
            np.testing.assert_array_equal(row[outside], oracle.predict(features[outside, :2]))

    def test_a_class_that_was_not_seen_is_never_said(self) -> None:
        features, truth = draw_items("moons", 40, stream(1))
        only_ones = (truth == 1).astype(float)[None]
        for learner in ("centroid", "one-nn-half-features"):
            said = predict(learner, features, truth, only_ones, features, stream(1))
            assert (said == 1).all()

    def test_far_neighbours_are_found(self) -> None:
        features = np.arange(100.0)[:, None].repeat(2, axis=1)
        truth = (np.arange(100) >= 99).astype(np.int64)
        weights = (np.arange(100) >= 99).astype(float)[None]
        said = predict("one-nn-half-features", features, truth, weights, features[:1], stream(1))
        assert said[0, 0] == 1


class TestFolds:
    def test_designs_split_as_they_say(self) -> None:
        for text, splits, size in (
            ("10-fold", 10, 6), ("10x10-fold", 100, 6), ("5x2", 10, 30), ("15-subsamples-2-1", 15, 20),
        ):  # fmt: skip
            train, test = read_design(text).draw(60, stream(1))
            assert train.shape == (splits, 60)
            assert (test.sum(axis=1) == size).all()
            assert ((train > 0) != test).all()

    @pytest.mark.parametrize(
        ("learners", "design"), [("centroid", "10-fold"), ("tree-random-features", "1x2")]
    )
    def test_two_learners_are_exchangeable(self, learners: str, design: str) -> None:
        drawn = make_world("folds", learners=learners, design=design).draw(150, 40, stream(8))
        difference = (drawn["a"] - drawn["b"]).mean(axis=1)
        assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(150)

    def test_noise_makes_b_worse(self) -> None:
        world = Folds(effect=2.0)
        drawn = world.draw(60, 60, stream(8))
        seen = (drawn["a"] - drawn["b"]).mean()
        truth = world.truth("mean_difference", "pairs", 60)
        assert truth is not None
        assert truth > 0.1
        assert seen == pytest.approx(truth, abs=0.04)

    def test_true_accuracy_of_centroids(self) -> None:
        """With many items the centroid rule of two unit normals at ±(0.5, 0.5) errs by Phi(-0.707)."""
        a, b = expected_accuracies(Folds(), 2000)
        assert a == b == pytest.approx(stats.norm.cdf(np.sqrt(0.5)), abs=0.003)

    def test_nested_losses_leave_out_both_folds(self) -> None:
        drawn = make_world("folds", design="5-fold").draw(1, 50, stream(1), takes="nested-losses")
        losses, fold = drawn["losses"][0], drawn["folds"][0]
        plain = make_world("folds", design="5-fold").draw(1, 50, stream(1), takes="fold-losses")
        np.testing.assert_array_equal(losses[np.arange(50), fold], plain["losses"][0])

    def test_out_of_bag_losses_are_of_items_left_out(self) -> None:
        drawn = make_world("folds").draw(1, 50, stream(1), takes="bootstrap-losses")
        left_out = np.isfinite(drawn["out_of_bag"][0]).mean()
        assert left_out == pytest.approx(np.exp(-1), abs=0.05)


def test_a_world_is_not_made_twice() -> None:
    world = make_world("normal")
    assert make_world(world) is world
    with pytest.raises(UsageError, match="with the name"):
        make_world(world, sd=2.0)
    assert isinstance(world, World)
