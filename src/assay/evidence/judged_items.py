"""Many items graded by a judge, few of them by people: the evidence, and how items were chosen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import check_single
from assay.core.errors import NotApplicable, UsageError
from assay.core.notes import Note, note
from assay.core.questions import AmbiguousEvidence
from assay.core.results import EvidenceSummary
from assay.evidence.cell_text import plural
from assay.evidence.open_questions import which_values
from assay.evidence.readers.row_filter import filtered
from assay.evidence.readers.source_tables import open_sources
from assay.evidence.reading_options import SINGLE, Told, names_given
from assay.kernels.judge_correction import JudgedSample

Kind = Literal["grades", "labels", "scores", "values"]
IMPOSSIBLE = 1e-6
"""A p-value of labelled against other items that chance does not explain."""
FEWEST = 5
"""Fewer people's labels than this say nothing, with or without a judge."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """Grades or labels by a judge for every item, and by people for some.

    ``kind`` "grades": ``people`` and ``judge`` (models x items) grade each model's answer. Otherwise both are
    one row: the truth of each item as people and the judge see it, and ``predictions`` are the models' own
    (class codes, scores or numbers). Gaps of ``people`` are NaN.
    """

    sources: tuple[str, ...]
    models: tuple[str, ...]
    kind: Kind
    people: FloatArray
    judge: FloatArray
    predictions: FloatArray | None = None
    classes: tuple[str, ...] = ()
    positive: str | None = None
    weights: FloatArray | None = None
    clusters: IntArray | None = None
    strata: IntArray | None = None
    chances: FloatArray | None = None
    columns: tuple[str, str] = ("people", "judge")
    chosen: str = ""
    """How items were chosen for people, as told; empty where nothing was said."""
    lower_is_better: bool | None = None
    ids: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def size(self) -> int:
        return int(self.judge.shape[1])

    def row(self, model: str) -> int:
        """The row of ``people`` and ``judge`` that belongs to a model."""
        return self.models.index(model) if self.kind == "grades" else 0

    def graded(self, *models: str) -> IntArray:
        """Places of items that people graded for all of these models."""
        rows = [self.row(model) for model in models or self.models]
        return np.flatnonzero(~np.isnan(self.people[rows]).any(axis=0))

    def sample(self, graded: IntArray) -> JudgedSample:
        """The design of an estimate that rests on these graded items."""
        return JudgedSample.of(
            graded,
            self.size,
            weights=self.weights,
            chances=None if self.chances is None else self.chances[graded],
            strata=self.strata,
            clusters=self.clusters,
        )

    def select(self, *models: str) -> "Judged":
        unknown = [name for name in models if name not in self.models]
        if unknown:
            raise UsageError(f"no model {unknown[0]!r}; there are {', '.join(self.models)}")
        places = [self.models.index(name) for name in models]
        grades = self.kind == "grades"
        return replace(
            self,
            models=tuple(models),
            people=self.people[places] if grades else self.people,
            judge=self.judge[places] if grades else self.judge,
            predictions=None if self.predictions is None else self.predictions[places],
        )

    @cached_property
    def binary(self) -> bool:
        """Whether people's grades are 0 and 1 throughout."""
        if self.kind != "grades":
            return False
        values = self.people[~np.isnan(self.people)]
        return bool(((values == 0.0) | (values == 1.0)).all())

    def directed(self) -> "Judged":
        """Ratings need a direction to have a measure; this is for answers that do not depend on it."""
        if self.kind != "grades" or self.binary or self.lower_is_better is not None:
            return self
        return replace(self, lower_is_better=False)

    def check_direction(self) -> None:
        """Whether high grades are good has been said; of 0 and 1 whether they are right answers or errors."""
        if self.kind == "grades" and self.lower_is_better is None:
            title = self.sources[0] if self.sources else "the data"
            levels = ("0", "1") if self.binary else ()
            asked = which_values(title, self.columns[:1], levels=levels, truths=())
            raise AmbiguousEvidence([asked])

    def summary(self) -> EvidenceSummary:
        counts = [self.graded(model).size for model in self.models]
        fewest, most = min(counts), max(counts)
        people = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
        whom = "each model's answers" if self.kind == "grades" and len(self.models) > 1 else "them"
        graded = f"{plural(self.size, 'item')} graded by a judge ({self.columns[1]}), {people} of {whom} by people"
        of = self.clusters
        extra = "" if of is None else f", {plural(int(of.max()) + 1, 'cluster')}"
        return EvidenceSummary(
            kind="judged",
            sources=self.sources,
            models=self.models,
            n=self.size,
            unit="item",
            description=f"{plural(len(self.models), 'model')} ({_some(self.models)}); {graded} "
            f"({self.columns[0]}){extra}.",
            truth=self.columns[0],
            classes=self.classes,
            clusters=None if self.clusters is None else int(self.clusters.max()) + 1,
            details=(("labels", int(max(counts))), ("chosen", self.chosen or "assumed at random")),
        )


