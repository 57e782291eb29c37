"""What people see while a study runs."""

import sys
from typing import Any

import pytest

from assay.store.record_types import PlanEntry, Record
from assay.study import progress
from assay.study.progress import LiveProgress, PlainProgress, progress_view

ENTRY = PlanEntry("k", "iris", "tree", 0, 0)


def record(value: float | None, status: Any = "ok") -> Record:
    scores: dict[str, float | None] = {} if value is None else {"accuracy": value}
    return Record(key="k", status=status, dataset="", learner="", seed=0, scores=scores)


def view(kind: Any = PlainProgress, total: int = 4) -> Any:
    return kind(total=total, done=1, measure="accuracy")


class TestPlain:
    def test_lines_go_to_stderr_with_counts_and_scores(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
        with view() as shown:
            shown.ended(ENTRY, record(0.5))
            shown.ended(ENTRY, record(None, "failed"))
            shown.elsewhere()
        captured = capsys.readouterr()
        assert captured.out == ""
        lines = captured.err.splitlines()
        assert lines[0].startswith("assay run: 2/4 tasks, ")
        assert " per second, 0:00:0" in lines[0]
        assert lines[1].startswith("assay run: 3/4 tasks, 1 failed, ")
        assert lines[-1] == "assay run: 4/4 tasks, 1 failed; accuracy: tree 0.500"

    def test_means_are_over_what_succeeded(self) -> None:
        shown = view()
        for value in (0.5, 1.0, None):
            shown.ended(ENTRY, record(value))
        assert shown.means() == {"tree": "0.750"}


class TestLive:
    def test_the_table_has_bar_sentence_and_scores(self) -> None:
        from rich.console import Console

        shown = view(LiveProgress)
        shown.ended(ENTRY._replace(learner="[red]tree\x1b[31m"), record(0.5))
        console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
        console.print(shown._drawn())
        text = console.export_text()
        console.file.close()
        assert "2/4 tasks" in text
        assert "mean accuracy so far" in text
        assert "[red]tree" in text

    def test_the_view_suits_the_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        facts: dict[str, Any] = {"total": 1, "done": 0, "measure": "accuracy"}
        assert type(progress_view(show=True, **facts)) is PlainProgress
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        assert type(progress_view(show=True, **facts)) is LiveProgress
        assert type(progress_view(show=False, **facts)) is progress.StudyProgress
