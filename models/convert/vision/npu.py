"""Compiles a graph of the encoder for the RK3566's NPU, with rknn-toolkit2 in a separate Python environment.

The toolkit needs older versions of numpy, onnx and PyTorch than this project, so it is not imported here:
`npu_step` runs under the interpreter that HEADBAND_RKNN_PYTHON names.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.convert.checkpoint.folder import ConvertError

PLATFORM = "rk3566"
CHIPS = ("rk3566", "rk3568")
"""The chips that run a model compiled for the toolkit's platform."""
PYTHON_VARIABLE = "HEADBAND_RKNN_PYTHON"
HOW_TO_INSTALL = (
    "rknn-toolkit2 isn't here: make an environment of its own, 5.6 GB (python3.11 -m venv rknn; rknn/bin/pip "
    f"install rknn-toolkit2==2.5.0 'setuptools<81'), and set {PYTHON_VARIABLE}=rknn/bin/python."
)
_STEP = Path(__file__).with_name("npu_step.py")
_TIMEOUT_S = 3600.0


@dataclass(frozen=True)
class Toolkit:
    """The interpreter with rknn-toolkit2. version: of the toolkit, which the NPU's runtime has to match."""

    python: str
    version: str

    def build(
        self,
        graph: Path,
        target: Path,
        inputs: Sequence[NDArray[np.float32]],
        calibration: Sequence[NDArray[np.float32]] = (),
    ) -> NDArray[np.float32]:
        """Write the .rknn file; returns the simulator's output for `inputs`, stacked.

        inputs, calibration: each as the graph takes it, [1, 3, side, side] or [1, rows, width]; with
        calibration the file is int8, else float16. Raises ConvertError with the toolkit's last line.
        """
        scratch = target.with_name(f"{target.name}.scratch")
        scratch.mkdir()
        try:
            return self._run(graph.resolve(), target.resolve(), scratch.resolve(), inputs, calibration)
        finally:
            shutil.rmtree(
                scratch, ignore_errors=True
            )  # the toolkit leaves files and folders of its own there

    def _run(
        self,
        graph: Path,
        target: Path,
        scratch: Path,
        inputs: Sequence[NDArray[np.float32]],
        calibration: Sequence[NDArray[np.float32]],
    ) -> NDArray[np.float32]:
        np.save(scratch / "inputs.npy", np.stack(inputs))
        listed = ""
        if calibration:
            names = [f"calibration-{index}.npy" for index in range(len(calibration))]
            for name, pixels in zip(names, calibration, strict=True):
                np.save(scratch / name, pixels)
            (scratch / "calibration.txt").write_text("\n".join(names) + "\n")
            listed = str(scratch / "calibration.txt")
        job = {
            "onnx": str(graph), "target": str(target), "platform": PLATFORM, "calibration": listed,
            "inputs": str(scratch / "inputs.npy"), "outputs": str(scratch / "outputs.npy"),
        }  # fmt: skip
        (scratch / "job.json").write_text(json.dumps(job))
        log = scratch / "log"
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        with open(log, "w") as out:
            try:
                done = subprocess.run(
                    [self.python, str(_STEP), str(scratch / "job.json")], stdout=out, stderr=out,
                    cwd=scratch, env=environment, timeout=_TIMEOUT_S, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired as error:
                raise ConvertError(f"rknn-toolkit2 took more than {_TIMEOUT_S:.0f} s.") from error
        if done.returncode:
            lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
            raise ConvertError(f"rknn-toolkit2 failed: {lines[-1] if lines else done.returncode}")
        return np.asarray(np.load(scratch / "outputs.npy"), np.float32)


def find_toolkit() -> Toolkit:
    """The toolkit that HEADBAND_RKNN_PYTHON names. Raises ConvertError with what to install."""
    python = os.environ.get(PYTHON_VARIABLE) or sys.executable
    if os.sep in python:
        python = os.path.abspath(
            python
        )  # absolute, as the step runs in another folder; not resolved, as venv needs the link
    try:
        found = subprocess.run(
            [python, "-c", "import importlib.metadata as m; print(m.version('rknn-toolkit2'))"],
            env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError as error:
        raise ConvertError(
            f"{PYTHON_VARIABLE} names {python}, which can't be run ({error.strerror})."
        ) from error
    if found.returncode:
        raise ConvertError(HOW_TO_INSTALL)
    return Toolkit(python, found.stdout.strip())
