"""Posteriors: probabilities as they stand in the result, the density and the simplex to match."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy import stats

from assay.compare.compare import compare
from assay.compare.verdict import beliefs_as_listed
from assay.core.errors import UsageError
from assay.core.results import Posterior
from assay.hypotheses.bayes import bayes_correlated_t, bayes_sign, bayes_signed_rank_pairs
from assay.plots import posterior, posterior_density, simplex
from assay.plots.posterior import MOST_ROWS
from assay.report.tables import pairs
from tests.plots.figures import draw, legend, texts
from tests.report.examples import HOSTILE, lower_is_better, two_models

A, B = [0.81, 0.84, 0.86, 0.79, 0.85], [0.8, 0.8, 0.84, 0.8, 0.82]
FOLDS = bayes_correlated_t(A, B, rope=0.01, folds=5)
SIGNS = bayes_sign(A, B, rope=0.015)


def widths(axes: Axes) -> list[float]:
    return [float(bar.get_width()) for bar in axes.patches if isinstance(bar, Rectangle)]


def grey(color: Any) -> float:
    """How light a colour is on white paper, without its hue."""
    red, green, blue, alpha = color
    return float(1.0 - alpha * (1.0 - (0.299 * red + 0.587 * green + 0.114 * blue)))


class TestPosterior:
    def test_bars_are_the_probabilities(self) -> None:
        axes = posterior(FOLDS)
        assert widths(axes) == pytest.approx([FOLDS.p_left, FOLDS.p_rope, FOLDS.p_right])
        assert f"{FOLDS.p_right:.2f}" in texts(axes)
        assert legend(axes) == ["below −0.01", "within ±0.01", "above 0.01"]

    def test_sides_differ_without_colour(self) -> None:
        bars = [bar for bar in posterior(FOLDS).patches if isinstance(bar, Rectangle)]
        left, rope, right = (grey(bar.get_facecolor()) for bar in bars)
        assert right + 0.25 < left < rope - 0.05

    def test_a_comparison_says_who_is_better(self) -> None:
        axes = posterior(lower_is_better())
        assert [label.get_text() for label in axes.get_yticklabels()] == ["gbm − net"]
        assert legend(axes) == [
            "below −0.01: first better",
            "within ±0.01: practically equal",
            "above 0.01: second better",
        ]

    def test_the_winner_stands_first_as_in_the_verdict(self) -> None:
        result = compare(
            {"truth": [0, 1] * 50, "poor": [0] * 100, "good": [*[0, 1] * 45, *[0] * 10]}, rng=1
        )
        assert (result.verdict.a, result.verdict.word) == ("poor", "worse")
        axes = posterior(result)
        assert axes.get_yticklabels()[0].get_text() == "good − poor"
        bars = [one for one in axes.patches if isinstance(one, Rectangle)]
        assert bars[-1].get_width() == pytest.approx(result.posteriors[0].p_left)
        (listed,) = beliefs_as_listed(result)
        assert listed.effect.value == pytest.approx(-(result.posteriors[0].effect.value or 0.0))
        assert beliefs_as_listed(replace(result, baseline="good"))[0].a == "poor"

    def test_pairs(self) -> None:
        table = np.array([A, B, A[::-1]]).T
        found = bayes_signed_rank_pairs(table, models=["a", "b", "c"], rng=1, n_resamples=200)
        axes = posterior(found)
        rows = [label.get_text() for label in axes.get_yticklabels()]
        assert rows == ["a − b", "a − c", "b − c"]
        assert legend(axes) == ["below 0", "above 0"]  # without a rope there is nothing within

    def test_near_certainty_is_not_certainty(self) -> None:
        near = replace(FOLDS, p_left=0.001, p_rope=0.0, p_right=0.999)
        assert ">0.99" in texts(posterior(near))
        assert ">0.999" in texts(posterior(replace(near, rope=0.0, p_right=0.9996)))

    @pytest.mark.parametrize("margin", [None, 0.01])
    def test_probabilities_have_the_digits_of_the_table(self, margin: float | None) -> None:
        truth = [0, 1] * 50
        labels = {"truth": truth, "a": [*truth[:96], 1, 0, 1, 0], "b": [1, 0] * 5 + truth[10:]}
        result = compare(labels, margin=margin)
        table = pairs(result)
        place = [column.name[:2] for column in table.columns].index("P(")
        better = table.rows[0][place].text.split("/")[0].removeprefix("0")
        assert f"0{better}" in texts(posterior(result))

    def test_small_parts_are_not_written(self) -> None:
        near = replace(FOLDS, p_left=0.02, p_rope=0.03, p_right=0.95)
        assert not {"0.02", "0.03"} & set(texts(posterior(near)))

    def test_of_other_methods_than_pairs(self) -> None:
        result = lower_is_better()
        both = replace(result, posteriors=(*result.posteriors, SIGNS))
        rows = [label.get_text() for label in posterior(both).get_yticklabels()]
        assert rows == ["bayes normal", "bayes sign"]

    def test_a_pair_without_a_posterior_leaves_the_others_their_names(self) -> None:
        same, other = [0.9] * 10, [*[0.9] * 9, 0.8]
        result = compare(
            {"a": same, "b": same, "c": other}, unit="dataset", measure="accuracy", rng=1
        )
        rows = [label.get_text() for label in posterior(result).get_yticklabels()]
        assert rows == ["a − c", "b − c"]

    def test_too_many_rows_are_counted(self) -> None:
        axes = posterior({(str(place), "x"): FOLDS for place in range(MOST_ROWS + 5)})
        assert len(widths(axes)) == 3 * MOST_ROWS
        assert "… 5 more not drawn" in axes.get_xlabel()

    def test_hostile_names_are_plain_text(self) -> None:
        axes = posterior({(name, "x"): FOLDS for name in HOSTILE}, ax=Figure().add_subplot())
        draw(axes)
        assert any("$\\frac{" in label.get_text() for label in axes.get_yticklabels())

    @pytest.mark.parametrize("wrong", [None, {}, {("a", "b"): 1}, two_models()])
    def test_nothing_to_draw(self, wrong: Any) -> None:
        with pytest.raises(UsageError, match=r"bayes_correlated_t.* and the like"):
            posterior(wrong)


class TestDensity:
    def test_is_students(self) -> None:
        axes = posterior_density(FOLDS)
        curve = np.asarray(axes.lines[-2].get_xydata())
        details = {name: float(str(value)) for name, value in FOLDS.details}
        t = (curve[:, 0] - details["mean"]) / details["scale"]
        assert curve[:, 1] == pytest.approx(stats.t.pdf(t, details["df"]))

    def test_probabilities_in_the_legend(self) -> None:
        assert legend(posterior_density(FOLDS))[0] == f"below −0.01: {FOLDS.p_left:.3f}"

    def test_parts_meet_at_the_rope(self) -> None:
        parts = posterior_density(FOLDS, ax=Figure().add_subplot()).collections
        ends = [np.asarray(part.get_paths()[0].vertices)[:, 0] for part in parts]
        assert (ends[0].max(), ends[1].min(), ends[1].max(), ends[2].min()) == pytest.approx(
            (-0.01, -0.01, 0.01, 0.01)
        )

    @pytest.mark.parametrize(
        "wrong", [SIGNS, bayes_correlated_t([1.0, 1.0], [0.5, 0.5], folds=2), lower_is_better()]
    )
    def test_other_posteriors(self, wrong: Any) -> None:
        with pytest.raises(UsageError, match="a density is drawn of one bayes_correlated_t"):
            posterior_density(wrong)


class TestSimplex:
    def test_probabilities_at_the_corners(self) -> None:
        found = " ".join(texts(simplex(SIGNS)))
        for share in (SIGNS.p_left, SIGNS.p_rope, SIGNS.p_right):
            assert f"probability {share:.3f}" in found

    def test_the_peak_is_the_mode_of_the_dirichlet(self) -> None:
        heavy = Posterior(
            method="bayes_sign",
            p_left=0.0,
            p_rope=0.1,
            p_right=0.9,
            rope=0.01,
            effect=FOLDS.effect,
            details=(("weight_left", 11.0), ("weight_rope", 21.0), ("weight_right", 71.0)),
        )
        peak = simplex(heavy).collections[-1]
        x, y = np.concatenate([path.vertices for path in peak.get_paths()]).mean(axis=0)
        rope, right = 0.2, 0.7  # (weight - 1) / (total - 3)
        assert (x, y) == pytest.approx((right + rope / 2, rope * np.sqrt(3) / 2), abs=0.02)

    def test_what_was_never_seen_leaves_an_edge_or_a_corner(self) -> None:
        assert SIGNS.p_left == 0.0
        edge = [line for line in simplex(SIGNS).lines if line.get_linewidth() == 7]
        strongest = np.asarray(max(edge, key=lambda line: line.get_alpha() or 0.0).get_xydata())
        assert strongest[:, 0] + strongest[:, 1] / np.sqrt(3) == pytest.approx(1.0)  # left is 0
        nowhere = bayes_sign([1.0, 1.0], [1.0, 1.0], rope=0.1)
        (corner,) = [line for line in simplex(nowhere).lines if line.get_marker() == "o"]
        assert np.asarray(corner.get_xydata()).tolist() == [[0.5, np.sqrt(3) / 2]]

    def test_draws_into_axes_of_the_user(self) -> None:
        axes = Figure().add_subplot()
        assert simplex(SIGNS, ax=axes) is axes

    @pytest.mark.parametrize("wrong", [FOLDS, bayes_sign(A, B), lower_is_better()])
    def test_other_posteriors(self, wrong: Any) -> None:
        with pytest.raises(UsageError, match="a simplex is drawn of bayes_sign with a rope"):
            simplex(wrong)
