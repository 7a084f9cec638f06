"""Packs from a USB stick: files are identified by name and hash, and a pack is installed completely or not at
all.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import shutil
from pathlib import Path

import pytest

from models.install.fetch import InstallResult
from models.install.http_download import TransferContext
from models.install.import_folder import import_pack_files, offers
from models.install.staging import Store, StoreError
from models.pack.catalogue import load_pack
from models.pack.manifest import read_manifest
from tests.models.install.file_kinds import onnx, rknn
from tests.models.install.misbehaving_hub import Hub
from tests.models.install.packs_bench import (
    BRICK,
    CHECKPOINT,
    MADE,
    MANIFEST,
    STT,
    VOICE,
    brought,
    cached,
    write,
)


def test_what_is_converted_comes_from_a_folder_and_spares_the_original(
    shipped: Path, hub: Hub, tmp_path: Path
):
    write(shipped, MANIFEST + MADE + BRICK)
    result = brought(shipped, hub)
    assert [file.path for file in result.lacking] == ["vision.onnx"] and result.pack is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("models.pack.catalogue.sha256_of", lambda path: pytest.fail(f"{path} was read again"))
        assert Store(read_manifest(shipped / "small")).wanted() == ()
    original = cached(shipped) / "parts" / "small" / "original" / "model.safetensors"
    assert original.read_bytes() == CHECKPOINT
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "vision.onnx").write_bytes(onnx(b"converted"))
    assert taken(stick)["small"].pack
    assert (load_pack("small").root / "vision.onnx").read_bytes() == onnx(b"converted")
    assert not (load_pack("small").root / "original").exists() and original.exists()
    (stick / "vision.onnx").write_bytes(onnx(b"converted better"))
    assert taken(stick)["small"].pack
    assert (load_pack("small").root / "vision.onnx").read_bytes() == onnx(b"converted better")
    assert taken(stick)["small"] == InstallResult((), (), (), None)


def test_what_only_an_npu_reads_is_taken_when_it_is_there(shipped: Path, hub: Hub, tmp_path: Path):
    compiled = """
