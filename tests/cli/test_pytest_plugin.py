"""The gate in pytest, in a session of its own: what passes, fails, warns, and what is said."""

from importlib.metadata import entry_points
from xml.etree import ElementTree

import pytest

pytest_plugins = ["pytester"]

SET_UP = """
import numpy as np, pytest

def models(worse=0.0, n=600):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, n)
    hard = rng.random(n) < 0.08
    old = np.where(hard | (rng.random(n) < 0.03), 1 - truth, truth)
    new = np.where(hard | (rng.random(n) < 0.03 + worse), 1 - truth, truth)
    return {"truth": truth, "old": old, "new": new}

BOTH = {"baseline": "old", "candidate": "new"}
"""


@pytest.fixture
def ran(pytester: pytest.Pytester):  # type: ignore[no-untyped-def]
    """Run tests in a process in which the plugin is loaded once, by its entry point or by name."""
    known = any(one.value == "assay.cli.pytest_plugin" for one in entry_points(group="pytest11"))
    words = [] if known else ["-p", "assay.cli.pytest_plugin"]

    def run(tests: str, *more: str) -> pytest.RunResult:
        pytester.makepyfile(SET_UP + tests)
        return pytester.runpytest_subprocess(*words, "-p", "no:cacheprovider", *more)

    return run


def test_margins_and_levels(ran) -> None:  # type: ignore[no-untyped-def]
    found = ran("""
def test_margin(assay_gate):
    assert assay_gate(models(), margin=0.05, **BOTH).word == "passed"

def test_worse(assay_gate):
    assay_gate(models(0.3), margin=0.05, **BOTH)

@pytest.mark.assay_gate(at_least={"accuracy": 0.8})
def test_level(assay_gate):
    assay_gate({"truth": models()["truth"], "new": models()["new"]})

@pytest.mark.assay_gate(at_least={"accuracy": 0.9})
def test_level_undecided(assay_gate):
    assay_gate({"truth": models()["truth"], "new": models()["new"]})
""")
    found.assert_outcomes(passed=2, failed=2)
    found.stdout.fnmatch_lines(
        [
            "*assay gates: 2 passed, 1 failed, 1 undecided*",
            "*test_worse: Gate failed. new has a lower accuracy than old*",
        ]
    )


def test_undecided_warns_where_it_may(ran) -> None:  # type: ignore[no-untyped-def]
    found = ran("""
def test_it(assay_gate):
    result = assay_gate(models(), margin=0.0001, on_undecided="warn", **BOTH)
    assert result.word == "undecided"
""")
    found.assert_outcomes(passed=1, warnings=1)


def test_error_rates_of_the_gate(ran) -> None:  # type: ignore[no-untyped-def]
    found = ran("""
def test_it(assay_gate):
    result = assay_gate(models(), margin=0.05, aa=200, rng=1, **BOTH)
    assert {trial.error for trial in result.trials} == {"false-fail", "false-pass"}
""")
    found.assert_outcomes(passed=1)


def test_a_gate_that_errs_too_often_fails() -> None:
    from assay.cli.pytest_plugin import _too_often
    from assay.core.gate_results import GateTrial
    from assay.estimates.proportions import clopper_pearson

    def trial(count: int) -> GateTrial:
        return GateTrial(
            error="false-pass",
            measure="accuracy",
            difference=-0.05,
            nominal=0.05,
            replicates=1000,
            count=count,
            rate=count / 1000,
            interval=clopper_pearson(count, 1000).interval,
            drawn="items",
        )

    assert _too_often(trial(50)) == ""
    assert "in 9.0% of 1000 trials, nominal 5.0%" in _too_often(trial(90))


def test_committed_terms(ran, pytester: pytest.Pytester) -> None:  # type: ignore[no-untyped-def]
    pytester.makefile(".toml", assay="[gate]\nmargin = 0.05\n")
    found = ran("""
def test_it(assay_gate):
    assert assay_gate(models(), **BOTH).checks[0].margin == 0.05
""")
    found.assert_outcomes(passed=1)


def test_committed_files(ran, pytester: pytest.Pytester) -> None:  # type: ignore[no-untyped-def]
    rows = "".join(f"{k},{k % 2},{k % 2 if k % 20 else 1 - k % 2},{k % 2}\n" for k in range(400))
    pytester.makefile(".csv", both=f"item,y,old,new\n{rows}".replace("\\\n", "\n"))
    terms = 'files = ["both.csv"]\nbaseline = "old"\ncandidate = "new"\n[reading]\ntruth = "y"\n[gate]\nmargin = 0.05\n'
    pytester.makefile(".toml", assay=terms)
    found = ran("""
def test_it(assay_gate):
    assert assay_gate().word == "passed"
""")
    found.assert_outcomes(passed=1)


def test_no_terms_at_all_is_wrong_usage(ran) -> None:  # type: ignore[no-untyped-def]
    found = ran("""
def test_it(assay_gate):
    assay_gate(models(), **BOTH)
""")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*this gate has no terms*"])


def test_the_sentence_is_in_the_xml(ran, pytester: pytest.Pytester) -> None:  # type: ignore[no-untyped-def]
    ran("""
def test_it(assay_gate):
    assay_gate(models(), margin=0.05, **BOTH)
""", "--junit-xml=out.xml")  # fmt: skip
    (case,) = ElementTree.parse(pytester.path / "out.xml").iter("testcase")  # noqa: S314 (our own)
    told = {one.get("name"): one.get("value") for one in case.iter("property")}
    assert told["assay_gate"] == "passed"
    assert "A loss of more than 0.05 is ruled out" in str(told["assay_gate_sentence"])


def test_the_marker_is_known(ran) -> None:  # type: ignore[no-untyped-def]
    found = ran("def test_it(): pass", "--markers")
    found.stdout.fnmatch_lines(["*assay_gate(*terms): terms of the assay_gate fixture*"])
