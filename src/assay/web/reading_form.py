"""The form of options: every fact that can be told about evidence, in the page's words."""

import re
from dataclasses import dataclass
from typing import Literal

from assay.core.errors import AssayError
from assay.core.formatting import clean
from assay.core.wording import at_terminal

Kind = Literal["column", "columns", "models", "class", "text", "number", "choice", "flag"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One option: its name in Python and in the address, and what the page calls it."""

    name: str
    label: str
    kind: Kind
    choices: tuple[tuple[str, str], ...] = ()
    """Values with their words; the first of them is what holds if nothing is said."""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormGroup:
    """Options about one thing."""

    title: str
    fields: tuple[FormField, ...]


def _column(name: str, label: str) -> FormField:
    return FormField(name=name, label=label, kind="column")


def _flag(name: str, label: str) -> FormField:
    return FormField(name=name, label=label, kind="flag")


FORM: tuple[FormGroup, ...] = (
    FormGroup(
        title="What a row is",
        fields=(
            FormField(
                name="unit",
                label="A row is",
                kind="choice",
                choices=(
                    ("", "as recognised"),
                    ("item", "an item: a question, a patient, an image"),
                    ("fold", "a fold of cross-validation"),
                    ("seed", "a run with another seed"),
                    ("dataset", "a data set or task"),
                ),
            ),
            _flag("models_in_rows", "Rows are models, columns are data sets"),
            _column("id", "Column that names the items"),
            _flag("by_position", "Ignore ids: pair the rows by their order"),
            _column("cluster", "Column of clusters (patients, documents)"),
            _column("repeat", "Column that numbers the repeats of an item"),
            _column("fold", "Column of folds"),
            FormField(
                name="where",
                label="Keep only these rows",
                kind="text",
                hint="split=test",
            ),
        ),
    ),
    FormGroup(
        title="What the columns are",
        fields=(
            _column("truth", "Column with the truth"),
            FormField(name="models", label="Models", kind="models"),
            FormField(name="ignore", label="Columns that are not models", kind="columns"),
            _column("weight", "Column of importance weights"),
            _column("count", "Column of counts (items per row)"),
            FormField(
                name="names",
                label="Names of the columns, if the first line has none",
                kind="text",
                hint="id,truth,a,b",
            ),
        ),
    ),
    FormGroup(
        title="What the values mean",
        fields=(
            _flag("correct", "1 is a right answer, 0 a wrong one"),
            _flag("losses", "Values are losses: lower is better"),
            FormField(
                name="lower_is_better",
                label="Better values are",
                kind="choice",
                choices=(("", "as the measure says"), ("no", "higher"), ("yes", "lower")),
            ),
            FormField(name="positive", label="Positive class", kind="class"),
            FormField(
                name="missing",
                label="A blank means",
                kind="choice",
                choices=(
                    ("", "ask"),
                    ("wrong", "a wrong answer"),
                    ("complete", "leave out its row"),
                    ("skillings-mack", "not tried: use the rest (Skillings-Mack test)"),
                ),
            ),
            FormField(name="percent", label="Columns in per cent, others not", kind="columns"),
            FormField(
                name="decimal",
                label="1,234 is",
                kind="choice",
                choices=(
                    ("", "as recognised"),
                    ("comma", "a fraction: decimal comma"),
                    ("point", "a thousand"),
                ),
            ),
        ),
    ),
    FormGroup(
        title="How the splits were made",
        fields=(
            FormField(name="folds", label="Folds of one run", kind="number", hint="10"),
            FormField(name="repeats", label="Runs of cross-validation", kind="number", hint="10"),
            FormField(
                name="test_share",
                label="Random splits: share of test items",
                kind="number",
                hint="0.3",
            ),
        ),
    ),
    FormGroup(
        title="Workbooks, logs, several files",
        fields=(
            FormField(name="sheet", label="Sheet of the workbook", kind="text"),
            FormField(name="metric", label="Score of the log", kind="text"),
            FormField(name="task", label="Task of the log", kind="text", hint="mmlu_*"),
            FormField(
                name="unscored",
                label="Answers without a score",
                kind="choice",
                choices=(("", "refuse"), ("drop", "leave out"), ("wrong", "count as wrong")),
            ),
            FormField(
                name="on_mismatch",
                label="Items that not all files have",
                kind="choice",
                choices=(("", "refuse"), ("intersect", "leave out, with a note")),
            ),
            FormField(
                name="paired",
                label="The files hold",
                kind="choice",
                choices=(("", "the same items"), ("no", "different items")),
            ),
        ),
    ),
)
"""Every option of reading that the page has a field for."""

_ASKED = {
    "measure": "Measure",
    "baseline": "Baseline",
    "against": "Compare with a level",
    "margin": "Margin",
    "level": "Confidence",
    "resamples": "Resamples",
    "seed": "Seed",
    "correction": "Correction",
    "threshold": "Threshold",
    "model": "Model",
}
LABELS: dict[str, str] = {
    **{field.name: field.label for group in FORM for field in group.fields},
    **_ASKED,
}
"""What the page calls each field."""
_PHRASES = {
    "id=False": "by_position=",
    "paired=False": "paired='no'",
    "correct=True": "correct=",
    "losses=True": "losses=",
    "models_in_rows=True": "models_in_rows=",
    "lower_is_better=True": "lower_is_better='lower'",
    "lower_is_better=False": "lower_is_better='higher'",
    "n_resamples=": "resamples=",
    "rng=": "seed=",
    "name the judge's column with judge=": "name the judge's column in the tab “Judge”",
}
_NAMED = re.compile(
    rf"(?<!['\"\w-])({'|'.join(LABELS)})=(?:'([^']*)'|\"([^\"]*)\"|(\[[^\]]*\])|([-+]?[\w.]*\w))?"
)


def in_page_words(said: str | AssayError) -> str:
    """A message of the library: commands as they are typed, options named as the page names its fields."""
    message = at_terminal(said.for_both) if isinstance(said, AssayError) else said
    for python, ours in _PHRASES.items():
        message = message.replace(python, ours)
    return clean(_NAMED.sub(_field, message))


def _field(found: re.Match[str]) -> str:
    value = next((said for said in found.groups()[1:] if said), None)
    words = dict(_choices(found[1]))
    label = f"“{LABELS[found[1]]}”"
    return f"{label}: {words.get(value, value)}" if value else label


def _choices(name: str) -> tuple[tuple[str, str], ...]:
    fields = (field for group in FORM for field in group.fields)
    return next((field.choices for field in fields if field.name == name), ())
