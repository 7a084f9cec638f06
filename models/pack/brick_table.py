"""The bricks of a manifest: the module, the files and the settings of each. `models.pack.manifest_tables` has
checked the values.

A brick's table `npu` describes the same network compiled for an NPU: its `file`; the `chips` for which it is
compiled; the version of `librknnrt` that runs it, and the oldest `driver`; `side_px`, the side of its square
input, which the file does not contain; and `memory_mib`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.brick import BrickSpec, Placement
from models.pack.manifest import Manifest, PackError, inside
from models.pack.npu_fit import Npu, NpuNeed, Unfit, unfit

RUNTIME_MODULES = {
    "whisper.cpp": "models.bricks.stt",
    "onnxruntime": "models.bricks.vision",
    "llama.cpp": "models.bricks.llm",
    "piper": "models.bricks.tts",
}
NPU_MODULE = "models.bricks.vision_rknn"
FILES: dict[str, dict[str, str]] = {
    "whisper.cpp": {"model": ".bin"},
    "onnxruntime": {"model": ".onnx"},
    "llama.cpp": {"model": ".gguf"},
    "piper": {"model": ".onnx", "config": ".json"},
}
"""By runtime: the keys of the files that a brick reads, and the suffixes of the files' names."""


def brick_spec(pack: str, root: Path, name: str, entry: Mapping[str, Any], listed: set[str]) -> BrickSpec:
    """A brick as its checked table says. listed: the pack's files. Raises PackError."""
    settings = dict(entry.get("settings", {}))
    options: dict[str, Any] = dict(settings)
    files = entry.get("files", {})
    _check_files(f"Pack '{pack}', brick '{name}'", FILES[entry["runtime"]], files)
    for key, relative in files.items():
        if relative not in listed:
            raise PackError(
                f"Pack '{pack}', brick '{name}': {relative} isn't listed under [[file]] in pack.toml."
            )
        options[key] = str(inside(root, relative))
    placement = Placement(entry.get("placement", "cpu"))
    return BrickSpec(name, placement, entry["memory_mib"], RUNTIME_MODULES[entry["runtime"]], options)


def _check_files(where: str, wanted: Mapping[str, str], files: Mapping[str, str]) -> None:
    """Raises PackError unless the table has the files that the brick reads, under their keys. Settings name
    no files: `models.pack.manifest_tables` ensures that.
    """
    if unknown := set(files) - set(wanted):
        raise PackError(f"{where}: unknown file {min(unknown)!r} in pack.toml; it reads {', '.join(wanted)}.")
    for key, suffix in wanted.items():
        if key not in files:
            raise PackError(f"{where}: files lacks {key!r} in pack.toml.")
        if not files[key].endswith(suffix):
            raise PackError(f"{where}: the file {key!r} has to be a {suffix} file, not {files[key]}.")


def on_npu(
    manifest: Manifest, bricks: Mapping[str, BrickSpec], npu: Npu | None
) -> tuple[dict[str, BrickSpec], Unfit | None]:
    """The bricks, of which those with a suitable network run on `npu`; and the reason where a brick has a
    network for NPUs that does not run on this one.

    Raises PackError for a bad table, also without an NPU.
    """
    placed, left_out = dict(bricks), None
    for name, brick in manifest.bricks.items():
        if "npu" not in brick:
            continue
        entry = brick["npu"]
        need = _need(manifest, name, entry)
        if npu is None:
            continue
        path = inside(manifest.root, entry["file"])
        if path.is_file():
            problem = unfit(npu, need, entry["file"])
        else:
            what = f"Pack '{manifest.name}' lacks {entry['file']}, which the NPU would run."
            problem = Unfit(
                what, "convert it, and take it in with: headband models import DIR.", missing=True
            )
        if problem is None:
            placed[name] = _placed(placed[name], path, entry)
        left_out = left_out or problem
    return placed, left_out


def _need(manifest: Manifest, name: str, entry: Mapping[str, Any]) -> NpuNeed:
    where = f"Pack '{manifest.name}', the npu of brick '{name}'"
    if entry["file"] not in {file.path for file in manifest.files}:
        raise PackError(f"{where}: {entry['file']} isn't listed under [[file]] in pack.toml.")
    return NpuNeed(tuple(entry["chips"]), entry["librknnrt"], entry.get("driver", ""))


def _placed(spec: BrickSpec, path: Path, entry: Mapping[str, Any]) -> BrickSpec:
    given = {key: entry[key] for key in ("side_px", "librknnrt", "driver") if key in entry}
    options = {**spec.options, **given, "model": str(path)}
    return BrickSpec(spec.name, Placement.NPU, entry["memory_mib"], NPU_MODULE, options)
