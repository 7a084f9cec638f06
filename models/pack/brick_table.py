"""The bricks of a manifest: the module, the files and the settings of each. `models.pack.manifest_tables` has
checked the values.

A brick's table `npu` describes the same network compiled for an NPU: its `file`, or as `files` its chain with
the keys of the brick's own chain (`models.pack.chain`); the `chips` for which it is compiled; the version of
`librknnrt` that runs it, and the oldest `driver`; `side_px`, the side of its square input, which the file
does not contain; and `memory_mib`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from models.brick import BrickSpec, Placement
from models.pack.brick_settings import VisionSettings
from models.pack.chain import (
    PREDICTOR,
    RECALL_EYE,
    ChainError,
    chain_of,
    graphs_of,
    identity,
    is_chain,
    memory_eye,
    reflex_eye,
)
from models.pack.manifest import Manifest, PackError, inside, npu_files
from models.pack.motion_files import CHOICE, unit_key
from models.pack.npu_fit import Npu, NpuNeed, Unfit, unfit
from models.pack.reflex_files import layer_key
from models.pack.things_file import DETECTOR_FILES

RUNTIME_MODULES = {
    "whisper.cpp": "models.bricks.stt",
    "onnxruntime": "models.bricks.eye.vision",
    "onnxruntime-text": "models.bricks.text",
    "onnxruntime-reflex": "models.bricks.reflex",
    "onnxruntime-motion": "models.bricks.motion",
    "llama.cpp": "models.bricks.llm",
    "piper": "models.bricks.tts",
}
_RUNTIME_OF = {
    "stt": "whisper.cpp",
    "vision": "onnxruntime",
    RECALL_EYE: "onnxruntime",
    "text": "onnxruntime-text",
    "reflex": "onnxruntime-reflex",
    "motion": "onnxruntime-motion",
    "llm": "llama.cpp",
    "tts": "piper",
}
"""By brick: the runtime whose module answers what the brick is asked."""
NPU_MODULE = "models.bricks.eye.vision_rknn"
FILES: dict[str, dict[str, str]] = {
    "whisper.cpp": {"model": ".bin"},
    "onnxruntime": {"model": ".onnx"},
    "onnxruntime-text": {"model": ".onnx", "words": ".json"},
    "onnxruntime-reflex": {"words": ".json", "answers": ".json", "front": ".onnx"},
    "onnxruntime-motion": {"labels": ".json", "answer": ".onnx"},
    "llama.cpp": {"model": ".gguf"},
    "piper": {"model": ".onnx", "config": ".json"},
}
"""By runtime: the keys of the files that a brick reads, and the suffixes of the files' names. The vision
brick reads a chain (`models.pack.chain`) instead where its files have the keys of one; the reflex brick also
reads `layer_1` and so on, as many as its settings name layers, and `detector` and `things`, and `reader`,
where it has them, and the motion brick `unit_03` and so on, one for each of its depths, and `choice` where it
has one.
"""
READER = "reader"
_OF_A_CHAIN = ("groups", "embedding", "stream", "remember_depth", PREDICTOR)
"""Settings and files that one graph does not have."""


def brick_specs(manifest: Manifest) -> dict[str, BrickSpec]:
    """The bricks by their tables. Raises PackError for a table that cannot be used."""
    sums = {file.path: file.sha256 for file in manifest.files}
    specs = {name: _brick_spec(manifest, name, entry, sums) for name, entry in manifest.bricks.items()}
    if RECALL_EYE in specs:
        _require_recall(manifest, specs)
    eye = memory_eye(specs)
    if eye in specs and "text" in specs:
        options = {key: specs[eye].options[key] for key in ("encoder", "embedding", "depth")}
        specs["text"] = replace(specs["text"], options={**specs["text"].options, **options})
    if "reflex" in specs:
        _require_rows(manifest, specs)
    if "motion" in specs:
        _require_units(manifest, specs)
    return specs


def _require_recall(manifest: Manifest, specs: Mapping[str, BrickSpec]) -> None:
    """Raises PackError where the memory's own eye cannot place pictures, or no words find them."""
    where = f"Pack '{manifest.name}', brick '{RECALL_EYE}'"
    if not specs[RECALL_EYE].options["embedding"]:
        raise PackError(f"{where}: it needs a chain of graphs with an exit in pack.toml.")
    if "text" not in specs:
        raise PackError(f"{where}: it needs a brick 'text', by whose words its pictures are found.")


