"""What `help(assay.wilcoxon)` says: parameters, returns, an example and a reference, from the method's record."""

import inspect
import textwrap
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from assay.core.formatting import capital
from assay.core.methods import Method
from assay.core.vocabulary import Alternative
from assay.evidence import method_arguments as method_arguments  # where every shape is entered
from assay.evidence.argument_shapes import SHAPES, ArgumentShape, TypedOption
from assay.report.references import works
from assay.report.verb_help import WIDTH, indented

LONG = 60

_OPTIONS = {
    "adjustment": "How p-values are adjusted over the pairs.",
    "alternative": "Side of the alternative hypothesis.",
    "baseline": "The model that the others are compared with; all pairs without one.",
    "bound": "The largest difference possible on one item.",
    "center": "What deviations are taken from.",
    "clip": "Whether limits outside 0 to 1 are cut.",
    "clusters": "The cluster of each item.",
    "control": "The model that the others are compared with; all pairs without one.",
    "correct": "Whether to correct for continuity.",
    "counts": "Whether the table holds how many raters chose each category.",
    "df": "Degrees of freedom of the standard error.",
    "direction": "Which side is better.",
    "extent": "The largest difference possible, where it has one.",
    "folds": "K of K-fold cross-validation; the number of repeats follows from the number of scores.",
    "high": "The largest value possible.",
    "horizon": "How many steps ahead the forecasts are.",
    "interval": "Kind of bootstrap interval.",
    "level": "Confidence level; ``alpha`` is one minus it.",
    "low": "The smallest value possible.",
    "margin": "The smallest difference that matters.",
    "mean": "The difference over splits of all the data, whose variance is estimated.",
    "measure": "A name such as 'f1', a Measure, or a function of truth and prediction.",
    "method": "How the distribution is found: exactly or by an approximation; 'auto' decides by size.",
    "metric": "How far apart two ratings are.",
    "models": "The models by name, where there are more or where the order matters.",
    "n": "Number of units behind the value.",
    "n_resamples": "Number of resamples.",
    "n_test": "Items tested in each split.",
    "n_train": "Items trained on in each split.",
    "null": "Value under the null hypothesis.",
    "position": "Whether the side on which an answer was shown may matter.",
    "prior_place": "Where the weight of the prior lies.",
    "prior_strength": "Weight of the prior, in observations.",
    "quarters": "The same over splits within disjoint quarters: rows are cuts, columns the four quarters.",
    "quantiles": "How quantiles of the replicates are taken.",
    "rng": "Seed or generator; the same ``seed`` gives the same answer.",
    "rope": "Half the width of the region of practical equivalence.",
    "stratified": "Whether each class is resampled by itself.",
    "target": "The score that counts as solved.",
    "test_share": "Share of the items that each split tests.",
    "ties": "How ties are found or corrected for.",
    "training_sd": "Standard deviation over training sets that splits of one sample do not show.",
    "unit": "What one value belongs to; the answer names it.",
    "variant": "Which form of the method.",
    "weights": "Weights of the values, or of disagreements.",
    "zeros": "What happens to differences of zero.",
}
"""Keyword arguments; one vocabulary over all methods."""

_RETURNS = {
    "Estimate": "``value`` with its ``interval`` (low, high, level, method), ``n`` and ``notes``.",
    "TestOutcome": "``p_value``, ``statistic`` and the ``effect`` with its ``interval``; ``details`` and ``notes``.",
    "FamilyOutcome": "The ``pairs`` with their ``outcomes``, adjusted together, and the ``omnibus`` test, if any.",
    "Posterior": "``p_left``, ``p_rope`` and ``p_right``, and the ``effect`` with its credible interval.",
    "tuple": "The adjusted p-values, in the order given.",
}

_PREDICTIONS = (
    '{"truth": [1, 0] * 20, "a": [1, 0] * 18 + [0, 1] * 2, "b": [1, 0] * 15 + [0, 1] * 5}'
)
_ONE_MODEL = '{"truth": [1, 0] * 20, "a": [1, 0] * 18 + [0, 1] * 2}'
_FILES = {
    "predictions": (_PREDICTIONS,),
    "model-predictions": (_ONE_MODEL,),
    "two-predictions": (_ONE_MODEL, '{"truth": [1, 0] * 20, "b": [1, 0] * 15 + [0, 1] * 5}'),
}
"""Examples of evidence that is not typed as numbers."""

_NEEDED = {"margin": "margin=0.05", "clusters": "clusters=[1, 1, 2, 2, 3, 3]"}


def described(method: Method) -> Any:
    """The method's function, with a help text and a signature that can be read."""
    function: Any = method.function
    function.__doc__ = help_text(method)
    function.__signature__ = short_signature(method)
    return function


class Short(str):
    """A type in a word, which a signature shows as it is."""

    __slots__ = ()
    __repr__ = str.__str__


def short_signature(method: Method) -> inspect.Signature:
    """The signature with types in a word each; the help text says more."""
    own = inspect.signature(inspect.unwrap(method.function))
    short = [one.replace(annotation=_short(one)) for one in own.parameters.values()]
    gives = own.return_annotation
    return own.replace(
        parameters=short, return_annotation=Short(getattr(gives, "__name__", str(gives)))
    )


