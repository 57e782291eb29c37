"""From tables with people's and a judge's columns to evidence: which column is what, joined and checked."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.notes import Note, note
from assay.core.questions import AmbiguousEvidence, Question
from assay.evidence.cell_text import ordered, plural, quoted
from assay.evidence.judged_columns import (
    Columns,
    JudgedColumn,
    Turned,
    check_repeated,
    filled,
    id_name,
    join_people,
    joined,
    load,
    mean_of,
    model_column,
    paired_ids,
    people_joined,
    places_named,
    shared_names,
    turned,
)
from assay.evidence.judged_items import FEWEST, Judged, Kind
from assay.evidence.judged_words import word_values
from assay.evidence.names import evident_positive, is_description, known_as
from assay.evidence.open_questions import (
    MOST,
    answer,
    left_out,
    question,
    the_models,
    which_positive,
)
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.reading_options import names_given

MOST_CLASSES = 50
_JUDGES = "the judge's column"
_PAIR = "assay pair"
"""Item and model together, by which long tables are joined."""

Loaded = tuple[SourceTable, Columns]


class JudgedReader:
    """One reading: tables become columns, columns get their parts, parts become evidence."""

    def __init__(
        self,
        tables: Sequence[SourceTable],
        said: dict[str, Any],
        truths: tuple[str, ...],
        judges: tuple[str, ...],
    ) -> None:
        self.tables, self.said = tables, said
        self.truths, self.judges = truths, judges
        self.models = names_given(said.get("models"), "models")
        self.ignored = names_given(said.get("ignore"), "ignore")
        self.strict = said.get("on_mismatch", "error") != "intersect"
        self.notes: list[Note] = []

    def read(self) -> Judged:
        loaded = [(table, load(table)) for table in self.tables]
        for _, columns in loaded:
            join_people(columns, self.truths, predicted=bool(self.models))
        self._check_named(loaded)
        self._fill(loaded)
        mains = [one for one in loaded if all(name in one[1] for name in self.judges)]
        others = [one for one in loaded if not any(one[1] is main[1] for main in mains)]
        if len(mains) > 1:
            return self._file_per_model(mains, others)
        ((table, columns),) = mains
        kept = {name: cells for name, cells in columns.items() if name not in self.ignored}
        naming = model_column(kept) if len(self.truths) == len(self.judges) == 1 else None
        for other in others:
            join = self._joined if naming is None else partial(self._joined_long, naming)
            columns = join((table, columns), other)
        self._check_people(columns)
        if naming is not None:
            return self._long(columns, naming)
        if len(self.truths) > 1:
            return self._grades_by_column(columns)
        return self._one_truth(table, columns)

    def _fill(self, loaded: Sequence[Loaded]) -> None:
        """The judge's usual grade where it gave none."""
        for _, columns in loaded:
            for name in (name for name in self.judges if name in columns):
                columns[name], gaps = filled(columns[name])
                if gaps:
                    self.notes.append(note("judge-gaps", judge=name, gaps=gaps))

    # ── which column is what ──

    def _check_named(self, loaded: Sequence[Loaded]) -> None:
        every = {name: cells for _, columns in loaded for name, cells in columns.items()}
        if not self.truths:
            gappy = [name for name, one in every.items() if 0 < one.missing < one.codes.size]
            raise AmbiguousEvidence([_which_people(gappy or list(every))])
        for name in (*self.truths, *self.judges):
            if name not in every:
                raise _no_column(name, every)
        if not any(all(name in columns for name in self.judges) for _, columns in loaded):
            raise UsageError(
                f"the columns {quoted(self.judges)} are not in one file: put all judges into one table"
            )
        if set(self.truths) & set(self.judges):
            raise UsageError("the same column cannot be the judge's and people's")

    def _check_people(self, columns: Columns) -> None:
        absent = [name for name in self.truths if name not in columns]
        if absent:
            raise UsageError(
                f"column {absent[0]!r} of people's labels was not found beside the judge's"
            )

    def _key(self, columns: Columns, title: str = "the table") -> str:
        return id_name(columns, self.said.get("id"), title)

    def _joined(self, main: Loaded, other: Loaded, keys: tuple[str, str] | None = None) -> Columns:
        """The columns of two tables beside each other, by their ids unless by other keys."""
        titles = (main[0].title, other[0].title)
        by = keys or (self._key(main[1], titles[0]), self._key(other[1], titles[1]))
        labels = people_joined(other[1], by[1], self.truths, predicted=bool(self.models))
        if labels is not other[1]:
            counts = {"rows": len(other[1][by[1]].codes), "items": len(labels[by[1]].codes)}
            self.notes.append(note("labels-joined", **counts))
        return joined(main[1], labels, by, titles, strict=self.strict)

    def _joined_long(self, naming: str, main: Loaded, other: Loaded) -> Columns:
        """Labels by item and model, for a table that has a row for each of them."""
        if naming not in other[1] and len(main[1][naming].levels) == 1:
            return self._joined(main, other)
        if naming not in other[1]:
            raise UsageError(
                f"{main[0].title} has a row per item and model, and {other[0].title} no column {naming!r}: a label "
                "must say whose answer it grades"
            )
        paired = []
        for table, columns in (main, other):
            key = self._key(columns, table.title)
            pairs = paired_ids(columns[key], columns[naming])
            left = () if table is main[0] else (naming, key)
            kept = {name: cells for name, cells in columns.items() if name not in left}
            paired.append((table, {**kept, _PAIR: pairs}))
        found = self._joined(paired[0], paired[1], (_PAIR, _PAIR))
        found.pop(_PAIR)
        return found

    # ── the four shapes ──

    def _file_per_model(self, mains: Sequence[Loaded], others: Sequence[Loaded]) -> Judged:
        """Each file grades one model's answers; items are joined by id."""
        if others or len(self.truths) != 1 or len(self.judges) != 1:
            raise UsageError(
                "several files have the judge's column, so each grades one model. Put people's labels into the same "
                "files, or everything into one table with the columns id, model, judge and people"
            )
        own = tuple(t.stem or f"model {p + 1}" for p, (t, _) in enumerate(mains))
        names = self.models or own
        places = places_named(names, own, len(mains))
        if places is None or len(set(names)) != len(names):
            raise UsageError(
                f"{len(mains)} files need {len(mains)} different names of models: models="
            )
        mains = [mains[place] for place in places]
        first, merged = mains[0]
        for place, (name, (table, columns)) in enumerate(zip(names, mains, strict=True)):
            self._check_people(columns)
            key = self._key(columns, table.title)
            part = {f"{name} {n}": columns[n] for n in (*self.truths, *self.judges)}
            other = (table, {key: columns[key], **part})
            merged = self._joined((first, merged), other) if place else {**columns, **part}
        people = [merged[f"{name} {self.truths[0]}"] for name in names]
        judge = [merged[f"{name} {self.judges[0]}"] for name in names]
        return self._grades(merged, names, people, judge)

    def _long(self, columns: Columns, naming: str) -> Judged:
        shape = turned(columns, naming, self._key(columns), self.models or None)
        if len(shape.models) > 1 and ((shape.rows >= 0).sum(axis=0) == 1).all():
            raise EvidenceError(
                f"every item has an answer from one model only (column {naming!r}), so models cannot be compared item "
                f"by item. Judge one model with where={f'{naming}={shape.models[0]}'!r}, or all answers together with "
                f"ignore={naming!r}"
            )
        people = [columns[self.truths[0]].taken(rows) for rows in shape.rows]
        judge = [columns[self.judges[0]].taken(rows) for rows in shape.rows]
        return self._grades(columns, shape.models, people, judge, shape)

    def _grades_by_column(self, columns: Columns) -> Judged:
        if len(self.truths) != len(self.judges):
            raise UsageError(
                f"{len(self.truths)} columns of people and {len(self.judges)} of the judge: name one of each per "
                f"model, in the same order. Several people's grades of the same answers are joined with +: "
                f"truth={'+'.join(self.truths)!r}"
            )
        own = shared_names(self.truths, self.judges)
        names = self.models or own or ()
        places = places_named(names, own, len(self.truths))
        if places is None:
            raise UsageError("name the models in the order of their columns: models=")
        people, judge = (
            [columns[found[p]] for p in places] for found in (self.truths, self.judges)
        )
        return self._grades(columns, names, people, judge)

    def _one_truth(self, table: SourceTable, columns: Columns) -> Judged:
        """Predictions of models, or grades of one system where no column is left to be a prediction."""
        absent = [name for name in self.models if name not in columns]
        if self.models and not absent:
            return self._predictions(columns)
        if len(self.models) > 1:
            raise _no_column(absent[0], columns)
        used = self._used(columns)
        left = [
            name
            for name, cells in columns.items()
            if not (name in used or is_description(name) or _is_text(cells))
        ]
        if left and not self.models:
            raise AmbiguousEvidence([_which_models(self.truths[0], self.judges[0], left)])
        check_repeated(columns, self.said, self.ignored)
        name = self.models[0] if self.models else table.stem or "the system"
        judge = [self._panel(columns)]
        return self._grades(columns, (name,), [columns[self.truths[0]]], judge)

    def _used(self, columns: Columns) -> set[str]:
        """Columns that have a part, or are named as having none."""
        told = {self.said.get(role) for role in ("id", "cluster", "weight", "repeat")}
        _, _, chosen = str(self.said.get("labelled_at", "")).partition(":")
        by_name = self._named_ids(columns) if self.said.get("id") is None else []
        named = {*self.truths, *self.judges, *by_name, *self.ignored, chosen}
        return named | {str(name) for name in told if name}

    @staticmethod
    def _named_ids(columns: Columns) -> list[str]:
        return [name for name in columns if known_as(name, "id")]

    # ── making the evidence ──

    def _panel(self, columns: Columns) -> JudgedColumn:
        """Several judges as one: the mean of their grades."""
        if len(self.judges) == 1:
            return columns[self.judges[0]]
        needed = "every judge must grade every item. Leave it out, or have the others judged"
        every = [columns[name].complete(needed, _JUDGES) for name in self.judges]
        return mean_of(" + ".join(self.judges), every, rescaled=True)

    def _grades(
        self,
        columns: Columns,
        models: tuple[str, ...],
        people: list[JudgedColumn],
        judge: list[JudgedColumn],
        shape: Turned | None = None,
    ) -> Judged:
        people_values, judge_values = self._numbers(people, judge)
        there = ~np.isnan(judge_values).any(axis=0)
        if self.strict and not there.all():
            gaps = plural(int(there.size - there.sum()), "gap")
            raise EvidenceError(
                f"the judge's column {judge[0].name!r} has {gaps}: it must grade every answer. Have them judged, or "
                "leave these items out with on_mismatch='intersect'"
            )
        roles = self._roles(columns, shape)
        if not there.all():
            roles = {name: _some_items(value, there) for name, value in roles.items()}
            dropped, kept = int((~there).sum()), int(there.sum())
            listed = "answers without a judgement"
            self.notes.append(note("items-dropped", dropped=dropped, kept=kept, listed=listed))
        parts = {"people": people_values[:, there], "judge": judge_values[:, there]}
        return self._made(models=models, kind="grades", **parts, **roles)

    def _numbers(
        self, people: list[JudgedColumn], judge: list[JudgedColumn]
    ) -> tuple[FloatArray, FloatArray]:
        every = [*people, *judge]
        if all(cells.numeric() for cells in every):
            return np.stack([c.numbers() for c in people]), np.stack([c.numbers() for c in judge])
        found, verdicts, ties = word_values(people, judge, self.said.get("positive"))
        if ties:  # the preferred answer counts as 1
            self.said.setdefault("lower_is_better", False)
        return found, verdicts

    def _predictions(self, columns: Columns) -> Judged:
        """The truth by people and by the judge, and the models' predictions of it."""
        truth, judge = columns[self.truths[0]], self._majority(columns)
        models = [columns[name] for name in self.models]
        for cells in (judge, *models):
            cells.complete("every item needs a value")
        words = ordered({text for cells in (truth, judge) for text in cells.texts()})
        ranked = all(cells.numeric() for cells in models)
        numeric = ranked and truth.numeric() and judge.numeric()
        kind: Kind = "labels"
        classes: tuple[str, ...] = ordered(
            {*words, *(t for cells in models for t in cells.texts())}
        )
        if ranked and len(words) == 2 and not set(classes) <= set(words):
            kind, classes = "scores", words
        elif numeric and len(classes) > MOST_CLASSES:
            kind, classes = "values", ()
        elif len(classes) > MOST_CLASSES:
            raise EvidenceError(
                f"{len(classes)} different labels are not classes: {quoted(classes, 5)}"
            )
        positive = self.said.get("positive")
        if kind == "scores" and positive is None:
            positive = evident_positive(words) or (words[1] if words == ("0", "1") else None)
            if positive is None:
                raise AmbiguousEvidence([which_positive(words)])
        if kind == "values":
            seen, guessed = truth.numbers(), judge.numbers()
        else:
            seen, guessed = truth.coded(classes), judge.coded(classes)
        own = [c.coded(classes) if kind == "labels" else c.numbers() for c in models]
        return self._made(
            models=self.models,
            kind=kind,
            people=seen[None, :],
            judge=guessed[None, :],
            predictions=np.stack(own),
            classes=classes,
            positive=None if positive is None else str(positive),
            **self._roles(columns, None),
        )

    def _majority(self, columns: Columns) -> JudgedColumn:
        """Several judges of a class as one: the class most of them name, the first judge's in a tie."""
        needed = "every judge must label every item"
        judges = [columns[name].complete(needed, _JUDGES) for name in self.judges]
        words = ordered({text for cells in judges for text in cells.texts()})
        votes = np.stack([cells.coded(words) for cells in judges])
        counts = np.stack([(votes == code).sum(axis=0) for code in range(len(words))]).astype(float)
        counts[votes[0].astype(int), np.arange(votes.shape[1])] += 0.5
        return JudgedColumn(name=" + ".join(self.judges), codes=counts.argmax(axis=0), levels=words)

    def _roles(self, columns: Columns, shape: Turned | None) -> dict[str, Any]:
        """Weights, clusters, and how items were chosen, each a value per item."""

        def column(name: str, role: str) -> JudgedColumn:
            if name not in columns:
                raise _no_column(name, columns, f" for {role}=")
            return columns[name] if shape is None else columns[name].taken(shape.first)

        found: dict[str, Any] = {}
        if (name := self.said.get("weight")) is not None:
            found["weights"] = _positive_numbers(column(name, "weight"))
        cluster = self.said.get("cluster")
        if cluster is None and self.said.get("repeat") is not None:
            cluster = self._key(columns)  # repeats of an item belong together
        if cluster is not None:
            found["clusters"] = _groups(column(cluster, "cluster"), "cluster")
        told = self.said.get("id")
        keys = self._named_ids(columns)[:1] if told is None else [n for n in columns if n == told]
        if keys:
            found["ids"] = tuple(column(keys[0], "id").ids())
        return {**found, **self._choice(column)}

    def _choice(self, column: Callable[[str, str], JudgedColumn]) -> dict[str, Any]:
        """How items were chosen for people."""
        how, _, name = str(self.said.get("labelled_at", "")).partition(":")
        if how in ("", "random"):
            return {"chosen": how and "at random"}
        if how == "looking":
            raise NotApplicable(
                "items that were selected by their answers do not represent the others, and no "
                "method can correct that. Have people label items drawn at random"
            )
        if how not in ("strata", "probability") or not name:
            raise UsageError(
                f"labelled_at={self.said['labelled_at']!r} is not known: random, strata:COLUMN or probability:COLUMN"
            )
        cells = column(name, "labelled_at")
        if how == "strata":
            return {"strata": _groups(cells, "stratum"), "chosen": f"within strata of {name}"}
        return {"chances": _chances(cells), "chosen": f"with the probabilities in {name}"}

    def _lower(self) -> bool | None:
        """Which side is better, as far as it was said; that a word counts as 1 does not say it is the better one."""
        if self.said.get("losses"):
            return True
        if self.said.get("correct"):
            return False
        return self.said.get("lower_is_better")

    def _made(self, **parts: Any) -> Judged:
        made = Judged(
            sources=tuple(table.title for table in self.tables),
            columns=(", ".join(self.truths), " + ".join(self.judges)),
            lower_is_better=self._lower(),
            notes=tuple(self.notes),
            **parts,
        )
        for model in made.models:
            _check_labels(made, model)
        return made


