"""Tables of items: which columns are ids, the truth and models, and which describe the items."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from assay.evidence import open_questions as ask
from assay.evidence.cell_questions import which_codes, which_scale
from assay.evidence.cell_text import class_text, ordered, quoted
from assay.evidence.model_columns import (
    ModelColumns,
    chosen_models,
    column_grammar,
    is_prediction_of,
    parse_columns,
)
from assay.evidence.names import (
    KNOWN,
    Role,
    is_description,
    is_model_name,
    is_nameless,
    is_rater,
    known_as,
    names_raters,
    place_of,
    plain,
    says_truth,
    truth_stem,
)
from assay.evidence.profile import Profile
from assay.evidence.readers.class_chances import class_chances
from assay.evidence.readers.doubts import mixed_scales
from assay.evidence.readers.item_ids import leave_factors, take_ids
from assay.evidence.readers.layout import FEWEST_NAMED, Layout, take_parts, truth_by_name
from assay.evidence.readers.prediction_kinds import (
    FEWEST,
    ask_about_training,
    correlation,
    describes,
    informative,
    kind_of,
)
from assay.evidence.readers.score_direction import check_direction, told_scores
from assay.evidence.readers.value_layout import lay_out_values

GOES_WITH, FAR = 0.7, 2.0
"""Correlation of predictions in other units, and their squared error in variances of the truth."""
HEAVY = 10.0
"""A median above this is a body's weight rather than an importance."""
COUNTED = frozenset(
    {
        "n",
        "num",
        "number",
        "cases",
        "items",
        "total",
        "size",
        "n_items",
        "anzahl",
        "nombre",
        "haufigkeit",
        "effectif",
    }
    | {
        "cantidad",
        "conteggio",
        "frequenza",
        "frecuencia",
        "frequence",
        "aantal",
        "antal",
        "quantidade",
        "liczba",
    }
)
"""Names of how many items a row stands for, where it is a pattern of classes."""
MOST_ALIKE = 50
"""Classes that columns have in common which may be a truth and its predictions."""
MOST_GRADES = 10
"""Whole numbers from 1 to this are grades of readers, and no probabilities in per cent."""
ANSWERS = ("answer", "response", "output", "completion")
"""Names of what a model said, which is its prediction where it is one of the classes."""
FEW_GROUPS = 6
"""A column called group with fewer values describes treatments; with more it names clusters."""


def lay_out_items(layout: Layout, nameless: str) -> None:
    """Roles and models of a table with a row per item (and model, in long form)."""
    if "truth" not in layout.roles:
        _take_truth(layout)
    measures = _take_measure(layout) if any(map(place_of, layout.free())) else []
    take_ids(layout)
    _take_roles(layout)
    if layout.roles.get("truth") is None:
        lay_out_values(layout, nameless)
    else:
        _take_models(layout, nameless)
    if len(measures) > 1:  # rows of other measures would answer nothing else
        layout.questions = [ask.which_measure(layout.title, measures)]
    if any(question.code == "truth" for question in layout.questions):
        moot = ("values", "models")  # what the truth is settles them
        layout.questions = [one for one in layout.questions if one.code not in moot]


def _take_measure(layout: Layout) -> list[str]:
    """The measures that a column names; one alone says what the values are."""
    for name in layout.free():
        if place_of(name) == "measure" and not layout.column(name).is_numeric:
            layout.take(name, "measure", "its name")
            words = layout.table.all_words(name)
            if len(words) == 1 and layout.told.measure is None:
                layout.told = replace(layout.told, measure=words[0])
            return words
    return []


def lay_out_items_like(layout: Layout, nameless: str, truth: Profile) -> None:
    """Ids by name; the other columns are models if they can be what the truth is."""
    take_parts(layout)
    take_ids(layout)
    _take_roles(layout)
    layout.table = replace(layout.table, deliberate=True)  # rows are not in the truth's order
    layout.cells = class_chances(layout, truth, nameless)
    chosen = _predictions(layout, truth)
    layout.models = parse_columns(chosen, truth.levels, nameless, layout.cells)
    if layout.model_column is not None and len(layout.models) != 1:
        _take_long(layout, truth.levels)
        return
    for model, columns in layout.models.items():
        for name in columns.used():
            layout.take(name, "model", f"predictions of {model!r}")
    for name in layout.free():
        layout.take(name, "left out", "no prediction of the truth")


