"""The terms of a gate, fixed before looking: measures, margins, level; in a call or a committed file."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from assay.core.checks import check_choice, check_level, check_margin
from assay.core.errors import UsageError

Policy = Literal["fail", "warn", "pass"]
POLICIES: tuple[Policy, ...] = get_args(Policy)

_FILE_KEYS = "margin, margins, measures, level, holm and on_undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a candidate has to show; ``measures`` pairs each measure (None: the fitting one) with its margin."""

    measures: tuple[tuple[Any, float], ...]
    level: float
    holm: bool
    on_undecided: Policy


class _File(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A gate file; keys that are not here are refused, so that a misspelt margin is no silent default."""

    margin: float | None = None
    margins: dict[str, float] | None = None
    measures: list[str] | None = None
    level: float | None = None
    holm: bool | None = None
    on_undecided: Policy | None = None


def terms_of(
    *,
    margin: float | Mapping[str, float] | None,
    measures: Any,
    level: float | None,
    holm: bool | None,
    on_undecided: str | None,
    config: str | Path | None = None,
) -> Terms:
    """The terms from arguments, or from a file; a term that both give is refused."""
    default, margins = _split(margin)
    given: dict[str, Any] = {
        "margin": default,
        "margins": margins,
        "measures": _listed(measures),
        "level": level,
        "holm": holm,
        "on_undecided": on_undecided,
    }
    if config is not None:
        given = _joined(given, msgspec.structs.asdict(_read(Path(config))), str(config))
    return Terms(
        measures=_paired(given["measures"], given["margin"], given["margins"] or {}),
        level=_one_sided(0.95 if given["level"] is None else given["level"]),
        holm=bool(given["holm"]),
        on_undecided=check_choice(given["on_undecided"] or "fail", POLICIES, "on_undecided"),
    )


def _split(
    margin: float | Mapping[str, float] | None,
) -> tuple[float | None, dict[str, float] | None]:
    """One margin for all, or one for each measure; under the name "" the one for the rest."""
    if not isinstance(margin, Mapping):
        return margin, None
    named = {str(name): value for name, value in margin.items() if name}
    return margin.get(""), named or None


def _listed(measures: Any) -> list[Any] | None:
    if measures is None:
        return None
    alone = isinstance(measures, str) or callable(measures) or not isinstance(measures, Iterable)
    found = [measures] if alone else list(measures)
    if not found:
        raise UsageError("give at least one measure, or none at all for the one that fits")
    return found


def _read(path: Path) -> _File:
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {error}; a gate file has {_FILE_KEYS}") from None


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


def _paired(
    measures: list[Any] | None, default: float | None, margins: Mapping[str, float]
) -> tuple[tuple[Any, float], ...]:
    if default is None and not margins:
        raise UsageError(
            "a gate needs a margin, the largest loss that does not matter, fixed before looking: "
            "margin=0.005, --margin 0.005, or margin in a gate file"
        )
    asked: list[Any] = measures or list(margins) or [None]
    names = [getattr(one, "name", one) for one in asked]
    unused = [name for name in margins if name not in names]
    if unused:
        raise UsageError(f"a margin is given for {unused[0]!r}, which is not among the measures")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"the measure {twice[0]!r} is named twice")
    lacking = [name for name in names if name not in margins and default is None]
    if lacking:
        raise UsageError(f"no margin for {lacking[0]!r}: give margin = X for those not named")
    return tuple(
        (one, _positive(margins.get(name, default))) for one, name in zip(asked, names, strict=True)
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
