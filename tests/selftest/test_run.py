"""The self-test itself: it fails on a wrong number, a claim where none is due, and a gap."""

import math
from typing import Any

import pytest

from assay.core.errors import EvidenceError, UsageError
from assay.reference import Case, cases, names
from assay.selftest import run as module
from assay.selftest.run import check_case, run_selftest

KNOWN = frozenset(names())


def case(expected: dict[str, Any], rtol: float = 1e-9) -> Case:
    return Case(id="x#1", input={}, expected=expected, rtol=rtol, source="R")


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let an adapter of ours stand for the file "planted"."""

    def plant(function: Any, *, looser: Any = None, **unoffered: str) -> None:
        found = ({"planted": function}, {"planted": unoffered}, {"planted": looser or {}})
        monkeypatch.setattr(module, "_adapters", lambda: found)

    return plant


class TestCheckCase:
    def test_agrees_within_the_tolerance_of_the_case(self, adapter: Any) -> None:
        adapter(lambda given: {"t": 1.001, "p_value": 0.5})
        assert check_case("planted", case({"t": 1.0, "p_value": 0.5}, 1e-2)).status == "agrees"
        found = check_case("planted", case({"t": 1.0, "p_value": 0.5}, 1e-4))
        assert (found.status, found.worst) == ("differs", "t")
        assert found.error == pytest.approx(0.001)

    def test_a_missing_value_differs(self, adapter: Any) -> None:
        adapter(lambda given: {"t": 1.0})
        found = check_case("planted", case({"t": 1.0, "welch": {"df": 3}}))
        assert (found.status, found.worst, found.error) == ("differs", "welch.df", math.inf)

    def test_a_value_left_out_with_a_reason_does_not(self, adapter: Any) -> None:
        adapter(lambda given: {"t": 1.0}, R_chi2="a variant")
        assert check_case("planted", case({"t": 1.0, "R_chi2": 3})).status == "agrees"

    def test_a_value_that_its_source_gives_loosely(self, adapter: Any) -> None:
        adapter(lambda given: {"t": 1.0, "mle": 1.0005}, looser={"mle": 1e-3})
        assert check_case("planted", case({"t": 1.0, "mle": 1.0}, 1e-9)).status == "agrees"
        adapter(lambda given: {"t": 1.0, "mle": 1.005}, looser={"mle": 1e-3})
        assert check_case("planted", case({"t": 1.0, "mle": 1.0}, 1e-9)).status == "differs"

    def test_a_tiny_p_value_is_no_noise(self, adapter: Any) -> None:
        adapter(lambda given: {"chi2": 0.0, "p_value": 0.0})
        assert check_case("planted", case({"chi2": 1e-31})).status == "agrees"
        assert check_case("planted", case({"p_value": 1e-31})).status == "differs"

    @pytest.mark.parametrize("p_value", [0.0, 0.3, 1.0])
    def test_undefined_allows_no_p_value(self, adapter: Any, p_value: float) -> None:
        undefined = {"undefined": True, "R_behaviour": {"p_value": 0.01}, "n": 5}
        adapter(lambda given: {"p_value": p_value, "mean": 2.0, "n": 5})
        assert check_case("planted", case(undefined)).status == "differs"
        adapter(lambda given: {"p_value": None, "mean": 2.0, "n": 5})
        assert check_case("planted", case(undefined)).status == "agrees"
        adapter(lambda given: {"p_value": None, "n": 6})
        assert check_case("planted", case(undefined)).status == "differs"

    def test_undefined_inside(self, adapter: Any) -> None:
        nested = {"welch": {"undefined": True, "error": "not enough"}, "pooled": {"t": 1}}
        adapter(lambda given: {"welch": {"p_value": 0.2}, "pooled": {"t": 1}})
        assert check_case("planted", case(nested)).status == "differs"
        adapter(lambda given: {"welch": {"p_value": None}, "pooled": {"t": 1}})
        assert check_case("planted", case(nested)).status == "agrees"

    def test_undefined_effect_has_no_value(self, adapter: Any) -> None:
        adapter(lambda given: {"cohens_d": 3.0})
        assert check_case("planted", case({"undefined": True})).status == "differs"

    def test_an_error_is_an_answer_only_where_nothing_exists(self, adapter: Any) -> None:
        def refuse(given: Any) -> dict[str, Any]:
            raise EvidenceError("too few")

        adapter(refuse)
        assert check_case("planted", case({"undefined": True})).status == "agrees"
        found = check_case("planted", case({"t": 1.0}))
        assert (found.status, found.worst) == ("differs", "error: too few")


class TestRunSelftest:
    def test_one_file(self) -> None:
        report = run_selftest(["ttest__paired_t"])
        (only,) = report.functions
        assert (only.family, only.cases) == ("ttest", len(list(cases("ttest__paired_t"))))
        assert report.passed
        assert report.agreeing == report.cases
        assert only.error < 1e-9
        assert report.seconds > 0

    def test_a_family(self) -> None:
        report = run_selftest(["multiplicity"])
        assert [one.name for one in report.functions] == [
            "multiplicity__p_adjust",
            "multiplicity__p_adjust_pairwise",
        ]

    def test_a_wrong_number_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from assay.selftest import families

        monkeypatch.setitem(families.ADAPTERS, "multiplicity__p_adjust", lambda given: {})
        module._adapters.cache_clear()
        report = run_selftest(["multiplicity__p_adjust"])
        module._adapters.cache_clear()
        assert not report.passed
        assert report.functions[0].error == math.inf
        assert len(report.functions[0].differing) == report.cases

    def test_unknown_family(self) -> None:
        with pytest.raises(UsageError, match="no family of reference cases 'ttests'"):
            run_selftest(["ttests"])


def test_every_file_has_an_adapter_or_a_reason() -> None:
    adapters, unoffered, _ = module._adapters()
    answered = {name.split("#")[0] for name in adapters}
    waiting = {name for name, reasons in unoffered.items() if "*" in reasons}
    assert answered | waiting == KNOWN
    assert not answered & waiting


def test_what_is_left_out_is_in_the_reference() -> None:
    """A reason for a value that no case has is forgotten housekeeping."""
    _, unoffered, _ = module._adapters()
    for name, reasons in unoffered.items():
        expected = {path for case in cases(name) for path, _ in module._expected(case)}
        undefined = (
            {"undefined"} if any(c.expected.get("undefined") for c in cases(name)) else set()
        )
        assert set(reasons) - {"*"} <= expected | undefined, name
        assert all(reasons.values())
