"""Bradley-Terry: Agresti's baseball, Stigler's citations by R's glm, likelihood by brute force, Ford."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.special import expit

import assay
from assay.core.errors import AssayError, EvidenceError, NotApplicable
from assay.core.results import FamilyOutcome
from assay.core.wire import from_json, to_json
from assay.hypotheses.preferences import bradley_terry

CITATIONS = [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]]
JOURNALS = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
"""Citations among journals of statistics, Stigler (1994): row cited by column."""

TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
HOME_WINS = """
. 4-3 4-2 4-3 6-1 4-2 6-0
3-3 . 4-2 4-3 6-0 6-1 4-3
2-5 4-3 . 2-4 4-3 4-2 6-0
3-3 5-1 2-5 . 4-3 4-2 6-1
5-1 2-5 3-3 4-2 . 5-2 6-0
2-5 3-3 3-4 4-3 4-2 . 2-4
2-5 1-5 1-6 2-4 1-6 3-4 ."""
"""Agresti (2002), table 10.10: games of 1987, won and lost by the home team (row)."""

Rows = list[tuple[str, str, str, int]]


def baseball() -> Rows:
    rows: Rows = []
    for home, line in zip(TEAMS, HOME_WINS.split("\n")[1:], strict=True):
        for away, cell in zip(TEAMS, line.split(), strict=True):
            if cell != ".":
                won, lost = map(int, cell.split("-"))
                rows += [(home, away, home, won), (home, away, away, lost)]
    return rows


def fit(rows: Rows, **options: Any) -> FamilyOutcome:
    return bradley_terry(*(list(column) for column in zip(*rows, strict=True)), **options)


def strengths(found: FamilyOutcome) -> dict[Any, Any]:
    return {one.model: one.value for one in found.estimates if one.measure == "log_strength"}


def differences(found: FamilyOutcome) -> dict[tuple[str, str], Any]:
    return dict(zip(found.pairs, found.outcomes, strict=True))


def facts(found: Any) -> dict[str, Any]:
    return dict(found.details)


def codes(found: FamilyOutcome) -> list[str]:
    return [one.code for one in found.notes]


class TestPublished:
    def test_agresti(self) -> None:
        """Table 10.11: 1.58, 1.44, 1.29, 1.25, 1.11, 0.68 above Baltimore."""
        found = strengths(fit(baseball()))
        above = [found[team] - found["Baltimore"] for team in TEAMS[:-1]]
        assert [round(value, 2) for value in above] == [1.58, 1.44, 1.29, 1.25, 1.11, 0.68]

    def test_home_advantage(self) -> None:
        """Section 10.6.2: 0.302; R's glm: 0.302260655528941 with standard error 0.130943707456."""
        assert fit(baseball(), position=None) == fit(baseball())  # not told is not asked for
        found = fit(baseball(), position=True)
        (home,) = [one for one in found.estimates if one.measure == "position_effect"]
        assert home.value == pytest.approx(0.302260655528941, rel=1e-10)
        assert home.standard_error == pytest.approx(0.130943707456, rel=1e-9)
        assert home.value is not None
        assert home.interval is not None
        assert home.interval.low > 0.0
        assert dict(home.details)["probability"] == pytest.approx(expit(home.value))
        shares = np.exp([strengths(found)[team] for team in TEAMS])
        assert [round(x, 3) for x in sorted(shares / shares.sum())] == [
            0.044, 0.088, 0.137, 0.157, 0.164, 0.190, 0.220,
        ]  # fmt: skip

    def test_centred_strengths_of_glm(self) -> None:
        """R: glm(cbind(home, away) ~ 0 + X, binomial), the contrasts centred."""
        found = fit(baseball())
        expected = {
            "Milwaukee": (0.5311533406521309, 0.207419476291954),
            "Cleveland": (-0.3663497668501013, 0.205044319249037),
            "Baltimore": (-1.0502025360092628, 0.232462296013052),
        }
        for one in found.estimates:
            if one.model in expected:
                assert one.value == pytest.approx(expected[one.model][0], rel=1e-10)
                assert one.standard_error == pytest.approx(expected[one.model][1], rel=1e-10)
        assert sum(one.value or 0.0 for one in found.estimates) == pytest.approx(0.0, abs=1e-12)

    def test_citations(self) -> None:
        """BradleyTerry2 on these data: -2.949, -0.480, 0.269 from Biometrika, as R's glm has it."""
        found = differences(bradley_terry(CITATIONS, models=JOURNALS))
        expected = {
            "Comm Statist": (2.949072496843909, 0.1025453355112088),
            "JASA": (0.479569769751993, 0.0605887292482307),
            "JRSS-B": (-0.268954055819472, 0.0708299651111413),
        }
        for name, (value, error) in expected.items():
            effect = found["Biometrika", name].effect
            assert effect.value == pytest.approx(value, rel=1e-10)
            assert effect.standard_error == pytest.approx(error, rel=1e-10)

    def test_two_models_are_a_proportion(self) -> None:
        """The log odds of 14 of 20, its standard error sqrt(1/14 + 1/6)."""
        (outcome,) = bradley_terry([[0, 14], [6, 0]]).outcomes
        assert outcome.effect.value == pytest.approx(math.log(14 / 6))
        assert outcome.effect.standard_error == pytest.approx(math.sqrt(1 / 14 + 1 / 6))
        assert dict(outcome.details)["probability"] == pytest.approx(0.7)


