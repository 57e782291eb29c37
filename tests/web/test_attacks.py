"""What must not work, does not; and the page still answers afterwards."""

import http.client
import io
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from assay.web import jobs, limits
from tests.support import PATIENCE
from tests.web.conftest import Served
from tests.web.test_jobs import endless

ROWS = "id,truth,a,b\n" + "".join(f"{i},{i % 2},{i % 2},{(i // 3) % 2}\n" for i in range(60))
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.fixture(autouse=True)
def still_answering(served: Served) -> Iterator[None]:
    yield
    with served.client() as visitor:
        assert visitor.get("/").status_code == 200


def raw(served: Served, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> int:
    """A request with exactly these headers, sent as no browser would."""
    connection = http.client.HTTPConnection(
        served.address.removeprefix("http://"), timeout=PATIENCE
    )
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    status = connection.getresponse().status
    connection.close()
    return status


def known(served: Served) -> dict[str, str]:
    return {"cookie": f"{served.session.cookie_name}={served.session.cookie}"}


class TestHost:
    @pytest.mark.parametrize(
        "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1"]
    )
    def test_another_name_is_not_served(self, served: Served, host: str) -> None:
        port = served.address.rsplit(":", 1)[1]
        headers = {"host": host.format(port=port), **known(served)}
        assert raw(served, "GET", "/", headers) == 421

    def test_a_host_that_poisons_the_path_is_not_served(self, served: Served) -> None:
        own = served.address.removeprefix("http://")
        assert raw(served, "GET", "/", {"host": f"{own}/static/?", **known(served)}) in (400, 421)

    def test_no_host_at_all(self, served: Served) -> None:
        assert raw(served, "GET", "/", known(served)) in (400, 421)

    def test_our_own_names_are_served(self, served: Served) -> None:
        port = served.address.rsplit(":", 1)[1]
        assert raw(served, "GET", "/", {"host": f"localhost:{port}", **known(served)}) == 200


class TestToken:
    def test_without_a_cookie_nothing_is_shown(self, served: Served) -> None:
        with httpx.Client(base_url=served.address) as stranger:
            for path in ("/", "/static/page.css", "/learn", "/e/x.json", "/open", "/open?token=x"):
                response = stranger.get(path)
                assert response.status_code == 401
                assert "Drop" not in response.text

    def test_a_forged_cookie_is_no_cookie(self, served: Served) -> None:
        for value in ("x", served.session.cookie[:-1], served.session.token, '"'):
            with httpx.Client(
                base_url=served.address, cookies={served.session.cookie_name: value}
            ) as stranger:
                assert stranger.get("/").status_code == 401

    def test_the_token_opens_once_and_gives_a_strict_cookie(self, tmp_path: object) -> None:
        from pathlib import Path

        from tests.web.conftest import serving

        servers = serving(Path(str(tmp_path)))
        other = next(servers)
        with httpx.Client(base_url=other.address) as visitor:
            first = visitor.get(f"/open?token={other.session.token}")
            assert first.status_code == 200
            cookie = first.headers["set-cookie"].lower()
            assert "httponly" in cookie
            assert "samesite=strict" in cookie
            assert visitor.get("/").status_code == 200
        with httpx.Client(base_url=other.address) as second:
            assert second.get(f"/open?token={other.session.token}").status_code == 401
        assert list(servers) == []


class TestForeignPages:
    @pytest.mark.parametrize(
        "headers",
        [
            {"origin": "https://evil.example", "sec-fetch-site": "cross-site"},
            {"origin": "null", "sec-fetch-site": "cross-site"},
            {"origin": "http://127.0.0.1:9", "sec-fetch-site": "same-site"},
            {"origin": "http://127.0.0.1:9"},
            {"sec-fetch-site": "none"},
            {},
        ],
    )
    def test_their_forms_are_refused(self, served: Served, headers: dict[str, str]) -> None:
        with served.client(headers=headers) as visitor:
            assert served.drop(visitor, ROWS).status_code == 403

    @pytest.mark.parametrize("token", ["", "x", "é"])
    def test_a_form_without_our_token_is_refused(
        self, served: Served, client: httpx.Client, token: str
    ) -> None:
        response = client.post("/drop", data={"csrf": token}, files={"files": ("a.csv", ROWS)})
        assert response.status_code == 403

    def test_other_methods_are_refused(self, client: httpx.Client) -> None:
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
            assert client.request(method, "/drop").status_code == 405

    def test_reading_changes_nothing(self, client: httpx.Client) -> None:
        assert client.get("/drop").status_code == 405

    def test_every_answer_has_the_headers(self, served: Served, client: httpx.Client) -> None:
        address = served.dropped(client, ROWS)
        for path in (
            "/",
            "/nowhere",
            address,
            f"{address}.json",
            "/static/page.js",
            "/open?token=x",
        ):
            response = client.get(path)
            assert {name: response.headers[name] for name in HEADERS} == HEADERS
            policy = response.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert "access-control-allow-origin" not in response.headers


