"""Write a gate's summary as one comment of a pull request, and bring it up to date on every run.

Run by action.yml with the title and the file of the comment; standard library only. A comment that
cannot be written (a fork's token may only read) is a warning: the gate's verdict stands by itself.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

MOST = 65_000
"""Characters of a comment; GitHub takes 65,536."""


def asked(method: str, path: str, body: dict[str, str] | None = None) -> Any:
    """One call of GitHub's interface."""
    address = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}"
    request = Request(
        address,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Content-Type": "application/json",
        },
    )
    with urlopen(request, timeout=30) as answer:
        return json.load(answer)


def number_of_pull_request() -> int | None:
    """Its number in the event that started the run; None where it was none."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    found = event.get("pull_request") or (
        event.get("issue", {}).get("pull_request") and event["issue"]
    )
    return int(found["number"]) if found else None


def earlier(number: int, mark: str) -> int | None:
    """The comment that an earlier run wrote."""
    for page in range(1, 101):
        found = asked("GET", f"issues/{number}/comments?per_page=100&page={page}")
        for comment in found:
            if comment["body"].startswith(mark):
                return int(comment["id"])
        if len(found) < 100:
            return None
    return None


def write(title: str, text: str) -> str:
    """Write or update the comment; says what was done."""
    number = number_of_pull_request()
    if number is None:
        return "no pull request, no comment"
    mark = f"<!-- {title.replace('--', '')} -->"
    body = f"{mark}\n{text}"
    if len(body) > MOST:
        body = body[:MOST] + "\n\n… the rest is in the report of the run."
    known = earlier(number, mark)
    if known is None:
        asked("POST", f"issues/{number}/comments", {"body": body})
        return f"wrote a comment on pull request {number}"
    asked("PATCH", f"issues/comments/{known}", {"body": body})
    return f"updated the comment on pull request {number}"


def main() -> None:
    title, file = sys.argv[1:]
    try:
        print(write(title, Path(file).read_text(encoding="utf-8")))
    except (HTTPError, URLError) as error:
        print(f"::warning::the comment could not be written ({error}); see the summary of the run")


if __name__ == "__main__":
    main()
