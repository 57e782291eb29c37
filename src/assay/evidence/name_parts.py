"""What the parts of a column's name say: whose spread, count, run or measure the column holds."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from assay.core.measure_names import better_side, is_turned
from assay.evidence.names import right_model

_SPREAD = re.compile(
    r"(?P<of>.+?)(?:[ _.-]+|\s*(?=\())(?:\(?(?P<word>std|sd|stdev|std_dev|stddev|se|sem|stderr|std_err|ci|ci95|var|"
    r"variance|sigma|σ|lower|upper|low|high|lo|hi|lb|ub|[qp](?=[ _.-]*\d)|ci_low|ci_high|ci_lower|ci_upper|err|pm|±|"
    r"iqr|min|max|best|logprob|residual|resid|conf|confidence|error|rank|ranking|n|time|runtime|params|pval|"
    r"ms|sec|seconds|tokens|cost|latency)\)?)[ _.-]*(?:p?\d+(?:\.\d+)?%?)?",
    re.IGNORECASE,
)
_TWINS = {"max": "min", "min": "max", "high": "low", "low": "high", "hi": "lo", "lo": "hi"}
_TWINS["best"] = "mean"
"""Ends of a range, which come in pairs: qwen-max alone is a model, and rf_best without rf_mean."""
_SPREAD_FIRST = re.compile(
    r"(?:std|sd|se|stderr|sem|stdev|rank|time|n|conf|confidence)[ _.-]+(?P<of>.+)", re.IGNORECASE
)
LONGEST = 500
"""Letters of a name in which parts are looked for: longer ones are no names, and the work grows with their square."""


def spread_of(name: str, names: Sequence[str]) -> str | None:
    """The column whose spread, rank or cost a column holds: C4.5 of C4.5_std, where C4.5 is there."""
    for pattern in (_SPREAD, _SPREAD_FIRST) if len(name) <= LONGEST else ():
        found = pattern.fullmatch(name.strip())
        if found and not _is_alone(name, found, names):
            for other in (one for one in names if len(one) <= LONGEST):
                stems = {
                    other.strip(),
                    re.sub(r"[ _.-]*(mean|avg|mu|µ|μ|score|median|[pq]50)$", "", other.strip()),
                    re.sub(r"^(mean|avg|median)[ _.-]+", "", other.strip()),
                }
                if other != name and found["of"] in stems:
                    return other
    return None


def _is_alone(name: str, found: re.Match[str], names: Sequence[str]) -> bool:
    """Whether a name ends as one end of a range does, and the other end is not there."""
    word = (found.groupdict().get("word") or "").lower()
    if word not in _TWINS or found.end("word") < len(name.strip().rstrip(")")):
        return False  # model-lo-90 says which end of which interval it is
    start, end = found.span("word")
    twin = f"{name.strip()[:start]}{_TWINS[word]}{name.strip()[end:]}".lower()
    return all(other.strip().lower() != twin for other in names)


_TOTAL = re.compile(
    r"(?:(?P<of>.+)[ _.:-])?(?:n|total|totals|n_items|items|trials|n_total|questions|samples|n_samples|"
    r"num_samples|attempts|n_test)",
    re.IGNORECASE,
)
_ERRORS = re.compile(
    r"(?:(?P<of>.+)[ _.:-])?(?:n_|num_)?(?:errors?|wrong|incorrect|failures|failed|mistakes)",
    re.IGNORECASE,
)


def total_of(name: str) -> str | None:
    """The model of a column called rf_total, "" of one called total; None where it is neither."""
    found = _TOTAL.fullmatch(name.strip())
    return None if found is None else found["of"] or ""


def counted_model(name: str) -> str | None:
    """The model of a column that may count right or wrong answers, as rf_correct does."""
    text = re.sub(r"^(?:n|num)[ _]", "", name.strip())
    text = re.sub(r"(?<=success)es$|(?<=pass)es$|(?<=hit)s$", "", text)
    found = _ERRORS.fullmatch(name.strip())
    return right_model(text) if found is None else found["of"] or ""


_NUMBERED = re.compile(
    r"(?P<word>fold|cv|split|seed|run|rep|repeat|repetition|trial)s?[ _#.-]*\d+(?:[ _.-]*(?:test)?[ _.-]*scores?)?",
    re.IGNORECASE,
)


def numbered_place(names: Iterable[str]) -> Literal["fold", "seed"] | None:
    """What fold_0, fold_1 … or "run 1", "run 2" … number, where all names do."""
    found = [_NUMBERED.fullmatch(name.strip()) for name in names]
    words = {_of_word(one["word"]) for one in found if one}
    return words.pop() if None not in found and len(words) == 1 else None


_RUN = re.compile(
    r"(?P<model>.+?)[ _.-]+(?P<word>fold|cv|split|seed|run|rep|repeat|repetition|trial|s)[ _#.-]*(?P<number>\d+)",
    re.IGNORECASE,
)


def runs_by_model(names: Sequence[str]) -> dict[str, tuple[str, str, str]]:
    """Model, place and number of columns called rf_seed1, rf_seed2, lr_seed1 …; none if some are not."""
    found = {name: _RUN.fullmatch(name.strip()) for name in names if len(name) <= LONGEST}
    runs: dict[str, tuple[str, str, str]] = {
        name: (one["model"], _of_word(one["word"]), one["number"])
        for name, one in found.items()
        if one
    }
    times = Counter(model for model, _, _ in runs.values())
    whole = len(runs) == len(names) and len(set(runs.values())) == len(runs)
    if any(
        one and one["word"] in "sS" for one in found.values()
    ):  # s1 may be the size of one model
        numbers = {number for _, _, number in runs.values()}
        whole = whole and len(times) > 1 and len(runs) == len(times) * len(numbers)
    return runs if whole and times and min(times.values()) > 1 else {}


def _of_word(word: str) -> Literal["fold", "seed"]:
    return "fold" if word.lower() in ("fold", "cv", "split") else "seed"


_BREAK = re.compile(r"[ _.:/~-]+")
_QUALIFIERS = re.compile(
    r"macro|micro|weighted|balanced|top_?-?\d*|mean|avg|average|test|train|training|val|valid|validation|dev|"
    r"eval|median|total|min|max|std|sd|se|best|last|final|abs|squared|log|norm.*|raw|overall|class.*|pos.*|"
    r"neg.*|true|false|at|\d+|fit|score|rank|mean_.*|std_.*",
    re.IGNORECASE,
)
"""Words that say which accuracy is meant, never whose."""


_TRAINING_PART = frozenset({"train", "training", "trn"})
_TEST_PART = frozenset({"test", "tst", "val", "valid", "validation", "dev", "eval", "holdout"})


def of_training(names: Sequence[str]) -> list[str]:
    """Columns called rf_train, or train_rf, where rf_test is there too."""
    parts = {name: _BREAK.split(name.strip().lower()) for name in names}
    tested = {
        tuple(p for p in words if p not in _TEST_PART)
        for words in parts.values()
        if {words[0], words[-1]} & _TEST_PART
    }
    return [
        name
        for name, words in parts.items()
        if {words[0], words[-1]} & _TRAINING_PART
        and tuple(p for p in words if p not in _TRAINING_PART) in tested
    ]


def models_by_measure(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Model and measure of columns called rf_accuracy and svm_accuracy, or accuracy_rf; none if some are not.

    A measure stands in two columns at least, and every model has every measure.
    """
    splits = {name: _splits(name) for name in names}
    shared = Counter(measure.lower() for found in splits.values() for _, measure in found)
    chosen: dict[str, tuple[str, str]] = {}
    for name, found in splits.items():
        often = [one for one in found if shared[one[1].lower()] > 1]
        if not often:
            return {}
        chosen[name] = max(often, key=lambda one: (shared[one[1].lower()], len(one[1])))
    chosen = {name: _with_shared_word(pair, chosen.values()) for name, pair in chosen.items()}
    if any(better_side(measure) is None for _, measure in chosen.values()):
        return {}
    models, measures = ({pair[side].lower() for pair in chosen.values()} for side in (0, 1))
    whole = len(set(chosen.values())) == len(chosen) == len(models) * len(measures)
    return chosen if whole and len(models) > 1 else {}


