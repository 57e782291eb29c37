"""action.yml, .pre-commit-hooks.yaml and the snippet for GitLab: their steps are run as they stand."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped, unused-ignore]

from tests.support import PATIENCE

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
TERMS = "--id item --truth y --margin 0.05"


class GitHub(BaseHTTPRequestHandler):
    """As much of GitHub's interface as comments need; comments are kept by the server."""

    server: "Comments"

    def _answer(self, code: int, body: Any) -> None:
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def _body(self) -> str:
        return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

    def do_GET(self) -> None:
        page = int(re.search(r"&page=(\d+)", self.path)[1])  # type: ignore[index]
        self._answer(200, self.server.comments[100 * (page - 1) : 100 * page])

    def do_POST(self) -> None:
        if self.headers["Authorization"] != "Bearer writer":
            self._answer(403, {"message": "Resource not accessible by integration"})
            return
        assert self.path == "/repos/me/models/issues/7/comments"
        self.server.comments.append({"id": len(self.server.comments), "body": self._body()})
        self._answer(201, {})

    def do_PATCH(self) -> None:
        place = int(self.path.rpartition("/")[2])
        self.server.comments[place]["body"] = self._body()
        self._answer(200, {})

    def log_message(self, *said: Any) -> None:
        """Nothing on stderr."""


class Comments(ThreadingHTTPServer):
    comments: list[dict[str, Any]]


@pytest.fixture
def github() -> Iterator[Comments]:
    server = Comments(("127.0.0.1", 0), GitHub)
    server.comments = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def runner(tmp_path: Path, github: Comments) -> dict[str, str]:
    """The variables that a runner sets, and two files of predictions."""
    rows = range(600)
    for name, wrong in (("old", 17), ("good", 19), ("bad", 4)):
        lines = [f"{k},{k % 2},{1 - k % 2 if k % wrong == 0 else k % 2}" for k in rows]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,y,prediction", *lines]) + "\n")
    (tmp_path / "event.json").write_text('{"pull_request": {"number": 7}}')
    return {
        **os.environ,
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_API_URL": f"http://127.0.0.1:{github.server_port}",
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_REPOSITORY": "me/models",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "step.md"),
        "RUNNER_TEMP": str(tmp_path / "temp"),
    }


def filled(text: str, inputs: dict[str, str], outputs: dict[str, str]) -> str:
    """GitHub's expressions in an environment, as the runner fills them in."""

    def value(found: re.Match[str]) -> str:
        kind, name = found[1].split(".", 1)
        return inputs[name] if kind == "inputs" else outputs[name.removeprefix("gate.outputs.")]

    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", value, text)


