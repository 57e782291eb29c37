"""The questions that cells and names of columns leave open, with the option to add for every answer."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.questions import Question
from assay.evidence.cell_text import plural, quoted
from assay.evidence.open_questions import MOST, answer, left_out, question, the_models


def which_scale(
    fractions: Sequence[str], per_cent: Sequence[str], *, of_models: bool = False
) -> Question:
    """0.81 in one column beside 81 in another, or of one model beside another's."""
    apart = (
        the_models(fractions, "leave them out")
        if of_models
        else left_out(list(per_cent), "they are not models")
    )
    return question(
        "scale",
        (
            f"{'Is' if len(per_cent) == 1 else 'Are'} {quoted(per_cent)} in per cent? "
            f"{quoted(fractions)} {'lies' if len(fractions) == 1 else 'lie'} from 0 to 1."
        ),
        answer("divide them by 100", percent=list(per_cent)),
        apart,
    )


def what_of_cell(where: str, column: str, cell: str) -> Question:
    """A cell that is no number in a column of numbers."""
    return question(
        "cells",
        f"What is {cell} in {where}, column {column!r}? A number is needed: repair it.",
        left_out([column], "leave the column out"),
    )


def which_units(title: str, units: Mapping[str, str]) -> Question:
    """Columns in ms beside others in s, by column the unit."""
    said = ", ".join(f"{name!r} in {unit}" for name, unit in units.items())
    return question(
        "units",
        f"Which unit of measurement does {title} use? {said}: convert all to one.",
        *(left_out([name], f"leave {name!r} out") for name in list(units)[:MOST]),
    )


def which_decimal(column: str, example: str) -> Question:
    """1,234 or 1.234, which may be a thousand."""
    sign = "comma" if "," in example else "point"
    ends = {"comma": "decimals" if sign == "comma" else "thousands"}
    ends["point"] = "thousands" if sign == "comma" else "decimals"
    return question(
        "decimal",
        f"Is {example!r} in column {column!r} a thousand or a fraction?",
        *(answer(f"the {sign} separates {what}", decimal=way) for way, what in ends.items()),
    )


def which_order(suggested: Sequence[str], by_name: Sequence[str]) -> Question:
    """Matrices of scores of classes, whose columns do not go with the order of the names."""
    return question(
        "classes",
        "Which class does each column of the matrices stand for?",
        answer("the order that the values suggest", classes=suggested),
        answer("the order of the names", classes=by_name),
    )


def which_codes(title: str, columns: Sequence[str], classes: Sequence[str]) -> Question:
    """Whole numbers from 0 beside words: in the order of these, if nobody chose another."""
    return question(
        "classes",
        f"Which classes do the numbers of {quoted(columns)} in {title} stand for?",
        answer("0 is the first, 1 the second …; otherwise change the order", classes=list(classes)),
    )


def which_sheet(title: str, sheets: Mapping[str, Sequence[str]]) -> Question:
    """A workbook with several tables, by sheet the names of its columns; alike they may be of one model each."""
    (columns, times), *_ = Counter(map(tuple, sheets.values())).most_common(1)
    alike = [n for n, of in sheets.items() if tuple(of) == columns and times > 1 and "," not in n]
    return question(
        "sheet",
        f"Which sheet of {title} is read?",
        *([answer("a model each", sheet=",".join(alike))] if alike else []),
        *(
            answer(f"with {', '.join(columns[:12])}", sheet=name)
            for name, columns in list(sheets.items())[:MOST]
        ),
    )


def which_names(title: str, width: int, why: str) -> Question:
    """A first line that does not name the columns."""
    return question(
        "names",
        f"What are the columns of {title} called? {why}",
        *(
            [answer("its lines say which answers are right", names=["correct"])]
            if width == 1
            else []
        ),
        answer(
            f"give {plural(width, 'name')} in order; the first line is data if it holds numbers or values of others",
            names=(["id", "truth", *"abcdef"] if width > 1 else ["label"])[:width],
        ),
    )


def which_classes(table: Any, chances: Mapping[str, Mapping[str, str]]) -> Question:
    """Probabilities of classes, by model, numbered in an order that only their writer knows."""
    called = {c: f"{model}:p({of})" for model, by in chances.items() for of, c in by.items()}
    facts: dict[str, Any] = {"names": [called.get(name, name) for name in table.names]}
    if table.stem is None:  # names are of files
        facts = {"models": {model: {"probabilities": dict(of)} for model, of in chances.items()}}
    return question(
        next(iter(facts)),
        f"Of which classes are {quoted(list(called))} in {table.title} the probabilities?",
        answer("of these classes, in this order; otherwise change the order", **facts),
    )
