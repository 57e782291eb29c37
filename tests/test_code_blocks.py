"""Every block of Python in the documentation is run somewhere, and every command that is shown can be typed."""

import ast
import re
import shlex
from functools import reduce
from importlib.metadata import entry_points
from inspect import signature
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import click
import numpy as np
import pytest

import assay
from assay.cli.main import VERBS, cli
from tests.evidence.readers.classic_results import weka_arff, weka_rows
from tests.evidence.readers.harness_logs import lm_eval_run, lm_sample

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [
    *(path for path in sorted(DOCS.rglob("*.md")) if "decisions" not in path.parts),
    ROOT / "README.md",
]
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

DOCTESTS = "tests/test_examples.py"
ELSEWHERE = {
    "README.md": DOCTESTS,
    "boards.md": "tests/test_command_pages.py",
    "displays.md": DOCTESTS,
    "gallery.md": "tests/test_site.py",
    "judges.md": "tests/test_command_pages.py",
    "plots.md": "tests/plots/test_gallery.py",
    "questions.md": "tests/test_questions.py",
    "simulate.md": "tests/calibration/test_page.py",
}
"""Pages whose Python another test runs, which names the page."""
SIGNATURES = {"architecture.md"}
"""Pages whose Python shows signatures, with bodies left out."""
HERE = (
    "ci.md",
    "confidence_sets.md",
    "datasets.md",
    "evidence.md",
    "folds.md",
    "gate.md",
    "logs.md",
    "report.md",
    "studies.md",
    "training_sizes.md",
    "training_variance.md",
)


def blocks(path: Path) -> list[str]:
    return _PYTHON.findall(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "path", [path for path in PAGES if blocks(path)], ids=lambda path: path.stem
)
def test_every_block_has_a_test_that_runs_it(path: Path) -> None:
    if path.name in (*HERE, *SIGNATURES):
        return
    if path.parent.name in ("tutorials", "coming-from"):
        assert all(">>> " in block for block in blocks(path)), "doctests"
        return
    assert path.name in (ROOT / ELSEWHERE[path.name]).read_text(encoding="utf-8")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages speak of."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 400)
    models = {
        name: np.where(rng.random(400) < rate, 1 - y, y) for name, rate in (("A", 0.1), ("B", 0.08))
    }
    scores = {name: np.round(y + rng.normal(0, 0.6, 400), 3) for name in models}
    rows = zip(y, *models.values(), *scores.values(), strict=True)
    lines = [f"i{k},{','.join(map(str, row))}" for k, row in enumerate(rows)]
    head = "id,y,A:label,B:label,A:score,B:score"
    Path("predictions.csv").write_text("\n".join([head, *lines]) + "\n")
    for name, model in (("old", "A"), ("new", "B")):
        lines = [f"{k},{a},{b}" for k, (a, b) in enumerate(zip(y, models[model], strict=True))]
        Path(f"{name}.csv").write_text("\n".join(["item,y,prediction", *lines]) + "\n")
    return tmp_path


def run(page: str, names: dict[str, Any], *, only: slice = slice(None)) -> dict[str, Any]:
    for block in blocks(DOCS / page)[only]:
        exec(compile(block, page, "exec"), names)  # noqa: S102 (our own page)
    return names


@pytest.mark.usefixtures("place")
class TestPages:
    def test_evidence(self) -> None:
        assert run("evidence.md", {"assay": assay})["evidence"].models == ("A", "B")

    def test_gate(self) -> None:
        import pandas as pd

        table = pd.read_csv("predictions.csv").rename(columns={"A:label": "A", "B:label": "B"})
        found = run("gate.md", {"assay": assay, "frame": table[["y", "A", "B"]]})["found"]
        assert found.word in ("passed", "failed", "undecided")

    def test_report(self, capsys: pytest.CaptureFixture[str]) -> None:
        run("report.md", {})
        assert "accuracy" in capsys.readouterr().out
        assert Path("report.html").is_file()
        assert Path("differences.pdf").is_file()

    def test_folds(self) -> None:
        assert run("folds.md", {})["result"].verdict.word

    def test_datasets(self) -> None:
        rows = [f"{k % 3},b{k % 2},{k},{k % 5 % 2}" for k in range(40)]
        text = "\n".join(["customer,branch,amount,default", *rows]) + "\n"
        Path("loans.csv").write_text(text)
        Path("data").mkdir()
        Path("data/one.csv").write_text("x,y\n" + "".join(f"{k},{k % 2}\n" for k in range(40)))
        run("datasets.md", {})

    def test_logs(self) -> None:
        import pandas as pd
        from sklearn.datasets import load_iris
        from sklearn.model_selection import GridSearchCV
        from sklearn.svm import SVC
        from sklearn.tree import DecisionTreeClassifier

        for name, every in (("run_a", 3), ("run_b", 4)):
            samples = [
                lm_sample(k, {"exact_match": float(k % every > 0)}, each=each)
                for k in range(60)
                for each in ("strict-match", "flexible-extract")
            ]
            lm_eval_run(Path(name), name, {"gsm8k": samples})
        x, y = load_iris(return_X_y=True)
        tree, svm = DecisionTreeClassifier(random_state=0), SVC()
        search = GridSearchCV(tree, {"max_depth": [1, 3]}, cv=5).fit(x, y)
        pd.DataFrame(search.cv_results_).to_csv("grid.csv")
        keys = [("iris", 1, fold, scheme, "") for scheme in ("J48", "IBk") for fold in range(1, 11)]
        weka_arff(
            Path("weka_results.arff"), weka_rows({key: 80.0 + key[2] + len(key[3]) for key in keys})
        )
        run("logs.md", {"tree": tree, "svm": svm, "x": x, "y": y})

    def test_training_variance(self) -> None:
        from sklearn.datasets import load_iris
        from sklearn.dummy import DummyClassifier
        from sklearn.naive_bayes import GaussianNB

        x, y = load_iris(return_X_y=True)
        given = {"assay": assay, "first": GaussianNB(), "second": DummyClassifier(), "X": x, "y": y}
        assert "b" in run("methods/training_variance.md", given)

    def test_several_sizes_and_sets_of_models(self) -> None:
        assert "points" in run("methods/training_sizes.md", {"assay": assay})
        assert "losses" in run("methods/confidence_sets.md", {"assay": assay})

    def test_studies(self) -> None:
        """The file of the first block, with fewer folds; what it returns is what the others look at."""
        from sklearn.naive_bayes import GaussianNB
        from sklearn.neighbors import KNeighborsClassifier

        from assay import Study

        study: Study = run("studies.md", {"__name__": "page"}, only=slice(1))["study"]
        assert set(study.learners) == {"tree", "svm"}
        small = assay.Study(
            name="small", seed=1, datasets=["iris", "wine"], measures=["accuracy"],
            resampling={"scheme": "cv", "folds": 3},
            learners={"tree": study.learners["tree"], "bayes": GaussianNB(), "nearest": KNeighborsClassifier()},
            curves={"learning": {"points": 3}, "noise": {"on": ["labels"]}},
        )  # fmt: skip
        result = small.run("study.db")
        names = run("studies.md", {"assay": assay, "result": result}, only=slice(1, None))
        assert names["look"](result).evidence.models == ("tree", "bayes", "nearest")


