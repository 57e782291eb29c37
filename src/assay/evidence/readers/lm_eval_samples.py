"""The lines of a samples file of lm-evaluation-harness, of every version that writes items."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import id_text
from assay.evidence.readers.log_files import decoded, document, head_of, lines_of
from assay.evidence.readers.log_items import cluster_of, digest, times_seen

NO_FILTER = "none"
"""What the harness calls answers as they came."""


class HarnessLine(msgspec.Struct):
    """What every line says beside its metrics; prompts and responses are skipped."""

    doc_id: int | str
    doc: Any = None
    target: Any = None
    filter: str | None = None
    metrics: Any = None
    doc_hash: str = ""
    prompt_hash: str = ""
    target_hash: str = ""

    def content(self) -> str:
        """What tells that two lines are about the same item: the harness's hashes, or one of ours."""
        if self.doc_hash:
            return f"lm-eval {self.doc_hash} {self.target_hash}"
        return "" if self.doc is None else f"doc {digest(self.doc, str(self.target))}"


class HarnessSample(NamedTuple):
    """One item under one filter, with the values of its metrics."""

    place: str
    item: str
    filter: str | None
    metrics: list[str]
    values: dict[str, Any]
    content: str
    prompt: str
    cluster: str | None


_KNOWN = {*HarnessLine.__struct_fields__, "arguments", "resps", "filtered_resps"}


def read_samples(
    path: Path, title: str, filters: Sequence[str], cluster: str | None
) -> list[HarnessSample]:
    """All lines of a file; ``filters`` are those of the results file, for lines that do not name theirs."""
    found = []
    for place, data in _entries(path, title):
        line, whole = decoded(data, HarnessLine, place), decoded(data, dict[str, Any], place)
        listed = map(str, line.metrics if isinstance(line.metrics, list) else whole)
        prompt = f"prompt {line.prompt_hash}" if line.prompt_hash else ""
        metrics = [name for name in listed if name not in _KNOWN]
        values = {name: value for name, value in whole.items() if name not in _KNOWN}
        cluster_value = cluster_of(line.doc, cluster)
        item = id_text(line.doc_id)
        found.append(
            HarnessSample(
                place, item, line.filter, metrics, values, line.content(), prompt, cluster_value
            )
        )
    if not found:
        raise EvidenceError(f"{title} is empty")
    return _with_filters(found, title, filters)


def _entries(path: Path, title: str) -> Iterator[tuple[str, bytes]]:
    """Every sample with its place, one a line, or (up to 0.4.2) all in one array."""
    if head_of(path, 64).lstrip().startswith(b"["):
        for number, entry in enumerate(document(path, title, list[msgspec.Raw]), start=1):
            yield f"entry {number} of {title}", bytes(entry)
        return
    for number, line in lines_of(path, title):
        yield f"line {number} of {title}", line


def _with_filters(
    found: list[HarnessSample], title: str, said: Sequence[str]
) -> list[HarnessSample]:
    """Samples that know their filter.

    Up to 0.4.7 lines do not say which filter they are of: the lines of one filter then follow those
    of another, and an item occurs as often as there are filters.
    """
    times = set(Counter(sample.item for sample in found).values())
    if times == {1} or any(sample.filter is not None for sample in found):
        return [sample._replace(filter=sample.filter or NO_FILTER) for sample in found]
    if times != {len(said)}:
        raise EvidenceError(
            f"{title} scores an item more than once and does not say by which filter "
            f"({': '.join(twice(found) or ())}). lm-evaluation-harness names filters since 0.4.8. "
            "For older logs keep the results file beside the samples, or give one run per file"
        )
    turns = times_seen(sample.item for sample in found)
    return [s._replace(filter=said[turn - 1]) for s, turn in zip(found, turns, strict=True)]


def twice(found: Sequence[HarnessSample]) -> tuple[str, str] | None:
    """The first item that occurs again, and where."""
    places: dict[str, str] = {}
    for sample in found:
        near = sample.place.partition(" of ")[0]
        if sample.item in places:
            return repr(sample.item), f"{places[sample.item]}, {near}"
        places[sample.item] = near
    return None
