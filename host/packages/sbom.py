"""A bill of materials of one release, as CycloneDX 1.5 in JSON: the application and the Python packages that
it brings, each with version, licence and the SHA-256 of the file that is sent. Equal contents give equal
texts, so no time and no commit is in it.
"""

from __future__ import annotations

import email
import json
import tarfile
import uuid
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any

from host.packages.locks import normalised
from host.packages.notice import licence_from

_NAMESPACE = uuid.UUID("a3c1a1de-5d0e-4c39-9c6b-0b5f2a6a7f10")
"""Of the serial numbers, which follow from the contents."""


@dataclass(frozen=True, order=True)
class Component:
    """A package in a release."""

    name: str
    """Normalised."""
    version: str
    licence: str
    """What it says itself; "" for nothing."""
    sha256: str
    """Of the wheel, or of the source archive that a headband compiles."""


class NoMetadata(Exception):
    """The file is neither a wheel nor a source archive of Python's; one sentence."""


def component(file: Path, sha256: str) -> Component:
    """The package in a wheel or a source archive. Raises `NoMetadata`."""
    try:
        about = _metadata(file)
        return Component(normalised(about["Name"]), about["Version"], licence_from(about), sha256)
    except (OSError, StopIteration, TypeError, zipfile.BadZipFile, tarfile.TarError):
        raise NoMetadata(f"{file.name} doesn't say what package it is.") from None


def _metadata(file: Path) -> Message:
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            name = next(each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
            return email.message_from_bytes(archive.read(name))
    with tarfile.open(file) as archive:
        member = next(each for each in archive if each.name.partition("/")[2] == "PKG-INFO")
        text = archive.extractfile(member)
        return email.message_from_bytes(text.read() if text else b"")


def bill(version: str, packages: Iterable[Component], left_out: Iterable[str] = ()) -> str:
    """The bill of materials. version: of the application; left_out: patterns of the packages' files that are
    not installed.
    """
    found = sorted(packages)
    main: dict[str, Any] = {
        "type": "application",
        "bom-ref": "headband",
        "name": "headband",
        "version": version,
        "licenses": [{"license": {"id": "MIT"}}],
    }
    content: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": main,
            "properties": [{"name": "headband:files-left-out", "value": each} for each in left_out],
        },
        "components": [_entry(each) for each in found],
        "dependencies": [
            {"ref": "headband", "dependsOn": [_purl(each) for each in found]},
            *({"ref": _purl(each)} for each in found),
        ],
    }
    serial = uuid.uuid5(_NAMESPACE, json.dumps(content, sort_keys=True))
    return json.dumps({"serialNumber": f"urn:uuid:{serial}", **content}, indent=1) + "\n"


def _entry(package: Component) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "type": "library",
        "bom-ref": _purl(package),
        "name": package.name,
        "version": package.version,
        "purl": _purl(package),
        "hashes": [{"alg": "SHA-256", "content": package.sha256}],
    }
    if package.licence:
        entry["licenses"] = [{"license": {"name": package.licence}}]
    return entry


def _purl(package: Component) -> str:
    return f"pkg:pypi/{package.name}@{package.version}"
