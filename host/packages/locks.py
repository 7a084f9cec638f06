"""Lock files of pip. An entry is `NAME==VERSION ; MARKER \\`, then its hashes on indented lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SENT = ("requirements.lock", "requirements-native.lock")
"""Locks of what a headband gets, less what `host.packages.left_out` names."""
_HEAD = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*==\s*([^\s;\\]+)")


@dataclass(frozen=True)
class Locked:
    """One requirement of a lock file."""

    name: str
    """Normalised."""
    version: str
    hashes: frozenset[str]
    """SHA-256 of the files that it may be, in hexadecimal."""


def normalised(name: str) -> str:
    """A package's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements(lock: str) -> tuple[Locked, ...]:
    """The requirements of a lock file's text, whatever their markers."""
    found = ((_HEAD.match(entry), entry) for entry in _entries(lock))
    return tuple(
        Locked(normalised(head[1]), head[2], frozenset(re.findall(r"sha256:([0-9a-f]+)", entry)))
        for head, entry in found
        if head
    )


def entries(lock: str, wanted: Callable[[str], bool]) -> str:
    """The requirements of a lock file whose normalised names are `wanted`, with their hashes."""
    heads = ((_HEAD.match(entry), entry) for entry in _entries(lock))
    return "".join(entry for head, entry in heads if head and wanted(normalised(head[1])))


def applying_to(machine: str, lock: str, python: str) -> str:
    """The requirements of a lock file whose environment markers hold on that machine with that Python (major
    and minor version); pip would evaluate them for this computer.
    """
    from packaging.markers import Marker

    there = {
        "implementation_name": "cpython", "os_name": "posix", "platform_machine": machine,
        "platform_python_implementation": "CPython", "platform_system": "Linux", "python_version": python,
        "python_full_version": f"{python}.2", "sys_platform": "linux",
    }  # fmt: skip
    kept = []
    for entry in _entries(lock):
        head, newline, hashes = entry.partition("\n")
        requirement, semicolon, rest = head.partition(";")
        condition = rest.rstrip().rstrip("\\").strip()
        if not semicolon:
            kept.append(entry)
        elif Marker(condition).evaluate(there):
            kept.append(f"{requirement.rstrip()} \\{newline}{hashes}")
    return "".join(kept)


def _entries(lock: str) -> Iterator[str]:
    return (each for each in re.split(r"^(?=\S)", lock, flags=re.MULTILINE) if each.strip())
