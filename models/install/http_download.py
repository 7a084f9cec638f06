"""Downloads one file over HTTP, resuming partial downloads, and accepts it only with the right size and
SHA-256.

The bytes are written to `NAME.part`, unbuffered, so that a kill loses nothing; `NAME.part.json` stores the
ETag for the If-Range request. The file is renamed only after size and SHA-256 are verified and it is flushed
to disk. Headers of the server are not trusted: lengths are compared with known ones, a range with the wrong
start restarts the download, and a file with the wrong SHA-256 is deleted.
"""

from __future__ import annotations

import errno
import hashlib
import http.client
import json
import os
import re
import time
import urllib.error
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from models.atomic_file import sync_folder
from models.install.bounded_response import BoundedResponse, Refused, open_url
from models.install.staging import NotPublished, StoreError
from models.install.stated_values import printable, whole_number
from models.pack.manifest import Seal

CHUNK_BYTES = 1 << 16
TRIES = 5
"""Attempts in a row without progress before giving up."""
WHOLE_TRIES = 3
"""Complete but wrong files before giving up."""
TIMEOUT_S = 30.0
"""Time without data after which a connection counts as broken, seconds."""
SLOWEST_BYTES_PER_S = 1024
"""A connection slower than this over `TIMEOUT_S` is reopened."""
LONGEST_PAUSE_S = 60.0


class Interrupted(Exception):
    """The transfer failed in a way that a retry may cure; the text says how."""


@dataclass(frozen=True)
class DownloadRequest:
    """What to download, and to which path. expected: size and SHA-256 as far as known; fault: describes a
    file of the wrong format, called where the SHA-256 is not known.
    """

    url: str
    path: Path
    expected: Seal
    fault: Callable[[Path], str] = lambda path: ""

    @property
    def part(self) -> Path:
        return self.path.with_name(self.path.name + ".part")

    @property
    def note(self) -> Path:
        return self.path.with_name(self.path.name + ".part.json")


@dataclass(frozen=True)
class TransferContext:
    """Callbacks and limits of a transfer: progress, disk space, messages, time."""

    progress: Callable[[int, int], None] = lambda have_bytes, size_bytes: None
    make_room: Callable[[int], None] = lambda more_bytes: None
    say: Callable[[str], None] = lambda sentence: None
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    timeout_s: float = TIMEOUT_S


def download(request: DownloadRequest, line: TransferContext = TransferContext()) -> Seal:
    """Download one file; returns its size and SHA-256. Raises StoreError with one sentence."""
    request.path.parent.mkdir(parents=True, exist_ok=True)
    fruitless = wrong = 0
    furthest = _size(request.part)
    while True:
        try:
            stated = _Transfer(request, line).run()
            seal = _checked(request, stated)
            break
        except Interrupted as error:
            reason = str(error)
        except _WrongFile as error:
            reason, wrong = str(error), wrong + 1
            _forget(request)
        got_on = _size(request.part) >= furthest + CHUNK_BYTES
        fruitless, furthest = (0, _size(request.part)) if got_on else (fruitless + 1, furthest)
        if wrong >= WHOLE_TRIES or fruitless >= TRIES:
            raise StoreError(f"{request.path.name} could not be fetched: {reason}.")
        line.say(f"{request.path.name}: {reason}; once more")
        line.sleep(min(LONGEST_PAUSE_S, 2.0**fruitless))
    request.part.replace(request.path)
    sync_folder(request.path.parent)
    request.note.unlink(missing_ok=True)
    return seal


class _WrongFile(Exception):
    """The file is complete and has the wrong content."""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _forget(request: DownloadRequest) -> None:
    request.part.unlink(missing_ok=True)
    request.note.unlink(missing_ok=True)


