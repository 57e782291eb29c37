"""The worked numbers of five lectures, as printed and as assay computes them when asked."""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from itertools import groupby
from textwrap import wrap
from typing import Any

from assay.core.errors import UsageError
from assay.report.escapes import for_markdown
from assay.report.labelled_lines import WIDEST

LECTURES: dict[str, str] = {
    "Samatova": "N. F. Samatova, Design and analysis of data science experiments: model "
    "inter-comparison (North Carolina State University)",
    "Ray": "S. Ray, CSDS 440 Machine learning: comparing learning algorithms (Case Western Reserve "
    "University)",
    "Boström": "H. Boström, ID2214 Programming for data science: methodology (KTH, 2020)",
    "Notes": "Hypothesis evaluation and model evaluation, lecture notes after T. Mitchell, Machine "
    "Learning, chapter 5, with slides on metrics and ROC curves",
    "Mooney": "R. J. Mooney, CS 391L Machine learning: experimental evaluation (University of Texas)",
}
"""The lectures by the name they go by."""

TOPICS = (
    "error rate", "tables", "two classifiers", "folds", "5x2", "many", "costs", "roc", "bootstrap",
    "meaning",
)  # fmt: skip

_HEAD = """# The lectures, checked
Five university lectures taught the methods that assay offers. Here is every worked number in them, as
it is printed and as assay computes it now, and every statement that misleads. Each row names the
command that gives the right answer: a first tour. `assay lectures` prints the same; this page is made
by `assay lectures --format markdown`.

Boström's lecture has figures of type I and type II errors by the size of the sample. Each is one
command: `assay simulate --lecture one-sample-t` and six more, in [simulate.md](simulate.md).
"""
LectureAnswer = Callable[[], Sequence[float] | str]
_HEADINGS = "| | what | printed | right | command |\n|---|---|---|---|---|"


