"""The lines of a samples file of lm-evaluation-harness, of every version that writes items."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import id_text
from assay.evidence.readers.logs import (
    cluster_of,
    decoded,
    digest,
    document,
    head_of,
    json_lines,
)

NO_FILTER = "none"
"""What the harness calls answers as they came."""

_SNIFF = 50
_KNOWN = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}
_Marked = msgspec.defstruct("Marked", [("doc_id", int | str), ("filter", str | None, None)])
_marked = msgspec.json.Decoder(_Marked)
_anything = msgspec.json.Decoder(dict[str, Any])
_array = msgspec.json.Decoder(list[msgspec.Raw])


class Line(NamedTuple):
    """What one line says about one item."""

    place: str
    item: str
    value: Any
    content: str
    prompt: str
    cluster: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SamplesFile:
    """A samples file: the metrics and filters in it, and whether its lines carry hashes.

    Up to 0.4.7 lines do not say which filter they are of: the lines of one filter then follow those
    of another, and an item occurs as often as there are filters. Up to 0.4.2 a file is one array.
    """

    path: Path
    title: str
    first: tuple[dict[str, Any], ...]
    metrics: tuple[str, ...]
    filters: tuple[str, ...]
    named: bool
    hashed: bool

    @classmethod
    def open(cls, path: Path, title: str, filters: Sequence[str]) -> "SamplesFile":
        """``filters`` are those of the results file, for lines that do not name theirs."""
        first = tuple(
            decoded(line, _anything, place)
            for place, line in itertools.islice(_entries(path, title), _SNIFF)
        )
        if not first:
            raise EvidenceError(f"{title} is empty")
        names: dict[str, None] = {}
        for sample in first:
            listed = sample.get("metrics")
            found = listed if isinstance(listed, list) else [k for k in sample if k not in _KNOWN]
            names |= dict.fromkeys(str(name) for name in found if name not in _KNOWN)
        held, named = _filters(path, title, filters)
        return cls(
            path=path,
            title=title,
            first=first,
            metrics=tuple(names),
            filters=held,
            named=named,
            hashed=all("doc_hash" in sample for sample in first),
        )

    def lines(self, metric: str, kept: str, cluster: str | None) -> Iterator[Line]:
        """The lines of one filter; documents, prompts and responses are skipped unread."""
        fields: list[Any] = [
            ("doc_id", int | str),
            ("value", Any, msgspec.field(name=metric, default=None)),
            *((name, str, "") for name in ("doc_hash", "prompt_hash", "target_hash")),
            ("filter", str, NO_FILTER),
        ]
        if cluster is not None or not self.hashed:
            fields += [("doc", Any, None), ("target", Any, None)]
        decoder = msgspec.json.Decoder(msgspec.defstruct("Sample", fields))
        seen: Counter[str] = Counter()
        for place, data in _entries(self.path, self.title):
            line: Any = decoded(data, decoder, place)
            item = id_text(line.doc_id)
            mine = line.filter if self.named else self.filters[seen[item]]
            seen[item] += 1
            if mine == kept:
                yield Line(
                    place=place,
                    item=item,
                    value=line.value,
                    content=self._content(line),
                    prompt=line.prompt_hash,
                    cluster=None if cluster is None else cluster_of(line.doc, cluster),
                )

    def _content(self, line: Any) -> str:
        """What tells that two lines are about the same item: the harness's hashes, or one of ours."""
        if self.hashed:
            return f"lm-eval {line.doc_hash} {line.target_hash}"
        return "" if line.doc is None else f"doc {digest(line.doc, str(line.target))}"


def _entries(path: Path, title: str) -> Iterator[tuple[str, bytes]]:
    """Every sample with its place, one a line, or all in one array as old versions write them."""
    if head_of(path, 64).lstrip().startswith(b"["):
        entries: list[msgspec.Raw] = document(path, title, _array)
        for number, entry in enumerate(entries, start=1):
            yield f"entry {number} of {title}", bytes(entry)
        return
    for number, line in json_lines(path, title):
        yield f"line {number} of {title}", line


def _filters(path: Path, title: str, said: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """The filters of a file, and whether its lines name them."""
    found: dict[str, None] = {}
    where: dict[str, str] = {}
    times: Counter[str] = Counter()
    twice = ""
    named = False
    for place, line in _entries(path, title):
        marked: Any = decoded(line, _marked, place)
        named |= marked.filter is not None
        found[marked.filter or NO_FILTER] = None
        item, near = id_text(marked.doc_id), place.partition(" of ")[0]
        twice = twice or (f"{item!r}: {where[item]}, {near}" if item in where else "")
        where.setdefault(item, near)
        times[item] += 1
    counts = set(times.values())
    if named or counts == {1}:
        return tuple(found), True
    if counts != {len(said)}:
        raise EvidenceError(
            f"{title} scores an item more than once and does not say by which filter ({twice}). "
            "lm-evaluation-harness names filters since 0.4.8; of older logs keep the results file "
            "beside the samples, or give one run in one file"
        )
    return tuple(said), False
