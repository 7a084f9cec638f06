"""The conversion of a text encoder and its tokenizer, compared with the original on random tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from models.convert.checkpoint.folder import ConvertError
from models.convert.converted import run_graph
from models.convert.job import Job
from models.convert.numerical_error import PIECE_LIMIT, ROWS_LIMITS, difference, rows_line
from models.convert.text.siglip import write_text
from models.convert.text.tokenizer import check_tokenizer, write_tokenizer
from models.convert.vision.onnx_graph import GraphTooLarge
from models.convert.vision.precision import write_dynamic_int8, write_fp16

_SENTENCES = 4


class TextJob:
    """The text encoder of a checkpoint. Raises ConvertError with one sentence."""

    def __init__(self, job: Job) -> None:
        assert job.shape.text is not None
        self._job, self._shape = job, job.shape.text
        rng = np.random.default_rng(22)
        size = (1, self._shape.tokens)
        self._inputs = [rng.integers(0, self._shape.vocab, size) for _ in range(_SENTENCES)]

    def write(self, precision: str, path: Path, scratch: Path) -> None:
        """The encoder at `precision`, through float32 in the folder `scratch`; int8 is not calibrated.

        One that is too large in float32 is only written in int8, and compared only so.
        """
        whole = scratch / "text-fp32.onnx"
        try:
            write_text(self._job.checkpoint, self._shape, whole)
        except GraphTooLarge as error:
            if precision != "int8":
                raise ConvertError(f"{error} With --precision int8 it is smaller.") from error
        else:
            self._compare("fp32", whole, PIECE_LIMIT)
        if precision == "fp32":
            whole.replace(path)
            return
        if precision == "fp16":
            write_fp16(whole, path)
        else:
            write_text(self._job.checkpoint, self._shape, whole, int8_table=True)
            write_dynamic_int8(whole, path)
        whole.unlink()
        self._compare(precision, path, ROWS_LIMITS[precision])

    def tokenizer(self, path: Path) -> None:
        """The tokenizer as a file of the pack."""
        config = self._job.checkpoint.config.get("text_config") or {}
        write_tokenizer(
            self._job.checkpoint.root,
            self._shape.vocab,
            self._shape.tokens,
            path,
            pad=int(config.get("pad_token_id", 1)),
        )
        if self._job.original is not None and not check_tokenizer(self._job.checkpoint.root, path):
            self._job.report_line("text tokenizer, from spiece.model: not compared with the original")

    def _compare(self, precision: str, path: Path, limit: float) -> None:
        size = path.stat().st_size
        original = self._job.original
        if original is None:
            name = f"text {precision}"
            self._job.report_line(f"{name:24} {size / 1e6:9.2f} MB   not compared with the original")
            return
        theirs = np.concatenate([original.sentence(ids[0].tolist()) for ids in self._inputs])
        found = difference(np.concatenate(run_graph(path, self._inputs)), theirs)
        self._job.report_line(rows_line(f"text {precision}", size, found))
        if found.relative > limit:
            raise ConvertError(
                f"The {precision} text graph differs from the original by {found.relative:.1e}, more than "
                f"{limit:.0e}."
            )
