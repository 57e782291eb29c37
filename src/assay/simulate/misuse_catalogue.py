"""The classic mistakes, run and measured: what people do beside what assay does (A10)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.checks import check_choice, check_count
from assay.core.errors import UsageError
from assay.core.results import Interval
from assay.core.rng import Rng, seed_of, stream
from assay.estimates.proportions import clopper_pearson
from assay.simulate import misuse_trials

Quantity = Literal["false alarms", "coverage", "power", "contradictions", "below the truth"]
Bars = Callable[[Any], Any]
"""Which runs of models a critical-difference diagram joins; None where it refuses."""
Trial = Callable[[np.random.Generator, int], tuple[NDArray[np.bool_], NDArray[np.bool_]]]
"""So many replicates of a world: for each, what happened to the naive way and to ours."""

FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A mistake: the world it is tried in, what is counted, and the way that avoids it."""

    id: str
    title: str
    world: str
    wrong: str
    right: str
    why: str
    command: str
    quantity: Quantity
    nominal: float | None
    replicates: int
    trial: Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often something happened; the interval is of the counting (Clopper-Pearson, 95 %)."""

    count: int
    replicates: int
    interval: Interval

    @property
    def value(self) -> float:
        return self.count / self.replicates


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A mistake with its two rates."""

    mistake: Mistake
    naive: Rate
    ours: Rate
    seconds: float


def mistakes_of(bars: Bars | None = None) -> tuple[Mistake, ...]:
    """Every mistake. The one about diagrams needs the rule that draws ours (``plots.cliques``)."""
    found = (*_FOLDS, *_PAIRS, *_SEARCHES, *_INTERVALS)
    if bars is None:
        return found
    return (*found, _diagram(bars))


def run_misuse(
    names: Iterable[str] | None = None,
    *,
    scale: float = 1.0,
    bars: Bars | None = None,
    rng: Rng = 7,
) -> tuple[Measured, ...]:
    """Run the mistakes (all, or those named) and count; ``scale`` makes more or fewer replicates."""
    known = {mistake.id: mistake for mistake in mistakes_of(bars)}
    wanted = list(known) if names is None else [check_choice(n, known, "mistake") for n in names]
    if not scale > 0.0:
        raise UsageError(f"scale is a factor on the number of replicates, above 0; got {scale!r}")
    seed = seed_of(rng)
    places = {name: place for place, name in enumerate(known)}
    return tuple(_measured(known[name], scale, stream(seed, places[name])) for name in wanted)


def _measured(mistake: Mistake, scale: float, rng: np.random.Generator) -> Measured:
    replicates = check_count(max(FEWEST, round(scale * mistake.replicates)), "replicates")
    start = perf_counter()
    naive, ours = mistake.trial(rng, replicates)
    return Measured(
        mistake=mistake, naive=_rate(naive), ours=_rate(ours), seconds=perf_counter() - start
    )


def _rate(happened: NDArray[np.bool_]) -> Rate:
    count = int(np.count_nonzero(happened))
    interval = clopper_pearson(count, happened.size).interval
    if interval is None:
        raise TypeError("a count of replicates has an interval")
    return Rate(count=count, replicates=int(happened.size), interval=interval)


_FOLDS = (
    Mistake(
        id="naive-folds",
        title="Naive t on 10 times 10 folds",
        world="two learners that are equally good, 100 items, 10 times 10-fold cross-validation",
        wrong="a paired t-test of the 100 differences, as if folds did not share training data",
        right="corrected_resampled_t, the default of `assay compare` for scores by fold",
        why=(
            "Any two folds of ten share eight ninths of their training data, and the repeats "
            "share the items too. The hundred differences are correlated, and the t-test treats "
            "them as independent. More repeats make it worse."
        ),
        command="assay compare folds.csv",
        quantity="false alarms",
        nominal=0.05,
        replicates=400,
        trial=misuse_trials.naive_folds,
    ),
    Mistake(
        id="pooled-auc",
        title="AUC pooled over leave-one-out folds",
        world="pure noise, 40 items, a ridge regression: the true AUC is 0.5",
        wrong="one AUC of the scores of 40 models, each shifted by the class of the item that it left out",
        right="cv_auc: five stratified folds, areas within folds, averaged",
        why=(
            "Scores of different models are on different scales. Leaving out a positive item shifts its "
            "training set towards the negatives, so its own score is too low. That of a negative item "
            "is too high. On pure noise the ranking comes out reversed."
        ),
        command="assay test cv_auc scores.csv --columns y,score,fold",
        quantity="below the truth",
        nominal=0.5,
        replicates=400,
        trial=misuse_trials.pooled_auc,
    ),
)

