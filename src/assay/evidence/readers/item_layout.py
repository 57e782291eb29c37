"""Tables of items: which columns are ids, the truth and models, and which describe the items."""

import math
from collections.abc import Collection, Sequence

import numpy as np

from assay.core.checks import FloatArray
from assay.core.measure_names import better_side, needs_truth
from assay.evidence import open_questions as ask
from assay.evidence.cells import class_text, is_missing, quoted
from assay.evidence.names import (
    DESCRIPTIONS,
    KNOWN,
    RIGHT,
    SPLIT_WORDS,
    SPLITS,
    TESTED,
    Role,
    is_baseline,
    is_description,
    is_model_name,
    is_nameless,
    plain,
    right_model,
    spread_of,
)
from assay.evidence.profile import Profile
from assay.evidence.readers.layout import Layout, Values, first_nameless, truth_by_name
from assay.evidence.roles import (
    ModelColumns,
    chosen_models,
    column_grammar,
    parse_columns,
)

ENTITIES = frozenset({
    "patient", "patient_id", "subject", "subject_id", "user", "user_id", "customer", "customer_id",
    "doc", "document", "document_id", "speaker", "author", "account", "account_id", "session",
    "session_id", "conversation", "conversation_id", "participant", "person", "video", "client",
})  # fmt: skip
"""Names of what several rows may belong to, which then are not independent."""

FEWEST = 20
"""With fewer rows nothing is concluded from how a column goes with the truth."""
HEAVY = 10.0
"""A median above this is a body's weight rather than an importance."""
FEW_GROUPS = 6
"""A column called group with fewer values describes treatments; with more it names clusters."""


def lay_out_items(layout: Layout, nameless: str) -> None:
    """Roles and models of a table with a row per item (and model, in long form)."""
    _take_rows(layout)
    _take_truth(layout)
    _take_ids(layout)
    _take_roles(layout)
    if layout.roles.get("truth") is None:
        lay_out_values(layout, nameless)
    else:
        _take_models(layout, nameless)


def _take_rows(layout: Layout) -> None:
    """Ask which rows count where some were trained on."""
    for name in layout.free():
        if plain(name) not in SPLITS or layout.column(name).is_numeric:
            continue
        words = layout.table.all_words(name)
        if {plain(word) for word in words} <= SPLIT_WORDS and words:
            layout.take(name, "description", "says which rows were trained on")
            if len(words) > 1:
                words.sort(key=lambda word: plain(word) not in TESTED)
                layout.questions.append(ask.which_rows(layout.title, name, words))


def _take_truth(layout: Layout) -> None:
    if "truth" in layout.roles:
        return
    found = truth_by_name(layout)
    if layout.model_column is not None:
        found = [name for name in found if not _is_answer(layout, name)]
    if len(found) > 1:
        layout.questions.append(ask.which_truth(layout.title, found))
    if len(found) == 1:
        layout.roles["truth"] = found[0]
        layout.take(found[0], "truth", "its name")


def _is_answer(layout: Layout, name: str) -> bool:
    """In long form ``label`` is the prediction if there is another truth or no other prediction."""
    lowered = {plain(other) for other in layout.table.names}
    others = (set(KNOWN["truth"]) - {"label"}) & lowered
    predictions = {n for n in lowered if n != "label" and column_grammar(n)[0] == ""}
    return plain(name) == "label" and bool(others or not predictions)


def _take_ids(layout: Layout) -> None:
    """The column of ids, and whether values of it, or of another entity, come again."""
    told, model = layout.told, layout.model_column
    known = [n for n in layout.free() if plain(n) in KNOWN["id"] or plain(n) in ENTITIES]
    index = first_nameless(layout)
    known += [index] if index is not None and index not in known else []
    unique = [name for name in known if _once(layout, name)]
    if "id" not in layout.roles:
        best = sorted(unique or known, key=lambda name: (is_nameless(name), known.index(name)))
        if best and not (is_nameless(best[0]) and not unique):
            layout.roles["id"] = best[0]
            layout.take(best[0], "id", "its name")
    for name in known:
        layout.take(
            *(
                (name, "id", "its name")
                if name == layout.roles.get("id")
                else (name, "description", "its name")
            )
        )
    if told.cluster or told.repeat or told.id is False:
        return
    again = [
        name
        for name in known
        if not is_nameless(name)
        and not _once(layout, name)
        and (name == layout.roles.get("id") or plain(name) in ENTITIES)
        and not layout.column(name).is_constant
    ]
    repeats = [n for n in layout.free() if plain(n) in KNOWN["repeat"]]
    if again and not (repeats and again == [layout.roles.get("id")]):
        others = [n for n in layout.free() if n != model and _tells_apart(layout, again[0], n)]
        layout.questions.append(ask.what_of_repeats(layout.title, again[0], others))


