"""Methods are plain functions; their facts hang on them and build the catalogue."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

from assay.core.argument_kinds import check_single, single_kinds
from assay.core.argument_synonyms import rename
from assay.core.errors import UsageError
from assay.core.vocabulary import Takes, Unit

Gives = Literal["estimate", "test", "family", "posterior", "adjustment", "check"]
Law = Literal[
    "swap",  # swapping A and B mirrors the answer
    "order",  # the order of units is irrelevant
    "shift",  # a constant added per block changes nothing
    "decides",  # p <= alpha exactly when the interval excludes the null
    "contains",  # the interval contains the estimate
    "degenerate",  # identical models give an answer of nonzero width or a note
]
Posterior = Literal["one_rate", "paired_rates", "two_rates", "smoothed"]
"""The posterior beside a test: of the counts it sees, or of a smoothed difference."""
LeastP = Callable[[Any], float | None]
"""From an outcome to the smallest p-value that any outcome of its design could have had."""
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """The facts of one method: what it asks, of which evidence, and who says so."""

    id: str
    function: Callable[..., Any] = field(repr=False)
    question: str
    takes: Takes
    gives: Gives
    unit: tuple[Unit, ...]
    assumes: tuple[str, ...]
    reference: str
    requirement: str
    same_as: str | None
    formula: str | None
    exempt: Mapping[Law, str]
    name: str
    title: str
    interval: str
    least_p: LeastP | None
    posterior: Posterior | None
    calibrated_by: str | None
    pseudo_median: bool = False
    uneven_tails: bool = False

    @property
    def family(self) -> str:
        """The file the method lives in, e.g. ``paired_outcomes``."""
        return str(self.function.__module__).rsplit(".", 1)[-1]

    @property
    def asks_of_all(self) -> bool:
        """Whether one question is asked of all columns together, so that there are no pairs to adjust for."""
        return self.gives == "test" and self.takes in ("blocks", "groups", "successes")

    @property
    def layer(self) -> str:
        return str(self.function.__module__).split(".")[1]

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(inspect.unwrap(self.function)).parameters

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.function) or "").split("\n", 1)[0]


_CATALOGUE: dict[str, Method] = {}

READS_EVIDENCE = "assay.evidence.method_arguments"
"""The module that turns evidence among the arguments of a call into numbers, loaded when needed."""

_DECORATED = re.compile(r"^(?:\)|@.+\))\ndef ([a-z]\w*)\(", re.MULTILINE)
"""The name of a public function below its decorator."""

_NUMBERS = frozenset({"int", "float", "bool", "list", "tuple", "ndarray", "NoneType", "Tally"})
"""Types of arguments that are numbers as they are."""

FAMILIES: tuple[str, ...] = (
    "assay.estimates.proportions",
    "assay.estimates.differences",
    "assay.estimates.means",
    "assay.estimates.clustered_means",
    "assay.estimates.bootstrap",
    "assay.estimates.roc",
    "assay.estimates.average_precision",
    "assay.estimates.agreement",
    "assay.estimates.folds",
    "assay.estimates.out_of_bag",
    "assay.estimates.selection",
    "assay.estimates.winners",
    "assay.estimates.cross_validation",
    "assay.estimates.effects",
    "assay.estimates.rank_effects",
    "assay.estimates.runs",
    "assay.estimates.judged",
    "assay.hypotheses.one_model",
    "assay.hypotheses.independent_outcomes",
    "assay.hypotheses.paired_outcomes",
    "assay.hypotheses.paired_scores",
    "assay.hypotheses.paired_measures",
    "assay.hypotheses.paired_labels",
    "assay.hypotheses.judged",
    "assay.hypotheses.judge_bias",
    "assay.hypotheses.independent_measures",
    "assay.hypotheses.independent_labels",
    "assay.hypotheses.simultaneous",
    "assay.hypotheses.simultaneous_labels",
    "assay.hypotheses.cluster_jackknife",
    "assay.hypotheses.two_samples",
    "assay.hypotheses.resampled_scores",
    "assay.hypotheses.training_variance",
    "assay.hypotheses.anova",
    "assay.hypotheses.many_criteria",
    "assay.hypotheses.many_models",
    "assay.hypotheses.posthoc",
    "assay.hypotheses.rank_groups",
    "assay.hypotheses.rank_sets",
    "assay.hypotheses.roc",
    "assay.hypotheses.average_precision",
    "assay.hypotheses.equivalence",
    "assay.hypotheses.runs",
    "assay.hypotheses.preferences",
    "assay.hypotheses.bayes",
    "assay.hypotheses.bayes_outcomes",
    "assay.hypotheses.bayes_effects",
    "assay.hypotheses.bayes_hierarchical",
    "assay.hypotheses.sequential",
    "assay.hypotheses.multiplicity",
    "assay.hypotheses.assumptions",
)
"""The modules that hold methods; a new family adds one line."""


def method(
    *,
    question: str,
    takes: Takes,
    gives: Gives,
    unit: Unit | tuple[Unit, ...],
    assumes: tuple[str, ...],
    reference: str,
    requirement: str,
    same_as: str | None = None,
    formula: str | None = None,
    exempt: Mapping[Law, str] = MappingProxyType({}),
    name: str | None = None,
    title: str | None = None,
    interval: str | None = None,
    least_p: LeastP | None = None,
    posterior: Posterior | None = None,
    calibrated_by: str | None = None,
    pseudo_median: bool = False,
    uneven_tails: bool = False,
) -> Callable[[Function], Function]:
    """Attach the facts of a method to its function and enter it in the catalogue.

    ``name`` is what prose calls it (McNemar), unless the words of its id will do; ``title`` the same with its
    noun (McNemar's test); ``interval`` what stands before *interval* (Tango). ``posterior`` is the kind of
    posterior that stands beside its verdicts; ``calibrated_by`` which facts of a design find its cell among
    the measured levels; ``least_p`` gives the smallest p-value that an outcome could have had, where there is one.
    ``pseudo_median`` is said where the effect is one of differences, not a difference of means;
    ``uneven_tails`` where the ends of the interval share its error unevenly, so that neither is a one-sided bound.

    ``same_as`` is the R or SciPy line that gives the same answer; ``formula`` the defining
    equation in plain text, its names the names in ``details``; ``exempt`` gives the reason for
    each conformance law that the method does not obey. A path, a frame, a mapping or evidence among
    the arguments is read first, so that the function itself sees numbers.
    """

    def record(function: Function) -> Function:
        id_ = function.__name__
        code = function.__code__
        known = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        single = single_kinds(function.__annotations__)
        called_so = name or id_.replace("_", " ")
        if id_ in _CATALOGUE and _CATALOGUE[id_].function.__module__ != function.__module__:
            raise RuntimeError(f"two methods are called {id_}")
        entry = Method(
            id=id_,
            function=function,
            question=question,
            takes=takes,
            gives=gives,
            unit=(unit,) if isinstance(unit, str) else unit,
            assumes=assumes,
            reference=reference,
            requirement=requirement,
            same_as=same_as,
            formula=formula,
            exempt=exempt,
            name=called_so,
            title=title or _with_noun(called_so),
            interval=interval or called_so.removesuffix(" interval"),
            least_p=least_p,
            posterior=posterior,
            calibrated_by=calibrated_by,
            pseudo_median=pseudo_median,
            uneven_tails=uneven_tails,
        )

        @wraps(function)
        def called(*positional: Any, **options: Any) -> Any:
            notes: tuple[Any, ...] = ()
            if not options.keys() <= known:
                rename(options, known)
            check_single(options, single)
            if any(type(value).__name__ not in _NUMBERS for value in positional):
                read = import_module(READS_EVIDENCE).arguments_of_call
                positional, options, notes = read(entry, positional, options)
            found = function(*positional, **options)
            unsaid = [one for one in notes if one not in found.notes]
            return replace(found, notes=(*found.notes, *unsaid)) if unsaid else found

        _CATALOGUE[id_] = replace(entry, function=called)
        return cast("Function", called)

    return record


def _with_noun(name: str) -> str:
    return name if name.endswith(("test", "tests", "ANOVA", "bootstrap")) else f"{name} test"


@cache
def _homes() -> Mapping[str, str]:
    """Where each method is, read off the sources, so that one is found without loading all."""
    homes = {}
    for family in FAMILIES:
        spec = find_spec(family)
        source = Path(spec.origin).read_text("utf-8") if spec and spec.origin else ""
        homes.update(dict.fromkeys(_DECORATED.findall(source), family))
    return homes


def record_of(name: str) -> Method | None:
    """The record behind the name that a result carries, ``delong_test (t)``; None where no method has it."""
    key = name.partition(" (")[0]
    if key not in _CATALOGUE and key.isidentifier() and key in _homes():
        import_module(_homes()[key])
    return _CATALOGUE.get(key)


def catalogue() -> Mapping[str, Method]:
    """All methods by id, in the order of the families."""
    for family in FAMILIES:
        import_module(family)
    return MappingProxyType(_CATALOGUE)


_T_TESTS = ["paired_t", "one_sample_t", "two_sample_t"]
_MEANT = {"t_test": _T_TESTS, "ttest": _T_TESTS, "t": _T_TESTS, "student_t": _T_TESTS}
"""Names that other programs give to several methods at once."""


def find_method(name: str) -> Method:
    """The method called ``name``, also with its variant, ``delong_test (t)``; a near miss is suggested."""
    key = name.partition(" (")[0].replace("-", "_").lower()
    found = record_of(key)
    if found is not None:
        return found
    methods = catalogue()
    from difflib import get_close_matches

    near = _MEANT.get(key) or get_close_matches(key, methods, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; see `assay methods`"
    raise UsageError(f"there is no method {name!r}{hint}")
