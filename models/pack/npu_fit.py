"""The NPU of Rockchip's chips: whether this computer has one, and whether its runtime fits a model.

A model is compiled for one chip by one version of Rockchip's converter, and only the `librknnrt.so` of the
same version runs it reliably: another version refuses it or crashes the process. So the versions are compared
before a model is loaded: the chip's name from the device tree, the driver's version from sysfs, the library's
from the text in its file.
"""

from __future__ import annotations

import functools
import importlib.util
import mmap
import re
from dataclasses import dataclass
from pathlib import Path

from models.place import from_checkout, place

BINDINGS = "rknn-toolkit-lite2"
LIBRARY = Path("/usr/lib/librknnrt.so")
"""The path from which the Python bindings load the library."""
_CHIPS = {"rk3562", "rk3566", "rk3568", "rk3576", "rk3588", "rk3588s"}
_DRIVER = "bus/platform/drivers/RKNPU"
_LIBRARY_SAYS = re.compile(rb"librknnrt version: (\d+(?:\.\d+)+)")
_API_SAYS = re.compile(r"API:\D*(\d+(?:\.\d+)+)")
_DRIVER_SAYS = re.compile(r"DRV:\D*(\d+(?:\.\d+)+)")


@dataclass(frozen=True)
class Npu:
    """The NPU of this computer. Versions are like "2.5.0"; empty if unknown or if driver or library are
    missing.
    """

    chip: str
    driver: bool
    driver_version: str
    runtime: bool
    runtime_version: str
    bindings: bool


@dataclass(frozen=True)
class NpuNeed:
    """The requirements of a compiled model. driver: the oldest version, "" for any."""

    chips: tuple[str, ...]
    librknnrt: str
    driver: str = ""


@dataclass(frozen=True)
class Unfit:
    """Why a model does not run on the NPU, and what to do: a sentence each. missing: the model's file is not
    present, so this is no fault.
    """

    says: str
    fix: str
    missing: bool = False

    def __str__(self) -> str:
        return f"{self.says} {self.fix}"


def find_npu(sysfs_root: Path = Path("/sys"), library: Path | None = None) -> Npu | None:
    """The NPU of this computer with its driver and library; None for a chip without NPU. library: by default
    `LIBRARY`.
    """
    library = library or LIBRARY
    tree = sysfs_root / "firmware/devicetree/base/compatible"
    known = tree.read_bytes().decode(errors="replace").split("\0") if tree.exists() else []
    chips = [name.partition(",")[2] for name in known if name.startswith("rockchip,")]
    chip = next((each for each in chips if each in _CHIPS), None)
    if chip is None:
        return None
    bound = [path for path in (sysfs_root / _DRIVER).glob("*") if path.name.endswith(".npu")]
    version = sysfs_root / "module/rknpu/version"
    return Npu(
        chip.removesuffix("s") if chip == "rk3588s" else chip,
        bool(bound),
        version.read_text().strip() if version.exists() else "",
        library.exists(),
        _version_in(library, library.stat().st_mtime_ns) if library.exists() else "",
        importlib.util.find_spec("rknnlite") is not None,
    )


def unfit(npu: Npu, need: NpuNeed, model: str) -> Unfit | None:
    """Why this model does not run here; None if all that can be checked without running it fits."""
    if npu.chip not in need.chips:
        chips = " or ".join(need.chips)
        return Unfit(f"{model} is for an {chips}, and this is an {npu.chip}.", f"convert it for {npu.chip}.")
    if not npu.driver:
        return Unfit(
            "This kernel has no driver for the NPU.", "run Rockchip's own kernel, which has the driver rknpu."
        )
    if npu.driver_version and _number(npu.driver_version) < _number(need.driver):
        return Unfit(
            f"The NPU's driver is {npu.driver_version}, and {model} needs {need.driver} or newer.",
            "update the kernel.",
        )
    bring = f"put librknnrt.so of Rockchip's rknn-toolkit2 {need.librknnrt} at {LIBRARY}."
    if not npu.runtime:
        return Unfit(f"The NPU's runtime is missing: there is no {LIBRARY}.", bring)
    if npu.runtime_version != need.librknnrt:
        there = npu.runtime_version or "of an unknown version"
        return Unfit(f"The NPU's runtime is {there}, and {model} needs {need.librknnrt}.", bring)
    if not npu.bindings:
        return Unfit(
            f"{BINDINGS} is not installed.",
            f"{from_checkout('npu' if place() == 'checkout' else 'deploy-app HOST --npu')}.",
        )
    return None


def unfit_versions(said: str | None, need: NpuNeed, model: str) -> str | None:
    """An error sentence if the version of the runtime in use, by the output of `get_sdk_version`, is not that
    which the model needs, else None.
    """
    api, driver = (pattern.search(said or "") for pattern in (_API_SAYS, _DRIVER_SAYS))
    if api is None:
        return f"The NPU's runtime does not tell its version, and {model} needs {need.librknnrt}."
    if api[1] != need.librknnrt:
        return f"The NPU's runtime is {api[1]}, and {model} needs {need.librknnrt}."
    if driver is not None and _number(driver[1]) < _number(need.driver):
        return f"The NPU's driver is {driver[1]}, and {model} needs {need.driver} or newer."
    return None


@functools.cache
def _version_in(library: Path, changed_ns: int) -> str:
    """The version in the text of a library, a file of several MiB, which is read once per modification
    time.
    """
    try:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            found = _LIBRARY_SAYS.search(text)
            return found[1].decode() if found else ""
    except (OSError, ValueError):
        return ""


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])