def _take_truth(layout: Layout) -> None:
    found = truth_by_name(layout)
    if layout.model_column is not None:
        found = [n for n in found if not (_is_answer(layout, n) or _judges(layout, n))]
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


def _judges(layout: Layout, name: str) -> bool:
    """Whether a column called outcome says which answers were right, and no other has such words."""
    others = [one.levels for one in layout.columns.values() if one.name != name]
    column = layout.column(name)
    return column.is_outcome and all(column.levels.isdisjoint(one) for one in others)


def _take_roles(layout: Layout) -> None:
    """Weights, counts, clusters, folds and repeats that are known by their names."""
    roles: tuple[Role, ...] = ("weight", "count", "cluster", "fold", "repeat")
    for role in roles:
        known = [name for name in layout.free() if plain(name) in KNOWN[role]]
        large = role == "count" and any(layout.column(name).high > 1.0 for name in layout.free())
        if large and not known and role not in layout.roles:
            known = _count_of_patterns(layout)
        if role in layout.roles or not known:
            continue
        known.sort(key=lambda name: plain(name) == "seed")  # a repeat column says more
        name = known[0]
        if not _fits(layout, role, layout.column(name)):
            layout.take(name, "description", "its values")
            if role in ("weight", "count") and np.isfinite(layout.column(name).numbers).any():
                layout.questions.append(ask.which_importance(layout.title, name, role))
            continue
        layout.roles[role] = name
        layout.take(name, role, "its name")
        for other in known[1:]:
            layout.take(other, "description", "its name")


def _count_of_patterns(layout: Layout) -> list[str]:
    """The column that counts patterns: classes alone beside it, and no row of them comes twice.

    It is asked about where its name does not say so.
    """
    truth = layout.roles.get("truth")
    classes = layout.column(truth).levels if truth else frozenset("01")
    free = [layout.column(name) for name in layout.free()]
    named = [one for one in free if plain(one.name) in COUNTED]
    other = [one for one in free if not (one.is_binary or one.levels <= classes)]
    (counts,) = named if len(named) == 1 else other if len(other) == 1 else (None,)
    if counts is None or not counts.is_whole or counts.low < 0.0 or counts.missing:
        return []
    index = [name for name in layout.table.names[:1] if is_nameless(name)]  # of a frame
    left_out = (counts.name, *layout.told.ignore, *index)
    others = [layout.column(name) for name in layout.table.names if name not in left_out]
    fractions = any(one.is_numeric and not one.is_whole for one in others)
    rows = list(zip(*(map(class_text, one.cells) for one in others), strict=True))
    distinct = len(set(rows)) == len(rows) >= FEWEST_NAMED
    if not distinct or fractions or any(one.is_unique for one in others):
        return []
    if counts not in named and all(one.levels <= classes for one in others):
        layout.take(counts.name, "description", "its values")
        layout.questions.append(ask.which_importance(layout.title, counts.name, "count"))
    return [counts.name] if counts in named else []


def _fits(layout: Layout, role: Role, column: Profile) -> bool:
    if role == "weight":
        named = plain(column.name) not in ("weight", "weights")
        return column.is_numeric and (named or float(np.median(column.finite)) <= HEAVY)
    if role == "count":  # rows that are counted are patterns, and an item of its own is none
        return bool(np.isfinite(column.numbers).any()) and "id" not in layout.roles
    if role == "cluster":
        return len(column.levels) >= FEW_GROUPS or plain(column.name) not in ("group", "group_id")
    if role == "repeat" and plain(column.name) not in ("repeat", "repetition", "rep", "seed"):
        return "id" in layout.roles and not column.is_unique
    return True