def _require_rows(manifest: Manifest, specs: Mapping[str, BrickSpec]) -> None:
    """Raises PackError where the reflex brick does not read the rows that its eye gives."""
    where, eye = f"Pack '{manifest.name}', brick 'reflex'", reflex_eye(specs)
    if eye not in specs:
        raise PackError(f"{where}: it reads the rows of a {eye} brick, and pack.toml has none.")
    reads, gives = specs["reflex"].options, specs[eye].options
    read = [reads["tokens"], reads["width"]]
    given = [gives.get("tokens", VisionSettings.tokens), gives.get("width", VisionSettings.width)]
    if read != given:
        raise PackError(f"{where}: it reads rows of {read}, and the {eye} brick gives {given} in pack.toml.")
    _require_encoder(where, "rows", reads, gives)


def _require_units(manifest: Manifest, specs: Mapping[str, BrickSpec]) -> None:
    """Raises PackError where the motion brick does not read the activations that the vision brick gives."""
    where = f"Pack '{manifest.name}', brick 'motion'"
    chain = chain_of(specs["vision"].options) if "vision" in specs else None
    if chain is None:
        raise PackError(
            f"{where}: it reads the activations of a vision brick of several graphs; there is none."
        )
    reads, given = specs["motion"].options, list(chain.activation)
    read = [reads["tokens"], reads["width"]]
    if read != given:
        raise PackError(
            f"{where}: it reads units of {read}, and the vision brick gives {given} in pack.toml."
        )
    if unknown := set(reads["depths"]) - set(chain.depths):
        raise PackError(f"{where}: the vision brick stops after no {min(unknown)} blocks in pack.toml.")
    _require_encoder(where, "units", reads, specs["vision"].options)


def _require_encoder(where: str, what: str, reads: Mapping[str, Any], gives: Mapping[str, Any]) -> None:
    present, trained_on = gives.get("encoder", "").rpartition(" ")[2], reads.get("encoder", "")
    if trained_on and trained_on != present:
        raise PackError(
            f"{where}: it was trained on the {what} of the encoder {trained_on}, and this pack's is "
            f"{present}."
        )


def _brick_spec(
    manifest: Manifest, name: str, entry: Mapping[str, Any], sums: Mapping[str, str]
) -> BrickSpec:
    """sums: SHA-256 of the pack's listed files by path."""
    where, runtime = f"Pack '{manifest.name}', brick '{name}'", entry["runtime"]
    if runtime != _RUNTIME_OF[name]:
        raise PackError(f"{where}: its runtime has to be {_RUNTIME_OF[name]} in pack.toml.")
    files = entry.get("files", {})
    chained = runtime == "onnxruntime" and is_chain(files)
    wanted = dict.fromkeys(files, ".onnx") if chained else FILES[runtime]
    if chained and PREDICTOR in files:
        wanted = wanted | {PREDICTOR: ".json"}
    if runtime == "onnxruntime-reflex":
        layers = range(1, entry["settings"]["layers"] + 1)
        wanted = wanted | {layer_key(layer): ".onnx" for layer in layers}
        if set(DETECTOR_FILES) & set(files):
            wanted = {**wanted, **DETECTOR_FILES}
        if READER in files:
            wanted = {**wanted, READER: ".onnx"}
    if runtime == "onnxruntime-motion":
        wanted = wanted | {unit_key(depth): ".onnx" for depth in entry["settings"]["depths"]}
        if CHOICE in files:
            wanted = wanted | {CHOICE: ".json"}
    options = {**entry.get("settings", {}), **_listed(manifest, where, wanted, files, sums)}
    if runtime == "onnxruntime":
        try:
            chain = chain_of(options)
        except ChainError as error:
            raise PackError(f"{where}: {error} in pack.toml.") from error
        graphs = graphs_of(files)
        if chain is not None and set(graphs) - set(chain.keys):
            raise PackError(f"{where}: unknown file {min(set(graphs) - set(chain.keys))!r} in pack.toml.")
        if chain is not None and PREDICTOR in files and not chain.exits:
            raise PackError(f"{where}: it has a {PREDICTOR!r} and no exits to choose between in pack.toml.")
        if (depth := options.get("remember_depth", 0)) and depth not in (chain.exit_depths if chain else ()):
            raise PackError(f"{where}: there is no exit after remember_depth, {depth} blocks, in pack.toml.")
        options["encoder"] = identity(
            manifest.name, manifest.version, {key: sums[path] for key, path in graphs.items()}
        )
        options["depth"] = chain.depth if chain else 0
        options["embedding"] = chain.embedding if chain else 0
    memory_mib = entry["memory_mib"]
    if options.get("stream") and options.get("streamed_mib"):
        memory_mib = options["streamed_mib"]
    placement = Placement(entry.get("placement", "cpu"))
    return BrickSpec(name, placement, memory_mib, RUNTIME_MODULES[runtime], options)


