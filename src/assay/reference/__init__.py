"""The reference cases behind `assay selftest`: values from R and independent implementations."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One input with the values that an independent program gives for it."""

    id: str
    input: dict[str, Any]
    expected: dict[str, Any]
    rtol: float
    source: str


def names() -> tuple[str, ...]:
    """The reference files, as ``family__function``."""
    here = files(__name__)
    return tuple(
        sorted(p.name.removesuffix(".json") for p in here.iterdir() if p.name.endswith(".json"))
    )


def cases(name: str) -> Iterator[Case]:
    """The cases of one reference file."""
    document = msgspec.json.decode(files(__name__).joinpath(f"{name}.json").read_bytes())
    for case in document["cases"]:
        yield Case(
            id=case["id"],
            input=case["input"],
            expected=case["expected"],
            rtol=case.get("rtol", document.get("rtol", 1e-9)),
            source=str(document.get("source", "")),
        )
