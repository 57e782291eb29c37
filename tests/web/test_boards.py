"""The page of a board: the library's ranks, a ladder, other aggregates, and a filter."""

import csv
import io
from typing import Any

import httpx
import numpy as np

import assay
from assay.core import wire
from tests.web.conftest import Served


def scores() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    level = rng.uniform(0.5, 0.8, 12)
    models = {
        f"m{place}": (level + 0.02 * place + rng.normal(0, 0.01, 12)).round(4) for place in range(5)
    }
    return {"dataset": [f"d{place}" for place in range(12)], **models}


def as_file(table: dict[str, Any]) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return stream.getvalue().encode()


def test_the_page_says_what_the_library_says(served: Served, client: httpx.Client) -> None:
    address = served.dropped(client, as_file(scores()), "scores.csv")
    found = served.json(client, f"{address}/board.json?measure=accuracy").json()
    expected = wire.to_builtins(assay.board(scores(), measure="accuracy"))
    assert found["result"]["rows"] == expected["rows"]
    assert found["result"]["summary"] == expected["summary"]


def test_the_page_has_table_ladder_and_filter(served: Served, client: httpx.Client) -> None:
    address = served.dropped(client, as_file(scores()), "scores.csv")
    page = served.page(client, f"{address}/board?measure=accuracy&aggregate=win_rate").text
    assert "<svg" in page
    assert "highest win rate" in page
    assert 'aria-current="page">Board' in page
    filtered = served.page(client, f"{address}/board?measure=accuracy&filter=m3").text
    assert "<bdi>m3</bdi></th>" in filtered
    table = served.page(client, f"{address}/board.csv?measure=accuracy&filter=m3&name=board").text
    assert "m3" in table


def test_what_cannot_be_ranked_is_said(served: Served, client: httpx.Client) -> None:
    table = {"fold": list(range(5)), "a": [0.5, 0.6, 0.7, 0.6, 0.5], "b": [0.4, 0.5, 0.6, 0.7, 0.6]}
    address = served.dropped(client, as_file(table), "folds.csv")
    page = served.page(client, f"{address}/board?measure=accuracy")
    assert "share training data" in page.text