def _short(parameter: inspect.Parameter) -> Short:
    if parameter.kind is not parameter.KEYWORD_ONLY:
        return Short("evidence")
    kinds = ["str" if kind.startswith("{") else kind for kind in _kinds(parameter.annotation)]
    return Short(" | ".join(dict.fromkeys(kind.split(",")[0] for kind in kinds)))


def help_text(method: Method) -> str:
    """The docstring in numpydoc's sections; the function's own words come first."""
    own = inspect.getdoc(inspect.unwrap(method.function)) or ""
    parts = [
        own.split("\n\nParameters\n")[0],
        _section("Parameters", _parameters(method)),
        _section("Returns", _returns(method)),
        _section("Notes", [_filled(f"Question: {method.question}"), _assumed(method)]),
        _section("References", [*map(_filled, works(method.reference))]),
        _section(
            "Examples", [">>> import assay", f">>> found = assay.{example(method)}", _shown(method)]
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([title, "-" * len(title), *filter(None, lines)])


def _parameters(method: Method) -> list[str]:
    lines, needs = [], SHAPES[method.takes].needs
    positional = [one for one in method.parameters.values() if one.kind is not one.KEYWORD_ONLY]
    if positional:
        stars = ["*" if one.kind is one.VAR_POSITIONAL else "" for one in positional]
        names = [f"{star}{one.name}" for star, one in zip(stars, positional, strict=True)]
        lines = [f"{', '.join(names)} : numbers, arrays, a file, a frame or evidence"]
        lines += indented(f"{capital(needs)}.")
    for one in method.parameters.values():
        if one.kind is one.KEYWORD_ONLY:
            lines += [f"{one.name} : {_typed(one)}", *indented(_said(one))]
    return lines


def _said(parameter: inspect.Parameter) -> str:
    """What an argument is, with its choices where they are too many for the line of its type."""
    kinds = list(_kinds(parameter.annotation, parameter.name))
    said = _OPTIONS[parameter.name]
    many = [kind for kind in kinds if len(kind) > LONG]
    return f"{said} One of {many[0].strip('{}')}." if many else said


def _typed(parameter: inspect.Parameter) -> str:
    """The type of an argument in words, and its default."""
    kinds = (
        "str" if len(kind) > LONG else kind for kind in _kinds(parameter.annotation, parameter.name)
    )
    text = " or ".join(dict.fromkeys(kinds))
    default = parameter.default
    if default is parameter.empty:
        return text
    return f"{text}, optional" if default is None else f"{text}, default {default!r}"


def _kinds(annotation: Any, name: str = "") -> Iterator[str]:
    """The types that an annotation allows, each in a word."""
    if annotation is str and name == "alternative":
        yield from _kinds(Alternative)
    elif "array_like" in str(annotation) or "numpy._typing" in str(annotation):
        yield from ("float", "array_like") if float in get_args(annotation) else ("array_like",)
    elif get_origin(annotation) is Literal:
        yield "{" + ", ".join(map(repr, get_args(annotation))) + "}"
    elif "Sequence" in str(get_origin(annotation)):
        yield "list of str"
    elif "Callable" in str(get_origin(annotation)):
        yield "function"
    elif get_args(annotation):
        for part in get_args(annotation):
            yield from _kinds(part)
    elif annotation is not type(None):
        yield "str, Measure or function" if annotation is Any else annotation.__name__


def _returns(method: Method) -> list[str]:
    name = getattr(
        inspect.signature(inspect.unwrap(method.function)).return_annotation, "__name__", "object"
    )
    return ["tuple of float" if name == "tuple" else name, *indented(_RETURNS[name])]


def _assumed(method: Method) -> str:
    return _filled(f"Assumes: {'; '.join(method.assumes)}.") if method.assumes else ""


def _shown(method: Method) -> str:
    return ">>> found" if method.gives == "adjustment" else ">>> print(found.summary())"


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH)


def example(method: Method) -> str:
    """A call that works, from the example that the command line gives.

    Examples
    --------
    >>> from assay.core.methods import find_method
    >>> example(find_method("mcnemar"))
    'mcnemar(50, 10, 4, 36)'
    """
    shape = SHAPES[method.takes]
    accepted = method.parameters
    needed = [
        text
        for name, text in _NEEDED.items()
        if name in accepted and accepted[name].kind is inspect.Parameter.KEYWORD_ONLY
    ]
    return f"{method.id}({', '.join([*_arguments(method, shape), *needed])})"


def _arguments(method: Method, shape: ArgumentShape) -> list[str]:
    if method.takes in _FILES:
        return list(_FILES[method.takes])
    found = [text for option in shape.options for text in _literals(option)]
    pairs = [one for one in method.parameters.values() if one.name == "pairs"]
    return [*found, "[(0, 1), (0, 2), (1, 2)]"] if pairs else found


def _literals(option: TypedOption) -> list[str]:
    """The examples of an option as Python writes them."""
    if option.kind in ("whole", "number"):
        return option.examples[0].split()
    if option.kind == "ranks":
        ranks = (one.split("=") for one in option.examples[0].split(","))
        return ["{" + ", ".join(f'"{name}": {rank}' for name, rank in ranks) + "}"]
    written = [_array(text, rows=option.kind == "rows") for text in option.examples]
    return [f"[{', '.join(written)}]"] if option.repeated else written


def _array(text: str, *, rows: bool) -> str:
    if rows:
        return "[" + ", ".join(_array(row, rows=False) for row in text.split(";")) + "]"
    return "[" + text.replace("nan", 'float("nan")').replace(",", ", ") + "]"
