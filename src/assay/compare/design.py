"""The design of the evidence: how many models, on the same items or not, measured how."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from assay.core.checks import check_choice
from assay.core.errors import NotApplicable, UsageError
from assay.core.formatting import capital, shown, write_given
from assay.core.measure_names import better_side
from assay.core.questions import AmbiguousEvidence
from assay.core.vocabulary import Direction, Sense, Unit
from assay.estimates.measure_needs import asked_measure, check_offers
from assay.estimates.near_majority import SHARES_OF_RIGHT
from assay.evidence.model_columns import predicting_models
from assay.evidence.open_questions import which_measure
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.scores import Scores, no_such_measure
from assay.measures.registry import Measure, find_measure, known_measure, registered_name

Kind = Literal["level", "pair", "many", "independent"]
Missing = Literal["refuse", "complete", "wrong", "skillings-mack"]
NAMELESS = "score"
"""What scores are called that no column names."""
MISSING: tuple[Missing, ...] = get_args(Missing)
DOES_NOT_SAY: dict[Unit, str] = {
    "item": "Training was not repeated, so this does not compare the learning algorithms.",
    "fold": "This does not cover other data sets, or the final model trained on all data.",
    "seed": "This does not cover other tasks: only the seed was varied.",
    "dataset": "This does not cover any single data set, or data sets unlike these.",
}
"""What a conclusion over each unit leaves open."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design:
    """What `choose` needs to know; everything in it can be read off the evidence."""

    kind: Kind
    unit: Unit
    evidence: Predictions | Unpaired | Scores
    measure: Measure
    models: tuple[str, ...]
    baseline: str | None
    against: float | None
    margin: float | None
    chance: bool = False
    """The level is what chance gives."""
    clustered: bool = False
    weighted: bool = False
    missing: Missing = "refuse"
    scored: str = ""
    """The name under which scores carry the measure."""

    @property
    def of_means(self) -> bool:
        """Whether the measure is a mean over items: of losses, or of right and wrong answers."""
        return self.measure.counts is not None or self.measure.is_mean

    @property
    def ranked_by(self) -> Literal["higher", "lower"]:
        """Which end is ranked first; the highest where nobody knows which is better."""
        return "lower" if self.measure.direction == "lower" else "higher"

    @property
    def range(self) -> tuple[float, float]:
        """Between which numbers a value of the measure lies."""
        if isinstance(self.evidence, Scores):
            return range_of_scores(self.evidence, self.scored)
        return self.measure.low, self.measure.high

    @property
    def level_name(self) -> str:
        """The level one model is compared with, as verdicts name it."""
        if not self.chance:
            return f"level {write_given(self.against)}"
        guess = "majority class: " if self.measure.chance is None else ""
        return f"chance ({guess}{shown(self.against)})"

    @property
    def does_not_say(self) -> str:
        """What the conclusion leaves open, and what a p-value is not."""
        alone = self.kind == "level"
        null = "the model is at that level" if alone else "the models are equal"
        return f"{DOES_NOT_SAY[self.unit]} A p-value is not the probability that {null}."

    @property
    def pair(self) -> tuple[str, str]:
        """A and B, of two models."""
        a, b = self.models
        return a, b

    @property
    def items(self) -> Predictions:
        """The predictions of all models on the same items."""
        if not isinstance(self.evidence, Predictions):
            raise TypeError("this procedure needs the same items")
        return self.evidence

    @property
    def scores(self) -> Scores:
        """The scores of algorithms by fold, seed or data set."""
        if not isinstance(self.evidence, Scores):
            raise TypeError("this procedure needs scores")
        return self.evidence

    @property
    def dependent(self) -> bool:
        """Whether items come in clusters or have weights."""
        return self.clustered or self.weighted

    @property
    def parts(self) -> tuple[Predictions, ...]:
        """The predictions one by one: several where the models were tested on different items."""
        if isinstance(self.evidence, Scores):
            return ()
        return self.evidence.parts if isinstance(self.evidence, Unpaired) else (self.evidence,)


def baseline_among(models: Sequence[str], called: str) -> str:
    """The model that is meant by a baseline's name: old is pred_old as well."""
    alike = [model for model in models if predicting_models([model]) == [called]]
    if called not in models and len(alike) != 1:
        listed = ", ".join(models)
        raise UsageError(
            f"no model {called!r} to be the baseline; there are {listed}: name one with baseline="
        )
    return called if called in models else alike[0]