OPTIONS = (
    "truth", "judge", "models", "id", "ignore", "cluster", "weight", "repeat", "labelled_at", "positive",
    "where", "sheet", "names", "on_mismatch", "lower_is_better", "threshold", "correct", "losses",
)  # fmt: skip


UNSAID: tuple[Any, ...] = ("refuse", "error", True, (), [])
"""Defaults of options that say nothing."""


def read_judged(*sources: Any, judge: Any = None, **options: Any) -> Judged:
    """Evidence of a judge and of people, from files, frames or mappings.

    ``truth`` names people's column, ``judge`` the judge's (several: their mean, or the majority). With a column
    of each per model (in the same order), or a column that names the model, or a file per model, they are
    grades of answers; with ``models`` they are the truth that these columns predict. ``labelled_at`` says how
    items were chosen for people: "random", "strata:COLUMN" or "probability:COLUMN".
    """
    said = {
        name: value
        for name, value in options.items()
        if value is not None and (value is not False or name == "lower_is_better")
    }
    unknown = [
        name for name in said if name not in (*OPTIONS, "measure") and not _is_unsaid(said[name])
    ]
    if unknown:
        raise UsageError(f"{unknown[0]}= does not go with a judge; there are {', '.join(OPTIONS)}")
    check_single(said, {name: kind for name, kind in SINGLE.items() if name != "truth"})
    if not isinstance(said.get("id"), str | None):
        raise UsageError(
            f"id= is the name of a column where a judge graded, got {said['id']!r:.60}"
        )
    if len(sources) == 1 and isinstance(sources[0], Judged):
        asked = names_given(said.get("models"), "models")
        return sources[0].select(*asked) if asked else sources[0]
    plain = Told.of({name: said[name] for name in ("names", "sheet") if name in said})
    tables = filtered(open_sources(sources, plain), said.get("where"))
    from assay.evidence.judged_reader import JudgedReader  # which makes what is defined here

    truths, judges = names_given(said.get("truth"), "truth"), names_given(judge, "judge")
    if not judges:
        raise UsageError("name the judge's column: judge='COLUMN'; several with commas")
    return JudgedReader(tables, said, truths, judges).read()


def _is_unsaid(value: Any) -> bool:
    return isinstance(value, str | bool | tuple | list) and value in UNSAID


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", …" if len(names) > 6 else "")


def random_note(
    judged: Judged, groups: Sequence[tuple[str, FloatArray, IntArray]]
) -> tuple[Note, ...]:
    """Whether labelled items look like a random sample: the judge's grades of labelled and other items."""
    if judged.strata is not None or judged.chances is not None:
        return ()

    worst: tuple[float, float, float] | None = None
    for _, values, graded in groups:
        inside = np.zeros(values.size, dtype=bool)
        inside[graded] = True
        own, rest = values[inside], values[~inside]
        if own.size < 2 or rest.size < 2 or np.ptp(values) <= 0.0:
            continue
        p = min(1.0, _chance(own, rest, values) * len(groups))
        if worst is None or p < worst[0]:
            worst = (p, float(own.mean()), float(rest.mean()))
    if worst is not None and worst[0] < IMPOSSIBLE:
        raise NotApplicable(
            f"the labelled items are not a random sample. The judge's mean is {worst[1]:.3g} among them and "
            f"{worst[2]:.3g} among the others (p = {worst[0]:.1g}). If they were drawn by strata or with known "
            "probabilities, add labelled_at='strata:COLUMN' or labelled_at='probability:COLUMN'. Items that were "
            "selected by their answers do not represent the others: have people label items drawn at random"
        )
    if worst is not None and worst[0] < 0.01:
        return (note("labelled-differ", labelled=worst[1], others=worst[2], p=worst[0]),)
    every = all(graded.size == values.size for _, values, graded in groups)
    return () if judged.chosen or every else (note("assumed-random"),)


def _chance(own: FloatArray, rest: FloatArray, values: FloatArray) -> float:
    """How likely so large a difference is between a random part of the values and the rest.

    Two values are counted exactly, for few labels meet a rare one by chance. Of others the normal tail is
    believed to be impossible only where Bernstein's inequality, which knows the farthest value, agrees.
    """
    from assay.kernels.conditional_odds import ConditionalOdds
    from assay.kernels.special import ndtr

    top = float(values.max())
    if ((values == top) | (values == values.min())).all():
        hits, others = int((own == top).sum()), int((rest == top).sum())
        return ConditionalOdds(hits, own.size, rest.size, hits + others).doubled_tail()
    mean, spread = float(values.mean()), float(values.var())
    z = abs(own.mean() - rest.mean()) / np.sqrt(spread * (1.0 / own.size + 1.0 / rest.size))
    part = min(own, rest, key=len)
    off = abs(float(part.mean()) - mean)
    farthest = float(np.abs(values - mean).max())
    bound = 2.0 * np.exp(-part.size * off**2 / (2.0 * (spread + farthest * off / 3.0)))
    p = 2.0 * float(ndtr(-z))
    return max(p, IMPOSSIBLE) if bound >= IMPOSSIBLE else p
