"""The fuzzer itself: bounded runs, a judge that sees, workers that may die."""

import os
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import VERBS
from tools.fuzz import __main__ as campaign
from tools.fuzz import commands, objects, pages, scenes, tables, verbs
from tools.fuzz.attempts import Attempt, Slow, knock
from tools.fuzz.logs import STUDY
from tools.fuzz.recomputed import contradiction


@pytest.mark.parametrize(
    ("door", "inputs"), [(tables, 100), (objects, 100), (verbs, 300), (commands, 60), (pages, 20)]
)
def test_no_door_breaks(door: Any, inputs: int, tmp_path: Path) -> None:
    """`make fuzz` tries more."""
    attempt = door.opened(tmp_path, 11)
    assert [tried for tried in map(attempt, range(inputs)) if tried.found] == []


def test_every_verb_is_typed_and_every_sound_command_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that is refused before anybody changed it tries nothing."""
    assert {words[0] for words in commands.COMMANDS} | commands.NEVER == set(VERBS)
    scenes.set_out(tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    for words in commands.COMMANDS:
        if "METHOD" not in words:
            assert commands.run(words) in (0, 1, 3), words


def test_the_study_that_is_made_strange_is_sound(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    assert len(assay.Study.from_toml(tmp_path / "study.toml").plan().entries) > 12


def test_every_wrapping_is_met_and_read(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n % 2},{n % 2},{n // 2 % 2}\n" for n in range(20))
    plain = f"item,truth,a,b\n{rows}".encode()
    (tmp_path / "t.csv").write_bytes(plain)
    wanted = str(assay.compare(tmp_path / "t.csv"))
    for suffix, pack in tables.WAYS.items():
        path = tmp_path / f"t{suffix}"
        path.write_bytes(pack(plain))
        assert str(assay.compare(path)) == wanted, suffix


class TestTheJudge:
    def test_sees_a_wrong_estimate(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text("item,truth,a,b\n1,0,0,1\n2,1,1,1\n3,0,1,0\n4,1,1,0\n")
        reading = assay.look(path)
        for verb in (assay.evaluate, assay.compare):
            answer = verb(reading.evidence(), rng=1)
            assert contradiction(path, reading, answer) is None
        path.write_text("item,truth,a,b\n1,0,1,1\n2,1,1,1\n3,0,1,0\n4,1,1,0\n")
        assert "by hand" in str(contradiction(path, reading, assay.evaluate(reading.evidence())))

    def test_takes_a_refusal_with_words_for_an_answer(self) -> None:
        def refuse() -> None:
            raise assay.UsageError("give at least one path")

        def mute() -> None:
            raise assay.UsageError("")

        assert knock(refuse) is None
        assert "mute" in str(knock(mute))
        assert "ZeroDivisionError at test_fuzz.py" in str(knock(lambda: 1 / 0))

    def test_gives_up_on_what_hangs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tools.fuzz.attempts.SECONDS", 0.2)

        def hang() -> None:
            while True:
                pass

        assert str(knock(hang)).startswith(Slow.__name__)


def test_a_worker_that_dies_is_a_finding_and_the_next_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fragile(_folder: Path, _seed: int) -> Any:
        def attempt(number: int) -> Attempt:
            if number % 7 == 3:
                os._exit(1)
            return Attempt("fine", None)

        return attempt

    monkeypatch.setattr(campaign, "DOORS", dict.fromkeys(campaign.SHARES, fragile))
    tried = list(campaign.run(1, range(20)))
    assert [one.number for one in tried] == list(range(20))
    assert [one.number for one in tried if one.found] == [3, 10, 17]


def test_every_door_has_its_share() -> None:
    assert sum(campaign.SHARES.values()) == len(campaign.TURNS) == 200
    assert set(campaign.SHARES) == set(campaign.DOORS)
