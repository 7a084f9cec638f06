"""Files of a release that no checkout has: they are made for a deploy and kept in the cache."""

from __future__ import annotations

import hashlib
import io
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from host import __version__
from host.packages.sbom import NoMetadata, bill, component
from host.ship.release import FILES, FOLDERS, ROOT, Environment, ReleaseFile, release_file
from host.ship.remote import RemoteError
from host.ship.target.guard_files import DROP_IN, IN_RELEASE, UNIT
from models.atomic_file import write_whole
from models.install.hub_urls import RELEASED, public_hub
from models.pack.cache import cache_folder

_MAIN = "import sys\nfrom host.ship.target.boot_guard import main\nsys.exit(main(sys.argv[1:]))\n"
BILL = "sbom.cdx.json"
GUARDED = (
    "models.atomic_file",
    *(f"host.boot.{name}" for name in ("counting", "records")),
    *(f"host.ship.{name}" for name in ("atomic", "whole", "running")),
    *(
        f"host.ship.target.{name}"
        for name in ("supervise", "device_rules", "system_files", "guard_files", "boot_guard")
    ),
)
"""The modules of the guard's program."""
HUB = f"models/install/{RELEASED.name}"


def made_files() -> dict[str, ReleaseFile]:
    """By path within the release: the guard's program, and the model hub's address, which a headband lacks
    the library for.
    """
    hub = public_hub()
    return _written({IN_RELEASE: guard(), **({HUB: f"{hub}\n"} if hub else {})})


def guard(root: Path = ROOT) -> bytes:
    """The guard's program and units of a checkout as an archive that Python runs; equal files give equal
    bytes.
    """
    names = [Path(*module.split(".")).with_suffix(".py") for module in GUARDED]
    packages = {folder / "__init__.py" for name in names for folder in name.parents if folder != Path(".")}
    units = {name: (root / "host/service" / name).read_text() for name in (UNIT, DROP_IN)}
    texts = {str(name): (root / name).read_text() for name in sorted([*names, *packages])}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {"__main__.py": _MAIN, **units, **texts}.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return made.getvalue()


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


def _written(texts: Mapping[str, str | bytes]) -> dict[str, ReleaseFile]:
    """Each content as a file of the cache, named by its SHA-256."""
    folder = cache_folder() / "made"
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for path, text in texts.items():
        content = text.encode() if isinstance(text, str) else text
        file = folder / hashlib.sha256(content).hexdigest()
        write_whole(file, content)
        found[path] = release_file(file)
    return found