def _once(layout: Layout, name: str) -> bool:
    """Whether a value of a column comes once, for each model in long form."""
    if layout.model_column is None:
        return layout.column(name).is_unique
    models = layout.column(layout.model_column).cells
    pairs = list(zip(map(class_text, layout.column(name).cells), map(str, models), strict=True))
    return len(set(pairs)) == len(pairs)


def _tells_apart(layout: Layout, item: str, other: str) -> bool:
    """Whether a column numbers or names the rows of one item."""
    if layout.column(other).is_numeric and not layout.column(other).is_whole:
        return False
    names = [item, other, *([layout.model_column] if layout.model_column else [])]
    rows = list(zip(*(map(class_text, layout.column(n).cells) for n in names), strict=True))
    return len(set(rows)) == len(rows)


def _take_roles(layout: Layout) -> None:
    """Weights, counts, clusters, folds and repeats that are known by their names."""
    roles: tuple[Role, ...] = ("weight", "count", "cluster", "fold", "repeat")
    for role in roles:
        known = [name for name in layout.free() if plain(name) in KNOWN[role]]
        if role in layout.roles or not known:
            continue
        known.sort(key=lambda name: plain(name) == "seed")  # a repeat column says more
        name = known[0]
        if not _fits(layout, role, layout.column(name)):
            layout.take(name, "description", "its values")
            continue
        layout.roles[role] = name
        layout.take(name, role, "its name")
        for other in known[1:]:
            layout.take(other, "description", "its name")


def _fits(layout: Layout, role: Role, column: Profile) -> bool:
    if role == "weight":
        return column.is_numeric and float(np.median(column.finite)) <= HEAVY
    if role == "cluster":
        return len(column.levels) >= FEW_GROUPS or plain(column.name) not in ("group", "group_id")
    if role == "repeat" and plain(column.name) not in ("repeat", "repetition", "rep", "seed"):
        return "id" in layout.roles and not column.is_unique
    return True


def _take_models(layout: Layout, nameless: str) -> None:
    """The columns that are predictions of the truth."""
    truth = layout.column(layout.roles["truth"])
    classes = truth.levels if len(truth.levels) <= len(truth.cells) else frozenset()
    if layout.model_column is not None:
        _take_long(layout, classes)
        return
    if layout.told.models is not None:
        found = parse_columns(layout.free(), classes, nameless)
        layout.models = chosen_models(layout.told.models, layout.table.names, found, layout.title)
    else:
        chosen = _predictions(layout, truth)
        layout.models = parse_columns(chosen, classes, nameless)
    why = "told" if layout.told.models is not None else "on the truth's scale"
    for model, columns in layout.models.items():
        for name in columns.used():
            layout.take(name, "model", f"predictions of {model!r}; {why}")
    for name in layout.free():
        layout.take(
            name,
            "left out",
            "told" if layout.told.models is not None else "no prediction of the truth",
        )


def _predictions(layout: Layout, truth: Profile) -> list[str]:
    """The columns on the truth's scale; a question where one may be something else."""
    kinds = {name: _kind(layout, layout.column(name), truth) for name in layout.free()}
    certain = [name for name, kind in kinds.items() if kind == "stated"]
    labels = [name for name, kind in kinds.items() if kind == "labels"]
    scores = [name for name, kind in kinds.items() if kind == "scores"]
    values = [name for name, kind in kinds.items() if kind == "values"]
    other = [name for name, kind in kinds.items() if kind == "numbers"]
    likely = [*certain, *(labels or values or scores)]
    beside = [] if not (labels and scores) else scores
    unsure = [*beside, *(other if not labels and not certain else [])]
    if likely and not unsure and not layout.table.deliberate:
        strange = [n for n in likely if n not in certain and not is_model_name(n)]
        weak = [name for name in strange if not _informative(truth, layout.column(name))]
        if weak:
            why = f"{quoted(weak)} {'does' if len(weak) == 1 else 'do'} no better than chance."
            rest = [name for name in likely if name not in weak]
            layout.questions.append(ask.which_models(layout.title, truth.name, weak, rest, why))
    if unsure and layout.table.deliberate:
        likely, unsure = [*likely, *unsure], []
    if unsure or not likely:
        why = f"{quoted(unsure)} may be something else." if unsure else "None looks like one."
        unsure = unsure or [n for n in layout.free() if layout.column(n).levels & truth.levels]
        layout.questions.append(ask.which_models(layout.title, truth.name, unsure, likely, why))
    order = {name: place for place, name in enumerate(layout.table.names)}
    return sorted(likely, key=order.__getitem__)


