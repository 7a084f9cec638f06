"""Builds a release and its Python environment on the headband's computer, from the files in `store/`. Sent to
the headband's computer: standard library only.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from host.ship.atomic import begin_folder, finish_folder
from host.ship.running import DeployRefused, check_compiler, run, say
from host.ship.target.device_rules import I2C_RULES
from host.ship.target.store import FileStore
from host.ship.target.supervise import OPT
from host.ship.unpack import BadWheel, is_left_out, unpack
from host.ship.verity import seal_all
from host.ship.whole import has_file, is_complete, read_manifest, write_manifest

ABOUT = "release.json"
"""A release's name, version, commit and environment."""
USED = (
    "_pywhispercpp, llama_cpp.llama_cpp, numpy, onnxruntime, piper, pymicro_wakeword, PIL.Image, smbus2, "
    "soxr, yaml, soundfile, PIL.PngImagePlugin, PIL.JpegImagePlugin, gpiod.line, hassil.intents, "
    "hassil.recognize, nacl.bindings, "
    "host.app.on_devices, host.cli.ask_run, host.doctor.command, hw.emulated.scene, hw.rk3566.board, "
    "models.bricks.llm, models.bricks.stt, models.bricks.tts, models.listening.voice_activity as activity; "
    "activity.weights_path()"
)
"""What a new environment has to import: a runtime needs system libraries besides its wheel, and files that
are left out may be needed by a later version; the service would start without them. The import also writes
compiled files, which the service's user may not write.
"""


def request_of(release: Path) -> dict[str, Any] | None:
    """What `ReleaseBuilder` needs to build an installed release again in the environment that it has; None
    where manifest or `release.json` can't be read.
    """
    listed = read_manifest(release)
    try:
        about = json.loads((release / ABOUT).read_text())
        named = {"id": release.name, "version": about["version"], "venv": about["venv"], "compiled": ""}
        named["commit"] = about.get("commit", "")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if listed is None:
        return None
    sent = {
        name: sha
        for name, (_, sha) in listed.files.items()
        if name != ABOUT and "__pycache__" not in Path(name).parts
    }
    return {**named, "release": sent, "wheels": {}, "sources": {}, "build_wheels": {}}


