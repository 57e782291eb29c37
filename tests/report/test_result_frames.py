"""What every result can do by itself: frames, files, figures, dictionaries."""

import json
from pathlib import Path

import pytest

import assay
from assay.core.errors import UsageError
from assay.core.results import Result
from assay.core.wire import from_json
from tests.report import examples

RESULTS: dict[str, Result] = {
    "two": examples.two_models(),
    "many": examples.many_models(5),
    "several": examples.several(),
    "evaluation": examples.evaluation(),
    "family": examples.family(),
    "test": examples.outcome(0.025, 0.0034, 0.0467, 0.0238),
    "estimate": examples.estimate("a", 0.5, 0.4, 0.6),
    "posterior": examples.lower_is_better().posteriors[0],
    "curve": examples.roc_curve("a", 0.2),
    "plan": assay.plan("accuracy", power=0.8, difference=0.02, discordant=0.1),
    "simulation": assay.simulate(["wald"], question="coverage", n=20, p=0.3),
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("backend", [None, "pandas", "polars", "pyarrow"])
def test_every_result_is_a_frame(name: str, backend: str | None) -> None:
    if backend is not None:
        pytest.importorskip(backend)
    frame = RESULTS[name].to_frame(backend)
    rows = frame.num_rows if backend == "pyarrow" else len(frame)
    assert rows >= 1


def test_a_frame_keeps_a_minus_b_and_all_digits() -> None:
    pytest.importorskip("pandas")
    result = examples.two_models()
    row = result.to_frame("pandas").iloc[0]
    effect = result.verdict.outcome.effect
    assert (row["a"], row["b"], row["effect"]) == (result.verdict.a, result.verdict.b, effect.value)
    with pytest.raises(UsageError, match="backend is one of"):
        result.to_frame("spreadsheet")


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_frames_are_of_the_kind_that_scikit_learn_was_told_to_give(backend: str) -> None:
    sklearn = pytest.importorskip("sklearn")
    with sklearn.config_context(transform_output=backend):
        frame = examples.two_models().to_frame()
        chosen = examples.two_models().to_frame("pyarrow")
    assert type(frame).__module__.split(".")[0] == backend
    assert type(chosen).__module__.split(".")[0] == "pyarrow"


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_writes_itself(name: str, tmp_path: Path) -> None:
    result = RESULTS[name]
    assert result.summary(details=True).rstrip("\n") == assay.render(result, details=True).rstrip(
        "\n"
    )
    assert from_json(result.to_json()) == result
    assert result.to_dict()["schema"] == "assay/1"
    for suffix, text in (("md", result.to_markdown()), ("tex", result.to_latex())):
        path = result.save(tmp_path / f"result.{suffix}")
        assert path.read_text(encoding="utf-8") == text
    assert json.loads(result.save(tmp_path / "r.json").read_text())["schema"] == "assay/1"
    assert "<html" in result.to_html()
    assert "<details>" in (result._repr_html_() or "")


def test_figures_are_files_too(tmp_path: Path) -> None:
    result = examples.many_models(4)
    assert result.plot().get_figure() is not None
    for suffix in ("png", "svg", "pdf"):
        assert result.save(tmp_path / f"cd.{suffix}").stat().st_size > 1000
    with pytest.raises(UsageError, match="has no known suffix"):
        result.save(tmp_path / "cd.docx")


def test_json_keeps_the_name_of_the_answer() -> None:
    document = examples.two_models().to_dict()
    assert document["summary"] == examples.two_models().sentence
    assert "sentence" not in document
    assert document["verdicts"][0]["sentence"]


def test_asking_for_the_verdict_of_many_is_no_accident() -> None:
    many = examples.many_models(4)
    assert not hasattr(many, "verdict")
    assert hasattr(examples.two_models(), "verdict")
    with pytest.raises(ValueError, match=r"read \.verdicts"):
        _ = many.verdict