def _listed(
    manifest: Manifest,
    where: str,
    wanted: Mapping[str, str],
    files: Mapping[str, str],
    listed: Container[str],
) -> dict[str, str]:
    """The absolute paths of a table's files by key. wanted: the keys, with the suffixes of the files' names.
    Settings name no files: `models.pack.manifest_tables` ensures that. Raises PackError.
    """
    if unknown := set(files) - set(wanted):
        raise PackError(f"{where}: unknown file {min(unknown)!r} in pack.toml; it reads {', '.join(wanted)}.")
    paths = {}
    for key, suffix in wanted.items():
        if key not in files:
            raise PackError(f"{where}: files lacks {key!r} in pack.toml.")
        if not files[key].endswith(suffix):
            raise PackError(f"{where}: the file {key!r} has to be a {suffix} file, not {files[key]}.")
        if files[key] not in listed:
            raise PackError(f"{where}: {files[key]} isn't listed under [[file]] in pack.toml.")
        paths[key] = str(inside(manifest.root, files[key]))
    return paths


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
        need, paths = _need(manifest, name, brick)
        if npu is None:
            continue
        absent = [relative for relative in npu_files(entry) if not inside(manifest.root, relative).is_file()]
        if absent:
            what = f"Pack '{manifest.name}' lacks {absent[0]}, which the NPU would run."
            problem: Unfit | None = Unfit(
                what, "convert it, and take it in with: headband models import DIR.", missing=True
            )
        else:
            problem = unfit(npu, need, npu_files(entry)[0])
        if problem is None:
            placed[name] = _placed(placed[name], paths, entry)
        left_out = left_out or problem
    return placed, left_out


def _need(manifest: Manifest, name: str, brick: Mapping[str, Any]) -> tuple[NpuNeed, dict[str, str]]:
    """What the NPU's files need, and their absolute paths by key. Raises PackError."""
    entry, where = brick["npu"], f"Pack '{manifest.name}', the npu of brick '{name}'"
    if bool(entry.get("file")) == bool(entry.get("files")):
        raise PackError(f"{where}: it needs either 'file' or 'files' in pack.toml.")
    files = entry.get("files") or {"model": entry["file"]}
    wanted = graphs_of(brick.get("files", {})) if "files" in entry else files
    if "files" in entry and not is_chain(wanted):
        raise PackError(f"{where}: it has the files of a chain, and the brick has none in pack.toml.")
    paths = _listed(
        manifest, where, dict.fromkeys(wanted, ".rknn"), files, {file.path for file in manifest.files}
    )
    return NpuNeed(tuple(entry["chips"]), entry["librknnrt"], entry.get("driver", "")), paths


def _placed(spec: BrickSpec, paths: Mapping[str, str], entry: Mapping[str, Any]) -> BrickSpec:
    """The brick with its network on the NPU; of a chain that the NPU has as one graph, only that."""
    given = {key: entry[key] for key in ("side_px", "librknnrt", "driver") if key in entry}
    options = {**spec.options, **given, **paths, "streamed_mib": 0}
    if "model" in paths:
        options = {key: value for key, value in options.items() if key not in _OF_A_CHAIN}
        options = {key: value for key, value in options.items() if key == "model" or not is_chain([key])}
        options |= {"depth": 0, "embedding": 0}
    return BrickSpec(spec.name, Placement.NPU, entry["memory_mib"], NPU_MODULE, options)
