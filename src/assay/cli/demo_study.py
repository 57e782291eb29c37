"""The study of `assay demo`: run, compared and drawn, from the file it writes."""

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from assay.core.study_results import StudyReport

STUDY = """# assay run {path} --store {store}
name = "demo"
seed = {seed}
measures = ["accuracy"]
datasets = ["iris", "wine", "breast_cancer", "penguins", "glass", "zoo", "solar_flare", "travel_mode"]

[resampling]
scheme = "cv"
folds = 5

[learners.bayes]
estimator = "sklearn.naive_bayes.GaussianNB"

[learners.stump]
estimator = "sklearn.tree.DecisionTreeClassifier"
params = {{ max_depth = 1 }}

[learners.tree]
estimator = "sklearn.tree.DecisionTreeClassifier"
params = {{ min_samples_leaf = 5 }}

[curves.learning]
points = 4

[curves.noise]
on = "labels"
levels = [0.0, 0.2, 0.4]
"""
SHOWN = "breast_cancer"
"""The data set whose curves are drawn."""


def study_tour(folder: Path, seed: int) -> None:
    """Run a small study and show what it says, with three pictures and a report."""
    from assay.cli.output import emit, say, terminal_width
    from assay.compare.compare import compare
    from assay.compare.study_report import study_report
    from assay.study.spec import Study

    path, store = folder / "study.toml", folder / "study.db"
    path.write_text(STUDY.format(path=path, store=store, seed=seed), encoding="utf-8")
    study = Study.from_toml(path)
    tasks = len(study.plan().entries)
    say(f"Running a study of 3 learners on 8 real data sets: {tasks} fits …")
    result = study.run(store)
    click.echo()
    click.secho("assay compare: the learners over data sets", bold=True)
    emit(compare(result, measure="accuracy", margin=0.01, rng=seed), form="table", output=None)
    report = study_report(result, margin=0.01, rng=seed)
    learning = next(one for one in report.curves if (one.kind, one.dataset) == ("learning", SHOWN))
    click.echo()
    click.secho(f"assay report: would more data help on {SHOWN}?", bold=True)
    for answer in learning.levelling:
        click.echo(fill(f"- {answer.sentence}", min(terminal_width(), 100), subsequent_indent="  "))
    _draw(report, folder)
    emit(report, form="html", output=folder / "study.html")


def _draw(report: "StudyReport", folder: Path) -> None:
    from assay import plots
    from assay.cli.output import say

    drawn = {"critical-difference": plots.critical_difference(report.comparisons[0])}
    for one in report.curves:
        if one.dataset == SHOWN:
            drawn[f"{one.kind}-curve"] = plots.learning(one)
    for name, axes in drawn.items():
        picture = folder / f"{name}.png"
        plots.save(axes, picture)
        say(f"wrote {picture}")
