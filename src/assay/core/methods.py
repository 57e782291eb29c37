"""Methods are plain functions; their facts hang on them and build the catalogue."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

from assay.core.checks import check_single, refuse_unknown, rename, single_kinds
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
PosteriorKind = Literal["one_rate", "paired_rates", "two_rates", "smoothed"]
"""The posterior beside a test: of the counts it sees, or of a smoothed difference."""
LeastP = Callable[[Any], float | None]
"""From an outcome to the smallest p-value that any outcome of its design could have had."""
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodFacts:
    """What the file of a method says of it: what it asks, of which evidence, and who says so.

    ``name`` is what prose calls it (McNemar), unless the words of its id will do; ``title`` the same with its
    noun (McNemar's test); ``interval`` what stands before *interval* (Tango); ``caption`` what a figure calls
    it; ``variants`` what a variant that decides is called. ``posterior`` is the kind of posterior that stands
    beside its verdicts; ``least_p`` gives the smallest p-value that an outcome could have had, where there is one.

    ``same_as`` is the R or SciPy line that gives the same answer; ``formula`` the defining
    equation in plain text, its names the names in ``details``; ``exempt`` gives the reason for
    each conformance law that the method does not obey.

    Four facts name an entry in a table of another part, which is used where the method is asked for:
    ``calibrated_by`` which facts of a design find its cell among the measured levels; ``planned_by`` the
    question of a plan (`plan/test_choice.py`); ``batched_by`` its form for many pieces of evidence at once
    (`simulate/batched_methods.py`); ``redrawn_by`` how a gate that tries itself gets its interval
    (`compare/gate_resampling.py`).
    """

    question: str
    takes: Takes
    gives: Gives
    unit: Unit | tuple[Unit, ...]
    assumes: tuple[str, ...]
    reference: str
    requirement: str
    same_as: str | None = None
    formula: str | None = None
    exempt: Mapping[Law, str] = field(default_factory=dict)
    name: str = ""
    title: str = ""
    interval: str = ""
    caption: str = ""
    variants: Mapping[str, str] = field(default_factory=dict)
    least_p: LeastP | None = None
    posterior: PosteriorKind | None = None
    calibrated_by: str | None = None
    planned_by: str | None = None
    batched_by: str | None = None
    redrawn_by: str | None = None
    undrawn: str = ""
    """The evidence it is for, where no simulated world draws that, although one draws its shape."""
    anytime: bool = False
    """Whether its intervals hold at every look at evidence that grows."""
    equivalence: bool = False
    """Whether its null is a difference of the margin or more."""
    exact: bool = False
    """Whether an interval of no width is a true one."""
    symmetric: bool = False
    """Whether its interval is symmetric unless it follows the skewness or the range of the values."""
    splits_agreement: bool = False
    """Whether it sees how often both are right, and how often both are wrong, not their sum alone."""
    pseudo_median: bool = False
    """Whether the effect is a pseudo-median of differences, not a difference of means."""
    uneven_tails: bool = False
    """Whether the ends of the interval share its error unevenly, so that neither is a one-sided bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method(MethodFacts):
    """The record of one method: its function and its facts."""

    id: str
    function: Callable[..., Any] = field(repr=False)
    unit: tuple[Unit, ...]

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

_NOUNS = ("test", "tests", "ANOVA", "bootstrap")
"""Names that end so are titles as they are."""

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
    "assay.estimates.best_of",
    "assay.estimates.board_winner",
    "assay.estimates.cross_validation",
    "assay.estimates.effects",
    "assay.estimates.rank_effects",
    "assay.estimates.runs",
    "assay.estimates.judged_means",
    "assay.hypotheses.one_model",
    "assay.hypotheses.independent_outcomes",
    "assay.hypotheses.paired_outcomes",
    "assay.hypotheses.paired_scores",
    "assay.hypotheses.paired_measures",
    "assay.hypotheses.paired_labels",
    "assay.hypotheses.judged_differences",
    "assay.hypotheses.judge_bias",
    "assay.hypotheses.independent_measures",
    "assay.hypotheses.independent_labels",
    "assay.hypotheses.simultaneous",
    "assay.hypotheses.simultaneous_labels",
    "assay.hypotheses.cluster_jackknife",
    "assay.hypotheses.two_samples",
    "assay.hypotheses.resampled_scores",
    "assay.hypotheses.training_variance",
    "assay.hypotheses.training_sizes",
    "assay.hypotheses.confidence_sets",
    "assay.hypotheses.anova",
    "assay.hypotheses.many_criteria",
    "assay.hypotheses.many_models",
    "assay.hypotheses.friedman_posthoc",
    "assay.hypotheses.kruskal_wallis",
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


class method(MethodFacts):  # noqa: N801 (a decorator)
    """The decorator of a function that is a method: its facts, and the catalogue that they enter.

    A path, a frame, a mapping or evidence among the arguments of a call is read first, so that the
    function itself sees numbers.
    """

    __slots__ = ()

    def __call__(self, function: Function) -> Function:
        """The function as it is called by everyone, in the catalogue."""
        record = _record(function, self)
        known_as = _CATALOGUE.get(record.id)
        if known_as is not None and known_as.function.__module__ != function.__module__:
            raise RuntimeError(f"two methods are called {record.id}")
        code = function.__code__
        known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        places = known[: code.co_argcount]
        needed = code.co_argcount - len(function.__defaults__ or ())
        named, single = frozenset(known), single_kinds(function.__annotations__)

        @wraps(function)
        def called(*positional: Any, **options: Any) -> Any:
            notes: tuple[Any, ...] = ()
            if not options.keys() <= named:
                rename(options, named)
                refuse_unknown(options, known, record.id)
            check_single(options, single)
            if len(positional) > len(places) and not code.co_flags & inspect.CO_VARARGS:
                raise _misplaced(record, f"got {len(positional)} arguments")
            if any(type(value).__name__ not in _NUMBERS for value in positional):
                read = import_module(READS_EVIDENCE).arguments_of_call
                positional, options, notes = read(record, positional, options)
            if len(positional) < needed or not options.keys().isdisjoint(places):
                _check_places(record, places, needed, len(positional), options)
            found = function(*positional, **options)
            unsaid = [one for one in notes if one not in found.notes]
            return replace(found, notes=(*found.notes, *unsaid)) if unsaid else found

        _CATALOGUE[record.id] = replace(record, function=called)
        return cast("Function", called)


def _check_places(
    record: Method, places: Sequence[str], needed: int, given: int, options: Mapping[str, Any]
) -> None:
    """Refuse arguments that are missing, and those given by their place and by their name."""
    missing = [name for name in places[given:needed] if name not in options]
    if missing:
        raise _misplaced(record, f"got no {' and no '.join(missing)}")
    twice = [name for name in places[:given] if name in options]
    if twice:
        raise _misplaced(record, f"has {twice[0]} twice, by its place and by its name")


def _misplaced(record: Method, fault: str) -> UsageError:
    needs = import_module(READS_EVIDENCE).SHAPES[record.takes].needed(record)
    return UsageError(f"{record.id}() {fault}; {needs}")


def _record(function: Callable[..., Any], facts: MethodFacts) -> Method:
    """The facts, and what follows from them where nothing else is said."""
    said = {one.name: getattr(facts, one.name) for one in fields(facts)}
    name = facts.name or function.__name__.replace("_", " ")
    followed = {
        "unit": (facts.unit,) if isinstance(facts.unit, str) else facts.unit,
        "name": name,
        "title": facts.title or (name if name.endswith(_NOUNS) else f"{name} test"),
        "interval": facts.interval or name.removesuffix(" interval"),
    }
    return Method(id=function.__name__, function=function, **said | followed)


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
    key = str(name).partition(" (")[0]
    if key not in _CATALOGUE and key.isidentifier() and key in _homes():
        import_module(_homes()[key])
    return _CATALOGUE.get(key)


def catalogue() -> Mapping[str, Method]:
    """All methods by id, in the order of the families."""
    for family in FAMILIES:
        import_module(family)
    return MappingProxyType(_CATALOGUE)


_T_TESTS = ["paired_t", "one_sample_t", "two_sample_t"]
_MEANT = {
    **dict.fromkeys(("t_test", "ttest", "t", "student_t"), _T_TESTS),
    **dict.fromkeys(("welch", "welch_t"), _T_TESTS[2:]),
}
"""Names that other programs give to several methods at once."""


def near_methods(name: str) -> str:
    """What to look at where a name is no method: those with nearly that name, or the list."""
    from difflib import get_close_matches

    known = _homes()
    near = _MEANT.get(name) or get_close_matches(name, known, n=3, cutoff=0.8)
    near = near or [one for one in known if name.startswith(f"{one}_")]  # wilcoxon_signed_rank
    near = near or get_close_matches(name, known, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else "; see `assay methods`"


def find_method(name: str) -> Method:
    """The method called ``name``, also with its variant, ``delong_test (t)``; a near miss is suggested."""
    key = str(name).partition(" (")[0].replace("-", "_").lower()
    found = record_of(key)
    if found is not None:
        return found
    raise UsageError(f"there is no method {name!r}{near_methods(key)}")
