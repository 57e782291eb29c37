"""`assay publish`: an evaluation in the forms of the Hugging Face Hub and of Every Eval Ever."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from assay.cli.options import evidence_options, measure_option, reading


@click.command("publish")
@evidence_options
@measure_option("A measure; repeat for more (the Hub takes one).")
@click.option(
    "--for",
    "form",
    required=True,
    type=click.Choice(["hub", "every-eval-ever"]),
    help="The Hub's .eval_results, or a record of Every Eval Ever.",
)
@click.option(
    "--benchmark", required=True, metavar="ORG/NAME", help="The data set, as the Hub calls it."
)
@click.option(
    "--task-id", default="default", show_default=True, metavar="NAME", help="The task in it."
)
@click.option("--organisation", metavar="NAME", help="Every Eval Ever: who evaluated.")
@click.option(
    "--relationship",
    type=click.Choice(["first_party", "third_party", "collaborative", "other"]),
    help="Every Eval Ever: what the evaluator is to the model.",
)
@click.option(
    "--question",
    metavar="COLUMN",
    help="Every Eval Ever: the questions; publishes every answer too.",
)
@click.option("--url", metavar="URL", help="Where the evaluation is described.")
@click.option("--setup", metavar="TEXT", help="How it was run: tools, few-shot examples.")
@click.option(
    "--date", type=click.DateTime(["%Y-%m-%d"]), help="When it was run (UTC); today unless given."
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where the files are written; here unless given.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed, 0 unless given.")
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    form: Any,
    benchmark: str,
    task_id: str,
    organisation: str | None,
    relationship: Any,
    question: str | None,
    url: str | None,
    setup: str | None,
    date: datetime | None,
    folder: Path,
    level: float,
    seed: int | None,
    **evidence: Any,
) -> None:
    """Write results as they are published, each number with its interval.

    For the Hub: MODEL/.eval_results/TASK.yaml, to be put into the model's repository. For Every Eval Ever:
    data/BENCHMARK/DEVELOPER/MODEL/ID.json, and with --question every answer in ID_samples.jsonl beside it. Nothing is
    sent anywhere. Name models ORG/NAME with --models.

    \b
    assay publish run_a --for hub --benchmark openai/gsm8k --task-id gsm8k --models org/tuned
    assay publish run_a --for every-eval-ever --benchmark openai/gsm8k --organisation Lab --relationship third_party
    """
    from assay.cli.output import say
    from assay.cli.store_files import opened
    from assay.core.errors import UsageError
    from assay.estimates.evaluate import evaluate
    from assay.evidence.predictions import Predictions
    from assay.evidence.reading import read_any
    from assay.report.publication import Publication, write

    measure = measures[0] if len(measures) == 1 else None
    # questions stand beside the items as the values of slices do
    told = {**reading(**evidence), **({"slice": question} if question else {})}
    observed = read_any(*opened(files), measure=measure, **told)
    if question and not isinstance(observed, Predictions):
        raise UsageError("--question needs answers of the models to the same items")
    result = evaluate(observed, measures=measures or None, level=level, rng=seed)
    said = Publication(
        benchmark=benchmark,
        task=task_id,
        organisation=organisation,
        relationship=relationship,
        url=url,
        notes=setup,
        at=date.replace(tzinfo=UTC) if date else None,
    )
    items = observed if question and isinstance(observed, Predictions) else None
    for path in write(result, form, said, folder, items):
        say(f"wrote {path}")
