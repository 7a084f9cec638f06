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
"""Cores of the headband; emulated are as many as this process may use, at least two."""
_CPUS = ("cortex-a55", "cortex-a76")
"""CPU models by preference: the headband's, else the oldest in QEMU with the same instructions."""
TRIES, PAUSE_S = 8, 5.0
"""Number of tries of ssh, and pause between them: an emulated sshd sometimes answers late."""
_CONNECT_S = 30
_CONSOLE_LINES = 40
_BEGUN = "begun on the virtual board"
"""First output of each command; without it the command has not begun and may be sent again."""
_BOOT = (
    "root=/dev/vda rootfstype=ext4 rw console=ttyAMA0 quiet loglevel=3 systemd.show_status=0 "
    "net.ifnames=0 rcupdate.rcu_cpu_stall_suppress=1"
)


class VirtualBoardError(Exception):
    """The board cannot be built, or does not start; the text is for the person."""


@dataclass(frozen=True)
class Root:
    """Paths of the built image, which is not changed afterwards."""

    folder: Path

    @property
    def disk(self) -> Path:
        """A raw ext4 file system."""
        return self.folder / "root.ext4"

    @property
    def kernel(self) -> Path:
        """The kernel, which QEMU boots directly."""
        return self.folder / "vmlinuz"

    @property
    def initrd(self) -> Path:
        """The initial RAM disk, which only mounts the root."""
        return self.folder / "initrd.img"

    @property
    def key(self) -> Path:
        """The private key for root's account on the board."""
        return self.folder / "id_ed25519"


def cpu() -> str:
    """The CPU model to emulate. Raises `VirtualBoardError` if QEMU has none."""
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
        """`folder`: for the board's disk and log."""
        self._root = root
        self._folder = folder = folder.resolve()
        self._process: subprocess.Popen[bytes] | None = None
        self._plugged: Port | None = None
        self.port = _free_port()
        folder.mkdir(parents=True, exist_ok=True)
        self.ssh_config.write_text(
            f"Host {NAME}\n  HostName 127.0.0.1\n  Port {self.port}\n  User root\n"
            f"  IdentityFile {_for_ssh(root.key)}\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n"
            f"  UserKnownHostsFile {_for_ssh(folder / 'known_hosts')}\n  LogLevel ERROR\n"
        )

    @property
    def key(self) -> Path:
        """The key of ssh that the board lets in; deploys are signed with it."""
        return self._root.key

    @property
    def ssh_config(self) -> Path:
        """Configuration for `ssh -F`, in which the board is `virtual-board`."""
        return self._folder / "ssh_config"

    @property
    def console(self) -> Path:
        """Log of the board's console."""
        return self._folder / "console.log"

    @property
    def disk(self) -> Path:
        """The board's disk, an overlay over the built root."""
        return self._folder / "disk.qcow2"

    def blank(self) -> None:
        """Resets the disk to the built root. Raises `VirtualBoardError`."""
        self.disk.unlink(missing_ok=True)
        form = ("-f", "qcow2", "-F", "raw", "-b", self._root.disk)
        made = subprocess.run(
            ["qemu-img", "create", "-q", *form, self.disk], capture_output=True, text=True, check=False
        )
        if made.returncode:
            raise VirtualBoardError(f"Its disk can't be made: {made.stderr.strip()}.")

    def plug(self, device: Device) -> None:
        """Plugs a device into the USB port; takes effect at the next power-on."""
        self._plugged = Port(self._folder / "usb", device)

    def on(self) -> None:
        """Switches the power on. Returns at once."""
        assert self._process is None
        cores = max(2, min(CORES, len(os.sched_getaffinity(0))))
        disk = f"if=none,id=disk,format=qcow2,file={_for_qemu(self.disk)}"
        words = [
            EMULATOR, "-M", "virt,gic-version=3", "-cpu", cpu(), "-smp", cores, "-m", MEMORY_MIB,
            "-accel", "tcg,thread=multi", "-kernel", self._root.kernel, "-initrd", self._root.initrd,
            "-append", _BOOT, "-drive", disk, "-device", "virtio-blk-pci,drive=disk",
            "-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:22",
            "-device", "virtio-net-pci,netdev=net,romfile=", "-device", "virtio-rng-pci",
            "-display", "none", "-monitor", "none", "-serial", f"file:{self.console}", "-nodefaults",
        ]  # fmt: skip
        if self._plugged:
            usb = f"socket,id=usb,path={_for_qemu(self._folder / 'usb')}"
            words += ["-device", "qemu-xhci", "-chardev", usb, "-device", "usb-redir,chardev=usb"]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(list(map(str, words)), stdin=quiet, stdout=quiet)

    def cut(self) -> None:
        """Cuts the power."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def until_off(self) -> None:
        """Waits until the board has switched itself off."""
        if self._process is not None:
            self._process.wait()

    def off(self) -> None:
        """Shuts the board down; cuts its power if that takes too long."""
        if self._process is not None and self._process.poll() is not None:
            self._process = None
        if self._process is not None:
            with suppress(VirtualBoardError):  # ssh does not get through
                self.call("systemctl poweroff", check=False)
            try:
                self._process.wait(120)
                self._process = None
            except subprocess.TimeoutExpired:
                self.cut()

    def wait(self, timeout_s: float = 400.0) -> float:
        """Waits until sshd accepts a login; returns the seconds. Raises `VirtualBoardError`."""
        begin_s = time.monotonic()
        while time.monotonic() - begin_s < timeout_s:
            self._check_on()
            with suppress(VirtualBoardError):  # connected, but the command failed
                if not isinstance(self._once("true", 60.0), str):
                    return time.monotonic() - begin_s
            time.sleep(0.5)
        raise VirtualBoardError(f"It did not boot within {timeout_s:g} s.")

    def call(
        self, command: str, *, check: bool = True, timeout_s: float = 300.0, send: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Runs a shell command on the board, with `send` as its input. A refused connection is tried again; a
        command that has begun is not. Raises `VirtualBoardError` when the command cannot begin, does not end
        within `timeout_s`, or fails and `check` is set.
        """
        until_s = time.monotonic() + timeout_s
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
        """The last lines of the console."""
        text = self.console.read_text(errors="replace") if self.console.exists() else ""
        return text.splitlines()[-_CONSOLE_LINES:]

    def _check_on(self) -> None:
        if self._process is None or self._process.poll() is not None:
            raise VirtualBoardError("The board is off." if self._process is None else "The emulator ended.")

    def _once(self, command: str, timeout_s: float, send: str = "") -> subprocess.CompletedProcess[str] | str:
        """Runs the command once; returns its result, or ssh's last line if it did not begin."""
        options = ("-o", "BatchMode=yes", "-o", f"ConnectTimeout={_CONNECT_S}")
        words = ["ssh", "-F", str(self.ssh_config), *options, NAME, f"echo '{_BEGUN}' >&2\n{command}"]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=timeout_s, check=False, input=send
            )
        except subprocess.TimeoutExpired as error:
            if _BEGUN.encode() in (error.stderr or b""):
                raise VirtualBoardError(f"{command!r} did not end there in time.") from None
            return f"no answer within {timeout_s:.0f} s"
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


def _for_ssh(path: Path) -> str:
    """A path in ssh's configuration: blanks would end it, and % begins a variable."""
    return f'"{str(path).replace("%", "%%")}"'


def _for_qemu(path: Path) -> str:
    """A path within an option of QEMU: a comma would end it."""
    return str(path).replace(",", ",,")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
