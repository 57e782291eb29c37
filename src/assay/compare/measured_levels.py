"""How often the deciding method errs near this design: read from our own calibration, never guessed.

The figures are `calibration.json.gz` beside this file, written by ``make calibrate``: for each
procedure and world a grid of cells with the share of false claims that simulation counted.
"""

import gzip
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any

from assay.compare.design import Design
from assay.compare.findings import Findings
from assay.core.arrays import FloatArray
from assay.core.formatting import shown_percent
from assay.core.memo import later
from assay.core.methods import record_of
from assay.core.results import Details, MeasuredLevel, Scalar, TestOutcome
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.hypotheses.least_p import signs
from assay.measures.registry import find_measure

FILE = "calibration.json.gz"
NEAR = 4.0
"""A count (items, clusters, data sets) is near a cell's up to this factor on either side."""
NEAR_MODELS = 1.5
"""The same of the number of models, which sets how many pairs share the level."""
RATES = ("p", "discordant", "prevalence", "recall", "precision", "auc")
"""Parameters between 0 and 1, which are told apart by their logits."""
NEAR_RATE = 1.5
"""Logits farther apart than this are another design: 0.05 is near 0.15, not 0.3."""
NOTHING = "The false-positive rate of this method was not simulated near this design."
KINDS = ("family_wise", "level")
"""What is told of a cell, the family first where it was counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedPlace:
    """Where a comparison stands: the procedure, and what the evidence tells of the design."""

    method: str
    known: Mapping[str, Scalar]
    measures: tuple[str, ...] = ()
    """What the measure is called, and those that behave alike."""


ALIKE = {"accuracy": "error_rate", "error_rate": "accuracy", "gini": "roc_auc"}
"""Measures that are functions of one another."""


def place_of(design: Design, found: Findings, method: str) -> CalibratedPlace:
    """What the evidence tells of the parameters of our worlds; the rest is left open."""
    record = record_of(method) if method in {table["procedure"] for table in _tables()} else None
    know = None if record is None or record.calibrated_by is None else KNOWN[record.calibrated_by]
    known = {} if know is None or not found.pairs else know(design, found.pairs[0][2])
    if design.dependent and "clusters" not in known:
        known = {}  # our cells of items are of independent ones that count alike
    if found.pairs and "unseen_square" in dict(found.pairs[0][2].details):
        known = {}  # a lead in squared error is withheld more often than in our cells
    name = design.measure.name
    names = [name, *([ALIKE[name]] if name in ALIKE else [])]
    if design.measure.is_mean or design.measure.counts is not None:
        names.append("mean_loss")
    return CalibratedPlace(method=method, known=known, measures=tuple(names))


def _errors(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    details = dict(outcome.details)
    errors, n = details.get("errors"), details.get("n", outcome.effect.n)
    if not isinstance(errors, int | float) or not isinstance(n, int | float):
        value = outcome.effect.value
        rate = None if value is None else value if design.measure.counts == "wrong" else 1 - value
        return {"p": rate, "n": outcome.effect.n}
    return {"p": errors / n, "n": n}


def _discordant(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    del design
    facts, n = dict(outcome.details), outcome.effect.n
    differ = sum(int(facts[name] or 0) for name in ("only_a", "only_b"))
    return {"discordant": differ / n, "n": n}


def _two_sizes(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    del outcome
    wrong, sizes = 0, []
    for part in design.parts:
        tally = part.tally()
        wrong += tally.n - int(tally.counts[tally.right(tally.models[0])].sum())
        sizes.append(tally.n)
    return {"p": wrong / sum(sizes), "n_a": sizes[0], "n_b": sizes[1]}


def _labels(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    """The share of positives among two classes, how well they are found on average, and n."""
    evidence = design.evidence
    if not isinstance(evidence, Predictions) or len(evidence.classes) != 2:
        return {"n": outcome.effect.n}
    tally = evidence.tally(design.models[:2])
    return _found_labels([tally.confusion(model) for model in tally.models], evidence)


def _labels_apart(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    """The same of two models on different items; n is of either, on average."""
    del outcome
    parts = design.parts
    if any(len(part.classes) != 2 or part.positive != parts[0].positive for part in parts):
        return {"n": sum(part.n for part in parts) / len(parts)}
    return _found_labels([part.tally().confusion(part.models[0]) for part in parts], parts[0])


def _labels_at_once(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    """The same of three models, as many as were measured together."""
    return _labels(design, outcome) if len(design.models) == 3 else {}


def _found_labels(tables: Sequence[FloatArray], evidence: Predictions) -> dict[str, Scalar]:
    total = sum(float(table.sum()) for table in tables)
    if evidence.positive is None:  # nobody said which class is looked for
        return {"n": total / len(tables)}
    positive = evidence.classes.index(evidence.positive)
    known: dict[str, Scalar] = {
        "prevalence": sum(float(table[positive].sum()) for table in tables) / total,
        "n": total / len(tables),
    }
    for name in ("recall", "precision"):
        measure = find_measure(name).bind(evidence.classes, evidence.positive)
        shares = [float(measure.function(table)) for table in tables]
        known[name] = sum(shares) / len(shares) if all(map(math.isfinite, shares)) else None
    return known


def _areas(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    """The share of positives, the mean of both areas, and n."""
    evidence = design.evidence
    if not isinstance(evidence, Predictions) or len(evidence.classes) != 2:
        return {"n": outcome.effect.n}
    positives = dict(outcome.effect.details).get("n_positive")
    if not isinstance(positives, int):
        positives = int(evidence.columns("scores", design.models[:1]).truth.sum())
    areas = [dict(outcome.details).get(name) for name in ("auc_a", "auc_b")]
    found = [area for area in areas if isinstance(area, float)]
    return {
        "prevalence": positives / evidence.n,
        "n": outcome.effect.n,
        "auc": sum(found) / 2 if len(found) == 2 else None,
    }


def _any_measure(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    return (_areas if design.measure.needs == "scores" else _labels)(design, outcome)


def _units(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    return {"n": outcome.effect.n, "k": len(design.models)}


def _clusters(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    del outcome
    return {"clusters": design.parts[0].clusters}


def _runs(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    if not isinstance(design.evidence, Scores):
        return {"runs": outcome.effect.n}
    runs = design.evidence.runs(design.scored)
    return {"runs": min(len(values) for values in runs.values())}


def _splits(design: Design, outcome: TestOutcome) -> dict[str, Scalar]:
    """The design of the folds, by the name that the grid has for it, and the size of the data."""
    del outcome
    scores = design.evidence
    if not isinstance(scores, Scores):
        return {}
    names = {(10, 1): "10-fold", (10, 10): "10x10-fold", (2, 5): "5x2"}
    own = f"{scores.repeats}x{scores.folds}-fold"  # no cell's name: another design
    known: dict[str, Scalar] = {"design": names.get((scores.folds, scores.repeats), own)}
    sizes = scores.sizes()
    if sizes is not None:
        known["n"] = float((sizes[0] + sizes[1]).mean())
    return known


KNOWN: dict[str, Callable[[Design, TestOutcome], dict[str, Scalar]]] = {
    "errors": _errors,
    "discordant": _discordant,
    "two_sizes": _two_sizes,
    "any_measure": _any_measure,
    "labels": _labels,
    "labels_apart": _labels_apart,
    "labels_at_once": _labels_at_once,
    "areas": _areas,
    "units": _units,
    "clusters": _clusters,
    "splits": _splits,
    "runs": _runs,
}
"""What a design tells of the parameters of our worlds, by the word of a method's record."""


