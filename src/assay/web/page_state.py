"""The state of a page as its address holds it: what to read, what to ask, and what is wrong with it."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from assay.core.formatting import write_given
from assay.core.rng import DEFAULT_SEED
from assay.web.limits import MAX_MODELS, MAX_RESAMPLES, MAX_TEXT

COLUMNS = ("truth", "id", "cluster", "repeat", "fold", "weight", "count")
"""Fields that name a column of a table."""
LISTS = ("models", "ignore", "percent", "names", "classes", "where")
"""Fields that come as often as there are names in them."""
FLAGS = ("correct", "losses", "models_in_rows", "by_position")
"""Fields that are said or not."""
READING = (
    *COLUMNS,
    *FLAGS,
    *("positive", "unit", "lower_is_better", "decimal", "sheet", "folds", "repeats", "test_share"),
    *("metric", "task", "unscored", "on_mismatch", "paired"),
)
ANSWER = "answer"
"""How the fields begin that answer an open question; each holds the options that it stands for."""
ASKING = (
    "measure",
    "baseline",
    "against",
    "margin",
    "level",
    "resamples",
    "seed",
    "correction",
    "missing",
)
EXPLORING = ("model", "threshold", "tp", "fn", "fp", "tn")
SAME = {"n_resamples": "resamples", "rng": "seed"}
"""What the library calls a field of ours, for addresses that are written by hand."""
CORRECTIONS: dict[str, str] = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "hochberg": "Hochberg",
    "hommel": "Hommel",
    "shaffer": "Shaffer",
    "bh": "Benjamini-Hochberg",
    "none": "none",
}
_CHOICES: dict[str, tuple[str, ...]] = {
    "unit": ("item", "fold", "seed", "dataset"),
    "unscored": ("error", "drop", "wrong"),
    "on_mismatch": ("error", "intersect"),
    "paired": ("yes", "no"),
    "missing": ("refuse", "complete", "wrong", "skillings-mack"),
    "decimal": ("comma", "point"),
    "lower_is_better": ("yes", "no"),
    **dict.fromkeys(FLAGS, ("yes",)),
    "correction": tuple(CORRECTIONS),
}
_RANGES: dict[str, tuple[float, float]] = {
    "margin": (0.0, math.inf),
    "level": (0.5, 0.9999),
    "threshold": (-math.inf, math.inf),
    "test_share": (0.001, 0.999),
    **dict.fromkeys(("tp", "fn", "fp", "tn"), (-1e9, 1e9)),
}
_WHOLE: dict[str, tuple[int, int]] = {
    "resamples": (100, MAX_RESAMPLES),
    "seed": (0, 2**63 - 1),
    "folds": (2, 10_000),
    "repeats": (1, 10_000),
}
_NAMED = re.compile(
    rf"\bfor (?:the )?({'|'.join(COLUMNS)})\b"
    rf"|(?<![\w'\"])({'|'.join((*READING, *LISTS, *ASKING, 'model'))})="
)
_WORDS: tuple[tuple[str, str], ...] = (
    ("missing", r"scores are missing|missing cell"),
    ("margin", r"\bmargin\b"),
    ("baseline", r"\bbaseline\b"),
    ("positive", r"\bpositive\b"),
    ("against", r"\bagainst\b|one model \("),
    ("measure", r"no measure|name a measure|needs two classes|no scores in|needs (?:a|the)\b"),
    ("truth", r"\btruth\b"),
    ("models", r"\bno model\b|\bmodels\b"),
    ("level", r"\blevel\b"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """What an address asks for; ``problems`` say of each field what is wrong with it."""

    texts: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        return self.lists.get("models", ())

    def get(self, name: str) -> str:
        return self.texts.get(name, "")

    def number(self, name: str) -> float | None:
        return float(self.texts[name]) if name in self.texts else None

    @property
    def seed(self) -> int:
        """The seed asked for, else the one that the library takes."""
        return int(self.texts.get("seed", str(DEFAULT_SEED)))

    def reading(self) -> dict[str, Any]:
        """As `assay.look` takes it."""
        found: dict[str, Any] = {
            name: _TYPED[name](said) if name in _TYPED else said
            for name, said in self.texts.items()
            if name in (*READING, "measure", "missing")
        }
        if found.pop("by_position", False):
            found["id"] = False
        return found | {name: list(said) for name, said in self.lists.items()}

    def asking(self) -> dict[str, Any]:
        """As `assay.compare` takes it, its seed being the library's unless said."""
        found: dict[str, Any] = {"level": self.number("level") or 0.95}
        found["rng"] = self.seed
        if "resamples" in self.texts:
            found["n_resamples"] = int(self.texts["resamples"])
        for name in ("measure", "baseline", "against", "missing"):
            if name in self.texts:
                found[name] = self.texts[name]
        if "lower_is_better" in self.texts:
            found["lower_is_better"] = self.texts["lower_is_better"] == "yes"
        margin = self.number("margin")
        if margin:
            found["margin"] = margin
        return found

    def address(self, path: str, **changes: str | None) -> str:
        """The address of ``path`` with this state, some of it changed."""
        texts = {**self.texts, **{key: said for key, said in changes.items() if said}}
        for name, said in changes.items():
            if not said:
                texts.pop(name, None)
        return _address(path, [*texts.items(), *self._listed()])

    def pairs(self, *without: str) -> list[tuple[str, str]]:
        """The state as fields of a form that has fields of its own for the names ``without``."""
        held = [*self.texts.items(), *self._listed()]
        return [pair for pair in held if pair[0] not in without]

    def _listed(self) -> list[tuple[str, str]]:
        return [(name, one) for name, said in self.lists.items() for one in said]


