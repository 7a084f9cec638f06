"""The files of boot counting, with a SHA-256 of their own: the guard's count, and the service's proof.

The count belongs to root and is replaced as a whole. The proof is one block that the service's user
overwrites in place: that needs no free disk, so a full disk is not taken for a release that fails.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from host.boot.counting import Count, Proof, Standing, judged, known_before, may_follow, of_release
from models.atomic_file import write_whole

OPT = "opt/headband"
COUNT = "boot.json"
"""Beside the links `current` and `previous`."""
PROOF = "proof.json"
"""In the service's state folder."""
STATE_FOLDER = "var/lib/headband"
Kind = TypeVar("Kind", Count, Proof)
_BLOCK_BYTES = 4096
_LONGEST_REASON = 300
BOOT_ID = "proc/sys/kernel/random/boot_id"


def boot_id(prefix: Path) -> str:
    """The kernel's id of this boot; "unknown" where it can't be read."""
    try:
        return (prefix / BOOT_ID).read_text().strip() or "unknown"
    except OSError:
        return "unknown"


def linked(opt: Path, link: str) -> str | None:
    """The release that `current` or `previous` names; None where there is none."""
    path = opt / link
    return Path(os.readlink(path)).name if path.is_symlink() and path.exists() else None


def release_to_go_back_to(opt: Path, count: Count) -> str | None:
    """The release that may run instead of the current one; None without one."""
    name = linked(opt, "previous")
    return name if may_follow(count, name) else None


def present_count(prefix: Path) -> Count:
    """What is known of the releases below `prefix`, which stands for `/`; the last start is judged."""
    opt = prefix / OPT
    current, count = linked(opt, "current"), read_count(opt)
    if count is None:
        return known_before(current, linked(opt, "previous")) if current else Count()
    if current is None:
        return count
    if count.release == current:
        count = judged(count, read_proof(prefix / STATE_FOLDER / PROOF), boot_id(prefix))
    return of_release(count, current)


def read_count(opt: Path) -> Count | None:
    """The count; None before the first one was written. Of a damaged file every release is new."""
    try:
        text = (opt / COUNT).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return Count()
    try:
        table = _checked(text)
        standings = table["standings"].items()
        known = {str(name): word for name, word in standings if word in get_args(Standing)}
        return _filled(Count, {**table, "standings": known})
    except (ValueError, KeyError, TypeError, AttributeError):
        return Count()


def write_count(opt: Path, count: Count) -> None:
    """Replaces the count and syncs it to the disk. Raises `OSError`."""
    table = {**asdict(count), "standings": dict(count.standings)}
    if not count.failed_boots:  # the guard of an earlier release reads no count that has it
        del table["failed_boots"]
    for leftover in opt.glob(f"{COUNT}.*.new"):  # of a call that was cut
        leftover.unlink(missing_ok=True)
    write_whole(opt / COUNT, _sealed(table), 0o644)


def read_proof(path: Path) -> Proof | None:
    """What the service wrote; None without a whole one. The file belongs to a user whom root does not trust:
    no link is followed, nothing but a regular file is read, and no more than a block.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        proof = _filled(Proof, _checked(os.read(descriptor, _BLOCK_BYTES).decode()))
        # Shown to persons, also in root's terminal.
        said = "".join(each if each.isprintable() else " " for each in proof.self_test)
        return replace(proof, self_test=said[:_LONGEST_REASON])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    finally:
        os.close(descriptor)


def write_proof(path: Path, proof: Proof) -> None:
    """Overwrites the proof and syncs it to the disk. Raises `OSError`."""
    table = {**asdict(proof), "self_test": proof.self_test[:_LONGEST_REASON]}
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.pwrite(descriptor, _sealed(table).encode().ljust(_BLOCK_BYTES), 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sealed(table: Mapping[str, Any]) -> str:
    return json.dumps({**table, "sha256": _digest(table)})


def _checked(text: str) -> dict[str, Any]:
    """The table of a sealed text. Raises `ValueError`, `KeyError` or `TypeError` for any other."""
    table: dict[str, Any] = json.loads(text)
    if table.pop("sha256") != _digest(table):
        raise ValueError("damaged")
    return table


def _digest(table: Mapping[str, Any]) -> str:
    return str(_sha256()(json.dumps(table, sort_keys=True).encode()).hexdigest())


def _sha256() -> Callable[[bytes], Any]:
    """Python's own SHA-256, as `random` takes it: `hashlib` loads OpenSSL, which costs a process 4 MiB."""
    for module in ("_sha2", "_sha256"):  # from Python 3.12 on, and before
        with suppress(ImportError):
            return cast("Callable[[bytes], Any]", import_module(module).sha256)
    from hashlib import sha256  # of a Python that was built without its own

    return sha256


def _filled(kind: type[Kind], table: Mapping[str, Any]) -> Kind:
    """A value of a class whose fields are all of the types of their defaults. Raises `TypeError`."""
    value = kind(**table)
    for name, given in table.items():
        plain = getattr(kind, name, None)
        if plain is not None and type(plain) is not type(given):
            raise TypeError(name)
    if type(value.start) is not int or type(value.release) is not str:
        raise TypeError("start")
    return value
