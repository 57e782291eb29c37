"""A canonical description of anything that determines a result, so that its key can be computed.

Two objects that behave alike have one description, in every process and on every machine; what
cannot be described without guessing is refused by name.
"""

import functools
import hashlib
import inspect
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np

from assay.core.checks import check_text
from assay.core.errors import UsageError

_OTHERWISE = {"sklearn": "scikit-learn"}
"""Packages installed under another name; the rest say their version themselves."""
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
Plain = Any
"""Dictionaries, lists, strings, numbers, booleans and None."""


def canonical(value: Plain) -> bytes:
    """JSON with sorted keys: the bytes that digests are made of."""
    return msgspec.json.encode(value, order="sorted")


def digest(value: Plain) -> str:
    return hashlib.blake2b(canonical(value), digest_size=16).hexdigest()


def describe(value: Any, where: str) -> Plain:
    """``value`` as plain JSON; ``where`` names it in errors."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return check_text(value, where)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return number if math.isfinite(number) else {"float": repr(number)}
    for kind, description in _CONTAINERS:
        if isinstance(value, kind):
            return description(value, where)
    if hasattr(value, "get_params") and not inspect.isclass(value):
        return _estimator(value, where)
    if inspect.isclass(value):
        return {"type": dotted(value)}
    if inspect.isroutine(value):
        return _function(value)
    return _other(value, where)


def dotted(kind: type | Any) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def package_version(module: str) -> str | None:
    """The version of the package a module belongs to; None where it has none."""
    package = module.partition(".")[0]
    return _version(package)


@functools.lru_cache(maxsize=256)
def _version(package: str) -> str | None:
    from importlib import import_module, metadata

    for name in (package, _OTHERWISE.get(package)):
        if name is not None:
            with suppress(metadata.PackageNotFoundError):
                return metadata.version(name)
    try:
        found = getattr(import_module(package), "__version__", None)
    except ImportError:
        return None
    return None if found is None else str(found)


def _estimator(value: Any, where: str) -> Plain:
    kind = type(value)
    params = value.get_params(deep=False)
    described = {name: describe(params[name], f"{where}.{name}") for name in sorted(params)}
    facts = {
        "class": dotted(kind),
        "params": described,
        "version": package_version(kind.__module__),
    }
    if facts["version"] is None:  # the user's own class: its text is its version
        facts["source"] = _source_digest(kind)
    return facts


def _function(value: Any) -> Plain:
    facts: dict[str, Any] = {"function": dotted(value)}
    version = package_version(str(value.__module__ or ""))
    if version is None or "<" in value.__qualname__:
        facts["source"] = _source_digest(value)
    else:
        facts["version"] = version
    return facts


def _source_digest(value: Any) -> str:
    try:
        text = inspect.getsource(value)
    except (OSError, TypeError):
        code = getattr(value, "__code__", None)
        text = "" if code is None else repr((code.co_code, code.co_consts, code.co_names))
    return hashlib.blake2b(_ADDRESS.sub("", text).encode(), digest_size=16).hexdigest()


def _other(value: Any, where: str) -> Plain:
    if isinstance(value, np.random.RandomState | np.random.Generator):
        raise UsageError(
            f"{where} is a random generator, which does not give the same result twice. Use a "
            "whole number, or None for the study's seed"
        )
    if isinstance(value, functools.partial):
        parts = [value.func, value.args, value.keywords]
        return {"partial": [describe(part, where) for part in parts]}
    if hasattr(value, "dist") and hasattr(value, "kwds"):  # a frozen distribution of scipy
        parts = [value.args, value.kwds]
        return {"distribution": [value.dist.name, *(describe(part, where) for part in parts)]}
    text = repr(value)
    if not _ADDRESS.search(text):
        return {"object": dotted(type(value)), "repr": text}
    inside = getattr(value, "__dict__", None)
    if inside:
        return {"object": dotted(type(value)), "state": describe(dict(inside), where)}
    raise UsageError(
        f"{where} is a {type(value).__name__}, which has no stable description, so the study "
        "cannot be recognised again. Give it a __repr__ that says what it holds, or use plain "
        "values"
    )


def _array(value: Any, where: str) -> Plain:
    if value.dtype.kind == "O":
        return {"array": describe(value.tolist(), where)}
    content = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=16).hexdigest()
    return {"array": content, "dtype": value.dtype.str, "shape": list(value.shape)}


def _mapping(value: Mapping[Any, Any], where: str) -> Plain:
    pairs = [
        [describe(key, where), describe(item, f"{where}.{key}")] for key, item in value.items()
    ]
    return {"mapping": sorted(pairs, key=canonical)}


def _sequence(value: Any, where: str) -> Plain:
    return [describe(item, f"{where}[{place}]") for place, item in enumerate(value)]


def _set(value: Any, where: str) -> Plain:
    return {"set": sorted((describe(item, where) for item in value), key=canonical)}


_CONTAINERS: tuple[tuple[Any, Any], ...] = (
    (Mapping, _mapping),
    ((list, tuple, range), _sequence),
    ((set, frozenset), _set),
    (np.ndarray, _array),
)
