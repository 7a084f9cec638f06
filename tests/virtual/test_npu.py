"""The NPU's brick over rknn-toolkit-lite2 itself, in Debian for arm64 under QEMU's user mode. What is beneath
the package, `librknnrt.so` and the NPU, is a stand-in: the tests show the package's interface, its layout of
a picture and its errors, not what an NPU computes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from host.ship.release import ROOT
from models.pack.cache import cache_folder
from tests.virtual import image

pytestmark = pytest.mark.slow
COMPILER = "aarch64-linux-gnu-gcc"
HERE = Path(__file__).parent
_ENTER = """
mount -o loop,ro,noload "$1" "$2/below" &&
mount -t overlay overlay -o lowerdir="$2/above":"$2/below" "$2/root" && mount -t tmpfs tmpfs "$2/root/tmp" &&
exec /usr/sbin/chroot "$2/root" /usr/bin/qemu-aarch64-static -cpu cortex-a76 \\
    /usr/bin/env PYTHONPATH=/app:/site /usr/bin/python3 -B /app/tests/virtual/npu_inside.py
"""


def wheels() -> list[Path]:
    """The package and what it needs. Skips the test where they have not been fetched."""
    cache = cache_folder()
    wanted = {
        "numpy": "wheels/numpy-*cp311*aarch64", "pillow": "wheels/pillow-*cp311*aarch64",
        "psutil": "psutil-*aarch64", "ruamel": "ruamel", "rknn": "rknn*aarch64",
    }  # fmt: skip
    found = {
        name: path for name, pattern in wanted.items() for path in cache.glob(f"wheelhouse-*/{pattern}*.whl")
    }
    if set(found) != set(wanted):
        pytest.skip("The NPU's bindings are not here: `just wheels --npu` fetches them once.")
    return list(found.values())


def test_the_package_itself_serves_the_brick(tmp_path: Path) -> None:
    missing = image.missing_programs()
    disk = image.built().disk
    if missing is None and not disk.exists():
        missing = "The virtual board's Debian is not here yet: `just virtual-board` makes it once."
    if missing is None and shutil.which(COMPILER) is None:
        missing = "There is no compiler for arm64 (Debian: apt install gcc-aarch64-linux-gnu)."
    if missing is not None:
        pytest.skip(missing)
    packages = wheels()
    above = tmp_path / "above"
    for name in ("below", "root", "above/usr/bin", "above/usr/lib", "above/app/tests", "above/site"):
        (tmp_path / name).mkdir(parents=True)
    for wheel in packages:
        shutil.unpack_archive(wheel, above / "site", "zip")
    for folder in ("models", "tests/virtual"):
        shutil.copytree(ROOT / folder, above / "app" / folder, ignore=shutil.ignore_patterns("packs"))
    tree = above / "proc/device-tree"
    tree.mkdir(parents=True)
    (tree / "compatible").write_bytes(b"radxa,zero3\0rockchip,rk3566\0")
    (tree / "model").write_bytes(b"Radxa ZERO 3\0")
    shutil.copy("/usr/bin/qemu-aarch64-static", above / "usr/bin")
    library = above / "usr/lib/librknnrt.so"
    subprocess.run(
        [COMPILER, "-shared", "-fPIC", "-o", library, HERE / "librknnrt.c"], check=True, capture_output=True
    )
    words = ["unshare", "--mount", "sh", "-c", _ENTER, "sh", str(disk), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["float32"] == 0.0 and 0.0 < said["float16"] < 1e-3 and said["rows of their own"]
    errors = said["errors"]
    assert "none.rknn can't be read" in errors["no file"]
    assert "does not take bad.rknn" in errors["no model"] and "RKNN_ERR_MODEL_INVALID" in errors["no model"]
    assert errors["another runtime"] == "The NPU's runtime is 2.5.0, and good.rknn needs 2.3.2."
    assert errors["an older driver"] == "The NPU's driver is 0.9.8, and good.rknn needs 0.9.9 or newer."
    assert errors["another shape"] == "good.rknn gives (1, 4, 16), and the pack says 5 rows of 16."
