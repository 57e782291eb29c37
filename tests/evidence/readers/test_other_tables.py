"""Tables without values row by row are refused with what to type instead, and that works."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import assay
from assay.cli.test import command as run_test
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.wording import at_terminal

ERRORS = "holds totals"


def written(folder: Path, text: str, name: str = "brought.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "errors", "totals"),
    [
        ("variant,users,conversions\ncontrol,5000,250\ntreatment,5100,310\n", (4750, 4790), (5000, 5100)),
        ("group,n,success\nA,1000,120\nB,1010,140\n", (880, 870), (1000, 1010)),
        ("arm,clicks,impressions\nA,120,1000\nB,140,1010\n", (880, 870), (1000, 1010)),
        ("model,accuracy,n\nA,0.82,1000\nB,0.84,1000\n", (180, 160), (1000, 1000)),
        ("system,error_rate,questions\nA,0.25,40\nB,0.2,40\n", (10, 8), (40, 40)),
        ("system,failures,tests\nA,3,40\nB,8,50\n", (3, 8), (40, 50)),
        ("model,tp,fp,fn,tn\na,80,10,20,90\nb,85,14,15,86\n", (30, 29), (200, 200)),
    ],
)  # fmt: skip
def test_totals_name_the_method_that_takes_them(
    tmp_path: Path, text: str, errors: tuple[int, int], totals: tuple[int, int]
) -> None:
    with pytest.raises(NotApplicable, match=ERRORS) as found:
        assay.compare(written(tmp_path, text))
    calls = re.findall(r"`assay test ([^`]+)`", at_terminal(found.value.for_both))
    for call in calls:
        done = CliRunner().invoke(run_test, shlex.split(call), catch_exceptions=False)
        assert done.exit_code == 0, call
    first, second = zip(errors, totals, strict=True)
    assert f"newcombe --a {first[0]} {first[1]} --b {second[0]} {second[1]}" in calls[-1]
    same = totals[0] == totals[1]
    assert ("margins_range" in calls[0]) == same


@pytest.mark.parametrize(
    "text",
    [
        "model,accuracy,size\nA,0.82,7\nB,0.84,13\n",  # parameters, not items
        "model,accuracy,n\nA,82.5,1000\nB,84.1,1000\n",  # per cent
        "dataset,correct,total\nd1,0.8,0.9\nd2,0.7,0.8\nd3,0.75,0.8\n",  # two models
    ],
)
def test_other_numbers_are_no_totals(tmp_path: Path, text: str) -> None:
    with pytest.raises(assay.AssayError) as found:
        assay.compare(written(tmp_path, text))
    assert ERRORS not in str(found.value)


@pytest.mark.parametrize(
    "text",
    [
        "metric,gpt,claude\naccuracy,0.8,0.85\nf1,0.7,0.75\nauc,0.9,0.92\n",
        ",gpt,claude\naccuracy,0.8,0.85\nf1,0.7,0.75\nlog_loss,0.9,0.92\n",
        "measure,a,b\naccuracy,0.8,0.85\nn,100,100\n",
    ],
)
def test_rows_that_are_measures_are_no_data_sets_whatever_is_said(
    tmp_path: Path, text: str
) -> None:
    path = written(tmp_path, text)
    tried: tuple[dict[str, Any], ...] = ({}, {"unit": "dataset", "lower_is_better": False})
    for told in tried:
        with pytest.raises(NotApplicable, match="one value per model"):
            assay.compare(path, **told)


def test_tasks_with_measures_of_their_own_are_data_sets(tmp_path: Path) -> None:
    text = "task,metric,bert,roberta\ncola,mcc,.6,.65\nsst2,acc,.93,.95\nqqp,f1,.88,.89\n"
    with pytest.raises(assay.AmbiguousEvidence, match="Which measure"):
        assay.compare(written(tmp_path, text))


@pytest.mark.parametrize(
    "text",
    [",pred_cat,pred_dog\ncat,40,10\ndog,5,45\n", "actual,cat,dog\ncat,40,10\ndog,5,45\n"],
)
def test_a_confusion_matrix_names_the_call_that_takes_it(tmp_path: Path, text: str) -> None:
    with pytest.raises(NotApplicable, match="is a confusion matrix") as found:
        assay.compare(written(tmp_path, text))
    call = re.search(r"assay\.evaluate\(.*\]\)\)", str(found.value))
    assert call is not None
    evaluated = eval(call[0], {"assay": assay})  # noqa: S307 -- what a person would paste
    assert {one.measure: one.value for one in evaluated.estimates}["accuracy"] == 0.85


def test_residuals_have_a_sign(tmp_path: Path) -> None:
    rows = "".join(f"{i},{(-1) ** i * i / 10},{(-1) ** i * i / 9}\n" for i in range(1, 30))
    path = written(tmp_path, f"t,residual_lstm,residual_arima\n{rows}")
    signed: tuple[dict[str, Any], ...] = ({}, {"losses": True}, {"lower_is_better": True})
    for told in signed:
        with pytest.raises(NotApplicable, match="signed errors"):
            assay.compare(path, **told)
    absolute = re.sub(r",-", ",", path.read_text())
    assert assay.compare(written(tmp_path, absolute, "absolute.csv"), losses=True).verdict


def test_numbered_test_cases_that_pass_or_fail(tmp_path: Path) -> None:
    words = ("PASS", "FAIL")
    rows = "".join(f"{i},{words[i % 7 == 0]},{words[i % 2]}\n" for i in range(60))
    for name in ("test_case", "check"):
        found = assay.compare(written(tmp_path, f"{name},v1,v2\n{rows}"))
        assert (found.verdict.a, found.verdict.word) == ("v1", "better")
        assert found.evidence.n == 60


def test_objects_inside_one_that_only_wraps_them(tmp_path: Path) -> None:
    sets = ("mmlu", "arc", "gsm", "hella", "wino", "boolq")
    scores = {
        "gpt": {name: 0.6 + place / 50 for place, name in enumerate(sets)},
        "claude": {name: 0.7 + place / 60 for place, name in enumerate(sets)},
    }
    path = written(tmp_path, json.dumps({"results": scores}), "nested.json")
    found = assay.compare(path, unit="dataset", measure="accuracy")
    assert (found.evidence.n, set(found.evidence.models)) == (6, {"gpt", "claude"})
    assert found.verdict.word in ("better", "worse")


def test_one_number_of_each_model_says_nothing_about_spread() -> None:
    with pytest.raises(assay.EvidenceError, match=r"'a' is one number.*by item"):
        assay.compare({"a": 0.81, "b": 0.83})


def test_a_description_of_scores_is_none(tmp_path: Path) -> None:
    text = "model,count,mean,std,min,25%,50%,75%,max\na,9,.8,.1,.6,.7,.8,.9,.95\nb,9,.7,.1,.5,.6,.7,.8,.9\n"
    with pytest.raises(NotApplicable, match="--have summaries"):
        assay.compare(written(tmp_path, text))


def test_counts_by_subject_are_no_items(tmp_path: Path) -> None:
    """A row that was divided by its number of items is a task, or asked about; never one item."""
    rows = "math,100,70,75\nlaw,250,180,190\nbio,80,60,66\nmed,150,90,99\nchem,120,88,92\nhist,90,70,71\n"
    path = written(tmp_path, f"subject,n,correct_a,correct_b\n{rows}")
    with pytest.raises(assay.AmbiguousEvidence, match="What is a row") as found:
        assay.compare(path)
    assert "unit='item'" not in str(found.value)
    told = assay.compare(path, unit="dataset", lower_is_better=False)
    assert (told.verdict.word, told.evidence.n) == ("worse", 6)
    assert "columns-left-out" not in {one.code for one in told.notes}


def test_files_of_answers_and_whether_they_were_right(tmp_path: Path) -> None:
    paths = []
    for name, wrong in (("first", 3), ("second", 2)):
        rows = "".join(f"{i},{'ABCD'[i % 4]},{i % wrong != 0}\n" for i in range(60))
        paths.append(written(tmp_path, f"id,prediction,correct\n{rows}", f"{name}.csv"))
    rights: tuple[dict[str, Any], ...] = ({}, {"correct": True})
    for told in rights:
        found = assay.compare(*paths, **told)
        assert set(found.evidence.models) == {"first", "second"}
        assert {one.model: round(one.value or 0.0, 6) for one in found.estimates} == {
            "first": round(2 / 3, 6),
            "second": 0.5,
        }


def test_several_answers_to_one_question_are_not_so_many_items(tmp_path: Path) -> None:
    rows = "".join(f"q{i},{k},{(i + k) % 2},{i % 2}\n" for i in range(30) for k in range(5))
    found = assay.read(written(tmp_path, f"question,sample,a,b\n{rows}"), correct=True)
    assert found.summary().description.startswith("150 answers to 30 items × 2 models")


class TestWhatToType:
    """A refusal names what is there and the option that helps, and the option does."""

    TRUTH = ("yes", "no", "no", "yes", "no", "yes", "yes", "no") * 4
    SURE = (0.2, 0.7, 0.9, 0.1, 0.8, 0.3, 0.4, 0.6) * 4
    VAGUE = (0.6, 0.5, 0.4, 0.3, 0.5, 0.6, 0.5, 0.6) * 4

    def test_probabilities_of_the_other_class(self) -> None:
        table = {"outcome": self.TRUTH, "a_p_no": self.SURE, "b_p_no": self.VAGUE}
        with pytest.raises(EvidenceError, match="positive='no'"):
            assay.compare(table)
        verdict = assay.compare(table, positive="no").verdict
        assert verdict.sentence.startswith("a is better than b")

    def test_a_message_where_an_answer_was_due_is_a_gap(self) -> None:
        said = ["Error: rate limit", *self.TRUTH[1:]]
        table = {"gold": self.TRUTH, "a": said, "b": ["no"] * len(said)}
        with pytest.raises(assay.AmbiguousEvidence, match="What does a blank mean"):
            assay.compare(table)

    def test_a_truth_that_is_a_file_beside(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        cells = {"gold": self.TRUTH, "a": self.TRUTH, "b": ["no"] * len(self.TRUTH)}
        for name, column in cells.items():
            rows = [f"{place},{cell}" for place, cell in enumerate(column)]
            Path(f"{name}.csv").write_text("\n".join(["id,label", *rows]))
        with pytest.raises(EvidenceError, match=r"If gold\.csv is a file, name it first"):
            assay.compare("a.csv", "b.csv", truth="gold.csv")
        verdict = assay.compare("gold.csv", "a.csv", "b.csv").verdict
        assert verdict.sentence.startswith("a is better than b")

    def test_letters_in_brackets(self) -> None:
        letters = [*"ABCDABCD"] * 4
        table = {
            "gold": letters,
            "a": [f"({letter})" for letter in letters],
            "b": [f"{letter}." for letter in "A" * 16 + "BCD" * 5 + "B"],
        }
        found = assay.compare(table)
        assert found.verdict.sentence.startswith("a is better than b")
        assert found.estimates[0].value == 1.0
