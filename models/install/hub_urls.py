"""Addresses of published files.

`huggingface_hub` knows its hub's address and how a file of a repository is addressed there. $HEADBAND_HUB
names another server with the same layout, for example a local mirror; then that library is not needed.
"""

from __future__ import annotations

import os
from urllib.parse import quote, urlsplit

from models.pack.manifest import FileSource, PackError


def address(source: FileSource, base: str = "") -> str:
    """URL of a file. base: server to use instead of $HEADBAND_HUB or the library's. Raises PackError."""
    base = (base or os.environ.get("HEADBAND_HUB", "")).rstrip("/")
    if base:
        _check_address(base)
    try:
        from huggingface_hub import hf_hub_url
    except ImportError:
        if not base:
            raise PackError(
                "No server is known to fetch from: install huggingface_hub, or set HEADBAND_HUB to "
                "a server's address."
            ) from None
        return f"{base}/{source.repository}/resolve/{quote(source.revision, safe='')}/{quote(source.file)}"
    return str(hf_hub_url(source.repository, source.file, revision=source.revision, endpoint=base or None))


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
