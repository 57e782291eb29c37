"""Posterior probabilities beside the verdict: in every design, the twin of what decides."""

from typing import Any

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import assay
from assay.core.results import Comparison
from assay.core.wire import from_json, to_json

N = 300
RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 2, N)
A = np.where(RNG.random(N) < 0.15, 1 - TRUTH, TRUTH)
B = np.where(RNG.random(N) < 0.25, 1 - TRUTH, TRUTH)
C = np.where(RNG.random(N) < 0.3, 1 - TRUTH, TRUTH)
SCORES = {m: TRUTH + RNG.normal(0, s, N) for m, s in (("a", 1.0), ("b", 1.3), ("c", 1.5))}
PAIR = {"truth": TRUTH, "a": A, "b": B}
TABLE = RNG.random((20, 4)) * 0.1 + np.array([0.05, 0.02, 0.01, 0.0])


def table(unit: str, rows: int, models: int) -> dict[str, Any]:
    columns = {f"m{place}": TABLE[:rows, place] for place in range(models)}
    return {unit: [f"u{row}" for row in range(rows)], **columns}


def repeated(models: int) -> dict[str, Any]:
    """Four repeats of five folds: the cautious t decides."""
    place = np.arange(20)
    return {"repeat": place // 5, **table("fold", 20, models), "fold": place % 5}


def apart(**columns: Any) -> Any:
    return assay.read(*({"truth": TRUTH, name: own} for name, own in columns.items()), paired=False)


HIGHER: dict[str, Any] = {"lower_is_better": False}
"""What nameless scores must be told before anything can be the better one."""

DESIGNS: list[tuple[Any, dict[str, Any], str]] = [
    (PAIR, {}, "bayes_paired_proportions"),
    (PAIR, {"measure": "error_rate"}, "bayes_paired_proportions"),
    (PAIR, {"measure": "f1"}, "bayes_normal"),
    ({"truth": TRUTH, "a": SCORES["a"], "b": SCORES["b"]}, {"measure": "roc_auc"}, "bayes_normal"),
    (
        {"truth": TRUTH * 1.5, "a": SCORES["a"], "b": SCORES["b"]},
        {"measure": "mae"},
        "bayes_normal",
    ),
    ({**PAIR, "group": np.arange(N) // 6}, {"cluster": "group"}, "bayes_normal"),
    ({**PAIR, "group": np.arange(N) // 6}, {"cluster": "group", "measure": "f1"}, "bayes_normal"),
    ({**PAIR, "w": np.linspace(1, 2, N)}, {"weight": "w"}, "bayes_normal"),
    ({"truth": TRUTH, "a": A}, {"against": 0.8}, "bayes_proportion"),
    ({"truth": TRUTH, "a": A}, {"against": 0.8, "measure": "f1"}, "bayes_normal"),
    (apart(a=A, b=B), {}, "bayes_two_proportions"),
    (apart(a=A, b=B), {"measure": "f1"}, "bayes_normal"),
    (apart(a=SCORES["a"], b=SCORES["b"]), {"measure": "roc_auc"}, "bayes_normal"),
    ({**PAIR, "c": C}, {}, "bayes_normal"),
    ({**PAIR, "c": C}, {"measure": "mcc", "baseline": "b"}, "bayes_normal"),
    ({"truth": TRUTH, **SCORES}, {"measure": "roc_auc"}, "bayes_normal"),
    (table("fold", 10, 2), HIGHER, "bayes_correlated_t"),
    (table("fold", 10, 3), HIGHER, "bayes_correlated_t"),
    (table("fold", 10, 1), {**HIGHER, "against": 0.05}, "bayes_correlated_t"),
    (repeated(2), HIGHER, "bayes_normal"),
    (repeated(3), HIGHER, "bayes_normal"),
    (repeated(1), {**HIGHER, "against": 0.05}, "bayes_normal"),
    (table("seed", 10, 2), HIGHER, "bayes_normal"),
    (table("seed", 10, 1), {**HIGHER, "against": 0.05}, "bayes_normal"),
    (table("dataset", 20, 2), HIGHER, "bayes_signed_rank"),
    (table("dataset", 20, 4), HIGHER, "bayes_signed_rank"),
    (table("dataset", 20, 4), {**HIGHER, "baseline": "m2"}, "bayes_signed_rank"),
    (table("dataset", 20, 1), {**HIGHER, "against": 0.05}, "bayes_signed_rank"),
]


def run(evidence: Any, options: dict[str, Any], **more: Any) -> Comparison:
    found = assay.compare(evidence, n_resamples=499, rng=1, **options, **more)
    assert isinstance(found, Comparison)
    return found


@pytest.mark.parametrize(("evidence", "options", "method"), DESIGNS)
class TestEveryDesign:
    def test_has_probabilities_with_model_and_prior(
        self, evidence: Any, options: dict[str, Any], method: str
    ) -> None:
        result = run(evidence, options, margin=0.02)
        assert len(result.posteriors) == len(result.verdicts)
        for verdict, belief in zip(result.verdicts, result.posteriors, strict=True):
            assert (belief.a, belief.b, belief.method) == (verdict.a, verdict.b, method)
            assert belief.prior
            shares = (verdict.p_better, verdict.p_equivalent, verdict.p_worse)
            assert all(share is not None and 0.0 <= share <= 1.0 for share in shares)
            assert sum(share or 0.0 for share in shares) == pytest.approx(1.0)

    def test_without_a_margin_two_of_them(
        self, evidence: Any, options: dict[str, Any], method: str
    ) -> None:
        del method
        for verdict in run(evidence, options).verdicts:
            assert verdict.p_equivalent is None
            assert (verdict.p_better or 0.0) + (verdict.p_worse or 0.0) == pytest.approx(1.0)

    def test_agrees_with_the_side_of_the_effect(
        self, evidence: Any, options: dict[str, Any], method: str
    ) -> None:
        del method
        for verdict in run(evidence, options).verdicts:
            gap = (verdict.outcome.effect.value or 0.0) - verdict.outcome.null
            gap = gap if verdict.direction == "higher" else -gap
            if abs((verdict.p_better or 0.0) - 0.5) > 0.05:
                assert (gap > 0) == ((verdict.p_better or 0.0) > 0.5)

    def test_survives_the_wire(self, evidence: Any, options: dict[str, Any], method: str) -> None:
        del method
        result = run(evidence, options)
        assert from_json(to_json(result)) == result


class TestDirection:
    def test_fewer_errors_are_better(self) -> None:
        right, wrong = (run(PAIR, {"measure": name}).verdict for name in ("accuracy", "error_rate"))
        assert right.p_better == wrong.p_better
        posterior = run(PAIR, {"measure": "error_rate"}).posteriors[0]
        assert posterior.p_left == right.p_better
        assert (posterior.effect.value or 0.0) < 0.0

    def test_a_level_of_accuracy_and_of_errors(self) -> None:
        alone = {"truth": TRUTH, "a": A}
        right = run(alone, {"against": 0.8}, margin=0.03).verdict
        wrong = run(alone, {"against": 0.2, "measure": "error_rate"}, margin=0.03).verdict
        assert right.p_better == pytest.approx(wrong.p_better)
        assert right.p_worse == pytest.approx(wrong.p_worse)


class TestDecidesNothing:
    @pytest.mark.parametrize("margin", [None, 0.02])
    def test_probable_is_not_decided(self, margin: float | None) -> None:
        """A 9 to 3 lead of discordant items is probable and yet undecided."""
        truth = [1, 0] * 30
        a = [1 - one if place < 3 else one for place, one in enumerate(truth)]
        b = [1 - one if 3 <= place < 12 else one for place, one in enumerate(truth)]
        verdict = assay.compare({"truth": truth, "a": a, "b": b}, margin=margin).verdict
        assert verdict.word == "undecided"
        assert (verdict.p_better or 0.0) > 0.9

    def test_nothing_where_there_is_no_interval(self) -> None:
        flat = {"fold": list(range(10)), "a": [0.8] * 10, "b": [0.7] * 10}
        result = assay.compare(flat)
        assert result.verdict.p_better is None
        assert result.posteriors == ()


class TestFolds:
    @pytest.mark.parametrize(
        ("evidence", "options"),
        [
            (table("fold", 10, 2), {}),
            (repeated(2), {}),
            (repeated(1), {"against": 0.05}),
        ],
    )
    def test_the_smaller_probability_is_half_the_p_value(
        self, evidence: Any, options: dict[str, Any]
    ) -> None:
        verdict = run(evidence, {**HIGHER, **options}).verdict
        least = min(verdict.p_better or 0.0, verdict.p_worse or 0.0)
        assert least == pytest.approx((verdict.outcome.p_value or 0.0) / 2.0)

    def test_training_is_allowed_for_as_in_the_verdict(self) -> None:
        rng = np.random.default_rng(2)
        y = np.arange(120) % 2
        ring = (0.7 + 0.8 * y)[:, None] * rng.standard_normal((120, 4))
        models = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
        found = assay.compare(models, ring, y, fits=10)
        outcome = found.verdict.outcome
        assert dict(outcome.details)["training_sd"] == pytest.approx(0.05)
        (belief,) = found.posteriors
        assert dict(belief.details)["standard_error"] == outcome.effect.standard_error
        interval = outcome.effect.interval
        assert interval is not None
        assert belief.effect.interval is not None
        ends = (belief.effect.interval.low, belief.effect.interval.high)
        assert ends == pytest.approx((interval.low, interval.high))


class TestManyDataSets:
    def test_pairs_get_what_two_models_alone_get(self) -> None:
        together = run(table("dataset", 20, 4), {}, margin=0.01)
        two = {
            key: own
            for key, own in table("dataset", 20, 4).items()
            if key in ("dataset", "m0", "m2")
        }
        alone = run(two, {}, margin=0.01).verdict
        pair = next(one for one in together.verdicts if (one.a, one.b) == ("m0", "m2"))
        assert (pair.p_better, pair.p_equivalent) == (alone.p_better, alone.p_equivalent)

    def test_missing_cells_use_what_both_have(self) -> None:
        values = table("dataset", 20, 4)
        values["m3"] = values["m3"].copy()
        values["m3"][:3] = np.nan
        result = run(values, {"missing": "skillings-mack"})
        assert [one.effect.n for one in result.posteriors] == [20, 20, 17, 20, 17, 17]


class TestShown:
    def test_one_line_in_the_text(self) -> None:
        text = run(PAIR, {}, margin=0.02).summary(details=True)
        assert text.count("P(better / equivalent / worse)") == 1
        assert "Jeffreys" in text
        assert "for information" in " ".join(text.split())

    def test_one_column_of_many(self) -> None:
        text = run({**PAIR, "c": C}, {}).summary(details=True)
        assert text.count("P(better)") == 2  # the column, and the caption that names the model
        assert "each pair by itself" in " ".join(text.split())

    def test_the_methods_paragraph_names_model_and_prior(self) -> None:
        from assay.report.methods_paragraph import methods_paragraph

        paragraph = methods_paragraph(run(PAIR, {})).paragraph
        assert "Bayesian paired proportions [" in paragraph
        assert "(prior: Jeffreys, 0.5 in each cell)" in paragraph

    def test_several_measures(self) -> None:
        found = assay.compare(PAIR, measure=["accuracy", "f1"], margin={"f1": 0.02}, rng=1)
        text = found.summary(details=True)
        assert text.count("P(b/e/w)") == 2  # the column, and the caption that spells it out
        assert "/–/" in text  # accuracy has no margin, so that nothing is equivalent

    def test_never_rounded_to_certainty(self) -> None:
        from assay.core.formatting import write_chance as chance

        assert [chance(p) for p in (0.0, 1e-9, 0.5, 0.99951, 1.0)] == [
            "<0.001", "<0.001", "0.500", ">0.999", ">0.999",
        ]  # fmt: skip
        assert [chance(p, 2) for p in (0.004, 0.005, 0.996)] == ["<0.01", "0.01", ">0.99"]


class TestOutOfReach:
    def test_no_probability_where_nothing_could_have_been_decided(self) -> None:
        found = assay.compare({"dataset": ["p", "q"], "a": [0.1, 0.2], "b": [0.15, 0.3]})
        assert found.verdicts[0].outcome.p_value is None
        assert found.verdicts[0].p_better is None
        assert found.posteriors == ()
        assert found.measured is None

    @pytest.mark.parametrize(("rows", "models"), [(10_001, 2), (9_000, 12)])
    def test_none_where_drawing_takes_minutes(self, rows: int, models: int) -> None:
        """Of so many data sets the verdict is answered, and soon written out whole."""
        values = np.random.default_rng(4).normal(0.5, 0.1, (rows, models)).round(3)
        columns = {f"m{place}": values[:, place] for place in range(models)}
        found = assay.compare({"dataset": [f"d{row}" for row in range(rows)], **columns}, **HIGHER)
        assert found.posteriors == ()
        assert all(one.p_better is None and one.word for one in found.verdicts)

    def test_six_data_sets_are_within_reach(self) -> None:
        found = assay.compare(
            {"dataset": list("pqrstu"), "a": np.arange(6) / 10, "b": np.arange(6) / 9}, **HIGHER
        )
        assert found.verdicts[0].p_better is not None