def _some_items(value: Any, there: Any) -> Any:
    """A part of the evidence with a value per item, without those that are left out."""
    if isinstance(value, tuple):
        return tuple(one for one, kept in zip(value, there.tolist(), strict=True) if kept)
    return value[there] if isinstance(value, np.ndarray) else value


def _is_text(cells: JudgedColumn) -> bool:
    """Explanations and the like: more different words than there are classes."""
    return len(cells.levels) > MOST_CLASSES and not cells.numeric()


def _check_labels(made: Judged, model: str) -> None:
    graded = made.graded(model)
    of = f" for {model}" if made.kind == "grades" and len(made.models) > 1 else ""
    if graded.size < FEWEST:
        raise EvidenceError(
            f"people labelled {plural(graded.size, 'item')}{of} (column {made.columns[0]!r}): {FEWEST} or more are "
            "needed, and about 50 are useful"
        )
    if made.strata is not None:
        empty = np.setdiff1d(np.unique(made.strata), np.unique(made.strata[graded]))
        alone = np.flatnonzero(np.bincount(made.strata[graded]) == 1)
        if empty.size or alone.size:
            raise EvidenceError(
                f"{plural(int(empty.size + alone.size), 'stratum', 'strata')}{of} with fewer than 2 labels: label 2 "
                "or more items of every stratum, or join strata"
            )
    if made.chances is not None and np.isnan(made.chances[graded]).any():
        raise EvidenceError("some labelled item has no probability of having been chosen")