@dataclass(frozen=True, slots=True, kw_only=True)
class LectureEntry:
    """One worked number or statement of a lecture, and how to get the right one.

    ``printed`` holds numbers as they stand on the slide; a number agrees if the right one rounds
    to it. Words are in ``printed`` too: ``right`` then gives a sentence, and ``holds`` says whether
    they hold (None: that cannot be told).
    """

    lecture: str
    topic: str
    subject: str
    printed: tuple[str, ...]
    right: LectureAnswer
    command: str
    reason: str = ""
    holds: bool | None = False

    @classmethod
    def of(cls, written: dict[str, Any], answers: Mapping[str, LectureAnswer]) -> "LectureEntry":
        """From the file of entries: ``right`` names an answer that is computed, ``says`` is one."""
        facts = dict(written)
        said = facts.pop("says", None)
        name = facts.pop("right", "")
        facts["printed"] = tuple(facts["printed"])
        if facts.get("holds") == "unknown":
            facts["holds"] = None
        return cls(right=answers[name] if said is None else lambda: said, **facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredEntry:
    """An entry with its answer."""

    lecture: str
    topic: str
    subject: str
    printed: str
    right: str
    agrees: bool | None
    reason: str
    command: str


def lecture_rows(topic: str | None = None) -> tuple[AnsweredEntry, ...]:
    """Every entry computed now, or those of one topic."""
    if topic is not None and topic not in TOPICS:
        raise UsageError(f"no topic {topic!r}; there are {', '.join(TOPICS)}")
    return tuple(_row(entry) for entry in entries() if topic in (None, entry.topic))


@cache
def entries() -> tuple[LectureEntry, ...]:
    """All entries in the order of the lectures."""
    from assay.report import lecture_numbers, lecture_tables, lecture_words

    answers = lecture_numbers.ANSWERS | lecture_tables.ANSWERS | lecture_words.ANSWERS
    text = files("assay.report").joinpath("lectures.toml").read_text(encoding="utf-8")
    return tuple(LectureEntry.of(one, answers) for one in tomllib.loads(text)["entry"])


def as_text(rows: Sequence[AnsweredEntry], *, width: int = WIDEST) -> str:
    """For the terminal: how many agree, then a heading per lecture and a block per entry."""
    width = min(width, WIDEST)
    blocks = [
        "\n".join(
            [
                *wrap(f"{lecture}: {LECTURES[lecture]}", width),
                *(_block(row, width) for row in group),
            ]
        )
        for lecture, group in _by_lecture(rows)
    ]
    return "\n\n".join([_count(rows), *blocks])


def as_markdown(rows: Sequence[AnsweredEntry]) -> str:
    """The page docs/lectures.md: a table per lecture."""
    parts = [f"{_HEAD}\n{_count(rows)}\n"]
    for lecture, group in _by_lecture(rows):
        lines = "\n".join(_cells(row) for row in group)
        parts.append(f"## {lecture}\n{LECTURES[lecture]}.\n\n{_HEADINGS}\n{lines}\n")
    return "\n".join(parts)


def as_data(rows: Sequence[AnsweredEntry]) -> list[dict[str, Any]]:
    """For JSON."""
    return [asdict(row) for row in rows]


def _row(entry: LectureEntry) -> AnsweredEntry:
    found = entry.right()
    if isinstance(found, str):
        printed, right, agrees = " ".join(entry.printed), found, entry.holds
    else:
        pairs = list(zip(entry.printed, found, strict=True))
        printed = _joined(entry.printed)
        right = _joined([_like(text, value) for text, value in pairs])
        agrees = all(_rounds_to(value, text) for text, value in pairs)
    return AnsweredEntry(
        lecture=entry.lecture,
        topic=entry.topic,
        subject=entry.subject,
        printed=printed,
        right=right,
        agrees=agrees,
        reason=entry.reason,
        command=entry.command,
    )


def _joined(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _read(printed: str) -> tuple[float, int, float]:
    """A printed number, its decimals, and 100 where it is a percentage."""
    number = Decimal(printed.rstrip("%").lstrip("+"))
    scale = 100.0 if printed.endswith("%") else 1.0
    return float(number) / scale, -int(number.as_tuple().exponent), scale


def _rounds_to(value: float, printed: str) -> bool:
    number, decimals, scale = _read(printed)
    return abs(value - number) <= 0.5 * 10.0**-decimals / scale + 1e-12


def _like(printed: str, value: float) -> str:
    """The value as printed where it is the same, else with a digit more than the slide has."""
    number, decimals, scale = _read(printed)
    sign = "%" if scale > 1.0 else ""
    if abs(value - number) < 1e-9 * max(abs(number), 1e-6):
        return printed
    if abs(scale * value - round(scale * value)) < 1e-9:
        return f"{round(scale * value)}{sign}"
    return f"{scale * value:.{decimals + 1}f}{sign}"


def _by_lecture(rows: Iterable[AnsweredEntry]) -> Iterator[tuple[str, Iterator[AnsweredEntry]]]:
    return groupby(rows, key=lambda row: row.lecture)


def _mark(row: AnsweredEntry) -> str:
    return {True: "agrees", False: "differs", None: "open"}[row.agrees]


def _block(row: AnsweredEntry, width: int) -> str:
    labelled = [("printed", row.printed), ("right", row.right)]
    labelled += [("why", row.reason)] if row.reason else []
    head = f"  {_mark(row):<8} "
    lines = wrap(row.subject, width, initial_indent=head, subsequent_indent=" " * len(head))
    for label, text in labelled:
        head = f"{'':<11}{label:<9}"
        lines += wrap(text, width, initial_indent=head, subsequent_indent=" " * len(head))
    return "\n".join([*lines, f"{'':<11}{row.command}"])


def _cells(row: AnsweredEntry) -> str:
    why = f"<br>*{for_markdown(row.reason)}*" if row.reason else ""
    what = for_markdown(row.subject) + why
    texts = (_mark(row), what, for_markdown(row.printed), for_markdown(row.right))
    return f"| {' | '.join(texts)} | `{row.command}` |"


def _count(rows: Sequence[AnsweredEntry]) -> str:
    agree, differ = (sum(row.agrees is one for row in rows) for one in (True, False))
    rest = len(rows) - agree - differ
    unchecked = f", {rest} cannot be checked" if rest else ""
    return f"{agree} of {len(rows)} entries agree with assay, {differ} differ{unchecked}."
