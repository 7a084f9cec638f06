"""What is written of packs is written whole, and a pack.toml is read whoever's editor wrote it."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pytest

from models.pack import catalogue
from models.pack.brick_settings import SpeechToTextSettings
from models.pack.catalogue import find_pack, main, pack_names, seal, write_memo
from models.pack.manifest import PackError, read_manifest
from models.pack.sha256 import sums_apart

MANIFEST = 'name = "own"\n\n[[file]]\npath = "stt.bin"\n'


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pack of one file that is not sealed yet."""
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "cache" / "packs" / "own"
    folder.mkdir(parents=True)
    (folder / "pack.toml").write_text(MANIFEST)
    (folder / "stt.bin").write_bytes(b"weights")
    return folder


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that takes no byte more."""

    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("models.atomic_file.os.fsync", refuse)


def test_a_full_disk_leaves_the_manifest_as_it_was(
    own: Path, full: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["seal", str(own)]) == 1
    assert capsys.readouterr().err == f"{own / 'pack.toml'} can't be used (No space left on device).\n"
    assert (own / "pack.toml").read_text() == MANIFEST
    assert sorted(path.name for path in own.iterdir()) == ["pack.toml", "stt.bin"]


def test_sealing_keeps_permissions_and_a_link(own: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared.toml"
    (own / "pack.toml").rename(shared)
    shared.chmod(0o640)
    (own / "pack.toml").symlink_to(shared)
    seal(own)
    assert (own / "pack.toml").is_symlink() and "sha256 = " in shared.read_text()
    assert shared.stat().st_mode & 0o777 == 0o640


def test_a_full_disk_keeps_the_memory_of_sums_and_leaves_nothing(
    own: Path, full: None, tmp_path: Path
) -> None:
    memo = tmp_path / "cache" / "verified.json"
    memo.write_text("{}")
    write_memo({str(own / "stt.bin"): [7, 0, 0, ""], "\0": []})
    assert memo.read_text() == "{}"
    assert sorted(path.name for path in memo.parent.iterdir()) == ["packs", "verified.json"]


def test_a_manifest_may_begin_with_the_mark_of_an_editor(own: Path) -> None:
    (own / "pack.toml").write_text(MANIFEST, encoding="utf-8-sig")
    assert read_manifest(own).text == MANIFEST
    seal(own)
    assert main(["verify", "own"]) == 0


def test_why_a_manifest_cannot_be_read_is_told_in_words(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own / "pack.toml").write_bytes(b'name = "caf\xe9"\n')
    with pytest.raises(PackError, match=r"pack\.toml can't be read: it is not text in UTF-8\.$"):
        read_manifest(own)

    def refuse(path: Path, *rest: object, **more: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PackError, match=r"pack\.toml can't be read: Permission denied\.$"):
        read_manifest(find_pack("own"))


@pytest.mark.parametrize("key", ["licence", "recorded"])
def test_what_is_said_of_a_file_can_be_shown(own: Path, key: str) -> None:
    (own / "pack.toml").write_text(MANIFEST + f'{key} = "\\u001b[2J"\n')
    with pytest.raises(PackError, match=f"Pack 'own': the {key} of stt.bin has characters in pack.toml that"):
        read_manifest(own)


def test_a_pack_that_cannot_be_looked_at_hides_no_other(own: Path) -> None:
    sick = own.parent / "sick"
    sick.mkdir()
    (sick / "pack.toml").write_text(f'name = "sick"\n[[file]]\npath = "{"n" * 300}.bin"\n')
    assert {"own", "micro"} <= set(pack_names()) and "sick" not in pack_names()


def test_a_recogniser_hears_a_second_at_least() -> None:
    assert SpeechToTextSettings(audio_ctx=(1, 50)).audio_ctx == (1, 50)
    with pytest.raises(ValueError, match="a length of 50 or more, a second"):
        SpeechToTextSettings(audio_ctx=(1, 49))


def test_sums_are_read_here_where_no_other_process_can_be_started(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*words: object, **how: object) -> None:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    seal(own)
    monkeypatch.setattr(subprocess, "run", refuse)
    assert sums_apart([own / "stt.bin"]) == {}
    assert catalogue.load_pack("own").name == "own"


def test_a_pack_is_meant_before_a_folder_of_its_name_where_the_person_stands(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    for name in ("own", "other"):
        (here / name).mkdir(parents=True)
        (here / name / "pack.toml").write_text(MANIFEST.replace("own", name))
    monkeypatch.chdir(here)
    assert find_pack("own").samefile(own)
    assert find_pack("./own").samefile(here / "own")
    assert find_pack("other").samefile(here / "other") and find_pack("other/pack.toml").name == "other"
