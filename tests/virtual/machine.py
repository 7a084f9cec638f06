"""The virtual board while it runs: a full system under QEMU whose sshd answers on loopback.

Its disk is an overlay over the built root, which stays as built. A kill of the emulator is a cut of the
power: its memory is lost, what it wrote to the disk stays. Nothing outside can be reached from it.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.virtual.usbredir import Device, Port

NAME = "virtual-board"
EMULATOR = "qemu-system-aarch64"
MEMORY_MIB = 2048
CORES = 4
"""Of the headband; as many of them are emulated as this process may use, and two at least."""
_CPUS = ("cortex-a55", "cortex-a76")
"""The headband's own, else the oldest that QEMU has with the same instructions."""
TRIES, PAUSE_S = 8, 5.0
"""How often ssh is tried, and the pause between: an emulated sshd on a busy computer is late now and then."""
_CONNECT_S = 30
_CONSOLE_LINES = 40
_BEGUN = "begun on the virtual board"
"""What a command says first: without it, ssh did not get so far, and the command may be sent again."""
_BOOT = (
    "root=/dev/vda rootfstype=ext4 rw console=ttyAMA0 quiet loglevel=3 systemd.show_status=0 "
    "net.ifnames=0 rcupdate.rcu_cpu_stall_suppress=1"
)


class VirtualBoardError(Exception):
    """It can't be built, or does not come up; the text is for the person."""


@dataclass(frozen=True)
class Root:
    """What is built once and never written to again."""

    folder: Path

    @property
    def disk(self) -> Path:
        """A raw ext4 file system."""
        return self.folder / "root.ext4"

    @property
    def kernel(self) -> Path:
        """As it is booted directly."""
        return self.folder / "vmlinuz"

    @property
    def initrd(self) -> Path:
        """Only what mounts the root."""
        return self.folder / "initrd.img"

    @property
    def key(self) -> Path:
        """The private key that root's account there accepts."""
        return self.folder / "id_ed25519"


def cpu() -> str:
    """The processor that is emulated. Raises `VirtualBoardError` where there is none."""
    if shutil.which(EMULATOR) is None:
        raise VirtualBoardError(f"There is no {EMULATOR} (Debian: apt install qemu-system-arm).")
    words = [EMULATOR, "-M", "virt", "-cpu", "help"]
    known = set(re.findall(r"[\w-]+", subprocess.run(words, capture_output=True, text=True).stdout))
    for name in _CPUS:
        if name in known:
            return name
    raise VirtualBoardError(f"This {EMULATOR} has none of {', '.join(_CPUS)}.")


