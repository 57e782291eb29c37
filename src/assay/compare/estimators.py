"""Estimators instead of evidence: recognised here, trained by a study, which lies to the right."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any


def are_estimators(evidence: Mapping[Any, Any] | Sequence[Any]) -> bool:
    """Whether these are models to train: a mapping or a list of objects with ``fit`` and ``predict``."""
    listed = evidence.values() if isinstance(evidence, Mapping) else evidence
    return bool(listed) and all(
        callable(getattr(one, "fit", None)) and hasattr(one, "predict") for one in listed
    )


def trained(estimators: Any, data: Sequence[Any], **options: Any) -> Any:
    """What a study makes of them: evidence of scores by split."""
    return import_module("assay.study.estimators").trained(estimators, data, **options)
