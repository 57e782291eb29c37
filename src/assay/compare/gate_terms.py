"""The terms of a gate, fixed before looking: measures, margins, levels; in a call or a committed file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

from assay.compare.gate_file import POLICIES, Policy, read_gate_file
from assay.compare.gate_rule import Rule
from assay.core.checks import LARGEST, check_choice, check_level, check_margin, glimpse
from assay.core.errors import UsageError
from assay.core.gate_results import GateAsks
from assay.core.wording import either
from assay.measures.registry import Measure

Amounts = float | Mapping[str, float] | None
"""One number for all measures, or one for each by name (under "" the one for the rest)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedMeasure:
    """One demand: a measure (None: the fitting one), what is asked of it, and the number that goes with it."""

    measure: Any
    asks: GateAsks
    amount: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTerms:
    """What a candidate has to show."""

    wanted: tuple[WantedMeasure, ...]
    level: float
    rule: Rule
    on_undecided: Policy
    slice: str | None = None
    slice_margin: float | None = None
    each: float | None = None
    observed: bool = False

    @property
    def measures(self) -> tuple[tuple[Any, float], ...]:
        """Each measure with its margin, where no loss is what is asked for."""
        return tuple((one.measure, one.amount) for one in self.wanted if one.asks == "not-worse")

    @property
    def needs_baseline(self) -> bool:
        """Whether anything is asked that a candidate by itself cannot answer."""
        return any(one.asks in ("not-worse", "better") for one in self.wanted)


def terms_of(
    *,
    margin: Amounts = None,
    measures: Any = None,
    level: float | None = None,
    holm: bool | None = None,
    on_undecided: str | None = None,
    config: str | Path | None = None,
    better_by: Amounts = None,
    at_least: Mapping[str, float] | None = None,
    at_most: Mapping[str, float] | None = None,
    slice: str | None = None,  # noqa: A002 (the word of the command line)
    slice_margin: float | None = None,
    each: float | None = None,
    observed: bool | None = None,
) -> GateTerms:
    """The terms from arguments, or from a file; a term that both give is refused."""
    default, margins = _split(margin)
    given: dict[str, Any] = {
        "margin": default,
        "margins": margins,
        "measures": _listed(measures),
        "level": level,
        "holm": holm,
        "on_undecided": on_undecided,
        "better_by": better_by,
        "at_least": _amounts(at_least, "at_least"),
        "at_most": _amounts(at_most, "at_most"),
        "slice": slice,
        "slice_margin": slice_margin,
        "each": each,
        "observed": observed,
    }
    if config is not None:
        if not isinstance(config, str | Path):
            raise UsageError(f"config= is the path of a gate file, got {config!r}")
        given = _joined(given, read_gate_file(Path(config)).terms(), str(config))
    wanted = (*_differences(given), *_levels(given))
    _check_rest(given, wanted)
    only_losses = all(one.asks == "not-worse" for one in wanted)
    plain = only_losses and given["slice"] is None and given["each"] is None
    return GateTerms(
        wanted=wanted,
        level=_one_sided(0.95 if given["level"] is None else given["level"]),
        rule="holm" if given["holm"] else "all" if plain else "family",
        on_undecided=check_choice(given["on_undecided"] or "fail", POLICIES, "on_undecided"),
        slice=given["slice"],
        slice_margin=check_margin(given["slice_margin"]),
        each=given["each"],
        observed=bool(given["observed"]),
    )


def _split(amounts: Amounts) -> tuple[float | None, dict[str, float] | None]:
    """One number for all, or one for each measure; under the name "" the one for the rest."""
    if not isinstance(amounts, Mapping):
        return amounts, None
    named = {str(name): value for name, value in amounts.items() if name}
    return amounts.get(""), named or None


def _amounts(levels: Any, option: str) -> dict[str, float] | None:
    """A finite number for each measure; None where there is none."""
    if levels is None or (isinstance(levels, Mapping) and not levels):
        return None
    if isinstance(levels, Mapping):
        single = all(
            isinstance(one, int | float) and abs(one) <= LARGEST for one in levels.values()
        )
        if single:
            return {str(name): float(one) for name, one in levels.items()}
    raise UsageError(
        f"{option}= is a number for each measure, such as {{'accuracy': 0.9}}; got {glimpse(levels)}"
    )


def _listed(measures: Any) -> list[Any] | None:
    if measures is None:
        return None
    alone = isinstance(measures, str) or callable(measures) or not isinstance(measures, Iterable)
    found = [measures] if alone or getattr(measures, "shape", None) == () else list(measures)
    if not found:
        raise UsageError("give at least one measure, or none at all for the one that fits")
    strange = [one for one in found if not (isinstance(one, str | Measure) or callable(one))]
    if strange:
        raise UsageError(f"a measure is a name, a Measure or a function; got {strange[0]!r}")
    return found


