"""Cuts of the power at every write and sync of a store, with writes that arrive torn and in another order:

    python -m tests.host.memory.crashes --states 12109

The system calls of `tests.host.memory.crash_work` are recorded by strace. From any beginning of them a disk
is made that keeps what was synced and, of the rest, any part: whole writes, beginnings of writes, or nothing.
The store has to open on it with every view that was said to be remembered, at full depth where that was
said, none that was said to be forgotten, and none half; with the activations of those that were stored with
one, and none of a view that is forgotten or at full depth. A disk that was made before, after the same
promises, counts once.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from host.memory.store import MemoryStore
from host.memory.values import Verified
from tests.host.memory.bench import at, direction, shown, store, view
from tests.host.memory.crash_work import WHOLE

KEPT = (0.0, 0.2, 0.5, 0.8, 1.0)
"""Probabilities that a change that was not synced is on the disk."""
MOST_CUTS = 40
"""Cuts for each different disk that is wanted, at most."""
TOLD_EVERY = 1000
_CALLS = "openat,pwrite64,write,fsync,fdatasync,ftruncate,unlink,unlinkat,rename,renameat"
_LINE = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)")
_FILE = re.compile(r"^\d+<([^>]*)>")


@dataclass(frozen=True)
class Op:
    """One change. kind: write, cut (to a length), sync, create, rename, unlink, names (a sync of the folder),
    mark.
    """

    kind: str
    name: str = ""
    """For a rename the new one."""
    inode: int = 0
    offset: int = 0
    data: bytes = b""
    """For a rename the old name."""


def record(folder: Path) -> list[Op]:
    """Runs the work under strace; its changes in order."""
    root, log = folder / "disk", folder / "strace.log"
    root.mkdir()
    command = ["strace", "-f", "-qq", "-y", "-xx", "-s", "1000000", "-e", f"trace={_CALLS}", "-o", str(log)]
    work = [sys.executable, "-m", "tests.host.memory.crash_work", str(root)]
    subprocess.run([*command, *work], check=True, stdout=subprocess.DEVNULL, cwd=Path(__file__).parents[3])
    return list(parsed(log.read_text(), root))


def parsed(log: str, root: Path) -> Iterator[Op]:
    """The changes of files in a folder."""
    inodes: dict[str, int] = {}
    last = 0
    for line in log.splitlines():
        found = _LINE.match(line)
        if found is None or int(found[3]) < 0:
            continue
        call, arguments = found[1], found[2]
        file = _FILE.match(arguments)
        path = _text(file[1]) if file else ""
        name = Path(path).name if Path(path).parent == root else ""
        if name.endswith("-shm"):
            continue
        if call == "openat":
            named = _text(arguments.split('"')[1])
            name = Path(named).name
            here = Path(named).parent == root and not name.endswith("-shm")
            if here and "O_CREAT" in arguments and name not in inodes:
                last += 1
                inodes[name] = last
                yield Op("create", name, last)
        elif call in ("unlink", "unlinkat"):
            named = _text(arguments.split('"')[1])
            if inodes.pop(Path(named).name, None) is not None:
                yield Op("unlink", Path(named).name)
        elif call in ("rename", "renameat"):
            old, new = (Path(_text(each)).name for each in arguments.split('"')[1::2])
            if old in inodes:
                inodes[new] = inodes.pop(old)
                yield Op("rename", new, inodes[new], data=old.encode())
        elif call == "write" and arguments.startswith("1<"):
            yield Op("mark", data=_bytes(arguments.split('"')[1]))
        elif call == "write" and name in inodes:  # one for the whole file
            yield Op("write", name, inodes[name], 0, _bytes(arguments.split('"')[1]))
        elif call in ("fsync", "fdatasync") and path == str(root):
            yield Op("names")
        elif name in inodes and call in ("fsync", "fdatasync"):
            yield Op("sync", name, inodes[name])
        elif name in inodes and call == "ftruncate":
            yield Op("cut", name, inodes[name], int(arguments.rsplit(",", 1)[1]))
        elif name in inodes and call == "pwrite64":
            offset = int(arguments.rsplit(",", 1)[1])
            yield Op("write", name, inodes[name], offset, _bytes(arguments.split('"')[1]))


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _text(text: str) -> str:
    return _bytes(text).decode() if text.startswith("\\x") else text


def after_cut(ops: list[Op], cut: int, chance: random.Random, kept: float) -> dict[str, bytes]:
    """The files on the disk when the power is cut after the first `cut` changes."""
    before = ops[:cut]
    synced: dict[int, int] = {}
    names_until = 0
    for index, op in enumerate(before):
        if op.kind == "sync":
            synced[op.inode] = index
        elif op.kind == "names":
            names_until = index
    content: dict[int, bytearray] = {}
    names: dict[str, int] = {}
    for index, op in enumerate(before):
        if op.kind in ("write", "cut"):
            sure = index < synced.get(op.inode, -1)
            if sure or chance.random() < kept:
                _apply(op, content.setdefault(op.inode, bytearray()), None if sure or kept == 1 else chance)
        elif op.kind in ("create", "rename", "unlink") and (index < names_until or chance.random() < kept):
            if op.kind == "unlink":
                names.pop(op.name, None)
            else:
                names.pop(op.data.decode(), None)
                names[op.name] = op.inode
    return {name: bytes(content.get(inode, b"")) for name, inode in names.items()}


def _apply(op: Op, content: bytearray, torn: random.Random | None) -> None:
    if op.kind == "cut":
        del content[op.offset :]
        content.extend(bytes(op.offset - len(content)))
        return
    data = op.data
    if torn is not None and torn.random() < 0.5:
        data = data[: torn.choice((torn.randint(0, len(data)), len(data) // 512 * 256))]
    content.extend(bytes(max(0, op.offset + len(data) - len(content))))
    content[op.offset : op.offset + len(data)] = data


def check(files: dict[str, bytes], said: list[bytes], pending: set[int], folder: Path) -> None:
    """Opens the store that is left, and asserts what it promised. pending: views that are being forgotten, of
    which either all are there or none.
    """
    for name, data in files.items():
        (folder / name).write_bytes(data)
    there, gone = promised(said)
    opened: MemoryStore = store(folder)
    try:
        depths = {row.number: row.depth for row in opened.rows(at(1000.0))}
        numbers = set(depths)
        assert there - pending <= numbers, f"lost {there - pending - numbers}"
        assert not numbers & gone, f"back again {numbers & gone}"
        assert numbers & pending in (set(), pending), "a part of them is forgotten"
        assert len(numbers - there) <= 1, "at most the one that was being written"
        deep = {int(each) for line in said if line.startswith(b"=") for each in line[1:].split()}
        assert all(depths[number] == WHOLE for number in deep & numbers), "a place is lost"
        assert opened.verify() == Verified([], [], []), "damaged"
        stored = {number for number, depth in depths.items() if number % 2 and depth < WHOLE}
        assert {n for n in numbers if opened.activation(n, "e") is not None} == stored, "activations"
        assert opened.status(at(1000.0)).activations == len(stored), "one is left of a view that is gone"
        assert all(opened.picture(number) == view(number).jpeg for number in numbers)
        for number, depth in depths.items():
            looked = number % 3 == 0 or depth == WHOLE
            assert opened.things(number) == (shown(number) if looked else None), "things"
        found = opened.search(direction(1), "e", 100, at(1000.0))
        assert {match.row.number for match in found} == numbers, "the scan differs from the rows"
    finally:
        opened.close()


def promised(said: list[bytes]) -> tuple[set[int], set[int]]:
    """What must be there, and what must not."""
    there: set[int] = set()
    gone: set[int] = set()
    for line in said:
        if line.startswith(b"="):
            continue
        numbers = {int(each) for each in line[1:].split()}
        there, gone = (there | numbers, gone) if line.startswith(b"+") else (there - numbers, gone | numbers)
    return there, gone


def states(ops: list[Op], seed: int) -> Iterator[tuple[int, float, int]]:
    """Endless (cut, kept, seed), every cut as often as every other."""
    chance = random.Random(seed)
    cuts = list(range(1, len(ops) + 1))
    while True:
        chance.shuffle(cuts)
        for cut in cuts:
            yield cut, chance.choice(KEPT), chance.getrandbits(32)


def forgotten_next(ops: list[Op], cut: int) -> set[int]:
    """The views whose forgetting is under way at a cut."""
    following = next((op.data for op in ops[cut:] if op.kind == "mark"), b"")
    return {int(each) for each in following[1:].split()} if following.startswith(b"-") else set()


@dataclass(frozen=True)
class Walked:
    """different: disks that differ, each checked; cuts: how many were tried to find them."""

    different: int
    cuts: int


def walk(
    ops: list[Op], wanted: int, seed: int, tell: Callable[[Walked], None] = lambda walked: None
) -> Walked:
    """Checks so many different disks, or fewer where `MOST_CUTS` for each do not find them."""
    met: set[bytes] = set()
    cuts = 0
    for cut, kept, number in states(ops, seed):
        if len(met) == wanted or cuts == MOST_CUTS * wanted:
            break
        cuts += 1
        said = [op.data for op in ops[:cut] if op.kind == "mark"]
        files = after_cut(ops, cut, random.Random(number), kept)
        state = repr((len(said), sorted(files.items()))).encode()
        digest = hashlib.sha256(state).digest()
        if digest in met:
            continue
        met.add(digest)
        with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
            try:
                check(files, said, forgotten_next(ops, cut), Path(folder))
            except Exception as error:
                raise AssertionError(
                    f"cut {cut} of {len(ops)}, kept {kept}, seed {number}: {error}"
                ) from error
        if len(met) % TOLD_EVERY == 0:
            tell(Walked(len(met), cuts))
    return Walked(len(met), cuts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--states", type=int, default=12_109, help="different disks (default 12,109)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ops = record(Path(folder))

    def tell(walked: Walked) -> None:
        print(f"{walked.different} different disks of {walked.cuts} cuts", flush=True)

    walked = walk(ops, options.states, options.seed, tell)
    print(
        f"{len(ops)} changes, {walked.cuts} cuts, {walked.different} different disks: every promise is kept"
    )


if __name__ == "__main__":
    main()
