"""One conversion: writes the files, compares them with the original, and reports the error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.convert.checkpoint.chat_template import find_template
from models.convert.checkpoint.folder import Checkpoint, ConvertError
from models.convert.checkpoint.original import Original, OriginalPreparation
from models.convert.checkpoint.preprocessor import read_preparation
from models.convert.checkpoint.shapes import ModelShape, model_shape
from models.convert.converted import ConvertedDecoder, run_onnx
from models.convert.decoder.gguf import write_decoder
from models.convert.decoder.precision import DECODER
from models.convert.decoder.tokens import require_same_tokens
from models.convert.numerical_error import (
    FP32_LIMIT,
    LOGITS_LIMITS,
    ROWS_LIMITS,
    difference,
    logits_line,
    rows_line,
)
from models.convert.prompt import Prompts, read_prompts
from models.convert.vision.npu import Toolkit
from models.convert.vision.precision import pictures, write_fp16, write_int8
from models.convert.vision.siglip import VisionWriter
from models.pixels import Preparation

_RANDOM_PICTURES = 2
_SIZES_PX = ((480, 640), (640, 480), (61, 61), (37, 211), (1080, 1921))
"""Height and width of the pictures whose preparation is compared."""
_SQUARE_PX = ((480, 480), (61, 61), (211, 211))
_RANDOM_TOKENS = 48
_QUESTION = "what colour is the ball?"


@dataclass(frozen=True)
class ConversionOptions:
    """Options of the command line. calibration: a folder of pictures, None for none; toolkit: the compiler
    for the NPU, None for none; checked: compare with the original; stated: prompts of a shipped manifest, for
    a checkpoint without a chat template.
    """

    calibration: Path | None = None
    most_pictures: int = 32
    toolkit: Toolkit | None = None
    checked: bool = True
    stated: Prompts | None = None


@dataclass
class Job:
    """Writes into `folder`. Raises ConvertError with one sentence; `report_line` gets one line per file."""

    checkpoint: Checkpoint
    folder: Path
    options: ConversionOptions
    report_line: Callable[[str], None] = print
    shape: ModelShape = field(init=False)
    preparation: Preparation = field(init=False)
    prompts: Prompts | None = field(init=False, default=None)
    """None without a decoder."""
    inputs: list[NDArray[np.float32]] = field(init=False)
    """Random pictures on which conversions are compared with the original, [1, 3, side, side]."""
    pictures: list[NDArray[np.float32]] = field(init=False, default_factory=list)
    """Pictures for calibration, in the same form."""
    original: Original | None = field(init=False)
    rows: list[NDArray[np.float32]] = field(init=False)
    """The original's rows for `inputs`; none where nothing is compared."""

    def __post_init__(self) -> None:
        self.shape = model_shape(self.checkpoint.config)
        self.preparation = read_preparation(self.checkpoint.root, self.shape)
        if self.shape.decoder is not None:
            stated = self.options.stated if find_template(self.checkpoint.root) is None else None
            self.prompts = stated or read_prompts(self.checkpoint.root, self.shape)
        side = self.shape.vision.side
        rng = np.random.default_rng(20)
        self.inputs = [
            rng.uniform(-1, 1, (1, 3, side, side)).astype(np.float32) for _ in range(_RANDOM_PICTURES)
        ]
        if self.options.calibration:
            found = pictures(self.options.calibration, self.options.most_pictures)
            self.pictures = [self.preparation.pixels(rgb) for rgb in found]
        self.original = Original(self.checkpoint.root, self.shape) if self.options.checked else None
        if self.original:
            self._require_same_pixels(OriginalPreparation(self.checkpoint.root, self.shape))
        self.rows = [self.original.rows(x) for x in self.inputs] if self.original else []

    def _require_same_pixels(self, original: OriginalPreparation) -> None:
        """Raises ConvertError where the vision brick prepares a picture otherwise than the original, in any
        bit.
        """
        sizes = _SQUARE_PX if self.shape.vision.flat_patches else _SIZES_PX
        rng = np.random.default_rng(23)
        for size in sizes:
            rgb = rng.integers(0, 256, (*size, 3), np.uint8)
            ours, theirs = self.preparation.pixels(rgb), original.pixels(rgb)
            if not np.array_equal(ours, theirs):
                raise ConvertError(
                    f"A picture of {size[1]} x {size[0]} pixels is prepared otherwise than by transformers: "
                    f"the values differ by up to {np.abs(ours - theirs).max():.1e}, and may not differ."
                )
        shown = ", ".join(f"{width} x {height}" for height, width in sizes)
        self.report_line(f"preparation of pictures of {shown}: as transformers, bit for bit")

    def whole_vision(self, path: Path) -> None:
        """Encoder and projector in float32. Raises ConvertError when it differs from the original."""
        VisionWriter(self.checkpoint, self.shape).write_whole(path)
        relative = self._compare("vision fp32", path)
        if relative > FP32_LIMIT:
            raise ConvertError(
                f"The float32 vision graph differs from the original by {relative:.1e}, more than "
                f"{FP32_LIMIT:.0e}: this checkpoint isn't converted rightly."
            )

    def vision(self, precision: str, source: Path, path: Path) -> None:
        """Encoder and projector at `precision`. source: the float32 graph."""
        if precision == "int8":
            if not self.pictures:
                raise ConvertError("int8 is calibrated with pictures: name a folder of them, --calibration.")
            write_int8(source, path, self.pictures)
        else:
            write_fp16(source, path)
        relative = self._compare(f"vision {precision}", path)
        require_rows(f"{precision} vision graph", relative, ROWS_LIMITS[precision])

    def npu(self, precision: str, source: Path, path: Path) -> None:
        """Encoder and projector for the NPU, int8 or float16, compared by the toolkit's simulator."""
        assert self.options.toolkit is not None
        batches = self.pictures if precision == "int8" else []
        found = self.options.toolkit.build(source, path, self.inputs, batches)
        if self.rows:
            gap = difference(np.concatenate([rows[0] for rows in found]), np.concatenate(self.rows))
            self.report_line(rows_line(f"vision npu {precision}", path.stat().st_size, gap))
            require_rows(f"{precision} vision graph for the NPU", gap.relative, ROWS_LIMITS[precision])

    def decoder(
        self, precision: str, path: Path, name: str, vision: Sequence[Path], vision_precision: str
    ) -> None:
        """The decoder, compared on random tokens and, with the graphs `vision`, on a question about a
        picture.
        """
        shape = self.shape.decoder
        if shape is None or self.prompts is None:
            raise ConvertError("The checkpoint is an encoder alone; there is no decoder to convert.")
        write_decoder(self.checkpoint, shape, path, DECODER[precision], name)
        if not self.original:
            return
        text = self.prompts.parts(1, (), _QUESTION)
        decoder = ConvertedDecoder(path, self.shape.tokens + 256, exact=precision == "f32")
        limit, size = LOGITS_LIMITS[precision], path.stat().st_size
        try:
            root, image = self.checkpoint.root, self.shape.image_token
            count = require_same_tokens(decoder.ids, root, self.prompts, image)
            if precision == "f32":
                self.report_line(f"tokens of {count} texts: as tokenizer.json")
            rng = np.random.default_rng(21)
            ids = rng.integers(0, min(shape.vocab, image), _RANDOM_TOKENS).tolist()
            ours, theirs = decoder.logits(ids), self.original.logits(ids)
            self._report_logits(f"decoder {precision}", size, ours, theirs, limit)
            before, after = map(decoder.ids, text)
            ours = decoder.answer(before, run_onnx(vision, self.inputs[0])[-1][0], after)
            theirs = self.original.answer(self.inputs[0], before, after)
            size += sum(each.stat().st_size for each in vision)
            what = f"picture to word, {precision}"
            self._report_logits(what, size, ours[None], theirs[None], limit + ROWS_LIMITS[vision_precision])
        finally:
            decoder.close()

    def _report_logits(
        self, what: str, size_bytes: int, ours: NDArray[np.float32], theirs: NDArray[np.float32], limit: float
    ) -> None:
        """One line. Raises ConvertError where the logits differ by more than the limit."""
        gap = difference(ours, theirs)
        self.report_line(logits_line(what, size_bytes, gap))
        if gap.relative > limit:
            raise ConvertError(
                f"The logits ({what}) differ from the original's by {gap.relative:.1e}, more than "
                f"{limit:.1e}, and agree on {100 * gap.same_best:.0f} % of the next tokens: this checkpoint "
                "isn't converted rightly."
            )

    def _compare(self, name: str, path: Path) -> float:
        if not self.rows:
            self.report_line(
                f"{name:24} {path.stat().st_size / 1e6:9.2f} MB   not compared with the original"
            )
            return 0.0
        ours = np.concatenate([run_onnx([path], x)[-1][0] for x in self.inputs])
        found = difference(ours, np.concatenate(self.rows))
        self.report_line(rows_line(name, path.stat().st_size, found))
        return found.relative


def require_rows(what: str, relative: float, limit: float) -> None:
    """Raises ConvertError for a relative error above its limit."""
    if relative > limit:
        raise ConvertError(
            f"The {what} loses the picture: its relative error is {relative:.1e}, more than {limit:.1e}."
        )
