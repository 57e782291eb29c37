"""Learners: an estimator with its preparation, seeds, tuning and the complexity of what it learned."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from assay.core.errors import UsageError
from assay.core.wording import either
from assay.study.datasets import Dataset
from assay.study.fingerprints import Plain, describe
from assay.study.preparation import preparation_for, prepares_itself
from assay.study.splits import Resampling
from assay.study.tuning import Tuning, search_over

ALLOWED = ("sklearn",)
"""Packages whose estimators a study file may name."""

STEP = "learner"
"""The name of a bare estimator in the pipeline that prepares its data."""


@dataclass(frozen=True, slots=True)
class Learner:
    """An estimator or pipeline of scikit-learn's kind, and what is done around it.

    Data with categories or missing values are prepared inside the split (median, one-hot) unless
    ``prepare`` is false or the pipeline begins with such steps itself. ``tuning`` is an inner
    search on the training part. ``complexity`` turns the fitted estimator into a number
    or a mapping of names to numbers.
    """

    estimator: Any
    tuning: Tuning | None = field(default=None, kw_only=True)
    prepare: bool = field(default=True, kw_only=True)
    complexity: Callable[[Any], Any] | None = field(default=None, kw_only=True)

    def description(self, name: str) -> Plain:
        """Everything that determines what is learned."""
        facts: dict[str, Any] = {
            "estimator": describe(_serial(self.estimator), name),
            "prepare": self.prepare,
        }
        if self.tuning is not None:
            facts["tuning"] = self.tuning.description(name)
        if self.complexity is not None:
            facts["complexity"] = describe(self.complexity, f"{name}.complexity")
        return facts

    def build(self, data: Dataset, resampling: Resampling, seed: int, scorer: Any) -> "Built":
        """A fresh estimator for one split, every seed in it fixed by ``seed``."""
        estimator, prefix = _serial(self.estimator), ""
        if self.prepare and not prepares_itself(estimator):
            estimator, prefix = _prepared(estimator, data)
        if resampling.balance is not None:
            from assay.study.balance import Balanced

            estimator, prefix = Balanced(estimator, resampling.balance), f"estimator__{prefix}"
        if self.tuning is not None:
            estimator = search_over(estimator, self.tuning, data, prefix, seed, scorer)
        set_seeds(estimator, seed)
        return Built(estimator=estimator, prefix=prefix, learner=self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Built:
    """An estimator ready to fit; ``prefix`` leads to the user's own parameters inside it."""

    estimator: Any
    prefix: str
    learner: Learner = field(repr=False)

    def complexity(self) -> dict[str, float]:
        """What was learned, counted, once it is fitted."""
        inner = innermost(self.estimator)
        if self.learner.complexity is None:
            return complexity_of(inner)
        found = self.learner.complexity(inner)
        named = found if isinstance(found, Mapping) else {"complexity": found}
        return {str(name): float(value) for name, value in named.items()}


def as_learner(given: Any, name: str) -> Learner:
    """A learner from an estimator or from itself."""
    learner = given if isinstance(given, Learner) else Learner(estimator=given)
    missing = [
        method for method in ("fit", "predict", "get_params", "set_params")
        if not hasattr(learner.estimator, method)
    ]  # fmt: skip
    if missing or isinstance(learner.estimator, type):
        raise UsageError(
            f"learner {name}: an estimator object with fit, predict and get_params is needed, such "
            f"as DecisionTreeClassifier(); got {learner.estimator!r}"
        )
    if not isinstance(learner.tuning, Tuning | None):
        raise UsageError(f"learner {name}: tuning= is a Tuning, got {learner.tuning!r}")
    if not isinstance(learner.prepare, bool):
        raise UsageError(f"learner {name}: prepare= is True or False, got {learner.prepare!r}")
    if not (learner.complexity is None or callable(learner.complexity)):
        raise UsageError(
            f"learner {name}: complexity= is a function of the fitted estimator, got {learner.complexity!r}"
        )
    return learner


def from_name(name: str, params: Mapping[str, Any], allowed: tuple[str, ...]) -> Any:
    """An estimator by dotted name, from packages the user allows; nothing else is imported."""
    package = name.partition(".")[0]
    if package not in allowed:
        raise UsageError(
            f"{name} is not from an allowed package ({', '.join(allowed)}): "
            f"if you trust it, {either(f'allow=[{package!r}]', f'add --allow {package}')}"
        )
    module, _, attribute = name.rpartition(".")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError):
        raise UsageError(f"there is no estimator {name}") from None
    ours = isinstance(found, type) and found.__module__.partition(".")[0] in allowed
    if not (ours and hasattr(found, "get_params")):
        raise UsageError(f"{name} is not an estimator class")
    given = {key: _nested(value, allowed) for key, value in params.items()}
    try:
        return found(**given)
    except TypeError as error:
        raise UsageError(f"{name}: {error}") from None


