"""Files of a release that no checkout has: they are made for a deploy and kept in the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from host.ship.release import ReleaseFile, release_file
from models.atomic_file import write_whole
from models.install.hub_urls import RELEASED, public_hub
from models.pack.catalogue import cache_folder

HUB = f"models/install/{RELEASED.name}"


def made_files() -> dict[str, ReleaseFile]:
    """By path within the release: the model hub's address, which a headband lacks the library for."""
    hub = public_hub()
    return _written({HUB: f"{hub}\n"} if hub else {})


def _written(texts: Mapping[str, str]) -> dict[str, ReleaseFile]:
    """Each text as a file of the cache, named by its SHA-256."""
    folder = cache_folder() / "made"
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for path, text in texts.items():
        file = folder / hashlib.sha256(text.encode()).hexdigest()
        write_whole(file, text)
        found[path] = release_file(file)
    return found
