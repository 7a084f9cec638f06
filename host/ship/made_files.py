"""Files of a release that no checkout has: they are made for a deploy and kept in the cache."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from host import __version__
from host.packages.sbom import NoMetadata, bill, component
from host.ship.release import FILES, FOLDERS, ROOT, Environment, ReleaseFile, release_file
from host.ship.remote import RemoteError
from models.atomic_file import write_whole
from models.install.hub_urls import RELEASED, public_hub
from models.pack.catalogue import cache_folder

BILL = "sbom.cdx.json"
HUB = f"models/install/{RELEASED.name}"


def made_files() -> dict[str, ReleaseFile]:
    """By path within the release: the model hub's address, which a headband lacks the library for."""
    hub = public_hub()
    return _written({HUB: f"{hub}\n"} if hub else {})


def described(environment: Environment) -> Environment:
    """The environment with its bill of materials. Raises `RemoteError`."""
    sent = [*environment.wheels.values(), *environment.sources.values()]
    try:
        packages = [component(each.path, each.sha256) for each in sent]
    except NoMetadata as problem:
        raise RemoteError(f"There is no bill of materials for this release: {problem}") from None
    return replace(environment, described=_written({BILL: bill(__version__, packages, environment.left_out)}))


def commit(root: Path = ROOT) -> str:
    """The commit that a checkout's application is of, with "-dirty" where its files have changed since; ""
    where git can't say.
    """
    head = _git(root, "rev-parse", "HEAD")
    changed = _git(root, "status", "--porcelain", "--", *FOLDERS, *FILES)
    return f"{head}-dirty" if head and changed else head


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


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
