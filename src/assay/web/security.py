"""Who may talk to the page: loopback is no trust boundary, every tab of the browser can reach it.

Order of the checks, before any routing: the Host header (DNS rebinding), the cookie (other users
and other pages), then for everything but GET where the request comes from (other origins). The
form's own token is checked by :func:`read_form`, through which every POST goes.
"""

import hmac
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.web.limits import MAX_FIELDS, MAX_FILES, MAX_PASTE, MAX_UPLOAD

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: dict[bytes, bytes] = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    # not no-referrer: with it browsers send "Origin: null" with our own forms
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
}
READING = ("GET", "HEAD")


class TooLarge(Exception):
    """A body beyond the limit, found while it arrives."""


class Refused(Exception):
    """A form without our token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The secrets of one run of the page: a token for the first visit, a cookie afterwards."""

    hosts: frozenset[str]
    """What the Host header may say, port included."""
    cookie_name: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    used: set[str] = field(default_factory=set)

    @property
    def csrf(self) -> str:
        """The token that our own forms carry; it says nothing about the cookie."""
        return hmac.new(self.cookie.encode(), b"form", sha256).hexdigest()

    def spend(self, token: str) -> bool:
        """Whether this is the token of the first visit; it opens the page once."""
        if self.used or not hmac.compare_digest(token.encode(), self.token.encode()):
            return False
        self.used.add(self.token)
        return True

    def knows(self, header: str) -> bool:
        """Whether a Cookie header holds our cookie."""
        try:
            found = SimpleCookie(header).get(self.cookie_name)
        except CookieError:
            return False
        return found is not None and hmac.compare_digest(found.value.encode(), self.cookie.encode())


class RequestGuard:
    """The outermost layer: it lets through what may pass, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, session: Session) -> None:
        self.app = app
        self.session = session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message["headers"]}
                extra = [pair for pair in HEADERS.items() if pair[0] not in own]
                if b"cache-control" not in own:
                    extra.append((b"cache-control", b"no-store"))
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, with_headers)
            return
        await self.app(scope, _counted(scope, receive), with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that may not pass; None for one that may."""
        hosts = _headers(scope, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self.session.hosts:
            return PlainTextResponse("This address is not served here.", 421)
        if scope["method"] not in (*READING, "POST"):
            return PlainTextResponse("Only GET and POST are served.", 405, {"allow": "GET, POST"})
        if scope["method"] == "GET" and scope["path"] == "/open":
            return self._opened(scope)
        if not any(map(self.session.knows, _headers(scope, b"cookie"))):
            return _closed()
        if scope["method"] == "POST" and not self._from_here(scope, hosts[0]):
            return PlainTextResponse("This request comes from another page.", 403)
        declared = _headers(scope, b"content-length")
        if declared and (not declared[0].isdecimal() or int(declared[0]) > MAX_UPLOAD):
            return PlainTextResponse(f"At most {MAX_UPLOAD // 2**20} MB can be sent.", 413)
        return None

    def _opened(self, scope: Scope) -> Response:
        """The first visit: the token for a cookie, and on to the page.

        Not a redirect: of a visit that another page or program began, a browser would follow it
        without the strict cookie.
        """
        query = scope["query_string"].decode("latin-1")
        name, _, token = query.partition("=")
        if name != "token" or not self.session.spend(token):
            return _closed()
        response = HTMLResponse(
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>assay</title>'
            '<meta http-equiv="refresh" content="0;url=/"></head>'
            '<body><p><a href="/">Open the page</a></p></body></html>'
        )
        response.set_cookie(
            self.session.cookie_name, self.session.cookie, httponly=True, samesite="strict"
        )
        return response

    def _from_here(self, scope: Scope, host: str) -> bool:
        """Whether the browser says that our own page sends this."""
        sites = _headers(scope, b"sec-fetch-site")
        if sites and sites != ["same-origin"]:
            return False
        origins = _headers(scope, b"origin")
        if origins:
            return [origin.lower() for origin in origins] == [f"http://{host.lower()}"]
        return bool(sites)


async def read_form(request: Request, session: Session) -> FormData:
    """The form of a POST, bounded and with our token; nothing else reads bodies."""
    form = await request.form(
        max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=4 * MAX_PASTE
    )
    token = form.get("csrf")
    given = token if isinstance(token, str) else request.headers.get("x-csrf", "")
    if not hmac.compare_digest(given.encode(), session.csrf.encode()):
        await form.close()
        raise Refused
    return form


def _counted(scope: Scope, receive: Receive) -> Receive:
    """The body with its bytes counted: what a request declares need not be true."""
    if scope["method"] in READING:
        return receive
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MAX_UPLOAD:
            raise TooLarge
        return message

    return counted


def _headers(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _closed() -> Response:
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>assay</title></head>'
        "<body><main><h1>This page is closed to you</h1><p>Open the address that "
        "<code>assay serve</code> printed in the terminal; it works once. If it was used already, "
        "start <code>assay serve</code> again.</p></main></body></html>",
        401,
    )