_PAIRS = (
    Mistake(
        id="unpaired-z",
        title="Unpaired z on paired data",
        world="two models on the same 500 items, most errors shared, accuracies 0.023 apart",
        wrong="two_proportions_z, as if each model had met items of its own",
        right="mcnemar, the default of `assay compare` for labels on the same items",
        why="Both models fail on the same hard items. A paired test leaves those out, because they carry "
        "no information on the difference; the unpaired test counts them as noise. Keep the pairing.",
        command="assay compare old.csv new.csv --id item --truth y",
        quantity="power",
        nominal=None,
        replicates=4000,
        trial=misuse_trials.unpaired_z,
    ),
    Mistake(
        id="f1-by-mcnemar",
        title="F1 judged by McNemar",
        world="two models of equal F1 (2/3) and unequal accuracy, 400 items",
        wrong="McNemar's test, which compares accuracies, read as one of F1",
        right="paired_delta, the default of `assay compare --measure f1`",
        why="McNemar's test counts on which items a model is right, which is accuracy. Two models can "
        "have the same F1 and very different accuracies, or the reverse.",
        command="assay compare predictions.csv --truth y --measure f1",
        quantity="false alarms",
        nominal=0.05,
        replicates=400,
        trial=misuse_trials.f1_by_mcnemar,
    ),
    Mistake(
        id="direction-from-data",
        title="Direction from the data, then one-sided",
        world="two equal models, 20 paired differences",
        wrong='the better-looking model is tested for "greater"',
        right="two-sided by default; one-sided only where it was said before looking",
        why="A one-sided test spends its whole error on one side. If the data choose the side, both "
        "sides were looked at, and the error doubles.",
        command="assay compare predictions.csv --truth y",
        quantity="false alarms",
        nominal=0.05,
        replicates=20_000,
        trial=misuse_trials.direction_from_data,
    ),
)

_SEARCHES = (
    Mistake(
        id="baseline-from-data",
        title="Baseline chosen after looking",
        world="six equal models on 15 data sets",
        wrong="the best is compared with the weakest, by one Wilcoxon test",
        right="wilcoxon_pairs: all pairs were looked at, so all are corrected for (Holm)",
        why="Of several equal models one is always first and one last. Comparing these two alone "
        "forgets that they were picked out of all pairs.",
        command="assay compare datasets.csv",
        quantity="false alarms",
        nominal=0.05,
        replicates=400,
        trial=misuse_trials.baseline_from_data,
    ),
    Mistake(
        id="peeking",
        title="Looking again while the test set grows",
        world="two equal models, McNemar after every 50 of 1,000 items",
        wrong="stop at the first p below 0.05",
        right="one look, at a number of items fixed before",
        why="Each look has an error rate of 5%, but the probability that at least one look is significant"
        " grows with their number. Fix the number of items in advance, or use "
        "anytime_mean_difference, which is valid at every look.",
        command="assay compare old.csv new.csv --id item --truth y --margin 0.01",
        quantity="false alarms",
        nominal=0.05,
        replicates=5000,
        trial=misuse_trials.peeking,
    ),
    Mistake(
        id="best-on-test",
        title="Best of ten, judged on the same test set",
        world="ten equally good models, accuracy 0.8 on 100 items",
        wrong="the winner's own 95% interval",
        right="best_of, which allows for the choice",
        why="The best of many models owes part of its score to chance, and loses that part on new items "
        "(selection bias).",
        command="assay test best_of predictions.csv --truth-column y",
        quantity="coverage",
        nominal=0.95,
        replicates=150,
        trial=misuse_trials.best_on_test,
    ),
)

_INTERVALS = (
    Mistake(
        id="wald-at-zero",
        title="Wald's interval with few errors",
        world="50 items and an error rate of 0.02: in a third of the samples there is no error at all",
        wrong="p ± 1.96 sqrt(p (1 - p)/n), of width zero without errors",
        right="mid_p, the default of `assay evaluate`",
        why="No error in 50 items does not show an error rate of zero: rates up to 6% are compatible with"
        " it. Wald's formula uses the estimate in place of the true rate, so its standard error is "
        "zero.",
        command="assay test mid_p --errors 0 --n 50",
        quantity="coverage",
        nominal=0.95,
        replicates=20_000,
        trial=misuse_trials.wald_at_zero,
    ),
    Mistake(
        id="few-positives",
        title="Percentile bootstrap with few positives",
        world="60 items, 6 of them positive, recall 0.8",
        wrong="percentiles of 999 resamples",
        right="the default interval of `assay evaluate --measure recall`",
        why="Resampling six positives gives only a handful of different recalls, and a single one if "
        "none was missed. The default interval uses the binomial distribution of the six.",
        command="assay evaluate predictions.csv --truth y --measure recall",
        quantity="coverage",
        nominal=0.95,
        replicates=400,
        trial=misuse_trials.few_positives,
    ),
)


def _diagram(bars: Bars) -> Mistake:
    return Mistake(
        id="diagram-against-test",
        title="A diagram that contradicts its test",
        world="a critical-difference diagram of six models on 15 data sets, all pairs tested (Holm)",
        wrong="each model is joined by a bar to the last one that it does not differ from significantly",
        right="bars that equal the decisions, and letters where bars cannot show them",
        why="Non-significance is not transitive: the first and the third may not differ, and yet the "
        "second differs from one of them. A bar over all three then contradicts a test. Where bars "
        "cannot show the decisions, letters or a matrix do.",
        command="assay compare datasets.csv",
        quantity="contradictions",
        nominal=0.0,
        replicates=400,
        trial=partial(misuse_trials.diagram_against_test, bars=bars),
    )
