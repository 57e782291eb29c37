"""The page as strangers use it: files made strange are dropped, and every address is asked for with strange words.

Jobs run in this process instead of their own, so that an error of ours is seen where it happens.
"""

import asyncio
import random
import shutil
from collections.abc import Callable, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

import httpx
import msgspec

from assay.web import page_state
from assay.web.app import create_app
from assay.web.job_functions import perform
from assay.web.jobs import Job, Jobs
from assay.web.security import Session
from tools.fuzz import scenes
from tools.fuzz.attempts import Attempt, Wrong, knock

HERE = "127.0.0.1:1"
DROPPED = (
    "items.csv",
    "old.csv",
    "new.csv",
    "scored.csv",
    "judged.csv",
    "scores.csv",
    "folds.csv",
    "votes.csv",
)
OF_A_DROP = ("", "/measures", "/corrected", "/curves", "/differences", "/board", "/judge")
ELSEWHERE = (
    "/", "/studies", "/studies/new", "/learn", "/learn/choose", "/learn/power", "/learn/level",
    "/learn/coverage", "/learn/methods", "/learn/methods/wilson", "/stores/main", "/stores/main/0",
    "/stores/main/0/failures", "/stores/main/0/curves", "/stores/main/0/report", "/stores/main/1", "/stores/x",
    "/jobs/x", "/e/x", "/learn/methods/x",
)  # fmt: skip
FORMS = ("", "", "", ".json", ".csv", ".html", ".x")
OWN = (
    "aggregate", "filter", "name", "table", "scene", "search", "judge", "human", "bias", "have", "goal", "n",
    "power", "difference", "baseline", "half_width", "kind", "on", "dataset", "p", "effect", "sd", "x",
)  # fmt: skip
FIELDS = (*page_state.READING, *page_state.LISTS, *page_state.ASKING, *page_state.EXPLORING, *OWN)
SAID = (
    "", " ", "x", "a", "b", "c", "a,b", "truth", "id", "region", "weight", "human", "gpt", "length", "dataset",
    "fold", "yes", "no", "0", "1", "0.5", "-1", "2", "1e308", "1e-320", "nan", "inf", "99999999999999999999",
    "accuracy", "f1", "roc_auc", "rmse", "item", "elo", "mean", "win_rate", "complete", "wrong", "holm",
    "shaffer", "none", "labels", "learning", "\x00", "é\u202e", "<b>", "x" * 3_000, "a=1", "region=n", "%", "[",
    "majority", "chance", "scores",
)  # fmt: skip


def opened(folder: Path, seed: int) -> Callable[[int], Attempt]:
    """A visit by its number: a file and a few addresses of what became of it, or addresses of other pages."""
    scenes.set_out(folder / "sound")
    session = Session(hosts=frozenset({HERE}), cookie_name="assay")
    app = create_app(session, store=str(folder / "sound" / "study.db"), studies=folder / "studies")

    def attempt(number: int) -> Attempt:
        rng = random.Random(f"{seed} {number}")
        seen: list[str] = []
        with chdir(folder), patch.object(Jobs, "start", _at_once):
            found = knock(lambda: asyncio.run(_visited(app, session, folder, rng, seen)))
        return Attempt(" ".join(seen), found)

    return attempt


async def _visited(
    app: Any, session: Session, folder: Path, rng: random.Random, seen: list[str]
) -> None:
    headers = {"origin": f"http://{HERE}", "sec-fetch-site": "same-origin"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url=f"http://{HERE}",
        cookies={"assay": session.cookie},
        headers=headers,
    ) as visitor:
        pages: Sequence[str] = ELSEWHERE
        if rng.random() < 0.8:
            place = await _dropped(visitor, session, folder, rng, seen)
            pages = [place + page for page in OF_A_DROP] if place else ()
        for _ in range(rng.choice((1, 1, 2, 3)) if pages else 0):
            asked = [
                (rng.choice(FIELDS), rng.choice(SAID)) for _ in range(rng.choice((0, 1, 1, 2, 4)))
            ]
            address = f"{rng.choice(pages)}{rng.choice(FORMS)}"
            seen.append(f"{address}?{asked}")
            _sound(await visitor.get(f"{address}?{urlencode([*asked, ('resamples', 100)])}"))


async def _dropped(
    visitor: httpx.AsyncClient, session: Session, folder: Path, rng: random.Random, seen: list[str]
) -> str | None:
    """The address of what was made of a file, or of two."""
    sent = []
    for name in rng.sample(DROPPED, rng.choice((1, 1, 1, 2))):
        path = Path(shutil.copy(folder / "sound" / name, folder / f"dropped{Path(name).suffix}"))
        what = scenes.made_strange(path, rng) if rng.random() < 0.7 else "sound"
        called = (
            name
            if rng.random() < 0.9
            else rng.choice(("", "x", "../x.csv", "a\x00b.csv", "é.CSV", "x" * 300))
        )
        seen.append(f"{called!r:.20} {what}")
        sent.append(("files", (called, path.read_bytes())))
    answer = await visitor.post("/drop", data={"csrf": session.csrf}, files=sent)
    _sound(answer)
    return answer.headers.get("location") if answer.status_code == 303 else None


def _sound(answer: httpx.Response) -> None:
    if answer.status_code >= 500:
        raise Wrong(f"{answer.status_code}: {answer.text[:300]}")
    if answer.headers.get("content-type", "").startswith("application/json"):
        answer.json()


def _at_once(_: Jobs, name: str, **arguments: Any) -> Job:
    """A job and its answer, as the process of a job gives it; each is asked anew."""
    told = {key: value for key, value in arguments.items() if key not in ("fresh", "after")}
    question = msgspec.json.encode([name, told])
    job = Job(key=name, name=name, question=question.decode())
    job.answer = msgspec.json.decode(perform(name, msgspec.json.decode(question)[1]))
    job.state = "done"
    job.ended.set()
    wrong = (job.answer or {}).get("error") or {}
    if wrong.get("kind") == "defect":
        raise Wrong("\n".join(wrong.get("traceback", "?").splitlines()[-12:][::-1]))
    return job