class ReleaseBuilder:
    """Builds what a request names. A folder that exists is used only if it is complete by its manifest, and a
    stored file only if its content is right: every byte of both is read.
    """

    def __init__(
        self, opt: Path, store: FileStore, request: dict[str, Any], digest: Callable[[Path], str]
    ) -> None:
        """digest: returns a file's SHA-256."""
        self._opt, self._store, self._request, self._digest = opt, store, request, digest
        self._release = opt / "releases" / request["id"]
        self._venv = opt / "venvs" / request["venv"]
        self._wheels = opt / "compiled" / request["compiled"]

    @cached_property
    def has_release(self) -> bool:
        """Whether the release's own files are complete; the environment is not checked."""
        listed = read_manifest(self._release)
        wanted: dict[str, str] = self._request["release"]
        return (
            listed is not None
            and all(listed.files.get(path, (0, ""))[1] == sha for path, sha in wanted.items())
            and is_complete(self._release, read=True, digest=self._digest)
        )

    @cached_property
    def has_environment(self) -> bool:
        """Whether the release's Python environment is complete."""
        whole = is_complete(self._venv, read=True, digest=self._digest)
        return whole and os.access(self._venv / "bin/python", os.X_OK)

    def release(self) -> tuple[Path, bool]:
        """Builds what is missing of the release and its environment. Returns the release's folder, and
        whether anything was built. Raises `DeployRefused`.
        """
        if self.has_release and self.has_environment:
            return self._release, False
        venv = self._venv if self.has_environment else self._build_environment()
        release = self._release if self.has_release else self._build_release(venv)
        if not self.has_environment:
            if self._request["wheels"]:
                say("trying the Python environment")
                run(venv / "bin/python", "-c", f"import {USED}", PYTHONPATH=str(release))
            seal_all(venv, write_manifest(venv))
            finish_folder(venv, self._venv)
        if not self.has_release:
            seal_all(release, write_manifest(release, self._request["release"]))
            with suppress(OSError):  # a power cut now must not leave `current` without it
                os.link(*(folder / "host/service" / I2C_RULES for folder in (self._release, release)))
            finish_folder(release, self._release)
        return self._release, True

    def _build_release(self, venv: Path) -> Path:
        """Builds the release in a `.part` folder; `venv` may be one as well."""
        part = begin_folder(self._release)
        for path, sha in self._request["release"].items():
            target = part / path
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(self._store.verified(sha), target)
        (part / "venv").symlink_to(f"../../venvs/{self._venv.name}")
        about = {"id": self._release.name, "venv": self._venv.name}
        about |= {"version": self._request["version"], "commit": self._request.get("commit", "")}
        (part / ABOUT).write_text(json.dumps(about))
        self._compile(part, venv)
        return part

    def _compile(self, part: Path, venv: Path) -> None:
        """Compiles the Python files. Compiled code names its source under `current`, so for a file that is
        the same in the current release the compiled file is linked from there.
        """
        current = self._opt / "current"
        listed = read_manifest(current)
        known = listed.files if listed else {}
        to_compile = []
        for path, sha in self._request["release"].items():
            if not path.endswith(".py"):
                continue
            compiled = cache_from_source(path)
            same = path in known and compiled in known and known[path][1] == sha
            if same and has_file(current / compiled, *known[compiled], self._digest):
                (part / compiled).parent.mkdir(exist_ok=True)
                os.link(current / compiled, part / compiled)
            else:
                to_compile.append(part / path)
        if to_compile:
            run(venv / "bin/python", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash",
                "-s", part, "-p", f"{OPT}/current", *to_compile)  # fmt: skip

    def _build_environment(self) -> Path:
        """Builds the environment in a `.part` folder."""
        more = self._compile_wheels() if self._request["sources"] else []
        say("making the Python environment")
        part = begin_folder(self._venv)
        wheels = map(self._store.verified, self._request["wheels"].values())
        patterns, kept = (self._request.get(key, []) for key in ("left_out", "kept"))
        self._install_wheels(part, [*wheels, *more], lambda path: is_left_out(path, patterns, kept))
        return part

    def _compile_wheels(self) -> list[Path]:
        """Wheels of the runtimes, compiled on this computer for its processor, once for each version."""
        folder = self._wheels
        if not is_complete(folder, read=True, digest=self._digest):
            check_compiler()
            say("compiling the two runtimes for this processor, once for each version; it takes long")
            part, build = begin_folder(folder), begin_folder(self._opt / "build")
            self._install_build_tools(build / "venv")
            for name, sha in self._request["sources"].items():
                os.link(self._store.verified(sha), build / name)
            include = build / "native.cmake"
            settings = self._request["release"]["requirements-native.cmake"]
            os.link(self._store.verified(settings), include)
            tools = build / "venv/bin"
            run(tools / "python", "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps",
                "--no-build-isolation", "--wheel-dir", part,
                *(build / name for name in self._request["sources"]),
                TMPDIR=str(build), CMAKE_BUILD_PARALLEL_LEVEL="3",
                PATH=f"{tools}:{os.environ.get('PATH', '')}",
                CMAKE_ARGS="-DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DGGML_NATIVE=ON",
                SKBUILD_CMAKE_DEFINE="LLAVA_BUILD=OFF;LLAMA_OPENSSL=OFF;"
                f"CMAKE_PROJECT_llama_cpp_INCLUDE={include}")  # fmt: skip
            write_manifest(part)
            finish_folder(part, folder)
            shutil.rmtree(build)
        listed = read_manifest(folder)
        return sorted(folder / name for name in listed.files) if listed else []

    def _install_build_tools(self, venv: Path) -> None:
        """Installs the build tools; pip creates their commands."""
        wheels: dict[str, str] = self._request["build_wheels"]
        tools = begin_folder(self._opt / "wheelhouse")
        for name, sha in wheels.items():
            os.link(self._store.verified(sha), tools / name)
        pip = next(tools.glob("pip-*.whl"))
        self._install_wheels(venv, [pip])
        run(venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
            "--disable-pip-version-check", "--no-warn-script-location", *tools.glob("*.whl"))  # fmt: skip
        shutil.rmtree(tools)

    def _install_wheels(
        self, venv: Path, wheels: list[Path], left_out: Callable[[str], bool] = lambda path: False
    ) -> None:
        run(sys.executable, "-m", "venv", "--without-pip", venv)
        if not wheels:
            return
        try:
            for wheel in wheels:
                unpack(wheel, venv, left_out)
        except (BadWheel, zipfile.BadZipFile) as problem:
            raise DeployRefused(f"A wheel can't be installed: {problem}.") from None
