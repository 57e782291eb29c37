"""The small parts of pages: prose, charts, worked examples, the session, the hosts."""

import numpy as np
import pytest

from assay.compare.compare import compare
from assay.core.methods import catalogue
from assay.core.results import Comparison
from assay.web import chart_data
from assay.web.job_functions import perform
from assay.web.job_learn import example
from assay.web.markdown_blocks import blocks
from assay.web.rendering import coded, docs_section
from assay.web.security import Session
from assay.web.serve import allowed_hosts
from tests.report import examples

TRUTH = [1, 1, 0, 0, 1, 0, 1, 0] * 25


def pair(margin: float | None = None) -> Comparison:
    table = {"truth": TRUTH, "a": TRUTH[:190] + [0] * 10, "b": TRUTH[:150] + [1] * 50}
    return compare(table, margin=margin, rng=1)


class TestProse:
    def test_what_our_documentation_uses(self) -> None:
        text = "\n\n".join(
            [
                "A **bold** `code` and *so*,\nsee [here](x.md).",
                "| a | b |\n|---|---|\n| 1 \\| 2 | `3` |",
                "- one\n  more\n- two",
                "```\ncode\n\nmore\n```",
            ]
        )
        kinds = [block.kind for block in blocks(text)]
        assert kinds == ["paragraph", "table", "list", "code"]
        paragraph, table, items, code = blocks(text)
        assert paragraph.rows[0][0][1] == ("strong", "bold")
        assert paragraph.rows[0][0][-1] == ("text", ", see here.")
        assert table.rows[1][0] == (("text", "1 | 2"),)
        assert len(items.rows) == 2
        assert code.rows[0][0][0][1] == "code\n\nmore"

    @pytest.mark.parametrize("method", catalogue().values(), ids=lambda one: one.id)
    def test_every_method_has_prose(self, method: object) -> None:
        family, name = getattr(method, "family"), getattr(method, "id")  # noqa: B009
        assert blocks(docs_section(f"methods/{family}.md", name))


class TestExamples:
    def test_every_method_is_worked_through(self) -> None:
        assert not [name for name in catalogue() if example(name)["example"] is None]


class TestCharts:
    def test_the_figure_shows_the_verdict(self) -> None:
        found = chart_data.forest(pair(margin=0.5))
        (row,) = found["rows"]
        assert row["word"] == "equivalent"
        assert row["low"] < row["value"] < row["high"]
        assert found["margin"] == 0.5

    def test_a_picture_of_many_pairs_says_how_many_it_shows(self) -> None:
        rng = np.random.default_rng(2)
        table = {f"m{place}": rng.normal(place / 9, 1, 30) for place in range(12)}
        found = chart_data.forest(compare(table, losses=True, rng=1, n_resamples=200))
        assert len(found["rows"]) == 60
        assert found["axis"].endswith("(first 60 of 66)")

    def test_the_slider_reaches_beyond_the_interval(self) -> None:
        result = pair()
        interval = result.verdict.outcome.effect.interval
        assert interval is not None
        found = chart_data.slider(result)
        assert found["top"] > max(abs(interval.low), abs(interval.high))
        assert found["top"] / found["step"] < 1000

    def test_ranks_and_matrix_agree_with_the_verdicts(self) -> None:
        result = examples.many_models()
        found = chart_data.matrix(result)
        assert found is not None
        words = {(cell[1], cell[0]): cell[3] for cell in found["cells"]}
        place = {name: at for at, name in enumerate(found["models"])}
        for verdict in result.verdicts:
            assert words[place[verdict.a], place[verdict.b]] == verdict.word


class TestSession:
    def test_the_token_opens_once(self) -> None:
        session = Session(hosts=frozenset(), cookie_name="assay-1")
        assert not session.spend("no")
        assert session.spend(session.token)
        assert not session.spend(session.token)

    def test_secrets_are_not_told_by_one_another(self) -> None:
        session = Session(hosts=frozenset(), cookie_name="assay-1")
        assert session.cookie not in session.csrf
        assert len({session.cookie, session.token, session.csrf}) == 3
        assert session.knows(f"other=1; assay-1={session.cookie}")
        assert not session.knows(f"assay-2={session.cookie}")
        assert not session.knows("assay-1=é")


class TestHosts:
    def test_only_this_machine_with_the_port(self) -> None:
        assert allowed_hosts("127.0.0.1", 8123) == {
            "127.0.0.1:8123", "localhost:8123", "[::1]:8123",
        }  # fmt: skip
        assert "127.0.0.1" in allowed_hosts("127.0.0.1", 80)
        assert "192.0.2.7:9" in allowed_hosts("192.0.2.7", 9)


def test_a_defect_is_an_answer_with_its_traceback() -> None:
    assert b"Traceback" in perform("answer", {"source": None})


def test_commands_of_a_message_are_marked() -> None:
    assert (
        coded("<a> has votes: `assay board a --votes`")
        == "&lt;a&gt; has votes: <code>assay board a --votes</code>"
    )
    assert coded("5` long") == "5` long"
