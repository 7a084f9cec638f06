"""A folder with several packs, or with a pack.toml of something else; what an import leaves that is ended."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from models.install.fetch import InstallResult
from models.install.http_download import TransferContext
from models.install.import_folder import import_pack_files, offers
from models.install.staging import Store, StoreError
from models.pack.catalogue import known_packs, load_pack
from models.pack.manifest import PackError, read_manifest
from tests.models.install.file_kinds import onnx
from tests.models.install.packs_bench import BRICK, MANIFEST, STT, VOICE, cached, ship

OTHER_VOICE = onnx(b"of somebody else")


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return ship(tmp_path, monkeypatch)


def pack(folder: Path, name: str, voice: bytes = VOICE, version: str = "1") -> Path:
    """A whole pack, of whose voice the pack.toml has no SHA-256."""
    folder.mkdir(parents=True)
    text = (
        (MANIFEST + BRICK).replace('"small"', f'"{name}"').replace('version = "1"', f'version = "{version}"')
    )
    (folder / "pack.toml").write_text(text)
    (folder / "stt.bin").write_bytes(STT)
    (folder / "voice.onnx").write_bytes(voice)
    return folder


def taken(folder: Path, name: str, said: list[str]) -> InstallResult:
    """What an import of one pack brings."""
    (offer,) = offers(folder, name, said.append)
    return import_pack_files(offer, folder, TransferContext(say=said.append))


def test_a_file_without_a_known_sum_is_that_of_the_pack_beside_it(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sum of one is not known from the other, as each is brought to a computer of its own."""
    stick = tmp_path / "stick"
    said: list[str] = []
    pack(stick / "a", "other", OTHER_VOICE)
    pack(stick / "b", "mine")
    for name, voice, folder in (("other", OTHER_VOICE, "a"), ("mine", VOICE, "b")):
        monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / name))
        brought = taken(stick, name, said)
        assert brought.pack is not None and (brought.pack / "voice.onnx").read_bytes() == voice
        assert f"voice.onnx: taken from {stick / folder / 'voice.onnx'}" in said


@pytest.mark.parametrize("name", ["mine", "small"])
def test_a_file_without_a_known_sum_is_not_taken_from_another_pack(
    shipped: Path, tmp_path: Path, name: str
) -> None:
    """Neither for a pack on the stick that lacks it, nor for one of the program's."""
    stick = tmp_path / "stick"
    said: list[str] = []
    pack(stick / "a", "first", OTHER_VOICE)
    (pack(stick / "b", "mine") / "voice.onnx").unlink()
    brought = taken(stick, name, said)
    assert [file.path for file in brought.files] == ["stt.bin"]
    assert [file.path for file in brought.lacking] == ["voice.onnx"]
    assert any(f"is taken for voice.onnx of pack '{name}'" in sentence for sentence in said)


