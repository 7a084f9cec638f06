"""A brick without a model: it holds memory, answers slowly, and misbehaves on request."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from models.brick import (
    BrickBroken,
    BrickError,
    BrickSpec,
    Cancelled,
    Context,
    Placement,
    Sentence,
    TextPiece,
)
from models.pack.catalogue import Pack
from models.process.child_main import free_model_memory


class Unreadable:
    """Unpickling it raises ValueError."""

    def __reduce__(self) -> tuple[Any, ...]:
        return int, ("no number",)


class Toy:
    """Answers with the words of a Sentence, one every `pause_s`; some words are commands (see `execute`)."""

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        self._options = options
        self._context = context
        self._weights: np.ndarray | None = None

    def load(self) -> None:
        if self._options.get("bad_file"):
            raise BrickError("toy.bin is not a toy")
        if self._options.get("abort_in_load"):
            os.write(2, b"TOY_ASSERT(toy) failed\n")
            os.abort()
        time.sleep(self._options.get("load_s", 0.0))
        held_mib = 0 if self._options.get("stream") else int(self._options.get("weights_mib", 0))
        self._weights = np.ones(held_mib << 17)

    def execute(self, request: Sentence) -> Iterator[TextPiece | Unreadable]:
        for word in request.text.split():
            if word == "refuse":
                raise BrickError("the toy does not want to")
            if word == "raise":
                raise RuntimeError("a toy fault")
            if word == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            if word == "fails_on_npu" and self._options.get("npu"):
                raise BrickBroken("the toy NPU is gone")
            if word == "hang" or (word == "hangs_on_npu" and self._options.get("npu")):
                time.sleep(1e6)
            if word == "wait":
                while not self._context.cancelled():
                    time.sleep(0.002)
                raise Cancelled
            if word == "compute":
                until_s = time.process_time() + self._options.get("compute_s", 0.0)
                while time.process_time() < until_s:
                    pass
            if word == "unreadable":
                yield Unreadable()
            if word == "threads":
                word = str(self._context.threads)
            time.sleep(self._options.get("pause_s", 0.0))
            yield TextPiece(word)

    def release(self) -> None:
        self._weights = None
        time.sleep(self._options.get("release_s", 0.0))
        free_model_memory()


def create(options: Mapping[str, Any], context: Context) -> Toy:
    """The brick module's entry point."""
    return Toy(options, context)


def toy_pack(**bricks: dict[str, Any]) -> Pack:
    """A pack of toy bricks: name -> options; `weights_mib` is also the declared memory."""
    specs = {
        name: BrickSpec(name, Placement.CPU, int(options.get("weights_mib", 1)), __name__, options)
        for name, options in bricks.items()
    }
    return Pack("toys", Path("/nowhere"), "1", "", "", (), specs)