def _kind(layout: Layout, column: Profile, truth: Profile) -> str:
    """What a column can be beside the truth: labels, scores, values or no prediction at all."""
    name = column.name
    model, kind, sure = column_grammar(name, truth.levels)
    if sure and (model != name or kind != "bare"):
        return "stated"
    if spread_of(name, layout.table.names) is not None:
        layout.take(name, "spread", "its name")
        return ""
    if is_description(name) and not (layout.table.deliberate and column.levels <= truth.levels):
        layout.take(name, "description", "its name")
        return ""
    if not column.present:
        layout.take(name, "left out", "it is empty")
        return ""
    if column.is_constant and not (layout.table.deliberate or is_baseline(name)):
        layout.take(name, "description", "it has one value")
        return ""
    return _kind_by_values(layout, column, truth)


def _kind_by_values(layout: Layout, column: Profile, truth: Profile) -> str:
    is_value = truth.is_numeric and not _is_classes(truth, layout)
    if is_value:
        if not column.is_numeric or (column.is_unique and column.is_whole and not truth.is_whole):
            layout.take(column.name, "description", "its values are not on the truth's scale")
            return ""
        return "values"
    if column.levels <= truth.levels or (column.levels & truth.levels and not column.is_numeric):
        return "labels"
    if column.is_numeric and column.is_whole and truth.is_numeric and len(truth.levels) > 2:
        return "labels" if column.levels & truth.levels else _off_scale(layout, column)
    if column.is_numeric and len(truth.levels) <= 2:
        if column.is_unique and column.is_whole:
            return _off_scale(layout, column)
        return "scores" if column.in_unit else "numbers"
    return _off_scale(layout, column)


def _off_scale(layout: Layout, column: Profile) -> str:
    layout.take(column.name, "description", "its values are not on the truth's scale")
    return ""


def _is_classes(truth: Profile, layout: Layout) -> bool:
    """Whether a truth of numbers holds classes: few whole numbers, predicted by such numbers."""
    if not truth.is_whole:
        return False
    if len(truth.levels) <= 2:
        return True
    few = len(truth.levels) <= 20 or len(truth.levels) * 10 <= len(truth.cells)
    columns = [layout.column(name) for name in layout.free() if layout.column(name).is_numeric]
    if not few:
        return bool(columns) and all(column.levels <= truth.levels for column in columns)
    return (
        any(column.is_whole and column.levels & truth.levels for column in columns) or not columns
    )


def _informative(truth: Profile, column: Profile) -> bool:
    """Whether a column goes with the truth more than chance would have it."""
    pairs = [
        (a, b)
        for a, b in zip(truth.cells, column.cells, strict=True)
        if not is_missing(a) and not is_missing(b)
    ]
    n = len(pairs)
    if n < FEWEST or column.is_constant:
        return True
    if column.levels <= truth.levels or not column.is_numeric:
        texts = [(class_text(a), class_text(b)) for a, b in pairs]
        first, second = zip(*texts, strict=True)
        chance = sum(first.count(c) * second.count(c) for c in set(first)) / n**2
        agreed = sum(a == b for a, b in texts) / n
        return agreed - chance > 2.0 * math.sqrt(chance * (1.0 - chance) / n)
    values = np.array([float(b) if not isinstance(b, str) else _float(b) for _, b in pairs])
    if truth.is_numeric and len(truth.levels) > 2:
        targets = np.array([_float(a) for a, _ in pairs])
        return abs(_correlation(targets, values)) > 2.0 / math.sqrt(n)
    positive = np.array([class_text(a) == max(truth.levels) for a, _ in pairs])
    return abs(_correlation(positive.astype(float), _ranks(values))) > 2.0 / math.sqrt(n)


