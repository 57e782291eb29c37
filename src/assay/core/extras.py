"""Packages that parts of assay need and its core does not, and what to install for them (decision 0181)."""

from importlib.util import find_spec

from assay.core.errors import MissingDependency

EXTRAS: dict[str, tuple[str, tuple[str, ...]]] = {
    "figures": ("figures", ("matplotlib",)),
    "study": (
        "studies, their stores and the demo",
        ("sklearn", "cloudpickle", "sqlalchemy", "threadpoolctl"),
    ),
    "page": ("the local page", ("starlette", "uvicorn", "python_multipart", "sqlalchemy")),
}
"""What each extra is for, and the packages whose absence shows that it is not installed."""


def missing(extra: str) -> list[str]:
    """The packages of an extra that are not installed."""
    return [name for name in EXTRAS[extra][1] if find_spec(name) is None]


def needs(extra: str) -> None:
    """Refuse to go on without an extra, and say what to type."""
    lacking = missing(extra)
    if lacking:
        purpose = EXTRAS[extra][0]
        verb = "needs" if purpose.startswith("the ") else "need"
        raise MissingDependency(
            f"{purpose} {verb} {', '.join(lacking)}, which the small installation leaves out: "
            f"pip install 'assay[{extra}]' (or 'assay[all]')"
        )