def _positive_numbers(cells: JudgedColumn) -> FloatArray:
    values = cells.numbers()
    if np.isnan(values).any() or (values <= 0.0).any():
        raise EvidenceError(f"column {cells.name!r}: weights must be positive numbers without gaps")
    return values


def _chances(cells: JudgedColumn) -> FloatArray:
    values = cells.numbers()
    known = values[~np.isnan(values)]
    if known.size == 0 or (known <= 0.0).any() or (known > 1.0).any():
        raise EvidenceError(f"column {cells.name!r}: probabilities must be above 0 and at most 1")
    return values


def _groups(cells: JudgedColumn, what: str) -> IntArray:
    """The group of every item, counted from 0."""
    return np.unique(cells.complete(f"every item needs a {what}").codes, return_inverse=True)[1]


def _no_column(name: str, columns: Iterable[str], role: str = "") -> UsageError:
    return UsageError(f"there is no column {name!r}{role}; there are {quoted(columns, 12)}")


def _which_people(names: Sequence[str]) -> Question:
    """No column was told to be people's, and nobody but the user knows whose grades are whose."""
    said = (answer(f"{name!r} does", truth=name) for name in names[:MOST])
    return question("truth", "Which column holds people's grades or labels?", *said)


def _which_models(truth: str, judge: str, left: Sequence[str]) -> Question:
    """Columns that nothing explains beside people's and the judge's."""
    are = "are not models" if len(left) > 1 else "is not a model"
    they = f"labels of items, and {quoted(left, 4)} predict{'s' if len(left) == 1 else ''} them"
    return question(
        "models",
        f"Do {truth!r} and {judge!r} grade the answers of one system, or are they labels that models predict?",
        left_out(list(left), f"grades of one system; {quoted(left, 4)} {are}"),
        the_models(left, they),
    )