def step(
    name: str, runner: dict[str, str], folder: Path, **given: str
) -> subprocess.CompletedProcess[str]:
    """Run the shell of one step as it stands in action.yml."""
    inputs = {key: str(one.get("default", "")) for key, one in ACTION["inputs"].items()}
    inputs |= {"python": sys.executable, "token": "writer", **given}
    output = Path(runner["GITHUB_OUTPUT"])
    lines = output.read_text().splitlines() if output.exists() else []
    outputs = dict(line.split("=", 1) for line in lines)
    environment = {
        key: filled(text, inputs, outputs) for key, text in STEPS[name].get("env", {}).items()
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]],
        cwd=folder,
        env={**runner, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def outputs(runner: dict[str, str]) -> dict[str, str]:
    lines = Path(runner["GITHUB_OUTPUT"]).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


class TestAction:
    @pytest.mark.parametrize(
        ("file", "word", "code"), [("good", "passed", 0), ("bad", "failed", 1)]
    )
    def test_gate_summary_report_and_verdict(
        self, file: str, word: str, code: int, runner: dict[str, str], tmp_path: Path
    ) -> None:
        done = step("Gate", runner, tmp_path, files=f"old.csv {file}.csv", arguments=TERMS)
        assert done.returncode == 0, done.stdout + done.stderr
        found = outputs(runner)
        assert (found["word"], found["exit-code"]) == (word, str(code))
        report = Path(found["report"])
        assert {one.name for one in report.iterdir()} == {
            "gate.html",
            "gate.json",
            "gate.xml",
            "summary.md",
        }
        assert f"Gate {word}" in Path(runner["GITHUB_STEP_SUMMARY"]).read_text()
        assert f"Gate {word}" in (report / "gate.html").read_text()
        assert step("Verdict", runner, tmp_path).returncode == code

    def test_the_comment_is_written_once_and_then_updated(
        self, runner: dict[str, str], tmp_path: Path, github: Comments
    ) -> None:
        github.comments += [{"id": k, "body": "a person's words"} for k in range(100)]
        step("Gate", runner, tmp_path, files="old.csv bad.csv", arguments=TERMS)
        assert "wrote a comment" in step("Comment", runner, tmp_path).stdout
        Path(runner["GITHUB_OUTPUT"]).unlink()
        step("Gate", runner, tmp_path, files="old.csv good.csv", arguments=TERMS)
        assert "updated the comment" in step("Comment", runner, tmp_path).stdout
        ours = [one["body"] for one in github.comments if "Gate" in one["body"]]
        assert len(ours) == 1
        assert "Gate passed" in ours[0]
        other = step("Comment", runner, tmp_path, title="another gate")
        assert "wrote a comment" in other.stdout

    def test_a_fork_gets_a_warning_and_not_a_failure(
        self, runner: dict[str, str], tmp_path: Path, github: Comments
    ) -> None:
        step("Gate", runner, tmp_path, files="old.csv good.csv", arguments=TERMS)
        done = step("Comment", runner, tmp_path, token="reader")  # noqa: S106
        assert done.returncode == 0
        assert "::warning::the comment could not be written" in done.stdout
        assert github.comments == []

    def test_no_pull_request_no_comment(
        self, runner: dict[str, str], tmp_path: Path, github: Comments
    ) -> None:
        Path(runner["GITHUB_EVENT_PATH"]).write_text('{"ref": "refs/heads/main"}')
        step("Gate", runner, tmp_path, files="old.csv good.csv", arguments=TERMS)
        assert "no pull request" in step("Comment", runner, tmp_path).stdout
        assert github.comments == []

    def test_words_with_spaces_and_signs_of_the_shell_stay_words(
        self, runner: dict[str, str], tmp_path: Path
    ) -> None:
        (tmp_path / "the good one.csv").write_bytes((tmp_path / "good.csv").read_bytes())
        files = "old.csv 'the good one.csv'"
        step("Gate", runner, tmp_path, files=files, arguments=f"{TERMS} --level 0.9")
        assert outputs(runner)["word"] == "passed"
        hostile = "old.csv good.csv $(touch hacked) `touch hacked` ; touch hacked"
        step("Gate", runner, tmp_path, files=hostile, arguments=TERMS)
        assert not (tmp_path / "hacked").exists()

    def test_wrong_usage_is_said_and_is_the_verdict(
        self, runner: dict[str, str], tmp_path: Path
    ) -> None:
        done = step("Gate", runner, tmp_path, files="old.csv good.csv", arguments="--truth y")
        assert done.returncode == 0
        assert outputs(runner)["exit-code"] == "2"
        assert "before it reached a verdict" in Path(runner["GITHUB_STEP_SUMMARY"]).read_text()
        assert step("Verdict", runner, tmp_path).returncode == 2

    def test_committed_terms(self, runner: dict[str, str], tmp_path: Path) -> None:
        (tmp_path / "assay.toml").write_text(
            'files = ["old.csv", "good.csv"]\n[reading]\nid = "item"\ntruth = "y"\n[gate]\nmargin = 0.05\n'
        )
        step("Gate", runner, tmp_path)
        assert outputs(runner)["word"] == "passed"

    def test_every_input_of_a_step_exists(self) -> None:
        text = (ROOT / "action.yml").read_text(encoding="utf-8")
        used = set(re.findall(r"inputs\.([\w-]+)", text))
        assert used == set(ACTION["inputs"])


class TestHook:
    HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))

    def test_it_runs_as_it_stands(self, runner: dict[str, str], tmp_path: Path) -> None:
        (hook,) = self.HOOKS
        entry = hook["entry"].replace("assay ", f"{sys.executable} -m assay ", 1)
        for file, code in (("good", 0), ("bad", 1)):
            (tmp_path / "assay.toml").write_text(
                f'files = ["old.csv", "{file}.csv"]\n[reading]\nid = "item"\ntruth = "y"\n[gate]\nmargin = 0.05\n'
            )
            done = subprocess.run(
                ["bash", "-c", entry], cwd=tmp_path, env=runner, check=False, timeout=PATIENCE
            )
            assert done.returncode == code

    @pytest.mark.parametrize(
        ("path", "wakes"),
        [("assay.toml", True), ("predictions/new.csv", True), ("src/a.py", False)],
    )
    def test_what_wakes_it(self, path: str, wakes: bool) -> None:
        (hook,) = self.HOOKS
        assert bool(re.search(hook["files"], path)) is wakes


def test_the_snippet_for_gitlab(runner: dict[str, str], tmp_path: Path) -> None:
    """Its commands, after the installation, in a folder with the files that it names."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    snippet = yaml.safe_load(re.search(r"```yaml\n(assay-gate:.*?)```", page, re.DOTALL)[1])  # type: ignore[index]
    job = snippet["assay-gate"]
    (tmp_path / "good.csv").rename(tmp_path / "new.csv")
    script = [line for line in job["script"] if not line.startswith("pip ")]
    typed = "\n".join(script).replace("assay ", f"{sys.executable} -m assay ", 1)
    done = subprocess.run(
        ["bash", "-e", "-c", typed], cwd=tmp_path, env=runner, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0
    for path in (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]):
        assert (tmp_path / path).is_file(), path
    assert job["allow_failure"]["exit_codes"] == [3]
