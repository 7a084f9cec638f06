"""HTTP responses with time limits.

A socket's timeout restarts with every byte, so a server that sends one byte at a time blocks a reader for
ever. Here the header as a whole, and each later read, has a time limit.
"""

from __future__ import annotations

import email.message
import http.client
import io
import socket
import urllib.request
from collections.abc import Callable
from typing import IO, Any, cast

from models.install.stated_values import printable


class Refused(Exception):
    """The server redirects to an address that is not safe; one sentence."""


class _DeadlineReader(io.RawIOBase):
    """Reads from a connection until a deadline. Raises TimeoutError after it."""

    def __init__(self, raw: Any, timeout_s: float, clock: Callable[[], float]) -> None:
        self._raw, self._timeout_s, self._clock = raw, timeout_s, clock
        self.renew()

    def renew(self) -> None:
        self._until_s = self._clock() + self._timeout_s

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self._clock() > self._until_s:
            raise TimeoutError("it sends too slowly")
        return cast("int | None", self._raw.readinto(buffer))

    def fileno(self) -> int:
        return int(self._raw.fileno())

    def close(self) -> None:
        self._raw.close()
        super().close()


class BoundedResponse(http.client.HTTPResponse):
    """A response whose header, and each read after `renew_deadline`, has to arrive within `timeout_s`."""

    timeout_s = 30.0
    clock: Callable[[], float]

    def __init__(self, sock: socket.socket, *rest: Any, **named: Any) -> None:
        super().__init__(sock, *rest, **named)
        self._deadline_reader = _DeadlineReader(self.fp.detach(), self.timeout_s, type(self).clock)  # type: ignore[attr-defined]
        self.fp = io.BufferedReader(self._deadline_reader)

    def renew_deadline(self) -> None:
        """Restart the time limit."""
        self._deadline_reader.renew()


class _Redirect(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but not from HTTPS to HTTP, and stores the hub's headers about the file."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str,
        headers: http.client.HTTPMessage, newurl: str,
    ) -> urllib.request.Request | None:  # fmt: skip
        self.said.update(_linked(headers))
        fp.close()  # otherwise a body, which is not needed, would be read to its end
        allowed = ("https:",) if req.full_url.startswith("https:") else ("https:", "http:")
        if not newurl.startswith(allowed):
            raise Refused(f"The server sends us on to {printable(newurl)}, which isn't safe.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _linked(headers: email.message.Message) -> dict[str, str]:
    """The hub's headers with size and SHA-256 of a large file that it stores elsewhere."""
    return {key: headers[key] for key in ("X-Linked-Size", "X-Linked-ETag") if headers[key]}


def open_url(
    url: str, headers: dict[str, str], timeout_s: float, clock: Callable[[], float]
) -> tuple[BoundedResponse, dict[str, str]]:
    """The response to a GET after redirects, and the hub's headers about a large file.

    timeout_s: limit without any data, and for each header as a whole. Raises Refused, `OSError` (of which
    `urllib.error.HTTPError` is one), `http.client.HTTPException`, and `ValueError` or `OverflowError` for an
    invalid address.
    """
    answer: type[BoundedResponse] = type(
        "BoundedResponse", (BoundedResponse,), {"timeout_s": timeout_s, "clock": staticmethod(clock)}
    )

    class Plain(http.client.HTTPConnection):
        response_class = answer

    class Secure(http.client.HTTPSConnection):
        response_class = answer

    class Http(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Plain, req)

    class Https(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Secure, req)

    redirect = _Redirect()
    opener = urllib.request.build_opener(Http, Https, redirect)
    response = opener.open(urllib.request.Request(url, headers=headers), timeout=timeout_s)
    return response, {**redirect.said, **_linked(response.headers)}
