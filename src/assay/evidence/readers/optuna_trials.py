"""Lists of items among the user attributes of trials of Optuna."""

from collections.abc import Iterator
from typing import Any

from assay.evidence.readers.log_files import decoded
from assay.evidence.readers.log_items import LogAnswer


def answers(found: Any, _: str) -> Iterator[LogAnswer]:
    """Lists among the user attributes of trials, such as `trial.set_user_attr("correct", [1, 0, …])`."""
    trials: dict[int, dict[str, list[Any]]] = {}
    for number, name, text in found:
        trials.setdefault(number, {})[name] = decoded(
            text.encode(), list[Any], f"{name} of trial {number}"
        )
    for number, lists in trials.items():
        for place in range(max(map(len, lists.values()))):
            scores = {name: one[place] for name, one in lists.items() if place < len(one)}
            yield LogAnswer(str(place), scores, f"place {place}", {}, f"trial {number}")
