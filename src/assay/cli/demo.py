"""`assay demo`: real models on a real data set, from predictions to a report."""

from pathlib import Path
from typing import Any

import click


@click.group("demo", invoke_without_command=True)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("assay-demo"),
    show_default=True,
    help="Where predictions and the report go.",
)
@click.option("--seed", type=click.IntRange(min=0), default=7, show_default=True)
@click.pass_context
def command(context: click.Context, folder: Path, seed: int) -> None:
    """Train three classifiers, measure them, compare them and write a report; then run a study.

    The study puts three learners on eight data sets, with learning and noise curves, and ends in
    pictures and a report. Needs no network and no argument; takes less than half a minute.
    `assay demo misuse` shows what goes wrong when statistics are misused, measured.
    """
    if context.invoked_subcommand is None:
        _tour(folder, seed)


@command.command("misuse")
@click.option(
    "--scale",
    type=click.FloatRange(min=0.0, min_open=True),
    default=1.0,
    show_default=True,
    help="Factor on the number of samples.",
)
@click.option("--seed", type=click.IntRange(min=0), default=7, show_default=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "markdown"]),
    default="table",
    show_default=True,
)
def misuse(scale: float, seed: int, form: str) -> None:
    """Run the classic mistakes and measure them: the naive answer beside ours."""
    import json
    import sys

    from assay.cli.output import say, terminal_width
    from assay.plots.cliques import cliques
    from assay.report.pitfalls_view import misuse_document, misuse_table, pitfalls_page
    from assay.simulate.misuse_catalogue import run_misuse

    say(
        "Running the classic mistakes on simulated data whose truth is known; about twenty seconds …"
    )
    found = run_misuse(scale=scale, bars=cliques, rng=seed)
    if form == "json":
        click.echo(json.dumps(misuse_document(found), indent=2))
    elif form == "markdown":
        click.echo(pitfalls_page(found), nl=False)
    else:
        table = misuse_table(found, width=terminal_width(), color=sys.stdout.isatty())
        click.echo(table, nl=False)


def _tour(folder: Path, seed: int) -> None:
    """From training to a report, with what each step says on the way."""
    from assay.core.extras import needs

    needs("study")
    needs("figures")
    from assay.cli.demo_study import study_tour
    from assay.cli.output import emit, say
    from assay.compare.compare import compare
    from assay.core.formatting import clean
    from assay.estimates.evaluate import evaluate
    from assay.evidence.reading import read

    folder.mkdir(parents=True, exist_ok=True)
    predictions = folder / "predictions.csv"
    say("Training three classifiers on the Wisconsin breast-cancer data (569 tumours) …")
    _write_predictions(predictions, seed)
    say(f"wrote {predictions}")

    observed = read(predictions, truth="truth", id="id", positive="malignant")
    evaluation = evaluate(observed, measures=("accuracy", "f1", "roc_auc"), rng=seed)
    _heading("assay evaluate: how good is each, and how sure are we?")
    emit(evaluation, form="table", output=None)
    _heading("assay compare: is the forest better than the tree?")
    pair = compare(observed.select("forest", "tree"), measure="accuracy", margin=0.01, rng=seed)
    emit(pair, form="table", output=None)
    _heading("assay compare: all three at once, by AUC")
    many = compare(observed, measure="roc_auc", rng=seed)
    emit(many, form="table", output=None)
    emit(many, form="html", output=folder / "report.html")
    study_tour(folder, seed)
    for line in _next_steps(predictions, folder).splitlines():
        click.echo(clean(line), err=True)  # whole, to be copied


def _write_predictions(path: Path, seed: int) -> None:
    """Out-of-sample labels and probabilities of three learners on a third of the data."""
    import csv

    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    data: Any = load_breast_cancer()
    names = [str(data.target_names[code]) for code in data.target]
    rows = range(len(names))
    train, test = train_test_split(list(rows), test_size=1 / 3, random_state=seed, stratify=names)
    columns: dict[str, list[Any]] = {
        "id": [f"tumour-{row}" for row in test],
        "truth": [names[row] for row in test],
    }
    for name, learner in _learners(seed).items():
        learner.fit(data.data[train], [names[row] for row in train])
        malignant = list(learner.classes_).index("malignant")
        columns[f"{name}:label"] = list(learner.predict(data.data[test]))
        columns[f"{name}:score"] = [
            f"{p:.6f}" for p in learner.predict_proba(data.data[test])[:, malignant]
        ]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _learners(seed: int) -> dict[str, Any]:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    return {
        "forest": RandomForestClassifier(n_estimators=200, random_state=seed),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=seed),
    }


def _heading(text: str) -> None:
    click.echo()
    click.secho(text, bold=True)


def _next_steps(predictions: Path, folder: Path) -> str:
    store = folder / "study.db"
    return f"""
Open {folder / "report.html"} and {folder / "study.html"} in a browser, then try:
  assay evaluate {predictions} --positive malignant --measure f1 --measure mcc
  assay compare {predictions} --models forest,tree --measure f1 --positive malignant --margin 0.02
  assay compare {predictions} --baseline tree --format markdown
  assay compare {predictions} --models tree --against chance
  assay run {folder / "study.toml"} --store {store}
  assay compare {store} --measure accuracy --task wine
  assay report {store} --format csv
  assay methods mcnemar"""
