"""A headband's computer in a folder: the real remote side, a stand-in for systemctl, and a small application
that says READY with the real `host.system.systemd_notify`.
"""

from __future__ import annotations

import atexit
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from host.ship.deploying import AppDeploy, Deployed
from host.ship.release import ROOT, Environment, ReleaseFile, application
from host.ship.remote import LOADER, RECEIVER, RemoteError, Signed, call_program
from host.ship.signing import SigningKey, find_key
from host.ship.target.access import SOURCE

HERE = Path(__file__).parent
APP = """
import json, sys, time
from contextlib import suppress
from pathlib import Path
from host.system.systemd_notify import Notifier
if sys.argv[1] == "status":
    if {refuses!r}:
        print({refuses!r}, file=sys.stderr)
        sys.exit(2)
    print(json.dumps({{"battery": json.loads(Path({battery!r}).read_text())}}))
    sys.exit()
{begin}
notifier = Notifier()
notifier.status({status!r})
{after}
time.sleep(600)
"""


class LocalRemote:
    """Runs the remote side here, in a separate process that can be killed."""

    def __init__(
        self, prefix: Path, *, most_bytes: int | None = None, inside: Sequence[str] = (), python: str = ""
    ) -> None:
        """most_bytes: size limit of files, to simulate a full disk. inside, python: command that runs a
        program in another root, and the Python there.
        """
        self.prefix = prefix
        self.inside = list(inside)
        self.python = python or sys.executable
        self.most_bytes = most_bytes
        self.verbs: list[str] = []
        self.timeout_s = 20.0
        """Time limit within which a service must be ready."""
        self.cut_after_s: float | None = None
        """Kills each call's process that long after `begun_s`."""
        self.begun_s = 0.0
        self.pid = 0

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables of every program there."""
        return {
            "PATH": f"{self.prefix}/bin:/usr/bin:/bin",
            "SYSTEMCTL_PREFIX": str(self.prefix),
            "SYSTEMCTL_TIMEOUT_S": str(self.timeout_s),
        }

    def run(
        self, verb: str, signed: Signed, files: Iterable[ReleaseFile], say: Callable[[str], None]
    ) -> dict[str, Any]:
        self.verbs.append(verb)
        receiver = RECEIVER.read_bytes()
        call = receiver + signed.call(verb)
        words = [*self.inside, self.python, "-I", "-c", LOADER, str(len(receiver)), str(self.prefix)]
        timer: threading.Timer | None = None

        def begin() -> None:
            os.setsid()
            if self.most_bytes is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (self.most_bytes, self.most_bytes))

        def started(pid: int) -> None:
            nonlocal timer
            self.pid = pid
            if self.cut_after_s is not None:
                left_s = self.begun_s + self.cut_after_s - time.monotonic()
                timer = threading.Timer(max(0.0, left_s), _kill, [pid])
                timer.start()

        try:
            code, answer, errors = call_program(
                words, call, files, say, started=started, env=self.environment, preexec_fn=begin
            )
        finally:
            if timer is not None:
                timer.cancel()
        if answer is None:
            raise RemoteError(f"ended early with {code}: {errors}")
        return answer


def new_key() -> SigningKey:
    """A new key of ssh."""
    file = Path(mkdtemp(prefix="headband-key-")) / "id_ed25519"
    atexit.register(shutil.rmtree, file.parent)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
    return find_key(file, [])


@cache
def signing_key() -> SigningKey:
    """The key with which deploys to a computer in a folder are signed."""
    return new_key()


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def until(holds: Callable[[], bool], within_s: float = 20.0) -> None:
    """Waits until a condition holds; fails after a time limit."""
    end_s = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < end_s
        time.sleep(0.05)


class Bench:
    """The computer, and checkouts to deploy to it."""

    def __init__(self, folder: Path, *, inside: Sequence[str] = (), python: str = "") -> None:
        """inside, python: as of `LocalRemote`."""
        self.prefix = folder / "board"
        (self.prefix / "bin").mkdir(parents=True)
        for name in ("modprobe", "systemd-sysusers", "udevadm", "systemd-tmpfiles", "journalctl"):
            quiet = self.prefix / "bin" / name
            quiet.write_text(f'#!/bin/sh\necho "{name} $*" >> {self.prefix}/calls\n')
            quiet.chmod(0o755)
        fake = self.prefix / "bin/systemctl"
        self.remote = LocalRemote(self.prefix, inside=inside, python=python)
        program = shutil.copy(HERE / "systemctl.py", self.prefix / "systemctl.py")
        fake.write_text(
            '#!/bin/sh\n[ "$1" != daemon-reload ] || exit 0\n'
            f'exec {self.remote.python} -S -E {program} "$@"\n'
        )
        fake.chmod(0o755)
        self.said: list[str] = []
        self._folder = folder
        self._battery = folder / "battery.json"
        self.set_battery(80)

    def set_battery(self, percent: int | None, charging: bool = False, problem: str | None = None) -> None:
        self._battery.write_text(json.dumps({"percent": percent, "charging": charging, "problem": problem}))

    def checkout(
        self, name: str, begin: str = "", after: str = "", status: str = "listening", more: bytes = b"",
        refuses: str = "",
    ) -> Path:  # fmt: skip
        """A checkout of an application that does `begin` before it is ready and `after` afterwards. refuses:
        its error for unusable settings.
        """
        root = self._folder / name
        (root / "host/service").mkdir(parents=True)
        for path in (ROOT / "host/service").iterdir():
            shutil.copy(path, root / "host/service")
        for package in ("host", "host/system", "power", "power/policy", "power/placement"):
            (root / package).mkdir(exist_ok=True)
            (root / package / "__init__.py").touch()
        of_placement = (f"power/placement/{name}.py" for name in ("ahead", "choice", "table"))
        for module in (
            "host/system/systemd_notify.py",
            "host/states.py",
            "power/policy/plan.py",
            *of_placement,
        ):
            shutil.copy(ROOT / module, root / module)
        (root / SOURCE).parent.mkdir(parents=True)
        shutil.copy(ROOT / SOURCE, root / SOURCE)
        battery = str(self._battery)
        text = APP.format(begin=begin, after=after, status=status, battery=battery, refuses=refuses)
        (root / "host/__main__.py").write_text(f"# {name}\n{text}")
        (root / "models").mkdir()
        (root / "models/weights.bin").write_bytes(more)
        return root

    def deploy(
        self, root: Path, *, cut_on_trial: bool = False, settled_s: float = 0.0, venv: str = ""
    ) -> Deployed:
        """cut_on_trial: the remote side is killed while the new release runs on trial. venv: another name
        makes another environment.
        """

        def say(text: str) -> None:
            self.said.append(text)
            if cut_on_trial and "on trial" in text:
                states = self.prefix / "run/units"
                until(
                    lambda: any(
                        "listening" in state.read_text() for state in states.glob("headband-trial-*.service")
                    )
                )
                _kill(self.remote.pid)

        deploy = self.app(say, settled_s=settled_s, commit="c0ffee")
        return deploy.run(application(root), lambda machine, python: Environment({}, {}, {}, venv), "rk3566")

    def rollback(self) -> None:
        """Makes the release before the current one again."""
        self.app(self.said.append).rollback()

    def app(self, say: Callable[[str], None], *, settled_s: float = 0.0, **how: Any) -> AppDeploy:
        """What deploys to this computer, signed with the one key."""
        key = how.pop("key", lambda known: signing_key())
        return AppDeploy(self.remote, say, key, healthy_s=60.0, settled_s=settled_s, **how)

    def ctl(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.remote.inside, str(self.prefix / "bin/systemctl"), *words],
            env=self.remote.environment,
            capture_output=True,
            text=True,
        )

    @property
    def runs(self) -> bool:
        return self.ctl("is-active", "headband.service").returncode == 0

    @property
    def pid(self) -> int:
        return int((self.prefix / "run/units/headband.service").read_text().splitlines()[0])

    @property
    def current(self) -> str | None:
        link = self.prefix / "opt/headband/current"
        return link.readlink().name if link.is_symlink() else None

    def power_cut(self) -> None:
        """Simulates a power cut: ends all processes and empties /run."""
        self.ctl("stop", "headband.service")
        for unit in (self.prefix / "run/units").glob("headband-trial-*.service"):
            self.ctl("stop", unit.name)
        shutil.rmtree(self.prefix / "run", ignore_errors=True)

    def boot(self) -> bool:
        """Boots; returns whether the service starts."""
        (self.prefix / "run").mkdir(parents=True, exist_ok=True)
        return self.ctl("start", "headband.service").returncode == 0 and self.runs

    def close(self) -> None:
        self.power_cut()
