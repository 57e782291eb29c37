"""Ordinary files dropped on the page: no verdict on what was not asked, and answers that lead to the right one."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx
import pytest

from assay.web.reading_form import LABELS
from tests.door.case import Case, Remedy
from tests.door.files import CASES
from tests.door.reading import Corpus, Ran, faults, told
from tests.web.browsing import PHONE, Visit, answered, arrived
from tests.web.conftest import Served, needs_chromium

COMPARED = [case for case in CASES if case.verb == "compare"]
ASKED = [case for case in COMPARED if case.expect == "ask"]
OTHERS = [case for case in COMPARED if case.expect != "ask"][::6]
"""Enough of the corpus to see every kind of file; all of it goes through the command line."""
OPEN = [pytest.param(case, id=case.id) for case in ASKED if case.remedies]
MOST_ROUNDS = 5
Pairs = list[tuple[str, str]]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(tmp_path_factory.mktemp("door"))


def named(case: Case) -> str:
    return case.id


def typed(options: tuple[str, ...]) -> Pairs:
    """Options of the command line as the address of the page says them."""
    pairs: Pairs = []
    for flag, *value in told(options):
        name = flag.removeprefix("--").replace("-", "_")
        if name == "higher_is_better":
            pairs.append(("lower_is_better", "no"))
        elif name in ("models", "ignore", "classes"):
            pairs += [(name, one) for one in value[0].split(",")]
        elif name != "unpaired":
            pairs.append((name, value[0] if value else "yes"))
        else:
            pairs.append(("paired", "no"))
    return pairs


class Dropped:
    """The files of a case on the page."""

    def __init__(self, served: Served, client: httpx.Client, corpus: Corpus, case: Case) -> None:
        folder = corpus.place(case.scene)[0]
        files = [("files", (name, (folder / name).read_bytes())) for name in case.files]
        response = client.post("/drop", data={"csrf": served.session.csrf}, files=files)
        self.served, self.client = served, client
        self.address = response.headers["location"]
        self.said = [*typed(case.options), ("resamples", "999")]

    def shown(self) -> dict[str, Any]:
        address = f"{self.address}.json?{urlencode(self.said)}"
        found: dict[str, Any] = self.served.json(self.client, address).json()
        return found

    def choose(self, says: list[str]) -> None:
        """Press the buttons of these answers: the page makes an address of them."""
        pairs = [*self.said, *((f"answer-{place}", one) for place, one in enumerate(says))]
        response = self.client.get(f"{self.address}?{urlencode(pairs)}")
        assert response.status_code == 303
        self.said = parse_qsl(response.headers["location"].partition("?")[2])


def verdicts(found: dict[str, Any]) -> list[str]:
    """Words that decide something, which nothing open allows."""
    words = [one["word"] for one in (found["result"] or {}).get("verdicts", ())]
    return [word for word in words if word in ("better", "worse", "equivalent")]


def judged(case: Case, expected: Case | Remedy, found: dict[str, Any]) -> list[str]:
    return faults(case, expected, Ran(0, json.dumps(found["result"]), ""))


class TestEveryFile:
    @pytest.mark.parametrize("case", ASKED, ids=named)
    def test_nothing_is_decided_while_something_is_open(
        self, served: Served, client: httpx.Client, corpus: Corpus, case: Case
    ) -> None:
        found = Dropped(served, client, corpus, case).shown()
        assert verdicts(found) == [], case.why
        assert found["questions"] or "error" in found or not case.remedies
        if "error" in found:
            assert found["error"]["kind"] != "defect"
            rows = f"“{LABELS['where']}”: "  # a column and its value, as the field takes them
            typed = re.sub(rf"{rows}\w+=", rows, found["error"]["message"])
            typed = typed.replace("split=", "").replace("step=", "")
            assert "=" not in typed, "Python's words"

    @pytest.mark.parametrize("case", OTHERS, ids=named)
    def test_no_wrong_verdict(
        self, served: Served, client: httpx.Client, corpus: Corpus, case: Case
    ) -> None:
        found = Dropped(served, client, corpus, case).shown()
        if found["result"] is None or found["questions"]:
            assert case.expect == "either", found["questions"] or found["error"]
        else:
            assert not judged(case, case, found), case.why

    @pytest.mark.parametrize("case", OPEN)
    def test_the_offered_answers_lead_to_the_right_verdict(
        self, served: Served, client: httpx.Client, corpus: Corpus, case: Case
    ) -> None:
        tries = [
            followed(Dropped(served, client, corpus, case), case, one) for one in case.remedies
        ]
        assert not all(tries), tries


def followed(dropped: Dropped, case: Case, remedy: Remedy) -> list[str]:
    """What is wrong after a person who knows the data has answered what the page asks."""
    knows = typed((*remedy.options, *case.knows))
    for _ in range(MOST_ROUNDS):
        found = dropped.shown()
        if not found["questions"] and found["result"] is not None:
            return judged(case, remedy, found)
        says = [offered(question, knows) for question in found["questions"]]
        fields = filled(found, knows)
        if any(says):
            dropped.choose([one for one in says if one])
        elif fields and not set(fields) <= set(dropped.said):
            dropped.said = [*(p for p in dropped.said if p not in fields), *fields]
        else:
            return [f"no help: {found['questions'] or found.get('error')}"]
    return ["asked without end"]


def offered(question: dict[str, Any], knows: Pairs) -> str:
    """The answer that says most of what the person knows, and nothing else but which column has the ids."""
    said = {
        str(answer["says"]): {pair for pair in parse_qsl(answer["says"]) if pair[0] != "id"}
        for answer in question["answers"]
    }
    known = {says: pairs for says, pairs in said.items() if pairs and pairs <= set(knows)}
    return max(known, key=lambda says: len(known[says]), default="")


def filled(found: dict[str, Any], knows: Pairs) -> Pairs:
    """The fields that the page puts beside its questions, or names in its error."""
    message = (found.get("error") or {}).get("message", "")
    names = {answer["fills"] for one in found["questions"] for answer in one["answers"]}
    names |= {"models" for one in found["questions"] if one["code"] == "models"}
    names |= {name for name, label in LABELS.items() if f"“{label}”" in message}
    return [pair for pair in knows if pair[0] in names]


@pytest.fixture
def visit(browser: Any, served: Served) -> Iterator[Visit]:
    tab = Visit(browser, served, viewport=PHONE)
    yield tab
    tab.close()


def dropped_in(visit: Visit, corpus: Corpus, name: str) -> Any:
    case = next(case for case in CASES if case.id == name)
    folder: Path = corpus.place(case.scene)[0]
    page = visit.go("/")
    page.set_input_files("#files", [folder / file for file in case.files])
    page.wait_for_selector(".read")
    arrived(page)
    return page


@needs_chromium
class TestInABrowser:
    def test_what_was_read_comes_first_and_the_question_above_the_answer(
        self, visit: Visit, corpus: Corpus
    ) -> None:
        page = dropped_in(visit, corpus, "wide-item")
        assert "wide_item.csv" in page.inner_text(".read .sentence")
        assert page.locator("#verdict").count() == 0
        assert page.locator(".asked [checked]").count() == 0
        page.click("text=Every column, and why")
        rows = page.locator(".columns tbody tr").all_inner_texts()
        assert [row.split()[0] for row in rows] == ["item_id", "opus", "llama"]
        assert "its name" in rows[0]
        assert (visit.violations(), visit.overflow()) == ([], 0)
        page.click("button.choice:has-text('1 is a right answer')")
        answered(page)
        assert page.inner_text("#verdict") == "opus is better than llama"
        assert page.url.endswith("?correct=yes")
        assert (visit.violations(), visit.overflow()) == ([], 0)

    def test_a_neutral_answer_stands_with_its_question(self, visit: Visit, corpus: Corpus) -> None:
        page = dropped_in(visit, corpus, "sets-plain")
        assert page.inner_text("#verdict") == "alpha has higher values than beta"
        assert "better" not in page.inner_text(".verdict .word").lower()
        assert visit.violations() == []
        page.click("button.choice:has-text('lower is better')")
        page.wait_for_url("**lower_is_better=yes*")
        answered(page)
        assert page.inner_text("#verdict") == "beta is better than alpha"
        assert page.locator(".asked").count() == 0

    def test_a_measure_that_needs_a_positive_class_asks_for_it(
        self, visit: Visit, corpus: Corpus
    ) -> None:
        page = dropped_in(visit, corpus, "positive-malignant")
        answered(page)
        page.select_option("#field-measure", "recall")
        page.wait_for_selector("button.choice:has-text('malignant')")
        assert page.locator("#verdict").count() == 0
        page.keyboard.press("Tab")
        page.focus("button.choice:has-text('malignant')")
        page.keyboard.press("Enter")
        page.wait_for_url("**positive=malignant*")
        answered(page)
        assert "measure=recall" in page.url

    def test_models_are_ticked_where_they_are_asked_for(self, visit: Visit, corpus: Corpus) -> None:
        page = dropped_in(visit, corpus, "truth-two")
        assert page.locator("#verdict").count() == 0
        page.click("text=Change how it is read")
        page.select_option("#field-truth", "label")
        for name in ("a", "b"):
            page.check(f"#field-models input[value={name}]")
        page.click("text=Read it again")
        answered(page)
        assert "better than" in page.inner_text("#verdict")
