"""Starting a study from the page: what is chosen runs, what is wrong is said beside its field."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.store.store import Store
from assay.study.spec import Study
from assay.web import limits
from assay.web.app import create_app
from assay.web.job_new_study import _toml, table_columns
from assay.web.security import Session
from assay.web.study_folder import StudyFolder
from assay.web.study_form import read_fields
from assay.web.study_offers import LEARNERS, MEASURES, SCHEMES
from assay.web.study_processes import StudyProcesses
from tests.support import until
from tests.web.conftest import Served, serving

PEOPLE = "id,age,city,y\n" + "".join(
    f"p{row},{row % 37},{'abc'[row % 3]},{(row * row) % 7 > 3:d}\n" for row in range(120)
)
CHOSEN = {"dataset": ["iris"], "learner": ["tree", "bayes"], "folds": "2"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("page")
    yield from serving(folder, studies=folder / "studies")


@pytest.fixture
def visitor(page: Served) -> Iterator[httpx.Client]:
    with page.client() as client:
        yield client


def sent(page: Served, client: httpx.Client, **fields: Any) -> httpx.Response:
    return client.post(
        "/studies/new",
        data={"csrf": page.session.csrf, "do": "start", **fields},
        headers={"accept": "application/json"},
    )


def added(page: Served, client: httpx.Client, content: str, name: str = "people.csv") -> str:
    """The key of a file that was added to the form."""
    response = client.post(
        "/studies/new", data={"csrf": page.session.csrf}, files={"files": (name, content)}
    )
    assert response.status_code == 303
    return httpx.URL(response.headers["location"]).params["file"]


def refused(page: Served, client: httpx.Client, **fields: Any) -> dict[str, str]:
    """What is said, by field; nothing of the study is left behind."""
    before = set(StudyFolder(page.folder / "studies").known())
    response = sent(page, client, **fields)
    assert response.status_code == 422, response.text
    assert set(StudyFolder(page.folder / "studies").known()) == before
    found: dict[str, str] = response.json()["problems"]
    return found


def stopped(runs: StudyProcesses, store: str) -> None:
    runs.stop(store)
    until(lambda: not runs.alive(store))


class TestForm:
    def test_the_address_fills_it_in(self, page: Served, visitor: httpx.Client) -> None:
        text = visitor.get("/studies/new?dataset=iris&learner=tree&folds=5&name=mine").text
        assert 'value="iris" checked' in text
        assert 'value="tree" checked' in text
        assert 'value="wine" checked' not in text
        assert 'value="5"' in text
        assert 'value="mine"' in text

    def test_a_file_is_added_and_nothing_that_was_chosen_is_lost(
        self, page: Served, visitor: httpx.Client
    ) -> None:
        response = visitor.post(
            "/studies/new",
            data={"csrf": page.session.csrf, **CHOSEN, "name": "mine"},
            files={"files": ("people.csv", PEOPLE)},
        )
        asked = read_fields(httpx.URL(response.headers["location"]).params.multi_items())
        assert asked.chosen("learner") == ("tree", "bayes")
        assert (asked.name, asked.get("folds")) == ("mine", "2")
        (shown,) = page.json(visitor, response.headers["location"]).json()["files"]
        assert shown["title"] == "people.csv"
        assert (shown["rows"], shown["target"], shown["ignore"]) == (120, "y", ["id"])

    def test_what_was_said_of_a_file_stays_said(self, page: Served, visitor: httpx.Client) -> None:
        key = added(page, visitor, PEOPLE)
        query = f"file={key}&known-{key}=1&target-{key}=age&groups-{key}=city"
        (shown,) = page.json(visitor, f"/studies/new?{query}").json()["files"]
        assert (shown["target"], shown["groups"], shown["ignore"]) == ("age", "city", [])

    def test_hostile_columns_stay_columns(self, page: Served, visitor: httpx.Client) -> None:
        name = "<script>alert(1)</script>"
        key = added(page, visitor, f'"{name}",y\n1,0\n2,1\n3,0\n4,1\n', "<img src=x>.csv")
        page.json(visitor, f"/studies/new?file={key}")
        text = visitor.get(f"/studies/new?file={key}").text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "&lt;script&gt;" in text


class TestRefusals:
    @pytest.mark.parametrize(
        ("fields", "field", "words"),
        [
            ({"dataset": []}, "dataset", "at least one data set"),
            ({"dataset": ["/etc/passwd"]}, "dataset", "no data set /etc/passwd"),
            ({"dataset": ["openml:61"]}, "dataset", "no data set openml:61"),
            ({"dataset": ["iris", "diabetes"]}, "dataset", "classes (iris) and numbers (diabetes)"),
            ({"learner": []}, "learner", "at least one learner"),
            ({"learner": ["os.system"]}, "learner", "no learner os.system"),
            ({"dataset": ["diabetes"]}, "learner", "bayes cannot predict numbers"),
            ({"folds": "ten"}, "folds", "whole number from 2"),
            ({"folds": "1"}, "folds", "whole number from 2"),
            ({"folds": "500"}, "scheme", "iris has 150 rows"),
            ({"scheme": "holdout"}, "folds", "“one split” does not use it"),
            ({"scheme": "magic"}, "scheme", "no way to split called magic"),
            ({"test_size": "0.3"}, "test_size", "“cross-validation” does not use it"),
            (
                {"scheme": "holdout", "folds": "", "test_size": "1.5"},
                "test_size",
                "between 0 and 1",
            ),
            ({"repeats": "999", "folds": "100"}, "scheme", "199,800 fits"),
            ({"measure": ["rmse"]}, "measure", "rmse does not judge classes"),
            ({"measure": ["f0"]}, "measure", "no measure f0"),
            ({"seed": "-1"}, "seed", "whole number from 0"),
        ],
    )
    def test_beside_the_field(
        self,
        page: Served,
        visitor: httpx.Client,
        fields: dict[str, Any],
        field: str,
        words: str,
    ) -> None:
        problems = refused(page, visitor, **{**CHOSEN, **fields})
        assert list(problems) == [field]
        assert words in problems[field]

    @pytest.mark.parametrize(
        ("content", "said", "words"),
        [
            ("x,y\n1,a\n2,\n3,b\n4,a\n", {}, "missing in 1 row"),
            ("y\n1\n2\n", {}, "no column of features"),
            ("x,y\n1,0\n2,1\n", {"task": "galaxy"}, "of classes or of numbers"),
            ("x,y\n1,a\n2,b\n3,a\n", {"task": "regression"}, "needs numbers"),
            ("x,y\n1,0\n2,1\n", {"target": "z"}, "no column 'z'"),
            (
                "note,x,y\n" + "".join(f"word{row},{row},{row % 2}\n" for row in range(60)),
                {},
                "'note' has 60 different texts in 60 rows: leave it out",
            ),
            ("", {}, "empty"),
            ("\0\0\0", {}, ""),
        ],
    )  # fmt: skip
    def test_a_file_of_theirs(
        self,
        page: Served,
        visitor: httpx.Client,
        content: str,
        said: dict[str, str],
        words: str,
    ) -> None:
        key = added(page, visitor, content, "mine.csv")
        told = {f"{name}-{key}": one for name, one in said.items()}
        fields = {**CHOSEN, "dataset": [], "learner": ["tree"], "file": [key], f"known-{key}": "1"}
        problems = refused(page, visitor, **fields, **told)
        assert list(problems) == [f"file-{key}"]
        assert words in problems[f"file-{key}"]
        assert "/" not in problems[f"file-{key}"]  # where it lies is nobody's business

    def test_a_file_that_has_left(self, page: Served, visitor: httpx.Client) -> None:
        problems = refused(page, visitor, **CHOSEN, file=["..%2f..%2fx"])
        assert "add it again" in problems["file-..%2f..%2fx"]

    def test_without_our_token(self, page: Served, visitor: httpx.Client) -> None:
        response = visitor.post("/studies/new", data={"csrf": "x", "do": "start", **CHOSEN})
        assert response.status_code == 403

    def test_as_many_as_may_run_already(
        self, page: Served, visitor: httpx.Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(StudyProcesses, "full", property(lambda _: True))
        assert "run already" in refused(page, visitor, **CHOSEN)[""]


class TestRun:
    def test_it_runs_and_is_the_study_of_its_file(
        self, page: Served, visitor: httpx.Client
    ) -> None:
        key = added(page, visitor, PEOPLE, "iris.csv")
        response = sent(
            page,
            visitor,
            **CHOSEN,
            name="Mine: ‘a’ / b",
            measure=["accuracy", "mcc"],
            file=[key],
            **{f"known-{key}": "1", f"target-{key}": "y", f"ignore-{key}": ["id"]},
        )
        assert response.status_code == 201, response.text
        address = response.json()["address"]

        def state() -> dict[str, Any]:
            found: dict[str, Any] = page.json(visitor, f"{address}.json").json()
            return found

        until(lambda: not state()["running"])
        study = state()["study"]
        assert (study["done"], study["total"], study["failed"]) == (8, 8, 0)
        assert study["datasets"] == ["iris", "iris-2"]  # ours, and theirs under another name
        assert study["measures"] == ["accuracy", "mcc"]
        assert study["name"] == "Mine: ‘a’ / b"
        folder = page.folder / "studies" / "Mine-a-b"
        with Store.open(folder / "study.db", create=False) as store:
            done = store.done_keys(study["name"])
        assert {
            entry.key for entry in Study.from_toml(folder / "study.toml").plan().entries
        } == done
        listed = page.json(visitor, "/studies.json").json()["studies"]
        assert address in [one["address"] for one in listed]

    def test_every_offer_can_be_taken(self, tmp_path: Path) -> None:
        from assay.web.job_new_study import prepare_study

        for task, dataset in (("classification", "breast_cancer"), ("regression", "auto_mpg")):
            names = [one.name for one in LEARNERS.values() if one.steps(task)]  # type: ignore[arg-type]
            for scheme in SCHEMES:
                (folder := tmp_path / f"{task}-{scheme}").mkdir()
                found = prepare_study(
                    str(folder), "all", 0, [dataset], [], names, {"scheme": scheme},
                    MEASURES[task],  # type: ignore[index]
                )  # fmt: skip
                assert "error" not in found, found

    def test_the_next_page_finds_it(self, tmp_path: Path) -> None:
        folder = StudyFolder(tmp_path)
        made = folder.new("main")  # the key of the command line's own store
        assert made.name == "main-2"
        assert folder.known() == {}  # cut off before it had a store
        (made / "study.toml").touch()
        (made / "study.db").touch()
        (tmp_path / "a b").mkdir()
        for name in ("study.toml", "study.db"):
            (tmp_path / "a b" / name).touch()
        session = Session(hosts=frozenset(), cookie_name="x")
        app: Any = create_app(session, studies=tmp_path)
        place = app.app.state.place
        assert place.stores == {"main-2": str(made / "study.db")}
        assert place.runs.specs == {str(made / "study.db"): made / "study.toml"}
        place.desk.close()

    def test_no_more_than_may_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.web.study_processes.MAX_RUNS", 1)
        (tmp_path / "study.toml").write_text(
            'datasets = ["digits"]\n[learners.a]\nestimator = "sklearn.svm.SVC"\n'
        )
        store = str(tmp_path / "study.db")
        runs = StudyProcesses({store: tmp_path / "study.toml"})
        assert not runs.full
        assert runs.start(store)
        assert runs.full
        stopped(runs, store)
        assert not runs.full
        runs.close()


class TestFiles:
    @given(st.text(), st.text())
    def test_what_things_are_called_is_written_so_that_it_is_read_again(
        self, name: str, column: str
    ) -> None:
        table = {
            "name": name,
            "seed": 3,
            "datasets": [{"source": "data/x.csv", "ignore": [column]}],
            "learners": {"tree": {"estimator": "a.B", "params": {"depth": 3}}},
        }
        if any("\ud800" <= letter <= "\udfff" for letter in name + column):
            return  # no text in UTF-8 has them
        assert tomllib.loads(_toml(table)) == table

    @pytest.mark.parametrize(
        ("text", "target", "ids"),
        [
            ("id,x,class\n1,2,a\n2,2,b\n", "class", ["id"]),
            ("name;x;y\nann;1,5;0\nbob;2,5;1\n", "y", ["name"]),
            ("x1,x2\n1.5,2.5\n2.5,3.5\n", "x2", []),
            ("Target,a\n1,2\n2,3\n", "Target", []),
            ("user_id,x,y\n7,1,0\n7,2,1\n", "y", []),  # twice the same: a group, no id
        ],
    )
    def test_what_is_proposed(self, tmp_path: Path, text: str, target: str, ids: list[str]) -> None:
        (tmp_path / "t.csv").write_text(text)
        found = table_columns(str(tmp_path / "t.csv"))
        assert (found["target"], found["ids"]) == (target, ids)

    def test_too_many_columns(self, tmp_path: Path) -> None:
        names = [f"c{place}" for place in range(limits.MAX_COLUMNS + 1)]
        (tmp_path / "t.csv").write_text(",".join(names) + "\n" + ",".join("1" for _ in names))
        assert str(limits.MAX_COLUMNS) in table_columns(str(tmp_path / "t.csv"))["error"]["message"]