def _joined(given: dict[str, Any], filed: dict[str, Any], path: str) -> dict[str, Any]:
    """Every term from one place: a committed margin cannot be argued with at the terminal."""
    margins = ("margin", "margins")
    both = [name for name in given if given[name] is not None and filed[name] is not None]
    if any(given[name] is not None for name in margins) and any(
        filed[name] is not None for name in margins
    ):
        both.append("margin")
    if both:
        raise UsageError(f"{both[0]} is fixed in {path} and given besides: keep one of the two")
    return {name: filed[name] if given[name] is None else given[name] for name in given}


def _differences(given: dict[str, Any]) -> tuple[WantedMeasure, ...]:
    """What is asked of candidate minus baseline: no loss beyond a margin, or a gain."""
    default, margins = given["margin"], given["margins"] or {}
    gain, gains = _split(given["better_by"])
    gains = gains or {}
    alone = (given["at_least"], given["at_most"], given["each"])
    if default is None and not margins and gain is None and not gains:
        if any(one is not None for one in alone):
            return ()
        raise UsageError(
            "a gate needs a margin, the largest acceptable loss, fixed in advance: margin=0.005, or margin in a "
            "gate file. Or give a level to reach: at_least={'accuracy': 0.9}"
        )
    if gain is not None and default is not None:
        raise UsageError(
            "margin allows a loss and better_by demands a gain: give one of them, or name the measures: "
            + either(
                "margin={'f1': 0.01}, better_by={'accuracy': 0}",
                "--margin f1=0.01 --better-by accuracy=0",
            )
        )
    names_given = list(dict.fromkeys((*margins, *gains)))
    asked: list[Any] = given["measures"] or names_given or [None]
    names = [getattr(one, "name", one) for one in asked]
    _check_names(names, names_given, margins, gains)
    lacking = [
        name
        for name in names
        if name not in margins and name not in gains and default is None and gain is None
    ]
    if lacking:
        raise UsageError(f"no margin for {lacking[0]!r}: give margin = X for those not named")
    return tuple(
        WantedMeasure(measure=one, asks="better", amount=_gain(gains.get(name, gain)))
        if name in gains or (name not in margins and gain is not None)
        else WantedMeasure(
            measure=one, asks="not-worse", amount=_positive(margins.get(name, default))
        )
        for one, name in zip(asked, names, strict=True)
    )


def _check_names(
    names: list[Any],
    named: list[str],
    margins: Mapping[str, float],
    gains: Mapping[str, float],
) -> None:
    unused = [name for name in named if name not in names]
    if unused:
        what = "margin" if unused[0] in margins else "gain"
        raise UsageError(f"a {what} is given for {unused[0]!r}, which is not among the measures")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"the measure {twice[0]!r} is named twice")
    both = [name for name in margins if name in gains]
    if both:
        raise UsageError(f"{both[0]!r} has a margin (no loss) and a better_by (a gain): keep one")


def _levels(given: dict[str, Any]) -> tuple[WantedMeasure, ...]:
    """What is asked of the candidate alone."""
    found = []
    sides: tuple[tuple[GateAsks, Any], ...] = (
        ("at-least", given["at_least"]),
        ("at-most", given["at_most"]),
    )
    for asks, levels in sides:
        for name, amount in (levels or {}).items():
            if not name:
                raise UsageError(f"--{asks} needs the measure: --{asks} accuracy={amount:g}")
            found.append(WantedMeasure(measure=name, asks=asks, amount=amount))
    names = [(one.measure, one.asks) for one in found]
    if len(set(names)) < len(names):
        raise UsageError("a level is given twice for one measure")
    return tuple(found)


def _check_rest(given: dict[str, Any], wanted: tuple[WantedMeasure, ...]) -> None:
    if given["slice_margin"] is not None and given["slice"] is None:
        raise UsageError("slice_margin is of slices: name their column with slice=")
    each = given["each"]
    if each is not None and not 0.0 < each <= 1.0:
        raise UsageError(
            f"each is the share of its repeats that every item must get right, such as 0.8; got {each!r}"
        )
    levels = each is not None or any(one.asks in ("at-least", "at-most") for one in wanted)
    if given["observed"] and not levels:
        raise UsageError(
            "observed tests levels by what was observed: give at_least=, at_most= or each="
        )


def _one_sided(level: float) -> float:
    """The confidence of each bound; a bound at a half or less is no bound."""
    confidence = check_level(level)
    if confidence <= 0.5:
        raise UsageError(
            f"the level of a one-sided bound lies above 0.5, such as 0.95; got {level!r}"
        )
    return confidence


def _positive(margin: float | None) -> float:
    value = check_margin(margin)
    if value is None:
        raise UsageError("a margin is missing")
    return value


def _gain(amount: float | None) -> float:
    if isinstance(amount, Real) and amount == 0:
        return 0.0
    return _positive(amount)
