"""A small example of the evidence that a user describes: what `compare` does with it is the advice."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.rng import stream
from assay.estimates.folds import HELD_FOLDS
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.reading import read
from assay.evidence.scores import Scores
from assay.measures.registry import Measure, find_measure

ITEMS, FOLDS, SEEDS, DATASETS, CLUSTERS = 240, 10, 8, 12, 24
MARGIN = 0.01
NAMES = ("a", "b", "c")
UNITS = {"folds": "fold", "seeds": "seed", "datasets": "dataset"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GuideExample:
    """Evidence as described, and the command and the call that read it."""

    evidence: Predictions | Unpaired | Scores
    measure: Any
    baseline: str | None
    against: float | None
    command: str
    call: str

    @property
    def parts(self) -> tuple[Predictions, ...]:
        if isinstance(self.evidence, Scores):
            return ()
        return self.evidence.parts if isinstance(self.evidence, Unpaired) else (self.evidence,)


def example_of(settled: Mapping[str, str]) -> GuideExample:
    """The example for answers that can be compared or evaluated."""
    names = NAMES[: {"1": 1, "2": 2, "3+": 3}[settled["models"]]]
    against = 0.8 if settled.get("goal") == "level" else None
    items = settled["have"] == "predictions"
    measure = find_measure(settled["measure"]) if items else None
    evidence: Any
    if measure is None:
        table = _scores(settled["have"], names, repeated=settled.get("repeated") == "yes")
        evidence = read(table, unit=UNITS[settled["have"]])
    else:
        evidence = _predictions(measure, names, settled)
    command, call = _written(settled, measure)
    return GuideExample(
        evidence=evidence,
        measure=measure,
        baseline=names[0] if settled.get("baseline") == "yes" else None,
        against=against,
        command=command,
        call=call,
    )


def _predictions(
    measure: Measure, names: tuple[str, ...], settled: Mapping[str, str]
) -> Predictions | Unpaired | Scores:
    rng = stream(0, len(names))
    beside: dict[str, Any] = {}
    if settled["clusters"] == "yes":
        beside["cluster"] = np.arange(ITEMS) % CLUSTERS
    if settled["weights"] == "yes":
        beside["weight"] = 1.0 + rng.random(ITEMS)
    truth = rng.integers(0, 2, ITEMS) if measure.needs != "values" else rng.normal(size=ITEMS)
    table = {} if measure.needs == "losses" else {"truth": truth}
    columns = {name: _columns(measure, name, truth, rng) for name in names}
    if settled.get("same_items") == "no":
        return read(*({**table, **beside, **columns[name]} for name in names), paired=False)
    for found in columns.values():
        table |= found
    return read({**table, **beside})


def _columns(measure: Measure, name: str, truth: Any, rng: np.random.Generator) -> dict[str, Any]:
    """The columns of one model, of the kind that the measure needs."""
    noise = rng.normal(size=ITEMS)
    sure = 1.0 / (1.0 + np.exp(-(2.0 * truth - 1.0 + noise)))
    columns: dict[str, dict[str, Any]] = {
        "labels": {f"{name}:label": np.where(rng.random(ITEMS) < 0.2, 1 - truth, truth)},
        "scores": {f"{name}:score": truth + noise},
        "probabilities": {f"{name}:p(0)": 1.0 - sure, f"{name}:p(1)": sure},
        "values": {f"{name}:value": truth + noise},
        "losses": {f"{name}:loss": noise**2},
    }
    return columns[measure.needs]


def _scores(have: str, names: tuple[str, ...], *, repeated: bool) -> dict[str, list[Any]]:
    """A row per score, as experiments write them."""
    count = {"folds": FOLDS, "seeds": SEEDS, "datasets": DATASETS}[have]
    rng = stream(1, count)
    folds = HELD_FOLDS if repeated else count
    rows = [(name, place) for name in names for place in range(count)]
    table: dict[str, list[Any]] = {
        "model": [name for name, _ in rows],
        UNITS[have]: [str(place % folds) for _, place in rows],
        "score": (0.8 + 0.05 * rng.normal(size=len(rows))).tolist(),
    }
    return table | ({"repeat": [str(place // folds) for _, place in rows]} if repeated else {})


def _written(settled: Mapping[str, str], measure: Measure | None) -> tuple[str, str]:
    """The command and the Python call for these answers."""
    verb = "evaluate" if settled.get("goal") == "estimate" else "compare"
    files = ["predictions.csv" if measure is not None else f"{settled['have']}.csv"]
    options: dict[str, Any] = {}
    flags = ""
    if measure is not None and measure.needs != "losses":
        options["truth"] = "y"
    if settled.get("same_items") == "no":
        files, flags = ["a.csv", "b.csv"], " --unpaired"
    if measure is not None:
        options["measure"] = measure.name
    if settled.get("clusters") == "yes":
        options["cluster"] = "patient"
    if settled.get("weights") == "yes":
        options["weight"] = "importance"
    if settled.get("baseline") == "yes":
        options["baseline"] = "a"
    if settled.get("goal") == "level":
        options["against"] = 0.8
    elif verb == "compare":
        options["margin"] = MARGIN
    typed = "".join(f" --{name} {value}" for name, value in options.items())
    return f"assay {verb} {' '.join(files)}{flags}{typed}", _call(verb, files, options)


def _call(verb: str, files: list[str], options: dict[str, Any]) -> str:
    if verb == "evaluate" and "measure" in options:
        options = {**options, "measures": [options["measure"]]}
        del options["measure"]
    elif verb == "evaluate":
        options = {**options, "measures": None}
    evidence = repr(files[0])
    if len(files) > 1:
        truth = f", truth={options.pop('truth')!r}" if "truth" in options else ""
        evidence = f"assay.read({', '.join(map(repr, files))}{truth}, paired=False)"
    named = "".join(f", {name}={value!r}" for name, value in options.items())
    return f"assay.{verb}({evidence}{named})".replace("'", '"')