class TestFiles:
    @pytest.mark.parametrize(
        "name",
        ["../../etc/passwd.csv", "..\\..\\x.csv", "/etc/cron.d/x.csv", "a\0b.csv", ".csv", "....csv",
         "C:\\x.csv", "x" * 400 + ".csv", "con.csv", "a;b|c`d$(e).csv", "<img src=x onerror=alert(1)>.csv"],
    )  # fmt: skip
    def test_names_go_nowhere(self, served: Served, client: httpx.Client, name: str) -> None:
        address = served.dropped(client, ROWS, name)
        found = served.json(client, f"{address}.json").json()
        source = found["result"]["evidence"]["sources"][0]
        assert not set(source) & set("/\\\0<>;|`$&")
        assert not source.startswith(".")

    def test_a_path_in_the_address_opens_nothing(self, client: httpx.Client) -> None:
        for path in (
            "/e/..%2f..%2fetc%2fpasswd", "/e/%00", "/stores/..%2f..%2fetc%2fpasswd",
            "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd",
        ):  # fmt: skip
            assert client.get(path).status_code == 404

    def test_a_column_cannot_name_a_file(self, served: Served, client: httpx.Client) -> None:
        address = served.dropped(client, ROWS)
        response = served.json(client, f"{address}.json?truth=/etc/passwd")
        assert response.status_code == 422
        assert "no column" in response.json()["error"]["message"]
        assert response.json()["error"]["field"] == "truth"

    def test_an_upload_beyond_the_limit_is_refused(self, served: Served) -> None:
        headers = {
            "host": served.address.removeprefix("http://"),
            "origin": served.address,
            "content-length": str(limits.MAX_UPLOAD + 1),
            **known(served),
        }
        assert raw(served, "POST", "/drop", headers) == 413

    def test_an_upload_that_lies_about_its_size_is_counted(
        self, served: Served, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from assay.web import security

        monkeypatch.setattr(security, "MAX_UPLOAD", 100_000)

        def endless() -> Iterator[bytes]:
            yield b'--x\r\ncontent-disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
            for _ in range(100):
                yield b"0," * 1000

        with served.client() as visitor:
            response = visitor.post(
                "/drop",
                content=endless(),
                headers={"content-type": "multipart/form-data; boundary=x"},
            )
        assert response.status_code == 413

    def test_a_zip_bomb_is_refused(self, served: Served, client: httpx.Client) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", b'{"version":2,"eval":{}}' + b" " * 300_000_000)
            archive.writestr("summaries.json", b"[" + b" " * 10_000_000 + b"]")
        address = served.dropped(client, packed.getvalue(), "bomb.eval")
        assert served.json(client, f"{address}.json").status_code == 422

    @pytest.mark.parametrize(
        "content",
        [
            b"id,truth,a\n" + b"x" * 30_000_000,
            b",".join(b"c%d" % i for i in range(60_000)) + b"\n" + b",".join([b"1"] * 60_000),
            b"\x00" * 5_000_000,
            b"truth,a\n" + b'"' * 2_000_001,
            b"[" * 200_000,
            b"",
            b"\x80\x04\x95pickle",
        ],
        ids=[
            "one field",
            "many columns",
            "nothing but zeros",
            "quotes",
            "depth",
            "empty",
            "pickle",
        ],
    )
    def test_files_made_to_hurt_are_explained(
        self, served: Served, client: httpx.Client, content: bytes
    ) -> None:
        address = served.dropped(client, content)
        response = served.json(client, f"{address}.json")
        assert response.status_code == 422
        assert response.json()["error"]["kind"] != "defect"

    def test_a_database_that_is_no_store_is_explained(
        self, served: Served, client: httpx.Client
    ) -> None:
        address = served.dropped(client, b"SQLite format 3\0" + b"\xff" * 4096, "x.db")
        assert address.startswith("/stores/")
        response = served.json(client, f"{address}.json")
        assert response.status_code == 422


class TestWork:
    @pytest.mark.parametrize("query", ["resamples=1000000000", "resamples=-1", "level=1", "level=nan",
        "margin=-1", "margin=1e999", "seed=1e9", "unit=galaxy", "correction=magic"])  # fmt: skip
    def test_beyond_the_limits_is_refused(
        self, served: Served, client: httpx.Client, query: str
    ) -> None:
        address = served.dropped(client, ROWS)
        response = served.json(client, f"{address}.json?{query}")
        assert response.status_code == 422
        assert list(response.json()["problems"]) == [query.split("=", maxsplit=1)[0]]

    def test_too_many_models_are_refused(self, served: Served, client: httpx.Client) -> None:
        names = [f"m{place}" for place in range(limits.MAX_MODELS + 1)]
        lines = [",".join(["truth", *names])]
        lines += [",".join([str(row % 2), *[str(row % 2)] * len(names)]) for row in range(8)]
        address = served.dropped(client, "\n".join(lines))
        response = served.json(client, f"{address}.json")
        assert response.status_code == 422
        assert str(limits.MAX_MODELS) in response.json()["error"]["message"]

    def test_fifty_at_once(self, served: Served, client: httpx.Client) -> None:
        address = served.dropped(client, ROWS)

        def ask(place: int) -> int:
            with served.client() as visitor:
                path = f"{address}.json?seed={place % 5}" if place % 2 else "/learn/methods.json"
                return served.json(visitor, path).status_code

        with ThreadPoolExecutor(50) as crowd:
            assert set(crowd.map(ask, range(50))) == {200}

    def test_work_can_be_stopped(
        self, served: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "PATIENCE", 0.0)
        monkeypatch.setattr(jobs, "_child", endless)
        address = served.dropped(client, ROWS)
        working = client.get(f"{address}.json?seed=77").json()["working"]
        form = {"csrf": served.session.csrf}
        assert client.post(f"/jobs/{working['job']}/stop", data=form).status_code == 303
        assert client.get(f"/jobs/{working['job']}.json").json()["state"] == "stopped"

    def test_only_our_own_tasks_can_be_named(self) -> None:
        from assay.web.job_functions import perform

        assert b"defect" in perform("os.system", {})


class TestNames:
    HOSTILE = (
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(2)>", "'; alert(3); '",
        "{{ 7*7 }}", "x" * 300, "</title><svg onload=alert(4)>", "javascript:alert(5)",
    )  # fmt: skip

    def table(self) -> str:
        import csv

        stream = io.StringIO()
        writer = csv.writer(stream)
        writer.writerow(["truth", *self.HOSTILE])
        for row in range(80):
            classes = ["<b>yes</b>", "<i>no</i>"]
            said = [classes[(row * (place + 3)) % 5 % 2] for place in range(len(self.HOSTILE))]
            writer.writerow([classes[row % 2], *said])
        return stream.getvalue()

    def test_no_sink_takes_them_for_markup(self, served: Served, client: httpx.Client) -> None:
        address = served.dropped(client, self.table(), "<script>.csv")
        served.json(client, f"{address}.json")
        pages = ["", "/measures", "/curves", "/differences", "/corrected", "/report.html",
                 "/figure.svg?name=differences", "/figure.svg?name=matrix"]  # fmt: skip
        for path in (*(f"{address}{page}" for page in pages), "/"):
            text = served.json(client, path)
            shown = client.get(path).text
            assert text.status_code in (200, 422)
            for needle in ("<script>alert", "<img src=x", "<svg onload", "<b>yes", "<i>no"):
                assert needle not in shown, path

    def test_errors_escape_what_they_quote(self, served: Served, client: httpx.Client) -> None:
        address = served.dropped(client, ROWS)
        for query in ("truth=<script>alert(1)</script>", "measure=<img%20src=x>", "level=<b>"):
            shown = client.get(f"{address}?{query}").text
            assert "<script>alert" not in shown
            assert "<img src=x" not in shown
            assert "got <b>" not in shown
