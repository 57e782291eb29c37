"""`assay datasets` as a person types it."""

import json

import pytest
from click.testing import CliRunner

from assay.cli.datasets import command
from assay.core.errors import UsageError
from assay.study.catalogues import suite


def said(*words: str) -> str:
    done = CliRunner().invoke(command, list(words), catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


class TestList:
    @pytest.mark.parametrize("words", [(), ("list",)])
    def test_every_set_with_its_size(self, words: tuple[str, ...]) -> None:
        lines = said(*words).splitlines()
        names = [line.split()[0] for line in lines[1 : len(suite()) + 1]]
        assert names == list(suite())
        assert any(line.startswith("titanic") and line.endswith("by ticket") for line in lines)
        assert f"{len(suite())} data sets" in lines[-1]

    def test_json(self) -> None:
        listed = json.loads(said("--format", "json"))
        assert [one["name"] for one in listed] == list(suite())
        assert all(one["licence"] for one in listed)


class TestShow:
    @pytest.mark.parametrize("words", [("penguins",), ("show", "penguins")])
    def test_papers_and_traps(self, words: tuple[str, ...]) -> None:
        page = said(*words)
        for fact in ("CC0-1.0", "palmerpenguins 0.1.6", "island (categorical)", "Missing values"):
            assert fact in page
        assert str(suite()["penguins"].sha256) in page

    def test_json(self) -> None:
        assert json.loads(said("show", "iris", "--format", "json"))["classes"] == 3

    def test_a_near_miss(self) -> None:
        with pytest.raises(UsageError, match="did you mean titanic"):
            said("titanics")

    @pytest.mark.parametrize("words", [("show",), ("iris", "wine"), ("list", "iris")])
    def test_wrong_usage(self, words: tuple[str, ...]) -> None:
        assert CliRunner().invoke(command, list(words)).exit_code == 2
