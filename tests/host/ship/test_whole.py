"""A folder on a headband is used only if it is complete; a half deleted or damaged one is built again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from host.ship.release import Environment
from host.ship.wheels import cross, wheelhouse
from host.ship.wheels.debian import Debian
from host.ship.whole import MANIFEST, is_complete, read_manifest, write_manifest
from tests.host.ship.bench import Bench

Damage = Callable[[Path], None]
WHEEL = "llama-1-py3-none-linux_aarch64.whl"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    b = Bench(tmp_path)
    yield b
    b.close()


def gone(path: Path) -> Damage:
    return lambda folder: (folder / path).unlink()


def altered(path: Path) -> None:
    """Changes one byte of a file."""
    with path.open("r+b") as file:
        first = file.read(1)
        file.seek(0)
        file.write(bytes([first[0] ^ 1]))


def test_a_release_that_a_power_cut_left_half_deleted_is_made_whole_by_the_next_deploy(bench: Bench) -> None:
    """The state after an interrupted `rmtree`: a file is missing, or the environment's interpreter."""
    old, new = bench.checkout("old", more=b"weights"), bench.checkout("new", more=b"other weights")
    first = bench.deploy(old, venv="old").release
    opt = bench.prefix / "opt/headband"
    bench.deploy(new, venv="new")
    for torn in ("models/weights.bin", "host/system/systemd_notify.py", "venv/bin/python", "venv/pyvenv.cfg"):
        (opt / "releases" / first / torn).unlink()
    assert bench.deploy(old, venv="old").release == first == bench.current and bench.runs
    assert (opt / "current/models/weights.bin").read_bytes() == b"weights"
    assert (opt / "current/venv/pyvenv.cfg").exists()
    assert not list(opt.glob("**/*.part"))


def test_a_running_release_that_is_damaged_is_mended_by_the_same_deploy(bench: Bench) -> None:
    root = bench.checkout("one", more=bytes(1000))
    first = bench.deploy(root)
    opt, pid = bench.prefix / "opt/headband", bench.pid
    altered(opt / "current/models/weights.bin")
    mended = bench.deploy(root)
    assert mended.changed and mended.release == first.release and mended.sent_bytes == 1000
    assert (opt / "current/models/weights.bin").read_bytes() == bytes(1000)
    assert bench.runs and bench.pid != pid, "it ran on the damaged file"
    (opt / "current/venv/pyvenv.cfg").unlink()
    assert bench.deploy(root).changed and (opt / "current/venv/pyvenv.cfg").exists() and bench.runs
    assert not bench.deploy(root).changed


def test_a_file_that_was_damaged_in_the_store_is_sent_again(bench: Bench) -> None:
    weights = bytes(500)
    bench.deploy(bench.checkout("one", more=weights))
    altered(bench.prefix / "opt/headband/current/models/weights.bin")  # the same file by two names
    two = bench.deploy(bench.checkout("two", more=weights))
    assert two.sent_bytes > 500
    assert (bench.prefix / "opt/headband/current/models/weights.bin").read_bytes() == weights


def test_releases_of_before_the_manifests_are_taken_over(bench: Bench) -> None:
    root = bench.checkout("one")
    first = bench.deploy(root)
    for manifest in (bench.prefix / "opt/headband").glob("*/*/manifest.json"):
        manifest.unlink()
    assert bench.deploy(root).changed and bench.current == first.release and bench.runs
    assert not bench.deploy(root).changed


def written(name: str, text: str) -> Damage:
    def damage(folder: Path) -> None:
        (folder / name).write_text(text)

    return damage


def a_folder_instead(folder: Path) -> None:
    (folder / "a").unlink()
    (folder / "a").mkdir()


def a_link_instead(folder: Path) -> None:
    (folder / "a").rename(folder / "c")
    (folder / "a").symlink_to("c")


def another_link(folder: Path) -> None:
    (folder / "deep/link").unlink()
    (folder / "deep/link").symlink_to("b")


def renamed_in_manifest(folder: Path) -> None:
    """The file is renamed as well, as where a folder would be made from a damaged manifest."""
    (folder / "a").rename(folder / "c")
    (folder / MANIFEST).write_text((folder / MANIFEST).read_text().replace('"a"', '"c"'))