def test_two_that_say_different_things_of_one_pack_are_refused(shipped: Path, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    for folder, version in (("a", "1"), ("b", "2")):
        pack(stick / folder, "mine", version=version)
    with pytest.raises(PackError, match=r"/a and .*/b both have a pack 'mine', and not the same one"):
        offers(stick)
    (offer,) = offers(stick / "b", "mine")
    assert offer.manifest.version == "2"
    assert [offer.manifest.name for offer in offers(stick, "small")] == ["small"]
    (stick / "b" / "pack.toml").write_text((stick / "a" / "pack.toml").read_text())
    assert len(offers(stick)) == 2  # small and mine


def test_the_name_of_a_pack_that_comes_with_the_program_is_refused(shipped: Path, tmp_path: Path) -> None:
    pack(shipped / "own", "own")
    stick = tmp_path / "stick"
    said: list[str] = []
    pack(stick / "own", "own", version="2")
    for file in ("stt.bin", "voice.onnx"):  # nothing else is to be taken there
        (stick / "own" / file).unlink()
    for name in ("", "own"):
        with pytest.raises(PackError, match="has a pack 'own', as the one that comes with this program"):
            offers(stick, name)
    pack(stick / "mine", "mine")
    assert "mine" in {offer.manifest.name for offer in offers(stick, say=said.append)}
    assert len(said) == 1 and said[0].startswith(f"Passed over: {stick / 'own'} has a pack 'own'")


def test_a_pack_toml_of_another_program_keeps_nothing_from_being_taken(shipped: Path, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    said: list[str] = []
    (stick / "game").mkdir(parents=True)
    (stick / "game" / "pack.toml").write_text('pack-format = "packwiz:1.1.0"\n')
    for folder in (stick, stick / "game"):
        with pytest.raises(PackError, match=r"game/pack\.toml has the unknown key pack-format"):
            offers(folder)
    pack(stick / "mine", "mine")
    assert taken(stick, "mine", said).pack is not None
    assert said[0].startswith(f"Passed over: {stick / 'game' / 'pack.toml'} has the unknown key")


@pytest.mark.parametrize("ending", [KeyboardInterrupt(), OSError(5, "Input/output error")])
def test_a_copy_that_is_ended_leaves_nothing(shipped: Path, tmp_path: Path, ending: BaseException) -> None:
    stick = pack(tmp_path / "stick", "mine")

    def end(have_bytes: int, size_bytes: int) -> None:
        raise ending

    (offer,) = offers(stick, "mine")
    with pytest.raises((KeyboardInterrupt, StoreError)):
        import_pack_files(offer, stick, TransferContext(progress=end))
    parts = cached(shipped) / "parts" / "mine"
    assert [path.name for path in parts.iterdir()] == [".lock"]


def test_what_a_killed_copy_left_goes_with_the_next_import(shipped: Path, tmp_path: Path) -> None:
    parts = cached(shipped) / "parts" / "mine"
    (parts / "vision").mkdir(parents=True)
    (parts / "vision" / "eye.onnx.copy").write_bytes(b"half")
    (parts / "stt.bin.part").write_bytes(b"half of a download")
    stick = pack(tmp_path / "stick", "mine")
    (stick / "stt.bin").unlink()
    assert taken(stick, "mine", []).pack is None
    assert not (parts / "vision" / "eye.onnx.copy").exists() and (parts / "stt.bin.part").exists()


def test_a_link_that_leads_out_of_an_installed_pack_is_replaced(shipped: Path, tmp_path: Path) -> None:
    stick, outside = pack(tmp_path / "stick", "mine"), tmp_path / "elsewhere.bin"
    installed = taken(stick, "mine", []).pack
    assert installed is not None
    (installed / "stt.bin").rename(outside)
    (installed / "stt.bin").symlink_to(outside)
    with pytest.raises(
        PackError, match=r"'stt\.bin' is a link to something outside its folder: put the file"
    ):
        read_manifest(installed)
    assert [file.path for file in Store(read_manifest(stick)).lacking()] == ["stt.bin"]
    again = taken(stick, "mine", []).pack
    assert again is not None and not (again / "stt.bin").is_symlink()
    assert outside.read_bytes() == STT


def test_a_switch_that_was_killed_leaves_no_pack_of_another_name(shipped: Path, tmp_path: Path) -> None:
    stick = pack(tmp_path / "stick", "mine")
    taken(stick, "mine", [])
    link = cached(shipped) / "packs" / "mine"
    for name in (".mine.4711", ".mine.x.4711"):
        (link.parent / name).symlink_to(link.resolve())
    assert set(known_packs()) == {"mine", "small"}
    (stick / "pack.toml").write_text((stick / "pack.toml").read_text() + "# another\n")
    assert taken(stick, "mine", []).pack is not None
    assert sorted(path.name for path in link.parent.iterdir()) == [".mine.x.4711", "mine"]


def test_an_old_version_that_cannot_be_removed_keeps_no_new_one_away(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path, ignore_errors: bool = False) -> None:
        if not ignore_errors:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "stt.bin")

    stick = pack(tmp_path / "stick", "mine")
    store = cached(shipped) / "store"
    with monkeypatch.context() as patch:
        for version in "123":
            (stick / "pack.toml").write_text((stick / "pack.toml").read_text() + f"# {version}\n")
            assert taken(stick, "mine", []).pack is not None
            min(store.iterdir(), key=lambda path: path.stat().st_mtime_ns).chmod(0o500)
            patch.setattr("models.install.staging.shutil.rmtree", refuse)
    (stick / "pack.toml").write_text((stick / "pack.toml").read_text() + "# the last\n")
    assert taken(stick, "mine", []).pack is not None
    assert len(list(store.iterdir())) == 2  # this one, and the one before


@pytest.mark.parametrize("number", [errno.EXDEV, errno.EPERM])
def test_where_no_second_name_can_be_made_the_files_are_copied(
    shipped: Path, tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On another disk than the parts, or on one without hard links."""

    def refuse(*names: Path) -> None:
        raise OSError(number, os.strerror(number), *names[:1])

    stick = pack(tmp_path / "stick", "mine")
    monkeypatch.setattr(os, "link", refuse)
    installed = taken(stick, "mine", []).pack
    assert installed is not None and (installed / "stt.bin").read_bytes() == STT
    assert [path.name for path in (cached(shipped) / "parts" / "mine").iterdir()] == [".lock"]
    assert load_pack("mine").root == installed


def test_a_disk_without_links_is_one_sentence_and_the_parts_stay(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*names: object, **more: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM), str(names[-1]))

    stick = pack(tmp_path / "stick", "mine")
    monkeypatch.setattr(Path, "symlink_to", refuse)
    with pytest.raises(
        StoreError, match=r"No link can be made in .*: set HEADBAND_CACHE to a folder on another"
    ):
        taken(stick, "mine", [])
    assert (cached(shipped) / "parts" / "mine" / "stt.bin").read_bytes() == STT
    assert list((cached(shipped) / "store").iterdir()) == []


def test_known_files_that_are_nested_too_deeply_are_one_sentence(shipped: Path) -> None:
    known = cached(shipped) / "known-files.json"
    known.parent.mkdir(parents=True)
    known.write_text("[" * 100_000)
    with pytest.raises(StoreError, match=r"known-files\.json can't be read"):
        Store(read_manifest(shipped / "small")).wanted()
