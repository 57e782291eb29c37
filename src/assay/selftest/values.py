"""What adapters read off results: values under the names that reference cases use."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.core.results import Estimate, FamilyOutcome, TestOutcome

Input = Mapping[str, Any]
Computed = dict[str, Any]
Adapter = Callable[[Input], Computed]
"""From the input of a case to values under the names of its ``expected``."""

Unoffered = Mapping[str, str]
"""Paths of expected values that assay does not give, each with the reason."""

Looser = Mapping[str, float]
"""Paths of expected values that their own source gives to fewer digits than the case says."""


def limits(estimate: Estimate) -> list[float] | None:
    """The interval; where one of zero width is withheld, the two numbers kept in details."""
    if estimate.interval is not None:
        return [estimate.interval.low, estimate.interval.high]
    facts = dict(estimate.details)
    raw = [facts.get("raw_low"), facts.get("raw_high")]
    return None if None in raw else [float(end) for end in raw if end is not None]


def facts(result: Estimate | TestOutcome | FamilyOutcome, *names: str, **renamed: str) -> Computed:
    """Details by name: ``facts(outcome, "df", sd_diff="sd")`` gives df and sd (as sd_diff)."""
    found = dict(result.details)
    wanted = {**{name: name for name in names}, **renamed}
    return {name: found[key] for name, key in wanted.items() if key in found}


def answer(outcome: TestOutcome, statistic: str = "t", p_value: str = "p_value") -> Computed:
    """The statistic under its own name, and the p-value."""
    return {statistic: outcome.statistic, p_value: outcome.p_value}


def adapter(
    test: Callable[..., TestOutcome],
    *taken: str,
    gives: str,
    p_value: str = "p_value",
    known: Sequence[str] = (),
    **renamed: str,
) -> Adapter:
    """The adapter of a test that ``gives`` its statistic for what is ``taken`` from a case, and details beside it."""

    def adapt(given: Input) -> Computed:
        outcome = test(*(given[name] for name in taken))
        return {**answer(outcome, gives, p_value), **facts(outcome, *known, **renamed)}

    return adapt


def by_model(result: TestOutcome | FamilyOutcome, what: str) -> list[Any]:
    """A fact of every model, in order: details are named ``mean rank: C4.5``."""
    return [value for name, value in result.details if name.startswith(f"{what}: ")]


def of_pairs(family: FamilyOutcome, name: str) -> list[Any]:
    """A detail of every pair."""
    return [dict(outcome.details)[name] for outcome in family.outcomes]


def p_values(family: FamilyOutcome) -> list[float | None]:
    return [outcome.p_value for outcome in family.outcomes]


def sizes(family: FamilyOutcome) -> list[float | None]:
    """The statistics of a family without their signs."""
    return [o.statistic and abs(o.statistic) for o in family.outcomes]


def places(family: FamilyOutcome) -> list[list[int]]:
    """The pairs as indices of models."""
    at = {name: place for place, name in enumerate(family.models)}
    return [[at[a], at[b]] for a, b in family.pairs]


def direction(given: Input) -> Any:
    return "higher" if given["higher_is_better"] else "lower"