def _take_models(layout: Layout, nameless: str) -> None:
    """The columns that are predictions of the truth."""
    truth = layout.column(layout.roles["truth"])
    classes, told = truth.levels, layout.told.models is not None
    if layout.model_column is not None:
        _take_long(layout, classes)
        return
    words = [name for name in layout.free() if layout.column(name).style == "words"]
    if told:
        own = set(layout.told.listed or ()) & set(layout.table.names)
        free = [n for n in layout.free() if n in own or not _is_label_of(n, own)]
        found = parse_columns(free, classes, nameless, words=words)
        layout.models = chosen_models(layout.told.models, layout.table.names, found, layout.title)
        check_direction(layout, truth, told_scores(layout, truth))
    else:
        if not all(layout.column(name).is_whole for name in layout.free()):
            layout.cells = class_chances(layout, truth, nameless)
        chosen = _predictions(layout, truth)
        if any("train" in name.lower() for name in chosen):
            ask_about_training(layout, chosen)
        layout.models = parse_columns(chosen, classes, nameless, layout.cells, words)
    why = "told" if told else "on the truth's scale"
    for model, columns in layout.models.items():
        for name in columns.used():
            layout.take(name, "model", f"predictions of {model!r}; {why}")
    for name in layout.free():
        layout.take(name, "left out", "told" if told else "no prediction of the truth")


def _is_label_of(name: str, models: Collection[str]) -> bool:
    """Whether a column is a further label of a model whose own column was told: rf_label beside rf."""
    model, kind, _ = column_grammar(name)
    return model in models and kind == "bare"


def _predictions(layout: Layout, truth: Profile) -> list[str]:
    """The columns on the truth's scale; a question where one may be something else."""
    leave_factors(layout, truth)
    if len(layout.free()) > 2:
        _leave_other_targets(layout, truth.name)
    _leave_other_answers(layout, truth)
    unnamed = [name for name in layout.free() if not describes(name, truth.name)]
    answers = unnamed or [n for n in layout.free() if layout.column(n).levels <= truth.levels]
    alone = answers[0] if len(answers) == 1 else None  # nothing else can be the model
    kinds = {name: kind_of(layout, layout.column(name), truth, alone) for name in layout.free()}
    certain, labels, scores, values, other, described = (
        [name for name, kind in kinds.items() if kind == one]
        for one in ("stated", "labels", "scores", "values", "numbers", "described")
    )
    # what is no prediction by its name is none
    if len(certain) > 1 and not layout.table.deliberate:
        labels, scores, values = (
            list(filter(is_model_name, of)) for of in (labels, scores, values)
        )
        other = []
    likely = [*certain, *(labels or values or scores)]
    guessed = layout.why.get(truth.name) == ("truth", "its name") and not layout.table.deliberate
    if guessed and (better := _other_truths(layout, truth, [*kinds], likely)):
        layout.questions.append(ask.which_truth(layout.title, [*better, truth.name]))
        return likely
    known = labels or certain
    unsure = [*(scores if labels else []), *([] if known else other), *described]
    if not known and _are_codes(layout, truth, scores or unnamed):
        return []
    if likely and not unsure and not layout.table.deliberate:
        _ask_about_strange(layout, truth, likely, certain)
    if scores and not labels:
        check_direction(layout, truth, scores)
    if values:
        _ask_about_units(layout, truth, values)
    if layout.table.deliberate:
        likely, unsure = [*likely, *unsure], []
    if unsure or not likely:
        # one description is as likely as another
        unsure = [] if not likely and set(unsure) <= set(described) else unsure
        _ask_who(layout, truth, likely, unsure, unnamed or [*kinds])
    if not labels and not values and not layout.table.deliberate:
        _check_scale(layout, likely)
    order = {name: place for place, name in enumerate(layout.table.names)}
    return sorted(likely, key=order.__getitem__)


def _ask_who(
    layout: Layout, truth: Profile, likely: list[str], unsure: list[str], free: list[str]
) -> None:
    """Ask which columns are models."""
    why = f"{quoted(unsure)} may be something else." if unsure else "None looks like one."
    unsure = unsure or [name for name in free if layout.column(name).present]
    layout.questions.append(ask.which_models(layout.title, truth.name, unsure, likely, why))


