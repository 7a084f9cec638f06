"""The micro pack's models in every precision, made in a folder from the files that ship."""

from __future__ import annotations

import logging
import random
from pathlib import Path

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic

from models.convert.precision import DECODER, requantise
from models.convert.vision_precision import normalised, write_fp16, write_int8
from models.convert.whisper_precision import RECOGNISER, requantise_whisper
from models.pack import Pack
from models.train.drawing import render
from models.train.scenes import random_scene

DECODERS = ("f16", "q8_0", "q4_0", "hybrid")
RECOGNISERS = ("f16", "q8_0", "q5_1", "q5_0", "q4_0")
VOICES = ("fp32", "fp16", "int8")
_CALIBRATION_PICTURES = 48


def vision_files(pack: Pack, folder: Path) -> dict[str, Path]:
    """float32 as it ships, float16, and int8 calibrated with scenes of the training split."""
    source = Path(pack.bricks["vision"].options["model"])
    files = {"fp32": source, "fp16": folder / "vision-fp16.onnx", "int8": folder / "vision-int8.onnx"}
    side = onnx.load(str(source)).graph.input[0].type.tensor_type.shape.dim[2].dim_value
    rng = random.Random("calibration")
    scenes = [render(random_scene(rng, "train"), index) for index in range(_CALIBRATION_PICTURES)]
    write_fp16(source, files["fp16"])
    write_int8(source, files["int8"], [normalised(scene, side, (0, 0, 0), (1, 1, 1)) for scene in scenes])
    return files


def decoder_files(pack: Pack, folder: Path) -> dict[str, Path]:
    """float16 as it ships, and the rest quantised from it."""
    source = Path(pack.bricks["llm"].options["model"])
    files = {"f16": source}
    for name in DECODERS[1:]:
        files[name] = folder / f"decoder-{name}.gguf"
        requantise(source, files[name], DECODER[name])
    return files


def recogniser_files(pack: Pack, folder: Path) -> dict[str, Path]:
    """float16 as it ships, and the rest quantised from it."""
    source = Path(pack.bricks["stt"].options["model"])
    files = {"f16": source}
    for name in RECOGNISERS[1:]:
        assert name in RECOGNISER
        files[name] = folder / f"stt-{name}.bin"
        requantise_whisper(source, files[name], name)
    return files


def voice_files(pack: Pack, folder: Path) -> dict[str, Path]:
    """float32 as it ships, float16, and int8 with scales found as it speaks."""
    source = Path(pack.bricks["tts"].options["model"])
    files = {"fp32": source, "fp16": folder / "voice-fp16.onnx", "int8": folder / "voice-int8.onnx"}
    write_fp16(source, files["fp16"])
    logger = logging.getLogger()
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        quantize_dynamic(source, files["int8"], weight_type=QuantType.QUInt8)
    finally:
        logger.setLevel(before)
    return files
