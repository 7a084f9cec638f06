"""Deaths of the remote side and cuts of the power at random moments of deploys and boots, with writes that
arrive torn and in another order, bits that flip on the disk, releases that do not start, and such that start
until the next boot:

    python -m tests.host.ship.crashes --crashes 2000

After each crash the computer boots a release that is complete and has been healthy on trial, at the latest
the third time, or goes on with what ran; then the next deploy makes its own release current, with every byte
right.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from host.boot.records import read_count
from host.ship.release import Release
from host.ship.running import DeployRefused
from host.ship.target.device_rules import I2C_RULES
from host.ship.target.supervise import OPT, SERVICE
from host.ship.target.system_files import SystemFiles
from host.ship.whole import MANIFEST, is_complete, is_whole_release, sha256_of
from tests.host.ship.disk import Recording, written
from tests.host.ship.in_process import assert_whole, call, checkout, deploy, replace_programs
from tests.host.ship.recorder import recorded
from tests.host.ship.stand_in import BROKEN, LATE, Computer, Systemd, in_memory

KEPT = (0.0, 0.1, 0.5, 0.9)
"""Probabilities that an unsynced change is on the disk after a cut."""
BOOTS = 0.25
"""Share of the steps that are boots."""
CRASHES_OF = 6
"""Crashes of each recorded deploy."""


class Walk:
    """Deploys one after another, each with crashes."""

    def __init__(self, folder: Path, seed: int) -> None:
        """folder: on a file system in memory, or everything takes long."""
        self.chance = random.Random(seed)
        self.counted: Counter[str] = Counter()
        self._folder = folder
        self._number = 0
        self._good = [checkout(folder, name, f"venv-{name[0]}") for name in ("a1", "a2", "b1", "b2")]
        self._late = [checkout(folder, f"late{venv} {LATE}", f"venv-{venv}") for venv in "ab"]
        self._bad = [checkout(folder, f"bad{venv} {BROKEN}", f"venv-{venv}") for venv in "ac"]
        self._computer = Computer(folder / "board")
        self._deploy(self._computer, self._good[0])
        self._deploy(self._computer, self._good[2])

    def step(self) -> None:
        """A recorded deploy or rollback, perhaps on a damaged disk, and crashes in it; goes on from one."""
        before = self._computer
        if self.chance.random() < 0.4:
            self._damage(before)
        damaged = before.damaged
        release = self.chance.choice([*self._good, *self._good, *self._bad, *self._late])
        starts_with = before.mark
        with recorded(before.prefix) as recorder:
            before.recorder = recorder
            recorder.mark(starts_with)
            kind, doing = self.chance.random(), "boots"
            current = (before.prefix / OPT[1:] / "current").resolve().name
            if current in {each.name for each in self._late}:
                kind = self.chance.choice((0.0, kind))  # a boot, in which it gives way
            if kind < BOOTS:
                self._boot(before)
            elif kind < 0.45:
                doing = "rollbacks"
                self._roll_back(before)
            else:
                doing = "deploys"
                self._deploy(before, release)
            before.recorder = None
            recording = recorder.finish()
        followed = [before]
        for _ in range(CRASHES_OF):
            dies = kind >= BOOTS and self.chance.random() < 0.3
            followed.append(self._crash(recording, damaged, release, doing, kill=dies))
        self._computer = followed.pop(self.chance.randrange(len(followed)))
        for each in followed:
            shutil.rmtree(each.prefix)

    def _crash(
        self, recording: Recording, damaged: bool, during: Release, doing: str, *, kill: bool
    ) -> Computer:
        """A computer after a crash at a random moment, and after the deploy that follows."""
        cut = self.chance.randint(1, len(recording.changes))  # the first is the mark of what ran before
        kept = 1.0 if kill else self.chance.choice(KEPT)
        self.counted["deaths" if kill else "cuts"] += 1
        self.counted[f"crashes in {doing}"] += 1
        self.counted["of them while old files are deleted"] += recording.deletes(cut)
        self._number += 1
        prefix = self._folder / f"board-{self._number}"
        written(recording.cut(cut, self.chance, kept), prefix)
        units, healthy = recording.marks(cut)[-1]
        computer = Computer(prefix, dict(units), set(healthy))
        what = f"change {cut} of {len(recording.changes)}, {kept=}, {damaged=}, deploy of {during.name}"
        self._see(computer, kill=kill, damaged=damaged, what=what)
        release = self.chance.choice([*self._good, during] if during in self._good else self._good)
        self._deploy(computer, release)
        return computer

    def _see(self, computer: Computer, *, kill: bool, damaged: bool, what: str) -> None:
        """What holds right after a crash."""
        there = computer.prefix / OPT[1:] / "current"
        assert there.is_symlink() and there.is_dir(), f"no current release: {what}"
        name = os.readlink(there).rpartition("/")[2]
        count = read_count(there.parent)
        again = damaged or (count is not None and count.refused and name == count.release)
        assert name in computer.healthy or again, f"{name} was never healthy on trial: {what}"
        computer.healthy.add(name)
        assert damaged or SystemFiles(computer.prefix).linked, f"the system's files are others: {what}"
        assert (there / "host/service" / I2C_RULES).is_file(), f"no rules for the I2C bus: {what}"
        if not kill:
            shutil.rmtree(computer.prefix / "run", ignore_errors=True)
            computer.running.clear()
        if not damaged:
            assert_whole(computer.prefix, [*self._good, *self._late])
            if not kill:
                self._boot(computer, what)
        if kill and not damaged:
            assert computer.running, f"nothing runs: {what}"

    def _boot(self, computer: Computer, what: str = "") -> None:
        """Boots until the service runs."""
        Systemd.computer = computer
        current = computer.prefix / OPT[1:] / "current"
        before = current.resolve().name
        tries = next((number for number in (1, 2, 3) if computer.boot() == ""), 4)
        links = [os.readlink(current.with_name(name)) for name in ("current", "previous")]
        says = f"nothing starts at three boots: {what}, {links}, {read_count(current.parent)}"
        assert computer.damaged or tries < 4, says
        if current.resolve().name != before:
            computer.healthy.add(current.resolve().name)  # before the deploy of the one that failed
            self.counted["gone back by itself"] += 1

    def _begin(self, computer: Computer) -> None:
        """Trials of before do not count, only that of the current release."""
        Systemd.computer = computer
        computer.healthy &= {(computer.prefix / OPT[1:] / "current").resolve().name}
        if computer.recorder:
            computer.recorder.mark(computer.mark)

    def _deploy(self, computer: Computer, release: Release) -> None:
        self._begin(computer)
        if release not in self._bad:
            changed = deploy(computer.prefix, release)
            # A damaged release that this one replaced is repaired only where its files are stored.
            before = computer.prefix / OPT[1:] / "previous"
            computer.damaged = release in self._late and not is_whole_release(before)
            self._right(computer, release, changed=changed)
            return
        with suppress(DeployRefused):
            deploy(computer.prefix, release)
            raise AssertionError("a release that does not start is current")

    def _roll_back(self, computer: Computer) -> None:
        """Back to the release before, which may be damaged or, after a crash, the current one itself."""
        self._begin(computer)
        links = computer.prefix / OPT[1:]
        now, before = ((links / name).resolve().name for name in ("current", "previous"))
        try:
            answer = call(computer.prefix, "rollback", {})
        except DeployRefused:
            self.counted["rollbacks refused"] += 1
            assert (links / "current").resolve().name == now
            return
        self.counted["rollbacks"] += 1
        assert (answer["current"], answer["before"]) == (before, now)
        assert (links / "current").resolve().name == before and (links / "previous").resolve().name == now
        assert is_complete(links / "current", read=True) and is_complete(links / "current/venv", read=True)
        assert computer.running == {SERVICE: before}

    def _right(self, computer: Computer, release: Release, *, changed: bool) -> None:
        """What holds after a deploy that was not interrupted."""
        opt = computer.prefix / OPT[1:]
        assert assert_whole(computer.prefix, [*self._good, *self._late]) is release
        assert computer.running == {SERVICE: release.name} and SystemFiles(computer.prefix).linked
        assert release.name in computer.healthy, f"{release.name} became current without a trial"
        current = opt / "current"
        assert is_complete(current, read=True) and is_complete(current / "venv", read=True)
        for stored in (opt / "store").iterdir():
            if stored.name in release.files_by_sha:
                assert sha256_of(stored) == stored.name
        if changed:
            left = [path.name for path in (*opt.iterdir(), *opt.glob("*/*"))]
            assert not [name for name in left if name.endswith(".part") or name == "incoming"], left
            assert len(list((opt / "releases").iterdir())) <= 2

    def _damage(self, computer: Computer) -> None:
        """Flips a bit of a file that deploys made."""
        opt = computer.prefix / OPT[1:]
        files = [path for path in opt.rglob("*") if path.is_file() and not path.is_symlink()]
        path = self.chance.choice(sorted(each for each in files if each.stat().st_size))
        content = bytearray(path.read_bytes())
        content[self.chance.randrange(len(content))] ^= 1 << self.chance.randrange(8)
        path.write_bytes(content)
        computer.damaged = True
        self.counted[f"flipped bits in {_kind(path.relative_to(opt))}"] += 1


def _kind(path: Path) -> str:
    if path.name == MANIFEST:
        return "manifests"
    return "compiled files" if path.suffix == ".pyc" else path.parts[0]


def walk(folder: Path, crashes: int, seed: int, most_s: float = 1e9) -> Counter[str]:
    """Walks until there were so many crashes or the time is over; what happened how often."""
    end_s = time.monotonic() + most_s
    with pytest.MonkeyPatch.context() as patch:
        replace_programs(patch, Systemd)
        patch.setattr(os, "sync", lambda: None)
        patch.setattr(os, "fsync", lambda descriptor: None)
        steps = Walk(folder, seed)
        while steps.counted["deaths"] + steps.counted["cuts"] < crashes and time.monotonic() < end_s:
            steps.step()
            steps.counted["deploys"] += 1 + CRASHES_OF
    return steps.counted


def main() -> int:
    """The command; prints what happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crashes", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-s", type=float, default=1e9, help="ends after that many seconds")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=in_memory()) as folder:
        counted: Any = walk(Path(folder), options.crashes, options.seed, options.most_s)
    print("; ".join(f"{name}: {count}" for name, count in sorted(counted.items())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