def _are_codes(layout: Layout, truth: Profile, names: Sequence[str]) -> bool:
    """Ask which classes numbers from 0 stand for, beside a truth of words or as the truth beside words."""
    columns = (truth, *(layout.column(name) for name in names))
    words = [one for one in columns if one.style == "words"]
    coded = [one for one in columns if one.is_whole and one.low == 0.0]
    classes = ordered(set().union(*(one.levels for one in words)))
    few = 1 < len(classes) <= MOST_ALIKE and all(one.high < len(classes) for one in coded)
    found = few and bool(coded) and truth in (words[0], coded[0])
    if found:
        of = [one.name for one in coded]
        layout.questions.append(which_codes(layout.title, of, classes))
    return found


def _leave_other_targets(layout: Layout, truth: str) -> None:
    """Truths of other things with their predictions: dog_true and dog_pred, dog and rf_dog, beside cat_true or cat."""
    free = layout.free()
    stems = {truth_stem(name): name for name in free if says_truth(name) and says_truth(truth)}
    called = {tuple(re.split("[ _.:]", name)): name for name in free}
    mine = re.split("[ _.:]", truth)
    like = [words for words in called if len(set(words) & set(mine)) and len(words) > 1]
    for other in called if like else ():
        changed = [pair for pair in zip(mine, other, strict=False) if pair[0] != pair[1]]
        if len(other) != len(mine) or len(changed) != 1:
            continue
        ((word, instead),) = (
            changed  # what a prediction calls the one thing, another calls the other
        )
        if len(mine) > 1 and (
            known_as(word, "truth") or not any(known_as(one, "truth") for one in mine)
        ):
            continue  # rf_cat is to gold_cat what rf_dog is to gold_dog
        twins = [tuple(instead if one == word else one for one in of) for of in like if word in of]
        own = [called[twin] for twin in twins if twin in called]
        if own and other not in twins:
            stems |= {plain(name): called[other] for name in (*own, called[other])}
    for name in free:
        of = stems.get(truth_stem(name) if says_truth(name) else plain(column_grammar(name)[0]))
        of = of or stems.get(plain(name))
        if of is not None:
            layout.take(name, "description", f"of {of!r}, another truth")


def _leave_other_answers(layout: Layout, truth: Profile) -> None:
    """A second truth in other words, and the guesses that a model made after its first: rf_top2 beside rf_top1."""
    for name in layout.free():
        guess = _LATER_GUESS.fullmatch(name)
        if guess and f"{guess['of']}1" in layout.table.names:
            layout.take(name, "description", "no first guess")
        elif layout.table.deliberate:
            continue  # a submission calls its answers as the truth is called
        elif known_as(name, "truth") and not layout.column(name).levels & truth.levels:
            layout.take(name, "description", "another truth")


_LATER_GUESS = re.compile(
    r"(?P<of>.+[ _-](?:top|rank|guess|choice)[ _-]?)(?:[2-9]|10)", re.IGNORECASE
)


def _other_truths(
    layout: Layout, truth: Profile, free: Sequence[str], likely: Sequence[str]
) -> list[str]:
    """Columns of the same classes, where the one that is called class or target has hardly any of them.

    One of them is what the others predict, and the name stands for something else (a class of cabins).
    """
    alike: dict[frozenset[str], list[str]] = {}
    for name in free:
        if name not in layout.cells and 1 < len(layout.column(name).levels) <= MOST_ALIKE:
            alike.setdefault(layout.column(name).levels, []).append(name)
    for levels, names in alike.items():
        strangers = 2 * len(levels & truth.levels) <= len(levels) and set(likely) <= set(names)
        if strangers and len(names) > 2 and not all(map(is_model_name, names)):
            return sorted(names, key=is_model_name)[: ask.MOST - 1]  # and the truth by its name
    return []


def _is_like_truth(name: str, truth: str) -> bool:
    """Whether a column is called as the truth with a word or number more: label2, previous_label."""
    own = plain(truth)
    numbered = re.fullmatch(rf"{re.escape(own)}\d+", plain(name)) is not None
    return len(own) > 1 and (numbered or own in plain(name).split("_"))


