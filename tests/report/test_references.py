"""Keys are looked up, citations stand as they are."""

import re

import pytest

from assay.core.methods import catalogue
from assay.report.references import BIBLIOGRAPHY, works


class TestWorks:
    @pytest.mark.parametrize("reference", ["wilson1927; brown2001", "wilson1927 brown2001"])
    def test_keys(self, reference: str) -> None:
        assert works(reference) == (BIBLIOGRAPHY["wilson1927"], BIBLIOGRAPHY["brown2001"])

    def test_a_short_citation_is_completed(self) -> None:
        assert works("Tango (1998), Statistics in Medicine 17") == (BIBLIOGRAPHY["tango1998"],)
        assert works("Bell & McCaffrey (2002), Survey Methodology 28; demsar2006") == (
            BIBLIOGRAPHY["bell2002"],
            BIBLIOGRAPHY["demsar2006"],
        )
        assert works("Šidák (1967), JASA 62") == (BIBLIOGRAPHY["sidak1967"],)

    def test_the_page_tells_works_of_one_year_apart(self) -> None:
        (work,) = works("Newcombe (1998), Statistics in Medicine 17: 2635-2650, method 10")
        assert work == f"{BIBLIOGRAPHY['newcombe1998paired']} Method 10."

    def test_the_title_tells_works_of_one_year_apart(self) -> None:
        book, paper = BIBLIOGRAPHY["fisher1935"], BIBLIOGRAPHY["fisher1935logic"]
        assert works("Fisher (1935), The Design of Experiments, section 21") == (
            f"{book} Section 21.",
        )
        assert works("Fisher (1935), JRSS 98: 39-82") == (paper,)

    def test_what_is_in_doubt_stands_as_it_is(self) -> None:
        for text in (
            "Newcombe (1998), Statistics in Medicine 17",
            "Nobody (1812)",
            "assay, docs/methods/roc.md",
        ):
            assert works(text) == (text,)

    def test_a_full_citation_stands_as_it_is(self) -> None:
        text = "Dunn OJ (1964). Multiple comparisons using rank sums. Technometrics 6(3):241–252. And more."
        assert works(text) == (text,)

    def test_an_unknown_key_is_shown_rather_than_lost(self) -> None:
        assert works("nobody1999") == ("nobody1999",)

    def test_nothing(self) -> None:
        assert works(" ") == ()


class TestBibliography:
    @pytest.mark.parametrize("key", BIBLIOGRAPHY)
    def test_key_and_work_agree(self, key: str) -> None:
        found = re.fullmatch(r"([a-z]+)(\d{4})[a-z]*", key)
        assert found is not None
        assert f"({found[2]})" in BIBLIOGRAPHY[key]
        assert BIBLIOGRAPHY[key].endswith(".")

    def test_in_order(self) -> None:
        assert list(BIBLIOGRAPHY) == sorted(BIBLIOGRAPHY)


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_every_method_says_where_its_works_appeared(name: str) -> None:
    """Not a key that is nowhere, nor a name and a year only."""
    reference = catalogue()[name].reference
    for work in (*works(reference), *reference.split(";")):
        cited = re.search(r"\(\d{4}\)[.,] (?!section|chapter).{4}", work)
        keys = all(key in BIBLIOGRAPHY for key in work.split())
        assert cited or keys or "assay, docs/" in work, work
