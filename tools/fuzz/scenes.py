"""Sound files of every kind, small, in one folder; commands and pages take one of them and make it strange."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tools.fuzz.logs import BY_SUFFIX, STUDY, changed_bytes
from tools.fuzz.store_doors import small_study, sound_store

GATE = """
files = ["old.csv", "new.csv"]
[reading]
id = "id"
truth = "truth"
[gate]
margin = 0.05
measures = ["accuracy", "f1"]
slice = "region"
slice_margin = 0.2
"""
ITEMS = 60


def set_out(folder: Path) -> None:
    """Write all of them, but for a ledger, which a board writes."""
    (folder / "folder").mkdir(parents=True)
    for name, columns in _tables(random.Random(1)).items():
        lines = [columns, *zip(*columns.values(), strict=True)]
        (folder / name).write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    (folder / "study.toml").write_text(STUDY)
    (folder / "gate.toml").write_text(GATE)
    sound_store(small_study(), folder / "study.db")


def _tables(rng: random.Random) -> dict[str, dict[str, Sequence[Any]]]:
    truth = [rng.randrange(2) for _ in range(ITEMS)]

    def like(share: float) -> list[int]:
        return [one if rng.random() < share else 1 - one for one in truth]

    def drawn(count: int, draw: Callable[[], Any]) -> list[Any]:
        return [draw() for _ in range(count)]

    def scores(names: str, count: int) -> dict[str, list[float]]:
        return {name: drawn(count, lambda: round(rng.random(), 3)) for name in names}

    ids = {"id": list(range(ITEMS)), "truth": truth}
    regions = {"region": drawn(ITEMS, lambda: rng.choice("nsw"))}
    old, new = like(0.7), like(0.85)
    return {
        "items.csv": {**ids, "a": old, "b": new, **regions, "weight": drawn(ITEMS, lambda: rng.choice((1, 2)))},
        "old.csv": {**ids, "a": old, **regions},
        "new.csv": {**ids, "b": new, **regions},
        "scored.csv": {"truth": truth, "a": [(rng.random() + one) / 2 for one in truth], **scores("b", ITEMS)},
        "judged.csv": {"id": ids["id"], "human": [*truth[:25], *[""] * (ITEMS - 25)], "gpt": new, "length": old},
        "scores.csv": {"dataset": [f"d{place}" for place in range(12)], **scores("abc", 12)},
        "folds.csv": {"repeat": [0] * 5 + [1] * 5, "fold": [*range(5)] * 2, **scores("ab", 10)},
        "votes.csv": {
            "model_a": drawn(ITEMS, lambda: rng.choice("ab")),
            "model_b": ["c"] * ITEMS,
            "winner": drawn(ITEMS, lambda: rng.choice(("model_a", "model_b", "tie"))),
        },
    }  # fmt: skip


def made_strange(path: Path, rng: random.Random) -> str:
    change = changed_bytes if rng.random() < 0.25 else BY_SUFFIX.get(path.suffix, changed_bytes)
    return change(path, rng)
