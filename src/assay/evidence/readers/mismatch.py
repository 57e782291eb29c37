"""Items that do not match between sources: counted, named, refused or dropped with a note."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cell_text import class_text, is_fraction, is_missing, number_of, plural, quoted
from assay.evidence.reading_options import OnMismatch


@dataclass(frozen=True, slots=True)
class Absent:
    """Items that one source lacks: how many, and the first few."""

    title: str
    count: int
    first: tuple[str, ...]


def refuse_missing_ids(title: str, count: int, first: str | None = None) -> None:
    """Refuse rows without an id; ``first`` says where, of sources whose rows have an order."""
    at = "" if first is None else f", the first at {first}"
    raise EvidenceError(
        f"{title} has {plural(count, 'row')} without an id{at}; every item needs one to be paired"
    )


def refuse_repeated_ids(title: str, count: int, first: Sequence[tuple[str, int]]) -> None:
    times = ", ".join(f"{text!r} {times} times" for text, times in first)
    raise EvidenceError(
        f"{title} has {plural(count, 'id')} more than once: {times}. Each item may occur once; "
        "if items were tried several times name the column of the repeats with repeat="
    )


def settle_mismatch(
    absent: Sequence[Absent], *, every: int, common: int, policy: OnMismatch
) -> tuple[Note, ...]:
    """Refuse sources with different items, or say how many of ``every`` item are dropped."""
    short = [lack for lack in absent if lack.count]
    if not short:
        return ()
    listed = "; ".join(
        f"{lack.title} lacks {plural(lack.count, 'item')} that others have "
        f"({quoted(lack.first[:3])}{', …' if lack.count > len(lack.first[:3]) else ''})"
        for lack in short
    )
    if common == 0:
        alike = _spelt_otherwise(short)
        remedy = "compare the ids"
        if alike:
            remedy = f"{quoted(alike)} may be one item: write ids alike in all sources"
        raise EvidenceError(
            f"the sources have no item in common: {listed}; {remedy}, or if the models met "
            "different items, paired=False"
        )
    if policy == "error":
        raise EvidenceError(
            f"the sources do not hold the same items: {listed}. Repair them, or keep the "
            f"{common:,} common items with on_mismatch='intersect'"
        )
    return (note("items-dropped", dropped=every - common, kept=common, listed=listed),)


def _spelt_otherwise(short: Sequence[Absent]) -> list[str]:
    """Ids of two sources that are the same number, as 00012 and 12, or 12 and 12.0."""
    spelt: dict[float, list[str]] = {}
    for lack in short:
        for text in lack.first:
            if (number := number_of(text)) is not None:
                spelt.setdefault(number, []).append(text)
    return next((texts for texts in spelt.values() if len(texts) > 1), [])


def refuse_conflict(
    role: str, titles: Sequence[str], count: int, first: Sequence[tuple[str, Sequence[Any]]]
) -> None:
    shown = "; ".join(
        f"item {item!r}: {', '.join('missing' if is_missing(v) else repr(v) for v in values)}"
        for item, values in first
    )
    raise EvidenceError(
        f"{' and '.join(titles)} disagree on the {role} of {plural(count, 'item')} ({shown}). They "
        "must be about the same items: join them by another column with id=. If one file's column "
        "holds predictions, rename it and name the truth with truth="
    )


def same_value(values: Sequence[Any]) -> bool:
    """Whether cells of several sources say the same: as classes, or as numbers with a fraction."""
    if any(is_missing(value) for value in values):
        return False
    if len({class_text(value) for value in values}) == 1:
        return True
    return all(map(is_fraction, values)) and len(set(map(number_of, values))) == 1
