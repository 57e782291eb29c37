"""Every journey in a real browser: no complaint of its console, no violation of the policy, no
request to anyone else, and nothing that axe-core objects to.
"""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.compare.study_report import study_report
from assay.study.spec import Study
from assay.web import limits
from tests.web import test_attacks
from tests.web.browsing import (
    DESKTOP,
    PHONE,
    ZOOMED,
    Visit,
    answered,
    arrived,
    changed,
    view_of,
)
from tests.web.conftest import Served, needs_chromium, serving

pytestmark = needs_chromium

SPEC = """
name = "small"
seed = 7
measures = ["accuracy"]
datasets = ["iris", "wine"]

[resampling]
scheme = "cv"
folds = 3

[learners.tree]
estimator = "sklearn.tree.DecisionTreeClassifier"

[learners.bayes]
estimator = "sklearn.naive_bayes.GaussianNB"

[learners.hopeless]
estimator = "sklearn.neighbors.KNeighborsClassifier"
params = { n_neighbors = 100000 }

[curves.learning]
schedule = "geometric"
points = 3
"""
EIGHT = SPEC.replace(
    '"iris", "wine"',
    '"iris", "wine", "breast_cancer", "penguins", "glass", "zoo", "phishing", "anes_vote"',
).replace("n_neighbors = 100000", "n_neighbors = 3")
"""Three learners on eight data sets, with curves."""
MODELS = ("forest", "logistic", "tree")
"""Of the example of tumours."""
VIEWS = ("", "/measures", "/curves", "/differences", "/board", "/judge", "/corrected")
"""Views of evidence."""
LEARNING = (
    "/learn", "/learn/choose", "/learn/power", "/learn/level", "/learn/coverage", "/learn/methods",
    "/learn/methods/mcnemar",
)  # fmt: skip


@pytest.fixture
def visit(browser: Any, served: Served) -> Iterator[Callable[..., Visit]]:
    """Open visits; each fails the test at its end if the page complained."""
    opened: list[Visit] = []

    def begin(where: Served | None = None, **options: Any) -> Visit:
        opened.append(Visit(browser, where or served, **options))
        return opened[-1]

    yield begin
    for one in opened:
        one.close()


def predictions(n: int = 400) -> str:
    """Two models of which the first is right a little more often."""
    lines = ["item,y,first,second"]
    for place in range(n):
        truth = place % 2
        first = truth if place % 10 else 1 - truth
        second = truth if place % 9 and place % 10 != 3 else 1 - truth
        lines.append(f"q{place},{truth},{first},{second}")
    return "\n".join(lines)