class TestBruteForce:
    @settings(max_examples=30)
    @given(arrays(np.int64, (3, 4, 4), elements=st.integers(0, 6)), st.booleans())
    def test_maximum_of_the_likelihood(self, counts: np.ndarray[Any, Any], position: bool) -> None:
        tables = counts.astype(float)
        tables[:, np.arange(4), np.arange(4)] = 0
        rows = [
            (f"m{a}", f"m{b}", ("model_a", "model_b", "tie")[kind], int(tables[kind, a, b]))
            for kind in range(3) for a in range(4) for b in range(4) if a != b
        ]  # fmt: skip
        try:
            found = fit(rows, position=position)
        except EvidenceError:  # no comparison at all
            return
        if len(found.models) < 4 or any(one.value is None for one in found.estimates):
            return
        first, second, ties = tables
        won, met = first + ties / 2, first + second + ties

        def loss(values: np.ndarray[Any, Any]) -> float:
            full = np.append(0.0, values[:3])
            ahead = full[:, None] - full[None, :] + (values[3] if position else 0.0)
            lost = won * np.logaddexp(0, -ahead) + (met - won) * np.logaddexp(0, ahead)
            return float(lost.sum())

        best = minimize(loss, np.zeros(3 + position), method="BFGS", options={"gtol": 1e-8})
        assert -loss(best.x) <= facts(found)["log_likelihood"] + 1e-7
        full = np.append(0.0, best.x[:3])
        ours = [found.estimates[at].value for at in range(4)]
        assert ours == pytest.approx(full - full.mean(), abs=2e-3)

    def test_sandwich_is_the_sum_of_squared_scores(self) -> None:
        rows: Rows = [("a", "b", "a", 9), ("a", "b", "b", 4), ("a", "b", "tie", 7),
                      ("b", "c", "b", 6), ("b", "c", "c", 5), ("b", "c", "tie", 3)]  # fmt: skip
        found = fit(rows, variant="sandwich")
        values = strengths(found)
        design, result, times = [], [], []
        for a, b, winner, count in rows:
            design.append([(m == a) - (m == b) for m in "abc"])
            result.append(0.5 if winner == "tie" else float(winner == a))
            times.append(count)
        x, y, n = np.array(design, float), np.array(result), np.array(times, float)
        p = expit(x @ np.array([values[m] for m in "abc"]))
        bread = np.linalg.pinv((x * (n * p * (1 - p))[:, None]).T @ x)
        spread = bread @ ((x * (n * (y - p) ** 2)[:, None]).T @ x) @ bread
        for one, variance in zip(found.estimates, np.diag(spread), strict=True):
            assert one.standard_error == pytest.approx(math.sqrt(variance))

    def test_pseudo_inverse(self) -> None:
        found = bradley_terry(CITATIONS)
        values = np.array([one.value for one in found.estimates])
        p = expit(values[:, None] - values[None, :])
        edges = (np.array(CITATIONS) + np.array(CITATIONS).T) * p * (1 - p)
        spread = np.linalg.pinv(np.diag(edges.sum(axis=1)) - edges)
        for one, variance in zip(found.estimates, np.diag(spread), strict=True):
            assert one.standard_error == pytest.approx(math.sqrt(variance))


