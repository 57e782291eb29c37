"""One vocabulary: the public names, their signatures and their words."""

import inspect
from typing import Any

import pytest

import assay
from assay.core.methods import Method, catalogue

METHODS = list(catalogue().values())
VOCABULARY = {
    "alternative": ("two-sided",),
    "level": (0.95,),
    "rng": (None,),
    "n_resamples": None,
    "null": None,
    "variant": None,
    "margin": None,
}
EVIDENCE = {
    "a", "b", "blocks", "clusters", "differences", "errors_a", "errors_b", "evidence", "evidence_a",
    "evidence_b", "fitted", "folds", "groups", "loss_a", "loss_b", "losses", "mean", "mean_ranks",
    "covariate", "errors", "judge", "n", "n_datasets", "no_information", "out_of_bag", "p_values", "pairs",
    "people", "runs", "sample",
    "scores", "scores_a", "scores_b", "sd", "sizes", "standard_error", "successes", "table", "truth",
    "truth_a", "truth_b", "value", "values",
}  # fmt: skip
"""What a method may take by position: its evidence, by these names."""
OPTIONS = {
    "adjustment", "alternative", "baseline", "bound", "center", "clip", "clusters", "control",
    "correct", "counts", "df", "direction", "extent", "folds", "high", "horizon", "interval",
    "level", "low", "margin", "mean", "measure", "method", "metric", "models", "n", "n_resamples", "n_test",
    "n_train", "null", "position", "prior_place", "prior_strength", "quantiles", "quarters", "rng", "rope",
    "stratified", "target", "test_share", "ties", "training_sd", "unit", "variant", "weights", "zeros",
}  # fmt: skip
"""Every option of every method: a new word is added here, if no word that is here will do."""
VERBS = {
    "read": "sources", "evaluate": "evidence", "compare": "evidence", "gate": "evidence",
    "plan": "measure", "simulate": "methods", "study_report": "study", "compare_curves": "scores",
}  # fmt: skip
"""What the verbs take by position, and nothing else."""
SYNONYMS = {
    "alpha", "confidence", "conf_level", "confidence_level", "seed", "random_state", "n_boot",
    "n_bootstraps", "B", "side", "sided", "mu", "p0", "popmean",
}  # fmt: skip


def test_all_names_exist() -> None:
    for name in assay.__all__:
        assert getattr(assay, name) is not None


def test_lazy_homes_and_all_agree() -> None:
    lazy = {name for names in assay._HOMES.values() for name in names}
    assert lazy | {"__version__", "plots"} == set(assay.__all__)  # plots is a module, and lazy too


def test_verbs_stay_functions_when_their_folders_are_imported() -> None:
    import assay.compare.verdict

    assert inspect.isfunction(assay.compare)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute or method 'mcnemer'"):
        _ = assay.mcnemer


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.id)
class TestSignatures:
    def test_reachable_by_its_name(self, method: Method) -> None:
        assert getattr(assay, method.id) is method.function
        assert method.id in dir(assay)

    def test_everything_after_the_evidence_is_keyword_only(self, method: Method) -> None:
        for parameter in _parameters(method.function):
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                assert parameter.name in EVIDENCE, parameter.name

    def test_one_vocabulary(self, method: Method) -> None:
        for parameter in _parameters(method.function):
            if parameter.kind is parameter.KEYWORD_ONLY:
                assert parameter.name in OPTIONS, parameter.name
            expected = VOCABULARY.get(parameter.name)
            if expected is not None:
                assert parameter.default in expected, parameter

    def test_typed(self, method: Method) -> None:
        signature = inspect.signature(method.function)
        assert signature.return_annotation is not inspect.Signature.empty
        for parameter in signature.parameters.values():
            assert parameter.annotation is not parameter.empty, parameter.name


@pytest.mark.parametrize(("verb", "evidence"), VERBS.items())
class TestVerbs:
    def test_everything_after_the_evidence_is_keyword_only(self, verb: str, evidence: str) -> None:
        first, *others = _parameters(getattr(assay, verb))
        assert first.name == evidence
        more = {first.VAR_POSITIONAL}  # further sources
        assert {one.kind for one in others} <= {first.KEYWORD_ONLY, first.VAR_KEYWORD} | more

    def test_one_vocabulary(self, verb: str, evidence: str) -> None:
        words = {parameter.name for parameter in _parameters(getattr(assay, verb))}
        assert evidence in words
        assert not words & SYNONYMS


def test_the_words_are_no_synonyms() -> None:
    assert not SYNONYMS & (OPTIONS | EVIDENCE)
    assert set(VOCABULARY) <= OPTIONS


def _parameters(function: Any) -> list[Any]:
    return list(inspect.signature(function).parameters.values())
