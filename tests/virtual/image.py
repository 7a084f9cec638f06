"""The root of the virtual board: a Debian for arm64 made with debootstrap, once, in the cache.

The second stage of debootstrap runs under QEMU's user mode (Debian: qemu-user-static, binfmt-support). The
root has what a headband's Debian has, without the application, Python packages and a compiler.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from host.ship.wheels import cross
from host.ship.wheels.debian import DEBIANS
from models.pack.cache import cache_folder
from tests.virtual import kernel
from tests.virtual.command import APT, run, run_inside, search_path
from tests.virtual.machine import Root, VirtualBoardError

SUITES = dict(zip(("bookworm", "trixie"), DEBIANS, strict=True))
"""Debian's names of the releases that a headband may have; the first is the default."""
SUITE = next(iter(SUITES))
SIZE = "4G"
VERSION = 3
"""Part of the folder's name; a new version causes a new build."""
PACKAGES = (
    "systemd", "systemd-sysv", "dbus", "udev", "kmod", "openssh-server", "iproute2", "procps",
    "initramfs-tools", "python3", "libgomp1", "alsa-utils",
)  # fmt: skip
"""Packages besides the minimal Debian. The application needs the last three on a headband."""
KERNEL = "linux-image-arm64"
BUILDING = {
    "debootstrap": "debootstrap",
    "mke2fs": "e2fsprogs",
    "ssh-keygen": "openssh-client",
    "qemu-aarch64-static": "qemu-user-static",
}
RUNNING = {
    "qemu-system-aarch64": "qemu-system-arm",
    "qemu-img": "qemu-utils",
    "ssh": "openssh-client",
    f"{cross.TRIPLET}-gcc": f"g++-{cross.TRIPLET}",
    f"{cross.TRIPLET}-g++": f"g++-{cross.TRIPLET}",
}
"""Programs -> the Debian packages that have them. The compiler is for what a deploy sends; the board has
none.
"""
_UNWANTED = (
    "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer",
    "e2scrub_reap.service", "fstrim.timer", "getty.target", "systemd-logind.service",
    "systemd-binfmt.service", "modprobe@.service", "dev-hugepages.mount", "dev-mqueue.mount",
    "sys-kernel-debug.mount", "sys-kernel-tracing.mount", "systemd-pstore.service",
)  # fmt: skip
"""Services that a headband does not need and that start slowly under emulation."""
_NETWORK = """\
[Unit]
Description=The way to this computer
DefaultDependencies=no
Before=ssh.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/sbin/ip address add 10.0.2.15/24 dev eth0
ExecStart=/sbin/ip link set eth0 up
[Install]
WantedBy=multi-user.target
"""


def missing_programs(needs: Mapping[str, str] = BUILDING) -> str | None:
    """The programs that this computer lacks, as a sentence; None when it has all."""
    missing = dict.fromkeys(package for program, package in needs.items() if _found(program) is None)
    if missing:
        return f"The virtual board needs more programs (Debian: apt install {' '.join(missing)})."
    if os.geteuid() != 0:
        return "The virtual board's Debian is made by root: run this as root (sudo -E)."
    return None


def lacking_to_run(suite: str = SUITE) -> str | None:
    """What this computer lacks to build (if needed), run and deploy, as a sentence; None when it has all."""
    here = built(suite).folder.exists()
    problem = missing_programs(RUNNING if here else BUILDING | RUNNING)
    if problem is None and (lack := cross.missing_requirement(SUITES[suite])) is not None:
        problem = f"What is deployed to the virtual board can't be compiled: {lack}."
    return problem if problem or here else user_mode_lacks()


def built(suite: str = SUITE) -> Root:
    """Paths of a suite's built image, whether it exists or not."""
    return Root(cache_folder() / "virtual-board" / f"{suite}-{VERSION}")


def root(say: Callable[[str], None], suite: str = SUITE) -> Root:
    """Builds the image of one of `SUITES` if it is not in the cache. Raises `VirtualBoardError`."""
    folder = built(suite).folder
    if not folder.exists():
        problem = missing_programs() or user_mode_lacks()
        if problem:
            raise VirtualBoardError(problem)
        part = folder.with_name(folder.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        _build(Root(part), suite, say)
        part.rename(folder)
    return built(suite)


def _build(made: Root, suite: str, say: Callable[[str], None]) -> None:
    tree = made.folder / "tree"
    say(f"making {SUITES[suite]} for arm64 in {made.folder.parent}, once; it takes twenty minutes")
    include = f"--include={','.join(PACKAGES)}"
    run("debootstrap", "--arch=arm64", "--variant=minbase", include, suite, tree)
    _write(tree / "etc/initramfs-tools/conf.d/small", "MODULES=list\nCOMPRESS=gzip\n")
    _write(tree / "etc/initramfs-tools/modules", "virtio_pci\nvirtio_blk\nvirtio_net\next4\n")
    say(f"adding {KERNEL}")
    run_inside(tree, *APT, "install", "-y", "-q", "--no-install-recommends", KERNEL)
    run_inside(tree, *APT, "clean")
    kernel.add_modules(tree, say)
    finish(tree, made)
    shutil.rmtree(tree)


def finish(tree: Path, made: Root) -> None:
    """Makes the board's disk from a Debian with a kernel."""
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "virtual-board", "-f", made.key)
    _write(tree / "etc/hostname", "virtual-board\n")
    _write(tree / "etc/hosts", "127.0.0.1 localhost virtual-board\n")
    _write(tree / "etc/fstab", "/dev/vda / ext4 defaults 0 1\n")
    _write(tree / "etc/systemd/system/way-in.service", _NETWORK)
    _write(tree / "root/.ssh/authorized_keys", made.key.with_suffix(".pub").read_text(), 0o600)
    _write(tree / "etc/ssh/sshd_config.d/fast.conf", "UseDNS no\nUsePAM no\n")
    (tree / "etc/resolv.conf").unlink(missing_ok=True)
    units = tree / "etc/systemd/system"
    for unit in _UNWANTED:
        (units / unit).unlink(missing_ok=True)
        (units / unit).symlink_to("/dev/null")
    run("chroot", tree, "systemctl", "enable", "way-in", "ssh")
    (tree / "etc/machine-id").write_text("")
    for name, target in (("vmlinuz-*", made.kernel), ("initrd.img-*", made.initrd)):
        shutil.copy(max((tree / "boot").glob(name)), target)
    run("mke2fs", "-q", "-t", "ext4", "-d", tree, made.disk, SIZE)


def user_mode_lacks() -> str | None:
    """Why programs for arm64 do not run here, as a sentence; None when they do. Registers QEMU with this
    computer's kernel if needed.
    """
    folder = Path("/proc/sys/fs/binfmt_misc")
    if not (folder / "status").exists():
        mount = ["mount", "-t", "binfmt_misc", "binfmt_misc", str(folder)]
        subprocess.run(mount, capture_output=True, check=False)
    if not (folder / "qemu-aarch64").exists() and (update := _found("update-binfmts")):
        subprocess.run([update, "--enable", "qemu-aarch64"], capture_output=True, check=False)
    if (folder / "qemu-aarch64").exists():
        return None
    return (
        "This kernel does not run programs for arm64 with QEMU: binfmt_misc has no qemu-aarch64 "
        "(Debian: apt install qemu-user-static binfmt-support)."
    )


def _found(program: str) -> str | None:
    return shutil.which(program, path=search_path())


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