class TestProperties:
    @given(st.permutations(range(len(TEAMS))))
    def test_names_only_name(self, order: list[int]) -> None:
        other = {team: TEAMS[place] for team, place in zip(TEAMS, order, strict=True)}
        renamed = [(other[a], other[b], other[w], n) for a, b, w, n in baseball()]
        before, after = strengths(fit(baseball())), strengths(fit(renamed))
        for team in TEAMS:
            assert after[other[team]] == pytest.approx(before[team], abs=1e-9)

    @given(st.randoms(use_true_random=False))
    def test_order_of_rows(self, random: Any) -> None:
        rows = baseball()
        random.shuffle(rows)
        assert fit(rows) == fit(baseball())

    def test_swapping_places(self) -> None:
        swapped = [(b, a, w, n) for a, b, w, n in baseball()]
        assert strengths(fit(swapped)) == pytest.approx(strengths(fit(baseball())), abs=1e-9)
        home = fit(baseball(), position=True).estimates[-1].value
        away = fit(swapped, position=True).estimates[-1].value
        assert home is not None
        assert away == pytest.approx(-home)

    def test_doubling_counts_halves_the_variance(self) -> None:
        once = fit(baseball())
        twice = fit([(a, b, w, 2 * n) for a, b, w, n in baseball()])
        for one, two in zip(once.outcomes, twice.outcomes, strict=True):
            assert two.effect.value == pytest.approx(one.effect.value, abs=1e-9)
            assert one.effect.standard_error is not None
            assert two.effect.standard_error == pytest.approx(
                one.effect.standard_error / math.sqrt(2)
            )

    @pytest.mark.parametrize("adjustment", ["holm", "none", "bonferroni", "hochberg"])
    def test_the_interval_decides(self, adjustment: Any) -> None:
        found = fit(baseball(), adjustment=adjustment)
        decided = 0
        for outcome in found.outcomes:
            known = facts(outcome)
            rejects = outcome.rejects(0.05)
            decided += rejects
            assert outcome.effect.interval is not None
            assert rejects == (not outcome.effect.interval.contains(0.0))
            assert rejects == (not known["probability_low"] <= 0.5 <= known["probability_high"])
        assert 0 < decided < len(found.outcomes)

    def test_every_form_says_the_same(self, tmp_path: Path) -> None:
        rows = [(a, b, w, n) for a, b, w, n in baseball() if n]
        expected = fit(rows)
        names, by_place = ("model_a", "model_b", "winner", "count"), []
        for a, b, w, n in rows:
            by_place += [(a, b, "model_a" if w == a else "model_b")] * n
        path = tmp_path / "arena.csv"
        path.write_text("\n".join(",".join(row) for row in [names[:3], *by_place]) + "\n")
        assert bradley_terry(path) == expected
        assert bradley_terry(dict(zip(names, zip(*rows, strict=True), strict=True))) == expected
        losers = [(w, b if w == a else a, n) for a, b, w, n in rows]
        long = dict(zip(("winner", "loser", "count"), zip(*losers, strict=True), strict=True))
        assert strengths(bradley_terry(long)) == pytest.approx(strengths(expected), abs=1e-9)

    def test_survives_the_wire(self) -> None:
        found = fit(baseball(), position=True)
        assert from_json(to_json(found)) == found