class Machine:
    """One board: its disk and, while it is on, its emulator."""

    def __init__(self, root: Root, folder: Path) -> None:
        """`folder`: for its own disk and log."""
        self._root = root
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._plugged: Port | None = None
        self.port = _free_port()
        folder.mkdir(parents=True, exist_ok=True)
        self.ssh_config.write_text(
            f"Host {NAME}\n  HostName 127.0.0.1\n  Port {self.port}\n  User root\n"
            f"  IdentityFile {root.key}\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n"
            f"  UserKnownHostsFile {folder / 'known_hosts'}\n  LogLevel ERROR\n"
        )

    @property
    def ssh_config(self) -> Path:
        """For `ssh -F`: knows this board by the name `virtual-board`."""
        return self._folder / "ssh_config"

    @property
    def console(self) -> Path:
        """What the kernel and systemd say there."""
        return self._folder / "console.log"

    @property
    def disk(self) -> Path:
        """Its own, over the built root."""
        return self._folder / "disk.qcow2"

    def blank(self) -> None:
        """A disk as the root was built, nothing deployed. Raises `VirtualBoardError`."""
        self.disk.unlink(missing_ok=True)
        form = ("-f", "qcow2", "-F", "raw", "-b", self._root.disk)
        made = subprocess.run(
            ["qemu-img", "create", "-q", *form, self.disk], capture_output=True, text=True, check=False
        )
        if made.returncode:
            raise VirtualBoardError(f"Its disk can't be made: {made.stderr.strip()}.")

    def plug(self, device: Device) -> None:
        """Into its USB port, from the next power-on on."""
        self._plugged = Port(self._folder / "usb", device)

    def on(self) -> None:
        """Power. Returns at once."""
        assert self._process is None
        cores = max(2, min(CORES, len(os.sched_getaffinity(0))))
        disk = f"if=none,id=disk,format=qcow2,file={self.disk}"
        words = [
            EMULATOR, "-M", "virt,gic-version=3", "-cpu", cpu(), "-smp", cores, "-m", MEMORY_MIB,
            "-accel", "tcg,thread=multi", "-kernel", self._root.kernel, "-initrd", self._root.initrd,
            "-append", _BOOT, "-drive", disk, "-device", "virtio-blk-pci,drive=disk",
            "-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:22",
            "-device", "virtio-net-pci,netdev=net,romfile=", "-device", "virtio-rng-pci",
            "-display", "none", "-monitor", "none", "-serial", f"file:{self.console}", "-nodefaults",
        ]  # fmt: skip
        if self._plugged:
            words += ["-device", "qemu-xhci", "-chardev", f"socket,id=usb,path={self._folder / 'usb'}"]
            words += ["-device", "usb-redir,chardev=usb"]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(list(map(str, words)), stdin=quiet, stdout=quiet)

    def cut(self) -> None:
        """The power is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def until_off(self) -> None:
        """Returns when it has switched itself off."""
        if self._process is not None:
            self._process.wait()

    def off(self) -> None:
        """Shut down in order; the power is cut where that takes too long."""
        if self._process is not None and self._process.poll() is not None:
            self._process = None
        if self._process is not None:
            with suppress(VirtualBoardError):  # out of reach
                self.call("systemctl poweroff", check=False)
            try:
                self._process.wait(120)
                self._process = None
            except subprocess.TimeoutExpired:
                self.cut()

    def wait(self, patience_s: float = 400.0) -> float:
        """Until sshd lets one in; seconds that took. Raises `VirtualBoardError`."""
        begin_s = time.monotonic()
        while time.monotonic() - begin_s < patience_s:
            self._check_on()
            with suppress(VirtualBoardError):  # let in, and nothing came of it
                if not isinstance(self._once("true", 60.0), str):
                    return time.monotonic() - begin_s
            time.sleep(0.5)
        raise VirtualBoardError(f"It did not boot within {patience_s:g} s.")

    def call(
        self, command: str, *, check: bool = True, patience_s: float = 300.0, send: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Runs a shell command there, with `send` as its input. Where ssh is not let in, it is tried again; a
        command that has begun never is. Raises `VirtualBoardError` when it can't begin, or does not end
        within `patience_s`, or fails and `check` is set.
        """
        until_s = time.monotonic() + patience_s
        tries = 0
        while tries < TRIES:
            tries += 1
            self._check_on()
            done = self._once(command, max(0.1, until_s - time.monotonic()), send)
            if not isinstance(done, str):
                if check and done.returncode:
                    raise VirtualBoardError(
                        f"{command!r} failed there: {(done.stderr or done.stdout).strip()}"
                    )
                return done
            if time.monotonic() >= until_s:
                break
            time.sleep(PAUSE_S)
        raise VirtualBoardError(f"It can't be reached by ssh, {tries} times: {done}.")

    def last_words(self) -> list[str]:
        """The end of its console."""
        text = self.console.read_text(errors="replace") if self.console.exists() else ""
        return text.splitlines()[-_CONSOLE_LINES:]

    def _check_on(self) -> None:
        if self._process is None or self._process.poll() is not None:
            raise VirtualBoardError("The board is off." if self._process is None else "The emulator ended.")

    def _once(
        self, command: str, patience_s: float, send: str = ""
    ) -> subprocess.CompletedProcess[str] | str:
        """The command's end; or ssh's last words where it did not begin."""
        options = ("-o", "BatchMode=yes", "-o", f"ConnectTimeout={_CONNECT_S}")
        words = ["ssh", "-F", str(self.ssh_config), *options, NAME, f"echo '{_BEGUN}' >&2\n{command}"]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=patience_s, check=False, input=send
            )
        except subprocess.TimeoutExpired as error:
            if _BEGUN.encode() in (error.stderr or b""):
                raise VirtualBoardError(f"{command!r} did not end there in time.") from None
            return f"no answer within {patience_s:.0f} s"
        before, begun, after = done.stderr.partition(f"{_BEGUN}\n")
        if not begun:
            return (before.strip().splitlines() or [f"ssh ended with {done.returncode}"])[-1].strip(". \r")
        done.stderr = before + after
        return done

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *error: object) -> None:
        self.cut()
        if self._plugged:
            self._plugged.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
