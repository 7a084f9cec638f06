"""A release on the headband's computer, made of the files in `store/`, and the environment that it runs in.
Sent with each call: standard library only.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import zipfile
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from host.ship.atomic import finish, fresh
from host.ship.running import Refusal, check_compiler, run, say
from host.ship.supervise import OPT
from host.ship.unpack import BadWheel, unpack

TRIED = "tried"
"""A file in an environment that has been tried."""
USED = (
    "_pywhispercpp, llama_cpp, numpy, onnxruntime, piper, pymicro_wakeword, PIL.Image, gpiod, smbus2, soxr, "
    "hassil, yaml, soundfile, PIL.PngImagePlugin, PIL.JpegImagePlugin, "
    "host.live, host.commands, host.doctor_command, hw.emulated.scene, hw.rk3566.board"
)
"""What a new environment is tried with: a runtime needs libraries of the system besides its wheel, and a
service without one would still start. Importing compiles it, too, which the service's user could not keep.
"""


class Builder:
    """Makes what a request asks for."""

    def __init__(self, opt: Path, store: Path, request: dict[str, Any]) -> None:
        self._opt, self._store, self._request = opt, store, request

    def release(self) -> Path:
        """Its folder, with its venv, whole; what is there already stays. Raises `Refusal`."""
        release = self._opt / "releases" / self._request["id"]
        venv = self._venv()
        if release.exists():
            return release
        part = fresh(release)
        for path, sha in self._request["release"].items():
            target = part / path
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(self._store / sha, target)
        (part / "venv").symlink_to(f"../../venvs/{venv.name}")
        (part / "release.json").write_text(json.dumps({"id": release.name, "venv": venv.name}))
        self._compile(part, venv)
        if self._request["wheels"] and not (venv / TRIED).exists():
            say("trying the Python environment")
            run(venv / "bin/python", "-c", f"import {USED}", PYTHONPATH=str(part))
            (venv / TRIED).touch()
        finish(part, release)
        return release

    def _compile(self, part: Path, venv: Path) -> None:
        """Compiled code says that its source lies in `current`, so a file that is the same in the release
        that runs brings its own along.
        """
        anew = []
        for path in (path for path in self._request["release"] if path.endswith(".py")):
            compiled = Path(cache_from_source(path))
            source, known = self._opt / "current" / path, self._opt / "current" / compiled
            if known.exists() and source.samefile(part / path):
                (part / compiled).parent.mkdir(exist_ok=True)
                os.link(known, part / compiled)
            else:
                anew.append(part / path)
        if anew:
            run(venv / "bin/python", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash",
                "-s", part, "-p", f"{OPT}/current", *anew)  # fmt: skip

    def _venv(self) -> Path:
        venv = self._opt / "venvs" / self._request["venv"]
        if venv.exists():
            return venv
        more = self._compiled() if self._request["sources"] else []
        say("making the Python environment")
        part = fresh(venv)
        self._fill(part, [*(self._store / sha for sha in self._request["wheels"].values()), *more])
        finish(part, venv)
        return venv

    def _compiled(self) -> list[Path]:
        """Wheels that are compiled on this computer, for its own processor, once for each version."""
        folder = self._opt / "compiled" / self._request["compiled"]
        if not folder.exists():
            check_compiler()
            say("compiling the two runtimes for this processor, once for each version; it takes long")
            part, build = fresh(folder), fresh(self._opt / "build")
            self._tools(build / "venv")
            for name, sha in self._request["sources"].items():
                os.link(self._store / sha, build / name)
            include = build / "native.cmake"
            os.link(self._store / self._request["release"]["requirements-native.cmake"], include)
            tools = build / "venv/bin"
            run(tools / "python", "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps",
                "--no-build-isolation", "--wheel-dir", part,
                *(build / name for name in self._request["sources"]),
                TMPDIR=str(build), CMAKE_BUILD_PARALLEL_LEVEL="3",
                PATH=f"{tools}:{os.environ.get('PATH', '')}",
                CMAKE_ARGS="-DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DGGML_NATIVE=ON",
                SKBUILD_CMAKE_DEFINE="LLAVA_BUILD=OFF;LLAMA_OPENSSL=OFF;"
                f"CMAKE_PROJECT_llama_cpp_INCLUDE={include}")  # fmt: skip
            finish(part, folder)
            shutil.rmtree(build)
        return sorted(folder.glob("*.whl"))

    def _tools(self, venv: Path) -> None:
        """What compiles, with its commands, which pip makes."""
        wheels: dict[str, str] = self._request["build_wheels"]
        house = fresh(self._opt / "wheelhouse")
        for name, sha in wheels.items():
            os.link(self._store / sha, house / name)
        pip = next(house.glob("pip-*.whl"))
        self._fill(venv, [pip])
        run(venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
            "--disable-pip-version-check", "--no-warn-script-location", *house.glob("*.whl"))  # fmt: skip
        shutil.rmtree(house)

    def _fill(self, venv: Path, wheels: list[Path]) -> None:
        run(sys.executable, "-m", "venv", "--without-pip", venv)
        if not wheels:
            return
        try:
            for wheel in wheels:
                unpack(wheel, venv)
        except (BadWheel, zipfile.BadZipFile) as problem:
            raise Refusal(f"A wheel can't be installed: {problem}.") from None
