"""The state of a page as its address holds it: what to read, what to ask, and what is wrong with it."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from assay.core.rng import DEFAULT_SEED
from assay.web.limits import MAX_MODELS, MAX_RESAMPLES, MAX_TEXT

COLUMNS = ("truth", "id", "cluster", "weight", "count")
"""Fields that name a column of a table."""
READING = (*COLUMNS, "positive", "unit", "metric", "task", "unscored", "on_mismatch", "paired")
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
EXPLORING = ("model", "threshold", "tp", "fn", "fp", "tn", "bins")
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
    "missing": ("refuse", "complete", "skillings-mack"),
    "correction": tuple(CORRECTIONS),
}
_RANGES: dict[str, tuple[float, float]] = {
    "margin": (0.0, math.inf),
    "level": (0.5, 0.9999),
    "threshold": (-math.inf, math.inf),
    **dict.fromkeys(("tp", "fn", "fp", "tn"), (-1e9, 1e9)),
}
_WHOLE: dict[str, tuple[int, int]] = {
    "resamples": (100, MAX_RESAMPLES),
    "seed": (0, 2**63 - 1),
    "bins": (2, 50),
}
_NAMED = re.compile(
    r"\bfor (?:the )?(truth|id|weight|count|cluster)\b|\b(truth|id|weight|count|cluster|positive|unit|"
    r"metric|task|unscored|baseline|against|margin|level|models?|measure|on_mismatch|paired)="
)
_WORDS: tuple[tuple[str, str], ...] = (
    ("missing", r"missing=|scores are missing|missing cell"),
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
class Asked:
    """What an address asks for; ``problems`` say of each field what is wrong with it."""

    texts: Mapping[str, str] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)

    def get(self, name: str) -> str:
        return self.texts.get(name, "")

    def number(self, name: str) -> float | None:
        return float(self.texts[name]) if name in self.texts else None

    @property
    def seed(self) -> int:
        """The seed asked for, else the one that the library takes."""
        return int(self.texts.get("seed", str(DEFAULT_SEED)))

    def reading(self) -> dict[str, Any]:
        """As `assay.read` takes it."""
        found: dict[str, Any] = {
            name: self.texts[name] for name in READING if name in self.texts and name != "paired"
        }
        if self.texts.get("paired") == "no":
            found["paired"] = False
        if self.models:
            found["models"] = list(self.models)
        return found

    def asking(self) -> dict[str, Any]:
        """As `assay.compare` takes it, its seed being the library's unless said."""
        found: dict[str, Any] = {"level": self.number("level") or 0.95}
        found["rng"] = self.seed
        if "resamples" in self.texts:
            found["n_resamples"] = int(self.texts["resamples"])
        for name in ("measure", "baseline", "against", "missing"):
            if name in self.texts:
                found[name] = self.texts[name]
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
        pairs = [*texts.items(), *(("models", model) for model in self.models)]
        return f"{path}?{urlencode(pairs)}" if pairs else path


def parse(pairs: Iterable[tuple[str, str]]) -> Asked:
    """What the address says, field by field; unknown names are left out, as browsers add some."""
    texts: dict[str, str] = {}
    models: list[str] = []
    problems: dict[str, str] = {}
    for name, given in pairs:
        value = given.strip() if name != "models" else given
        if not value:
            continue
        if len(value) > MAX_TEXT:
            problems[name] = f"This is longer than {MAX_TEXT} characters."
        elif name == "models":
            models.append(value)
        elif name in (*READING, *ASKING, *EXPLORING):
            problem = _problem(name, value)
            if problem is None:
                texts[name] = value
            else:
                problems[name] = problem
    if len(models) > MAX_MODELS:
        problems["models"] = f"The page compares at most {MAX_MODELS} models at once."
    return Asked(texts=texts, models=tuple(dict.fromkeys(models)), problems=problems)


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
            problems[name] = f"This is a number from {low:g} to {high:g}."
        values[name] = number if math.isfinite(number) else start
    return values, problems


def _problem(name: str, value: str) -> str | None:
    """What is wrong with the value of a field, None if nothing is."""
    if name in _CHOICES and value not in _CHOICES[name]:
        return f"This is one of {', '.join(_CHOICES[name])}; {value!r} is none of them."
    if name in _RANGES:
        low, high = _RANGES[name]
        try:
            number = float(value)
        except ValueError:
            return f"{value!r} is no number."
        if not math.isfinite(number) or not low <= number <= high:
            return f"This is a number {_between(low, high)}; got {value}."
    if name in _WHOLE:
        least, most = _WHOLE[name]
        if not re.fullmatch(r"[0-9]{1,19}", value) or not least <= int(value) <= most:
            return f"This is a whole number from {least:,} to {most:,}; got {value}."
    return None


def _between(low: float, high: float) -> str:
    if math.isinf(low):
        return "that is finite"
    return f"from {low:g} up" if math.isinf(high) else f"from {low:g} to {high:g}"


def field_of(message: str) -> str | None:
    """The field that an error of assay is about, to show it beside that field."""
    found = _NAMED.search(message)
    if found:
        name = found[1] or found[2]
        return "models" if name == "model" else name
    return next((name for name, words in _WORDS if re.search(words, message)), None)
