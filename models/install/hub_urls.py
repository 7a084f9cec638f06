"""Addresses of published files: a hub's address, and how a file of a repository is addressed there.

The address is that of `--hub` or $HEADBAND_HUB, else the public hub's: a release carries it in a file that
the deploy wrote, and a checkout asks the hub's own library, which a headband does without.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

from models.pack.manifest import FileSource, PackError

RELEASED = Path(__file__).with_name("hub-address.txt")
"""Only in a release: the public hub's address."""


def public_hub() -> str:
    """Address of the public hub; "" where neither a release nor the library says it."""
    with suppress(OSError):
        return RELEASED.read_text(encoding="utf-8").strip()
    try:
        from huggingface_hub.constants import ENDPOINT
    except ImportError:
        return ""
    return str(ENDPOINT)


def address(source: FileSource, base: str = "") -> str:
    """URL of a file. base: server to use instead of $HEADBAND_HUB or the public hub. Raises PackError."""
    base = (base or os.environ.get("HEADBAND_HUB", "") or public_hub()).rstrip("/")
    if not base:
        raise PackError("No server is known to fetch from: name one with --hub, or in HEADBAND_HUB.")
    _check_address(base)
    return f"{base}/{source.repository}/resolve/{quote(source.revision, safe='')}/{quote(source.file)}"


def _check_address(base: str) -> None:
    try:
        parts = urlsplit(base)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        str(parts.hostname).encode("idna")
    except ValueError:  # a port or a host that can't be one
        sound = False
    if not sound or not base.isprintable():
        raise PackError(
            f"{base!r} is no address of a server, such as https://hub.example or http://10.0.0.2:8080."
        )
