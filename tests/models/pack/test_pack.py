"""Packs: the error sentences for missing, truncated and damaged files, and sealing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from models.brick import Placement
from models.pack import catalogue as packs
from models.pack.catalogue import PACKS_FOLDER, PackError, find_pack, load_pack, main, seal
from models.pack.sha256 import sha256_of, sums_apart

MANIFEST = """\
name = "little"
version = "3"
description = "for tests"
licence = "MIT"
restore = "just models fetch little"

[[file]]  # the only one
path = "model.bin"
licence = "CC0-1.0"

[brick.stt]
runtime = "whisper.cpp"
files = { model = "model.bin" }
placement = "npu"
memory_mib = 12
[brick.stt.settings]
audio_ctx = [128, 256]
"""


@pytest.fixture
def little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sealed pack of one file, in a cache folder of its own."""
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "cache" / "packs" / "little"
    monkeypatch.setattr(packs, "PACKS_FOLDER", folder.parent)
    folder.mkdir(parents=True)
    (folder / "pack.toml").write_text(MANIFEST)
    (folder / "model.bin").write_bytes(b"weights" * 1000)
    seal(folder)
    return folder


def change(path: Path, data: bytes) -> None:
    """Replace a file's contents as a damaged disk or an incomplete copy would."""
    path.write_bytes(data)
    os.utime(path, ns=(1, path.stat().st_ino))


def test_a_pack_is_found_by_name_and_by_path(little: Path):
    for name in ("little", little, little / "pack.toml"):
        pack = load_pack(name)
        assert (pack.name, pack.version, pack.root) == ("little", "3", little)
    spec = pack.bricks["stt"]
    assert (spec.placement, spec.memory_mib, spec.module) == (Placement.NPU, 12, "models.bricks.stt")
    assert spec.options == {"model": str(little / "model.bin"), "audio_ctx": [128, 256]}
    assert pack.files[0].licence == "CC0-1.0"


def test_sealing_keeps_comments_and_is_repeatable(little: Path):
    text = (little / "pack.toml").read_text()
    assert "[[file]]  # the only one" in text and "size = 7000" in text
    seal(little)
    assert (little / "pack.toml").read_text() == text


@pytest.mark.parametrize(
    "table", ["  [[file]]\n  path = 'model.bin'", "[[ file ]]\npath='model.bin'\nsize=3"]
)
def test_a_table_that_is_written_in_another_way_is_sealed(little: Path, table: str):
    (little / "pack.toml").write_text(MANIFEST.replace('[[file]]  # the only one\npath = "model.bin"', table))
    seal(little)
    assert load_pack(little).files[0].size_bytes == 7000


def test_what_cannot_be_sealed_is_one_sentence_and_stays(little: Path, capsys):
    own = 'name = "little"\nfile = [{ path = "model.bin" }]\n'
    (little / "pack.toml").write_text(own)
    assert main(["seal", str(little)]) == 2
    assert (
        "of model.bin can't be written into pack.toml: its [[file]] has to begin" in capsys.readouterr().err
    )
    assert (little / "pack.toml").read_text() == own


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda f: (f / "model.bin").unlink(), "lacks model.bin"),
        (lambda f: change(f / "model.bin", b"short"), "model.bin has 5 bytes instead of 7000"),
        (lambda f: change(f / "model.bin", b"Weights" + b"weights" * 999), "model.bin is damaged"),
    ],
)
def test_a_spoiled_file_is_named_with_its_remedy(little: Path, spoil, sentence: str, capsys):
    load_pack("little")
    spoil(little)
    with pytest.raises(PackError, match=sentence) as caught:
        load_pack("little")
    assert "just models fetch little" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert main(["verify", "little"]) == 2
    assert sentence.split()[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('version = "3"', "version = ", "can't be read"),
        ('version = "3"', 'colour = "red"', "unknown key colour; known: file, name,"),
        (
            'runtime = "whisper.cpp"',
            'runtime = "abacus"',
            r'\[brick.stt\] runtime is "abacus"; it must be one of "whisper.cpp", ',
        ),
        ("memory_mib = 12", "memory = 12", r"\[brick.stt\] has the unknown key memory; "),
        ('path = "model.bin"', 'path = "../../../../etc/passwd"', "outside its folder|isn't listed"),
        ('model = "model.bin"', 'model = "other.bin"', "other.bin isn't listed"),
        (
            "audio_ctx = [128, 256]",
            "model = '/etc/passwd'",
            r"\[brick.stt.settings\] has the unknown key model",
        ),
        (
            "audio_ctx = [128, 256]",
            "audio_ctx = [0]",
            "value 1 of .* audio_ctx is 0; it must be .* 1 to 1500",
        ),
        (
            "audio_ctx = [128, 256]",
            "audio_ctx = []",
            r"\[brick.stt.settings\] cannot be used: audio_ctx has to name a length",
        ),
        (
            "audio_ctx = [128, 256]",
            "audio_ctx = [[128]]",
            r"value 1 of .* audio_ctx is \[128\]; it must be a whole number",
        ),
        (
            "memory_mib = 12",
            "memory_mib = true",
            r"\[brick.stt\] memory_mib is true; it must be a whole number",
        ),
        ("[brick.stt]", "[brick.ears]", "a key here must be one of"),
        ("size = 7000", "size = -1", r"\[\[file\]\] 1 size is -1; it must be a whole number, 0 to "),
        ('version = "3"', "version = 3", "version is 3; it must be a text"),
        ('version = "3"', "version = " + "3" * 5000, "can't be read"),
    ],
)
def test_a_bad_manifest_is_one_sentence(little: Path, old: str, new: str, sentence: str):
    manifest = little / "pack.toml"
    manifest.write_text(manifest.read_text().replace(old, new))
    with pytest.raises(PackError, match=sentence):
        load_pack("little")


