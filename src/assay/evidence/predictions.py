"""Predictions of models on items: a lazy handle on rows, reduced to small arrays when asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray, IndexArray, IntArray
from assay.core.checks import check_choice
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.notes import Note
from assay.core.questions import AmbiguousEvidence
from assay.core.results import Details, EvidenceSummary
from assay.evidence import score_ranks
from assay.evidence.cell_text import class_text, ordered, plural, quoted
from assay.evidence.item_arrays import Columns
from assay.evidence.model_columns import NEEDS, ModelColumns, Needs
from assay.evidence.names import Role
from assay.evidence.open_questions import which_positive
from assay.evidence.rows import Groups, Key, Rows, Scale
from assay.evidence.rows_memory import MemoryRows
from assay.evidence.score_ranks import Holding, Placed
from assay.evidence.tally import ClusterTally, Tally, distinct_rows, summed_counts
from assay.kernels.auc import SortedScores, sort_scores
from assay.kernels.delong import PlacedAreas, placed_areas

MOST_HELD = 2**22
"""Predictions whose sorted columns are remembered, 32 MiB: more are sorted again when asked for."""
MAX_REPEATED = 50_000_000
"""Items that a frequency column may stand for where rows must be repeated."""

_INSTEAD: dict[Needs, str] = {
    "labels": "give a column 'NAME:label'",
    "scores": "give a column 'NAME:score', or the probability of the positive class",
    "probabilities": "give a column 'NAME:p(CLASS)' for each class",
    "values": "give a column 'NAME:value' and numbers as the truth",
    "losses": "give a column 'NAME:loss'",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a log tells beyond its numbers: the measure that fits them, and where they come from."""

    measure: str
    description: str
    details: Details = ()
    called: str | None = None
    """What the values are called where they come from: ndcg@10, rougeL."""
    reported: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By model the averages that its log states: of tasks, and under no name of all that was read."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predictions:
    """Predictions of one or more models on the same items.

    ``classes`` are in canonical order and empty for values and losses; ``positive`` is the one
    that was said, or that the words of two classes tell; ``offers`` says what each model brought.
    """

    models: tuple[str, ...]
    classes: tuple[str, ...]
    positive: str | None
    offers: Mapping[str, frozenset[Needs]]
    n: int
    clusters: int | None = None
    weighted: bool = False
    notes: tuple[Note, ...] = ()
    rows: Rows = field(repr=False)
    roles: Mapping[Role, str] = field(repr=False)
    columns_of: Mapping[str, ModelColumns] = field(repr=False)
    joint: Groups | None = field(default=None, repr=False)
    heaviest: float = field(default=0.0, repr=False)
    origin: Origin | None = None
    scores: Holding | None = None
    """How scores are ranked; None: in memory, if they are not too many."""
    placed: dict[tuple[Any, ...], Placed] = field(default_factory=dict, repr=False)
    """What :meth:`areas` found, shared with selections of the same rows."""
    tallies: dict[tuple[str, ...], Tally] = field(default_factory=dict, init=False, repr=False)
    """Those that were asked for: several steps of one analysis ask for the same."""
    arrays: dict[tuple[Needs, tuple[str, ...]], Columns] = field(
        default_factory=dict, init=False, repr=False
    )
    """The last sorted columns, if they are not too many: they are asked for again at once."""

    @classmethod
    def from_confusion(
        cls, matrix: Any, classes: Sequence[Any] | None = None
    ) -> "Predictions | Unpaired":
        """Predictions from a confusion matrix (rows truth, columns prediction).

        A mapping of names to matrices gives one :class:`Unpaired` part per model: matrices know
        nothing of which items the models share.
        """
        from assay.evidence.confusion import from_confusion

        return from_confusion(matrix, classes)

    def select(self, *models: str) -> "Predictions":
        """The same evidence with only these models, in this order."""
        chosen = self._chosen(models)
        found = replace(self, models=chosen, offers={name: self.offers[name] for name in chosen})
        found.tallies.update(self.tallies)
        return found

    @property
    def independent(self) -> bool:
        """Whether items neither come in clusters nor have weights."""
        return self.clusters is None and not self.weighted

    def labels_from_scores(
        self, threshold: float = 0.5, models: Sequence[str] | None = None
    ) -> "Predictions":
        """Labels for models that have only scores: the positive class from ``threshold`` up."""
        from assay.evidence.score_threshold import cut_scores

        return cut_scores(self, threshold, self._chosen(models))

    def tally(self, models: Sequence[str] | None = None) -> Tally:
        """Counts of distinct rows (truth, labels of each model): one pass over the data."""
        chosen = self._offering("labels", models)
        if chosen not in self.tallies:
            # from the counts of more models, if they are known; sums of weights depend on their order
            wider = [one for one in self.tallies.values() if set(chosen) <= set(one.models)]
            self.tallies[chosen] = (
                wider[0].select(*chosen)
                if wider and not self.weighted
                else self._tally(chosen, self._grouped(chosen))[0]
            )
        return self.tallies[chosen]

    def _tally(
        self, models: tuple[str, ...], groups: Groups, first: int = 0
    ) -> tuple[Tally, IndexArray]:
        """The tally of groups whose keys from ``first`` on are labels, and the row of each group."""
        rows, place = distinct_rows(self._classes(groups, first))
        weights = groups.weights
        sums, squares = (None, None) if weights is None else weights.merged(place, len(rows))
        tally = Tally(
            classes=self.classes,
            models=models,
            rows=rows,
            counts=summed_counts(groups.counts, place, len(rows)),
            weight_sums=sums,
            weight_squares=squares,
        )
        return tally, place

    def cluster_tally(self, models: Sequence[str] | None = None) -> ClusterTally:
        """The tally with the number of items of each cluster in each distinct row."""
        chosen = self._offering("labels", models)
        if "cluster" not in self.roles:
            raise EvidenceError("the evidence has no clusters; name their column with cluster=")
        groups = self._grouped(chosen, self.roles["cluster"])
        levels, cluster = _canonical(groups.codes[:, 0], groups.levels[0])
        tally, row = self._tally(chosen, groups, 1)
        pairs, place = distinct_rows(np.stack([cluster, row], axis=1))
        weights = groups.weights
        sums, squares = (None, None) if weights is None else weights.merged(place, len(pairs))
        return ClusterTally(
            tally=tally,
            n_clusters=len(levels),
            cluster=pairs[:, 0],
            row=pairs[:, 1],
            count=summed_counts(groups.counts, place, len(pairs)),
            weight_sums=sums,
            weight_squares=squares,
        )

    def columns(self, needs: Needs, models: Sequence[str] | None = None) -> Columns:
        """Every item of the models as arrays of what a measure needs, in row order."""
        check_choice(needs, NEEDS, "needs")
        chosen = self._offering(needs, models)
        self._check_memory(needs, len(chosen))
        count = self.roles.get("count")
        if count is not None and self.n > MAX_REPEATED:
            raise EvidenceError(
                f"the count column stands for {self.n:,} items, and this measure needs each of them; assay expands up "
                f"to {MAX_REPEATED:,}. Use a label measure, which needs only counts"
            )
        columns = Columns(
            models=chosen,
            truth=self._truth(needs),
            predictions=self._stacked(needs, chosen),
            classes=self.classes,
            weights=self._number("weight"),
            clusters=self._codes("cluster"),
            folds=self._codes("fold"),
            repeats=self._codes("repeat"),
        )
        if count is not None:
            columns = columns.repeated(self.rows.numbers([count])[0].astype(np.int64))
        if columns.n != self.n or columns.truth.size not in (0, self.n):
            raise self._changed()
        return columns

    def sorted_columns(self, needs: Needs, models: Sequence[str] | None = None) -> Columns:
        """The same rows in the order of their values: for sums and draws, which are then those of any order."""
        key = (needs, self._chosen(models))
        found = self.arrays.get(key)
        if found is None:
            found = self.columns(needs, models).in_order()
            self.arrays.clear()
            if found.predictions.size <= MOST_HELD:
                self.arrays[key] = found
        return found

    def areas(self, models: Sequence[str] | None = None) -> PlacedAreas:
        """Areas under the ROC curves of the models and all that DeLong's tests need beside them.

        What was placed is remembered: an estimate of each model after a test of all sorts nothing.
        """
        chosen = self._offering("scores", models)
        known = self._known(chosen)
        if known is None:
            known = (chosen, self._placed(chosen))
            self.placed[self.rows, self.positive, self.scores, chosen] = known[1]
        return known[1].areas.select([known[0].index(model) for model in chosen])

    def ranked(self, model: str) -> SortedScores:
        """The scores of one model, sorted; where an engine ranks them, by bins."""
        if self.on_engine:
            from assay.evidence.score_ranks_sql import leaves

            known = self._known((model,))
            found = leaves(self, model) if known is None else known[1].leaves[known[0].index(model)]
            return found.sorted()
        columns = self.columns("scores", (model,))
        return sort_scores(columns.truth, columns.predictions[0])

    @property
    def on_engine(self) -> bool:
        """Whether scores are ranked where they lie, and never come into memory."""
        return self.scores in ("exact", "binned") and not isinstance(self.rows, MemoryRows)

    def _known(self, models: Sequence[str]) -> tuple[tuple[str, ...], Placed] | None:
        for (*of, names), found in self.placed.items():
            if of == [self.rows, self.positive, self.scores] and set(models) <= set(names):
                return names, found
        return None

    def _placed(self, models: tuple[str, ...]) -> Placed:
        from assay.evidence.score_ranks_sql import place

        if self.on_engine:
            found = place(self, models)
            if found.areas.n_positive + found.areas.n_negative != self.n:
                raise self._changed()
            return found
        columns = self.columns("scores", models)
        return Placed(areas=placed_areas(columns.truth, columns.predictions))

    def check_positive(self) -> None:
        """Ask which of two classes is positive, where scores need it and nobody said."""
        if self.positive is None and len(self.classes) == 2:
            raise AmbiguousEvidence([which_positive(self.classes)])

    def summary(self) -> EvidenceSummary:
        """What was recognised, in words and counts."""
        from assay.evidence.evidence_summary import summary_of

        return summary_of(self)

    def _chosen(self, models: Sequence[str] | None) -> tuple[str, ...]:
        if models is None:
            return self.models
        if not isinstance(models, Iterable) or getattr(models, "shape", None) == ():
            raise UsageError(f"models= is a name or a list of names, got {models!r}")
        listed = (models,) if isinstance(models, str) else tuple(models)
        unknown = [one for one in listed if not isinstance(one, str) or one not in self.models]
        if unknown or not listed:
            raise EvidenceError(f"no model {quoted(unknown)}; there are {quoted(self.models, 20)}")
        if len(set(listed)) < len(listed):
            raise UsageError(f"a model is named twice: {quoted(listed)}")
        return listed

    def _offering(self, needs: Needs, models: Sequence[str] | None) -> tuple[str, ...]:
        chosen = self._chosen(models)
        for model in chosen:
            if needs not in self.offers[model]:
                has = " and ".join(sorted(self.offers[model])) or "nothing"
                instead = _INSTEAD[needs]
                if needs == "labels" and "scores" in self.offers[model]:
                    instead = "make them with evidence.labels_from_scores(threshold=0.5)"
                raise EvidenceError(f"model {model!r} has {has}, not {needs}: {instead}")
        return chosen

    def too_many(self, needs: Needs, models: int) -> int:
        """How many scores a measure would bring into memory, where that is too many unasked."""
        if self.scores is not None or isinstance(self.rows, MemoryRows):
            return 0
        cells = self.n * models * (len(self.classes) if needs == "probabilities" else 1)
        scored = needs in ("scores", "probabilities")
        return cells if scored and cells > score_ranks.MOST_SCORES else 0

    def _check_memory(self, needs: Needs, models: int) -> None:
        """Refuse scores that were said to stay where they are, or that are too many unasked."""
        if self.on_engine and needs in ("scores", "probabilities"):
            raise NotApplicable(
                f"scores={self.scores!r} does not load the scores, and this needs all of them. It works for roc_auc or "
                "gini alone, on independent, unweighted items. Use scores='memory', or a sample of the rows"
            )
        cells = self.too_many(needs, models)
        if cells:
            raise EvidenceError(
                f"{cells:,} scores are more than the {score_ranks.MOST_SCORES:,} that are loaded without asking. "
                "Choose one in evaluate, compare or gate: scores='exact' ranks them on disk and gives the same "
                "numbers. Or scores='binned' puts them into bins, with a stated bound on the error. Or scores='memory' "
                f"loads them all, about {cells * 50 / 2**30:.2g} GiB. The first two are for roc_auc and gini"
            )

    def _grouped(self, models: Sequence[str], *before: Key) -> Groups:
        """Counts of the distinct rows of other columns, the truth and the labels of models."""
        keys = (*before, self.roles["truth"], *(self.columns_of[name].labels for name in models))
        if self.joint is not None and not self.weighted:
            counted = self.joint.projected(keys)
            if counted is not None:
                return counted
        scale = Scale.of(self.roles["weight"], self.heaviest) if self.weighted else None
        groups = self.rows.group(keys, count=self.roles.get("count"), weight=scale)
        if groups is None or int(groups.counts.sum()) != self.n:
            raise self._changed()
        return groups

    def _changed(self) -> EvidenceError:
        return EvidenceError(f"{', '.join(self.rows.sources)} changed since it was first read")

    def _classes(self, groups: Groups, first: int = 0) -> IntArray:
        """Codes of the keys from ``first`` on as codes of classes."""
        codes, levels = groups.codes[:, first:], groups.levels[first:]
        if all(None not in one and tuple(map(class_text, one)) == self.classes for one in levels):
            return codes  # as they are
        columns = zip(codes.T, levels, strict=True)
        return np.stack([_class_codes(*column, self.classes) for column in columns], axis=1)

    def _truth(self, needs: Needs) -> NDArray[Any]:
        truth = self.roles.get("truth")
        if needs == "losses" or truth is None:
            return np.zeros(0)
        if needs == "values":
            return self.rows.numbers([truth])[0]
        codes, levels = self.rows.coded([truth])[0]
        found = _class_codes(codes, levels, self.classes)
        if needs != "scores":
            return found
        self.check_positive()
        positive = self.classes.index(self.positive) if self.positive is not None else -1
        return np.asarray(found == positive, dtype=np.int64)

    def _predicted(self, needs: Needs, model: str) -> NDArray[Any]:
        columns = self.columns_of[model]
        if needs == "labels":
            codes, levels = self.rows.coded([columns.labels])[0]
            return _class_codes(codes, levels, self.classes)
        if needs == "probabilities":
            return self._probabilities(columns)
        if needs == "scores" and columns.scores is None:
            return self.rows.numbers([columns.probabilities[str(self.positive)]])[0]
        return self.rows.numbers([getattr(columns, needs)])[0]

    def _stacked(self, needs: Needs, models: Sequence[str]) -> NDArray[Any]:
        """The predictions of each model in a row; a lone one is copied only if it is the user's."""
        first = self._predicted(needs, models[0])
        if len(models) == 1 and not isinstance(self.rows, MemoryRows):
            return first[None]
        stacked = np.empty((len(models), *first.shape), dtype=first.dtype)
        stacked[0] = first
        for place, model in enumerate(models[1:], start=1):
            stacked[place] = self._predicted(needs, model)
        return stacked

    def _probabilities(self, columns: ModelColumns) -> FloatArray:
        """(items, classes) in the order of classes; of two classes one column is enough."""
        if not columns.probabilities:
            self.check_positive()
        of = columns.probabilities or {str(self.positive): str(columns.scores)}
        known = dict(zip(of, self.rows.numbers(list(of.values())), strict=True))
        if len(known) == 1:
            (one,) = known.values()
            known |= {name: 1.0 - one for name in self.classes if name not in known}
        return np.stack([known[name] for name in self.classes], axis=1)

    def _number(self, role: Role) -> FloatArray | None:
        return self.rows.numbers([self.roles[role]])[0] if role in self.roles else None

    def _codes(self, role: Role) -> IntArray | None:
        if role not in self.roles:
            return None
        codes, levels = self.rows.coded([self.roles[role]])[0]
        return _canonical(codes, levels)[1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unpaired:
    """Predictions of models on different items: nothing may be paired (E4)."""

    parts: tuple[Predictions, ...]

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(model for part in self.parts for model in part.models)

    @property
    def n(self) -> int:
        return sum(part.n for part in self.parts)

    def select(self, *models: str) -> "Unpaired":
        """The parts of these models, in this order."""
        parts = {model: part.select(model) for part in self.parts for model in part.models}
        unknown = [model for model in models if model not in parts]
        if unknown:
            raise EvidenceError(f"no model {quoted(unknown)}; there are {quoted(parts, 20)}")
        return Unpaired(parts=tuple(parts[model] for model in models))

    def summary(self) -> EvidenceSummary:
        parts = [part.summary() for part in self.parts]
        each = ", ".join(f"{'/'.join(part.models)} on {plural(part.n, 'item')}" for part in parts)
        return EvidenceSummary(
            kind="unpaired predictions",
            sources=tuple(source for part in parts for source in part.sources),
            models=self.models,
            n=self.n,
            unit="item",
            description=f"Predictions on different items: {each}.",
            truth=parts[0].truth,
            classes=ordered(name for part in parts for name in part.classes),
        )


def _class_codes(codes: IntArray, levels: Sequence[Any], classes: tuple[str, ...]) -> IntArray:
    index = {name: code for code, name in enumerate(classes)}
    lookup = np.array(
        [-1 if level is None else index.get(class_text(level), -1) for level in levels] or [-1],
        dtype=np.int64,
    )
    found = lookup[codes]
    if found.size and found.min() < 0:
        raise EvidenceError("a label appeared that was not there when the evidence was first read")
    return found


def _canonical(codes: IntArray, levels: Sequence[Any]) -> tuple[tuple[str, ...], IntArray]:
    """Levels that occur, in canonical order, and codes into them."""
    present = np.unique(codes)
    texts = {int(code): class_text(levels[code]) for code in present.tolist()}
    order = ordered(texts.values())
    index = {text: place for place, text in enumerate(order)}
    lookup = np.zeros(len(levels) + 1, dtype=np.int64)
    lookup[list(texts)] = [index[text] for text in texts.values()]
    return order, lookup[codes]