DAMAGE: dict[str, tuple[Damage, bool]] = {
    "nothing": (lambda folder: None, True),
    "one more file": (written("more", ""), True),
    "a file is gone": (gone(Path("a")), False),
    "a file is longer": (written("a", "longer"), False),
    "a file is another": (lambda folder: altered(folder / "a"), False),
    "a folder in its place": (a_folder_instead, False),
    "a link in its place": (a_link_instead, False),
    "a link is gone": (gone(Path("deep/link")), False),
    "a link points elsewhere": (another_link, False),
    "the manifest is gone": (gone(Path(MANIFEST)), False),
    "the manifest is empty": (written(MANIFEST, ""), False),
    "a name in the manifest is another": (renamed_in_manifest, False),
    "the manifest is another list": (written(MANIFEST, '{"files": {"a": [1]}}'), False),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_folder_is_whole_when_every_file_of_its_manifest_is_right(tmp_path: Path, name: str) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a").write_bytes(b"four")
    (tmp_path / "deep/b").write_bytes(b"five!")
    (tmp_path / "deep/link").symlink_to("..")
    write_manifest(tmp_path)
    listed = read_manifest(tmp_path)
    assert listed is not None and set(listed.files) == {"a", "deep/b"} and listed.links == {"deep/link": ".."}
    damage, stays = DAMAGE[name]
    damage(tmp_path)
    assert is_complete(tmp_path, read=True) is stays
    assert is_complete(tmp_path, read=False) is (stays or name == "a file is another")


def test_wheels_of_this_computers_cache_are_held_against_their_lock_at_each_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hashlib

    said: list[str] = []
    lock = "a==1 \\\n    --hash=sha256:" + hashlib.sha256(b"a wheel").hexdigest() + "\n"
    for name in ("requirements.lock", "requirements-native.lock", "requirements-build.lock"):
        (tmp_path / name).write_text("" if name == "requirements-build.lock" else lock)
    (tmp_path / "requirements-native.cmake").touch()

    def download(lock: str, folder: Path, words: list[str]) -> None:
        if lock:
            (folder / "a-1.whl").write_bytes(b"a wheel")

    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(wheelhouse, "download", download)

    def fetched() -> int:
        said.clear()
        made: Environment = wheelhouse.wheelhouse(said.append, "x86_64", tmp_path)
        assert [each.path.read_bytes() for each in made.wheels.values()] == [b"a wheel"]
        return len(said)

    assert (fetched(), fetched()) == (1, 0)
    wheel = next((tmp_path / "cache").glob("wheelhouse-*/wheels/a-1.whl"))
    stray = wheel.with_name("b-1.whl")
    damages: list[Callable[[], object]] = [
        lambda: altered(wheel), wheel.unlink, lambda: wheel.write_bytes(b""), wheel.with_name("b").mkdir,
        lambda: stray.write_bytes(b"stray"), lambda: stray.write_bytes(b"a wheel"),
        lambda: (wheel.parents[1] / "build/pip-1.whl").write_bytes(b"stray"),
    ]  # fmt: skip
    for damage in damages:
        damage()
        assert (fetched(), fetched()) == (1, 0)
    made = [path.name for path in (tmp_path / "cache").iterdir() if path.is_dir()]
    assert made == [wheel.parents[1].name]


def test_runtimes_that_were_compiled_here_are_compiled_again_where_one_is_torn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[Path] = []

    def compile_into(source: Path, build: Path, wheels: Path, debian: Debian) -> None:
        import zipfile

        compiled.append(wheels)
        with zipfile.ZipFile(wheels / WHEEL, "w") as archive:
            archive.writestr("llama.so", b"ELF")

    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    monkeypatch.setattr(cross, "_compile", compile_into)
    monkeypatch.setattr(cross, "_key", lambda source, debian: "key")
    sources = [tmp_path / "llama.tar.gz"]
    made = cross.cross_wheels(print, sources)
    assert list(made) == [WHEEL] and cross.cross_wheels(print, sources) == made and len(compiled) == 1
    (tmp_path / "cross-key/stray.whl").write_bytes(b"stray")
    assert not cross.are_made(sources) and list(cross.cross_wheels(print, sources)) == [WHEEL]
    assert len(compiled) == 2
    os.truncate(tmp_path / "cross-key" / WHEEL, 3)
    assert list(cross.cross_wheels(print, sources)) == [WHEEL] and len(compiled) == 3
    assert json.loads((tmp_path / "cross-key" / MANIFEST).read_text())["files"][WHEEL][0] > 3