def read_design(
    evidence: Predictions | Unpaired | Scores,
    *,
    measure: Any = None,
    baseline: str | None = None,
    against: float | str | None = None,
    margin: float | None = None,
    missing: str = "refuse",
    lower_is_better: bool | None = None,
    max_loss: float | None = None,
) -> Design:
    """The design of the evidence: the kind of comparison and the measure it is made in."""
    models = evidence.models
    if baseline is not None:
        baseline = baseline_among(models, baseline)
    kind = _kind(evidence, models, against)
    turned = kind in ("pair", "independent") and baseline is not None and models[1] != baseline
    asked = _Asked(
        kind=kind,
        # A and B, the baseline as B
        models=models[::-1] if turned else models,
        baseline=baseline,
        against=against,
        margin=margin,
        lower_is_better=lower_is_better,
        max_loss=max_loss,
    )
    if isinstance(evidence, Scores):
        if max_loss is not None:
            raise UsageError("max_loss= is of losses by item; these are scores: leave it out")
        return _of_scores(evidence, measure, asked, check_choice(missing, MISSING, "missing"))
    if missing == "skillings-mack":
        raise UsageError(
            "missing='skillings-mack' is for scores of models by data set or fold. For "
            "predictions with gaps leave rows out with missing='complete', or count gaps as wrong "
            "with missing='wrong'"
        )
    return _of_predictions(evidence, measure, asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What was asked, whatever the evidence."""

    kind: Kind
    models: tuple[str, ...]
    baseline: str | None
    against: float | str | None
    margin: float | None
    lower_is_better: bool | None
    max_loss: float | None = None


def _of_scores(evidence: Scores, measure: Any, asked: _Asked, missing: Missing) -> Design:
    scored = _scored(evidence, measure)
    if asked.margin is not None:
        _refuse_whole_range(asked.margin, scored, range_of_scores(evidence, scored))
    return Design(
        kind=asked.kind,
        unit=evidence.unit,
        evidence=evidence,
        measure=_measure_of_scores(evidence, scored, lower_is_better=asked.lower_is_better),
        models=asked.models,
        baseline=asked.baseline,
        against=_level_of_scores(asked.against, scored, evidence)
        if asked.kind == "level"
        else None,
        margin=asked.margin,
        missing=missing,
        scored=scored,
    )


def range_of_scores(evidence: Scores, scored: str) -> tuple[float, float]:
    """Between which numbers scores lie by their name; endless where they do not (scores in per cent)."""
    known = known_measure(scored)
    values = evidence.of(scored).value
    if known is None or values.min() < known.low or values.max() > known.high:
        return -math.inf, math.inf
    return known.low, known.high


def _refuse_whole_range(margin: float, called: str, ends: tuple[float, float]) -> None:
    """A margin that no two models could exceed decides nothing."""
    if margin >= ends[1] - ends[0]:
        raise UsageError(
            f"a margin of {margin:g} is the whole range of {called} [{ends[0]:g}, {ends[1]:g}]: "
            f"everything would be equivalent; did you mean {margin / 100:g}?"
        )


def _of_predictions(evidence: Predictions | Unpaired, measure: Any, asked: _Asked) -> Design:
    parts = evidence.parts if isinstance(evidence, Unpaired) else (evidence,)
    found = asked_measure(measure, parts)
    if asked.margin is not None:
        _refuse_whole_range(asked.margin, found.called, (found.low, found.high))
    silent = callable(measure)  # a bare function says nothing of its direction
    if asked.lower_is_better is not None:
        found = _directed(found, lower_is_better=asked.lower_is_better, silent=silent)
    if asked.max_loss is not None:
        from assay.estimates.loss_ranges import with_largest_loss

        found = with_largest_loss(found, asked.max_loss)
    for part in parts:
        check_offers(part, found, part.models)
    if not found.comparable:
        raise NotApplicable(
            f"neither side of {found.called} is better: evaluate it, or compare by mae"
        )
    return Design(
        kind=asked.kind,
        unit="item",
        evidence=evidence,
        measure=found,
        models=asked.models,
        baseline=asked.baseline,
        against=_level(asked.against, found, parts[0]) if asked.kind == "level" else None,
        margin=asked.margin,
        chance=asked.against == "chance",
        clustered=any(part.clusters is not None for part in parts),
        weighted=any(part.weighted for part in parts),
    )


def _directed(measure: Measure, *, lower_is_better: bool, silent: bool) -> Measure:
    """Numbers of items may be losses or rewards; every other measure owns its direction."""
    direction: Direction = "lower" if lower_is_better else "higher"
    if measure.name == "mean_loss" or silent:
        return replace(measure, direction=direction)
    if measure.direction == direction:
        return measure
    raise UsageError(
        f"{measure.called} has a known direction ({measure.direction} is better). Leave out "
        f"lower_is_better={lower_is_better}, which is for scores whose measure assay does not know"
    )


def _scored(evidence: Scores, measure: Any) -> str:
    """Which of the scores are compared: the only ones there are, or those asked for."""
    if measure is None:
        if len(evidence.measures) > 1:
            raise AmbiguousEvidence([which_measure(", ".join(evidence.sources), evidence.measures)])
        return evidence.measures[0]
    if evidence.measures == (NAMELESS,):  # scores without a name are what they are said to be
        return NAMELESS
    name = measure if isinstance(measure, str) else find_measure(measure).name
    if name not in evidence.measures and registered_name(name) in evidence.measures:
        name = registered_name(name)  # auc is roc_auc
    if name not in evidence.measures and name.removeprefix("neg_") in evidence.measures:
        name = name.removeprefix("neg_")  # a scorer of scikit-learn, turned back when it was read
    if name not in evidence.measures:
        raise no_such_measure(measure, evidence.measures)
    return name


def _measure_of_scores(evidence: Scores, name: str, *, lower_is_better: bool | None) -> Measure:
    """The measure that scores are called by, with the direction that is said or that its name tells."""
    known = known_measure(name)
    told = evidence.directions.get(name)
    direction: Sense = "lower" if told == "lower" else "higher" if told else "unknown"
    if told is None:
        direction = known.direction if known is not None else better_side(name) or "unknown"
    if lower_is_better is not None:
        direction = "lower" if lower_is_better else "higher"
    return Measure(
        name=name,
        title=known.title if known is not None else name,
        direction=direction,
        low=-math.inf,
        high=math.inf,
        needs="losses",
        reduction="moments",
        function=lambda means: means[..., 0],
        is_mean=True,
    )


def _kind(
    evidence: Predictions | Unpaired | Scores, models: tuple[str, ...], against: float | str | None
) -> Kind:
    if len(models) == 1:
        if against is None:
            notes = getattr(evidence, "notes", ())
            said = {one.code: capital(one.message) for one in notes}
            if "study-gaps" in said:
                raise UsageError(f"only {models[0]} can be compared. {said['study-gaps']}")
            left = [said["columns-left-out"]] if "columns-left-out" in said else []
            raise UsageError(
                f"there is only one model ({models[0]}). Give a second one, or the level to "
                "compare with (against=0.75, or against='chance'). To estimate only, use "
                f"evaluate{'. '.join(['', *left])}"
            )
        return "level"
    if against is not None:
        raise UsageError(
            f"against= compares one model with a level, and there are {', '.join(models)}: "
            f"choose one with models='{models[0]}'"
        )
    if isinstance(evidence, Unpaired):
        if len(models) > 2:
            raise NotApplicable(
                f"{len(models)} models on different items: compare them two at a time, or test all "
                "models on the same items"
            )
        return "independent"
    return "pair" if len(models) == 2 else "many"


def _level(against: float | str | None, measure: Measure, evidence: Predictions) -> float:
    """The level as a number; chance is the measure's own, or the largest class for accuracy."""
    if against != "chance":
        return _within_range(_number(against), measure)
    if measure.chance is not None:
        return measure.chance
    if measure.counts is not None and evidence.origin is None:
        confusion = evidence.tally().confusion(evidence.models[0])
        largest = float(confusion.sum(axis=1).max() / confusion.sum())
        return largest if measure.counts == "right" else 1.0 - largest
    raise UsageError(f"{measure.called} has no fixed value of chance: give the level as a number")


def _level_of_scores(against: float | str | None, measure: str, evidence: Scores) -> float:
    """The level as a number; by chance an algorithm always answers the most frequent class."""
    if against != "chance":
        return _number(against)
    known, sign = known_measure(measure), SHARES_OF_RIGHT.get(measure)
    if known is not None and known.chance is not None:
        return known.chance
    if sign is not None and evidence.majority is not None:
        share = evidence.majority[1]
        return share if sign > 0.0 else 1.0 - share
    raise UsageError(
        f"these scores do not say what {measure} is by chance. Give the level as a number, or a "
        "DummyClassifier() or DummyRegressor() as a second estimator"
    )


def _within_range(level: float, measure: Measure) -> float:
    if not measure.low <= level <= measure.high:
        hint = f"; did you mean {level / 100:g}?" if measure.high == 1.0 < level <= 100.0 else ""
        raise UsageError(
            f"{measure.called} lies in [{measure.low:g}, {measure.high:g}] and is never {level:g}{hint}"
        )
    return level


def _number(against: float | str | None) -> float:
    try:
        return float(against)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise UsageError(f"against is a number or 'chance', got {against!r}") from None