def test_a_copy_that_was_changed_is_not_told_to_restore_the_original(little: Path, tmp_path: Path, capsys):
    copy = tmp_path / "mine"
    shutil.copytree(little, copy)
    load_pack(copy)
    change(copy / "model.bin", b"better")
    with pytest.raises(PackError, match=f"where the change is meant.* seal {copy}$") as caught:
        load_pack(copy)
    assert "just models fetch" not in str(caught.value)
    assert main(["seal", str(copy)]) == 0 and load_pack(copy).root == copy
    (copy / "model.bin").unlink()
    with pytest.raises(PackError, match=r"lacks model\.bin .*copy it into") as caught:
        load_pack(copy)
    assert "just models fetch" not in str(caught.value)


@pytest.mark.parametrize(
    ("brick", "sentence"),
    [
        ('runtime = "whisper.cpp"', "files lacks 'model'"),
        ('runtime = "whisper.cpp"\nfiles = { modle = "model.bin" }', "unknown file 'modle'.*reads model"),
        ('runtime = "whisper.cpp"\nfiles = { model = "net.onnx" }', "'model' has to be a .bin file"),
        ('runtime = "llama.cpp"\nfiles = { model = "model.bin" }', "'model' has to be a .gguf file"),
        ('runtime = "piper"\nfiles = { model = "net.onnx" }', "files lacks 'config'"),
        ('runtime = "piper"\nfiles = { model = "net.onnx", config = "net.onnx" }', "'config' .*.json file"),
        ('runtime = "onnxruntime"\nfiles = "net.onnx"', 'files is "net.onnx"; it must be a table'),
        ('runtime = "onnxruntime"\nfiles = { model = 1 }', "model is 1; it must be a text"),
        ('runtime = "onnxruntime"\nfiles = { model = "/etc/passwd.onnx" }', "isn't listed"),
        ('runtime = "onnxruntime"\nnpu = 5', "npu is 5; it must be a table"),
        ('settings = { model = "/etc/passwd" }\nruntime = "whisper.cpp"', "has the unknown key model"),
        (
            'settings = { config = "/etc/passwd" }\nruntime = "whisper.cpp"\nfiles = { model = "model.bin" }',
            "has the unknown key config",
        ),
        (
            'settings = { sampling = { vad_model_path = "/etc/passwd" } }\nruntime = "whisper.cpp"\n'
            'files = { model = "model.bin" }',
            "has the unknown key vad_model_path",
        ),
    ],
)
def test_a_bricks_files_are_checked_when_the_pack_is_loaded(tmp_path: Path, brick: str, sentence: str):
    names = {'"onnxruntime"': "vision", '"llama.cpp"': "llm", '"piper"': "tts"}
    name = next((name for runtime, name in names.items() if runtime in brick), "stt")
    (tmp_path / "pack.toml").write_text(
        'name = "own"\n[[file]]\npath = "model.bin"\n[[file]]\npath = "net.onnx"\n'
        f"[brick.{name}]\nmemory_mib = 12\n{brick}\n"
    )
    with pytest.raises(PackError, match=sentence) as caught:
        load_pack(tmp_path, verify=False)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("brick", "runtime", "wanted"),
    [
        ("stt", "piper", "whisper.cpp"),
        ("vision", "piper", "onnxruntime"),
        ("recall", "onnxruntime-text", "onnxruntime"),
        ("text", "onnxruntime", "onnxruntime-text"),
        ("reflex", "onnxruntime-text", "onnxruntime-reflex"),
        ("motion", "llama.cpp", "onnxruntime-motion"),
        ("llm", "whisper.cpp", "llama.cpp"),
        ("tts", "llama.cpp", "piper"),
    ],
)
def test_a_brick_of_another_runtime_is_one_sentence(tmp_path: Path, brick: str, runtime: str, wanted: str):
    """Also where a further brick, the reflex one, reads what it gives."""
    reflex = (PACKS_FOLDER / "micro" / "pack.toml").read_text().partition("[brick.reflex]")[2]
    table = reflex.partition("\n[[file]]")[0]
    others = f"[brick.reflex]{table}\n" if brick == "vision" else ""
    (tmp_path / "pack.toml").write_text(
        f'name = "own"\nfile = []\n[brick.{brick}]\nmemory_mib = 12\nruntime = "{runtime}"\n{others}'
    )
    with pytest.raises(PackError, match=rf"'{brick}': its runtime has to be {wanted} in pack\.toml\.$"):
        load_pack(tmp_path, verify=False)


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../x.bin", "a/../../x.bin", "a/./x.bin", ".lock",
     "a/.hidden/x.bin", "pack.toml", "x.part",
     "a//x.bin", "", ".", "a\\u0007.bin", "a\\u0000.bin", "out/x.bin"],
)  # fmt: skip
def test_a_pack_names_only_files_of_its_own(tmp_path: Path, path: str):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "out").symlink_to("/etc")
    (tmp_path / "pack" / "pack.toml").write_text(f'name = "own"\n[[file]]\npath = "{path}"\n')
    sentence = r"outside its folder|a name that can't be used|must be a text"
    with pytest.raises(PackError, match=sentence) as caught:
        load_pack(tmp_path / "pack", verify=False)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "text",
    ['brick = 5', 'brick = [1]', '[brick]\nstt = 5', 'file = 5', 'file = ["x"]',
     '[[file]]\npath = "a.bin"\n[[file]]\npath = "a.bin"', 'description = "\\u001b[2J"',
     "# " + "x" * (1 << 20)],
)  # fmt: skip
def test_a_manifest_of_another_shape_is_one_sentence(tmp_path: Path, text: str):
    files = "" if "file" in text else '[[file]]\npath = "a.bin"\n'
    (tmp_path / "pack.toml").write_text(text + "\n" + files)
    with pytest.raises(PackError) as caught:
        load_pack(tmp_path, verify=False)
    assert str(caught.value).isprintable()


