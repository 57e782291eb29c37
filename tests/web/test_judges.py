"""The page of a judge: drop results and labels, see the corrected answer beside the uncorrected."""

from typing import Any

import httpx
import numpy as np

import assay
from assay.core import wire
from tests.web.conftest import Served
from tests.web.test_boards import as_file

RNG = np.random.default_rng(2)
N = 400
RIGHT = (RNG.random(N) < 0.7).astype(int)
GPT = np.where(RNG.random(N) < 0.85, RIGHT, 1 - RIGHT)
GRADES = {
    "id": range(N),
    "human": [str(right) if place < 80 else "" for place, right in enumerate(RIGHT)],
    "gpt": GPT,
}


def test_the_page_asks_for_the_columns(served: Served, client: httpx.Client) -> None:
    address = served.dropped(client, as_file(GRADES), "grades.csv")
    assert served.json(client, f"{address}/judge.json").json()["columns"] == ["id", "human", "gpt"]
    page = client.get(f"{address}/judge").text
    assert '<option value="human"' in page
    assert "Corrected beside uncorrected" not in page


def test_the_page_says_what_the_library_says(served: Served, client: httpx.Client) -> None:
    address = served.dropped(client, as_file(GRADES), "grades.csv")
    found = served.json(client, f"{address}/judge.json?people=human&judge=gpt&chosen=random").json()
    told: dict[str, Any] = {"truth": "human", "judge": "gpt", "labelled_at": "random"}
    expected = wire.to_builtins(assay.judge(GRADES, **told, models="grades"))
    assert found["result"]["answers"] == expected["answers"]
    page = client.get(f"{address}/judge?people=human&judge=gpt&chosen=random").text
    assert "Corrected beside uncorrected" in page
    assert "judge alone" in page
    assert 'aria-current="page">Judge' in page


def test_what_cannot_be_answered_is_said(served: Served, client: httpx.Client) -> None:
    address = served.dropped(client, as_file(GRADES), "grades.csv")
    served.json(client, f"{address}/judge.json?people=human&judge=gpt&chosen=looking")
    page = client.get(f"{address}/judge?people=human&judge=gpt&chosen=looking")
    assert "no method can correct" in page.text