def measured_level(place: CalibratedPlace, *, level: float) -> MeasuredLevel | None:
    """The measured level at the nearest cells; None of a method that is not in our calibration.

    What the evidence does not tell (the shape of losses, the learner) is not matched: the range
    over it is given.
    """
    alpha = round(1.0 - level, 12)
    ours = [
        table
        for table in _tables()
        if (table["procedure"], table["answers"]) == (place.method, "compare")
        and table["measure"] in (None, *place.measures)
    ]
    found = (_nearest(table, place, alpha) for table in ours)
    nearest = next((one for one in found if one is not None), None)
    if nearest is not None or not ours:
        return nearest
    return MeasuredLevel(
        method=place.method,
        world=ours[0]["world"],
        at=(),
        nominal=alpha,
        low=None,
        high=None,
        replicates=None,
        sentence=NOTHING,
    )


@cache
def _tables() -> tuple[dict[str, Any], ...]:
    """The packaged figures; none before they were made."""
    path = files("assay.compare").joinpath(FILE)
    if not path.is_file():
        return ()
    return tuple(json.loads(gzip.decompress(path.read_bytes()))["tables"])


def _nearest(
    table: Mapping[str, Any], place: CalibratedPlace, alpha: float
) -> MeasuredLevel | None:
    names = table["parameters"]
    told = [name for name in names if place.known.get(name) is not None]
    if not told and table["unit"] != "fold":  # of folds the whole measured range is told
        return None
    wanted = [f"{kind}@{alpha:g}" for kind in KINDS]
    record = record_of(place.method)
    signed = record is not None and record.least_p is signs
    near = []
    for cell in table["cells"]:
        at = dict(zip(names, cell["at"], strict=True))
        if not any(key in cell["measured"] for key in wanted):
            continue
        if signed and not _can_reject(at, alpha):
            continue
        gap = _distance(at, place.known, told)
        if gap is not None:
            near.append((gap, at, cell))
    if not near:
        return None
    best = min(gap for gap, _, _ in near)
    chosen = [(at, cell) for gap, at, cell in near if math.isclose(gap, best, abs_tol=1e-12)]
    return _told(table, place, alpha, told, chosen, wanted)


