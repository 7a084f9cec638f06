"""Proves that the locks resolve for a headband: aarch64 with each Debian that it may have.

    just lock-check [--npu]

Every wheel is downloaded, and its hash has to be one that is locked. What is compiled from source is listed,
and its libraries are checked like the rest. --npu: also Rockchip's bindings (NOTICE), which there are for
Debian 12 alone. Exit status 0: all were found; 1: not, and one sentence says which.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from host.packages.locks import applying_to, entries, requirements
from host.ship.release import ROOT
from host.ship.remote import RemoteError
from host.ship.wheels.debian import DEBIANS, Debian
from host.ship.wheels.wheelhouse import COMPILED_PACKAGES, download, wheels_of

LOCKS = ("requirements.lock", "requirements-native.lock", "requirements-build.lock", "requirements-dev.lock")
NPU = "requirements-npu.lock"


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="just lock-check", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--npu", action="store_true", help="also Rockchip's bindings of its NPU")
    npu = parser.parse_args().npu
    native = entries((ROOT / "requirements-native.lock").read_text(), COMPILED_PACKAGES.__contains__)
    for each in requirements(native):
        print(f"{each.name}=={each.version}: source, compiled for each of them")
    try:
        for debian in DEBIANS:
            names = [*LOCKS, *([NPU] if npu and debian == DEBIANS[0] else [])]
            count = _found("".join(_wanted(name, debian) for name in names), debian)
            runs = f"aarch64, glibc 2.{debian.glibc_minor}, Python {debian.python}"
            print(f"{debian}, {runs}: {count} wheels found, every hash as locked")
    except RemoteError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def _wanted(name: str, debian: Debian) -> str:
    """The requirements of a lock that are wheels there."""
    lock = applying_to("aarch64", (ROOT / name).read_text(), debian.python)
    return entries(lock, lambda package: package not in COMPILED_PACKAGES)


def _found(lock: str, debian: Debian) -> int:
    with TemporaryDirectory() as name:
        folder = Path(name)
        download(_once(lock), folder, wheels_of("aarch64", debian))
        return len(list(folder.glob("*.whl")))


def _once(lock: str) -> str:
    """A lock without repeated requirements: the lock files have some in common."""
    seen: set[str] = set()

    def new(package: str) -> bool:
        known = package in seen
        seen.add(package)
        return not known

    return entries(lock, new)


if __name__ == "__main__":
    sys.exit(main())
