"""Several tables laid out together: what each file brings, which one has the truth, what its model is called."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.core.errors import EvidenceError, UsageError
from assay.evidence import open_questions as ask
from assay.evidence.cell_text import class_text, quoted
from assay.evidence.folders import files_apart
from assay.evidence.model_columns import ModelColumns, chosen_models, column_grammar
from assay.evidence.names import (
    KNOWN,
    is_description,
    known_as,
    names_rows,
    place_of,
    plain,
)
from assay.evidence.readers.graded_answers import leave_graded_answers
from assay.evidence.readers.item_layout import lay_out_items, lay_out_items_like
from assay.evidence.readers.layout import Layout, model_column, truth_by_name
from assay.evidence.readers.other_tables import refuse_confusion, refuse_nested
from assay.evidence.readers.score_layout import lay_out_long_scores, lay_out_scores
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.scores import KEYS


def lay_out_several(laid: Sequence[Layout], names: Sequence[str]) -> None:
    """Files of one item each row: ids and truth in each, and the columns only one of them has.

    Files of scores by data set or fold are files of one model each, or have a column that names the models.
    """
    if all(map(_is_of_scores, laid)):
        for layout in laid:
            model = model_column(layout)
            if model is None:
                lay_out_scores(layout)
            else:
                lay_out_long_scores(layout, model)
        return
    for layout in laid if laid[0].told.models is None else ():
        refuse_confusion(layout)
    graded = leave_graded_answers(laid) if laid[0].told.models is None else set()
    shared_column = _take_shared_truth(laid)
    truths = _with_truth(laid)
    for layout in laid if not truths and laid[0].told.models is None else ():
        refuse_nested(layout)
    classes = {c for one in truths for n in truth_by_name(one) for c in one.column(n).levels}
    classes |= {*(laid[0].told.listed or ())}
    shared = {n for n in _shared_descriptions(laid) - graded if class_text(n) not in classes}
    for layout, name in zip(laid, names, strict=True):
        layout.model_column = model_column(layout)
        if layout.model_column is not None:
            layout.take(layout.model_column, "model", "its cells name the models")
            layout.shape = "items by model"
        for column in shared:
            if column in layout.table.names and column not in layout.why:
                layout.take(column, "description", "it is in several files")
        _lay_out_part(layout, name, truths)
        if shared_column and not truths:
            layout.questions = ask.or_truth_in(layout.questions, [one.title for one in laid])
    _refuse_doubled(laid)


def _take_shared_truth(laid: Sequence[Layout]) -> bool:
    """Whether three or more files share one column beside ids; where one is told or called the solution, its truth."""
    told = laid[0].told
    if len(laid) < 3 or told.models or told.correct or told.losses or any(map(truth_by_name, laid)):
        return False
    own = [{n for n in one.free() if not names_rows(n)} for one in laid]
    shared = set.intersection(*own)  # of descriptions Category alone may be what is predicted
    shared = {name for name in shared if not is_description(name)} or shared
    if len(shared) == 1 and len(_solutions(laid)) == 1:
        for layout in laid:
            (layout.roles["truth"],) = shared
            layout.take(layout.roles["truth"], "truth", "in all files")
    return len(shared) == 1


def _solutions(laid: Sequence[Layout]) -> list[Layout]:
    """The file that was told to hold the truth, or those that are called so."""
    told = laid[0].told.truth
    return [one for one in laid if told in (one.title, one.table.stem)] or [
        one for one in laid if _TRUTH_FILE.fullmatch(one.table.stem or "")
    ]


def _refuse_doubled(laid: Sequence[Layout]) -> None:
    """Refuse rows that are there again in one file and not in the others: neither tries nor clusters."""
    doubled = [one for one in laid if any(q.code == "independence" for q in one.questions)]
    ids = {layout.roles.get("id") for layout in laid}
    if not doubled or len(doubled) == len(laid) or len(ids) > 1 or None in ids:
        return
    name = str(doubled[0].roles["id"])
    again = [text for text, _ in doubled[0].table.rows().repeated([name])]
    raise EvidenceError(
        f"{doubled[0].title} has rows with the same {name!r} ({quoted(again)} …), and "
        f"{next(one.title for one in laid if one not in doubled)} has not: leave out the rows that are there twice"
    )


_TRUTH_FILE = re.compile(
    r"(.*_)?(truth|groundtruth|solutions?|gold|answers?|labels?|actual|reference|y_test|y_true)(_.*)?",
    re.IGNORECASE,
)


def _with_truth(laid: Sequence[Layout]) -> list[Layout]:
    """The files that hold the truth: one, where all have nothing but ids and a column of one name."""
    truths = [layout for layout in laid if truth_by_name(layout)] or _solution_alone(laid)
    alike = {tuple(map(plain, truth_by_name(layout))) for layout in laid}
    if len(truths) < len(laid) or len(alike) > 1 or any(map(_has_prediction, laid)):
        return truths
    chosen = _solutions(laid)
    if len(chosen) != 1:
        laid[0].questions.append(ask.which_truth_file([one.title for one in laid]))
        return truths
    for name in chosen[0].free():
        if not names_rows(name) and not any(known_as(name, role) for role in KNOWN):
            chosen[0].take(name, "description", "it stands beside the truth")
    for layout in laid:
        if layout is not chosen[0] and "truth" in layout.roles:
            del layout.why[layout.roles.pop("truth")]
    return chosen


def _solution_alone(laid: Sequence[Layout]) -> list[Layout]:
    """The one file that is called solution or truth, where it has one column beside ids, whatever it is called."""
    chosen = _solutions(laid)
    own = [n for n in chosen[0].free() if not names_rows(n)] if len(chosen) == 1 else []
    if len(own) != 1 or chosen[0].told.models is not None:
        return []
    chosen[0].roles["truth"] = own[0]
    chosen[0].take(own[0], "truth", "alone in the file of the truth")
    return chosen


def _has_prediction(layout: Layout) -> bool:
    """Whether a file has a column beside ids and truth that can be a prediction."""
    truth = layout.column(truth_by_name(layout)[0])
    rest = [n for n in layout.free() if n != truth.name and not names_rows(n)]
    numbers = [n for n in rest if layout.column(n).is_numeric and not is_description(n)]
    return bool(numbers) or any(layout.column(name).levels & truth.levels for name in rest)


def _is_of_scores(layout: Layout) -> bool:
    told, free = layout.told, [*layout.free(), *layout.roles.values()]
    if truth_by_name(layout) or told.correct or told.losses or told.unit == "item":
        return False
    items = [n for n in layout.free() if names_rows(n)]
    return not items and any(place_of(name) in KEYS for name in free)


def _lay_out_part(layout: Layout, nameless: str, truths: Sequence[Layout]) -> None:
    """One file of several; its truth may stand in another."""
    told = layout.told
    own_models = [name for name in told.listed or () if name in layout.table.names]
    layout.told = replace(told, models=own_models or None)  # names of files are dealt at the end
    own = layout in truths
    named = [n for n in layout.free() if not names_rows(n) and plain(n) != "label"]
    stated = [n for n in named if column_grammar(n)[0] == ""]
    if stated and layout.model_column is None and (own or truths):
        for name in layout.free():
            known = names_rows(name) or known_as(name, "truth")
            roles = any(plain(name) in words for words in KNOWN.values())
            if name not in stated and not known and not roles:
                layout.take(name, "left out", "another column states the prediction")
    if own or not truths:
        lay_out_items(layout, nameless)
        alone = list(truths) == [layout] or not layout.left_out()
        if own and not layout.models and alone:  # a file of the truth alone
            layout.questions = [q for q in layout.questions if q.code != "models"]
    else:
        _lay_out_beside(layout, nameless, truths[0])
    layout.told = told


def _lay_out_beside(layout: Layout, nameless: str, truth: Layout) -> None:
    """A file without a truth, beside one that has it."""
    layout.values = None
    column = truth_by_name(truth)[0]
    lay_out_items_like(layout, nameless, truth.column(column))


def _shared_descriptions(laid: Sequence[Layout]) -> set[str]:
    """Columns that several files have beside what names items, truth and predictions."""
    times: dict[str, int] = {}
    for layout in laid:
        for name in layout.free():
            times[name] = times.get(name, 0) + 1
    known = {word for words in KNOWN.values() for word in words}
    shared = {
        name
        for name, count in times.items()
        if count > 1
        and plain(name) not in known
        and not names_rows(name)
        and column_grammar(name)[0] != ""
        and place_of(name) != "model"
    }
    for layout in laid:
        rest = [n for n in layout.free() if n not in shared and not names_rows(n)]
        if all(plain(name) in known for name in rest):
            return set() if len(shared) == 1 else {n for n in shared if is_description(n)}
    return shared


def names_of_files(laid: Sequence[Layout]) -> list[str]:
    """What a model is called whose columns only say ``y_pred``: the file, or the column itself."""
    names = []
    for layout, name in zip(laid, _apart([layout.table for layout in laid]), strict=True):
        free = [n for n in layout.free() if column_grammar(n)[0] == ""]
        if layout.table.stem is None:
            names.append(free[0] if len(free) == 1 else "model")
        else:
            names.append(name)
    return names


def _apart(tables: Sequence[SourceTable]) -> list[str]:
    """What files are called: their stems, and where those are equal what tells them apart."""
    names = [table.stem or "" for table in tables]
    for stem in {*names}:
        of = {p: t.path for p, t in enumerate(tables) if names[p] == stem and t.path is not None}
        for place, name in zip(of, files_apart(stem, [*of.values()]) if of else (), strict=True):
            names[place] = name
    return names


def dealt(laid: Sequence[Layout], models: Any) -> list[Layout]:
    """With several sources a mapping of models to columns is dealt to the sources that have them."""
    if not isinstance(models, Mapping):
        return list(laid)
    dealt: list[dict[str, ModelColumns]] = [{} for _ in laid]
    for model, spec in models.items():
        columns = {spec} if isinstance(spec, str) else set(_columns_in(spec))
        owners = [p for p, layout in enumerate(laid) if columns <= set(layout.table.names)]
        if len(owners) != 1:
            raise UsageError(
                f"models={{{model!r}: …}}: {quoted(sorted(columns))} is in {len(owners)} of the "
                "sources; rename columns so that it is in one"
            )
        table = laid[owners[0]].table
        dealt[owners[0]] |= chosen_models({model: spec}, table.names, {}, table.title)
    for layout, of in zip(laid, dealt, strict=True):
        layout.models = of
    return list(laid)


def _columns_in(spec: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    for column in spec.values():
        found += list(column.values()) if isinstance(column, Mapping) else [column]
    return found


def named_by_file(laid: Sequence[Layout]) -> list[Layout]:
    """A file with one model lends it its name."""
    for layout, name in zip(laid, _apart([layout.table for layout in laid]), strict=True):
        if layout.table.stem is None or layout.model_column is not None or len(layout.models) != 1:
            continue
        (columns,) = layout.models.values()
        layout.models = {name: columns}
    return list(laid)


def refuse_twins(laid: Sequence[Layout]) -> None:
    owners: dict[str, str] = {}
    for layout in laid:
        for model in layout.models if layout.model_column is None else ():
            if model in owners:
                way = f"leave the column out with ignore={model!r}, or name the models with models="
                if layout.table.stem is None:  # no file
                    way = "name them as keys of one mapping: {'a': first, 'b': second}"
                raise EvidenceError(
                    f"{owners[model]} and {layout.title} both have a model {model!r}; {way}"
                )
            owners[model] = layout.title