[[file]]
path = "stt.rknn"
made_from = ["stt.bin"]
[brick.stt.npu]
file = "stt.rknn"
chips = ["rk3566"]
librknnrt = "2.5.0"
side_px = 64
memory_mib = 12
"""
    write(shipped, MANIFEST + BRICK + compiled)
    assert brought(shipped, hub).pack
    assert [file.path for file in load_pack("small").files] == ["stt.bin", "voice.onnx"]
    stick = tmp_path / "stick"
    stick.mkdir()
    for version in (rknn(b"compiled"), rknn(b"compiled better")):
        (stick / "stt.rknn").write_bytes(version)
        assert taken(stick)["small"].pack
        assert (load_pack("small").root / "stt.rknn").read_bytes() == version
    assert taken(stick)["small"] == InstallResult((), (), (), None)
    assert [file.path for file in load_pack("small").files] == ["stt.bin", "voice.onnx", "stt.rknn"]


def taken(stick: Path) -> dict[str, InstallResult]:
    return {offer.manifest.name: import_pack_files(offer, stick) for offer in offers(stick)}


def test_a_stick_is_searched_by_name_and_hash(shipped: Path, tmp_path: Path):
    stick = tmp_path / "stick"
    blobs = stick / "hub" / "models--owner--stt" / "blobs"
    blobs.mkdir(parents=True)
    (blobs / hashlib.sha256(STT).hexdigest()).write_bytes(STT)
    (stick / "stt.bin").write_bytes(b"x" * len(STT))
    (stick / "a").mkdir()
    (stick / "a" / "voice.onnx").write_bytes(VOICE)
    result = taken(stick)["small"]
    assert result.pack and [file.path for file in result.recorded] == ["voice.onnx"]
    assert (load_pack("small").root / "stt.bin").read_bytes() == STT


def test_a_copied_pack_brings_its_own_manifest_and_sums(shipped: Path, hub: Hub, tmp_path: Path):
    folder = brought(shipped, hub).pack
    stick = tmp_path / "stick"
    assert folder is not None
    shutil.copytree(folder, stick / "small")
    shutil.rmtree(cached(shipped))
    (stick / "small" / "voice.onnx").write_bytes(VOICE[:-1] + b"?")
    assert [file.path for file in taken(stick)["small"].lacking] == ["voice.onnx"]
    (stick / "small" / "voice.onnx").write_bytes(VOICE)
    assert taken(stick)["small"].pack
    own = (stick / "small" / "pack.toml").read_text().replace('name = "small"', 'name = "mine"')
    (stick / "small" / "pack.toml").write_text(own)
    assert taken(stick)["mine"].pack and load_pack("mine").name == "mine"


def test_the_folder_of_packs_may_lie_on_another_disk(shipped: Path, hub: Hub, tmp_path: Path):
    elsewhere = tmp_path / "mnt" / "disk" / "packs"
    elsewhere.mkdir(parents=True)
    cached(shipped).mkdir()
    (cached(shipped) / "packs").symlink_to(elsewhere)
    assert brought(shipped, hub).pack
    assert load_pack("small").root.parent == (cached(shipped) / "store").resolve()


@pytest.mark.parametrize("named", ["by a link", "from the working folder"])
def test_the_installed_pack_stays_until_the_next_is_whole_however_the_cache_is_named(
    shipped: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "link") if named == "by a link" else "disk")
    write(shipped, MANIFEST + MADE + BRICK)
    brought(shipped, hub)
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "vision.onnx").write_bytes(onnx(b"converted"))
    before = taken(stick)["small"].pack
    (stick / "vision.onnx").write_bytes(onnx(b"converted better"))
    assert taken(stick)["small"].pack and before is not None
    assert (before / "vision.onnx").read_bytes() == onnx(b"converted")
    assert (load_pack("small").root / "vision.onnx").read_bytes() == onnx(b"converted better")


@pytest.mark.parametrize("linked", [False, True])
def test_a_converted_file_that_comes_again_before_the_pack_is_whole_is_kept(
    shipped: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: bool
):
    if linked:
        (tmp_path / "disk").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "disk")
        monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "link"))
    second = '[[file]]\npath = "decoder.onnx"\nmade_from = ["original/model.safetensors"]\n'
    write(shipped, MANIFEST + MADE + second + BRICK)
    brought(shipped, hub)
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "vision.onnx").write_bytes(onnx(b"converted"))
    assert [file.path for file in taken(stick)["small"].lacking] == ["decoder.onnx"]
    (stick / "decoder.onnx").write_bytes(onnx(b"converted too"))
    assert taken(stick)["small"].lacking == ()
    assert (load_pack("small").root / "vision.onnx").read_bytes() == onnx(b"converted")


def test_a_folder_of_the_sticks_that_may_not_be_read_is_told_and_passed_over(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Such as `lost+found`, which every disk in ext4 has and only root may read."""
    stick = tmp_path / "stick"
    (stick / "lost+found").mkdir(parents=True)
    (stick / "stt.bin").write_bytes(STT)
    (stick / "voice.onnx").write_bytes(VOICE)
    scanned = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("lost+found"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scanned(path)

    monkeypatch.setattr(os, "scandir", scandir)
    said: list[str] = []
    (offer,) = offers(stick)
    assert import_pack_files(offer, stick, TransferContext(say=said.append)).pack
    assert f"{stick / 'lost+found'} is passed over: this user may not read it" in said


def test_the_same_name_from_another_model_is_not_taken_for_it(shipped: Path, tmp_path: Path):
    write(shipped, MANIFEST + MADE + BRICK)
    stick = tmp_path / "stick"
    (stick / "other").mkdir(parents=True)
    (stick / "other" / "model.safetensors").write_bytes(b"another model")
    assert offers(stick) == ()
    snapshot = stick / "models--owner--vlm" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").write_bytes(CHECKPOINT)
    assert [file.path for file in taken(stick)["small"].files] == ["original/model.safetensors"]


def test_what_cannot_be_read_is_left_out(shipped: Path, tmp_path: Path):
    stick = tmp_path / "stick"
    (stick / "a").mkdir(parents=True)
    (stick / "a" / "stt.bin").symlink_to(stick / "nowhere")
    (stick / "b").mkdir()
    (stick / "b" / "stt.bin").write_bytes(STT)
    result = taken(stick)["small"]
    assert [file.path for file in result.files] == ["stt.bin"]
    assert [file.path for file in result.lacking] == ["voice.onnx"]
    (stick / "voice.onnx").write_bytes(VOICE)
    assert taken(stick)["small"].pack


def test_a_stick_that_fails_half_way_brings_no_part_of_a_file(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The SHA-256 of this file is unknown, so that only its length can be checked."""
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "voice.onnx").write_bytes(VOICE)

    class Worn(io.BytesIO):
        """A file whose second half cannot be read."""

        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise OSError(errno.EIO, "Input/output error")
            return super().read(len(VOICE) // 2)

    with monkeypatch.context() as worn, open(stick / "voice.onnx", "rb") as whole:
        Worn.fileno = lambda self: whole.fileno()  # type: ignore[method-assign]
        worn.setattr("models.install.import_folder.open_within", lambda path, folder: Worn(VOICE))
        assert taken(stick)["small"] == InstallResult(
            (), (), Store(read_manifest(shipped / "small")).lacking(), None
        )
    assert [path.name for path in (cached(shipped) / "parts" / "small").iterdir()] == [".lock"]
    assert [file.path for file in taken(stick)["small"].recorded] == ["voice.onnx"]


def test_a_stick_with_more_than_the_disk_holds_is_not_begun(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "stt.bin").write_bytes(STT)
    usage = shutil.disk_usage(shipped)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=65_000_000))
    with pytest.raises(StoreError, match="65 MB free"):
        taken(stick)
    assert [path.name for path in (cached(shipped) / "parts" / "small").iterdir()] == [".lock"]


def test_a_folder_without_a_packs_files_offers_none(shipped: Path, tmp_path: Path):
    (tmp_path / "stick").mkdir()
    (tmp_path / "stick" / "song.bin").write_bytes(STT)
    assert offers(tmp_path / "stick") == ()
