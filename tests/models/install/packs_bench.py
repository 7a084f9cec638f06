"""A small published pack: the program's folder with its manifest, and a hub with its files."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from host.cli import models, models_listed  # noqa: F401 - before a test changes the folder that they take over
from models.install.fetch import InstallResult, fetch
from models.install.http_download import TransferContext
from models.install.staging import Store
from models.pack import catalogue as packs
from models.pack.manifest import read_manifest
from tests.models.install.file_kinds import onnx, safetensors
from tests.models.install.misbehaving_hub import Hub, running_hub

ROOT = Path(__file__).parents[3]
STT = random.Random(2).randbytes(1_500_000)
VOICE = onnx(random.Random(3).randbytes(80_000))
CHECKPOINT = safetensors(random.Random(4).randbytes(60_000))
MANIFEST = f"""\
# Keep this comment.
name = "small"
version = "1"
description = "for tests"
licence = "MIT"

[[file]]
path = "stt.bin"
size = {len(STT)}
sha256 = "{hashlib.sha256(STT).hexdigest()}"
licence = "MIT"
repository = "owner/stt"

[[file]]  # its SHA-256 is unknown
path = "voice.onnx"
licence = "CC0-1.0"
repository = "owner/voices"
file = "en/voice.onnx"
revision = "v1"
"""
BRICK = """
[brick.stt]
runtime = "whisper.cpp"
memory_mib = 12
files = { model = "stt.bin" }

[brick.vision]
runtime = "onnxruntime"
memory_mib = 12
files = { model = "voice.onnx" }
"""
MADE = """
[[file]]
path = "original/model.safetensors"
repository = "owner/vlm"
file = "model.safetensors"

[[file]]
path = "vision.onnx"
made_from = ["original/model.safetensors"]
"""


@contextmanager
def small_hub() -> Iterator[Hub]:
    """A hub with all files of the pack "small"."""
    with running_hub() as hub:
        hub.add("owner/stt", "stt.bin", STT)
        hub.add("owner/voices", "en/voice.onnx", VOICE, "v1")
        hub.add("owner/vlm", "model.safetensors", CHECKPOINT)
        yield hub


def ship(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program's folder of manifests, and an empty cache."""
    folder = tmp_path / "shipped"
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(packs, "PACKS_FOLDER", folder)
    monkeypatch.setattr("models.install.import_folder.PACKS_FOLDER", folder)
    write(folder, MANIFEST + BRICK)
    return folder


def write(shipped: Path, text: str, name: str = "small") -> None:
    """The program's manifest of a pack."""
    (shipped / name).mkdir(parents=True, exist_ok=True)
    (shipped / name / "pack.toml").write_text(text)


def brought(shipped: Path, hub: Hub) -> InstallResult:
    """The result of fetching the pack "small", without waiting between attempts."""
    line = TransferContext(sleep=lambda seconds: None, timeout_s=5.0)
    return fetch(Store(read_manifest(shipped / "small")), lambda file: line, hub.address)


def cached(shipped: Path) -> Path:
    """The cache's folder."""
    return shipped.parent / "cache"


def program(shipped: Path, hub: str, before: str = "") -> str:
    """A Python program that fetches the pack "small" from a hub's address, with the manifests of a folder as
    those that come with it. before: statements, each with a semicolon.
    """
    arguments = ["models", "fetch", "small", "--accept-licence", "--hub", hub]
    return (
        f"import sys, pathlib, models.pack.catalogue as packs; {before}"
        f"packs.PACKS_FOLDER = pathlib.Path({str(shipped)!r}); from host.cli.main import main; "
        f"code = main({arguments!r}); print('code', code); sys.exit(code)"
    )