def test_files_in_a_folder_of_any_name_are_checked(little: Path):
    """A name in Linux is bytes: any but NUL and the slash. Model runtimes take UTF-8 only."""
    for name in (b"two\nlines", b"l\xe4rm"):
        folder = little.rename(little.parent / os.fsdecode(name))
        model = folder / "model.bin"
        assert sums_apart([model, folder / "none"]) == {model: sha256_of(model)}
        little = folder
    with pytest.raises(PackError, match=r"whose name is not UTF-8, .* give it another: .*l.udce4rm'"):
        load_pack(little)


def test_a_name_that_no_folder_can_have_is_an_unknown_pack():
    with pytest.raises(PackError, match="no model pack"):
        find_pack("x" * 300)


def test_an_unknown_pack_lists_the_known_ones(little: Path):
    with pytest.raises(PackError, match=r"There is no model pack 'huge'; known packs: .*little"):
        load_pack("huge")


def test_checksums_are_remembered(little: Path, monkeypatch: pytest.MonkeyPatch):
    load_pack("little")
    monkeypatch.setattr(packs, "sums_apart", lambda paths: pytest.fail("read again"))
    load_pack("little")
    (little.parent.parent / "verified.json").write_text("no json")
    with pytest.raises(pytest.fail.Exception):
        load_pack("little")


def test_a_start_checks_files_without_loading_openssl(little: Path):
    code = (
        "import sys; from models.pack.catalogue import load_pack; load_pack('little'); "
        "print('_hashlib' in sys.modules)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_sums_are_right_whoever_computes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    whole, gone = tmp_path / "a file", tmp_path / "gone"
    whole.write_bytes(b"abc")
    assert sums_apart([whole, gone]) == {whole: sha256_of(whole)}
    monkeypatch.setattr(sys, "executable", "false")
    assert sums_apart([whole]) == {}


def test_verify_prints_the_total(little: Path, capsys):
    assert main(["verify", str(little)]) == 0
    assert "pack 'little': 1 files" in capsys.readouterr().out
