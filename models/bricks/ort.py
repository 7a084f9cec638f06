"""ONNX Runtime session of the bricks: no spinning threads, no memory arena by default, cancellable."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnxruntime as ort

from models.brick import BrickError, Cancelled, Context
from models.bricks.eye.encoder import Ports

ort.set_default_logger_severity(4)


@functools.cache
def _register_arena() -> None:
    """Creates the one arena that sessions of this process may share; it grows by what is asked for."""
    place = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
    ort.create_and_register_allocator(place, ort.OrtArenaCfg({"arena_extend_strategy": 1}))


class CancellableSession:
    """An InferenceSession whose run ends early when the request is cancelled.

    Has the methods `run` and `get_inputs` of a session, so that Piper can use it as one.
    """

    def __init__(
        self,
        model: str | bytes,
        context: Context,
        *,
        arena: bool = False,
        shared_arena: bool = False,
        threads: int = 0,
        named: str = "",
    ) -> None:
        """model: path, or the ONNX message, which errors call `named`. arena: keep freed buffers for the next
        run (faster, holds more memory). shared_arena: the same, with the buffers of all such sessions, which
        have to run one after the other: without it each session's buffers leave holes of their size in the
        heap. threads: 0 for the context's. Raises BrickError.
        """
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads or context.threads
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = arena or shared_arena
        options.enable_mem_pattern = arena
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if shared_arena:
            _register_arena()
            options.add_session_config_entry("session.use_env_allocators", "1")
        try:
            self.session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            reason = str(error).splitlines()[0]
            raise BrickError(f"ONNX Runtime can't use {named or model!s}: {reason}") from error
        self._context = context
        self._run_options = ort.RunOptions()  # made once: that takes as long as a tenth of a small piece
        names = self.session.get_inputs()[0].name, self.session.get_outputs()[0].name
        self.names: tuple[str, str] = names
        """Names of the first input and of the first output."""

    def ports(self, path: Path) -> Ports:
        """Shapes and types of the first input and of the only output. Raises BrickError for shapes that are
        not fixed. path: for the error.
        """
        first, outputs = self.session.get_inputs()[0], self.session.get_outputs()
        extents = [*first.shape, *outputs[0].shape]
        if len(outputs) != 1 or not all(isinstance(extent, int) for extent in extents):
            raise BrickError(f"{path.name} has no fixed shapes with one output: {extents}.")
        kinds = ("float16" if port.type == "tensor(float16)" else "float32" for port in (first, outputs[0]))
        return Ports(tuple(first.shape), tuple(outputs[0].shape), *kinds)

    def get_inputs(self) -> Any:
        """The session's inputs."""
        return self.session.get_inputs()

    def run(self, outputs: list[str] | None, feeds: dict[str, Any]) -> list[Any]:
        """`InferenceSession.run`. Raises Cancelled."""
        return self._cancellable(lambda run_options: self.session.run(outputs, feeds, run_options))

    def run_bound(self, binding: Any) -> None:
        """`InferenceSession.run_with_iobinding`. Raises Cancelled."""
        self._cancellable(lambda run_options: self.session.run_with_iobinding(binding, run_options))

    def _cancellable(self, call: Callable[[Any], Any]) -> Any:
        self._run_options.terminate = False
        self._context.on_cancel = self._stop
        try:
            if self._context.cancelled():
                raise Cancelled
            return call(self._run_options)
        except Exception:
            if self._context.cancelled():
                raise Cancelled from None
            raise
        finally:
            self._context.on_cancel = None

    def _stop(self) -> None:
        self._run_options.terminate = True
