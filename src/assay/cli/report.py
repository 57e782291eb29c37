"""`assay report study.db`: a finished study as text, one HTML page, Markdown, LaTeX, JSON or CSV."""

from functools import partial
from pathlib import Path

import click

from assay.cli.options import result_options


@click.command("report")
@click.argument("store", metavar="STORE")
@click.option("--study", metavar="NAME", help="Of a store with several studies: which.")
@click.option("--baseline", metavar="NAME", help="The learner that the others are compared with.")
@click.option("--margin", type=float, help="The smallest relevant difference, for equivalence.")
@click.option(
    "--missing",
    type=click.Choice(["refuse", "complete", "skillings-mack"]),
    default="refuse",
    show_default=True,
    help="Learners that lack scores: say so only, or compare without those data sets.",
)
@click.option(
    "--salvage",
    metavar="NEW",
    help="The store is damaged: bring every readable record into a new one, and report that.",
)
@result_options
def command(
    store: str,
    study: str | None,
    baseline: str | None,
    margin: float | None,
    missing: str,
    salvage: str | None,
    level: float,
    n_resamples: int,  # noqa: ARG001 - an option of all results; nothing is resampled here
    seed: int | None,
    explain: bool,
    form: str | None,
    output: Path | None,
) -> None:
    """Report a study: scores, who is better, what the curves say, what is missing.

    STORE is what `assay run --store` wrote: a file, or postgresql://…
    As CSV it is the scores themselves: one row per task and measure, and no timings.

    \b
    assay report study.db --output report.html
    assay report study.db --format csv > scores.csv
    assay report damaged.db --salvage rescued.db
    """
    from assay.cli.output import emit, emit_explanation, keep_inputs
    from assay.cli.store_files import rescue
    from assay.compare.study_report import study_report
    from assay.report.result_files import SUFFIXES
    from assay.study.stored_study import read_study

    keep_inputs(output, [Path(store)])
    if salvage is not None:
        rescue(store, salvage)
        store = salvage
    chosen = form or (SUFFIXES.get(output.suffix.lower()) if output else None)
    if chosen == "csv":
        _write_scores(store, study, output)
        return
    result = study_report(
        read_study(store, study),
        margin=margin,
        baseline=baseline,
        missing=missing,
        level=level,
        rng=seed,
    )
    if explain:
        from assay.report.explain import explain_result

        for one in result.comparisons[:1]:
            emit_explanation(partial(explain_result, one), form, output)
    emit(result, form=form, output=output)


def _write_scores(location: str, study: str | None, output: Path | None) -> None:
    """One row per task and measure; where there is no score, the status says why."""
    import csv
    import io

    from assay.cli.output import write
    from assay.report.escapes import for_csv
    from assay.store.store import Store

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    with Store.open(location, create=False) as store:
        name = study or store.only_study()
        head = ("dataset", "learner", "repeat", "fold", "train_size", "noise_on", "noise_level")
        writer.writerow([*head, "measure", "status", "score"])
        found = [store.scores(name, measure) for measure in store.measures(name)]
    for place in range(len(found[0].entries)):
        for scores in found:
            entry, value = scores.entries[place], float(scores.values[place])
            cells = [entry.dataset, entry.learner, entry.repeat + 1, entry.fold + 1]
            cells += [entry.train_size, entry.noise_on, entry.noise_level, scores.measure]
            cells += [scores.status[place] or "not run", None if value != value else repr(value)]
            writer.writerow([for_csv(cell) if isinstance(cell, str) else cell for cell in cells])
    write(stream.getvalue(), output)
