"""`assay selftest`: a table on stdout and an exit code."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from assay.cli.selftest import command
from assay.core.errors import UsageError
from assay.selftest import families, run


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(command, list(arguments))


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(families.ADAPTERS, "multiplicity__p_adjust", lambda given: {})
    run._adapters.cache_clear()
    yield
    run._adapters.cache_clear()


class TestTable:
    def test_all_families(self) -> None:
        done = invoke()
        assert done.exit_code == 0
        lines = done.output.splitlines()
        assert lines[2].split() == ["cases", "agree", "worst", "rel.", "error", "case"]
        assert max(map(len, lines)) <= 100
        assert any(line.startswith("proportion ") for line in lines)
        assert "reference cases agree" in lines[0]

    def test_functions_of_a_family(self) -> None:
        done = invoke("multiplicity")
        assert done.exit_code == 0
        assert "multiplicity__p_adjust_pairwise " in done.output
        assert "17 of 17 reference cases agree" in done.output

    def test_what_is_not_offered_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        later = {"*": "comes later"}
        monkeypatch.setitem(families.UNOFFERED, "multiplicity__p_adjust", later)
        run._adapters.cache_clear()
        done = invoke("multiplicity")
        run._adapters.cache_clear()
        assert done.exit_code == 0
        assert "not yet offered" in done.output
        assert "left out: multiplicity__p_adjust (comes later)" in done.output
        assert "9 of 17 reference cases agree, 8 not yet offered" in done.output

    @pytest.mark.usefixtures("wrong")
    def test_a_difference_is_a_defect(self) -> None:
        done = invoke("multiplicity")
        assert done.exit_code == 70
        assert "differs: multiplicity.p_adjust#000" in done.output
        assert "9 of 17 reference cases agree" in done.output


class TestJson:
    def test_document(self) -> None:
        done = invoke("multiplicity", "--format", "json")
        document = json.loads(done.output)
        assert document["passed"]
        assert document["cases"] == document["agreeing"] == 17
        assert 0 <= document["functions"][0]["worst_relative_error"] < 1e-9

    @pytest.mark.usefixtures("wrong")
    def test_infinite_errors_are_readable(self) -> None:
        done = invoke("multiplicity__p_adjust", "--format", "json")
        assert done.exit_code == 70
        (function,) = json.loads(done.output)["functions"]
        assert function["worst_relative_error"] == "Infinity"
        assert function["differing"][0]["value"]


def test_unknown_family() -> None:
    done = invoke("nonsense")
    assert isinstance(done.exception, UsageError)
