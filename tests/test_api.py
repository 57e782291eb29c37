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
SYNONYMS = {
    "alpha", "confidence", "conf_level", "confidence_level", "seed", "random_state", "n_boot",
    "n_bootstraps", "B", "side", "sided", "mu", "p0", "popmean",
}  # fmt: skip


def test_all_names_exist() -> None:
    for name in assay.__all__:
        assert getattr(assay, name) is not None


def test_lazy_homes_and_all_agree() -> None:
    lazy = {name for names in assay._HOMES.values() for name in names}
    assert lazy | {"__version__"} == set(assay.__all__)


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
        for parameter in _parameters(method):
            if parameter.name in VOCABULARY or parameter.name in SYNONYMS:
                assert parameter.kind is parameter.KEYWORD_ONLY, parameter.name

    def test_one_vocabulary(self, method: Method) -> None:
        for parameter in _parameters(method):
            assert parameter.name not in SYNONYMS, parameter.name
            expected = VOCABULARY.get(parameter.name)
            if expected is not None:
                assert parameter.default in expected, parameter

    def test_typed(self, method: Method) -> None:
        signature = inspect.signature(method.function)
        assert signature.return_annotation is not inspect.Signature.empty
        for parameter in signature.parameters.values():
            assert parameter.annotation is not parameter.empty, parameter.name


def _parameters(method: Method) -> list[Any]:
    return list(inspect.signature(method.function).parameters.values())
