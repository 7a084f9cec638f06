"""The schema of `pack.toml`: every key with its type and range; `models.pack.brick_settings` has those of the
settings of each brick.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from hw.settings import Form, Range, SettingsError, fill
from models.pack.brick_settings import BRICK_SETTINGS, DecoderSettings

Memory = Annotated[int, Range(1, 65_536, "MiB")]
Runtime = Literal[
    "whisper.cpp",
    "onnxruntime",
    "onnxruntime-text",
    "onnxruntime-reflex",
    "onnxruntime-motion",
    "llama.cpp",
    "piper",
]


@dataclass(frozen=True)
class FileTable:
    """One `[[file]]`; see `models.pack.manifest`."""

    path: str
    size: Annotated[int, Range(0, 1_000_000_000_000, "bytes")] = 0
    """0 to 1_000_000_000_000 bytes; 0 where it is not known."""
    sha256: Annotated[str, Form(r"([0-9a-f]{64})?", "a SHA-256 of 64 hexadecimal digits")] = ""
    licence: str = ""
    repository: str = ""
    file: str = ""
    revision: str = ""
    made_from: tuple[str, ...] = ()
    recorded: str = ""
    optional: bool = False


@dataclass(frozen=True)
class NpuTable:
    """A brick's table `npu`; see `models.pack.brick_table`."""

    chips: tuple[str, ...]
    librknnrt: str
    side_px: Annotated[int, Range(1, 4096, "pixels")]
    """Side of the picture that the network takes, 1 to 4096 pixels."""
    memory_mib: Memory
    """Memory of its process, loaded and in use, 1 to 65_536 MiB."""
    driver: str = ""
    file: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BrickTable:
    """One `[brick.NAME]`."""

    runtime: Runtime
    memory_mib: Memory
    """Memory of its process, loaded and in use, 1 to 65_536 MiB."""
    placement: Literal["cpu", "npu", "gpu"] = "cpu"
    files: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Checked with the class in `BRICK_SETTINGS` for its runtime."""
    npu: NpuTable | None = None


@dataclass(frozen=True)
class PackTable:
    """A whole `pack.toml`."""

    file: tuple[FileTable, ...]
    name: str = ""
    version: str = ""
    description: str = ""
    licence: str = ""
    restore: str = ""
    self_test: str = ""
    """What the recogniser makes of the sound of `host.app.self_test`; "" where any words will do."""
    brick: Mapping[
        Literal["stt", "vision", "recall", "text", "reflex", "motion", "llm", "tts"], BrickTable
    ] = field(default_factory=dict)


def check_pack(data: Mapping[str, Any], path: Path) -> PackTable:
    """`data`, read from the manifest `path`, as a table. Raises `SettingsError` with one sentence."""
    table: PackTable = fill(PackTable, data, path)
    for name, brick in table.brick.items():
        at = ("brick", name, "settings")
        settings = fill(BRICK_SETTINGS[brick.runtime], brick.settings, path, at)
        if isinstance(settings, DecoderSettings) and settings.history_tokens >= settings.n_ctx:
            raise SettingsError(f"In {path}, [{'.'.join(at)}] history_tokens must be less than n_ctx.")
    return table