def _ask_about_strange(
    layout: Layout, truth: Profile, likely: Sequence[str], certain: Sequence[str]
) -> None:
    """Ask about columns on the truth's scale that may well be something else than models."""
    strange = [n for n in likely if n not in certain]
    strange = [n for n in strange if not any(map(is_model_name, (n, column_grammar(n)[0])))]
    weak = [name for name in strange if not informative(truth, layout.column(name))]
    why = f"{quoted(weak)} {'does' if len(weak) == 1 else 'do'} no better than chance."
    named = len(likely) - len(strange)
    people = [
        n for n in likely if is_rater(n) or (n not in certain and _is_like_truth(n, truth.name))
    ]
    described = named > 0 or (truth.is_numeric and len(truth.levels) > 2)
    # descriptions of items often have the values of the truth: numbers, or one of two words
    common = truth.is_numeric or len(truth.levels) <= 2
    many = named > 1 or (len(likely) > 2 and described)
    if not weak and many and len(truth.cells) >= FEWEST and common:
        weak = strange
        why = f"{quoted(weak)} may describe the items: no name of a model."
    if not weak and 0 < len(people) < len(likely):
        weak = people
        why = f"{quoted(weak)} may be of people who labelled the items."
    if weak:
        rest = [name for name in likely if name not in weak]
        layout.questions.append(ask.which_models(layout.title, truth.name, weak, rest, why))


def _ask_about_units(layout: Layout, truth: Profile, names: Sequence[str]) -> None:
    """Ask about predictions that go with the truth and are far from it: thousands, or logarithms."""
    if len(truth.cells) < FEWEST or not truth.is_numeric or not np.isfinite(truth.numbers).all():
        return
    far = []
    for column in map(layout.column, names):
        if column.numbers.size != truth.numbers.size:  # the truth of another table has other rows
            return
        error = np.nanmean(
            (column.numbers - truth.numbers) ** 2
        )  # infinite if squares are too large
        spread = float(np.var(truth.numbers))
        related = correlation(truth.numbers, column.numbers) > GOES_WITH
        if related and error > FAR * spread:
            far.append(column.name)
    if far:
        rest = [name for name in names if name not in far]
        why = f"{quoted(far)} {'goes' if len(far) == 1 else 'go'} with it but in other units."
        layout.questions.append(ask.which_models(layout.title, truth.name, far, rest, why))


def _check_scale(layout: Layout, names: Sequence[str]) -> None:
    """Ask where some scores are fractions and others could be the same in per cent."""
    scores = [layout.column(n) for n in names if not is_prediction_of(n)]  # classes have no scale
    scores = [c for c in scores if not (c.is_whole and 1.0 < c.high <= MOST_GRADES)]
    values = {c.name: c.finite for c in scores if c.is_numeric}
    if not layout.told.percent and (mixed := mixed_scales(values)):
        layout.questions.append(which_scale(*mixed))


def _take_long(layout: Layout, classes: Collection[str]) -> None:
    """In long form the columns that say what they hold are the predictions."""
    stated = [n for n in layout.free() if "" in parse_columns([n], classes, "")]
    layout.models = parse_columns(stated, classes, "")
    layout.models = {model: of for model, of in layout.models.items() if model == ""}
    for columns in layout.models.values():
        for name in columns.used():
            layout.take(name, "prediction", "its name")
    if not layout.models:
        answers = [n for n in layout.free() if plain(n) in ANSWERS]
        answers = [n for n in answers if layout.column(n).levels & set(classes)]
        free = [n for n in layout.free() if not is_description(n) and not names_raters(n)]
        rated = [n for n in layout.free() if plain(n) in ("confidence", "certainty")]
        free = answers if len(answers) == 1 else free or rated
        if len(free) == 1:
            layout.models = {"": ModelColumns(bare=free[0])}
            layout.take(free[0], "prediction", "no other column is left")
        else:
            layout.questions.append(
                ask.which_models(layout.title, None, free, [], "None is called prediction.")
            )
    for name in layout.free():
        layout.take(name, "description", "no prediction by its name")
