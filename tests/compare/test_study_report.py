"""The report of a study: one decision object, the same whoever draws it."""

import json
from html import unescape

import pytest

import assay
from assay import plots
from assay.core.errors import UsageError
from assay.core.study_results import CurveComparison, StudyReport
from assay.estimates.folds import corrected_t_interval
from assay.report.views import view
from tests.study.finished import one_dataset, several_datasets


class TestStudyReport:
    def test_it_holds_what_compare_and_the_curves_say(self) -> None:
        result = one_dataset()
        report = assay.study_report(result, margin=0.05, rng=1)
        direct = assay.compare(result, measure="accuracy", margin=0.05, rng=1)
        assert report.comparisons[0].verdict == direct.verdict
        assert report.sentence == f"By accuracy: {direct.sentence}"
        assert [(one.kind, one.dataset) for one in report.curves] == [
            ("learning", "wine"), ("noise", "wine"),
        ]  # fmt: skip
        scores = result.curve("learning", dataset="wine", measure="accuracy")
        assert report.curves[0] == assay.compare_curves(scores, margin=0.05)
        assert {one.model for one in report.curves[0].levelling} == {"nb", "tree"}
        assert report.curves[1].noise_on == "labels"
        assert report.tuning == result.tuning()
        assert dict(report.design)["splits"] == "5-fold cross-validation"
        assert dict(report.design)["tasks"] == "50 of 50 with scores"

    def test_failures_are_told_and_leave_the_others_alone(self) -> None:
        report = assay.study_report(several_datasets(), rng=1)
        assert [one.measure for one in report.comparisons] == ["accuracy", "mcc"]
        assert [(one.learner, one.tasks) for one in report.gaps] == [("bad", 24)]
        assert report.scores[0].values[0][3] is None
        assert "24 failed" in dict(report.design)["tasks"]

    def test_all_measures_are_one_family(self) -> None:
        """Pairs times measures, Holm over all of them: the same as `compare` by both measures."""
        result = several_datasets()
        report = assay.study_report(result, rng=1)
        assert (report.adjustment, report.questions) == ("holm", 6)
        assert {one.family for one in report.comparisons} == {6}
        together = assay.compare(result, measure=["accuracy", "mcc"], rng=1)
        for one, other in zip(report.comparisons, together.parts, strict=True):
            assert (one.measure, one.verdicts) == (other.measure, other.verdicts)
        alone = assay.compare(result, measure="accuracy", rng=1)
        for held, free in zip(report.comparisons[0].verdicts, alone.verdicts, strict=True):
            assert (held.outcome.p_value or 1.0) >= (free.outcome.p_value or 0.0)

    def test_it_is_said_in_every_format(self) -> None:
        report = assay.study_report(several_datasets(), rng=1)
        for form in ("table", "markdown", "latex", "html"):
            text = " ".join(unescape(assay.render(report, form, details=True)).split())
            assert "one family" in text, form
            assert "Holm's correction over the 6 comparisons" in text or form == "latex", form

    def test_from_the_store_it_is_the_same(self) -> None:
        result = several_datasets()
        again = assay.study_report(assay.read_study(result.store.location), rng=1)
        assert again == assay.study_report(result, rng=1)

    def test_the_wire_form_comes_back(self) -> None:
        report = assay.study_report(one_dataset(), rng=1)
        back = assay.from_json(assay.to_json(report))
        assert isinstance(back, StudyReport)
        assert back == report
        curves = assay.from_json(assay.to_json(report.curves[1]))
        assert isinstance(curves, CurveComparison)
        assert curves == report.curves[1]
        assert json.loads(assay.to_json(curves))["kind"] == "curves"

    def test_every_mean_has_the_interval_over_its_splits(self) -> None:
        result = several_datasets()
        found = assay.study_report(result, rng=1).scores[0]
        recorded = result.scores(found.measure)
        for dataset, values, intervals in zip(
            found.datasets, found.values, found.intervals, strict=True
        ):
            splits = recorded.by_fold(dataset)
            for learner, value, interval in zip(found.learners, values, intervals, strict=True):
                if value is None:
                    assert interval is None
                    continue
                own = splits.values[:, splits.models.index(learner)]
                alone = corrected_t_interval(own, folds=own.size).interval
                assert interval is not None and alone is not None  # noqa: PT018
                assert interval.low <= value <= interval.high
                assert interval.low == pytest.approx(max(alone.low, 0.0), abs=0.01)

    def test_a_mean_is_written_with_its_interval(self) -> None:
        report = assay.study_report(several_datasets(), rng=1)
        found = report.scores[0]
        (table,) = [one for one in view(report).tables if one.name == f"scores {found.measure}"]
        assert "with 95% intervals (corrected t)" in table.caption
        for row in table.rows:
            for cell in row[1:]:
                assert (cell.numbers[0] is None) == ("[" not in cell.text), cell
                assert None not in cell.numbers or set(cell.numbers) == {None}

    def test_something_else_is_refused(self) -> None:
        with pytest.raises(UsageError, match=r"read_study\('study.db'\); got str"):
            assay.study_report("study.db")  # type: ignore[arg-type]


class TestRendered:
    def test_every_format_names_scores_gaps_and_curves(self) -> None:
        report = assay.study_report(several_datasets(), rng=1)
        for form in ("table", "markdown", "latex", "html"):
            text = assay.render(report, form)
            assert "always" in text  # this learner always raises
            assert "knn" in text
        alone = assay.render(report.comparisons[0], "html").count("<figure")
        assert assay.render(report, "html").count("<figure") == alone >= 4

    def test_curves_have_bands_crossings_and_answers(self) -> None:
        report = assay.study_report(one_dataset(), margin=0.02, rng=1)
        page = assay.render(report, "html")
        assert "Learning curves, wine: accuracy" in page
        assert "Noise curves (noise on labels), wine" in page
        assert "Would more data help on wine?" in page
        assert "Tuned learners" in page
        text = assay.render(report.curves[0], "table")
        assert "training items accuracy changed by" in text
        assert assay.render(report.curves[0], "html").count("<figure") == 1
        crossing = "is ahead before and" in assay.render(report.curves[1], "table")
        established = any(one.established for one in report.curves[1].crossings)
        assert crossing == established


class TestFigures:
    def test_figures_take_a_finished_study(self) -> None:
        result = several_datasets()
        for draw in (
            plots.critical_difference, plots.forest, plots.pairwise_matrix, plots.distribution,
            plots.differences,
        ):  # fmt: skip
            axes = draw(result)
            words = [text.get_text() for text in (*axes.texts, *axes.get_yticklabels())]
            assert any("knn" in word for word in words)
        assert plots.learning(one_dataset(), kind="noise").get_xlabel() == "noise level"
        assert plots.learning(one_dataset(), measure="complexity").get_ylabel() == "complexity"
