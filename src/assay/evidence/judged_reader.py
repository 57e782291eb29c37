"""From tables with people's and a judge's columns to evidence: which column is what, joined and checked."""

import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.questions import AmbiguousEvidence, Answer, Question
from assay.evidence.cell_text import ordered, plural, quoted
from assay.evidence.judged import FEWEST, Judged, Kind, names_of
from assay.evidence.judged_columns import (
    Cells,
    Columns,
    Turned,
    check_repeated,
    id_name,
    join_people,
    joined,
    load,
    mean_of,
    model_column,
    paired_ids,
    shared_names,
    turned,
)
from assay.evidence.judged_words import word_values
from assay.evidence.names import evident_positive, is_description, known_as
from assay.evidence.open_questions import which_positive
from assay.evidence.readers.source_tables import Table

MOST_CLASSES = 50


class JudgedReader:
    """One reading: tables become columns, columns get their parts, parts become evidence."""

    def __init__(
        self,
        tables: Sequence[Table],
        said: dict[str, Any],
        truths: tuple[str, ...],
        judges: tuple[str, ...],
    ) -> None:
        self.tables, self.said = tables, said
        self.truths, self.judges = truths, judges
        self.models = names_of(said.get("models"))
        self.strict = said.get("on_mismatch", "error") != "intersect"

    def read(self) -> Judged:
        loaded = [(table, load(table)) for table in self.tables]
        for _, columns in loaded:
            join_people(columns, self.truths, predicted=bool(self.models))
        self._check_named(loaded)
        mains = [(t, c) for t, c in loaded if all(name in c for name in self.judges)]
        if len(mains) > 1:
            return self._file_per_model(mains, [one for one in loaded if one not in mains])
        (table, columns), others = mains[0], [one for one in loaded if one[1] is not mains[0][1]]
        kept = {
            name: cells
            for name, cells in columns.items()
            if name not in names_of(self.said.get("ignore"))
        }
        naming = model_column(kept) if len(self.truths) == len(self.judges) == 1 else None
        if naming is not None and others:
            columns = self._join_long(table, columns, naming, others)
        else:
            for other, more in others:
                columns = self._join(table, columns, other, more)
        self._check_people(columns)
        if naming is not None:
            return self._long(columns, naming)
        if len(self.truths) > 1:
            return self._grades_by_column(columns)
        return self._one_truth(table, columns)

    # ── which column is what ──

    def _check_named(self, loaded: list[tuple[Table, Columns]]) -> None:
        every = list(dict.fromkeys(name for _, columns in loaded for name in columns))
        if not self.truths:
            gappy = [
                n
                for _, c in loaded
                for n, cells in c.items()
                if 0 < cells.missing < cells.codes.size
            ]
            raise AmbiguousEvidence([_which("truth", "people's grades or labels", gappy or every)])
        for name in (*self.truths, *self.judges):
            if name not in every:
                raise UsageError(f"there is no column {name!r}; there are {quoted(every, 12)}")
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

    def _join(self, table: Table, columns: Columns, other: Table, more: Columns) -> Columns:
        told = self.said.get("id")
        key, other_key = id_name(columns, told, table.title), id_name(more, told, other.title)
        return joined(
            columns,
            more,
            key=key,
            other_key=other_key,
            titles=(table.title, other.title),
            strict=self.strict,
        )

    def _join_long(
        self, table: Table, columns: Columns, naming: str, others: list[tuple[Table, Columns]]
    ) -> Columns:
        """Labels by item and model, for a table that has a row for each of them."""
        for other, more in others:
            if naming not in more:
                raise UsageError(
                    f"{table.title} has a row per item and model, and {other.title} no column {naming!r}: a label "
                    "must say whose answer it grades"
                )
            told = self.said.get("id")
            keys = id_name(columns, told, table.title), id_name(more, told, other.title)
            both = tuple(
                {**c, "assay pair": paired_ids(c[key], c[naming])}
                for c, key in zip((columns, more), keys, strict=True)
            )
            right = {n: c for n, c in both[1].items() if n not in (naming, keys[1])}
            columns = joined(
                both[0], right, key="assay pair", other_key="assay pair", titles=(table.title, other.title),
                strict=self.strict,
            )  # fmt: skip
            columns.pop("assay pair")
        return columns

    # ── the four shapes ──

    def _file_per_model(
        self, mains: list[tuple[Table, Columns]], others: list[tuple[Table, Columns]]
    ) -> Judged:
        """Each file grades one model's answers; items are joined by id."""
        if others or len(self.truths) != 1 or len(self.judges) != 1:
            raise UsageError(
                "several files have the judge's column, so each grades one model. Put people's "
                "labels into the same files, or everything into one table with the columns id, "
                "model, judge and people"
            )
        names = self.models or tuple(t.stem or f"model {p + 1}" for p, (t, _) in enumerate(mains))
        if len(names) != len(mains) or len(set(names)) != len(names):
            raise UsageError(
                f"{len(mains)} files need {len(mains)} different names of models: models="
            )
        (table, columns), *rest = mains
        self._check_people(columns)
        key = id_name(columns, self.said.get("id"), table.title)
        wanted = (*self.truths, *self.judges)
        merged = {**columns, **{f"{names[0]} {n}": columns[n] for n in wanted}}
        for name, (other, more) in zip(names[1:], rest, strict=True):
            self._check_people(more)
            other_key = id_name(more, self.said.get("id"), other.title)
            part = {other_key: more[other_key], **{f"{name} {n}": more[n] for n in wanted}}
            merged = joined(
                merged,
                part,
                key=key,
                other_key=other_key,
                titles=(table.title, other.title),
                strict=self.strict,
            )
        people = [merged[f"{name} {self.truths[0]}"] for name in names]
        judge = [merged[f"{name} {self.judges[0]}"] for name in names]
        return self._grades(merged, names, people, judge)

    def _long(self, columns: Columns, naming: str) -> Judged:
        key = id_name(columns, self.said.get("id"), "the table")
        shape = turned(columns, naming, key, self.models or None)
        if len(shape.models) > 1 and ((shape.rows >= 0).sum(axis=0) == 1).all():
            raise EvidenceError(
                f"every item has an answer from one model only (column {naming!r}), so models "
                "cannot be compared item by item. Judge one model with "
                f"where={f'{naming}={shape.models[0]}'!r}, or all answers together with "
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
        names = self.models or shared_names(self.truths, self.judges)
        if names is None or len(names) != len(self.truths):
            raise UsageError("name the models in the order of their columns: models=")
        people, judge = ([columns[n] for n in found] for found in (self.truths, self.judges))
        return self._grades(columns, names, people, judge)

    def _one_truth(self, table: Table, columns: Columns) -> Judged:
        """Predictions of models, or grades of one system where no column is left to be a prediction."""
        if self.models:
            absent = [name for name in self.models if name not in columns]
            if not absent:
                return self._predictions(columns)
            if len(self.models) > 1:
                raise UsageError(
                    f"there is no column {absent[0]!r}; there are {quoted(list(columns), 12)}"
                )
        used = self._used(columns)
        left = [name for name in columns if name not in used and not is_description(name)]
        if left and not self.models:
            raise AmbiguousEvidence([_which_models(self.truths[0], self.judges[0], left)])
        check_repeated(columns, self.said, names_of(self.said.get("ignore")))
        name = self.models[0] if self.models else table.stem or "the system"
        judge = [self._panel(columns)]
        return self._grades(columns, (name,), [columns[self.truths[0]]], judge)

    def _used(self, columns: Columns) -> set[str]:
        """Columns that have a part, or are named as having none."""
        told = {self.said.get(role) for role in ("id", "cluster", "weight", "repeat")}
        _, _, chosen = str(self.said.get("labelled_at", "")).partition(":")
        by_name = set()
        if self.said.get("id") is None:
            by_name = {name for name in columns if known_as(name, "id")}
        ignored = set(names_of(self.said.get("ignore")))
        return {
            *self.truths,
            *self.judges,
            *by_name,
            *ignored,
            chosen,
            *(str(t) for t in told if t),
        }

    # ── making the evidence ──

    def _panel(self, columns: Columns) -> Cells:
        """Several judges as one: the mean of their grades."""
        if len(self.judges) == 1:
            return columns[self.judges[0]]
        gaps = [name for name in self.judges if columns[name].missing]
        if gaps:
            raise EvidenceError(
                f"the judge's column {gaps[0]!r} has {plural(columns[gaps[0]].missing, 'gap')}: every judge must grade "
                "every item. Leave it out, or drop those items with where="
            )
        return mean_of(" + ".join(self.judges), [columns[name] for name in self.judges])

    def _grades(
        self,
        columns: Columns,
        models: tuple[str, ...],
        people: list[Cells],
        judge: list[Cells],
        shape: Turned | None = None,
    ) -> Judged:
        people_values, judge_values = self._numbers(people, judge)
        gaps = np.isnan(judge_values).sum()
        if gaps:
            raise EvidenceError(
                f"the judge's column {judge[0].name!r} has {plural(int(gaps), 'gap')}: it must grade every item. Drop "
                "those items with where=, or have them judged"
            )
        roles = self._roles(columns, shape)
        return self._made(
            models=models, kind="grades", people=people_values, judge=judge_values, **roles
        )

    def _numbers(self, people: list[Cells], judge: list[Cells]) -> tuple[FloatArray, FloatArray]:
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
            if cells.missing:
                raise EvidenceError(
                    f"column {cells.name!r} has {plural(cells.missing, 'gap')}: every item needs a value"
                )
        words = ordered({text for cells in (truth, judge) for text in cells.texts()})
        numeric = all(cells.numeric() for cells in (truth, judge, *models))
        kind: Kind = "labels"
        classes: tuple[str, ...] = ordered(
            {*words, *(t for cells in models for t in cells.texts())}
        )
        if numeric and len(words) == 2 and not set(classes) <= set(words):
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

    def _majority(self, columns: Columns) -> Cells:
        """Several judges of a class as one: the class most of them name, the first judge's in a tie."""
        if len(self.judges) == 1:
            return columns[self.judges[0]]
        words = ordered({text for name in self.judges for text in columns[name].texts()})
        votes = np.stack([columns[name].coded(words) for name in self.judges])
        if np.isnan(votes).any():
            raise EvidenceError(
                "some item lacks the label of a judge: every judge must label every item"
            )
        counts = np.stack([(votes == code).sum(axis=0) for code in range(len(words))]).astype(float)
        counts[votes[0].astype(int), np.arange(votes.shape[1])] += 0.5
        return Cells(name=" + ".join(self.judges), codes=counts.argmax(axis=0), levels=words)

    def _roles(self, columns: Columns, shape: Turned | None) -> dict[str, Any]:
        """Weights, clusters, and how items were chosen, each a value per item."""

        def column(role: str, name: str) -> Cells:
            if name not in columns:
                raise UsageError(
                    f"there is no column {name!r} for {role}; there are {quoted(list(columns), 12)}"
                )
            return columns[name] if shape is None else columns[name].taken(shape.first)

        found: dict[str, Any] = {}
        if (name := self.said.get("weight")) is not None:
            found["weights"] = _positive_numbers(column("weight=", name))
        cluster = self.said.get("cluster")
        if cluster is None and self.said.get("repeat") is not None:
            cluster = id_name(
                columns, self.said.get("id"), "the table"
            )  # repeats of an item belong together
        if cluster is not None:
            cells = column("cluster=", cluster)
            if cells.missing:
                raise EvidenceError(
                    f"column {cluster!r} has {plural(cells.missing, 'gap')}: every item needs a cluster"
                )
            found["clusters"] = np.unique(cells.codes, return_inverse=True)[1]
        keys = [name for name in columns if name == self.said.get("id")] or [
            name for name in columns if self.said.get("id") is None and _is_id(name)
        ][:1]
        if keys:
            found["ids"] = tuple(column("id=", keys[0]).ids())
        return {**found, **self._choice(column)}

    def _choice(self, column: Any) -> dict[str, Any]:
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
        cells = column("labelled_at=", name)
        if how == "strata":
            if cells.missing:
                raise EvidenceError(
                    f"column {name!r} has {plural(cells.missing, 'gap')}: every item needs a stratum"
                )
            return {
                "strata": np.unique(cells.codes, return_inverse=True)[1],
                "chosen": f"within strata of {name}",
            }
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
            **parts,
        )
        for model in made.models:
            _check_labels(made, model)
        return made


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


