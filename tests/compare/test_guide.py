"""The guide tested as code: its advice is what `compare` does with such evidence."""

import json
import os
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import assay
from assay.cli.main import cli
from assay.cli.methods import command
from assay.compare import guide
from assay.compare.choose import RULES
from assay.core.errors import NotApplicable, UsageError
from assay.core.methods import catalogue
from tools.documentation.choose_page import SITUATIONS, choose_page

PAGE = Path(__file__).parent.parent.parent / "docs" / "choose.md"
ALL = [answers for situations in SITUATIONS.values() for answers in situations]
READ = [answers for answers in ALL if answers["have"] in guide.EVIDENCE]


def named(answers: dict[str, str]) -> str:
    return " ".join(answers.values())


def written(folder: Path, answers: dict[str, str]) -> None:
    """Files as the advice's command names them, made without a look at the guide's own example."""
    rng = np.random.default_rng(11)
    k = {"1": 1, "2": 2, "3+": 4}[answers["models"]]
    if answers["have"] != "predictions":
        unit = {"folds": "fold", "seeds": "seed", "datasets": "dataset"}[answers["have"]]
        rows = [[unit, *"abcd"[:k]]]
        rows += [[place, *rng.uniform(0.6, 0.9, k).round(3)] for place in range(10)]
        if answers.get("repeated") == "yes":
            rows = [
                ["repeat", *rows[0]],
                *([place // 5, place % 5, *row[1:]] for place, row in enumerate(rows[1:])),
            ]
        _save(folder / f"{answers['have']}.csv", rows)
        return
    n, measure = 180, answers.get("measure", "accuracy")
    truth = rng.normal(size=n).round(3) if measure == "mse" else rng.integers(0, 2, n)
    models = []
    for _ in range(k):
        if measure in ("mse", "roc_auc", "average_precision"):
            models.append((truth + rng.normal(size=n)).round(3))
        else:
            models.append(np.where(rng.random(n) < 0.25, 1 - truth, truth))
    rows = [["id", "y", "patient", "importance", *"abcd"[:k]]]
    extra = [np.arange(n) % 20, rng.uniform(1, 2, n).round(3)]
    rows += [list(row) for row in zip(range(n), truth, *extra, *models, strict=True)]
    if answers.get("same_items") == "no":
        for place, name in enumerate("ab"):
            half = [rows[0], *rows[1 + 90 * place : 91 + 90 * place]]
            _save(folder / f"{name}.csv", [[row[0], row[1], row[4 + place]] for row in half])
        return
    used = [0, 1, *([2] if answers.get("clusters") == "yes" else []),
            *([3] if answers.get("weights") == "yes" else []), *range(4, 4 + k)]  # fmt: skip
    _save(folder / "predictions.csv", [[row[place] for place in used] for row in rows])


def _save(path: Path, rows: list[list[Any]]) -> None:
    path.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")


class TestAdvice:
    @pytest.mark.parametrize("answers", READ, ids=named)
    def test_the_command_does_what_was_advised(
        self, answers: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        advice = guide.answer(**answers)
        if (answers["have"], answers.get("goal")) == ("seeds", "level"):
            return  # typed numbers, below
        written(tmp_path, answers)
        monkeypatch.chdir(tmp_path)
        arguments = [*shlex.split(advice.command)[1:], "--format", "json", "--seed", "1"]
        done = CliRunner().invoke(cli, [*arguments, "--resamples", "199"])
        assert done.exit_code == 0, done.output
        document = json.loads(done.stdout)
        if answers.get("goal") == "estimate":
            assert document["estimates"][0]["interval"]["method"] == advice.method
            return
        assert document["choice"]["method"] == advice.method
        titles = [title for title, _ in document["also"]]
        for shown in advice.beside:
            assert shown in titles or _method_in(shown, document), shown

    @pytest.mark.parametrize("answers", READ, ids=named)
    def test_the_call_is_the_command(
        self, answers: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        advice = guide.answer(**answers)
        written(tmp_path, answers)
        monkeypatch.chdir(tmp_path)
        result = eval(advice.call, {"assay": assay})  # noqa: S307 (our own text)
        found = result.choice.method if isinstance(result, assay.Comparison) else None
        if found is not None:
            assert found == advice.method

    @pytest.mark.parametrize("answers", [a for a in ALL if a not in READ], ids=named)
    def test_what_is_advised_can_be_typed(
        self, answers: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _save(tmp_path / "ratings.csv", [["id", "r1", "r2"], [1, 2, 2], [2, 1, 3], [3, 3, 3]])
        duels = [["x", "y", "x"], ["x", "y", "y"], ["y", "z", "z"], ["y", "z", "tie"]]
        _save(tmp_path / "arena.csv", [["model_a", "model_b", "winner"], *duels])
        monkeypatch.chdir(tmp_path)
        advice = guide.answer(**answers)
        done = CliRunner().invoke(cli, shlex.split(advice.command)[1:])
        assert done.exit_code == 0, done.output
        assert eval(advice.call, {"assay": assay}) is not None  # noqa: S307 (our own text)

    @pytest.mark.parametrize("answers", ALL, ids=named)
    def test_facts_come_from_the_record(self, answers: dict[str, str]) -> None:
        advice = guide.answer(**answers)
        record = catalogue()[advice.method]
        assert (advice.question, advice.assumes) == (record.question, record.assumes)
        assert advice.docs == f"docs/methods/{record.family}.md#{record.id}"
        assert "{" not in advice.reason + "".join(advice.refused)
        assert json.loads(json.dumps(asdict(advice)))  # plain data, for the page

    def test_every_rule_is_advised_somewhere(self) -> None:
        """A rule that no answers reach would be one the guide does not know."""
        rarer = [
            {"models": "2", "same_items": "yes", "measure": "median_ae"},
            {"models": "2", "same_items": "yes", "measure": "rmse"},
            {"models": "2", "same_items": "no", "measure": "rmse"},
            {"models": "2", "same_items": "no", "measure": "median_ae"},
            {"models": "2", "same_items": "no", "measure": "f1", "clusters": "yes"},
            {"models": "3+", "same_items": "yes", "measure": "f1", "clusters": "yes"},
        ]
        asked = [*READ, *({"have": "predictions", **answers} for answers in rarer)]
        asked.append({"have": "folds", "models": "1", "goal": "level", "repeated": "yes"})
        reasons = {guide.answer(**answers).reason for answers in asked}
        for rule in RULES:
            start = rule.reason.split("{")[0]
            end = rule.reason.split("}")[-1]
            assert any(r.startswith(start) and r.endswith(end) for r in reasons), rule.reason

    def test_never_by_normality(self) -> None:
        assert not any("normal" in question.text for question in guide.questions())


def _method_in(shown: str, document: dict[str, Any]) -> bool:
    """Whether what the advice calls by a method or a family is part of the comparison."""
    name = shown.split(":")[0]
    if shown == "McNemar of each pair, Holm":
        return any(title.endswith("Holm") for title, _ in document["also"])
    omnibus = (document["omnibus"] or {}).get("method")
    families = [title for title, _ in document["families"]]
    posteriors = [one["method"] for one in document["posteriors"]]
    return name == omnibus or shown in families or shown in posteriors


class TestQuestions:
    def test_a_path_through_them(self) -> None:
        answers: dict[str, str] = {}
        asked = []
        while (question := guide.open_question(answers)) is not None:
            asked.append(question.key)
            answers[question.key] = {"have": "predictions", "models": "2", "same_items": "yes"}.get(
                question.key, question.default or ""
            )
        assert asked == ["have", "models", "same_items", "measure", "clusters", "weights"]

    @pytest.mark.parametrize(
        ("answers", "message"),
        [
            ({}, "What do you have"),
            ({"have": "dreams"}, r"What do you have\? Answer predictions, folds"),
            ({"have": "predictions"}, "How many models"),
            ({"have": "predictions", "models": "2"}, "same items"),
            ({"have": "folds", "models": "2", "joint": "yes"}, "plays no part"),
            ({"have": "folds", "models": "0"}, "Answer 1, 2 or 3"),
            ({"have": "folds", "colour": "red"}, "no question 'colour'"),
            ({"have": "predictions", "models": "1", "measure": "acuracy"}, "did you mean accuracy"),
        ],
    )
    def test_what_is_missing_or_wrong_is_said(self, answers: dict[str, str], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            guide.answer(**answers)

    def test_what_has_no_answer_is_refused_with_one_that_has(self) -> None:
        with pytest.raises(NotApplicable, match="two at a time"):
            guide.answer(have="predictions", models="3", same_items="no")
        with pytest.raises(NotApplicable, match="two at a time"):
            guide.answer(have="counts", models="3", same_items="yes")

    def test_numbers_of_models_are_words(self) -> None:
        one, other = (guide.answer(have="datasets", models=k) for k in ("3+", "17"))
        assert one == other


class TestDialogue:
    @staticmethod
    def run(*arguments: str, typed: str = "") -> Result:
        return CliRunner().invoke(cli, ["methods", *arguments], input=typed)

    def test_every_question_is_an_option(self) -> None:
        options = {parameter.name for parameter in command.params}
        assert {question.key for question in guide.questions()} <= options

    def test_flags_alone(self) -> None:
        done = self.run(
            *("--choose", "--have", "predictions", "--models", "2", "--same-items", "yes"),
            *("--measure", "f1"),
        )
        assert done.exit_code == 0
        assert done.stdout.startswith("Use         paired_delta")
        assert done.stderr == ""
        assert "assay compare predictions.csv --truth y --measure f1" in done.stdout

    def test_a_dialogue(self) -> None:
        done = self.run("--choose", typed="datasets\nseven\n7\n\n")
        assert done.stdout.startswith("Use         wilcoxon_pairs")
        assert "Answer 1, 2 or 3+; got 'seven'" in done.stderr

    def test_an_answer_by_its_number(self) -> None:
        done = self.run("--choose", typed="4\n7\n\n")
        assert " 4  datasets" in done.stderr
        assert done.stdout.startswith("Use         wilcoxon_pairs")

    def test_json(self) -> None:
        done = self.run("--have", "folds", "--models", "2", "--format", "json")
        assert json.loads(done.stdout)["method"] == "corrected_resampled_t"

    def test_nobody_there(self) -> None:
        done = self.run("--choose", "--have", "predictions", typed="")
        assert isinstance(done.exception, UsageError)
        assert "Say --models 1 | 2 | 3+" in str(done.exception)


def test_the_page_is_up_to_date() -> None:
    text = choose_page()
    if os.environ.get("ASSAY_DOCS") == "write":
        PAGE.write_text(text, encoding="utf-8", newline="\n")
    assert PAGE.read_text(encoding="utf-8") == text, (
        "docs/choose.md is out of date: run with ASSAY_DOCS=write and read the diff"
    )