def _float(cell: object) -> float:
    try:
        return float(str(cell))
    except (TypeError, ValueError):
        return math.nan


def _ranks(values: FloatArray) -> FloatArray:
    return np.argsort(np.argsort(values)).astype(float)


def _correlation(a: FloatArray, b: FloatArray) -> float:
    kept = np.isfinite(a) & np.isfinite(b)
    a, b = a[kept] - a[kept].mean(), b[kept] - b[kept].mean()
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if scale else 0.0


def _take_long(layout: Layout, classes: Collection[str]) -> None:
    """In long form the columns that say what they hold are the predictions."""
    stated = [n for n in layout.free() if column_grammar(n)[0] == "" or _class_of(n, classes)]
    layout.models = parse_columns(stated, classes, "")
    layout.models = {model: of for model, of in layout.models.items() if model == ""}
    for columns in layout.models.values():
        for name in columns.used():
            layout.take(name, "prediction", "its name")
    if not layout.models:
        free = [n for n in layout.free() if not is_description(n)]
        if len(free) == 1:
            layout.models = {"": ModelColumns(bare=free[0])}
            layout.take(free[0], "prediction", "no other column is left")
        else:
            layout.questions.append(
                ask.which_models(layout.title, None, free, [], "None is called prediction.")
            )
    for name in layout.free():
        layout.take(name, "description", "no prediction by its name")


def _class_of(name: str, classes: Collection[str]) -> bool:
    return "" in parse_columns([name], classes, "")


def lay_out_values(layout: Layout, nameless: str) -> None:
    """Items without a truth: numbers that are right answers, losses or scores of models."""
    layout.values = _told_values(layout)
    shared = classes_in_common(layout)
    candidates = _value_columns(layout)
    if layout.model_column is not None:
        _take_one_value(layout, candidates)
        return
    if shared and not candidates:
        layout.questions.append(ask.which_truth(layout.title, shared))
        return
    stated = [n for n in candidates if column_grammar(n)[1] == "labels" and column_grammar(n)[2]]
    if stated and layout.values is None:  # predictions, so one of the others is their truth
        others = [n for n in candidates if n not in stated]
        others.sort(key=lambda n: not layout.column(n).levels & layout.column(stated[0]).levels)
        layout.questions.append(ask.which_truth(layout.title, others or candidates))
        return
    _settle_values(layout, candidates)
    told = layout.told.models
    found = _by_model(layout.free() if told is not None else candidates, nameless)
    if told is not None:
        found = chosen_models(told, layout.table.names, found, layout.title)
    layout.models = {model: _as_losses(of) for model, of in found.items()}
    for model, columns in layout.models.items():
        for name in columns.used():
            layout.take(name, "model", f"values of {model!r}")
    for name in layout.free():
        layout.take(name, "left out", "told" if told is not None else "no number of a model")


def classes_in_common(layout: Layout) -> list[str]:
    """Columns of words that share classes: one of them is the truth of the others."""
    words = [
        name
        for name in layout.free()
        if not layout.column(name).is_numeric
        and not layout.column(name).is_binary
        and plain(name) not in DESCRIPTIONS
        and not layout.column(name).is_unique
    ]
    return [
        name
        for name in words
        if any(layout.column(name).levels & layout.column(n).levels for n in words if n != name)
    ]


def _by_model(names: Sequence[str], nameless: str) -> dict[str, ModelColumns]:
    """The columns of each model; opus_correct and correct_opus are those of opus."""
    found: dict[str, ModelColumns] = {}
    for name in names:
        right = right_model(name)
        if right is None:
            (model,) = parse_columns([name], (), nameless)
        else:
            model = right or nameless
        found[name if model in found else model] = ModelColumns(losses=name)
    return found


def _as_losses(columns: ModelColumns) -> ModelColumns:
    """Numbers by item, whatever the grammar of names made of them."""
    used = columns.used()
    return ModelColumns(losses=used[0]) if len(used) == 1 else columns


