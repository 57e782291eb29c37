"""The brief answer of a study: the lines of a terminal, not of a report."""

import assay
from tests.study.finished import one_dataset, several_datasets


def test_many_learners_fit_on_a_screen() -> None:
    report = assay.study_report(several_datasets(), rng=1)
    text = assay.render(report, width=80, typed="cli")
    lines = [line for line in text.splitlines() if not line.startswith(("Warning", "          "))]
    learners = len(report.comparisons[0].estimates)
    assert len(lines) <= 12 + learners
    assert max(map(len, lines)) <= 80
    assert "Missing   24 scores of bad" in text
    assert text.splitlines()[2].startswith("By accuracy:")


def test_two_learners_have_their_difference_and_their_curves() -> None:
    report = assay.study_report(one_dataset(), rng=1)
    text = assay.render(report, width=80)
    assert "difference" in text
    assert "of 2 learning curves" in text
    whole = report.summary(details=True)
    assert len(whole.splitlines()) > 3 * len(text.splitlines())
