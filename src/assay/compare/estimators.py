"""Estimators instead of evidence: recognised here, trained by a study, which lies to the right."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from assay.core.errors import UsageError
from assay.evidence.cell_text import shortened


def is_model(value: Any) -> bool:
    """Whether this is a model to train: an object with ``fit`` and ``predict``, or a `Learner` around one."""
    one = value if hasattr(value, "fit") else getattr(value, "estimator", None)
    return callable(getattr(one, "fit", None)) and hasattr(one, "predict")


def are_estimators(evidence: Mapping[Any, Any] | Sequence[Any]) -> bool:
    """Whether these are models to train, in a mapping or a list."""
    listed = evidence.values() if isinstance(evidence, Mapping) else evidence
    return bool(listed) and all(map(is_model, listed))


def refuse_mixed(evidence: Mapping[Any, Any]) -> None:
    """Estimators beside something that is none."""
    strange = [name for name, one in evidence.items() if not is_model(one)]
    if strange and len(strange) < len(evidence):
        raise UsageError(
            f"{strange[0]!r} is no estimator as the others are. An object with fit and predict is needed, got "
            f"{shortened(evidence[strange[0]])}"
        )


def refuse_reading(options: Mapping[str, Any]) -> None:
    """Options of `assay.read` say what columns mean; data to train on have none."""
    unfit = [name for name in options if name != "models"]
    if unfit:
        raise UsageError(
            f"{unfit[0]}= is an option of reading evidence, and estimators are trained on X and y as "
            "they are: leave it out. Their options are measure, cv, fits, groups, rng, level, margin, "
            "baseline and against"
        )


def trained(estimators: Any, data: Sequence[Any], **options: Any) -> Any:
    """What a study makes of them: evidence of scores by split."""
    return import_module("assay.study.estimators").trained(estimators, data, **options)
