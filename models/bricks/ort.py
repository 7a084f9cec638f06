"""ONNX Runtime session of the bricks: no spinning threads, no memory arena by default, cancellable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import onnxruntime as ort

from models.brick import BrickError, Cancelled, Context

ort.set_default_logger_severity(4)


class CancellableSession:
    """An InferenceSession whose run ends early when the request is cancelled.

    Has the methods `run` and `get_inputs` of a session, so that Piper can use it as one.
    """

    def __init__(self, path: str, context: Context, *, arena: bool = False) -> None:
        """arena: keep freed buffers for the next run (faster, holds more memory). Raises BrickError."""
        options = ort.SessionOptions()
        options.intra_op_num_threads = context.threads
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = arena
        options.enable_mem_pattern = arena
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self.session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise BrickError(f"ONNX Runtime can't use {path}: {str(error).splitlines()[0]}") from error
        self._context = context

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
        run_options = ort.RunOptions()

        def stop() -> None:
            run_options.terminate = True

        self._context.on_cancel = stop
        try:
            if self._context.cancelled():
                raise Cancelled
            return call(run_options)
        except Exception:
            if self._context.cancelled():
                raise Cancelled from None
            raise
        finally:
            self._context.on_cancel = None
