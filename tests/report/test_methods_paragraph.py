"""The methods paragraph says what was used, and nothing that was not."""

from dataclasses import replace

import pytest

from assay._version import __version__
from assay.core.formatting import listed
from assay.core.method_names import method_name
from assay.core.results import Result
from assay.report.methods_paragraph import (
    Citations,
    assumptions,
    deciding,
    methods_paragraph,
    record_of,
)
from assay.report.references import BIBLIOGRAPHY
from tests.report import examples


class TestMethodName:
    @pytest.mark.parametrize(
        ("method", "name"),
        [
            ("mcnemar", "McNemar"),
            ("clopper_pearson", "Clopper-Pearson"),
            ("delong_test", "DeLong test"),
            ("paired_t", "paired t"),
            ("cochran_q", "Cochran Q"),
            ("bca", "BCa"),
            ("mid_p", "mid-p"),
            ("holm", "Holm"),
            ("somebody_else", "somebody else"),
            ("a\x1b[0m", "a"),
        ],
    )
    def test_as_prose(self, method: str, name: str) -> None:
        assert method_name(method) == name


class TestListed:
    def test_sentences(self) -> None:
        assert listed([]) == ""
        assert listed(["a"]) == "a"
        assert listed(["a", "b"]) == "a and b"
        assert listed("abc") == "a, b and c"
        assert listed("abcdefgh") == "a, b, c, d, e, f and 2 more"


class TestCitations:
    def test_numbers_in_order_of_first_mention(self) -> None:
        cited = Citations()
        assert cited.mark("tango") == "Tango [1]"
        assert cited.mark("wilson") == "Wilson [2, 3]"
        assert cited.mark("tango") == "Tango [1]"
        assert cited.works[0] == BIBLIOGRAPHY["tango1998"]

    def test_a_correction_is_cited_once(self) -> None:
        cited = Citations()
        assert cited.test("wilcoxon_pairs", but="holm").endswith(" [1, 2]")
        assert cited.numbers("holm") == " [3]"

    def test_a_method_without_record_has_no_number(self) -> None:
        assert Citations().mark("own_method") == "own method"
        assert record_of("own_method") is None


class TestMethodsParagraph:
    def test_two_models(self) -> None:
        found = methods_paragraph(examples.two_models())
        assert found.paragraph == (
            "forest and logistic were compared by accuracy (higher is better) on 1,000 items. The models "
            "were compared by McNemar's test [1] (two-sided, α = .05), with Tango intervals [2] for the "
            "difference. Single models are given with 95% Wilson intervals [3, 4]. Differences of less "
            "than 0.01 were considered irrelevant (margin). The conclusions apply to these trained models "
            "on new items like the ones tested. The random seed was 7. "
            f"Computations used assay {__version__}."
        )
        assert len(found.references) == 4
        assert found.assumptions == ("items are independent", "both models saw the same items")

    def test_a_family_holds_together(self) -> None:
        words = methods_paragraph(examples.many_models(4)).paragraph
        assert "Pairs of models were compared by" in words
        assert "6 pairs)" in words
        assert "Cochran's Q test" in words

    def test_a_baseline_is_named(self) -> None:
        words = methods_paragraph(examples.many_models(4, baseline=True)).paragraph
        assert "3 pairs)" in words
        assert "Models were compared with model-01 by" in words

    def test_no_margin_no_word_of_it(self) -> None:
        words = methods_paragraph(replace(examples.two_models(), margin=None)).paragraph
        assert "margin" not in words

    def test_clusters_are_told(self) -> None:
        result = examples.two_models()
        clustered = replace(result, evidence=replace(result.evidence, clusters=40))
        assert "on 1,000 items in 40 clusters." in methods_paragraph(clustered).paragraph

    def test_each_measure_with_its_interval(self) -> None:
        words = methods_paragraph(examples.evaluation()).paragraph
        assert "Accuracy is given with Wilson intervals [1, 2]." in words
        assert "rea under the ROC curve" in words
        assert "not adjusted for comparing models" in words

    @pytest.mark.parametrize(
        ("result", "words"),
        [
            (
                examples.family(),
                "3 models were compared in 3 pairs by McNemar's test [1] with Tango intervals [2] (Holm",
            ),
            (
                examples.outcome(0.1, 0.0, 0.2, 0.04),
                "tested against 0 by McNemar's test [1] (two-sided)",
            ),
            (
                examples.estimate("a", 0.5, 0.4, 0.6),
                "Accuracy was estimated from 1,000 items, with a 95%",
            ),
            (examples.lower_is_better().posteriors[0], "practical equivalence of ±0.01"),
            (examples.roc_curve("a", 0.2), "The curve is roc of a."),
        ],
    )
    def test_every_kind_of_result(self, result: Result, words: str) -> None:
        assert words in methods_paragraph(result).paragraph


class TestDeciding:
    def test_the_choice_comes_first_and_nothing_beside_it(self) -> None:
        assert deciding(examples.two_models()) == ("mcnemar", "tango")

    def test_assumptions_once_each(self) -> None:
        assert assumptions(["mcnemar", "tango", "unknown"]) == (
            "items are independent",
            "both models saw the same items",
        )
