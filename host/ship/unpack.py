"""Unpacks wheels into a Python environment, by the binary distribution format. Sent to the headband's
computer: standard library only. (pip, run from its own wheel, does the same, but takes longer to start than
this takes.)
"""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

SCHEMES = {"purelib": "", "platlib": "", "data": "../../..", "scripts": "../../../bin"}
"""Targets of a wheel's `.data` folders, relative to site-packages; the first line of scripts is not changed.
"""


class BadWheel(Exception):
    """The wheel has a path outside the environment or in a folder that the format does not define."""


def unpack(wheel: Path, venv: Path) -> None:
    """Unpacks one wheel. Raises `BadWheel`."""
    site = next(venv.glob("lib/python3*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if member.is_dir():
                continue
            path = site / _place(wheel, member.filename)
            path.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, open(path, "wb") as target:
                shutil.copyfileobj(source, target)
            if member.external_attr >> 16 & 0o111:
                path.chmod(0o755)


def _place(wheel: Path, name: str) -> str:
    if name.startswith("/") or ".." in name.split("/"):
        raise BadWheel(f"{wheel.name} holds {name}, which is outside of it")
    folder, _, rest = name.partition("/")
    if not folder.endswith(".data"):
        return name
    scheme, _, rest = rest.partition("/")
    if scheme not in SCHEMES:
        raise BadWheel(f"{wheel.name} holds {name}, which belongs nowhere")
    return f"{SCHEMES[scheme]}/{rest}".lstrip("/")