_TYPED: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys((*FLAGS, "lower_is_better", "paired"), lambda said: said == "yes"),
    **dict.fromkeys(("folds", "repeats"), int),
    "test_share": float,
}
"""Fields that `assay.look` does not take as text."""


def _address(path: str, pairs: Sequence[tuple[str, str]]) -> str:
    return f"{path}?{urlencode(pairs)}" if pairs else path


def written(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Arguments of `assay.look`, as fields of the address."""
    pairs: list[tuple[str, str]] = []
    for name, value in arguments.items():
        if name == "id" and value is False:
            pairs.append(("by_position", "yes"))
        elif isinstance(value, bool):
            pairs.append((name, "yes" if value else "no"))
        elif isinstance(value, list | tuple):
            pairs += [(name, str(one)) for one in value]
        else:
            pairs.append((name, str(value)))
    return pairs


def settled(path: str, pairs: Iterable[tuple[str, str]]) -> str | None:
    """The address in which the answers to open questions have become options; None without any."""
    given = list(pairs)
    answers = [said for name, said in given if name.startswith(ANSWER) and said]
    if not any(name.startswith(ANSWER) for name, _ in given):
        return None
    chosen = [pair for said in answers for pair in parse_qsl(said)]
    told = dict(chosen)
    if "judge" in told:  # that tab answers it
        return _address(
            f"{path}/judge", [("people", told.get("truth", "")), ("judge", told["judge"])]
        )
    names = {name for name, _ in chosen}
    kept = [pair for pair in given if pair[0] not in names and not pair[0].startswith(ANSWER)]
    return _address(path, [pair for pair in (*kept, *chosen) if pair[1].strip()])


def parse(pairs: Iterable[tuple[str, str]]) -> PageRequest:
    """What the address says, field by field; unknown names are left out, as browsers add some."""
    texts: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    problems: dict[str, str] = {}
    for typed, given in pairs:
        name = SAME.get(typed, typed)
        value = given.strip() if name not in LISTS else given
        if not value.strip() and not (name == "models" and value):
            continue
        if len(value) > MAX_TEXT:
            problems[name] = f"This is longer than {MAX_TEXT} characters."
        elif name in LISTS:
            lists.setdefault(name, []).extend(_split(name, value))
        elif name in (*READING, *ASKING, *EXPLORING):
            problem = _problem(name, value)
            if problem is None:
                texts[name] = value
            else:
                problems[name] = problem
    if len(lists.get("models", ())) > MAX_MODELS:
        problems["models"] = f"The page compares at most {MAX_MODELS} models at once."
    unique = {name: tuple(dict.fromkeys(said)) for name, said in lists.items()}
    return PageRequest(texts=texts, lists=unique, problems=problems)


def _split(name: str, value: str) -> list[str]:
    """Names of columns and classes are typed in one field, others are chosen one by one."""
    typed = name in ("names", "classes")
    return [one.strip() for one in value.split(",") if one.strip()] if typed else [value]


def ranged(
    given: Mapping[str, str], ranges: Mapping[str, tuple[float, float, float]]
) -> tuple[dict[str, float], dict[str, str]]:
    """The numbers of sliders, each with its range and start, and what is wrong with them."""
    values: dict[str, float] = {}
    problems: dict[str, str] = {}
    for name, (low, high, start) in ranges.items():
        try:
            number = float(given.get(name) or start)
        except ValueError:
            number = math.nan
        if not low <= number <= high:
            problems[name] = f"Give a number from {write_given(low)} to {write_given(high)}."
        values[name] = number if math.isfinite(number) else start
    return values, problems


def _problem(name: str, value: str) -> str | None:
    """What is wrong with the value of a field, None if nothing is."""
    if name in _CHOICES and value not in _CHOICES[name]:
        return f"Choose one of {', '.join(_CHOICES[name])}; got {value}."
    if name in _RANGES:
        low, high = _RANGES[name]
        try:
            number = float(value)
        except ValueError:
            return f"{value} is not a number."
        if not math.isfinite(number) or not low <= number <= high:
            return f"Give a number {_between(low, high)}; got {value}."
    if name in _WHOLE:
        least, most = _WHOLE[name]
        if not re.fullmatch(r"[0-9]{1,19}", value) or not least <= int(value) <= most:
            upper = f" to {most:,}" if most < 2**53 else " up"
            return f"Give a whole number from {least:,}{upper}; got {value}."
    return None


def _between(low: float, high: float) -> str:
    if math.isinf(low):
        return "that is finite"
    return (
        f"from {write_given(low)} up"
        if math.isinf(high)
        else f"from {write_given(low)} to {write_given(high)}"
    )


def field_of(message: str) -> str | None:
    """The field that an error of assay is about, to show it beside that field."""
    found = _NAMED.search(message)
    if found:
        name = found[1] or found[2]
        return "models" if name == "model" else name
    return next((name for name, words in _WORDS if re.search(words, message)), None)
