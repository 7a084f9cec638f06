"""A model hub on this computer with faults: one for each of the next requests, then none."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAULTS = (
    "drop", "corrupt", "long", "short", "huge", "missing-length", "ignore-range", "wrong-range", "gone-range",
    "other", "cut", "busy", "redirect", "loop", "to-a-file", "page", "not-found", "close",
    "mixed", "later",
)  # fmt: skip
"""Faults of a request. `other`: another file of the same name; `cut`: a consistent answer with a part of the
file; `mixed`: the rest of another file, although the request's ETag is of this one; `later`: too many
requests, retry in seven seconds.
"""
PIECE = 1 << 16


@dataclass(repr=False)
class Hub:
    """Files by path ("owner/name/resolve/revision/file"), and the faults of the next requests."""

    files: dict[str, bytes] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    states_sha256: bool = False
    """Answers carry the file's SHA-256, as a hub's do for large files."""
    changed: bool = False
    """Every response has another file, with another ETag."""
    tag: str = ""
    """The ETag of every response, instead of one that depends on the bytes."""
    drop_at: int = 100_000
    pause_s: float = 0.0
    """Time between pieces, in seconds."""
    served_bytes: int = 0
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Path and range of each request."""
    address: str = ""

    def __repr__(self) -> str:
        return f"Hub(faults={self.faults}, requests={self.requests})"

    def add(self, repository: str, file: str, data: bytes, revision: str = "main") -> None:
        """Publish a file."""
        self.files[f"/{repository}/resolve/{revision}/{file}"] = data


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""

    def do_GET(self) -> None:
        hub, path = self.hub, self.path.partition("?")[0]
        wanted = self.headers.get("Range", "")
        hub.requests.append((path, wanted))
        fault = hub.faults.pop(0) if hub.faults else ""
        if path not in hub.files or fault == "not-found":
            return self._plain(404)
        data = hub.files[path]
        if fault == "later":
            self.send_response(429)
            self.send_header("Retry-After", "7")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        simple = {"busy": 503, "gone-range": 416}
        if fault in simple:
            return self._plain(simple[fault])
        targets = {"redirect": self.path + "?elsewhere", "loop": self.path, "to-a-file": "file:///etc/passwd"}
        if fault in targets:
            if fault == "loop":
                hub.faults[:0] = ["loop"]
            self.send_response(302)
            self._stated(data)
            self.send_header("Location", targets[fault])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        if fault == "page":
            return self._plain(200, b"<html>Please sign in</html>" * 1000)
        if fault == "close":
            self.close_connection = True
            return None
        return self._file(data, wanted, fault)

    def _file(self, data: bytes, wanted: str, fault: str) -> None:
        hub = self.hub
        if fault == "other" or hub.changed:
            data = bytes(byte ^ 0x55 for byte in data[:1000]) + data[1000:]
        if fault == "cut":
            data = data[: len(data) // 2]
        if fault == "mixed":
            data = data[:-1000] + bytes(byte ^ 0x55 for byte in data[-1000:])
        tag = hub.tag or f'"{hashlib.md5(data).hexdigest()}"'
        start = int(wanted[6:-1]) if wanted else 0
        same = self.headers.get("If-Range", tag) == tag or fault == "mixed"
        ranged = bool(wanted) and same and fault != "ignore-range"
        if ranged and start >= len(data):
            return self._plain(416)
        start = start if ranged else 0
        first = max(0, start - 1000) if fault == "wrong-range" and ranged else start
        body = bytearray(data[first:])
        if fault == "corrupt" and body:
            body[len(body) // 2] ^= 0xFF
        length = len(body) + {"long": 5000, "short": -(len(body) // 3)}.get(fault, 0)
        self.send_response(206 if ranged else 200)
        self.send_header("ETag", tag)
        self._stated(data)
        if ranged:
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        if fault == "missing-length":
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(length + (10**12 if fault == "huge" else 0)))
        self.end_headers()
        self.close_connection = True
        end = hub.drop_at if fault == "drop" else len(body)
        for at in range(0, min(end, len(body)), PIECE):
            piece = bytes(body[at : min(at + PIECE, end)])
            self.wfile.write(piece)
            hub.served_bytes += len(piece)
            time.sleep(hub.pause_s)
        return None

    def _stated(self, data: bytes) -> None:
        if self.hub.states_sha256:
            self.send_header("X-Linked-ETag", f'"{hashlib.sha256(data).hexdigest()}"')
            self.send_header("X-Linked-Size", str(len(data)))

    def _plain(self, code: int, body: bytes = b"") -> None:
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def running_hub() -> Iterator[Hub]:
    """A hub that answers until the end of the block."""
    hub = Hub()
    answer = type("Answer", (_Answer,), {"hub": hub})

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Ignores clients that close the connection."""

    server = Server(("127.0.0.1", 0), answer)
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
