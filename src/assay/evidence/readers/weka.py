"""Results of Weka's Experimenter, CSV or ARFF: a row per data set, run, fold and scheme."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import number_of, quoted
from assay.evidence.readers.arff import Arff, read_arff
from assay.evidence.reading_options import Told

MEASURE = "Percent_correct"
"""What is read where no measure is asked for."""

COLUMNS = frozenset({"Key_Dataset", "Key_Scheme"})
"""By which a table of results is known."""
_KEYS = {"Key_Dataset": "dataset", "Key_Run": "repeat", "Key_Fold": "fold"}
_SIZES = {"Number_of_training_instances": "n_train", "Number_of_testing_instances": "n_test"}
_SCHEME, _OPTIONS = "Key_Scheme", "Key_Scheme_options"
_AVERAGED = "Avg_"


def records(path: Path, title: str, told: Told) -> list[dict[str, Any]]:
    """Scores by data set, run and fold; cells without a number are left to be missing."""
    table = read_arff(path, title, errors="replace")
    measures = [name for name in table.names if _is_measure(name, table)]
    column = _column(told.measure, measures, title)
    scores = [number_of(cell or "") for cell in table.column(column)]
    known = (_KEYS | _SIZES).items()
    places = {key: table.column(name) for name, key in known if name in table.names}
    found = []
    for row, (model, score) in enumerate(zip(_models(table), scores, strict=True)):
        if score is not None and not math.isnan(score):
            record: dict[str, Any] = {"model": model, "measure": column, "score": score}
            record |= {key: cells[row] for key, cells in places.items()}
            record |= {key: number_of(record[key] or "") for key in _SIZES.values() & places.keys()}
            found.append(record)
    if not found:
        raise EvidenceError(f"{title} has no score in {column!r}")
    return found


def _is_measure(name: str, table: Arff) -> bool:
    if name.startswith("Key_") or name == "Date_time" or name in _SIZES:
        return False
    cells = [cell for cell in table.column(name) if cell is not None]
    return bool(cells) and all(number_of(cell) is not None for cell in cells)


def _column(asked: str | None, measures: Sequence[str], title: str) -> str:
    for name in (asked or MEASURE, f"{_AVERAGED}{asked or MEASURE}"):
        if name in measures:
            return name
    what = f"no measure {asked!r}" if asked else f"no {MEASURE}, so name a measure"
    raise EvidenceError(f"{title} has {what}; it has {quoted(measures, 40)}")


def _models(table: Arff) -> list[str]:
    """Schemes by their last word; with their options where a scheme was run with several."""
    schemes = [str(cell) for cell in table.column(_SCHEME)]
    options = [cell or "" for cell in table.column(_OPTIONS)]
    runs = set(zip(schemes, options, strict=True))
    variants = Counter(scheme for scheme, _ in runs)
    short = Counter(_last_word(scheme) for scheme in variants)
    models = []
    for scheme, option in zip(schemes, options, strict=True):
        name = _last_word(scheme) if short[_last_word(scheme)] == 1 else scheme
        models.append(f"{name} {option}".strip() if variants[scheme] > 1 else name)
    return models


def _last_word(scheme: str) -> str:
    return scheme.rsplit(".", 1)[-1]