def _nested(value: Any, allowed: tuple[str, ...]) -> Any:
    """A parameter; a table with ``estimator`` stands for one."""
    if (
        isinstance(value, Mapping)
        and "estimator" in value
        and set(value) <= {"estimator", "params"}
    ):
        return from_name(value["estimator"], value.get("params", {}), allowed)
    return value


def set_seeds(estimator: Any, seed: int) -> None:
    """Give every ``random_state`` left open a number of its own, made from ``seed`` and its place."""
    params = estimator.get_params(deep=True)
    chosen = {}
    for name in sorted(params):
        if (name == "random_state" or name.endswith("__random_state")) and params[name] is None:
            chosen[name] = seed_at(seed, name)
    if chosen:
        estimator.set_params(**chosen)


def seed_at(seed: int, place: str) -> int:
    """The seed of one parameter of a learner."""
    text = f"{seed}|{place}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=4).digest(), "little") >> 1


def _serial(estimator: Any) -> Any:
    """A clone that works in one thread: workers are processes, and sums keep their order."""
    from sklearn.base import clone

    copy = clone(estimator)
    chosen: dict[str, int | None] = {}
    for name, value in copy.get_params(deep=True).items():
        if name == "n_jobs" or name.endswith("__n_jobs"):
            owner = copy.get_params()[name.removesuffix("__n_jobs")] if "__" in name else copy
            # scikit-learn takes None for one; others take it for as many as there are
            ours = str(type(owner).__module__).startswith("sklearn.")
            if not (ours and value is None):
                chosen[name] = None if ours else 1
    return copy.set_params(**chosen) if chosen else copy


@lru_cache(maxsize=64)
def _preparation(data: Dataset) -> Any:
    """Looked up once per data set: every cell of mixed columns is looked at."""
    return preparation_for(data.X)


def _prepared(estimator: Any, data: Dataset) -> tuple[Any, str]:
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    step = _preparation(data)
    if step is None:
        return estimator, ""
    if isinstance(estimator, Pipeline):  # in front, so that its own names stay valid
        return Pipeline([("prepare", clone(step)), *estimator.steps]), ""
    return Pipeline([("prepare", clone(step)), (STEP, estimator)]), f"{STEP}__"


def innermost(estimator: Any) -> Any:
    """The fitted model itself, out of searches, balancing and pipelines."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "balance") and hasattr(estimator, "estimator_"):
            estimator = estimator.estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator


def complexity_of(model: Any) -> dict[str, float]:
    """Leaves, coefficients, support vectors or parameters of a fitted model, the first its size."""
    for counted in (_tree, _trees, _boosted, _network, _support, _coefficients, _neighbours):
        found = counted(model)
        if found:
            return {name: float(value) for name, value in found.items()}
    return {}


def _tree(model: Any) -> dict[str, Any]:
    tree: Any = getattr(model, "tree_", None)
    if not hasattr(tree, "n_leaves"):
        return {}
    return {"leaves": tree.n_leaves, "depth": tree.max_depth}


def _trees(model: Any) -> dict[str, Any]:
    members = getattr(model, "estimators_", None)
    if members is None:
        return {}
    listed = np.asarray(members, dtype=object).ravel().tolist()
    parts = [_tree(innermost(one)) for one in listed if hasattr(one, "get_params")]
    if not parts or not all(parts):
        return {"members": len(listed)}
    return {
        "leaves": sum(part["leaves"] for part in parts),
        "depth": max(part["depth"] for part in parts),
        "trees": len(parts),
    }


def _boosted(model: Any) -> dict[str, Any]:
    stages = getattr(model, "_predictors", None)  # histogram gradient boosting
    if not stages:
        return {}
    trees = [tree for stage in stages for tree in stage]
    return {
        "leaves": sum(tree.get_n_leaf_nodes() for tree in trees),
        "depth": max(tree.get_max_depth() for tree in trees),
        "trees": len(trees),
    }


def _network(model: Any) -> dict[str, Any]:
    weights = getattr(model, "coefs_", None)
    if weights is None:
        return {}
    return {"parameters": sum(part.size for part in (*weights, *model.intercepts_))}


def _support(model: Any) -> dict[str, Any]:
    vectors = getattr(model, "support_vectors_", None)
    return {} if vectors is None else {"support vectors": vectors.shape[0]}


def _coefficients(model: Any) -> dict[str, Any]:
    values = getattr(model, "coef_", None)
    if values is None:
        return _bayes(model)
    dense = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
    intercept = np.atleast_1d(getattr(model, "intercept_", 0.0))
    return {
        "non-zero coefficients": np.count_nonzero(dense),
        "parameters": dense.size + np.count_nonzero(intercept),
    }


def _bayes(model: Any) -> dict[str, Any]:
    names = ("theta_", "var_", "feature_log_prob_", "class_log_prior_")
    arrays = [np.asarray(getattr(model, name)) for name in names if hasattr(model, name)]
    return {"parameters": sum(array.size for array in arrays)} if arrays else {}


def _neighbours(model: Any) -> dict[str, Any]:
    kept = getattr(model, "n_samples_fit_", None)
    return {} if kept is None else {"examples kept": kept}
