"""The form of a new study: its fields as they came, and what is wrong with each."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args
from urllib.parse import urlencode

from assay.study.catalogues import suite
from assay.study.feature_tables import Task
from assay.web.limits import MAX_STUDY_FILES, MAX_TEXT
from assay.web.study_offers import LEARNERS, MEASURES, SCHEMES, TAKES

TEXTS = ("name", "scheme", "folds", "repeats", "test_size", "seed")
LISTS = ("dataset", "file", "learner", "measure")
_OF_FILE = re.compile(r"(target|task|groups|ignore|known)-([\w-]{1,40})", re.ASCII)
_WHOLE = {"folds": (2, 1000), "repeats": (1, 1000), "seed": (0, 2**63 - 1)}
NAME = "study"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAsked:
    """What was said about one uploaded table; nothing is said before its columns were seen."""

    key: str
    known: bool = False
    target: str = ""
    task: str = ""
    groups: str = ""
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAsked:
    """A study as the form describes it; ``problems`` say of each field what is wrong with it."""

    texts: dict[str, str] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    files: tuple[FileAsked, ...] = ()
    problems: dict[str, str] = field(default_factory=dict)

    def get(self, name: str) -> str:
        return self.texts.get(name, "")

    def chosen(self, name: str) -> tuple[str, ...]:
        return self.lists.get(name, ())

    @property
    def name(self) -> str:
        return self.get("name") or NAME

    @property
    def scheme(self) -> str:
        return self.get("scheme") or "cv"

    def resampling(self) -> dict[str, Any]:
        """As a study file has it."""
        found: dict[str, Any] = {"scheme": self.scheme}
        kinds: dict[str, type] = {"folds": int, "repeats": int, "test_size": float}
        return found | {
            name: kind(self.texts[name]) for name, kind in kinds.items() if self.get(name)
        }

    def address(self, path: str) -> str:
        """The address of the form with everything that was said in it."""
        pairs = [*self.texts.items()]
        pairs += [(name, one) for name, said in self.lists.items() for one in said]
        for one in self.files:
            told = {"known": "1" if one.known else "", "target": one.target, "task": one.task}
            told |= {"groups": one.groups}
            pairs += [(f"{name}-{one.key}", said) for name, said in told.items() if said]
            pairs += [(f"ignore-{one.key}", said) for said in one.ignore]
        return f"{path}?{urlencode(pairs)}" if pairs else path


def read_fields(pairs: Iterable[tuple[str, str]]) -> StudyAsked:
    """The fields of the form, from the address or a POST; unknown names are left out."""
    texts: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    told: dict[str, dict[str, Any]] = {}
    problems: dict[str, str] = {}
    for name, given in pairs:
        value = given.strip()
        of_file = _OF_FILE.fullmatch(name)
        if not value:
            continue
        if len(given) > MAX_TEXT:
            problems[name] = f"This is longer than {MAX_TEXT} characters."
        elif name in TEXTS:
            texts[name] = value
        elif name in LISTS:
            lists.setdefault(name, []).append(value)
        elif of_file is not None:  # columns keep the spaces of their names
            _told(told.setdefault(of_file[2], {}), of_file[1], given)
    chosen = {name: tuple(dict.fromkeys(said)) for name, said in lists.items()}
    files = tuple(FileAsked(key=key, **told.get(key, {})) for key in chosen.get("file", ()))
    found = StudyAsked(texts=texts, lists=chosen, files=files)
    return StudyAsked(
        texts=texts, lists=chosen, files=files, problems={**_strange(found), **problems}
    )


def _told(facts: dict[str, Any], name: str, value: str) -> None:
    if name == "ignore":
        facts["ignore"] = (*facts.get("ignore", ()), value)
    else:
        facts[name] = True if name == "known" else value


def _strange(asked: StudyAsked) -> dict[str, str]:
    """What is wrong by itself, whatever the data are."""
    known: dict[str, Sequence[str]] = {
        "dataset": tuple(suite()),
        "learner": tuple(LEARNERS),
        "measure": tuple(name for names in MEASURES.values() for name in names),
    }
    found = {
        name: f"There is no {word} {one}."
        for name, word in (("dataset", "data set"), ("learner", "learner"), ("measure", "measure"))
        for one in asked.chosen(name)
        if one not in known[name]
    }
    if asked.scheme not in SCHEMES:
        found["scheme"] = f"There is no way to split called {asked.scheme}."
    if len(asked.files) > MAX_STUDY_FILES:
        found["file"] = f"A study started here has at most {MAX_STUDY_FILES} files of yours."
    for one in asked.files:
        if one.task and one.task not in get_args(Task):
            found[f"file-{one.key}"] = "Its target is of classes or of numbers."
    return found | _numbers(asked)


def _numbers(asked: StudyAsked) -> dict[str, str]:
    found = {}
    for name, (least, most) in _WHOLE.items():
        said = asked.get(name)
        if said and not (re.fullmatch(r"[0-9]{1,19}", said) and least <= int(said) <= most):
            found[name] = f"Give a whole number from {least:,} to {most:,}; got {said}."
    said = asked.get("test_size")
    try:
        share = float(said or 0.5)
    except ValueError:
        share = math.nan
    if not 0.0 < share < 1.0:
        found["test_size"] = f"This is a share between 0 and 1, such as 0.3; got {said}."
    for name, schemes in TAKES.items():
        if asked.get(name) and asked.scheme in SCHEMES and asked.scheme not in schemes:
            words = SCHEMES[asked.scheme].split(":")[0]
            found[name] = f"Leave this empty: “{words}” does not use it."
    return found


def lacking(asked: StudyAsked) -> dict[str, str]:
    """What a study needs before it can start."""
    found = {}
    if not asked.chosen("dataset") and not asked.files:
        found["dataset"] = "Choose at least one data set, or add a file of yours."
    if not asked.chosen("learner"):
        found["learner"] = "Choose at least one learner; two or more can be compared."
    return found