def _checked(request: DownloadRequest, stated: Seal) -> Seal:
    digest = hashlib.sha256()
    with open(request.part, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
        size = file.tell()
        os.fsync(file.fileno())
    seal = Seal(size, digest.hexdigest())
    if stated.sha256 and seal.sha256 != stated.sha256:
        raise _WrongFile("what came is damaged or another file (its SHA-256 is wrong)")
    if not request.expected.sha256 and (fault := request.fault(request.part)):
        raise _WrongFile(f"what came is {fault}")
    return seal


class _Transfer:
    """One connection's part of a download."""

    def __init__(self, request: DownloadRequest, line: TransferContext) -> None:
        self._request = request
        self._line = line

    def run(self) -> Seal:
        """Append to the partial file until it is complete; returns its required size and SHA-256."""
        request = self._request
        have = _size(request.part)
        note = self._note()
        known = request.expected.size_bytes or whole_number(note.get("size"))
        if have and not (request.expected.sha256 or note.get("etag")):
            have = self._anew()
        if known and have > known:
            have = self._anew()
        if known and have == known:
            sha256 = request.expected.sha256 or str(note.get("sha256", ""))
            return Seal(known, sha256)
        headers = {"User-Agent": "headband", "Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
            if note.get("etag"):
                headers["If-Range"] = str(note["etag"])
        try:
            response, said = open_url(request.url, headers, self._line.timeout_s, self._line.clock)
        except Refused as error:
            raise StoreError(str(error)) from None
        except urllib.error.HTTPError as error:
            error.close()
            raise self._refusal(error) from None
        except urllib.error.URLError as error:
            raise Interrupted(f"the server can't be reached ({printable(error.reason)})") from error
        except (OSError, http.client.HTTPException) as error:
            raise Interrupted(f"the connection failed ({printable(error)})") from error
        except (ValueError, OverflowError) as error:  # an address or a header that makes no sense
            raise Interrupted(f"the server's answer makes no sense ({printable(error)})") from error
        with response:
            return self._take(response, said, have)

    def _take(self, response: BoundedResponse, said: dict[str, str], have: int) -> Seal:
        if (encoding := response.headers.get("Content-Encoding", "identity").strip()) != "identity":
            raise Interrupted(f"the server sends the file as {printable(encoding)}, which was not asked for")
        if "html" in response.headers.get("Content-Type", "").lower():
            raise Interrupted("a web page came instead of the file, as from a network that wants a sign-in")
        have, stated = self._begin(response, have)
        linked = whole_number(said.get("X-Linked-Size"))
        sizes = {self._request.expected.size_bytes, stated, linked} - {0}
        sha256 = said.get("X-Linked-ETag", "").strip('W/"').lower()
        sha256 = sha256 if re.fullmatch("[0-9a-f]{64}", sha256) else ""
        expected = self._request.expected
        if len(sizes) > 1 or (expected.sha256 and sha256 not in ("", expected.sha256)):
            there = f"{stated} bytes" if len(sizes) > 1 else f"SHA-256 {sha256[:12]}..."
            here = f"{expected.size_bytes} bytes, SHA-256 {expected.sha256[:12] or 'not known'}..."
            raise Interrupted(f"the server has another file than the pack names ({there}, not {here})")
        if not sizes:
            raise Interrupted("the server does not say how long the file is")
        size = sizes.pop()
        seal = Seal(size, expected.sha256 or sha256)
        self._line.make_room(size - have)
        etag = response.headers.get("ETag", "")
        note = {"size": size, "etag": "" if etag.startswith("W/") else etag, "sha256": seal.sha256}
        self._write(lambda: self._request.note.write_text(json.dumps(note)))
        with open(self._request.part, "ab", buffering=0) as part:
            self._copy(response, part, have, size)
        return seal

    def _begin(self, response: BoundedResponse, have: int) -> tuple[int, int]:
        """Number of bytes kept, and the total length that the server states (0: none)."""
        if response.status == 206:
            range_ = response.headers.get("Content-Range", "")
            found = re.fullmatch(r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)", range_)
            if not have or not found or whole_number(found[1]) != have:
                self._anew()
                raise Interrupted("the server sent another part of the file than it was asked for")
            if self._note().get("etag", "") not in ("", response.headers.get("ETag", "")):
                self._anew()
                raise Interrupted("the file changed on the server meanwhile")
            return have, whole_number(found[2])
        if response.status != 200:
            raise Interrupted(f"the server answers {response.status}")
        return self._anew(), whole_number(response.headers.get("Content-Length"))

    def _copy(self, response: BoundedResponse, part: IO[bytes], have: int, size: int) -> None:
        line, since_s, since = self._line, self._line.clock(), have
        line.progress(have, size)
        while have < size:
            try:
                response.renew_deadline()
                piece = response.read1(min(CHUNK_BYTES, size - have))
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise Interrupted(f"the connection broke off ({printable(error)})") from error
            if not piece:
                raise Interrupted(f"the connection ended after {have} of {size} bytes")
            rest = memoryview(piece)
            while rest:
                rest = rest[self._write(lambda rest=rest: part.write(rest)) :]  # type: ignore[misc]
            have += len(piece)
            line.progress(have, size)
            now_s = line.clock()
            if now_s - since_s >= line.timeout_s:
                if have - since < SLOWEST_BYTES_PER_S * (now_s - since_s):
                    raise Interrupted("the connection is next to dead")
                since_s, since = now_s, have

    def _write(self, write: Callable[[], int | None]) -> int:
        """Run a write; on a disk error the partial file is deleted. Raises StoreError."""
        try:
            return write() or 0
        except OSError as error:
            _forget(self._request)
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StoreError(
                    f"The disk became full while {self._request.path.name} was fetched; its part was removed."
                ) from error
            raise StoreError(f"{self._request.part} can't be written ({error.strerror}).") from error

    def _anew(self) -> int:
        _forget(self._request)
        return 0

    def _note(self) -> dict[str, Any]:
        try:
            note = json.loads(self._request.note.read_text())
        except (OSError, ValueError):
            return {}
        return note if isinstance(note, dict) else {}

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        if error.code == 416:
            self._anew()
            return Interrupted("the server does not have the part of the file that was asked for")
        if error.code in (408, 425, 429) or error.code >= 500:
            if after := whole_number(error.headers.get("Retry-After")):
                self._line.sleep(min(LONGEST_PAUSE_S, float(after)))
            return Interrupted(f"the server answers {error.code} {printable(error.reason)}")
        if error.code in (301, 302, 303, 307, 308):
            return StoreError(f"{self._request.path.name}: the server redirects in a circle, or to nowhere.")
        kind = NotPublished if error.code in (404, 410) else StoreError
        return kind(
            f"{self._request.path.name} is not to be had at {self._request.url}: the server answers "
            f"{error.code} {printable(error.reason)}."
        )
