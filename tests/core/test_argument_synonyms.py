"""One vocabulary of arguments over the public functions."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import assay
from assay.core.checks import many_names
from assay.core.errors import UsageError

DATA = {"truth": [1, 0] * 40, "a": [1, 0] * 40, "b": [1, 0] * 30 + [0, 1] * 10}


@many_names
def told(
    *, level: float | list[float] = 0.95, rng: int = 0, measure: str = ""
) -> tuple[object, ...]:
    return level, rng, measure


def test_names_of_the_same_thing() -> None:
    assert told(alpha=0.1, seed=7, measures="f1") == (0.9, 7, "f1")  # type: ignore[call-arg]
    assert told(alpha=[0.1, 0.05]) == ([0.9, 0.95], 0, "")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="two names of one argument"):
        told(rng=1, seed=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"told\(\) has no argument sead=; there are level"):
        told(sead=2)  # type: ignore[call-arg]


def test_a_misspelt_argument_of_a_verb_is_meant() -> None:
    for wrong, right in (("margn", "margin"), ("basline", "baseline"), ("levl", "level")):
        with pytest.raises(UsageError, match=f"no argument {wrong}=; did you mean {right}="):
            assay.compare(DATA, **{wrong: 0.1})  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="no argument truht=; did you mean truth="):
        assay.compare(DATA, truht="truth")
    assert assay.compare(DATA, confidence=0.9).level == 0.9
    assert told(confidence_level=0.9)[0] == 0.9  # type: ignore[call-arg]


def test_a_misspelt_method_is_meant() -> None:
    with pytest.raises(AttributeError, match="did you mean wilcoxon"):
        _ = assay.wilcoxn
    with pytest.raises(AttributeError, match="did you mean wilcoxon\\?"):
        _ = assay.wilcoxon_signed_rank
    with pytest.raises(AttributeError, match="did you mean two_sample_t"):
        _ = assay.welch


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: assay.wilson(3, 10, lvel=0.9), r"wilson\(\) has no argument lvel=; did you mean level="),
        (lambda: assay.wilson(3, 10, errors=3), "no argument errors=; there are alternative, level"),
        (assay.friedman, r"friedman\(\) got no blocks; friedman takes a table of scores"),
        (lambda: assay.cluster_mean([1, 2]), "got no clusters; cluster_mean takes"),
        (lambda: assay.paired_t([1, 2.0], a=[2, 3.0]), "has a twice, by its place and by its name"),
    ],
)  # fmt: skip
def test_a_method_refuses_misspelt_missing_and_doubled_arguments(
    call: Callable[[], Any], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        call()


def test_an_argument_by_its_place_and_by_its_name() -> None:
    with pytest.raises(UsageError, match=r"plan\(\) has measure twice"):
        assay.plan(DATA, measure="accuracy")  # type: ignore[misc, arg-type]


def test_public_functions_take_both() -> None:
    found = assay.compare(DATA, measures="accuracy", seed=3, alpha=0.1)
    assert (found.measure, found.seed, found.level) == ("accuracy", 3, 0.9)
    assert assay.evaluate(DATA, truth="truth", measure="f1", seed=1).estimates[0].measure == "f1"
    gate = assay.gate(DATA, baseline="b", truth="truth", margin=0.1, measure="accuracy", seed=5)
    assert gate.seed == 5
    plan = assay.plan(measures="accuracy", power=0.8, difference=0.05, discordant=0.1, alpha=0.1)
    assert plan.level == 0.9
    assert assay.simulate("wald", question="coverage", n=10, p=0.5, alpha=0.1).cells[0].alpha == 0.1


@pytest.mark.parametrize(
    ("ours", "other"), [("rng", "seed"), ("level", "alpha"), ("measure", "measures")]
)
def test_every_function_and_method_takes_both(ours: str, other: str) -> None:
    """All that know one name know the other, and refuse both at once."""
    functions: list[Callable[..., Any]] = [
        assay.compare, assay.compare_curves, assay.evaluate, assay.gate, assay.plan, assay.simulate, assay.study_report,
        *(method.function for method in assay.catalogue().values()),
    ]  # fmt: skip
    names = ((ours, other), (other, ours))
    asked = 0
    for function in functions:
        known = inspect.signature(function).parameters
        for name, second in names:
            if name in known and second not in known:
                asked += 1
                with pytest.raises(
                    UsageError, match=f"{name} and {second} are two names of one argument"
                ):
                    function(**{name: 1, second: 1})
    assert asked > 5


def test_methods_take_the_other_names() -> None:
    assert assay.wilson(3, 20, alpha=0.1) == assay.wilson(3, 20, level=0.9)
    first, second = [0.8, 0.7, 0.9, 0.85], [0.7, 0.72, 0.8, 0.7]
    drawn = assay.paired_permutation(first, second, n_resamples=99, seed=4)
    assert drawn == assay.paired_permutation(first, second, n_resamples=99, rng=4)


@pytest.mark.parametrize("lower", [True, False])
def test_what_is_not_lower_is_higher(lower: bool) -> None:
    table = {"dataset": list("uvwxyz"), "a": [5, 6, 7, 8, 9, 9.5], "b": [1, 2, 3, 4, 5, 6.5]}
    told: dict[str, Any] = {"unit": "dataset", "higher_is_better": not lower}
    for found in (assay.compare(table, **told), assay.compare(assay.read(table, **told))):
        assert found.verdict.word == ("worse" if lower else "better")
    with pytest.raises(UsageError, match="two names of one argument"):
        assay.read(table, lower_is_better=lower, **told)
