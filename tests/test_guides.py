"""The guides for maintainers are true: the map is today's, and following CONTRIBUTING works."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import assay
from assay import plots
from assay.cli.main import main
from assay.core import methods
from assay.evidence.readers import log_formats
from assay.evidence.readers.log_items import Item, Log, LogRequest, LogRun
from assay.measures import registry
from tests.test_layers import PACKAGE
from tools import architecture_map

ROOT = Path(__file__).parent.parent
ARCHITECTURE = (ROOT / "docs" / "inside" / "architecture.md").read_text(encoding="utf-8")
FOLDERS = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file())


class TestMap:
    def test_it_is_the_map_of_today(self) -> None:
        said = architecture_map.PAGE.read_text(encoding="utf-8")
        assert said == architecture_map.page(), "run `python -m tools.architecture_map`"

    @pytest.mark.parametrize("folder", architecture_map.folders(), ids=lambda path: path.name)
    def test_every_file_says_what_it_is(self, folder: Path) -> None:
        silent = [path.name for path in folder.glob("*.py") if not architecture_map.docstring(path)]
        assert not set(silent) - {"_version.py"}, f"{silent} need a docstring: what is in there?"

    @pytest.mark.parametrize("folder", FOLDERS)
    def test_the_drawing_has_every_folder(self, folder: str) -> None:
        drawing = ARCHITECTURE.split("## Values")[0]
        assert re.search(rf"\b{folder}\b", drawing), (
            f"architecture.md does not say what {folder}/ is"
        )

    @pytest.mark.parametrize("name", sorted(set(re.findall(r"`([a-z_/]+\.py)`", ARCHITECTURE))))
    def test_every_file_it_names_exists(self, name: str) -> None:
        places = (PACKAGE, ROOT / "tests", ROOT / "calibration")
        found = [path for place in places for path in place.rglob(Path(name).name)]
        assert any(path.as_posix().endswith(f"/{name}") for path in found), f"there is no {name}"


METHOD = '''"""A family that a contributor wrote."""

from assay.core.methods import method
from assay.core.results import Estimate


@method(
    question="How large is the largest error?",
    takes="counts",
    gives="estimate",
    unit="item",
    assumes=("independent items",),
    reference="A contributor (2026)",
    requirement="I1",
    name="Contributor",
)
def contributed_rate(errors: int, n: int) -> Estimate:
    """The share of errors, without an interval."""
    share = errors / n
    return Estimate(value=share, interval=None, measure="error_rate", method="contributed_rate", n=n, unit="item")
'''


class TestContributing:
    def test_a_method_is_one_function(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        """Public name, catalogue, command line and prose come from the record."""
        (tmp_path / "contributed.py").write_text(METHOD)
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.setattr(
            methods, "_CATALOGUE", dict(methods.catalogue())
        )  # then it joins the copy
        monkeypatch.setattr(methods, "FAMILIES", (*methods.FAMILIES, "contributed"))
        methods._homes.cache_clear()
        try:
            assert assay.contributed_rate(3, 12).value == 0.25
            record = methods.record_of("contributed_rate")
            assert record is not None
            assert record.name == "Contributor"
            for words, said in (
                (["methods", "contributed_rate"], "How large is the largest error?"),
                (["test", "contributed_rate", "--errors", "3", "--n", "12"], "0.25"),
            ):
                with pytest.raises(SystemExit):
                    main(words)
                assert said in capsys.readouterr().out
        finally:
            methods._homes.cache_clear()
            vars(assay).pop("contributed_rate", None)
            sys.modules.pop("contributed", None)

    def test_a_measure_is_one_record(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Estimates with intervals and comparisons follow from its reduction."""
        accuracy = registry.find_measure("accuracy")
        monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
        registry.register(
            replace(
                accuracy,
                name="half_accuracy",
                counts=None,
                function=lambda table: accuracy.function(table) / 2.0,
                high=0.5,
            )
        )
        rng = np.random.default_rng(1)
        truth = rng.integers(0, 2, 200)
        told = {"truth": truth, "a": truth, "b": np.where(rng.random(200) < 0.7, truth, 1 - truth)}
        found = assay.compare(told, measure="half_accuracy")
        assert found.verdict.word == "better"
        assert 0.1 < (found.verdict.outcome.effect.value or 0.0) < 0.2

    def test_a_reader_is_one_function_and_what_its_files_are_known_by(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Recognising, joining and comparing follow from the entry."""
        monkeypatch.setitem(log_formats.READERS, "Contributed", _contributed_logs)
        monkeypatch.setitem(
            log_formats._LINES, "Contributed", ({"contributed_id"}, {"contributed_points"})
        )
        for model, share in (("small", 3), ("large", 17)):
            lines = [
                json.dumps(
                    {"contributed_id": f"q{item}", "contributed_points": int(item % 20 < share)}
                )
                for item in range(200)
            ]
            (tmp_path / f"{model}.jsonl").write_text("\n".join(lines))
        found = assay.compare(tmp_path / "small.jsonl", tmp_path / "large.jsonl")
        assert found.verdict.sentence.startswith("large is better")
        assert found.evidence.n == 200

    def test_a_figure_is_one_function_and_its_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is public under its name, and draws into Axes that it is given."""
        home = ModuleType("assay.plots.contributed")
        home.contributed_points = _contributed_points  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, home.__name__, home)
        monkeypatch.setitem(plots._HOME_OF, "contributed_points", "contributed")
        try:
            ax = plots.contributed_points([0.2, 0.4])
            assert plots.contributed_points([0.1], ax=ax) is ax
            assert [line.get_ydata().tolist() for line in ax.lines] == [[0.2, 0.4], [0.1]]
        finally:
            vars(plots).pop("contributed_points", None)


def _contributed_logs(path: Path, title: str) -> list[Log]:
    def read(wanted: LogRequest) -> LogRun:
        lines = map(json.loads, path.read_text().splitlines())
        items = (Item(id=one["contributed_id"], score=one["contributed_points"]) for one in lines)
        return LogRun(metric="accuracy", items=tuple(items), higher=True)

    return [
        Log(path=path, title=title, harness="Contributed", model=path.stem, task="quiz", read=read)
    ]


def _contributed_points(values: list[float], *, ax: Any = None) -> Any:
    from assay.plots.style import new_axes

    ax = new_axes(3.35, 2.0) if ax is None else ax
    ax.plot(np.arange(len(values)), np.array(values))
    return ax