class TestConnectivity:
    def test_a_model_that_never_lost(self) -> None:
        rows: Rows = [("a", "b", "a", 3), ("a", "b", "b", 2), ("q", "a", "q", 3)]
        found = fit(rows)
        assert codes(found) == ["not-connected"]
        assert "q never lost to the others" in found.notes[0].message
        assert "a, b never won against the others" in found.notes[0].message
        assert strengths(found)["q"] is None
        pairs = differences(found)
        assert pairs["a", "b"].effect.value == pytest.approx(math.log(1.5))
        assert pairs["a", "b"].p_value == dict(pairs["a", "b"].details)["p_unadjusted"]
        for pair in (("a", "q"), ("b", "q")):
            assert (pairs[pair].p_value, pairs[pair].effect.value) == (None, None)
            assert pairs[pair].effect.interval is None
            assert [one.code for one in pairs[pair].notes] == ["not-connected"]

    def test_pools_that_never_met(self) -> None:
        rows: Rows = [
            ("a", "b", "a", 3),
            ("a", "b", "b", 2),
            ("c", "d", "c", 3),
            ("c", "d", "d", 9),
        ]
        found = fit(rows)
        assert "a, b met none of the others" in found.notes[0].message
        assert set(strengths(found).values()) == {None}  # neither pool is the larger
        pairs = differences(found)
        assert pairs["c", "d"].effect.value == pytest.approx(math.log(1 / 3))
        assert pairs["a", "c"].p_value is None

    def test_one_comparison(self) -> None:
        found = fit([("a", "b", "b", 1)])
        assert codes(found) == ["not-connected"]
        assert found.outcomes[0].effect.value is None

    def test_a_chain_between(self) -> None:
        found = fit([("a", "b", "a", 2), ("b", "c", "b", 2)])
        assert "b won all against some of the others and lost all to some" in found.notes[0].message
        assert all(one.p_value is None for one in found.outcomes)

    def test_position_that_explains_everything(self) -> None:
        """The first always won: the graph of wins is connected, and the position is not finite."""
        rows: Rows = [("a", "b", "a", 5), ("b", "a", "b", 5)]
        assert codes(fit(rows)) == []
        found = fit(rows, position=True)
        assert codes(found) == ["position-undefined"]
        assert {one.value for one in found.estimates} == {None}

    def test_position_and_no_connection(self) -> None:
        found = fit([("a", "b", "a", 5)], position=True)
        assert codes(found) == ["not-connected"]

    @settings(max_examples=40)
    @given(arrays(np.int64, (2, 3, 3), elements=st.integers(0, 1)))
    def test_position_by_a_linear_program(self, counts: np.ndarray[Any, Any]) -> None:
        from scipy.optimize import linprog

        from assay.kernels.bradley_terry import groups_of, position_exists

        first, second = counts.astype(float)
        first[np.arange(3), np.arange(3)] = second[np.arange(3), np.arange(3)] = 0
        if groups_of(first + second.T).max() > 0:
            return
        lines = []
        for sign, table in ((1, first), (-1, second)):
            for a, b in np.argwhere(table > 0).tolist():
                lines.append([sign * ((m == a) - (m == b)) for m in (1, 2)] + [sign])
        outcomes = np.array(lines, float)
        found = [
            linprog(
                np.zeros(3),
                A_ub=-outcomes,
                b_ub=np.zeros(len(outcomes)),
                bounds=[(None, None), (None, None), (sign, sign)],
            )
            for sign in (1, -1)
        ]
        assert position_exists(first, second) == all(one.status == 2 for one in found)


