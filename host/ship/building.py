"""A release on the headband's computer, made of the files in `store/`, and the environment that it runs in.
Sent with each call: standard library only.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import zipfile
from functools import cached_property
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from host.ship.atomic import finish, fresh
from host.ship.running import DeployRefused, check_compiler, run, say
from host.ship.supervise import OPT
from host.ship.unpack import BadWheel, unpack
from host.ship.whole import contents, is_file, seal, whole

USED = (
    "_pywhispercpp, llama_cpp, numpy, onnxruntime, piper, pymicro_wakeword, PIL.Image, gpiod, smbus2, soxr, "
    "hassil, yaml, soundfile, PIL.PngImagePlugin, PIL.JpegImagePlugin, "
    "host.app.on_devices, host.cli.ask_run_status, host.doctor.command, hw.emulated.scene, hw.rk3566.board"
)
"""What a new environment is tried with: a runtime needs libraries of the system besides its wheel, and a
service without one would still start. Importing compiles it, too, which the service's user could not keep.
"""


class Builder:
    """Makes what a request asks for. What is there already counts where its manifest says that it is whole:
    always by sizes, and by every byte too, unless another release runs on it this moment.
    """

    def __init__(self, opt: Path, store: Path, request: dict[str, Any], running: str | None = None) -> None:
        """running: name of the current release where its service runs."""
        self._opt, self._store, self._request, self._running = opt, store, request, running
        self._release = opt / "releases" / request["id"]
        self._venv = opt / "venvs" / request["venv"]
        self._wheels = opt / "compiled" / request["compiled"]

    @cached_property
    def has_release(self) -> bool:
        """Its files, without the environment that it runs in."""
        listed = contents(self._release)
        wanted: dict[str, str] = self._request["release"]
        return (
            listed is not None
            and all(listed.files.get(path, (0, ""))[1] == sha for path, sha in wanted.items())
            and whole(self._release, read=True)
        )

    @cached_property
    def has_environment(self) -> bool:
        """The environment in which the release runs."""
        return whole(self._venv, read=not self._venv_runs) and os.access(self._venv / "bin/python", os.X_OK)

    @property
    def _venv_runs(self) -> bool:
        if self._running in (None, self._request["id"]):
            return False
        return (self._opt / "current/venv").resolve() == self._venv.resolve()

    @cached_property
    def _has_wheels(self) -> bool:
        return whole(self._wheels, read=True)

    def inputs(self) -> set[str]:
        """SHA-256 of the files in `store/` that `release` will be made of."""
        request = self._request
        used: set[str] = set() if self.has_release else set(request["release"].values())
        if not self.has_environment:
            used |= set(request["wheels"].values())
            if request["sources"] and not self._has_wheels:
                used |= {*request["sources"].values(), *request["build_wheels"].values()}
                used.add(request["release"]["requirements-native.cmake"])
        return used

    def release(self) -> tuple[Path, bool]:
        """Its folder, whole, with its venv; and whether a part of it was made. Raises `DeployRefused`."""
        if self.has_release and self.has_environment:
            return self._release, False
        venv = self._venv if self.has_environment else self._made_environment()
        release = self._release if self.has_release else self._made_release(venv)
        if not self.has_environment:
            if self._request["wheels"]:
                say("trying the Python environment")
                run(venv / "bin/python", "-c", f"import {USED}", PYTHONPATH=str(release))
            seal(venv)
            finish(venv, self._venv)
        if not self.has_release:
            seal(release, self._request["release"])
            finish(release, self._release)
        return self._release, True

    def _made_release(self, venv: Path) -> Path:
        """Not finished yet, and `venv` may be so, too."""
        part = fresh(self._release)
        for path, sha in self._request["release"].items():
            target = part / path
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(self._store / sha, target)
        (part / "venv").symlink_to(f"../../venvs/{self._venv.name}")
        about = {"id": self._release.name, "version": self._request["version"], "venv": self._venv.name}
        (part / "release.json").write_text(json.dumps(about))
        self._compile(part, venv)
        return part

    def _compile(self, part: Path, venv: Path) -> None:
        """Compiled code says that its source lies in `current`, so a file that is the same in the release
        that runs brings its own along.
        """
        current = self._opt / "current"
        listed = contents(current)
        known = listed.files if listed else {}
        anew = []
        for path, sha in self._request["release"].items():
            if not path.endswith(".py"):
                continue
            compiled = cache_from_source(path)
            same = path in known and compiled in known and known[path][1] == sha
            if same and is_file(current / compiled, *known[compiled]):
                (part / compiled).parent.mkdir(exist_ok=True)
                os.link(current / compiled, part / compiled)
            else:
                anew.append(part / path)
        if anew:
            run(venv / "bin/python", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash",
                "-s", part, "-p", f"{OPT}/current", *anew)  # fmt: skip

    def _made_environment(self) -> Path:
        """Not finished yet."""
        more = self._compiled() if self._request["sources"] else []
        say("making the Python environment")
        part = fresh(self._venv)
        self._fill(part, [*(self._store / sha for sha in self._request["wheels"].values()), *more])
        return part

    def _compiled(self) -> list[Path]:
        """Wheels that are compiled on this computer, for its own processor, once for each version."""
        folder = self._wheels
        if not self._has_wheels:
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
            seal(part)
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
            raise DeployRefused(f"A wheel can't be installed: {problem}.") from None