def speaks_of_measure(name: str) -> bool:
    """Whether a column is called after a measure, alone or beside a model."""
    return better_side(name) is not None or (not is_turned(name) and bool(_splits(name)))


def models_in(name: str) -> list[str]:
    """The models that a column's name may speak of beside a measure."""
    return [model for model, _ in _splits(name)]


def _with_shared_word(pair: tuple[str, str], pairs: Collection[tuple[str, str]]) -> tuple[str, str]:
    """Model and measure, to which a word belongs that all models end with: A_dwell and B_dwell beside time."""
    ends = {_BREAK.split(model)[-1].lower() for model, _ in pairs}
    parts = _BREAK.split(pair[0])
    if len(ends) > 1 or len(pairs) < 2 or len(parts) < 2:
        return pair
    return pair[0][: -len(parts[-1]) - 1], f"{parts[-1]}_{pair[1]}"


def _splits(name: str) -> list[tuple[str, str]]:
    """The ways in which a name is a model beside a measure."""
    found: list[tuple[str, str]] = []
    if len(name) > LONGEST:
        return found
    for mark in _BREAK.finditer(name.strip()):
        before, after = name.strip()[: mark.start()], name.strip()[mark.end() :]
        for model, measure in ((before, after), (after, before)):
            known = better_side(measure) is not None and better_side(model) is None
            ends = {_BREAK.split(model)[place].lower() for place in (0, -1)}
            of_part = bool(ends & (_TRAINING_PART | _TEST_PART))  # rf_test of rf_test_acc
            if model and known and not of_part and not _QUALIFIERS.fullmatch(model):
                found.append((model, measure))
    return found
