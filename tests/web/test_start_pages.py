"""The page says what the library says: every kind of evidence, and every twin."""

import html
import io
import json
import re
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from assay.compare.compare import compare
from assay.core import wire
from assay.core.results import Comparison, Evaluation
from assay.estimates.evaluate import evaluate
from assay.web import limits, start_pages
from assay.web.answer_card import card as card_of
from assay.web.downloads import command_line
from assay.web.examples import EXAMPLES, example_file
from assay.web.jobs import Job, failed
from assay.web.page_state import parse
from assay.web.simulation_presets import SCENES, Scene
from tests.web.conftest import Served


def shown(served: Served, client: httpx.Client, address: str) -> dict[str, Any]:
    response = served.json(client, address)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def without_names(result: dict[str, Any]) -> dict[str, Any]:
    """A result without where its evidence came from, and without curves."""
    kept = {**result, "curves": []}
    evidence = {**kept["evidence"], "sources": [], "description": "", "truth": "", "details": []}
    return {**kept, "evidence": evidence}


class TestTheVerdictFirst:
    def test_the_card_then_its_details_then_the_whole(
        self, served: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of a job that has told its verdict and goes on, the page has the card, and asks for the rest."""
        address = served.dropped(client, example_file(EXAMPLES[0]).read_bytes(), "tumours.csv")
        shown(served, client, address)
        real = start_pages.answer_job

        async def told(*of: Any, whole: bool = True, detailed: bool = False) -> Job:
            job = await real(*of)
            assert job.answer is not None
            early = {**job.answer, "card": card_of(wire.from_builtins(job.answer["result"]))}
            early = msgspec.to_builtins(early if detailed else {**early, "result": None})
            return job if whole else Job(key="", name="", question="", early=early)

        monkeypatch.setattr(start_pages, "answer_job", told)
        card = client.get(address).text
        details = client.get(address, headers={"assay-part": "details"}).text
        everything = client.get(address, headers={"assay-part": "whole"}).text
        headings = [re.findall(r'<h1 id="verdict".*', page) for page in (card, details, everything)]
        assert headings[0] == headings[1] == headings[2] != []
        assert ['id="figures"' in page for page in (card, details, everything)] == [
            False,
            True,
            True,
        ]
        asked = [re.findall(r'"assay-part": "(\w+)"', page) for page in (card, details, everything)]
        assert asked == [["details"], ["whole"], []]

    @pytest.mark.parametrize("detailed", [False, True])
    def test_it_stands_where_what_follows_is_cut_short(
        self,
        served: Served,
        client: httpx.Client,
        monkeypatch: pytest.MonkeyPatch,
        detailed: bool,
    ) -> None:
        """Other methods that take too long take no verdict away; programs hear of the error."""
        address = served.dropped(client, example_file(EXAMPLES[0]).read_bytes(), "tumours.csv")
        shown(served, client, address)
        real = start_pages.answer_job

        async def stopped(*of: Any, **_: Any) -> Job:
            job = await real(*of)
            assert job.answer is not None
            early = {**job.answer, "card": card_of(wire.from_builtins(job.answer["result"]))}
            early = msgspec.to_builtins(early if detailed else {**early, "result": None})
            late = failed("limit", "This took too long.")
            return Job(key="", name="", question="", early=early, answer=late, state="done")

        monkeypatch.setattr(start_pages, "answer_job", stopped)
        for part in ("verdict", "details", "whole"):
            page = client.get(address, headers={"assay-part": part})
            assert page.status_code == 200
            assert "This took too long. The verdict stands." in page.text
            assert ('<h1 id="verdict"' in page.text, "assay-part" in page.text) == (True, False)
            assert ('id="figures"' in page.text) == detailed
        assert served.json(client, address).status_code == 503


class TestTheLibrarySpeaks:
    @pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
    def test_examples(self, served: Served, client: httpx.Client, example: Any) -> None:
        form = {"csrf": served.session.csrf, "example": example.name}
        address = client.post("/drop", data=form).headers["location"]
        more = "&margin" if "?" in address else "?margin"
        found = shown(served, client, f"{address}{more}=0.02&level=0.9&seed=3")
        told = parse(example.told).reading()
        expected = compare(example_file(example), margin=0.02, level=0.9, rng=3, **told)
        assert isinstance(expected, Comparison)
        assert without_names(found["result"]) == without_names(wire.to_builtins(expected))

    def test_every_measure_is_evaluate(self, served: Served, client: httpx.Client) -> None:
        path = example_file(EXAMPLES[0])
        address = served.dropped(client, path.read_bytes(), "tumours.csv")
        asked = shown(served, client, f"{address}/measures.json")
        assert "f1" in asked["open"]  # until somebody says which class is positive
        address = f"{address}/measures.json?positive=malignant"
        found = shown(served, client, address)["result"]["estimates"]
        named = {(one["model"], one["measure"]): one for one in found}
        expected = evaluate(path, measures=("f1", "brier"), positive="malignant")
        for one in expected.estimates:
            mine = named[one.model, one.measure]
            assert mine["value"] == one.value
            assert one.interval is not None
            assert (mine["interval"]["low"], mine["interval"]["high"]) == (
                one.interval.low,
                one.interval.high,
            )

    def test_one_model_is_evaluated_or_meets_a_level(
        self, served: Served, client: httpx.Client
    ) -> None:
        text = "truth,a\n" + "".join(f"{i % 2},{(i % 7 > 0) == (i % 2)}\n" for i in range(70))
        text = text.replace("True", "1").replace("False", "0")
        address = served.dropped(client, text)
        alone = shown(served, client, f"{address}.json")["result"]
        assert isinstance(wire.from_builtins(alone), Evaluation)
        met = shown(served, client, f"{address}.json?against=chance")["result"]
        assert met["choice"]["method"] == "binomial"

    def test_the_threshold_is_the_librarys(self, served: Served, client: httpx.Client) -> None:
        address = served.dropped(client, example_file(EXAMPLES[0]).read_bytes())
        query = "positive=malignant&model=forest&threshold=0.5&tn=0&fp=1&fn=10&tp=0"
        cut = shown(served, client, f"{address}/curves.json?{query}")["cut"]
        matrix = cut["confusion"]
        n = sum(map(sum, matrix))
        cost = next(e for e in cut["result"]["estimates"] if e["measure"].startswith("mean_cost"))
        assert cost["value"] == pytest.approx((matrix[0][1] + 10 * matrix[1][0]) / n)
        assert cut["cheapest"]["cost"] <= cost["value"] + 1e-12

    def test_corrections_are_the_librarys(self, served: Served, client: httpx.Client) -> None:
        address = served.dropped(client, example_file(EXAMPLES[3]).read_bytes(), "datasets.csv")
        pairs = shown(served, client, f"{address}/corrected.json?correction=bonferroni")["pairs"]
        assert len(pairs) == 15
        for pair in pairs:
            assert pair["adjusted"] == pytest.approx(min(1.0, 15 * pair["p"]))


class TestKinds:
    def test_two_files_joined_by_id(self, served: Served, client: httpx.Client) -> None:
        a = "id,truth,pred\n" + "".join(f"{i},{i % 2},{i % 2}\n" for i in range(40))
        b = "id,truth,pred\n" + "".join(f"{i},{i % 2},{i % 3 % 2}\n" for i in reversed(range(40)))
        files = [("files", ("first.csv", a)), ("files", ("second.csv", b))]
        response = client.post("/drop", data={"csrf": served.session.csrf}, files=files)
        found = shown(served, client, response.headers["location"] + ".json")
        assert found["recognised"]["models"] == ["first", "second"]
        assert found["result"]["choice"]["method"] == "mcnemar"

    def test_parquet_and_json_lines(self, served: Served, client: httpx.Client) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {"truth": [0, 1] * 20, "a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10}
        packed = io.BytesIO()
        pq.write_table(pa.table(columns), packed)
        lines = "\n".join(
            json.dumps(dict(zip(columns, row, strict=True)))
            for row in zip(*columns.values(), strict=True)
        )
        answers = []
        for content, name in ((packed.getvalue(), "x.parquet"), (lines.encode(), "x.jsonl")):
            address = served.dropped(client, content, name)
            answers.append(shown(served, client, f"{address}.json")["result"]["summary"])
        assert answers[0] == answers[1]

    def test_a_log_of_a_harness(self, served: Served, client: httpx.Client) -> None:
        def log(right: int) -> str:
            return "\n".join(
                json.dumps(
                    {"doc_id": i, "doc": {"q": i}, "target": "x", "resps": [["x"]],
                     "filtered_resps": ["x"], "filter": "none", "metrics": ["acc"],
                     "doc_hash": f"h{i}", "prompt_hash": f"p{i}", "target_hash": "t",
                     "acc": float(i % right > 0)}
                )
                for i in range(60)
            )  # fmt: skip

        stamp = "2026-01-01T00-00-00.000000"
        files = [
            ("files", (f"samples_quiz_{stamp}.jsonl", log(4))),
            ("files", (f"samples_quiz_{stamp}2.jsonl", log(3))),
        ]
        response = client.post("/drop", data={"csrf": served.session.csrf}, files=files)
        answer = served.json(client, response.headers["location"] + ".json")
        assert answer.status_code == 200
        assert len(answer.json()["recognised"]["models"]) == 2
        assert answer.json()["result"]["choice"]["method"] == "mcnemar"

    def test_a_pasted_table_with_tabs(self, served: Served, client: httpx.Client) -> None:
        rows = "truth\ta\tb\n" + "".join(f"{i % 2}\t{i % 2}\t{i % 3 % 2}\n" for i in range(40))
        form = {"csrf": served.session.csrf, "pasted": rows}
        address = client.post("/drop", data=form).headers["location"]
        assert shown(served, client, f"{address}.json")["recognised"]["models"] == ["a", "b"]

    def test_nothing_at_all(self, served: Served, client: httpx.Client) -> None:
        assert client.post("/drop", data={"csrf": served.session.csrf}).status_code == 422

    def test_models_left_out_can_be_chosen_again(
        self, served: Served, client: httpx.Client
    ) -> None:
        address = served.dropped(client, example_file(EXAMPLES[0]).read_bytes())
        found = shown(served, client, f"{address}.json?models=forest&models=tree")
        assert found["recognised"]["models"] == ["forest", "tree"]
        assert found["recognised"]["every_model"] == ["forest", "logistic", "tree"]
        page = client.get(f"{address}?models=forest&models=tree").text
        assert page.count('type="checkbox" name="models"') == 3


class TestTwins:
    def test_every_page_has_one(self, served: Served, client: httpx.Client) -> None:
        address = served.dropped(client, example_file(EXAMPLES[0]).read_bytes())
        pages = [
            "/learn", "/learn/choose", "/learn/power", "/learn/methods", "/learn/methods/wilson",
            *(f"{address}{tail}" for tail in ("", "/measures", "/curves", "/differences")),
        ]  # fmt: skip
        for page in pages:
            twin = served.json(client, f"{page}.json")
            assert twin.headers["content-type"].startswith("application/json"), page
            asked = served.json(client, page)
            assert asked.json() == twin.json(), page
            read = client.get(page)
            assert read.headers["content-type"].startswith("text/html"), page
        assert client.get("/index.json").json()["examples"][0]["name"] == "tumours"

    @pytest.mark.parametrize(
        ("query", "status"),
        [("unit=item&n=100", 200), ("unit=fold", 200), ("unit=seed", 200), ("unit=dataset", 200),
         ("unit=week", 422), ("n=9e9", 422), ("difference=x", 422)],
    )  # fmt: skip
    def test_plans(self, served: Served, client: httpx.Client, query: str, status: int) -> None:
        assert served.json(client, f"/learn/power.json?{query}").status_code == status

    def test_the_lesson_on_folds_names_scenes_there_are(self) -> None:
        lesson = Path(__file__).parents[2] / "docs" / "folds.md"
        said = " ".join(
            lesson.read_text().partition("**In class**")[2].partition("\n\n")[0].split()
        )
        titles = set(re.findall(r"\*([^*]+)\*", said))
        assert len(titles) == 2
        assert titles <= {scene.title for scene in SCENES}

    @pytest.mark.parametrize("scene", SCENES, ids=lambda one: f"{one.question}-{one.name}")
    def test_scenes(self, served: Served, client: httpx.Client, scene: Scene) -> None:
        page = "/learn/level" if scene.question == "error" else "/learn/coverage"
        found = shown(served, client, f"{page}.json?scene={scene.name}")
        rates = [cell["value"] for cell in found["result"]["cells"]]
        assert all(0.0 <= rate <= 1.0 for rate in rates)
        assert {cell["method"] for cell in found["result"]["cells"]} == set(scene.methods)
        assert client.get(f"{page}?scene={scene.name}").status_code == 200
        for knob in scene.knobs:
            beyond = f"{page}.json?scene={scene.name}&{knob.name}={knob.high + 1}"
            assert served.json(client, beyond).status_code == 422

    def test_learn_opens_with_its_lesson(self, served: Served, client: httpx.Client) -> None:
        found = shown(served, client, "/learn/level.json")
        rates: dict[str, list[float]] = {}
        for cell in found["result"]["cells"]:
            rates.setdefault(cell["method"], []).append(cell["value"])
        assert min(rates["paired_t"]) > 0.4  # as the page of lessons says: about half
        assert max(rates["paired_t"]) < 0.6
        assert max(rates["corrected_resampled_t"]) < 0.05
        said = client.get("/learn/level").text
        assert "False-positive rate: paired t 5" in said  # by name, not as it is typed
        assert "corrected_resampled_t" not in said
        text = client.get("/learn").text
        assert text.index("errs in half of the cases") < text.index("Which test do I need?")

    def test_every_measure_is_measures_by_models(
        self, served: Served, client: httpx.Client
    ) -> None:
        address = served.dropped(client, example_file(EXAMPLES[0]).read_bytes())
        query = "positive=malignant"
        served.json(client, f"{address}/measures.json?{query}")
        page = client.get(f"{address}/measures?{query}").text
        table = page[page.index("<table>") : page.index("</table>")]
        heads = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', table)
        assert heads == ["measure", "logistic", "forest", "tree"]  # the best first
        taken = client.get(f"{address}/measures.csv?{query}&table=measures").text
        assert "logistic low" in taken

    def test_a_skewed_world_breaks_the_t_test(self, served: Served, client: httpx.Client) -> None:
        found = shown(served, client, "/learn/level.json?scene=mean&shape=lognormal")
        rate = {(c["method"], c["n"]): c["value"] for c in found["result"]["cells"]}
        assert rate["one_sample_t", 10] > 0.1

    @pytest.mark.parametrize(
        ("query", "method"),
        [
            ("have=folds&models=2", "corrected_resampled_t"),
            ("have=predictions&models=2&same_items=yes&measure=roc_auc", "delong_test"),
            ("have=p-values", "holm"),
        ],
    )
    def test_the_guide(self, served: Served, client: httpx.Client, query: str, method: str) -> None:
        found = shown(served, client, f"/learn/choose.json?{query}")
        assert found["advice"]["method"] == method

    def test_a_guide_that_was_answered_with_nonsense(
        self, served: Served, client: httpx.Client
    ) -> None:
        assert served.json(client, "/learn/choose.json?have=magic").status_code == 422

    def test_what_is_not_there(self, client: httpx.Client) -> None:
        for path in ("/e/unknown", "/stores/main", "/stores/x/0", "/learn/methods/magic", "/x"):
            assert client.get(path).status_code == 404


class TestDownloads:
    def test_unknown_figures_tables_and_forms(self, served: Served, client: httpx.Client) -> None:
        address = served.dropped(client, example_file(EXAMPLES[0]).read_bytes())
        served.json(client, f"{address}.json")
        for tail, status in (
            ("/figure.svg?name=none", 422), ("/figure.gif?name=differences", 404),
            ("/table.csv?name=none", 404), ("/table.xls?name=differences", 404), ("/report.exe", 404),
        ):  # fmt: skip
            assert served.json(client, f"{address}{tail}").status_code == status, tail

    @pytest.mark.parametrize("example", ["tumours", "datasets"])
    def test_every_link_that_offers_a_file_gives_one(
        self, served: Served, client: httpx.Client, example: str
    ) -> None:
        form = {"csrf": served.session.csrf, "example": example}
        address = client.post("/drop", data=form).headers["location"]
        pages = ["/learn/power", "/learn/level?scene=tests", "/learn/coverage"]
        tails = ("", "/measures", "/curves", "/differences", "/corrected?correction=holm")
        seen = set()
        path, _, query = address.partition("?")
        for page in (
            *(f"{path}{tail}{'&' if '?' in tail else '?'}{query}" for tail in tails),
            *pages,
        ):
            served.json(client, page)
            links = re.findall(r'href="([^"]+)" download', client.get(page).text)
            for link in map(html.unescape, links):
                path = link.split("?")[0]
                kind = (path.rsplit("/", 1)[1], "table=" in link)
                if kind in seen and "figure" in path:  # each is drawn anew: one of a kind will do
                    continue
                seen.add(kind)
                taken = served.json(client, link)
                assert taken.status_code == 200, link
                assert taken.headers["content-disposition"].startswith("attachment"), link
                assert len(taken.content) > 20, link
        assert {("figure.svg", False), ("figure.png", False), ("report.html", False)} <= seen
        assert {("measures.csv", True), ("differences.tex", True), ("power.csv", True)} <= seen

    def test_what_is_taken_away_is_waited_for(
        self, served: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        address = served.dropped(client, example_file(EXAMPLES[0]).read_bytes())
        monkeypatch.setattr(limits, "PATIENCE", 0.0)
        assert client.get(f"{address}?seed=5").status_code == 202  # a page may ask to wait
        for file in ("report.md?seed=6", "table.csv?seed=7&name=differences"):
            taken = client.get(f"{address}/{file}")
            assert (taken.status_code, taken.text.startswith("<")) == (200, False), file
        taken = client.get(f"{address}/measures.csv?seed=8&table=estimates")
        assert (taken.status_code, taken.headers["content-type"][:8]) == (200, "text/csv")

    def test_a_report_repeats_itself(
        self, served: Served, client: httpx.Client, tmp_path: Path
    ) -> None:
        address = served.dropped(client, example_file(EXAMPLES[0]).read_bytes(), "tumours.csv")
        query = "models=forest&models=tree&margin=0.02"
        first = served.json(client, f"{address}/report.html?{query}").text
        shown = re.sub("</?span[^>]*>", "", first)  # options are kept on one line
        assert "assay compare tumours.csv --models forest,tree --margin 0.02 --seed 0" in shown
        assert first == served.json(client, f"{address}/report.html?{query}").text

    def test_the_command_has_every_choice(self) -> None:
        said = [
            ("truth", "y"), ("by_position", "yes"), ("lower_is_better", "no"), ("where", "a=1"),
            ("where", "b=2"), ("paired", "no"), ("missing", "wrong"), ("ignore", "age"), ("folds", "5"),
        ]  # fmt: skip
        assert command_line(("x.csv",), parse(said)) == (
            "assay compare x.csv --truth y --by-position --higher-is-better --folds 5 --unpaired "
            "--missing wrong --where a=1 --where b=2 --ignore age --seed 0"
        )
