"""The design of the evidence: how many models, on the same items or not, measured how."""

from dataclasses import dataclass
from typing import Any, Literal

from assay.core.errors import NotApplicable, UsageError
from assay.estimates.evaluate import fitting_measure
from assay.estimates.reductions import check_offers
from assay.evidence.predictions import Predictions, Unpaired
from assay.measures.registry import Measure, find_measure

Kind = Literal["level", "pair", "many", "independent"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design:
    """What `choose` needs to know; everything in it can be read off the evidence."""

    kind: Kind
    evidence: Predictions | Unpaired
    measure: Measure
    models: tuple[str, ...]
    baseline: str | None
    against: float | None
    clustered: bool
    weighted: bool

    @property
    def parts(self) -> tuple[Predictions, ...]:
        """The predictions one by one: several where the models were tested on different items."""
        return self.evidence.parts if isinstance(self.evidence, Unpaired) else (self.evidence,)


def read_design(
    evidence: Predictions | Unpaired,
    *,
    measure: Any = None,
    baseline: str | None = None,
    against: float | str | None = None,
) -> Design:
    """The design of predictions: the kind of comparison and the measure it is made in."""
    parts = evidence.parts if isinstance(evidence, Unpaired) else (evidence,)
    models = tuple(model for part in parts for model in part.models)
    found = find_measure(measure) if measure is not None else fitting_measure(parts)
    _check_measure(parts, found)
    kind = _kind(evidence, models, against)
    if baseline is not None and baseline not in models:
        raise UsageError(f"no model {baseline!r} to be the baseline; there are {', '.join(models)}")
    return Design(
        kind=kind,
        evidence=evidence,
        measure=found,
        models=_ordered(models, baseline) if kind in ("pair", "independent") else models,
        baseline=baseline,
        against=_level(against, found, parts[0]) if kind == "level" else None,
        clustered=any(part.clusters is not None for part in parts),
        weighted=any(part.weighted for part in parts),
    )


def _kind(
    evidence: Predictions | Unpaired, models: tuple[str, ...], against: float | str | None
) -> Kind:
    if len(models) == 1:
        if against is None:
            raise UsageError(
                f"one model ({models[0]}) is there: give a second one, or the level to compare with "
                "(against=0.75, or against='chance'); to estimate only, use evaluate"
            )
        return "level"
    if against is not None:
        raise UsageError(
            f"against a level only one model is compared; there are {', '.join(models)}"
        )
    if isinstance(evidence, Unpaired):
        if len(models) > 2:
            raise NotApplicable(
                f"{len(models)} models on different items: compare them two at a time, or test all "
                "models on the same items"
            )
        return "independent"
    return "pair" if len(models) == 2 else "many"


def _ordered(models: tuple[str, ...], baseline: str | None) -> tuple[str, ...]:
    """A and B, the baseline as B."""
    return models if baseline is None or models[1] == baseline else models[::-1]


def _check_measure(parts: tuple[Predictions, ...], measure: Measure) -> None:
    for part in parts:
        check_offers(part, measure, part.models)
    if not measure.comparable:
        raise NotApplicable(
            f"neither side of {measure.name} is better: evaluate it, or compare by mae"
        )


def _level(against: float | str | None, measure: Measure, evidence: Predictions) -> float:
    """The level as a number; chance is the measure's own, or the largest class for accuracy."""
    if against != "chance":
        try:
            return float(against)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise UsageError(f"against is a number or 'chance', got {against!r}") from None
    if measure.chance is not None:
        return measure.chance
    if measure.name in ("accuracy", "error_rate"):
        confusion = evidence.tally().confusion(evidence.models[0])
        largest = float(confusion.sum(axis=1).max() / confusion.sum())
        return largest if measure.name == "accuracy" else 1.0 - largest
    raise UsageError(f"{measure.name} has no fixed value of chance: give the level as a number")