def _told_values(layout: Layout) -> Values | None:
    told = layout.told
    if told.correct:
        return "right"
    if told.losses:
        return "losses"
    side = better_side(told.measure) if told.measure else None
    if side is not None and needs_truth(str(told.measure)):
        columns = [layout.column(n) for n in layout.free() if not is_description(n)]
        if not all(column.is_binary for column in columns if column.is_numeric):
            side = None  # the truth is one of the columns
    if told.lower_is_better is None and side is None:
        return None
    lower = told.lower_is_better if told.lower_is_better is not None else side == "lower"
    return "losses" if lower else "gains"


def _value_columns(layout: Layout) -> list[str]:
    """The columns of numbers that may be values of models."""
    if layout.told.models is not None and layout.model_column is None:
        return [n for n in layout.told.listed or () if n in layout.table.names]
    found = []
    for name in layout.free():
        column = layout.column(name)
        if spread_of(name, layout.table.names) is not None:
            layout.take(name, "spread", "its name")
        elif is_description(name) and plain(name) not in RIGHT and not _measured(layout, name):
            layout.take(name, "description", "its name")
        elif (column.is_numeric or column.is_binary) and not (
            column.is_unique and column.is_whole and len(column.cells) > 2
        ):
            if column.is_constant and not (layout.table.deliberate or column.is_binary):
                layout.take(name, "description", "it has one value")
            else:
                found.append(name)
    return found or _costs_of_models(layout)


def _costs_of_models(layout: Layout) -> list[str]:
    """Columns such as old_ms and new_ms, which are values where there are no others."""
    named = [
        name
        for name, (role, why) in layout.why.items()
        if (role, why) == ("description", "its name") and plain(name) not in DESCRIPTIONS
    ]
    costs = [
        name for name in named if layout.column(name).is_numeric and plain(name) not in KNOWN["id"]
    ]
    for name in costs if len(costs) > 1 else ():
        del layout.why[name]
    return costs if len(costs) > 1 else []


def _measured(layout: Layout, name: str) -> bool:
    """Whether a long table's column holds the measure that was asked for."""
    return layout.model_column is not None and layout.told.measure == name


def _settle_values(layout: Layout, candidates: Sequence[str]) -> None:
    """Say what the numbers are by the names of their columns, or ask."""
    if not candidates:
        every = [n for n in layout.table.names if layout.column(n).present]
        layout.questions.append(
            ask.which_models(layout.title, None, every, [], "None looks like values of a model.")
        )
        return
    binary = [name for name in candidates if layout.column(name).is_binary]
    if layout.values is None:
        if {column_grammar(name)[1] for name in candidates} == {"losses"}:
            layout.values = "losses"
        elif all(right_model(name) is not None for name in candidates):
            layout.values = "gains"
    if 0 < len(binary) < len(candidates):
        rest = [name for name in candidates if name not in binary]
        if layout.told.models is None:
            why = f"{quoted(binary)} hold 0 and 1, {quoted(rest)} other numbers."
            layout.questions.append(ask.which_models(layout.title, None, rest, binary, why))
    if layout.values == "gains" and len(binary) == len(candidates):
        layout.values = "right"
    if layout.values is None:
        truths = candidates
        layout.questions.append(
            ask.which_values(
                layout.title, candidates, binary=len(binary) == len(candidates), truths=truths
            )
        )


def _take_one_value(layout: Layout, candidates: Sequence[str]) -> None:
    """The one column of values of a table that names the model in another."""
    named = [n for n in candidates if plain(n) in RIGHT or better_side(n) is not None]
    asked = [n for n in candidates if layout.told.measure == n]
    chosen = asked or named or list(candidates)
    if len(chosen) > 1:
        layout.questions.append(ask.which_measure(layout.title, chosen))
    if not chosen:
        layout.questions.append(
            ask.which_models(
                layout.title, None, [], [], "No column of numbers stands beside the model."
            )
        )
        return
    name = chosen[0]
    column = layout.column(name)
    if layout.values is None:
        side = "higher" if plain(name) in RIGHT else better_side(name)
        layout.values = None if side is None else "losses" if side == "lower" else "gains"
    if layout.values == "gains" and column.is_binary:
        layout.values = "right"
    if layout.values is None:
        layout.questions.append(
            ask.which_values(layout.title, [name], binary=column.is_binary, truths=[])
        )
    layout.measure = name
    layout.models = {"": ModelColumns(losses=name)}
    layout.take(name, "values", "its name" if named or asked else "the only numbers")
    for other in layout.free():
        layout.take(other, "description", "no values of models")
