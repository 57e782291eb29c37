"""What columns hold, judged by all of their values: labels, scores, values or losses.

The rules are in ``docs/evidence.md``; the same data give the same answer from every engine.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Literal, NoReturn

import numpy as np

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import (
    MISSING_WORDS,
    NEVER_CLASSES,
    NO_ANSWER,
    class_text,
    is_fraction,
    is_missing,
    is_whole,
    number_of,
    ordered,
    plural,
    quoted,
    shortened,
)
from assay.evidence.model_columns import ModelColumns
from assay.evidence.names import Role
from assay.evidence.rows import MAX_JOINT, MAX_LEVELS, ColumnFacts, Groups, Rows

_MANY_KEYS = 8
"""With more label columns than this, columns are surveyed one by one."""
_FEW = 20
_LABELS = re.compile(r"(?<=\w)\s*[;|,]\s*(?=[^\W\d])")
"""Between the labels of one item."""
_MOST_STRAY = 0.1
"""Share of cells up to which a value that is no class of the truth is a code rather than a score."""
_EXACT = 2.0**53
"""Below this, whole numbers that are equal as floats are equal."""
_NEVER_FEW = 1_000
_PLAIN = {bool, int, float}
MAX_LABEL = 10_000
"""Characters of a class."""

MAX_WEIGHT = 1e150
"""The largest of the weights is at most this and at least its inverse: squares must be numbers."""

BareKind = Literal["labels", "scores", "values"]

Oddity = tuple[Callable[[Any], bool], str]
"""Which cells are wrong, and what is wrong with them."""
_NO_CLASSES: tuple[Oddity, ...] = (
    (lambda cell: isinstance(cell, str) and "\x00" in cell, "has a NUL byte"),
    (
        lambda cell: isinstance(cell, str) and len(cell) > MAX_LABEL,
        f"is longer than {MAX_LABEL:,} characters, too long for a class",
    ),
    (lambda cell: isinstance(cell, float) and math.isinf(cell), "is not finite"),
)


@dataclass(slots=True, kw_only=True, eq=False)
class Survey:
    """What one or two passes over the rows found: levels of label columns, facts of numbers."""

    rows: Rows
    n: int = 0
    joint: Groups | None = None
    levels: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    many: set[str] = field(default_factory=set)
    """Columns known to hold too many values for labels."""
    facts: dict[str, ColumnFacts] = field(default_factory=dict)

    def as_levels(self, name: str) -> tuple[Any, ...] | None:
        """The distinct values of a column; None where there are too many for labels."""
        if name in self.many:
            return None
        if name not in self.levels:
            found = self.rows.levels([name], MAX_LEVELS)[name]
            if found is None:
                self.many.add(name)
                return None
            self.levels[name] = found
        return self.levels[name]

    def as_numbers(self, name: str) -> ColumnFacts:
        if name not in self.facts:
            self.facts.update(self.rows.facts([name]))
        return self.facts[name]


def survey(rows: Rows, roles: Mapping[Role, str], models: Mapping[str, ModelColumns]) -> Survey:
    """Look at every column once, as labels or numbers by the look of its first rows."""
    truth, count = roles.get("truth"), roles.get("count")
    unsure = [c.bare for c in models.values() if c.bare is not None]
    unsure += [truth] if truth is not None else []
    guesses = rows.guess(unsure)
    keys = [truth] if truth is not None and guesses[truth] == "labels" else []
    keys += [name for name in unsure if name != truth and guesses[name] == "labels"]
    keys += [c.labels for c in models.values() if isinstance(c.labels, str)]
    numbers = [name for name in unsure if guesses[name] == "numbers"]
    numbers += [roles[role] for role in ("weight", "count") if role in roles]
    for columns in models.values():
        named = (columns.scores, columns.values, columns.losses)
        numbers += [name for name in named if name is not None]
        numbers += columns.probabilities.values()
    keys, numbers = list(dict.fromkeys(keys)), list(dict.fromkeys(numbers))
    if truth is None:
        keys, numbers = [], [*numbers, *keys]
    joint = None
    if 0 < len(keys) <= _MANY_KEYS:
        joint = rows.group(keys, numbers=numbers, count=count, limit=MAX_JOINT)
    if joint is None:
        found = Survey(rows=rows, facts=rows.facts(numbers))
        separate = rows.levels(keys, MAX_LEVELS)
        found.levels = {name: value for name, value in separate.items() if value is not None}
    else:
        found = Survey(rows=rows, joint=joint, facts=dict(joint.facts))
        found.levels = _present_levels(joint)
    if count is not None:
        _check_frequencies(found, count)
    if "weight" in roles:
        _check_weights(found, roles["weight"])
    found.n = rows.size(count) if joint is None else int(joint.counts.sum())
    if not found.n:
        raise EvidenceError(f"{', '.join(rows.sources)} has no rows of data")
    return found


def _present_levels(joint: Groups) -> dict[str, tuple[Any, ...]]:
    found: dict[str, tuple[Any, ...]] = {}
    for key, levels, codes in zip(joint.keys, joint.levels, joint.codes.T.tolist(), strict=True):
        present = sorted(set(codes))
        if isinstance(key, str) and len(present) <= MAX_LEVELS:
            found[key] = tuple(levels[code] for code in present)
    return found


def _check_frequencies(found: Survey, count: str) -> None:
    check_numbers(found, count)
    facts = found.as_numbers(count)
    if facts.low < 0 or not facts.whole:
        place, value = found.rows.place(count, lambda cell: not _frequency(cell))
        raise EvidenceError(
            f"{found.rows.describe(count)} holds {shortened(value)} at {place}; counts are whole "
            "numbers of at least 0. For importance weights use weight="
        )


def _frequency(cell: Any) -> bool:
    number = number_of(cell)
    return number is not None and number >= 0 and number.is_integer()


def _check_weights(found: Survey, weight: str) -> None:
    check_numbers(found, weight)
    facts = found.as_numbers(weight)
    if facts.low < 0:
        place, value = found.rows.place(weight, lambda cell: (number_of(cell) or 0.0) < 0)
        raise EvidenceError(
            f"{found.rows.describe(weight)} holds the negative weight {value} at {place}"
        )
    if facts.high == 0:
        raise EvidenceError(f"{found.rows.describe(weight)} holds only weights of zero")
    if not 1.0 / MAX_WEIGHT <= facts.high <= MAX_WEIGHT:
        place, value = found.rows.place(weight, lambda cell: number_of(cell) == facts.high)
        raise EvidenceError(
            f"{found.rows.describe(weight)}: the largest weight, {value} at {place}, is beyond what "
            "can be squared; divide all weights by it, only their ratios matter"
        )


def check_numbers(found: Survey, name: str, *, missing: bool = False) -> None:
    """Refuse unreadable, infinite and, if they may not be, missing numbers: where the first is."""
    facts = found.as_numbers(name)
    if facts.missing and not missing:
        refuse_missing(found.rows, name, facts.missing)
    if facts.unreadable:
        place, value = found.rows.place(name, _unreadable)
        number = number_of(value)
        what = "is not a number" if number is None else "is not a finite number"
        hint = "; repair it, or leave the column out with ignore="
        if isinstance(value, str) and "," in value:
            hint = "; write decimals with a point"
        raise EvidenceError(
            f"{found.rows.describe(name)} must hold numbers, but {shortened(value)} at {place} "
            f"{what} ({plural(facts.unreadable, 'such cell')}){hint}"
        )


def _unreadable(cell: Any) -> bool:
    number = number_of(cell)
    return not is_missing(cell) and (number is None or not math.isfinite(number))


def refuse_missing(rows: Rows, name: str, count: int) -> None:
    place, _ = rows.place(name, is_missing)
    raise EvidenceError(
        f"{rows.describe(name)} has {plural(count, 'missing value')}, the first at {place}. "
        "Complete those rows, or leave them out with missing='complete'. If people labelled some "
        "items and a judge graded all of them, name the judge's column with judge="
    )


def check_labels(found: Survey, name: str) -> tuple[str, ...]:
    """The classes of a label column; missing values and damaged text are refused with their place."""
    rows, levels = found.rows, found.as_levels(name)
    if levels is None:
        raise EvidenceError(
            f"{rows.describe(name)} has more than {MAX_LEVELS:,} distinct values, too many for "
            "classes; if it is not a model, name the models with models="
        )
    kinds = {type(level) for level in levels}
    if len(kinds) > 1 or not kinds <= {bool, int}:
        if any(level is None for level in levels):
            refuse_missing(rows, name, found.as_numbers(name).missing)
        # of one kind of number there are no words, and one way to write each
        words = _strange_words(levels) if len(kinds) > 1 or not kinds <= _PLAIN else ()
        for wrong, what in chain(words, _NO_CLASSES):
            if any(map(wrong, levels)):
                _refuse(rows, name, wrong, what)
    return tuple(dict.fromkeys(map(class_text, levels)))


def _strange_words(levels: Sequence[Any]) -> Iterator[Oddity]:
    """Words for missing values, and words among numbers that would become a class."""
    texts = {level for level in levels if isinstance(level, str)}
    missing = {text for text in texts if text.strip().lower() in NEVER_CLASSES}
    yield (
        missing.__contains__,
        "stands for a missing value; drop or repair those rows, or call the class otherwise",
    )
    numbers = {
        level
        for level in levels
        if (number := number_of(level)) is not None and math.isfinite(number)
    }
    if not numbers:
        return
    words = {text for text in texts if text.strip().lower() in MISSING_WORDS}
    if len(words) + len(numbers) == len(levels):
        yield words.__contains__, "stands where a number or class is due"
    odd = {text for text in texts - numbers if number_of(text) is not None}
    truths = {text for text in texts if class_text(text) in ("True", "False")}
    if texts <= truths | numbers | odd:  # among other words, answers of mixed kinds are no slip
        odd |= truths
    shown = quoted(ordered({class_text(level) for level in numbers}), 3)
    yield (
        odd.__contains__,
        f"stands among numbers ({shown}) and would be a class of its own; repair it",
    )
    spellings: dict[float | None, set[str]] = {}
    for level in numbers:
        if abs(number_of(level) or 0.0) < _EXACT:
            spellings.setdefault(number_of(level), set()).add(class_text(level))
    twice = next((texts for texts in spellings.values() if len(texts) > 1), set())
    yield (
        lambda cell: class_text(cell) in twice,
        f"is one of several spellings of a number ({quoted(sorted(twice))}); write them alike",
    )


def refuse_lookalikes(
    found: Survey, name: str, classes: Sequence[str], true_classes: Sequence[str]
) -> None:
    """Refuse a class of a column that a reader could not tell from one of the truth's.

    A letter with an accent has two Unicode forms, a space at the end is invisible, and labels of one item have
    no order: bird;dog is dog;bird. Two classes of the truth itself may differ by spaces, if somebody wants them to.
    """
    if classes is not true_classes and set(classes) <= set(true_classes):
        return  # looked at with the truth
    known: dict[str, str] = {}
    odd: dict[str, str] = {}
    several = {text: _in_order(text) for text in {*true_classes, *classes} if _LABELS.search(text)}
    for text in true_classes:
        form = several.get(text) or unicodedata.normalize("NFC", text)
        if known.setdefault(form, text) != text:
            odd[text] = known[form]
    known |= {text.strip(): whole for text, whole in known.items()}
    for text in classes:
        if text not in true_classes:
            other = known.get(several.get(text) or unicodedata.normalize("NFC", text).strip())
            if other is not None:
                odd[text] = other
    if odd:
        place, value = found.rows.place(name, lambda cell: class_text(cell) in odd)
        raise EvidenceError(
            f"{found.rows.describe(name)}: {class_text(value)!a} at {place} looks like the class "
            f"{odd[class_text(value)]!a} but is spelled differently. The two differ in spaces, in the "
            "order of labels or in the Unicode form of a letter. Write both in the same way"
        )


def _in_order(text: str) -> str:
    """A class that is written as several labels, with these in one order."""
    return ";".join(sorted(map(str.strip, _LABELS.split(unicodedata.normalize("NFC", text)))))


def _refuse_other_spelling(
    found: Survey, name: str, present: Sequence[Any], classes: Collection[str]
) -> None:
    """Refuse 01 where a class is 1: whether they are the same class is not ours to guess."""
    known = {float(text): text for text in classes if is_whole(text) and abs(float(text)) < _EXACT}
    odd = {
        level
        for level in present
        if is_whole(level) and class_text(level) not in classes and number_of(level) in known
    }
    if odd:
        place, value = found.rows.place(name, lambda cell: cell in odd)
        meant = known[number_of(value) or 0.0]
        raise EvidenceError(
            f"{found.rows.describe(name)}: {shortened(value)} at {place} is no class of the truth, "
            f"which writes {meant!r}; write both in the same way"
        )


def _refuse(rows: Rows, name: str, wrong: Callable[[Any], bool], what: str) -> None:
    place, value = rows.place(name, wrong)
    raise EvidenceError(f"{rows.describe(name)}: {shortened(value)} at {place} {what}")


def truth_is_categorical(found: Survey, truth: str, models: Mapping[str, ModelColumns]) -> bool:
    """Whether the truth holds classes rather than numbers to be predicted."""
    if any(c.labels or c.scores or c.probabilities for c in models.values()):
        return True
    if any(c.values for c in models.values()):
        return False
    facts = found.facts.get(truth)
    if facts is not None and not facts.unreadable and not facts.whole:
        return False
    levels = found.as_levels(truth)
    if levels is None:
        if found.as_numbers(truth).unreadable:
            check_numbers(found, truth)
        return False
    present = [level for level in levels if level is not None]
    texts = [one for one in present if not isinstance(one, float) and number_of(one) is None]
    if texts:
        if sum(map(is_fraction, present)) > max(_FEW, len(texts)):
            check_numbers(found, truth)
        return True
    if any(map(is_fraction, present)):  # the first of thousands settles it
        return False
    bare = [c.bare for c in models.values() if c.bare is not None]
    distinct = len(present)
    if distinct > _FEW and not (distinct <= _NEVER_FEW and distinct * 10 <= found.n):
        return all(_within(found, name, present) for name in bare)
    return len(present) <= 2 or not any(_has_fractions(found, name) for name in bare)


def _within(found: Survey, name: str, truth: Sequence[Any]) -> bool:
    """Whether a column holds only values of the truth."""
    levels = None if name in found.facts else found.as_levels(name)
    known = set(map(class_text, truth))
    return levels is not None and {class_text(v) for v in levels if v is not None} <= known


def _has_fractions(found: Survey, name: str) -> bool:
    if name in found.facts:
        return not found.facts[name].whole
    levels = found.as_levels(name)
    return not found.as_numbers(name).whole if levels is None else any(map(is_fraction, levels))


def bare_kind(found: Survey, name: str, truth: str, classes: Collection[str]) -> BareKind:
    """What a column without a stated kind holds, where the truth has classes."""
    if name in found.facts and name not in found.levels:
        facts = found.facts[name]
        # fractions are classes only where the ends of their range are
        if not {class_text(facts.low), class_text(facts.high)} <= set(classes):
            return _scores(found, name, classes)
    levels = found.as_levels(name)
    if levels is None:
        facts = found.as_numbers(name)
        if facts.unreadable > found.n / 2:
            check_labels(found, name)  # refuses so many different words
        return _scores(found, name, classes)
    present = [level for level in levels if level is not None]
    texts = {class_text(level) for level in present}
    if texts <= set(classes):
        return "labels"
    if all(number_of(level) is not None for level in present):
        _refuse_other_spelling(found, name, present, classes)
        union = texts | set(classes)
        whole = all(map(is_whole, present))
        if whole and (len(union) <= 2 or (len(classes) > 2 and all(map(is_whole, classes)))):
            return "labels"
        if whole and len(texts) == len(classes) == 2 and found.n >= _FEW:
            _refuse_other_codes(found, name, texts, classes)
        if whole and set(classes) < texts:
            _refuse_stray_codes(found, name, classes)
        return _scores(found, name, classes)
    if not texts & set(classes):
        _refuse_stranger(found, name, present, classes)
    _refuse_renamed(found, name, truth, {*classes} - texts)
    return "labels"


def _refuse_renamed(found: Survey, name: str, truth: str, unused: Collection[str]) -> None:
    """Refuse Birds wherever the truth has bird, which the model never writes: one class in two spellings."""
    groups = found.rows.group([truth, name], limit=MAX_JOINT) if unused else None
    if groups is None:
        return
    true, said = ([class_text(NO_ANSWER if x is None else x) for x in of] for of in groups.levels)
    totals = np.bincount(groups.codes[:, 0], groups.counts)
    for (row, column), count in zip(groups.codes, groups.counts, strict=True):
        strange = true[row] in unused and said[column] not in (*true, NO_ANSWER)
        if strange and count > max(2, totals[row] / 2):
            _refuse_stranger(found, name, [said[column]], [true[row]], f" in {count:,} rows")


def _refuse_other_codes(
    found: Survey, name: str, texts: Collection[str], classes: Collection[str]
) -> None:
    """Refuse 1 and 2 where the truth has 0 and 1: labels in other codes, which is which nobody said."""
    raise EvidenceError(
        f"{found.rows.describe(name)} holds {quoted(ordered(texts))} and the truth "
        f"{quoted(ordered(classes))}: write its classes as the truth does. "
        "If they are scores, add ':score' to its name; if it is not a model, name the models with models="
    )


def _refuse_stray_codes(found: Survey, name: str, classes: Collection[str]) -> None:
    """Refuse a few 2 among labels of 0 and 1, which they would turn into scores."""
    groups = found.rows.group([name], limit=_FEW)
    if groups is None:
        return
    known = [level is None or class_text(level) in classes for level in groups.levels[0]]
    counted = zip(groups.codes[:, 0].tolist(), groups.counts.tolist(), strict=True)
    if sum(count for code, count in counted if not known[code]) <= _MOST_STRAY * found.n:
        place, value = found.rows.place(
            name, lambda cell: not is_missing(cell) and class_text(cell) not in classes
        )
        raise EvidenceError(
            f"{found.rows.describe(name)} holds the classes of the truth, {quoted(ordered(classes))}, and "
            f"{shortened(value)} at {place}. If that means no answer, leave the cell empty and add missing='wrong' or "
            "missing='complete'. If these are scores, add ':score' to the name of the column"
        )


def _scores(found: Survey, name: str, classes: Collection[str]) -> BareKind:
    check_numbers(found, name)
    if len(classes) <= 2:
        return "scores"
    raise EvidenceError(
        f"{found.rows.describe(name)} holds numbers, but the truth has {len(classes)} classes "
        f"({quoted(ordered(classes))}). Numbers are neither labels nor scores of several classes. "
        "Write codes as the truth does, or say with classes= which class each is. Or give a probability for each "
        "class in columns named 'NAME:p(CLASS)', or mark values with 'NAME:value'"
    )


def _refuse_stranger(
    found: Survey, name: str, present: Sequence[Any], classes: Collection[str], rows: str = ""
) -> NoReturn:
    if sum(map(is_fraction, present)) > len(present) / 2:
        check_numbers(found, name)
    raise EvidenceError(
        f"{found.rows.describe(name)} shares no value with the truth{rows}: it holds {quoted(present, 3)}, the truth "
        f"{quoted(ordered(classes), 3)}. If it is a model, write its classes as the truth does. If a model is "
        "always wrong, add ':label' to its name. If it is not a model, name the models with models="
    )


def with_kind(columns: ModelColumns, kind: str, model: str) -> ModelColumns:
    """A model's columns with the bare one put where it belongs."""
    if getattr(columns, kind):
        raise EvidenceError(
            f"model {model!r} has {kind} in column {columns.bare!r} and in "
            f"{getattr(columns, kind)!r}; keep one, or choose with models="
        )
    changes: dict[str, Any] = {kind: columns.bare}
    return replace(columns, bare=None, **changes)
