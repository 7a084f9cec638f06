"""Trials on the virtual board: first and repeated deploys, a broken release, demo and doctor on the board,
and power cuts. Each deploy is `headband deploy` itself, over ssh on loopback.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from host.packages.locks import entries
from host.ship.release import FILES, FOLDERS, ROOT
from host.ship.wheels.debian import Debian
from host.ship.wheels.wheelhouse import wheelhouse
from models.pack.cache import cache_folder
from tests.virtual.firmware import PluggedIn
from tests.virtual.machine import NAME, Machine, VirtualBoardError

BREAK = "\nraise SystemExit('this release is broken')\n"
LISTENS_S = 600.0
"""Time limit for a boot under emulation."""
DEPLOYS = 3


@dataclass(frozen=True)
class Tried:
    """One call of `headband deploy`."""

    seconds: float
    code: int
    said: str


def deploy(
    machine: Machine,
    root: Path = ROOT,
    cut_after_s: float | None = None,
    usb: PluggedIn | None = None,
    to: str = NAME,
) -> Tried:
    """Deploys from a checkout. `cut_after_s`: cuts the board's power that long after the start. `usb`:
    deploys the firmware of the PMU there too, as `just deploy` does. `to`: the board, with the account that
    ssh logs in to. Without a cut, a refused ssh connection is tried again.
    """
    for _ in range(DEPLOYS):
        tried = _deploy(machine, root, cut_after_s, usb, to=to)
        if cut_after_s is not None or tried.code != 1 or "can't be reached by ssh" not in tried.said:
            break
    return tried


def roll_back(machine: Machine, to: str = NAME) -> Tried:
    """`headband deploy --rollback`: the release before runs again. `to`: as of `deploy`."""
    return _deploy(machine, ROOT, None, None, ("--rollback",), to)


def _deploy(
    machine: Machine,
    root: Path,
    cut_after_s: float | None,
    usb: PluggedIn | None,
    more: Sequence[str] = (),
    to: str = NAME,
) -> Tried:
    words = [sys.executable, "-m", "host", "deploy", to, "--board", "emulated",
             "--ssh-config", str(machine.ssh_config), "--key", str(machine.key), "--trust-key",
             *more]  # fmt: skip
    path = str(root)
    if usb is not None:
        words += ["--firmware", "--port", usb.port]
        path = f"{usb.compiler}{os.pathsep}{root}"
    begin_s = time.monotonic()
    with subprocess.Popen(
        words, cwd=root, env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        try:
            if cut_after_s is not None:
                try:
                    process.wait(cut_after_s)
                except subprocess.TimeoutExpired:
                    machine.cut()
            said, _ = process.communicate()
        except BaseException:  # interrupted: ends the deploy
            process.kill()
            raise
    return Tried(time.monotonic() - begin_s, process.returncode, said)


@contextmanager
def variant(number: int, *, broken: bool = False, package: str = "", more: str = "") -> Iterator[Path]:
    """A checkout that differs from this one in one file, or that cannot start. `package` of the development
    lock file is added, so that the environment differs too; `more`: code that the changed file begins with.
    """
    with TemporaryDirectory(prefix="headband-variant-") as folder:
        root = Path(folder)
        for name in FOLDERS:
            skip = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, root / name, ignore=skip, copy_function=os.link, symlinks=True)
        for name in (*FILES, "requirements.lock", "requirements-native.lock", "requirements-build.lock"):
            shutil.copy(ROOT / name, root / name)
        if package:
            lock = (ROOT / "requirements-dev.lock").read_text()
            with open(root / "requirements.lock", "a") as file:
                file.write(entries(lock, lambda name: name == package))
        changed = root / "host/app/on_devices.py"
        text = changed.read_text()
        changed.unlink()  # it is a link into this checkout
        begin, future, rest = text.partition("from __future__ import annotations\n")
        changed.write_text(f"# variant {number}\n{begin}{future}{more}{rest}{BREAK if broken else ''}")
        yield root


def listening(machine: Machine, timeout_s: float = LISTENS_S) -> str:
    """Waits until the service listens; the name of its release. Raises `VirtualBoardError`."""
    until_s = time.monotonic() + timeout_s
    ask = "systemctl show -p StatusText --value headband; basename $(readlink /opt/headband/current)"
    said = [""]
    while time.monotonic() < until_s:
        said = machine.call(ask, check=False).stdout.splitlines() or [""]
        if said[0].startswith("listening"):
            return said[1]
        time.sleep(1.0)
    log = machine.call("journalctl -u headband -n 20 -o cat --no-pager", check=False).stdout
    raise VirtualBoardError(f"The service does not listen ({said[0] or 'it says nothing'}):\n{log}")


def boot_to_listening_s(machine: Machine) -> float:
    """Seconds from the kernel's start to the service's first READY, on the board's own clock."""
    said = machine.call("systemctl show -p ActiveEnterTimestampMonotonic --value headband").stdout
    return int(said) / 1e6


def doctor(machine: Machine) -> tuple[int, list[dict[str, str]]]:
    """Exit status and findings of the doctor on the board."""
    done = machine.call("headband doctor --json", check=False, timeout_s=600.0)
    try:
        return done.returncode, json.loads(done.stdout)["findings"]
    except ValueError:
        raise VirtualBoardError(f"The doctor said nothing there: {done.stderr.strip()}") from None