def run(folder: Path, **options: Any) -> Path:
    """The store of a study that ran."""
    (folder / "study.toml").write_text(SPEC)
    store = folder / "study.db"
    Study.from_toml(folder / "study.toml").run(store, workers=1, progress=False, **options)
    return store


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page of a study that ran."""
    folder = tmp_path_factory.mktemp("study")
    yield from serving(folder, store=str(run(folder)))


@pytest.fixture
def half_done(tmp_path: Path) -> Iterator[Served]:
    """The page of a study that stopped half-way."""
    store = run(tmp_path, only=["iris"])
    yield from serving(tmp_path, store=str(store), spec=tmp_path / "study.toml")


class TestOpening:
    def test_the_printed_address_opens_the_page(
        self, browser: Any, tmp_path: Path, visit: Callable[..., Visit]
    ) -> None:
        servers = serving(tmp_path)
        other = next(servers)
        tab = visit(other, known=False)
        page = tab.go(f"/open?token={other.session.token}")
        page.wait_for_selector("#drop")
        assert "Is the difference real?" in page.inner_text("h1")
        (cookie,) = tab.context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        page.goto("about:blank")
        assert list(servers) == []


class TestAnswer:
    def test_from_a_file_to_a_verdict_to_another_margin(
        self, visit: Callable[..., Visit], tmp_path: Path
    ) -> None:
        path = tmp_path / "mine.csv"
        path.write_text(predictions())
        tab = visit()
        page = tab.go("/")
        page.set_input_files("#files", path)
        answered(page)
        assert page.inner_text(".word").split()[1].lower() == "better"
        assert "400 items" in page.inner_text(".read .sentence")
        # the margin is drawn while its slider moves; the server decides anew, and the address says so
        moved = page.eval_on_selector(
            "#margin-slider",
            "s => { s.value = s.max; s.dispatchEvent(new Event('input', {bubbles: true}));"
            " return [document.querySelector('rect.margin').getAttribute('width'),"
            " document.querySelector('.feet .told').textContent]; }",
        )
        assert float(moved[0].removesuffix("%")) > 0.0
        assert moved[1].startswith("margin ±")
        page.wait_for_selector(".verdict.equivalent")
        page.wait_for_url("**margin=*")
        shown = page.inner_text("#verdict")
        page.reload()
        assert page.inner_text("#verdict") == shown
        page.go_back()
        page.wait_for_selector(".verdict.better")
        arrived(page)
        assert tab.violations() == []

    def test_dropping_is_choosing(self, visit: Callable[..., Visit]) -> None:
        page = visit().go("/")
        page.evaluate(
            """text => {
              const data = new DataTransfer();
              data.items.add(new File([text], "dropped.csv"));
              document.body.dispatchEvent(
                new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
            }""",
            predictions(200),
        )
        answered(page)
        assert "dropped.csv" in page.inner_text(".over")

    def test_work_that_takes_longer_is_waited_for(
        self, visit: Callable[..., Visit], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "PATIENCE", 0.0)
        tab = visit()
        page = tab.go("/")
        page.click("button[value=tumours]")
        answered(page)  # by way of the page that waits
        page.click("text=Confidence, seed, resamples")
        page.fill("#field-level", "0.8")
        page.keyboard.press("Tab")
        page.wait_for_function(
            "() => document.querySelector('#details')?.innerText.includes('80% interval')"
        )

    def test_what_a_page_asks_for_itself_is_waited_for(
        self, visit: Callable[..., Visit], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        page = visit().example("datasets")
        monkeypatch.setattr(limits, "PATIENCE", 0.0)
        page.goto(f"{page.url}&correction=hommel")
        page.wait_for_selector("#corrected table")

    def test_a_mistake_is_explained_beside_its_field(self, visit: Callable[..., Visit]) -> None:
        tab = visit()
        page = tab.go("/")
        page.click("text=Paste a table")
        words = predictions(100).replace(",0", ",cat").replace(",1", ",dog")
        page.fill("#pasted", words.replace("item,y,", "item,seen,"))
        page.click(".paste button")
        page.wait_for_selector(".asked")
        assert page.locator("#verdict").count() == 0
        page.click("button.choice:has-text('seen')")
        answered(page)
        assert "seen" in page.inner_text(".read .sentence")
        page.click("text=Confidence, seed, resamples")
        page.fill("#field-level", "7")  # without a new page
        page.keyboard.press("Tab")
        page.wait_for_selector("#wrong-level")
        assert page.get_attribute("#field-level", "aria-invalid") == "true"
        page.fill("#field-level", "0.9")
        page.keyboard.press("Tab")
        page.wait_for_selector("#wrong-level", state="detached")
        page.goto(page.url + "&positive=fish")
        arrived(page)
        assert "not a class" in page.inner_text("#wrong-positive")
        assert "=" not in page.inner_text("#wrong-positive")
        page.goto(page.url.replace("fish", "dog") + "&level=7&resamples=1000000000")
        arrived(page)
        assert "from 0.5 to 0.9999" in page.inner_text("#wrong-level")
        assert page.get_attribute("#field-resamples", "aria-describedby") == "wrong-resamples"
        assert tab.violations() == []

    def test_many_models_by_rank(self, visit: Callable[..., Visit]) -> None:
        tab = visit()
        page = tab.example("datasets")
        page.wait_for_selector("[data-chart=ranks] svg")
        page.focus("[data-chart=ranks]")
        page.keyboard.press("ArrowRight")
        assert "not significantly different from" in page.inner_text(".said")
        assert page.locator("[data-chart=matrix] svg").count() == 1
        page.select_option("#field-baseline", "majority")
        page.wait_for_function(
            "() => document.querySelector('#verdict')?.innerText.endsWith('better than majority')"
        )
        page.select_option("#field-correction", "bonferroni")
        page.wait_for_selector("#corrected table")
        assert page.locator("#corrected tbody tr").count() == 5
        assert tab.violations() == []

    @pytest.mark.parametrize("window", [DESKTOP, PHONE])
    def test_names_that_begin_and_end_alike(
        self, window: Any, visit: Callable[..., Visit], tmp_path: Path
    ) -> None:
        """Found with twelve variants of one model: every name the same, and matrix cells overprinted."""
        names = [f"gradient-boosted-trees-with-encoding-v{place}-final" for place in range(12)]
        rows = [
            [0.9 - 0.01 * place + 0.001 * ((7 * row + 3 * place) % 11) for place in range(12)]
            for row in range(20)
        ]
        table: list[list[Any]] = [["dataset", *names]]
        table += [[f"set {place}", *row] for place, row in enumerate(rows)]
        path = tmp_path / "scores.csv"
        path.write_text("\n".join(",".join(map(str, row)) for row in table))
        tab = visit(viewport=window)
        page = tab.go("/")
        page.set_input_files("#files", path)
        answered(page)
        for chart in ("ranks", "matrix", "forest"):
            drawn = page.locator(f"[data-chart={chart}]").first
            drawn.locator("svg").wait_for()
            found = drawn.evaluate(
                "place => [...place.querySelectorAll('text')].map((one) => one.textContent)"
            )
            assert {re.findall(r"\d+", one)[0] for one in found if "…" in one} == {
                str(place) for place in range(12)
            }
        cells = page.locator("[data-chart=matrix] text").evaluate_all(
            "found => found.filter((one) => /^[?▲▼↑↓]/.test(one.textContent))"
            ".map((one) => one.getBoundingClientRect()).map((box) => [box.left, box.right, box.top])"
        )
        for (_, right, top), (left, _, other) in pairwise(
            sorted(cells, key=lambda one: (one[2], one[0]))
        ):
            assert top != other or right <= left
        page.click("details.fold > summary:has-text('Differences in')")
        page.wait_for_selector("details.fold[open] [data-chart=forest] svg")

    def test_a_form_responds_as_soon_as_it_is_there(self, visit: Callable[..., Visit]) -> None:
        page = visit().example("datasets")
        page.evaluate(
            """() => new MutationObserver((_, watching) => {
              if (!document.querySelector("#verdict")?.innerText.endsWith("majority")) return;
              watching.disconnect();
              const field = document.querySelector("#field-correction");
              field.value = "bonferroni";
              field.dispatchEvent(new Event("change", {bubbles: true}));
            }).observe(document.body, {childList: true, subtree: true})"""
        )
        page.select_option("#field-baseline", "majority")
        page.wait_for_selector("#corrected table")

    def test_everything_can_be_taken_away(self, visit: Callable[..., Visit]) -> None:
        tab = visit(accept_downloads=True)
        page = tab.example("tumours")
        begins = {
            "figure.svg": b"<?xml", "figure.png": b"\x89PNG", "table.csv": b"table,",
            "table.tex": b"% needs", "report.html": b"<!doctype html>", "report.md": b"#",
            "report.json": b"{", "report.tex": b"% needs",
        }  # fmt: skip
        for name, start in begins.items():
            with page.expect_download() as taken:
                page.locator(f"a[href*='{name}']:visible").first.click()
            content = Path(taken.value.path()).read_bytes()
            assert content.lstrip().startswith(start), name

    def test_the_twin_says_the_same(self, visit: Callable[..., Visit]) -> None:
        tab = visit()
        page = tab.example("quiz")
        shown = page.inner_text("#verdict")
        twin = json.loads(
            tab.context.request.get(tab.served.address + view_of(page, ".json")).text()
        )
        assert twin["headline"] == shown
        asked = page.request.get(page.url, headers={"accept": "application/json"})
        assert json.loads(asked.text()) == twin


class TestExploring:
    def test_a_threshold_and_its_cost(self, visit: Callable[..., Visit]) -> None:
        tab = visit(accept_downloads=True)
        page = tab.example("tumours")
        tab.follow("nav.tabs >> text=Curves", "**/curves*")
        page.wait_for_selector("#roc svg")
        panels = page.locator("#calibration svg text", has_text=re.compile("n = 190$"))
        drawn = [text.split(",")[0] for text in panels.all_text_contents()]
        assert drawn == ["logistic", "forest", "tree"]  # best first, as everywhere
        before = page.inner_text(".confusion tbody")
        page.fill("#field-threshold", "0.1")
        page.keyboard.press("Tab")
        changed(page, ".confusion tbody", before)
        cheapest = page.inner_text("#cut-answer .lead")
        page.fill("input[name=fn]", "50")
        page.keyboard.press("Tab")
        changed(page, "#cut-answer .lead", cheapest)
        page.wait_for_url("**fn=50*")
        for form, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
            with page.expect_download() as taken:
                page.click(f"[data-save=roc][data-form={form}]")
            assert Path(taken.value.path()).read_bytes().startswith(start)
        assert tab.violations() == []

    def test_measures_and_differences(self, visit: Callable[..., Visit]) -> None:
        tab = visit()
        page = tab.example("tumours")
        tab.follow("nav.tabs >> text=Every measure", "**/measures*")
        text = page.inner_text("table")
        assert "balanced_accuracy" in text
        assert "log_loss" in text
        assert tab.violations() == []
        tab.follow("nav.tabs >> text=Differences", "**/differences*")
        page.wait_for_selector("[data-chart=agreement] svg")
        assert tab.violations() == []


def finished(page: Any) -> None:
    """Wait for the page of a study that has nothing left to do."""
    page.wait_for_function(
        "() => document.querySelector('#state')?.innerText.toLowerCase() === 'finished'"
        " && !document.querySelector('form[action$=resume], form[action$=stop]')"
    )
    arrived(page)


class TestStudies:
    @pytest.mark.parametrize("patience", [limits.PATIENCE, 0.0], ids=["fast", "slow"])
    def test_follow_resume_failures_curves(
        self,
        visit: Callable[..., Visit],
        half_done: Served,
        monkeypatch: pytest.MonkeyPatch,
        patience: float,
    ) -> None:
        monkeypatch.setattr(limits, "PATIENCE", patience)  # a slow machine is waited for
        tab = visit(half_done)
        page = tab.go("/stores/main")
        tab.follow("text=small", "**/stores/main/0")
        total = int(re.findall(r"of (\d+) tasks", page.inner_text(".verdict"))[0])
        assert 0 < int(page.inner_text("#done")) < total
        page.click("text=Continue")
        finished(page)
        assert int(page.inner_text("#done")) == total
        assert tab.violations() == []
        tab.follow("text=See what failed", "**/failures")
        page.click("text=Traceback of the first")
        assert "n_neighbors" in page.inner_text("pre")
        assert tab.violations() == []
        page.go_back()
        tab.follow("text=Learning curves", "**/curves")
        page.wait_for_selector("#learning svg")
        assert tab.violations() == []

    def test_a_run_elsewhere_is_followed(
        self, visit: Callable[..., Visit], half_done: Served
    ) -> None:
        page = visit(half_done).go("/stores/main/0")
        assert page.inner_text("#state").lower() == "not finished"
        run(half_done.folder)
        finished(page)
        assert page.locator("#scores ~ * tbody tr").count() == 2

    def test_a_study_is_evidence(self, visit: Callable[..., Visit], studied: Served) -> None:
        page = visit(studied).go("/stores/main/0")
        page.select_option("#by", "fold")
        page.click("button:has-text('Compare')")
        answered(page)
        assert "3 folds" in page.inner_text(".read .sentence")

    def test_a_study_has_its_report(self, visit: Callable[..., Visit], studied: Served) -> None:
        page = visit(studied, accept_downloads=True).go("/stores/main/0")
        with page.expect_download() as taken:
            page.click("text=Report (HTML)")
        text = Path(taken.value.path()).read_text(encoding="utf-8")
        assert "small" in text
        assert str(studied.folder) not in text

    def test_the_report_of_eight_data_sets_is_soon_read(self, browser: Any, tmp_path: Path) -> None:
        (tmp_path / "study.toml").write_text(EIGHT)
        study = Study.from_toml(tmp_path / "study.toml")
        found = study.run(tmp_path / "study.db", workers=1, progress=False)
        (tmp_path / "report.html").write_text(study_report(found).to_html(), encoding="utf-8")
        for window in (DESKTOP, PHONE):
            page = browser.new_page(viewport=window)
            page.goto((tmp_path / "report.html").as_uri())
            height = page.evaluate("document.documentElement.scrollHeight")
            page.close()
            assert (window, 2_000 < height < 8_000) == (window, True), height

    def test_a_store_can_be_dropped(
        self, visit: Callable[..., Visit], served: Served, studied: Served
    ) -> None:
        with closing(sqlite3.connect(studied.folder / "study.db")) as store:
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # everything in the one file
        page = visit(served).go("/")
        page.set_input_files("#files", studied.folder / "study.db")
        page.wait_for_selector("text=small")
        assert page.url.startswith(f"{served.address}/stores/")


class TestLearning:
    def test_the_guide_asks_until_it_knows(self, visit: Callable[..., Visit]) -> None:
        tab = visit()
        page = tab.go("/learn/choose")
        page.check("input[value=folds]")
        page.check("input[name=models][value='2']")
        page.wait_for_selector("text=corrected_resampled_t")
        assert tab.violations() == []
        tab.follow("section a", "**/learn/methods/*")
        page.wait_for_selector("h1:has-text('corrected_resampled_t')")
        assert "A worked example" in page.inner_text("main")
        assert tab.violations() == []

    def test_power_moves_with_the_slider(self, visit: Callable[..., Visit]) -> None:
        tab = visit()
        page = tab.go("/learn/power")
        before = page.inner_text("#planned .lead")
        page.eval_on_selector(
            "input[data-mirrors=field-n]",
            "s => { s.value = 90; s.dispatchEvent(new Event('input', {bubbles: true})) }",
        )
        changed(page, "#planned .lead", before)
        page.wait_for_url("**n=*")
        with page.expect_event("load"):  # the address is there before the page that belongs to it
            page.go_back()
        arrived(page)
        assert page.url.endswith("/learn/power")
        assert page.inner_text("#planned .lead") == before
        page.select_option("#unit", "seed")  # responds after going back as well
        page.wait_for_url("**unit=seed*")
        arrived(page)
        assert page.input_value("#unit") == "seed"
        assert tab.violations() == []

    @pytest.mark.parametrize("path", ["/learn/level", "/learn/coverage"])
    def test_worlds_move_with_their_sliders(self, visit: Callable[..., Visit], path: str) -> None:
        tab = visit()
        page = tab.go(path)
        page.wait_for_selector("#rates svg")
        before = page.inner_text("#simulated .lead")
        if path.endswith("level"):  # which opens with the lesson
            assert page.input_value("#choice") == "10x10-fold"
            page.select_option("#choice", "10-fold")
        else:
            page.fill("#field-p", "0.3")
            page.keyboard.press("Tab")
        changed(page, "#simulated .lead", before)
        assert tab.violations() == []


class TestEveryone:
    def test_without_script(self, visit: Callable[..., Visit]) -> None:
        tab = visit(java_script_enabled=False)
        page = tab.example("tumours")
        page.wait_for_selector("table", state="attached")
        assert page.locator("noscript img, img.drawing").count() > 0
        page.fill("#field-margin", "0.2")
        page.click("#question button")
        page.wait_for_url("**margin=0.2*")
        answered(page)
        assert "equivalent" in page.inner_text("#details").lower()
        page.goto(page.url.replace("?", "/curves?"))
        arrived(page)
        page.fill("#field-threshold", "0.3")
        page.click("#cutting button")
        page.wait_for_url("**threshold=0.3*")
        arrived(page)
        assert "at 0.3" in page.inner_text("#cut-answer h2")

    def test_every_width_and_colour(self, visit: Callable[..., Visit]) -> None:
        tab = visit()
        page = tab.example("tumours")
        views = [view_of(page, view) for view in VIEWS]
        page = tab.example("datasets")
        views += [view_of(page, view) for view in ("", "/differences", "/corrected")]
        for path in ("/", *views, *LEARNING, "/studies", "/studies/new", "/nowhere"):
            tab.go(path)
            assert (path, tab.faults()) == (path, [])

    def test_every_page_of_a_study(self, visit: Callable[..., Visit], studied: Served) -> None:
        tab = visit(studied)
        views = [f"/stores/main/0{view}" for view in ("", "/failures", "/curves", "/verdict")]
        for path in ("/studies", "/stores/main", *views):
            page = tab.go(path)
            if path == views[0]:
                page.wait_for_selector("#study-verdict h2#verdict")
                assert page.locator("#study-verdict .strip").count() == 1
            assert (path, tab.faults()) == (path, [])

    def test_at_four_hundred_per_cent(self, visit: Callable[..., Visit]) -> None:
        tab = visit(viewport=ZOOMED)
        page = tab.example("datasets")
        assert tab.violations() == []
        views = [view_of(page, view) for view in ("", "/differences")]
        for path in ("/", *views, "/learn/methods", "/learn/power"):
            tab.go(path)
            assert (path, tab.overflow()) == (path, 0)

    def test_by_keyboard_alone(self, visit: Callable[..., Visit]) -> None:
        page = visit().go("/")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.value") == "quiz":
                break
        page.keyboard.press("Enter")
        answered(page)

    def test_on_paper_the_answer_stands_without_forms(self, visit: Callable[..., Visit]) -> None:
        page = visit().example("quiz")
        page.emulate_media(media="print")
        assert page.is_visible("#verdict")
        assert page.is_visible(".strip")
        assert page.is_visible(".read .sentence")
        assert page.locator("form:visible, .take:visible, nav:visible").count() == 0

    def test_the_answer_comes_before_its_figures(self, visit: Callable[..., Visit]) -> None:
        """The verdict is in the page that comes first, with its drawing; figures are drawn later."""
        tab = visit(java_script_enabled=False, viewport=DESKTOP)
        page = tab.example("datasets")
        card = page.locator(".verdict").bounding_box()
        assert card is not None
        assert card["y"] + card["height"] < DESKTOP["height"]
        assert page.locator(".strip svg .interval").count() == 5
        assert len(page.inner_text("#verdict").split()) <= 12

    def test_the_verdict_is_on_the_page_before_its_figures(
        self, visit: Callable[..., Visit], tmp_path: Path
    ) -> None:
        """With the library of figures held back, the verdict of a dropped file can be read."""
        path = tmp_path / "mine.csv"
        path.write_text(predictions())
        page = visit().go("/")
        held: list[Any] = []

        def hold(route: Any) -> None:
            held.append(route)

        page.route("**/echarts.min.js*", hold)
        page.set_input_files("#files", path, no_wait_after=True)
        page.wait_for_selector("#verdict")  # not for "load", which waits for what is held
        assert "better" in page.inner_text("#verdict")
        assert page.is_visible(".strip svg")
        page.wait_for_function("() => document.querySelectorAll('[data-chart]').length > 0")
        assert page.locator("[data-chart] svg").count() == 0
        assert len(held) == 1
        held.pop().continue_()
        page.wait_for_selector("[data-chart] svg")
        arrived(page)

    def test_other_methods_follow_the_verdict_on_much_evidence(
        self, visit: Callable[..., Visit], tmp_path: Path
    ) -> None:
        rng = np.random.default_rng(1)
        truth = rng.normal(50.0, 10.0, 60_000).round(3)
        columns = [truth, *(truth + rng.normal(0.0, 2.0 + k, 60_000).round(3) for k in range(2))]
        rows = "\n".join(",".join(map(str, row)) for row in zip(*columns, strict=True))
        (tmp_path / "numbers.csv").write_text(f"truth,a,b\n{rows}\n")
        page = visit().go("/")
        page.set_input_files("#files", tmp_path / "numbers.csv")
        answered(page)
        assert page.inner_text("#verdict") == "a is better than b"
        page.wait_for_selector("#details:not([hx-get])")
        assert "Wilcoxon signed rank" in page.locator("#details").text_content()

    def test_hostile_names_stay_names(self, visit: Callable[..., Visit], tmp_path: Path) -> None:
        path = tmp_path / "hostile.csv"
        path.write_text(test_attacks.TestNames().table())
        tab = visit(viewport=PHONE)
        page = tab.go("/")
        page.set_input_files("#files", path)
        page.click("button.choice:has-text('these are the models')")
        answered(page)
        page.wait_for_selector("[data-chart=matrix] svg")
        page.hover("[data-chart=matrix]")
        for view in [view_of(page, view) for view in ("", "/measures", "/differences")]:
            tab.go(view)
            assert page.locator("img[src=x], svg[onload], b:has-text('yes')").count() == 0
            assert (view, tab.overflow()) == (view, 0)