def _positive_numbers(cells: Cells) -> FloatArray:
    values = cells.numbers()
    if np.isnan(values).any() or (values <= 0.0).any():
        raise EvidenceError(f"column {cells.name!r}: weights must be positive numbers without gaps")
    return values


def _chances(cells: Cells) -> FloatArray:
    values = cells.numbers()
    known = values[~np.isnan(values)]
    if known.size == 0 or (known <= 0.0).any() or (known > 1.0).any():
        raise EvidenceError(f"column {cells.name!r}: probabilities must be above 0 and at most 1")
    return values


def _is_id(name: str) -> bool:
    return known_as(name, "id")


def _which(option: str, what: str, names: Sequence[str]) -> Question:
    return Question(
        code=option,
        text=f"Which column holds {what}?",
        answers=tuple(
            Answer(
                text=f"{name!r} does",
                option=f"--{option} {shlex.quote(name)}",
                arguments={option: name},
            )
            for name in names[:6]
        ),
    )


def _which_models(truth: str, judge: str, left: Sequence[str]) -> Question:
    names = shlex.quote(",".join(left))
    are = "are not models" if len(left) > 1 else "is not a model"
    return Question(
        code="models",
        text=f"Do {truth!r} and {judge!r} grade the answers of one system, or are they labels that models predict?",
        answers=(
            Answer(
                text=f"grades of one system; {quoted(left, 4)} {are}",
                option=f"--ignore {names}",
                arguments={"ignore": list(left)},
            ),
            Answer(
                text=f"labels of items, and {quoted(left, 4)} predict{'s' if len(left) == 1 else ''} them",
                option=f"--models {names}",
                arguments={"models": list(left)},
            ),
        ),
    )
