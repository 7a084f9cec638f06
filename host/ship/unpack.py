"""Unpacks wheels into a Python environment, by the binary distribution format. Sent to the headband's
computer: standard library only. (pip, run from its own wheel, does the same, but takes longer to start than
this takes.)
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path

SCHEMES = {"purelib": "", "platlib": "", "data": "../../..", "scripts": "../../../bin"}
"""Targets of a wheel's `.data` folders, relative to site-packages; the first line of scripts is not changed.
"""


class BadWheel(Exception):
    """The wheel has a path outside the environment, one that leads through a link or to a file that exists,
    or one in a folder that the format does not define.
    """


def is_left_out(path: str, patterns: Iterable[str], kept: Iterable[str]) -> bool:
    """Whether a file of a wheel is not installed, by its path in site-packages: a pattern is that of it (`*`
    matches slashes as well), and it is none of those that are kept.
    """
    return any(fnmatchcase(path, each) for each in patterns) and path not in kept


def unpack(wheel: Path, venv: Path, left_out: Callable[[str], bool] = lambda path: False) -> None:
    """Unpacks one wheel, without the files that are `left_out` by their path in site-packages. Raises
    `BadWheel`.
    """
    venv = Path(os.path.abspath(venv))
    site = next(venv.glob("lib/python3*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if member.filename.endswith("/"):
                continue
            place = _place(wheel, member.filename)
            if left_out(place):
                continue
            path = Path(os.path.normpath(site / place))
            if _link_above(path, venv):
                raise BadWheel(f"{wheel.name} holds {member.filename}, which leads through a link")
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                # Exclusive: `bin/python` is a link to the system's interpreter, and is not written through.
                with archive.open(member) as source, open(path, "xb") as target:
                    shutil.copyfileobj(source, target)
            except (FileExistsError, NotADirectoryError, IsADirectoryError):
                raise BadWheel(f"{wheel.name} holds {member.filename}, which is there already") from None
            if member.external_attr >> 16 & 0o111:
                path.chmod(0o755)


def _link_above(path: Path, venv: Path) -> bool:
    """Whether a folder between the environment and a path in it is a symbolic link, such as `lib64`."""
    within = path.relative_to(venv).parents
    return any((venv / folder).is_symlink() for folder in within if folder != Path("."))


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
