"""One page that needs nothing, hides nothing and runs nothing."""

import base64
import gzip
import hashlib
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

import assay
from assay.core.notes import Note
from assay.core.results import Interval, Result
from assay.report import render
from assay.report.figures import OPEN
from assay.report.html import MOST_EMBEDDED, render_html, whole
from assay.report.views import view
from tests.report import examples

VOID = {"meta", "path", "use", "rect"}
RESULTS: dict[str, Result] = {
    "two": examples.two_models(),
    "many": examples.many_models(6),
    "evaluation": examples.evaluation(),
    "hostile": examples.hostile(),
}


class Page(HTMLParser):
    """The elements of a page, and the text of each kind."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@cache
def rendered(name: str) -> Page:
    return Page(render(RESULTS[name], "html", command="assay compare '<x>'"))


@pytest.fixture(params=RESULTS)
def page(request: pytest.FixtureRequest) -> Page:
    return rendered(request.param)


def unpacked(file: str, address: str) -> str:
    data = base64.b64decode(address)
    return (gzip.decompress(data) if file.endswith(".gz") else data).decode()


class TestSafety:
    def test_no_script_and_no_inline_style(self, page: Page) -> None:
        assert not page.all("script")
        names = {name for _, attributes in page.elements for name in attributes}
        assert "style" not in names
        assert not [name for name in names if name.startswith("on")]

    def test_nothing_is_loaded(self, page: Page) -> None:
        for tag, attributes in page.elements:
            allowed = ("#", "data:text/csv;", "data:application/json;", "data:application/gzip;")
            saved = tag == "a" and "download" in attributes  # kept on disk, never shown as a page
            for name in ("href", "src", "xlink:href", "action", "data"):
                assert (attributes.get(name) or "#").startswith(allowed if saved else "#")
        assert not re.search(r"url\((?!#)|@import", "".join(page.texts["style"]))

    def test_the_policy_allows_our_style_alone(self, page: Page) -> None:
        style = "".join(page.texts["style"])
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
        assert policy is not None
        assert policy.startswith("default-src 'none'; ")
        assert f"style-src 'sha256-{digest}';" in policy
        assert "unsafe" not in policy

    @pytest.mark.parametrize("name", RESULTS)
    def test_the_page_carries_its_tables_and_everything(self, name: str) -> None:
        page = rendered(name)
        links = {one["download"]: one["href"] or "" for one in page.all("a") if "download" in one}
        found = {
            (file or "").removesuffix(".gz"): unpacked(file or "", address.partition("base64,")[2])
            for file, address in links.items()
        }
        assert found == {f"report.{form}": render(RESULTS[name], form) for form in ("csv", "json")}

    def test_a_long_file_is_compressed(self) -> None:
        files = {"csv": "a\n", "json": "1" * (MOST_EMBEDDED + 1)}
        seen = replace(view(examples.undefined()), figures=())
        text = render_html(seen, {}, files)
        assert 'download="report.csv"' in text
        assert 'download="report.json.gz">Everything (JSON, compressed)<' in text
        assert text == render_html(seen, {}, files)

    def test_one_that_is_long_even_then_is_left_to_the_command(self) -> None:
        noise = np.random.default_rng(0).integers(33, 126, 2 * MOST_EMBEDDED, dtype=np.uint8)
        seen = replace(view(examples.undefined()), figures=())
        assert "report.json" not in render_html(seen, {}, {"json": noise.tobytes().decode("ascii")})

    def test_the_policy_comes_before_anything_it_governs(self, page: Page) -> None:
        order = [name for name, _ in page.elements]
        assert order[:4] == ["html", "head", "meta", "meta"]

    def test_everything_opened_is_closed(self, page: Page) -> None:
        assert page.open == []

    def test_names_are_read_as_they_are(self) -> None:
        page = Page(render(examples.hostile(), "html"))
        names = set(page.texts["bdi"])
        for name in ("<script>alert(1)</script>", '" onmouseover="alert(1)', "{{ 7 * 7 }}", "a|b"):
            assert name in names
        assert not any("\u202e" in text or "\x1b" in text for text in names)

    def test_titles_commands_files_and_measures_are_text_too(self) -> None:
        attack = "</title></code></style><script>alert(1)</script>"
        result = examples.two_models()
        result = replace(
            result,
            measure=attack,
            sentence=attack,
            does_not_say=attack,
            estimates=tuple(replace(one, measure=attack) for one in result.estimates),
            evidence=replace(result.evidence, sources=(attack,), classes=(attack,), truth=attack),
            notes=(Note(code=attack, message=attack),),
        )
        page = Page(render(result, "html", title=attack, command=attack))
        assert not page.all("script")
        assert page.open == []
        assert page.texts["title"] == [attack]


def test_options_and_intervals_are_not_broken() -> None:
    found = str(whole("worse <b> (95% CI [−0.1, 0.2], p < .001): set --labelled-at, not a--b"))
    assert (
        '<span class="whole">(95% CI [−0.1, 0.2]</span>' in found
    )  # nor stands "(" alone at an end
    assert (
        '<span class="whole">p &lt; .001</span>): set <span class="whole">--labelled-at</span>, not a--b'
        in found
    )
    assert "&lt;b&gt;" in found


class TestReading:
    def test_tables_have_captions_and_scopes(self, page: Page) -> None:
        assert len(page.all("table")) == len(page.all("caption"))
        assert {attributes.get("scope") for attributes in page.all("th")} == {"col", "row"}

    def test_figures_have_words_and_their_data(self, page: Page) -> None:
        figures = page.all("figure")
        assert figures
        data = page.texts["summary"].count("Show the data")
        on_phones = [one for one in page.all("svg") if "on-phone" in (one["class"] or "")]
        assert len(page.all("svg")) - len(on_phones) == data == len(figures)
        folded = page.texts.get("b", []).count("Figure")
        assert 1 <= len(on_phones) == len(figures) - folded <= OPEN
        for drawing in page.all("svg"):
            assert drawing["role"] == "img"
            assert drawing["aria-label"]

    def test_the_answer_comes_first_and_is_short(self, page: Page) -> None:
        (title,) = page.texts["h1"]
        assert len(title.split()) <= 12

    def test_what_scrolls_can_be_reached_by_keyboard(self, page: Page) -> None:
        regions = [a for a in page.all("div") if a.get("class") in ("scroll", "drawing")]
        assert regions
        assert all(a["tabindex"] == "0" and a["aria-label"] for a in regions)

    def test_ids_are_unique_and_references_meet_them(self, page: Page) -> None:
        ids = [a["id"] for _, a in page.elements if "id" in a]
        assert len(ids) == len(set(ids))
        wanted = {
            target
            for _, a in page.elements
            for name, value in a.items()
            if name in ("href", "clip-path") and value
            for target in re.findall(r"#([\w.-]+)", value)
        }
        assert wanted <= set(ids)

    def test_summary_evidence_methods_reproduction_in_this_order(self) -> None:
        text = render(examples.two_models(), "html", command="assay compare x.csv")
        marks = (
            "forest is better",
            "<svg",  # the effect, drawn right below the answer
            ">Evidence<",
            ">Notes<",
            ">Methods<",
            "assay compare x",
        )
        places = [text.index(mark) for mark in marks]
        assert places == sorted(places)

    def test_the_verdict_is_a_word_and_a_sign(self) -> None:
        text = render(examples.lower_is_better(), "html")
        assert '<span aria-hidden="true">?</span> undecided' in text

    def test_light_dark_print_and_phone(self, page: Page) -> None:
        style = "".join(page.texts["style"])
        for rule in (
            "@media screen and (prefers-color-scheme: dark)",
            "@media print",
            "max-width: 34rem",
        ):
            assert rule in style
        assert any(m.get("name") == "viewport" for m in page.all("meta"))


class TestSize:
    def test_hundred_models_stay_below_a_megabyte(self) -> None:
        assert len(render(examples.many_models(100), "html").encode()) < 1_000_000

    def test_long_curves_stay_below_a_megabyte(self) -> None:
        long = examples.roc_curve("forest", 0.2, points=100_000)
        assert len(render(long, "html").encode()) < 1_000_000


def test_numbers_beyond_every_axis_leave_the_report() -> None:
    """Found by hand: a result as JSON that somebody changed ended in an error of matplotlib's."""
    found = examples.two_models()
    far = Interval(low=0.0, high=1e308, level=0.95, method="x")
    estimates = tuple(replace(one, interval=far) for one in found.estimates)
    page = render(replace(found, estimates=estimates), "html")
    assert "Not drawn: numbers of 1e+308 cannot be drawn" in page
    assert "<svg" in page


def test_other_methods_have_the_sign_of_the_pair_above_them() -> None:
    truth = [0, 1] * 100
    worse = [*truth[:150], *[1 - one for one in truth[150:]]]
    better = [*truth[:190], *[1 - one for one in truth[190:]]]
    found = assay.compare(
        {"truth": truth, "worse": worse, "better": better},
        measure=["accuracy", "balanced_accuracy"],
        rng=1,
    )
    first, *others = view(found).tables
    (pair,) = [row for row in first.rows if row[0].text == "accuracy"]
    assert [cell.text for cell in pair[1:4]] == ["better", "worse", "+0.200"]
    (also,) = [table for table in others if table.caption.startswith("By accuracy")]
    assert all(row[1].text.startswith("+0.2") for row in also.rows)


def test_one_reference_is_one_work() -> None:
    lone = replace(view(examples.two_models()), references=("McNemar Q (1947)",))
    drawings = dict.fromkeys((figure.name for figure in lone.figures), "")
    assert "</b> 1 work</summary>" in render_html(lone, drawings)
