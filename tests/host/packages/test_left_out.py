"""A headband does without what is left out of its packages: what the application imports is there."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from host.cli.main import main
from host.packages.left_out import FILES, KEPT, PACKAGES, left_out_packages_bytes
from host.packages.locks import ROOT, SENT, normalised, requirements
from host.packages.notice import on_the_headband
from host.ship import command
from host.ship.release import Environment, release_file
from host.ship.target.building import USED
from host.ship.unpack import is_left_out
from host.ship.wheels.wheelhouse import installed_bytes
from tests.rooms import FOLDERS, MODULES, imports

ONLY_IN_A_CHECKOUT = ("models.train", "models.convert", "firmware")
"""Their modules run with the training environment, or on the microcontroller."""
ELSEWHERE = {
    "huggingface_hub": "models.install.hub_urls: its address stands in a release",
    "packaging": "host.packages.locks, where a deploy begins",
    "rknnlite": "an NPU's owner installs it",
    "ppk2_api": "a meter's owner installs it",
    "joulescope": "the same",
    "Monsoon": "the same",
}
"""Libraries that a module imports if it can, or only where there are other packages too."""
IMPORT_ALL = """
import importlib, importlib.util, json, sys
modules, libraries = json.loads(sys.argv[1])
missing = [each for each in libraries if importlib.util.find_spec(each) is None]
for each in modules:
    importlib.import_module(each)
from models.listening.wake_word import WakeWord
WakeWord()
import llama_cpp
print(json.dumps([missing, sorted({each.partition(".")[0] for each in sys.modules})]))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of this computer's environment that a headband gets, with the files that it gets."""
    folder, sent = tmp_path_factory.mktemp("site-packages"), on_the_headband()
    for package in metadata.distributions():
        for file in package.files or () if normalised(package.name) in sent else ():
            source = Path(str(package.locate_file(file)))
            if ".." in file.parts or "__pycache__" in file.parts or is_left_out(str(file), FILES, KEPT):
                continue
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            if source.exists() and not (folder / file).exists():
                (folder / file).symlink_to(source)
    return folder


def python(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs Python with those packages and the application, and without this environment's own packages."""
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{site}:{ROOT}", "HEADBAND_CONFIG": ""}
    return subprocess.run(
        [sys.executable, "-S", "-B", *words], env=environment, capture_output=True, text=True, timeout=120
    )


def test_everything_that_the_application_imports_is_on_the_headband(site: Path) -> None:
    modules = [name for name in MODULES if not name.startswith(ONLY_IN_A_CHECKOUT)]
    used = {each.partition(".")[0] for name in modules for each in imports(name, at_module_level=False)}
    libraries = sorted(used - set(FOLDERS) - set(sys.stdlib_module_names) - set(ELSEWHERE))
    assert {"numpy", "llama_cpp", "piper", "tqdm"} <= set(libraries)
    for optional in ("models.bricks.eye.vision_rknn", "host.__main__"):
        modules.remove(optional)
    done = python(site, "-c", IMPORT_ALL, json.dumps([modules, libraries]))
    assert done.returncode == 0, done.stderr
    missing, loaded = json.loads(done.stdout.splitlines()[-1])
    assert missing == []
    assert set(loaded) & {"diskcache", "jinja2", "requests", "huggingface_hub", "httpx2"} == set()


def test_the_check_of_a_new_environment_accepts_it_and_notices_what_is_missing(site: Path) -> None:
    done = python(site, "-c", f"import {USED}")
    assert done.returncode == 0, done.stderr
    weights = site / KEPT[0]
    target = weights.readlink()
    weights.unlink()
    try:
        assert "Voice activity needs" in python(site, "-c", f"import {USED}").stderr
    finally:
        weights.symlink_to(target)


def test_every_package_that_is_left_out_is_in_the_locks() -> None:
    locked = {each.name for name in SENT for each in requirements((ROOT / name).read_text())}
    assert set(PACKAGES) <= locked


@pytest.mark.parametrize(
    ("path", "left_out"),
    [
        ("llama_cpp/__init__.py", True),
        ("llama_cpp/llama_cpp.py", False),
        ("llama_cpp/lib/libllama.so", False),
        ("llama_cpp/lib/libggml.so.0", False),
        ("llama_cpp/lib/libggml.so", True),
        ("llama_cpp/lib/libllama.so.0.5.0", True),
        ("lib/libllama.so", True),
        ("soxr/lib/x.so", False),
        ("numpy/linalg/tests/test_linalg.py", True),
        ("numpy/testing/__init__.py", False),
        ("silero_vad/data/silero_vad.jit", True),
        (KEPT[0], False),
    ],
)
def test_files_that_are_left_out(path: str, left_out: bool) -> None:
    assert is_left_out(path, FILES, KEPT) is left_out


def test_megabytes_before_and_after_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/__init__.py", bytes(3_000_000))
        archive.writestr("a/tests/test_a.py", bytes(1_000_000))
    environment = Environment({wheel.name: release_file(wheel)}, {}, {}, left_out=("*/tests/*",))
    monkeypatch.setattr(command, "environment_for", lambda say, npu: lambda machine, python: environment)
    assert main(["wheels"]) == 0
    said = capsys.readouterr().out
    here_mb = left_out_packages_bytes() / 1e6
    assert here_mb > 1
    assert f"installed 3 MB instead of {4 + here_mb:.0f}: left out are 1 MB of these wheels, and 14" in said
    assert f"({here_mb:.0f} MB as they are installed here)" in said


def test_sizes_are_told_of_what_is_installed_and_what_is_not(tmp_path: Path) -> None:
    wheel = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/__init__.py", bytes(1000))
        archive.writestr("a/tests/test_a.py", bytes(300))
    environment = Environment({wheel.name: release_file(wheel)}, {}, {}, left_out=("*/tests/*",))
    assert installed_bytes(environment) == (1000, 300)
