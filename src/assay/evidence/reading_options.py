"""What a user says about evidence: one set of options for Python, command line and page."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, Literal, TypedDict, get_args

from assay.core.checks import check_choice, check_single, rename, single_kinds
from assay.core.errors import UsageError
from assay.core.vocabulary import UNITS

Where = str | Iterable[str] | Mapping[str, Any] | None
"""One condition or several: "column=value", or columns with the value (or values) to keep."""
ModelsGiven = str | Sequence[str] | Mapping[str, str | Mapping[str, Any]] | None
"""Models by name, or their columns by model."""
Column = Any
"""The name of a column, or its values."""
OnMismatch = Literal["error", "intersect"]
"""What becomes of items that one of several sources lacks."""


class Options(TypedDict, total=False):
    """The options of :func:`assay.read`, with which every verb reads its evidence."""

    truth: Column
    models: ModelsGiven
    ignore: str | Sequence[str] | None
    id: Column | Literal[False]
    cluster: Column
    weight: Column
    count: Column
    fold: Column
    repeat: Column
    slice: str | None
    where: Where
    positive: Any
    threshold: float | None
    classes: Sequence[Any] | None
    correct: bool
    losses: bool
    lower_is_better: bool | None
    missing: str
    percent: str | Sequence[str] | None
    decimal: str | None
    sheet: str | None
    names: str | Sequence[str] | None
    models_in_rows: bool | None
    unit: str | None
    measure: str | None
    folds: int | None
    repeats: int | None
    test_share: float | None
    paired: bool
    on_mismatch: str
    metric: str | None
    task: str | Sequence[str] | None
    unscored: str
    scores: str | None
    judge: str | Sequence[str] | None
    labelled_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Told:
    """The options as they were given; None and False where nothing was said."""

    truth: str | None = None
    """Column with the truth."""
    models: ModelsGiven = None
    """The models: columns, or names in the column that names them, or that column."""
    ignore: Sequence[str] = ()
    """Columns that are not models and have no other part."""
    id: Any = None
    """Column that names the items; False pairs rows by position."""
    cluster: str | None = None
    weight: str | None = None
    count: str | None = None
    fold: str | None = None
    repeat: str | None = None
    slice: str | None = None
    where: Where = None
    positive: Any = None
    threshold: float | None = None
    classes: Sequence[Any] | None = None
    """The classes of the columns of probabilities, where an array has several, or of the codes 0, 1, 2 …"""
    correct: bool = False
    """1 is a right answer, 0 a wrong one."""
    losses: bool = False
    """The values are losses of items: lower is better."""
    lower_is_better: bool | None = None
    missing: str = "refuse"
    percent: Sequence[str] = ()
    """Columns in per cent beside others that are fractions."""
    decimal: str | None = None
    """What separates decimals: "comma" or "point"."""
    sheet: str | None = None
    """The sheet of an Excel workbook that counts."""
    names: Sequence[str] = ()
    """Names of the columns of a CSV file whose first line does not name them."""
    models_in_rows: bool | None = None
    unit: str | None = None
    measure: str | None = None
    folds: int | None = None
    repeats: int | None = None
    test_share: float | None = None
    paired: bool = True
    on_mismatch: OnMismatch = "error"
    metric: str | None = None
    task: str | Sequence[str] | None = None
    unscored: str = "error"
    scores: str | None = None
    judge: str | Sequence[str] | None = None
    """Column with a judge's grades or labels of all items, beside a truth with gaps."""
    labelled_at: str | None = None
    """How items were chosen for people: "random", "strata:COLUMN", "probability:COLUMN"."""
    model_column: str | None = None
    """The column that names the models in a long table, where ``models`` named it."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Columns that were given as arrays, by role."""

    @staticmethod
    def of(options: Mapping[str, Any]) -> "Told":
        """The options checked; an array where a column is meant becomes a column of that role."""
        known = {one.name for one in fields(Told)} - {"extra", "model_column"}
        said = dict(options)
        if "higher_is_better" in said:
            rename(said, {"lower_is_better"})
        unknown = [name for name in said if name not in known]
        if unknown:
            raise UsageError(f"there is no argument {unknown[0]}={_near(unknown[0], known)}")
        extra = {}
        for role in COLUMNS:
            value = said.get(role)
            if isinstance(value, int) and not isinstance(value, bool):
                said[role] = str(value)  # a column that is numbered
            elif not (value is None or value is False or isinstance(value, str)):
                extra[role] = value
                said[role] = f"{role} given"
        _list_names(said)
        if not isinstance(said.get("measure"), str | None):
            raise UsageError(
                "measure= of look and read is a name; give your own function to compare or evaluate"
            )
        for number in ("folds", "repeats", "test_share"):
            if not isinstance(said.get(number), Real | None):
                raise UsageError(f"{number}= is a number, got {said[number]!r}")
        check_single(said, SINGLE)
        for option, choices in CHOICES.items():
            if said.get(option) is not None:
                check_choice(said[option], choices, option)
        if said.get("correct") and said.get("losses"):
            raise UsageError("correct= says that 1 is right, losses= that it is wrong: give one")
        return Told(**said, extra=extra)

    @property
    def of_logs(self) -> bool:
        """Whether something was said that only logs of evaluation harnesses have."""
        return self.metric is not None or self.task is not None or self.unscored != "error"

    @property
    def listed(self) -> list[str] | None:
        """The models by name, where they were given so."""
        if self.models is None:
            return None
        return [self.models] if isinstance(self.models, str) else [str(m) for m in self.models]

    @property
    def higher(self) -> bool | None:
        """Whether higher values are better, as far as that was said."""
        if self.correct:
            return True
        if self.losses:
            return False
        return None if self.lower_is_better is None else not self.lower_is_better


