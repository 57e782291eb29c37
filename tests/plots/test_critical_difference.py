"""The diagram says what the test decided: read back from the picture, over random decisions."""

import re
import subprocess
import sys
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from assay.core.errors import UsageError
from assay.core.results import FamilyOutcome
from assay.hypotheses.friedman_posthoc import (
    bonferroni_dunn,
    friedman_posthoc,
    nemenyi,
    nemenyi_from_ranks,
    wilcoxon_pairs,
)
from assay.plots import cliques, critical_difference, paper
from assay.plots.critical_difference import GAP, OVERHANG, spread
from tests.plots.figures import (
    decided,
    draw,
    outside,
    overlapping,
    spaced,
    texts,
    with_ranks,
)
from tests.report.examples import HOSTILE, against_level, many_models

Pairs = set[frozenset[str]]
DEMSAR = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}


def lines(axes: Axes, label: str) -> list[tuple[float, float]]:
    """Both ends of the horizontal lines with that label."""
    found = [np.asarray(line.get_xdata()) for line in axes.lines if line.get_label() == label]
    return [(float(x[0]), float(x[-1])) for x in found]


def feet(axes: Axes) -> dict[str, float]:
    """Where the leg of each model meets the bars, the model found by the label at its end."""
    legs = [line for line in axes.lines if np.asarray(line.get_xdata()).size == 4]
    found = {}
    for leg in legs:
        x, y = np.asarray(leg.get_xdata()), np.asarray(leg.get_ydata())
        (label,) = [t for t in axes.texts if t.get_position()[1] == y[-1] and _at(t, x[-1])]
        name = re.sub(r"^\d+\.\d\d  |  \d+\.\d\d$", "", label.get_text())
        found[name] = float(x[1])
    return found


def _at(text: Any, x: float) -> bool:
    return bool(abs(text.get_position()[0] - x) < 0.1)


def joined(axes: Axes) -> Pairs:
    """The pairs under a common bar, as the picture shows them."""
    places, bars = feet(axes), lines(axes, "_bar")
    return {
        frozenset((one, other))
        for one, other in combinations(places, 2)
        for start, end in bars
        if start <= places[one] <= end and start <= places[other] <= end
    }


def lettered(axes: Axes) -> Pairs:
    """The pairs that share a letter: letters in one column, names in the same rows."""
    names = {
        t.get_position()[1]: t.get_text().split("  ")[0]
        for t in axes.texts
        if t.get_horizontalalignment() == "right"
    }
    members: dict[str, list[str]] = {}
    for text in axes.texts:
        if re.fullmatch("[a-z]", text.get_text()):
            members.setdefault(text.get_text(), []).append(names[text.get_position()[1]])
    return {frozenset(pair) for group in members.values() for pair in combinations(group, 2)}


def squares(axes: Axes) -> int:
    (told,) = [line for line in axes.lines if line.get_label() == "_different"]
    return np.asarray(told.get_xdata()).size


def alike(family: FamilyOutcome) -> Pairs:
    return {
        frozenset(pair)
        for pair, outcome in zip(family.pairs, family.outcomes, strict=True)
        if not outcome.rejects(0.05)
    }


