"""The gate in pytest: a fixture `assay_gate`, a marker with its terms, a line in the summary.

Loaded by pytest itself (entry point ``pytest11``), so nothing heavy is imported before a gate runs.
"""

import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from assay.core.gate_results import Gate

TERMS = ("margin", "better_by", "at_least", "at_most", "each", "config")
"""Arguments that say what is demanded; without any, the committed file does."""
_SEEN = pytest.StashKey[list[tuple[str, str, str]]]()


class UndecidedGate(UserWarning):
    """The evidence decides nothing, and the gate was told to let that pass."""


class GateFixture:
    """What a test calls: `assay.gate`, whose failure is the test's failure."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        marker = request.node.get_closest_marker("assay_gate")
        if marker is not None and marker.args:
            raise pytest.UsageError("assay_gate takes named terms only: assay_gate(margin=0.01)")
        self._terms: dict[str, Any] = dict(marker.kwargs) if marker is not None else {}
        self._request = request

    def __call__(self, *evidence: Any, **terms: Any) -> "Gate":
        """Hold the candidate to the terms given here, by the marker, or in the committed file.

        Passed returns the result; failed fails the test, and so does undecided unless
        ``on_undecided`` is "warn" or "pass". With ``aa=1000`` the gate is tried on models whose
        truth is known, and errors above the nominal rate fail the test too.
        """
        from assay.compare.gate import gate

        given = {**self._terms, **terms}
        if not any(name in given for name in TERMS):
            given["config"] = self._committed()
            if not evidence:
                evidence, given = _filed(given["config"], given)
        result: Gate = gate(*evidence, **given)
        self._record(result)
        wrong = [_too_often(trial) for trial in result.trials]
        if result.exit_code:
            pytest.fail(result.sentence, pytrace=False)
        if any(wrong):
            pytest.fail("; ".join(filter(None, wrong)), pytrace=False)
        if result.word == "undecided" and result.on_undecided == "warn":
            warnings.warn(result.sentence, UndecidedGate, stacklevel=2)
        return result

    def _committed(self) -> Path:
        config = self._request.config
        path = config.rootpath / (config.getini("assay_config") or "assay.toml")
        if not path.is_file():
            raise pytest.UsageError(
                "this gate has no terms: assay_gate(…, margin=0.01), @pytest.mark.assay_gate("
                f"at_least={{'accuracy': 0.9}}), or a table [gate] in {path.name}"
            )
        return path

    def _record(self, result: "Gate") -> None:
        node = self._request.node
        node.user_properties.append(("assay_gate", result.word))
        node.user_properties.append(("assay_gate_sentence", result.sentence))
        seen = self._request.config.stash.setdefault(_SEEN, [])
        seen.append((node.nodeid, result.word, result.sentence))


def _filed(path: Path, given: dict[str, Any]) -> tuple[tuple[Path, ...], dict[str, Any]]:
    """The files that the committed file names, and how they are read, as `assay gate` takes them."""
    from assay.compare.gate_file import read_gate_file

    found = read_gate_file(path)
    told = {"baseline": found.baseline, "candidate": found.candidate, "rng": found.seed}
    named = {name: value for name, value in told.items() if value is not None}
    return tuple(path.parent / name for name in found.files), {**found.told(), **named, **given}


def _too_often(trial: Any) -> str:
    """What an A/A trial says against the gate; empty where its errors are within the nominal rate."""
    if trial.interval is None or trial.interval.low <= trial.nominal:
        return ""
    errs: dict[Literal["false-fail", "false-pass"], str] = {
        "false-fail": "fails equal models",
        "false-pass": "passes a candidate worse by the margin",
    }
    return (
        f"this gate {errs[trial.error]} in {trial.rate:.1%} of {trial.replicates} trials, nominal "
        f"{trial.nominal:.1%}"
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("assay_config", "File with the terms of gates that give none (assay.toml).")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "assay_gate(**terms): terms of the assay_gate fixture, such as margin=0.01, "
        "at_least={'accuracy': 0.9}, on_undecided='warn'",
    )


@pytest.fixture
def assay_gate(request: pytest.FixtureRequest) -> GateFixture:
    """What holds a candidate to margins and levels, called as `assay.gate` is."""
    return GateFixture(request)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    seen = config.stash.get(_SEEN, [])
    if not seen:
        return
    counts = Counter(word for _, word, _ in seen)
    said = ", ".join(
        f"{counts[word]} {word}" for word in ("passed", "failed", "undecided") if counts[word]
    )
    terminalreporter.section(f"assay gates: {said}", sep="-")
    for node, word, sentence in seen:
        if word != "passed":
            terminalreporter.write_line(f"{node}: {sentence}")