CHOICES: dict[str, tuple[str, ...]] = {
    "unit": UNITS,
    "decimal": ("comma", "point"),
    "on_mismatch": get_args(OnMismatch),
}
"""Options that are one of a few words."""
LISTS = ("ignore", "percent", "names")
"""Options that name several columns."""
SINGLE = single_kinds({one.name: one.type for one in fields(Told) if one.name not in LISTS})
COLUMNS = ("truth", "id", "cluster", "weight", "count", "fold", "repeat", "slice")
"""Options that name a column, or give its values."""


def names_given(given: Any, option: str) -> tuple[str, ...]:
    """Names that came in a list, or in one text with commas."""
    if given is None:
        return ()
    if not isinstance(given, Iterable) or getattr(given, "shape", None) == ():
        raise UsageError(f"{option}= is a name or a list of names, got {given!r}")
    names = given.split(",") if isinstance(given, str) else given
    return tuple(str(name).strip() for name in names)


def _list_names(said: dict[str, Any]) -> None:
    """Names in whatever held them as plain lists: an array is compared with nothing later on."""
    for listed in LISTS:
        given = said.pop(listed, None)
        if given is not None:
            said[listed] = names_given(given, listed)
    for named, plain in (("models", str | Mapping), ("judge", str), ("task", str)):
        if not isinstance(said.get(named), plain | None):
            said[named] = list(names_given(said[named], named))
    if said.get("classes") is not None:
        said["classes"] = _classes(said["classes"])


def _classes(given: Any) -> tuple[Any, ...]:
    """Classes in their order, each once."""
    ordered = isinstance(given, Iterable) and not isinstance(given, Set | Mapping | bytes)
    lone = getattr(given, "shape", None) == ()
    found = given.split(",") if isinstance(given, str) else given if ordered and not lone else ()
    classes = tuple(found)
    nested = any(hasattr(one, "__len__") and not isinstance(one, str) for one in classes)
    if not classes or nested or len(set(map(str, classes))) < len(classes):
        raise UsageError(
            f"classes= is a list of classes in their order, each once; got {given!r:.60}"
        )
    return classes


_MEANT = {
    "groups": "cluster", "pos_label": "positive", "scoring": "measure", "y_true": "truth", "labels": "classes",
}  # fmt: skip
"""Options of scikit-learn by our names."""


def _near(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    meant = _MEANT.get(name)
    near = [meant] if meant else get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {near[0]}=?" if near else f"; there are {', '.join(sorted(known))}"