def demo(machine: Machine) -> Tried:
    """Runs the demo on the board, on emulated devices and without real time."""
    begin_s = time.monotonic()
    call = "headband demo --fast --out /var/lib/headband/demo"
    done = machine.call(call, check=False, timeout_s=3000.0)
    return Tried(time.monotonic() - begin_s, done.returncode, done.stdout + done.stderr)


def service_has_no_network(machine: Machine) -> bool:
    """Checks that the service's network has only a loopback interface, and that systemd filters traffic."""
    pid = machine.call("systemctl show -p MainPID --value headband").stdout.strip()
    links = machine.call(f"nsenter -t {pid} -n ip -o link").stdout.splitlines()
    deny = machine.call("systemctl show -p IPAddressDeny --value headband").stdout.split()
    return [link.split(": ")[1] for link in links] == ["lo"] and sorted(deny) == ["0.0.0.0/0", "::/0"]


def hang(machine: Machine) -> float:
    """Stops the service's program; seconds until systemd's watchdog has it listening again. Raises
    `VirtualBoardError`.
    """
    before = machine.call("systemctl show -p MainPID --value headband").stdout.strip()
    begin_s = time.monotonic()
    machine.call(f"kill -STOP {before}")
    while machine.call("systemctl show -p MainPID --value headband").stdout.strip() in (before, "0"):
        if time.monotonic() - begin_s > LISTENS_S:
            raise VirtualBoardError("The watchdog does not end a service that hangs.")
        time.sleep(1.0)
    listening(machine)
    return time.monotonic() - begin_s


PACKAGES = ("iniconfig", "pluggy", "pathspec", "execnet")
"""Small packages that the application does not need; each one makes a different environment."""
ENVIRONMENTS_OF = 5
"""One in this many cuts is in a deploy that makes a new environment, which takes longest."""


@dataclass(frozen=True)
class Cut:
    """One cut of the power in a deploy."""

    after_s: float
    new_environment: bool
    """Whether the deploy made an environment; otherwise one file had changed."""
    during: str
    """The last line that the deploy printed."""
    too_late: bool
    """Whether the deploy had ended before the cut."""
    before: str
    """The release that listened before."""
    booted: str
    """The release that listened after the next boot."""
    boot_s: float
    """Seconds from power-on until sshd accepted a login."""


@dataclass
class _Kind:
    """Deploys of one kind."""

    whole_s: float
    """Seconds of the last complete deploy."""
    moments: list[float]
    """Times of the next cuts, as shares of that."""


def cut_deploys(
    machine: Machine,
    debian: Debian,
    cuts: int,
    file_s: float,
    environment_s: float,
    say: Callable[[str], None],
    seed: int = 6,
) -> Iterator[Cut]:
    """Cuts the power at random moments of deploys, one in each equal part of a deploy, in random order; after
    each cut the board boots and has to listen. `debian`: the board's. `file_s`: how long a deploy of one
    changed file takes, `environment_s`: one that makes a new environment. Raises `VirtualBoardError` where it
    does not listen.
    """
    chance = random.Random(seed)
    large = cuts // ENVIRONMENTS_OF
    kinds = {False: _Kind(file_s, _moments(cuts - large, chance)),
             True: _Kind(environment_s, _moments(large, chance))}  # fmt: skip
    order = chance.sample([*[True] * large, *[False] * (cuts - large)], cuts)
    before = listening(machine)
    with _wheelhouses() as packages:
        for number, anew in enumerate(order):
            kind = kinds[anew]
            after_s = kind.whole_s * kind.moments.pop()
            with variant(1000 * seed + number, package=packages[0] if anew else "") as root:
                wheelhouse(say, root=root, debian=debian)
                tried = deploy(machine, root, after_s)
            machine.cut()
            if tried.code == 0:
                kind.whole_s = tried.seconds
                packages = (packages[1:] or PACKAGES) if anew else packages
            machine.on()
            boot_s = machine.wait()
            booted = listening(machine)
            during = next((line for line in reversed(tried.said.splitlines()) if "ssh" not in line), "")
            cut = Cut(min(after_s, tried.seconds), anew, during, tried.code == 0, before, booted, boot_s)
            say(
                f"cut {number + 1} of {cuts} after {cut.after_s:.0f} s ({during or 'nothing said yet'}): "
                f"up after {boot_s:.0f} s, {'the old' if booted == before else 'the new'} release listens"
            )
            before = booted
            yield cut


def _moments(count: int, chance: random.Random) -> list[float]:
    """One in each of `count` equal parts of 0..1, in random order."""
    return chance.sample([(part + chance.random()) / count for part in range(count)], count)


@contextmanager
def _wheelhouses() -> Iterator[tuple[str, ...]]:
    """Deletes what is fetched within the block."""
    before = set(cache_folder().glob("wheelhouse-*"))
    try:
        yield PACKAGES
    finally:
        for folder in set(cache_folder().glob("wheelhouse-*")) - before:
            shutil.rmtree(folder)