def _can_reject(at: Mapping[str, Any], alpha: float) -> bool:
    """Whether any outcome of a cell of signed ranks could reach the level: where all signs agree.

    A design that could not has no measured level; one that could must not be told of one that could not.
    """
    return math.comb(int(at["k"]), 2) * 2.0 ** (1 - int(at["n"])) <= alpha


def _distance(
    at: Mapping[str, Any], known: Mapping[str, Scalar], told: Sequence[str]
) -> float | None:
    """How far a cell is, in factors of counts and logits of rates; None where it is not near."""
    total = 0.0
    for name in told:
        here, there = known[name], at[name]
        if isinstance(there, str) or isinstance(here, str):
            if str(here) != str(there):
                return None
            continue
        if name in RATES:
            step, most = abs(_logit(float(here or 0.0)) - _logit(float(there))), NEAR_RATE
        else:
            ratio = max(float(here or 0.0), 1e-9) / max(float(there), 1e-9)
            step, most = abs(math.log(ratio)), math.log(NEAR_MODELS if name == "k" else NEAR)
        if step > most:
            return None
        total += (step / most) ** 2
    return total


def _logit(share: float) -> float:
    inside = min(max(share, 1e-6), 1 - 1e-6)
    return math.log(inside / (1 - inside))


def _told(
    table: Mapping[str, Any],
    place: CalibratedPlace,
    alpha: float,
    told: Sequence[str],
    chosen: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
    wanted: Sequence[str],
) -> MeasuredLevel:
    measured = [cell["measured"] for _, cell in chosen]
    shares = [float(next(one[key][0] for key in wanted if key in one)) for one in measured]
    counts = [cell["replicates"] for _, cell in chosen]
    exact = all(count == "exact" for count in counts)
    at: Details = tuple((name, chosen[0][0][name]) for name in told)
    low, high = min(shares), max(shares)
    open_ = [name for name in table["parameters"] if name not in told]
    return MeasuredLevel(
        method=place.method,
        world=table["world"],
        at=at,
        nominal=alpha,
        low=low,
        high=high,
        replicates=None if exact else min(int(c) for c in counts if c != "exact"),
        sentence=later(partial(_sentence, at, alpha, low, high, open_)),
    )


def _sentence(at: Details, alpha: float, low: float, high: float, open_: Iterable[str]) -> str:
    where = place_words(at)
    shares = dict.fromkeys(f"{100 * share:.1f}" for share in (low, high))
    over = ", ".join(_word(name) for name in open_)
    across = f"; range over {over}" if over and low != high else ""
    return (
        f"The false-positive rate in simulation ({where}{across}) was {'–'.join(shares)}%, nominal "
        f"{shown_percent(alpha)}."
    )


def place_words(at: Details) -> str:
    """Where a simulation stood, in words: 5 models, n = 30."""
    said = []
    for name, value in at:
        text = f"{value:g}" if isinstance(value, float) else str(value)
        said.append(f"{text} {COUNTED[name]}" if name in COUNTED else f"{_word(name)} {text}")
    return ", ".join(said) or "every design tried"


WORDS = {
    "n": "n =",
    "n_a": "n =",
    "n_b": "n =",
    "discordant": "discordant share",
    "p": "error rate",
    "auc": "AUC",
    "design": "design",
}
COUNTED = {"k": "models", "runs": "runs", "clusters": "clusters"}
"""Parameters that are counts, with their nouns."""


def _word(name: str) -> str:
    return WORDS.get(name, name.replace("_", " "))
