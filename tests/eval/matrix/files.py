"""Converts the shipped models of the micro pack to every precision."""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping
from pathlib import Path

import gguf
import numpy as np
import onnx
from gguf import GGMLQuantizationType as Kind
from onnx import numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from models.convert.converted import run_graph
from models.convert.decoder.precision import DECODER, requantise
from models.convert.recogniser.precision import RECOGNISER, requantise_whisper
from models.convert.vision.precision import write_fp16, write_int8
from models.pack.catalogue import Pack
from models.pack.chain import chain_of
from models.pixels import Preparation
from models.train.world.drawing import render
from models.train.world.scenes import random_scene

DECODERS = ("f16", "q8_0", "q4_0", "hybrid")
RECOGNISERS = ("f16", "q8_0", "q5_1", "q5_0", "q4_0")
ROUNDED = "q4_0 *"
_CALIBRATION_PICTURES = 48


def vision_files(pack: Pack, folder: Path) -> dict[str, dict[str, Path]]:
    """By precision, the graphs that a picture passes by their keys in the pack: float32 as shipped, float16,
    int8 calibrated with scenes of the training split, and only the weights in the decoder's 4 bits.
    """
    options = pack.bricks["vision"].options
    chain = chain_of(options)
    keys = ("model",) if chain is None else (*chain.keys[: -len(chain.exits) or None],)
    sources = {key: Path(options[key]) for key in keys}
    files = {
        name: {key: folder / f"vision-{name}-{key}.onnx" for key in keys}
        for name in ("fp16", "int8", ROUNDED)
    }
    side = onnx.load(str(sources[keys[0]])).graph.input[0].type.tensor_type.shape.dim[2].dim_value
    rng = random.Random("calibration")
    scenes = [render(random_scene(rng, "train"), index, side) for index in range(_CALIBRATION_PICTURES)]
    given = [Preparation(side).pixels(scene) for scene in scenes]
    for key, source in sources.items():
        write_fp16(source, files["fp16"][key])
        write_int8(source, files["int8"][key], given)
        _write_rounded(source, files[ROUNDED][key])
        given = run_graph(source, given) if len(keys) > 1 else given
    return {"fp32": sources, **files}


def stored_bytes(graphs: Mapping[str, Path], name: str) -> int:
    """Size of an eye's files, or their size if rounded weights were stored in 4 bits."""
    size = sum(path.stat().st_size for path in graphs.values())
    if name != ROUNDED:
        return size
    weights = sum(
        numpy_helper.to_array(w).size for path in graphs.values() for w in _matrices(onnx.load(path))
    )
    block, block_bytes = gguf.GGML_QUANT_SIZES[Kind.Q4_0]
    return size - 4 * weights + weights // block * block_bytes


def _write_rounded(source: Path, target: Path) -> None:
    """Weights rounded to the decoder's 4 bits, stored as float32."""
    model = onnx.load(str(source))
    for weights in _matrices(model):
        values = numpy_helper.to_array(weights)
        rows = values.reshape(len(values), -1) if values.ndim == 4 else np.ascontiguousarray(values.T)
        rounded = gguf.dequantize(gguf.quantize(rows, Kind.Q4_0), Kind.Q4_0)
        rounded = rounded.reshape(values.shape) if values.ndim == 4 else np.ascontiguousarray(rounded.T)
        weights.CopyFrom(numpy_helper.from_array(rounded, weights.name))
    onnx.save(model, str(target))


def _matrices(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    """Weights of layers whose number of inputs is a multiple of the block size: [inputs, outputs], or of a
    convolution.
    """
    used = {name for node in model.graph.node if node.op_type in ("MatMul", "Conv") for name in node.input}
    block = gguf.GGML_QUANT_SIZES[Kind.Q4_0][0]
    found = [w for w in model.graph.initializer if w.name in used and len(w.dims) in (2, 4)]
    return [w for w in found if (np.prod(w.dims[1:]) if len(w.dims) == 4 else w.dims[0]) % block == 0]


def decoder_files(pack: Pack, folder: Path) -> dict[str, Path]:
    """float16 as shipped, and the other precisions quantised from it."""
    source = Path(pack.bricks["llm"].options["model"])
    files = {"f16": source}
    for name in DECODERS[1:]:
        files[name] = folder / f"decoder-{name}.gguf"
        requantise(source, files[name], DECODER[name])
    return files


def recogniser_files(pack: Pack, folder: Path) -> dict[str, Path]:
    """float16 as shipped, and the other precisions quantised from it."""
    source = Path(pack.bricks["stt"].options["model"])
    files = {"f16": source}
    for name in RECOGNISERS[1:]:
        assert name in RECOGNISER
        files[name] = folder / f"stt-{name}.bin"
        requantise_whisper(source, files[name], name)
    return files


def voice_files(pack: Pack, folder: Path) -> dict[str, Path]:
    """float32 as shipped, float16, and dynamically quantised int8."""
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