def test_the_plugin_of_pytest(
    place: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("old.csv", "new.csv"):
        (pytester.path / name).write_text((place / name).read_text())
    monkeypatch.chdir(pytester.path)
    (block,) = blocks(DOCS / "ci.md")
    pytester.makepyfile(block)
    known = any(one.value == "assay.cli.pytest_plugin" for one in entry_points(group="pytest11"))
    words = [] if known else ["-p", "assay.cli.pytest_plugin"]
    pytester.runpytest_subprocess(*words, "-p", "no:cacheprovider").assert_outcomes(passed=3)


_INDENTED = re.compile(r"^(?: {4}|\$ )(assay [^\n]+)$", re.MULTILINE)
_FENCED = re.compile(r"^```(?:text)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(assay [^`\n]+)`")
PLACEHOLDERS = re.compile(r"[…|]|\b[A-Z]{2,}\b(?!\.)")
"""What stands for something else: `assay methods NAME`, `assay completion bash|zsh|fish`."""


def commands() -> list[tuple[str, str]]:
    """Every command that a page shows, with the page."""
    found = []
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        fenced = "\n".join(_FENCED.findall(text))
        typed = [
            *_INDENTED.findall(text),
            *_INLINE.findall(text),
            *re.findall(r"^(assay .+)$", fenced, re.MULTILINE),
        ]
        found += [(path.name, one) for one in dict.fromkeys(typed)]
    return found


def parsed(typed: str) -> None:
    """Ask click whether the words can be typed; nothing is run."""
    whole = re.split(r"\s*(?:\||>|;|&&)\s|\\$", typed)[0]  # without what a shell does with it
    words = shlex.split(whole, comments=True)[1:]
    if not words or words[0] not in VERBS:
        assert words[:1] in ([], ["--help"], ["--version"]), typed
        return
    command: Any = cli.get_command(None, words[0])  # type: ignore[arg-type]
    rest = words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        command = command.get_command(click.Context(command), rest[0])
        assert command is not None, typed
        rest = rest[1:]
    if "--help" not in rest and rest:
        command.make_context(words[0], rest)


@pytest.mark.parametrize(
    ("page", "typed"), [one for one in commands() if not PLACEHOLDERS.search(one[1])]
)
def test_every_command_that_is_shown_can_be_typed(page: str, typed: str) -> None:
    try:
        parsed(typed)
    except click.MissingParameter:
        return  # a mention such as `assay compare --measure f1`, not a line to type
    except click.UsageError as error:
        if "does not exist" in error.format_message():
            return
        pytest.fail(f"{page}: {typed}: {error.format_message()}")


_CALL = re.compile(r"`(assay\.[\w.]+\([^`]*\))(?:[.\w]*)`")


def shown_calls() -> list[tuple[str, str]]:
    """Every call of ours between backquotes, such as `assay.compare(frame, cluster="patient")`, with its page."""
    return [
        (path.name, one)
        for path in PAGES
        for one in dict.fromkeys(_CALL.findall(path.read_text(encoding="utf-8")))
    ]


@pytest.mark.parametrize(("page", "call"), shown_calls())
def test_every_call_that_is_shown_has_its_name_and_its_arguments(page: str, call: str) -> None:
    try:
        tree = ast.parse(call.replace("…", "..."), mode="eval").body
    except SyntaxError:
        pytest.fail(f"{page}: {call} is no Python")
    assert isinstance(tree, ast.Call)
    folder, _, name = (path := ast.unparse(tree.func)).rpartition(".")
    found: Any = assay
    if path.split(".")[1] in assay.__all__ and not path.startswith("assay.compare."):
        found = reduce(getattr, path.split(".")[1:], found)
    else:
        found = resolve_name(f"{folder}:{name}")
    left_out = [ast.unparse(one) == "..." or isinstance(one, ast.Starred) for one in tree.args]
    given = [one for one, out in zip(tree.args, left_out, strict=True) if not out]
    takes = signature(found)
    bind = takes.bind_partial if any(left_out) else takes.bind
    bind(*given, **dict.fromkeys(keyword.arg for keyword in tree.keywords if keyword.arg))
