"""Engines: where tasks run. The contract is in ``base.py``; another engine is one file."""

from importlib import import_module

from assay.core.errors import UsageError
from assay.study.engines.base import Engine, TaskLimits

HOMES: dict[str, str] = {
    "local": "assay.study.engines.local",
    "dask": "assay.study.engines.dask",
    "inline": "assay.study.engines.inline",
}
"""By the scheme of its URL, the module with a function ``connect(url, workers, limits)``."""


def engine_for(url: "str | Engine | None", *, workers: int | None, limits: TaskLimits) -> Engine:
    """The engine a URL names: processes of this machine unless said otherwise."""
    if not isinstance(url, str | None):
        if not all(
            hasattr(url, name) for name in ("start", "submit", "as_completed", "cancel", "close")
        ):
            raise UsageError(f"engine= is an address or an engine, got {url!r}")
        return url
    scheme = "local" if url is None else url.partition("://")[0]
    if scheme not in HOMES:
        raise UsageError(f"there is no engine {url!r}; known are {', '.join(HOMES)}")
    engine: Engine = import_module(HOMES[scheme]).connect(url, workers, limits)
    return engine
