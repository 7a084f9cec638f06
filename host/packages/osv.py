"""Questions to a vulnerability database in OSV's batch format: a POST of packages, answered with the ids of
advisories for each.
"""

from __future__ import annotations

import http.client
import json
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

Package = tuple[str, str]
"""Normalised name and version."""
Post = Callable[[bytes], bytes]
"""Sends a body and returns the answer's. Raises `NoAnswer`."""
MOST_AT_ONCE = 500
MOST_PAGES = 20
_MOST_BYTES = 16 << 20
_TIMEOUT_S = 30.0


class NoAnswer(Exception):
    """The database can't be asked; words for the middle of a sentence."""


def advisories_for(packages: Sequence[Package], post: Post) -> dict[Package, list[str]]:
    """The ids of advisories for each package that has any. Raises `NoAnswer`."""
    found: dict[Package, list[str]] = {}
    for begin in range(0, len(packages), MOST_AT_ONCE):
        asked: list[tuple[Package, str]] = [(each, "") for each in packages[begin : begin + MOST_AT_ONCE]]
        for _ in range(MOST_PAGES):
            if not asked:
                break
            following = []
            for (package, _), ids, page in zip(asked, *_answers(asked, post), strict=True):
                if ids:
                    found.setdefault(package, []).extend(ids)
                if page:
                    following.append((package, page))
            asked = following
        else:
            raise NoAnswer("it answers without an end")
    return found


def _answers(asked: Sequence[tuple[Package, str]], post: Post) -> Iterator[list[Any]]:
    """The ids for each question, then the mark of each one's next page."""
    queries = [
        {
            "package": {"purl": f"pkg:pypi/{name}@{version}"},
            **({"page_token": page} if page else {}),
        }
        for (name, version), page in asked
    ]
    try:
        results = json.loads(post(json.dumps({"queries": queries}).encode()))["results"]
        ids = [[str(each["id"]) for each in result.get("vulns") or ()] for result in results]
        pages = [str(result.get("next_page_token") or "") for result in results]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise NoAnswer("it doesn't answer in OSV's format") from None
    if len(ids) != len(asked):
        raise NoAnswer(f"it answers {len(ids)} of {len(asked)} questions")
    return iter((ids, pages))


def poster(address: str) -> Post:
    """Sends to an address: https, or http on this computer. Raises `NoAnswer` for another."""
    try:
        parts = urlsplit(address)
        here = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
        sound = (parts.scheme == "https" and bool(parts.hostname)) or here
    except ValueError:
        sound = False
    if not sound:
        raise NoAnswer("it has no address with https://")

    def post(body: bytes) -> bytes:
        request = urllib.request.Request(address, body, {"Content-Type": "application/json"}, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response:
                answer: bytes = response.read(_MOST_BYTES + 1)
        except (OSError, http.client.HTTPException) as problem:
            raise NoAnswer(str(problem) or type(problem).__name__) from None
        if len(answer) > _MOST_BYTES:
            raise NoAnswer("its answer is too long")
        return answer

    return post
