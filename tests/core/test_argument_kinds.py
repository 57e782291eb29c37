"""Options that are one value: what else comes is refused where it enters."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest

import assay
from assay.core.checks import ArgumentKind, single_kinds

ASSAY: Any = assay  # types would refuse what is tried here
TABLE = {"truth": [0, 1] * 20, "a": [0, 1] * 20, "b": [0, 0] * 20}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ASSAY.compare(TABLE, baseline=np.array(["a", "b"])), r"baseline= is text, got ndarray of shape"),
        (lambda: ASSAY.compare(TABLE, against=pd.DataFrame()), r"against= is a number or text, got DataFrame"),
        (lambda: ASSAY.compare(TABLE, unit=pd.Series(["item"])), r"unit= is text, got Series of shape \(1,\)"),
        (lambda: ASSAY.compare(TABLE, sequential="no"), "sequential= is True or False, got 'no'"),
        (lambda: ASSAY.look(TABLE, correct=pd.NA), "correct= is True or False, got <NA>"),
        (lambda: ASSAY.look(TABLE, correct=np.array([])), r"correct= is True or False, got ndarray of shape \(0,\)"),
        (lambda: ASSAY.look(TABLE, ignore=np.array("a")), "ignore= is a name or a list of names"),
        (lambda: ASSAY.compare(TABLE, measure={"accuracy": 1}), "a measure is a name, a Measure or a function"),
        (lambda: ASSAY.compare(TABLE, margin={None: 1}), "a margin for None, which is not compared"),
        (lambda: ASSAY.look({"truth": [0, 1], "s": [0.2, 0.7]}, threshold=10**400).evidence(), "threshold= is a"),
        (lambda: ASSAY.compare(TABLE, n_resamples=" "), "n_resamples= is a whole number, got ' '"),
        (lambda: ASSAY.compare(TABLE, n_resamples=None), "n_resamples= is a whole number, got None"),
        (lambda: ASSAY.compare(TABLE, n_resamples=9.5), r"n_resamples= is a whole number, got 9\.5"),
        (lambda: ASSAY.compare(TABLE, bound=10**400), "bound= is a number, got 1000"),
        (lambda: ASSAY.gate(TABLE, baseline="a", at_least=0.9), r"at_least= is a number for each measure.*got 0\.9"),
        (lambda: ASSAY.gate(TABLE, at_least={"accuracy": "x"}), "at_least= is a number for each measure"),
        (lambda: ASSAY.gate(TABLE, config=5), "config= is the path of a gate file, got 5"),
        (lambda: ASSAY.gate(TABLE, measures=[[1]], margin=0.1), r"a measure is a name.*got \[1\]"),
        (lambda: ASSAY.judge(TABLE, truth="truth", judge=2), "judge= is a name or a list of names, got 2"),
        (lambda: ASSAY.simulate(5), "name the method to simulate"),
        (lambda: ASSAY.simulate("wald", options=5), "options= is a table"),
        (lambda: ASSAY.to_json(None), "to_json takes a result of assay, got NoneType"),
        (lambda: ASSAY.from_json(5), "from_json takes text or bytes, got int"),
        (lambda: ASSAY.render(ASSAY.wilson(1, 9), pd.NA), "format is one of table"),
        (lambda: ASSAY.render(ASSAY.wilson(1, 9), width=-1), "width is a whole number of at least 1"),
        (lambda: ASSAY.render(ASSAY.wilson(1, 9), typed="x"), "typed is one of cli, python"),
        (lambda: ASSAY.Store.open(5), "a store is a path or an address, got int"),
        (lambda: ASSAY.Store.open("a\0b"), "cannot be the name of a store"),
        (lambda: ASSAY.Study(learners=[1], datasets=["iris"]), "a study needs at least one learner"),
        (lambda: ASSAY.Study(learners={"a": 1}, datasets=["iris"], curves=1), "curves= is a table"),
        (lambda: ASSAY.Study(learners={"a": 1}, datasets=["iris"], resampling=5), "resampling= is a scheme"),
        (lambda: ASSAY.mcnemar(5, 1, 2, 3, level=[0.9, 0.95]), r"level= is a number, got \[0\.9, 0\.95\]"),
        (lambda: ASSAY.wilson(1, 9, alternative={}), r"alternative= is text, got \{\}"),
    ],
)  # fmt: skip
def test_a_collection_where_one_value_is_meant(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(assay.UsageError, match=words):
        call()


def test_an_array_of_no_dimension_is_its_value() -> None:
    assert assay.wilson(1, 9, level=np.array(0.9)) == assay.wilson(1, 9, level=0.9)
    assert assay.compare(TABLE, baseline=np.str_("a")).baseline == "a"


def test_what_takes_other_things_too_is_left_to_the_function() -> None:
    kinds = single_kinds({"rng": int | np.random.Generator | None, "side": Literal["a"], "x": Any})
    assert kinds == {"side": ArgumentKind(words=("text",), optional=False)}


@pytest.mark.parametrize("flag", [0.0, -0.0, 1.0, np.float64(1.0), np.True_])
def test_a_flag_that_is_a_number_is_true_or_false(flag: Any) -> None:
    votes = (["a", "b", "c", "a"], ["b", "c", "a", "c"], ["a", "c", "a", "c"])
    found = ASSAY.bradley_terry(*votes, position=flag)
    assert str(found) == str(ASSAY.bradley_terry(*votes, position=bool(flag)))
