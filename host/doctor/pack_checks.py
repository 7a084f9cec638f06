"""Checks of `headband doctor` for the model pack and the NPU."""

from __future__ import annotations

import asyncio
from pathlib import Path

from host.doctor.finding import Finding, Health
from host.terminal.usage import os_error_sentence
from models.pack.abilities import require_live
from models.pack.brick_table import NPU_MODULE
from models.pack.catalogue import PackError, faults, load_pack, pack_names
from models.pack.manifest import read_manifest
from models.pack.npu_fit import Npu

PACK_TIMEOUT_S = 120.0
"""Time limit for reading a pack of 1 GB from a slow card."""
PACK_FIX = "bring its files back, or choose another pack."


async def pack_finding(pack: str | Path) -> Finding:
    """Compares the SHA-256 of every file of the pack in use, and looks for the bricks that answer."""
    from models.install.unusable_files import unusable_files

    try:
        loaded = await asyncio.to_thread(load_pack, pack)
        manifest = read_manifest(loaded.root)
        wrong = {**unusable_files(manifest), **await asyncio.to_thread(faults, manifest)}
    except PackError as error:
        return Finding("pack", "broken", str(error), PACK_FIX)
    except OSError as error:
        return Finding("pack", "broken", os_error_sentence(error), PACK_FIX)
    if wrong:  # damage that the modification time does not show, for example by a worn disk
        says = f"Pack '{loaded.name}': {'; '.join(fault.removesuffix('.') for fault in wrong.values())}."
        return Finding("pack", "broken", says, PACK_FIX)
    try:
        require_live(loaded.name, loaded.bricks)
    except PackError as error:
        return Finding("pack", "broken", str(error), "choose another pack.")
    size_mib = sum(file.size_bytes for file in loaded.files) / 2**20
    others = [name for name in pack_names() if name != loaded.name]
    beside = f"; also here: {', '.join(others)}" if others else ""
    checked = f"{len(loaded.files)} files, {size_mib:.0f} MiB, every SHA-256 right"
    closed = "; answers closed questions without the language model" if "reflex" in loaded.bricks else ""
    return Finding("pack", "ok", f"{loaded.name} {loaded.version}, {checked}{closed}{beside}")


async def npu_finding(npu: Npu | None, pack: str | Path) -> Finding:
    """Reports chip, driver and runtime of the NPU, and whether they fit the pack's NPU models."""
    if npu is None:
        return Finding("NPU", "note", "none: pictures are looked at on the processor's cores")
    driver = f"driver {npu.driver_version or 'of an unknown version'}" if npu.driver else "no driver"
    there = f"{npu.chip}, {driver}, librknnrt {npu.runtime_version or 'missing or of an unknown version'}"
    try:
        loaded = await asyncio.to_thread(load_pack, pack, verify=False, npu=npu)
    except PackError:
        return Finding("NPU", "note", f"{there}; see pack")
    if loaded.left_out is not None:
        health: Health = "note" if loaded.left_out.missing else "broken"
        says = f"{there}. {loaded.left_out.says} The cores do its work."
        return Finding("NPU", health, says, loaded.left_out.fix)
    used = [name for name, spec in loaded.bricks.items() if spec.module == NPU_MODULE]
    if not used:
        return Finding(
            "NPU", "note", f"{there}; pack '{loaded.name}' has nothing for it: the cores do its work"
        )
    return Finding("NPU", "ok", f"{there}, for {' and '.join(used)}")
