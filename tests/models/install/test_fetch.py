"""Download of packs: a pack is installed completely or not at all, wherever it is interrupted."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from models.install.fetch import InstallResult
from models.install.staging import Store, StoreError
from models.pack.catalogue import chosen_pack, find_pack, load_pack, pack_names
from models.pack.manifest import PackError, PackFile, Seal, read_manifest
from tests.models.install.file_kinds import onnx
from tests.models.install.misbehaving_hub import Hub
from tests.models.install.packs_bench import (
    BRICK,
    MANIFEST,
    ROOT,
    STT,
    VOICE,
    brought,
    cached,
    program,
    write,
)


def test_a_pack_without_files_says_how_to_get_them(shipped: Path):
    with pytest.raises(
        PackError, match=r"^Pack 'small' lacks 2 files of 2 MB or more; .*headband models fetch small$"
    ):
        load_pack("small")
    assert pack_names() == ()


def test_a_fetched_pack_is_whole_and_its_manifest_filled_in(shipped: Path, hub: Hub):
    result = brought(shipped, hub)
    assert [file.path for file in result.recorded] == ["voice.onnx"] and result.lacking == ()
    pack = load_pack("small")
    assert pack.root == result.pack and pack_names() == ("small",)
    assert (pack.root / "voice.onnx").read_bytes() == VOICE
    text = (pack.root / "pack.toml").read_text()
    assert "# Keep this comment." in text and 'recorded = "at first fetch on ' in text
    assert pack.files[1].sha256 == hashlib.sha256(VOICE).hexdigest()
    assert [p.name for p in (cached(shipped) / "parts" / "small").iterdir()] == [".lock"]
    assert brought(shipped, hub) == InstallResult((), (), (), None) and len(hub.requests) == 2


def test_what_was_hashed_while_it_came_is_not_read_again(
    shipped: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("models.pack.catalogue.sha256_of", lambda path: pytest.fail(f"{path} was read again"))
    brought(shipped, hub)
    load_pack("small")


def test_a_pack_that_is_not_whole_is_not_there(shipped: Path, hub: Hub):
    hub.faults += ["", "not-found"]
    with pytest.raises(StoreError, match=r"^voice\.onnx is not to be had .* 404 Not Found\.$"):
        brought(shipped, hub)
    assert pack_names() == () and find_pack("small") == shipped / "small"
    assert brought(shipped, hub).pack is not None
    assert hub.served_bytes == len(STT) + len(VOICE), "what was here was not fetched again"


def test_a_file_recorded_at_first_fetch_must_stay_the_same(shipped: Path, hub: Hub):
    brought(shipped, hub)
    shutil.rmtree(cached(shipped) / "store")
    hub.add("owner/voices", "en/voice.onnx", onnx(bytes(80_000)), "v1")
    with pytest.raises(
        StoreError, match=r"SHA-256 is wrong.*recorded here.*known-files\.json to trust another"
    ):
        brought(shipped, hub)
    assert pack_names() == ()
    (cached(shipped) / "known-files.json").unlink()
    assert brought(shipped, hub).recorded


def test_a_new_version_replaces_the_old_one_in_one_step(shipped: Path, hub: Hub):
    first = brought(shipped, hub).pack
    newer = onnx(b"newer")
    hub.add("owner/voices", "en/voice.onnx", newer, "v2")
    write(shipped, (MANIFEST + BRICK).replace("v1", "v2").replace('version = "1"', 'version = "2"'))
    hub.faults += ["busy"] * 50
    with pytest.raises(StoreError):
        brought(shipped, hub)
    assert load_pack("small").version == "1"
    hub.faults.clear()
    hub.requests.clear()
    second = brought(shipped, hub).pack
    assert load_pack("small").version == "2" and first is not None and second not in (None, first)
    assert len(hub.requests) == 1, "the unchanged file was not fetched again"
    assert (first / "voice.onnx").read_bytes() == VOICE, "who uses the old one still can"
    assert second is not None and os.path.samefile(first / "stt.bin", second / "stt.bin")


class Cut(BaseException):
    """A power cut."""


def test_whenever_the_power_goes_the_old_pack_or_the_new_one_is_there(
    shipped: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
):
    brought(shipped, hub)
    saved = shipped.parent / "saved"
    cached(shipped).rename(saved)
    newer = onnx(b"newer")
    hub.add("owner/voices", "en/voice.onnx", newer, "v2")
    write(shipped, (MANIFEST + BRICK).replace("v1", "v2").replace('version = "1"', 'version = "2"'))
    steps = {
        (os, "link"),
        (os, "fsync"),
        (os, "mkdir"),
        (Path, "replace"),
        (Path, "symlink_to"),
        (Path, "unlink"),
    }
    versions = []
    for last_step in range(200):
        shutil.rmtree(cached(shipped), ignore_errors=True)
        shutil.copytree(saved, cached(shipped), symlinks=True)
        left = [last_step]

        def step(act: Callable[..., object], left: list[int]) -> Callable[..., object]:
            def maybe(*values: object, **options: object) -> object:
                left[0] -= 1
                if left[0] < 0:
                    raise Cut
                return act(*values, **options)

            return maybe

        with monkeypatch.context() as cut:
            cut.setattr("models.install.staging.shutil.rmtree", lambda *_, **__: None)
            for owner, name in steps:
                cut.setattr(owner, name, step(getattr(owner, name), left))
            with contextlib.suppress(Cut):
                brought(shipped, hub)
        pack = load_pack("small")
        versions.append(pack.version)
        assert (pack.root / "voice.onnx").read_bytes() == {"1": VOICE, "2": newer}[pack.version]
        assert brought(shipped, hub).lacking == () and load_pack("small").version == "2"
        if left[0] >= 0:
            break
    assert versions == sorted(versions) and {"1", "2"} == set(versions) and len(versions) > 15


def test_a_damaged_file_is_fetched_again(shipped: Path, hub: Hub):
    brought(shipped, hub)
    model = load_pack("small").root / "stt.bin"
    model.write_bytes(b"damaged")
    with pytest.raises(PackError, match="headband models fetch small brings it again"):
        load_pack("small")
    hub.requests.clear()
    brought(shipped, hub)
    assert len(hub.requests) == 1 and load_pack("small").root.joinpath("stt.bin").read_bytes() == STT


def test_a_disk_without_room_is_seen_before_anything_is_fetched(
    shipped: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
):
    usage = shutil.disk_usage(shipped)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=65_000_000))
    with pytest.raises(StoreError, match="65 MB free, and pack 'small' needs 69 MB"):
        brought(shipped, hub)
    assert hub.requests == []


def test_two_at_once_do_not_get_in_each_others_way(shipped: Path, hub: Hub):
    store = Store(read_manifest(shipped / "small"))
    with store.locked(), pytest.raises(StoreError, match="being brought already"):
        brought(shipped, hub)


def test_a_file_system_without_locks_keeps_no_pack_away(
    shipped: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
):
    def refuse(file: object, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", refuse)
    result = brought(shipped, hub)
    assert result.pack and [file.path for file in result.recorded] == ["voice.onnx"]


def test_packs_that_come_at_once_forget_nothing_of_each_other(shipped: Path):
    """A process that has read the manifest before must not overwrite the SHA-256 that another one
    recorded.
    """
    names = [f"pack{number}" for number in range(4)]
    for name in names:
        write(shipped, (MANIFEST + BRICK).replace('"small"', f'"{name}"').replace("owner/voices", name), name)
    children = []
    for name in names:
        child = os.fork()
        if child:
            children.append(child)
            continue
        status = 1
        try:
            for number in range(25):
                text = (shipped / name / "pack.toml").read_text().replace("v1", f"v{number}")
                (shipped / name / "pack.toml").write_text(text)
                store = Store(read_manifest(shipped / name))
                voice = store.manifest.files[1]
                store.staged(voice).parent.mkdir(parents=True, exist_ok=True)
                store.staged(voice).write_bytes(VOICE)
                store.record_arrival(
                    voice, Seal(len(VOICE), hashlib.sha256(VOICE).hexdigest()), "at first fetch"
                )
                (shipped / name / "pack.toml").write_text(text.replace(f"v{number}", "v1"))
            status = 0
        finally:
            os._exit(status)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * len(names)
    assert len(json.loads((cached(shipped) / "known-files.json").read_text())) == 25 * len(names)


@pytest.mark.parametrize("damage", ["no json", json.dumps([])])
def test_lost_memory_of_trusted_files_is_told_or_empty(shipped: Path, hub: Hub, damage: str):
    brought(shipped, hub)
    (cached(shipped) / "known-files.json").write_text(damage)
    if damage == "no json":
        with pytest.raises(StoreError, match="move it away to have them trusted anew"):
            brought(shipped, hub)
    else:
        assert brought(shipped, hub).recorded


def command(shipped: Path, hub: Hub) -> list[str]:
    return [sys.executable, "-c", program(shipped, hub.address)]


def surroundings(shipped: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "HEADBAND_CACHE": str(cached(shipped))}


def test_killed_at_any_moment_it_goes_on_where_it_was(shipped: Path, hub: Hub):
    hub.pause_s = 0.01
    chance = random.Random(5)
    environment = surroundings(shipped)
    part = cached(shipped) / "parts" / "small" / "stt.bin.part"
    begun = 0
    for _ in range(4):
        asked = len(hub.requests)
        process = subprocess.Popen(
            command(shipped, hub), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline_s = time.monotonic() + 20
        while len(hub.requests) == asked and process.poll() is None and time.monotonic() < deadline_s:
            time.sleep(0.002)
        time.sleep(chance.uniform(0.0, 0.08))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if 0 < begun < len(STT) and len(hub.requests) > asked:
            assert hub.requests[asked][1] == f"bytes={begun}-", "not one byte that is here is read again"
        begun = part.stat().st_size if part.exists() else 0
        assert pack_names() in ((), ("small",))
        if pack_names():
            load_pack("small")
    assert any(range_ for _, range_ in hub.requests), "nothing was continued"
    hub.pause_s = 0.0
    subprocess.run(command(shipped, hub), env=environment, check=True, stdout=subprocess.DEVNULL)
    pack = load_pack("small")
    assert (pack.root / "stt.bin").read_bytes() == STT and (pack.root / "voice.onnx").read_bytes() == VOICE


def test_a_resumed_download_reads_less_than_a_mebibyte_twice(shipped: Path, hub: Hub):
    hub.drop_at = 1_200_000
    hub.faults += ["drop", "not-found"]
    with pytest.raises(StoreError):
        brought(shipped, hub)
    brought(shipped, hub)
    assert hub.served_bytes - len(STT) - len(VOICE) < 1 << 20
    assert hub.served_bytes == len(STT) + len(VOICE)


@pytest.mark.skipif(
    subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0 if shutil.which("unshare")
    else True, reason="a small disk of one's own needs unshare",
)  # fmt: skip
def test_a_disk_that_becomes_full_keeps_whole_files_only(shipped: Path, hub: Hub):
    disk = cached(shipped)
    disk.mkdir()
    code = program(
        shipped, hub.address, "import models.install.staging as staging; staging.SPARE_BYTES = -10**12; "
    )
    shell = f"mount -t tmpfs -o size=1m tmpfs {disk} && {sys.executable} -c '$CODE'; find {disk} -type f"
    printable = subprocess.run(
        ["unshare", "-rm", "sh", "-c", shell.replace("'$CODE'", '"$CODE"')],
        env={**surroundings(shipped), "CODE": code}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "code 1" in printable.stdout and "disk became full" in printable.stderr, printable
    assert [Path(line).name for line in printable.stdout.partition("code 1")[2].split()] == [".lock"]


def test_the_published_packs_manifests_are_sound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    for name in ("standard", "fast", "paper"):
        manifest = read_manifest(ROOT / "models" / "packs" / name)
        assert set(manifest.bricks) == {"stt", "vision", "llm", "tts", "recall", "text"}
        for file in manifest.files:
            assert file.licence and bool(file.source) != bool(file.made_from), file.path
        with pytest.raises(PackError, match=f"headband models fetch {name}$"):
            load_pack(name)
        load_pack_without_files(name)
    assert chosen_pack() == "micro"


def load_pack_without_files(name: str) -> tuple[PackFile, ...]:
    """The bricks in the manifest are valid."""
    return load_pack(name, verify=False).files