class TestEdges:
    def test_all_ties(self) -> None:
        found = fit([("a", "b", "tie", 4), ("b", "c", "tie", 6)])
        assert codes(found) == ["ties-halved"]
        assert all(one.effect.value == pytest.approx(0.0) for one in found.outcomes)
        assert all(one.effect.interval is not None for one in found.outcomes)
        assert dict(found.details)["ties"] == 10

    def test_all_ties_have_no_sandwich(self) -> None:
        found = fit([("a", "b", "tie", 4)], variant="sandwich")
        assert codes(found) == ["ties-halved", "zero-variance"]
        (outcome,) = found.outcomes
        assert (outcome.p_value, outcome.effect.interval) == (None, None)
        assert outcome.effect.value == pytest.approx(0.0)

    def test_ties_spread_less(self) -> None:
        rows: Rows = [("a", "b", "a", 9), ("a", "b", "b", 4), ("a", "b", "tie", 20)]
        wide, narrow = (
            fit(rows).outcomes[0].effect,
            fit(rows, variant="sandwich").outcomes[0].effect,
        )
        assert wide.value == pytest.approx(narrow.value)
        assert wide.standard_error is not None
        assert narrow.standard_error is not None
        assert narrow.standard_error < 0.8 * wide.standard_error

    def test_lopsided_counts_settle(self) -> None:
        found = bradley_terry([[0, 10**6, 1], [1, 0, 10**6], [1, 1, 0]])
        assert all(one.value is not None for one in found.estimates)
        (pair,) = bradley_terry([[0, 10**9], [1, 0]]).outcomes
        assert pair.effect.value == pytest.approx(math.log(10**9))

    def test_huge_counts_keep_their_intervals(self) -> None:
        (pair,) = bradley_terry([[0, 2**49], [2**49, 0]]).outcomes
        assert pair.effect.standard_error == pytest.approx(math.sqrt(2 * 2.0**-49))
        assert pair.effect.interval is not None

    def test_hostile_names(self, tmp_path: Path) -> None:
        hostile = '<script>alert("1")</script>'
        path = tmp_path / "x.jsonl"
        lines = [
            {"model_a": hostile, "model_b": "=cmd()", "winner": hostile},
            {"model_a": "=cmd()", "model_b": hostile, "winner": "=cmd()"},
        ]
        path.write_text("\n".join(map(json.dumps, lines)))
        found = bradley_terry(path)
        assert "<script>alert" not in assay.render(found, "html")
        assert "<script>alert" not in assay.render(found, "markdown")
        assert ",=cmd()" not in assay.render(found, "csv")

    def test_hundred_models(self) -> None:
        rng = np.random.default_rng(1)
        truth = rng.normal(size=100)
        met = rng.integers(0, 5, size=(100, 100))
        np.fill_diagonal(met, 0)
        wins = rng.binomial(met, expit(truth[:, None] - truth[None, :]))
        found = bradley_terry(wins + (met - wins).T)
        values = np.array([one.value for one in found.estimates])
        assert len(found.outcomes) == 4950
        assert np.corrcoef(values, truth)[0, 1] > 0.95

    def test_a_million_rows(self) -> None:
        rng = np.random.default_rng(2)
        names = np.array([f"m{at}" for at in range(20)])
        a = rng.integers(0, 20, size=10**6)
        b = (a + rng.integers(1, 20, size=10**6)) % 20
        winner = np.where(rng.random(10**6) < 0.5, "model_a", "model_b")
        found = bradley_terry({"model_a": names[a], "model_b": names[b], "winner": winner})
        assert dict(found.details)["n"] == 10**6
        assert all(abs(one.value or 1.0) < 0.05 for one in found.estimates)


class TestErrors:
    def test_position_needs_places(self) -> None:
        with pytest.raises(NotApplicable, match="who was shown first"):
            bradley_terry(CITATIONS, position=True)

    def test_shaffer_needs_every_pair(self) -> None:
        with pytest.raises(NotApplicable, match="use holm"):
            fit([("a", "b", "a", 1), ("a", "b", "b", 1), ("c", "a", "c", 1)], adjustment="shaffer")

    def test_wrong_words(self) -> None:
        with pytest.raises(AssayError, match="variant is one of information, sandwich"):
            bradley_terry(CITATIONS, variant="robust")  # type: ignore[arg-type]
