"""`assay simulate` as a person types it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from assay.cli.main import cli, main
from assay.core.errors import AssayError
from assay.simulate.lecture_figures import FIGURES
from assay.simulate.worlds import KINDS


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["simulate", *arguments])


def answer(*arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--format", "json")
    assert done.exit_code == 0, (done.output, done.exception)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class TestErrors:
    def test_the_example_of_the_help(self) -> None:
        found = answer("mcnemar", "--world", "paired-labels", "--n", "100,500", "--replicates", "1000",
                       "--seed", "1")  # fmt: skip
        assert found["kind"] == "simulation"
        assert [cell["n"] for cell in found["cells"]] == [100, 500]
        assert all(cell["quantity"] == "type I error" for cell in found["cells"])
        assert found["seed"] == 1

    def test_effects_settings_options_and_levels(self) -> None:
        found = answer("mcnemar", "--n", "30", "--effect", "0,0.1", "--set", "discordant=0.2,0.4",
                       "--option", "variant=exact", "--level", "0.9,0.95")  # fmt: skip
        assert len(found["cells"]) == 8
        assert {cell["quantity"] for cell in found["cells"]} == {"type I error", "type II error"}
        assert found["options"] == [["variant", "exact"]]

    def test_sizes_are_one_value(self) -> None:
        found = answer("fisher_exact", "--set", "sizes=5,9", "--p", "0.3")
        assert len(found["cells"]) == 1
        assert found["cells"][0]["n"] == 5

    def test_looks(self) -> None:
        found = answer("mcnemar", "--n", "60", "--looks", "6", "--replicates", "300", "--seed", "1")
        once = answer("mcnemar", "--n", "60", "--replicates", "300", "--seed", "1")
        assert found["options"] == [["looks", 6]]
        assert found["cells"][0]["value"] > once["cells"][0]["value"]

    def test_a_table_says_how_surely(self) -> None:
        done = run("sign_test", "--n", "8", "--replicates", "200", "--seed", "1")
        assert done.exit_code == 0
        assert "Monte-Carlo 95%" in done.stdout
        assert "200 replicates; Monte-Carlo error" in " ".join(done.stdout.split())


class TestCoverage:
    def test_by_n_and_p(self) -> None:
        found = answer("--coverage", "wald", "wilson", "--n", "10,20", "--p", "0.1:0.3:0.1")
        assert len(found["cells"]) == 12
        assert [cell["parameters"][0][1] for cell in found["cells"][::2]][:3] == [0.1, 0.2, 0.3]
        assert all(cell["replicates"] is None for cell in found["cells"])

    def test_mse(self) -> None:
        found = answer("--mse", "variance_n", "--n", "5", "--replicates", "100", "--seed", "2")
        assert dict(found["cells"][0]["details"])["bias"] < 0


class TestOutput:
    @pytest.mark.parametrize("suffix", ["png", "svg", "html", "json", "md", "tex", "csv", "txt"])
    def test_every_file(self, suffix: str, tmp_path: Path) -> None:
        path = tmp_path / f"found.{suffix}"
        done = run("wilson", "--n", "10", "--p", "0.1,0.2", "--output", str(path))
        assert done.exit_code == 0, (done.output, done.exception)
        assert path.stat().st_size > 100
        assert f"wrote {path}" in done.stderr
        assert not done.stdout

    def test_an_html_page_holds_the_figure_and_the_table(self, tmp_path: Path) -> None:
        path = tmp_path / "page.html"
        run("wilson", "--n", "10", "--p", "0.1,0.2", "--output", str(path))
        text = path.read_text()
        assert "<svg" in text
        assert "coverage" in text

    def test_csv_has_unrounded_numbers(self) -> None:
        done = run("wilson", "--n", "10", "--p", "0.1", "--format", "csv")
        head, row = done.stdout.splitlines()
        assert head.startswith("table,")
        assert len(dict(zip(head.split(","), row.split(","), strict=True))["value"]) > 10


class TestLecture:
    def test_a_figure(self, tmp_path: Path) -> None:
        path = tmp_path / "figure.png"
        done = run(
            "--lecture", "paired-t", "--replicates", "200", "--seed", "1", "--output", str(path)
        )
        assert done.exit_code == 0, done.output
        assert path.read_bytes().startswith(b"\x89PNG")

    def test_names_are_listed(self) -> None:
        with pytest.raises(AssayError, match=", ".join(FIGURES)):
            CliRunner().invoke(cli, ["simulate", "--lecture", "nope"], catch_exceptions=False)

    def test_stands_alone(self) -> None:
        with pytest.raises(AssayError, match="name it alone"):
            CliRunner().invoke(
                cli, ["simulate", "mcnemar", "--lecture", "paired-t"], catch_exceptions=False
            )


class TestWords:
    def test_worlds_are_listed(self) -> None:
        done = run("--worlds")
        assert done.exit_code == 0
        for name in KINDS:
            assert f"{name}: " in done.stdout
        assert "discordant=0.2" in done.stdout

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ((), "name the method"),
            (("mcnemar", "--world", "normal"), "use paired-labels"),
            (("mcnemar", "--world", "moon"), "there is no world 'moon'"),
            (("mcnemar", "--set", "disc=0.1"), "has no parameter 'disc'"),
            (("--coverage", "--mse", "wilson"), "one at a time"),
            (("--mse", "wilson", "--looks", "3"), "for errors of tests"),
            (("mcnemar", "--n", "many"), "n is a whole number"),
            (("mcnemar", "--output", "found.xyz"), "found.xyz has no known suffix"),
            (("mcnemar", "--output", "nowhere/found.png"), "there is no folder nowhere"),
        ],
    )
    def test_errors_teach(self, arguments: tuple[str, ...], words: str) -> None:
        with pytest.raises(AssayError, match=words):
            CliRunner().invoke(cli, ["simulate", *arguments], catch_exceptions=False)

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("mcnemar", "--set", "discordant"), "is not like discordant=0.1"),
            (("wilson", "--p", "0.9:0.1:0.1"), "is not from:to:step"),
            (("wilson", "--p", "a:b:c"), "is not from:to:step"),
            (("wilson", "--p", "0:1:0.00001"), "at most 10,000"),
            (("wilson", "--replicates", "0"), "replicates"),
        ],
    )
    def test_typing_errors(self, arguments: tuple[str, ...], words: str) -> None:
        done = run(*arguments)
        assert done.exit_code == 2
        assert words in done.stderr

    def test_bad_evidence_and_bad_usage_have_their_exit_codes(self) -> None:
        for arguments, code in (
            (["simulate", "mcnemar", "--world", "normal"], 4),
            (["simulate", "nothing"], 2),
        ):
            with pytest.raises(SystemExit) as left:
                main(arguments)
            assert left.value.code == code