@st.composite
def families(draw: st.DrawFn) -> FamilyOutcome:
    """Any decisions about two to seven models with ranks that may be tied."""
    k = draw(st.integers(2, 7))
    ranks = draw(
        st.lists(st.sampled_from([1.0, 1.5, 2.0, 2.01, 3.0, 4.25]), min_size=k, max_size=k)
    )
    ranks = [min(rank, k) for rank in ranks]
    share = draw(st.sampled_from([0.15, 0.5, 0.85]))
    different = [draw(st.floats(0, 1)) < share for _ in range(k * (k - 1) // 2)]
    return decided(different, ranks)


class TestBars:
    def test_demsar_2006(self) -> None:
        # at 5% the critical difference is 1.25 and nothing is told apart; at 10% it is 1.12
        strict = nemenyi_from_ranks(DEMSAR, 14)
        assert joined(critical_difference(strict)) == {
            frozenset(pair) for pair in combinations(DEMSAR, 2)
        }
        assert "critical difference 1.25" in " ".join(texts(critical_difference(strict)))
        loose = critical_difference(nemenyi_from_ranks(DEMSAR, 14, level=0.9))
        assert joined(loose) == {frozenset(pair) for pair in combinations(DEMSAR, 2)} - {
            frozenset(("C4.5", "C4.5+m")), frozenset(("C4.5", "C4.5+m+cf")),
        }  # fmt: skip

    @settings(max_examples=60)
    @given(families())
    def test_what_is_drawn_is_what_was_decided(self, family: FamilyOutcome) -> None:
        axes = critical_difference(family)
        if any("No bars" in text for text in texts(axes)):
            assert lettered(axes) == alike(family)
            assert not lines(axes, "_bar")
        else:
            assert joined(axes) == alike(family)

    @pytest.mark.parametrize("k", [2, 3, 10, 40, 60])
    def test_nemenyi_always_has_bars(self, k: int) -> None:
        family = nemenyi(spaced(k))
        assert joined(critical_difference(family)) == alike(family)

    @pytest.mark.parametrize("k", [2, 3, 60])
    def test_all_equal_and_all_different(self, k: int) -> None:
        pairs = k * (k - 1) // 2
        ranks = np.linspace(1, k, k).tolist()
        equal = critical_difference(decided([False] * pairs, ranks))
        assert len(lines(equal, "_bar")) == 1
        different = critical_difference(decided([True] * pairs, ranks))
        assert not lines(different, "_bar")
        assert any("All pairs differ significantly" in text for text in texts(different))

    def test_equal_ranks_stand_apart_below_the_axis(self) -> None:
        # tied models, one of them told apart from a third: the bars must not touch both
        family = decided([False, True, False], [1.5, 1.5, 3.0])
        axes = critical_difference(family)
        assert joined(axes) == alike(family)
        assert min(np.diff(sorted(feet(axes).values()))) >= GAP - 1e-9
        assert GAP / 2 > OVERHANG

    def test_tied_models_are_ordered_so_that_bars_can_be_drawn(self) -> None:
        # m0 and m1 are tied; only with m1 first do bars say that m0 and m2 are alike
        for different in ([False, False, True], [False, True, False]):
            family = decided(different, [1.5, 1.5, 3.0])
            assert joined(critical_difference(family)) == alike(family)

    def test_bars_on_one_level_keep_their_distance(self) -> None:
        axes = critical_difference(nemenyi(spaced(40, 100)))
        bars = [line for line in axes.lines if line.get_label() == "_bar"]
        levels: dict[float, list[tuple[float, float]]] = {}
        for bar in bars:
            x, y = np.asarray(bar.get_xdata()), np.asarray(bar.get_ydata())
            levels.setdefault(float(y[0]), []).append((float(x[0]), float(x[1])))
        assert len(bars) > len(levels) > 1
        for found in levels.values():
            assert all(after[0] - before[1] > GAP / 2 for before, after in pairwise(sorted(found)))

    def test_best_left(self) -> None:
        axes = critical_difference(nemenyi_from_ranks({"tree": 2.7, "net": 1.2, "gbm": 2.1}, 20))
        places = feet(axes)
        assert places["net"] < places["gbm"] < places["tree"]
        assert "mean rank\n← better" in texts(axes)


class TestNoBars:
    middle = decided([True, False, True], [1.0, 2.0, 3.0])

    def test_the_sentence_says_why(self) -> None:
        sentence = " ".join(texts(critical_difference(self.middle))[0].split())
        assert sentence == (
            "No bars: m0 and m2 do not differ significantly, but m1, ranked between them, differs from m0 and "
            "m2. A bar over all three would contradict the test. Models that share a letter do not "
            "differ significantly (Nemenyi, 95%)."
        )

    def test_letters_instead(self) -> None:
        assert lettered(critical_difference(self.middle)) == {frozenset(("m0", "m2"))}

    def test_a_matrix_where_letters_do_not_suffice(self) -> None:
        rng = np.random.default_rng(2)
        different = rng.random(40 * 39 // 2) < 0.5
        axes = critical_difference(decided(different.tolist(), np.linspace(1, 40, 40).tolist()))
        assert any("square: significant difference" in text for text in texts(axes))
        assert squares(axes) == 2 * different.sum()

    def test_holm_over_pairs(self) -> None:
        table = spaced(40, 100)
        family = wilcoxon_pairs(table)
        axes = critical_difference(family, ranks=nemenyi(table))
        found = lettered(axes) if not lines(axes, "_bar") else joined(axes)
        assert found == alike(family)
        caption = " ".join(texts(axes)[0].split())
        assert caption.endswith("(Wilcoxon signed rank, every pair, Holm, 95%).")


class TestReading:
    @pytest.mark.parametrize("k", [2, 3, 10, 40, 60])
    def test_nothing_overlaps_and_nothing_is_cut(self, k: int) -> None:
        for family in (nemenyi(spaced(k)), bonferroni_dunn(spaced(k))):
            axes = critical_difference(family)
            assert overlapping(axes) == []
            assert outside(axes) == []

    @pytest.mark.parametrize("k", [4, 12, 40])
    def test_nor_without_bars(self, k: int) -> None:
        different = np.random.default_rng(1).random(k * (k - 1) // 2) < 0.6
        family = decided(different.tolist(), np.linspace(1, k, k).tolist())
        axes = critical_difference(family)
        assert any("No bars" in text for text in texts(axes))
        assert overlapping(axes) == []
        assert outside(axes) == []

    def test_long_names_stay_different(self) -> None:
        names = [f"meta-llama/Llama-3.1-{size}-Instruct-turbo" for size in ("8B", "70B", "405B")]
        axes = critical_difference(nemenyi_from_ranks(dict(zip(names, (1, 2, 3), strict=True)), 9))
        assert len(feet(axes)) == 3
        assert overlapping(axes) == []
        assert outside(axes) == []

    def test_hostile_names_are_plain_text(self) -> None:
        ranks = {name: 1.0 + place for place, name in enumerate(HOSTILE)}
        axes = critical_difference(nemenyi_from_ranks(ranks, 30))
        draw(axes)
        assert any("$\\frac{" in text for text in texts(axes))

    def test_the_ruler_is_as_long_as_the_critical_difference(self) -> None:
        family = nemenyi_from_ranks({"a": 1.0, "b": 2.5, "c": 3.0, "d": 3.5}, 30)
        axes = critical_difference(family)
        (ruler,) = lines(axes, "_ruler")
        places = feet(axes)
        unit = (places["d"] - places["a"]) / 2.5
        wide = dict(family.details)["critical_difference"]
        assert (ruler[1] - ruler[0]) / unit == pytest.approx(wide)

    def test_a_ruler_longer_than_the_axis_says_so(self) -> None:
        axes = critical_difference(nemenyi_from_ranks({"a": 1.0, "b": 2.0}, 2))
        assert any("longer than the axis" in text for text in texts(axes))

    def test_only_nemenyi_has_a_ruler(self) -> None:
        assert not lines(critical_difference(friedman_posthoc(spaced(4))), "_ruler")

    def test_same_bytes_whatever_the_hash_seed(self) -> None:
        code = (
            "import hashlib\n"
            "from assay.hypotheses.friedman_posthoc import nemenyi, wilcoxon_pairs\n"
            "from assay.plots import critical_difference, pairwise_matrix\n"
            "from assay.plots.style import as_bytes\n"
            "from tests.plots.figures import decided, spaced\n"
            "letters = decided([True, False, True], [1.0, 2.0, 3.0])\n"
            "for axes in (critical_difference(nemenyi(spaced(12))), critical_difference(letters),\n"
            "             pairwise_matrix(wilcoxon_pairs(spaced(6)))):\n"
            "    print(hashlib.sha256(as_bytes(axes, 'svg')).hexdigest())\n"
        )
        root = Path(__file__).parent.parent.parent
        found = {
            subprocess.run(
                [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, cwd=root, check=True,
                capture_output=True, text=True,
            ).stdout
            for seed in ("0", "1")
        }  # fmt: skip
        assert len(found) == 1
        assert len(found.pop().split()) == 3


class TestControl:
    def test_filled_is_told_apart(self) -> None:
        family = bonferroni_dunn(spaced(8), control="model-03")
        axes = critical_difference(family)
        marks = [line for line in axes.lines if line.get_marker() == "o"]
        hollow = sum(str(line.get_markerfacecolor()) == "#ffffff" for line in marks)
        assert hollow == len(alike(family))
        assert len(marks) == 7
        assert sum(line.get_marker() == "s" for line in axes.lines) == 1
        assert any("Filled: significantly different from model-03" in text for text in texts(axes))
        assert not lines(axes, "_bar")


class TestComparison:
    def test_its_own_verdicts_on_the_ranks_beside(self) -> None:
        result = with_ranks(6)
        expected = {frozenset((v.a, v.b)) for v in result.verdicts if not v.different}
        assert joined(critical_difference(result)) == expected
        assert not lines(critical_difference(result), "_ruler")

    def test_without_ranks(self) -> None:
        with pytest.raises(UsageError, match="has no mean ranks: give them as ranks"):
            critical_difference(many_models(4))

    def test_against_a_level(self) -> None:
        with pytest.raises(UsageError, match="one model against a level use forest"):
            critical_difference(against_level())


class TestErrors:
    @pytest.mark.parametrize("p", [None, float("nan")])
    def test_an_undefined_p_value_raises(self, p: float | None) -> None:
        family = decided([False, False, False], [1.0, 2.0, 3.0])
        broken = replace(family.outcomes[1], p_value=p)
        family = replace(family, outcomes=(family.outcomes[0], broken, family.outcomes[2]))
        with pytest.raises(UsageError, match="m0 and m2 has no answer"):
            critical_difference(family)

    def test_some_pairs_missing(self) -> None:
        family = decided([False] * 6, [1.0, 2.0, 3.0, 4.0])
        cut = replace(family, pairs=family.pairs[:4], outcomes=family.outcomes[:4])
        with pytest.raises(UsageError, match="4 pairs of 4 models came; needed are all pairs"):
            critical_difference(cut)

    @pytest.mark.parametrize(
        ("ranks", "match"),
        [
            ({"model-00": 1.0}, "one number for each of the 3 models"),
            ({f"model-0{i}": float("nan") for i in range(3)}, "one number for each"),
            (wilcoxon_pairs(spaced(3)), "wilcoxon_pairs does not carry mean ranks"),
        ],
    )
    def test_wrong_ranks(self, ranks: Any, match: str) -> None:
        with pytest.raises(UsageError, match=match):
            critical_difference(wilcoxon_pairs(spaced(3)), ranks=ranks)

    @pytest.mark.parametrize("wrong", [None, [1, 2]])
    def test_not_a_result(self, wrong: Any) -> None:
        with pytest.raises(UsageError, match="critical-difference diagram draws"):
            critical_difference(wrong)

    def test_draws_into_axes_of_the_user(self) -> None:
        figure = Figure(figsize=(4, 3))
        axes = figure.add_subplot(211)
        assert critical_difference(nemenyi(spaced(10)), ax=axes) is axes
        draw(axes)
        assert all(float(text.get_fontsize()) < 9 for text in axes.texts)


class TestSpread:
    @given(st.lists(st.floats(0, 10), min_size=1, max_size=30).map(sorted), st.floats(0.01, 1))
    def test_apart_in_order_and_within(self, places: list[float], gap: float) -> None:
        moved = spread(places, gap, 0.0, 10.0)
        least = min(gap, 10.0 / max(len(places) - 1, 1))
        assert all(after - before >= least - 1e-9 for before, after in pairwise(moved))
        assert moved[0] >= -1e-9
        assert moved[-1] <= 10.0 + 1e-9

    @given(st.lists(st.integers(0, 20), min_size=1, max_size=12, unique=True).map(sorted))
    def test_what_is_apart_stays(self, places: list[int]) -> None:
        assert spread(places, 1.0, 0.0, 20.0) == pytest.approx(places)


def test_cliques_are_public() -> None:
    assert cliques([[False, True], [True, False]]) == ()


class TestInAColumn:
    """Many models at 85 mm: a row for each, in letters that can be read."""

    def test_letters_are_large_enough_and_apart(self) -> None:
        with paper(85):
            axes = critical_difference(nemenyi(spaced(40, 100)))
        draw(axes)
        assert min(float(text.get_fontsize()) for text in axes.texts) >= 5.5
        assert not overlapping(axes)
        assert not outside(axes)

    def test_bars_join_what_the_test_does_not_tell_apart(self) -> None:
        family = nemenyi(spaced(40, 100))
        with paper(85):
            axes = critical_difference(family)
        rows = {
            text.get_text().split("  ")[0]: text.get_position()[1]
            for text in axes.texts
            if text.get_text().startswith("model-")
        }
        bars = [line for line in axes.lines if line.get_label() == "_bar"]
        spans = [np.sort(np.asarray(line.get_ydata(), dtype=float)) for line in bars]
        joined_there = {
            frozenset(pair)
            for pair in combinations(rows, 2)
            if any(low < rows[pair[0]] < high and low < rows[pair[1]] < high for low, high in spans)
        }
        alike = {
            frozenset(pair)
            for pair, outcome in zip(family.pairs, family.outcomes, strict=True)
            if outcome.p_value is not None and outcome.p_value > 0.05
        }
        assert len(rows) == 40
        assert joined_there == alike

    def test_a_control_keeps_its_two_kinds_of_dots(self) -> None:
        with paper(85):
            axes = critical_difference(bonferroni_dunn(spaced(40, 100), control="model-03"))
        faces = [line.get_markerfacecolor() for line in axes.lines if line.get_marker() == "o"]
        assert len(faces) == 39
        assert len(set(faces)) == 2
        assert min(float(text.get_fontsize()) for text in axes.texts) >= 5.5

    def test_few_models_keep_their_legs(self) -> None:
        with paper(85):
            axes = critical_difference(nemenyi(spaced(10, 30)))
        bars = [line for line in axes.lines if line.get_label() == "_bar"]
        assert bars
        assert all(np.ptp(np.asarray(line.get_ydata(), dtype=float)) == 0 for line in bars)
