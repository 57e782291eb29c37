"""What is typed into an address and makes no sense is said beside the field it is about, in the page's words."""

import re

import httpx
import pytest

from tests.web.conftest import Served

TABLE = "truth,forest,tree\n" + "".join(
    f"{i % 2},{i % 2 if i % 7 else 1},{i % 2 if i % 3 else 0}\n" for i in range(60)
)


@pytest.fixture(scope="module")
def home(served: Served) -> str:
    with served.client() as client:
        return served.dropped(client, TABLE)


def asked(served: Served, address: str) -> httpx.Response:
    with served.client() as client:
        return served.page(client, address)


@pytest.mark.parametrize(
    ("query", "field", "said"),
    [
        ("n_resamples=-3", "resamples", "Give a whole number from 100 to 100,000; got -3."),
        ("resamples=2.5", "resamples", "Give a whole number from 100 to 100,000; got 2.5."),
        ("rng=x", "seed", "Give a whole number from 0 up; got x."),
        ("level=7", "level", "Give a number from 0.5 to 0.9999; got 7."),
        ("level=nan", "level", "Give a number from 0.5 to 0.9999; got nan."),
        ("margin=-1", "margin", "Give a number from 0 up; got -1."),
        ("margin=1e999", "margin", "Give a number from 0 up; got 1e999."),
        ("unit=galaxy", "unit", "Choose one of item, fold, seed, dataset; got galaxy."),
        ("baseline=nobody", "baseline", "nobody"),
        ("measure=beauty", "measure", "beauty"),
    ],
)
def test_beside_its_field(served: Served, home: str, query: str, field: str, said: str) -> None:
    page = asked(served, f"{home}?{query}")
    assert page.status_code == 422
    beside = re.search(rf'id="wrong-{field}">([^<]*(?:<(?!/span)[^<]*)*)</span>', page.text)
    assert beside is not None
    assert said in beside[1]
    assert f'aria-describedby="wrong-{field}"' in page.text
    assert not re.search(r"Error\b|Traceback|n_resamples=|rng=|None", beside[1])


@pytest.mark.parametrize("path", ["/measures", "/curves", "/differences", "/board", "/judge"])
def test_other_views_lead_to_the_field(served: Served, home: str, path: str) -> None:
    page = asked(served, f"{home}{path}?level=7&n_resamples=-3")
    assert page.status_code == 422
    for name, said in (("level", "from 0.5 to 0.9999; got 7"), ("resamples", "got -3")):
        assert said in page.text
        assert f'#field-{name}">Go to the field' in page.text
    with served.client() as client:
        twin = served.json(client, f"{home}{path}.json?level=7")
    assert twin.status_code == 422
    assert "level" in twin.json()["problems"]


def test_the_names_of_the_library_are_known(served: Served, home: str) -> None:
    page = asked(served, f"{home}?n_resamples=500&rng=4")
    assert page.status_code == 200
    assert 'name="resamples" min="100" max="100000" step="1" value="500"' in page.text
    assert "no page knows" not in page.text


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("?marging=0.1", "“marging”, which no page knows. It was left out. Did you mean “margin”?"),
        ("?xyzzy=1", "“xyzzy”, which no page knows. It was left out.<"),
        ("/board?agregate=mean", "Did you mean “aggregate”?"),
        ("?%3Cscript%3E=1", "“&lt;script&gt;”"),
    ],
)
def test_names_that_no_page_knows(served: Served, home: str, address: str, said: str) -> None:
    page = asked(served, f"{home}{address}")
    assert page.status_code == 200
    assert said in page.text


@pytest.mark.parametrize(
    "address", ["/learn/power?nn=4", "/learn?what=1", "/?hello=1", "/studies/new?lerner=tree"]
)
def test_on_every_page(served: Served, address: str) -> None:
    assert "which no page knows" in asked(served, address).text


@pytest.mark.parametrize(
    "address",
    [
        "/?utm_source=mail&fbclid=1",
        "/learn/power?unit=fold&n=50",
        "/studies/new?dataset=iris&target-abc=y",
    ],
)
def test_what_belongs_there_is_not_mentioned(served: Served, address: str) -> None:
    assert "which no page knows" not in asked(served, address).text


def test_a_ranking_that_there_is_not(served: Served, home: str) -> None:
    page = asked(served, f"{home}/board?aggregate=vibes")
    assert page.status_code == 422
    assert 'id="wrong-aggregate">Choose one of mean' in page.text
    assert "got vibes" in page.text


def test_notes_name_the_fields_of_the_page(served: Served) -> None:
    """Not options of the command line, and not arguments of Python."""
    table = "truth,forest_score,flat_score\n" + "".join(
        f"{i % 2},0.{i % 9}1,0.5\n" for i in range(40)
    )
    with served.client() as client:
        home = served.dropped(client, table)
        page = served.page(client, f"{home}/measures?positive=1&truth=truth").text
    notes = page.partition("<h2>Notes</h2>")[2].partition("</ul>")[0]
    assert "“Models" in notes
    assert "--models" not in notes
    assert "models=" not in notes


def test_differences_have_the_sign_of_all_other_numbers(served: Served) -> None:
    table = "dataset,a,b\n" + "".join(f"d{i},{8e7 + i * 1e6},{8.1e7 - i * 2e6}\n" for i in range(8))
    with served.client() as client:
        home = served.dropped(client, table)
        page = served.page(client, f"{home}/differences?lower_is_better=no").text
    cells = re.findall(r'<td class="number[^"]*"><bdi>([^<]+)</bdi>', page)
    assert len(cells) == 8
    assert all(re.fullmatch(r"[+−]?\d(\.\d+)?×10[⁶⁷]", cell) for cell in cells), cells
