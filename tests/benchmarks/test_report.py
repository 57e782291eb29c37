import json
from pathlib import Path

import pytest

from benchmarks import report, stored
from benchmarks.race import FULL, Clock, Outcome, Race, Runner, Timing, run_race

FAST = Clock(rounds=1, patience=0.01, sizes=(1_000,), checked=10)


def outcome(*, ours: float = 0.001, theirs: float = 0.5, asked: float = 100.0) -> Outcome:
    race = Race(
        task="a task",
        n=1_000,
        ours=Runner(name="assay", run=lambda: None),
        peers=(),
        goals=(("fastest", asked), ("another", 2.0)),
    )
    return Outcome(race=race, ours=Timing(seconds=ours), peers={"peer": Timing(seconds=theirs)})


def page(*outcomes: Outcome) -> report.Page:
    return report.Page(
        outcomes={"models": list(outcomes)}, curves=[], starts=[], minutes=3.0, quick=True
    )


class TestWrite:
    def test_every_goal_is_said_to_be_met_or_missed(self, tmp_path: Path) -> None:
        report.write(tmp_path / "R.md", page(outcome(), outcome(asked=1_000.0)))
        text = (tmp_path / "R.md").read_text(encoding="utf-8")
        assert "| a task | 1,000 | the fastest peer | 100× | 500× | met |" in text
        assert "| a task | 1,000 | the fastest peer | 1,000× | 500× | **missed** |" in text
        assert "| a task | 1,000 | another | 2.00× | – | not there |" in text

    def test_what_was_kept_is_part_of_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kept = stored.Kept(
            name="files", date="2026-01-02", machine="m", command="c", lines=("line 1", "line 2")
        )
        stored.keep(kept, tmp_path)
        monkeypatch.setattr(report, "section", lambda: stored.section(tmp_path))
        report.write(tmp_path / "R.md", page(outcome()))
        text = (tmp_path / "R.md").read_text(encoding="utf-8")
        assert "`c`, 2026-01-02, m:\n\n```\nline 1\nline 2\n```" in text

    def test_a_peer_that_fails_is_told_of(self, tmp_path: Path) -> None:
        broken = outcome()
        broken.failures["peer"] = "TypeError: no"
        report.write(tmp_path / "R.md", page(broken))
        assert "- peer failed: TypeError: no" in (tmp_path / "R.md").read_text(encoding="utf-8")


class TestStored:
    def test_round_trip_in_the_order_of_the_scripts(self, tmp_path: Path) -> None:
        for name in ("scale", "files"):
            facts = {"date": "2026-01-02", "machine": "m", "command": "c"}
            stored.keep(stored.Kept(name=name, lines=("one",), **facts), tmp_path)
        assert [one.name for one in stored.kept(tmp_path)] == ["files", "scale"]

    def test_tables_stay_tables(self, tmp_path: Path) -> None:
        facts = {"date": "2026-01-02", "machine": "m", "command": "c"}
        stored.keep(stored.Kept(name="study", lines=("| a |", "|---|"), **facts), tmp_path)
        assert "```" not in stored.section(tmp_path)

    def test_the_committed_files_can_be_read(self) -> None:
        for path in stored.FOLDER.glob("*.json"):
            assert json.loads(path.read_text(encoding="utf-8"))["name"] == path.stem
        assert {one.name for one in stored.kept()} <= set(stored.APART)


class TestRunRace:
    def test_slow_peers_are_carried_on_in_a_line(self) -> None:
        asked: list[int] = []

        def resample(size: int) -> None:
            asked.append(size)
            sum(range(20_000 * size))

        race = Race(
            task="t",
            n=1,
            ours=Runner(name="assay", run=lambda: sum(range(1_000))),
            peers=(Runner(name="slow", resample=resample),),
        )
        found = run_race(race, FAST)
        assert max(asked) < 10_000
        assert found.peers["slow"].estimated
        assert found.peers["slow"].text().startswith("~")

    def test_a_peer_that_breaks_does_not_stop_the_race(self) -> None:
        def broken() -> None:
            raise ValueError("no")

        race = Race(
            task="t",
            n=1,
            ours=Runner(name="assay", run=lambda: None),
            peers=(Runner(name="peer", run=broken),),
            agrees=lambda: (True, "fine"),
        )
        found = run_race(race, FAST)
        assert found.failures == {"peer": "ValueError: no"}
        assert found.agreement == (True, "fine")

    def test_the_full_clock_is_not_quick(self) -> None:
        assert not FULL.quick
        assert FULL.sizes[0] == 1_000
        assert FULL.sizes[-1] == 10_000_000
