"""Writes the trained voice in Piper's format, `voice.onnx` and `voice.onnx.json`, and checks that Piper can
use it.

`python -m models.train.voice.export STATE OUT` exports a checkpoint, also one of an unfinished training.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from piper import PiperVoice as Piper
from piper.phoneme_ids import DEFAULT_PHONEME_ID_MAP

from models.train.voice.frames import HOP, SAMPLE_RATE_HZ
from models.train.voice.model import N_SYMBOLS, Acoustic, PiperVoice
from models.train.voice.pairs import VOICE
from models.train.voice.synthesis import Synthesiser

_OPSET = 17
_CHECK_TEXT = "The circle is red, and the battery is at forty two percent."


def config() -> dict[str, object]:
    """The contents of `voice.onnx.json`."""
    return {
        "audio": {"sample_rate": SAMPLE_RATE_HZ, "quality": "micro"},
        "espeak": {"voice": VOICE},
        "language": {"code": "en_US"},
        "inference": {"noise_scale": 0.0, "length_scale": 1.0, "noise_w": 0.0},
        "phoneme_type": "espeak",
        "phoneme_id_map": DEFAULT_PHONEME_ID_MAP,
        "num_symbols": N_SYMBOLS,
        "num_speakers": 1,
        "speaker_id_map": {},
        "hop_length": HOP,
    }


def export(model: Acoustic, out: Path) -> Path:
    """Writes both files into `out`, each atomically, and returns the model's path. Raises an error where
    Piper rejects the model.
    """
    out.mkdir(parents=True, exist_ok=True)
    whole = PiperVoice(model, Synthesiser()).eval()
    ids = torch.tensor([[1, 0, 41, 0, 59, 0, 3, 0, 120, 0, 74, 0, 23, 0, 10, 0, 2]], dtype=torch.int64)
    example = (ids, torch.tensor([ids.shape[1]]), torch.tensor([0.0, 1.0, 0.0]))
    temporary = out / "new.voice.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            whole,
            example,
            str(temporary),
            opset_version=_OPSET,
            dynamo=False,
            input_names=["input", "input_lengths", "scales"],
            output_names=["output", "durations"],
            dynamic_axes={"input": {1: "ids"}, "output": {3: "samples"}, "durations": {1: "ids"}},
        )
    _fold(temporary)
    temporary_config = Path(f"{temporary}.json")
    temporary_config.write_text(json.dumps(config(), ensure_ascii=False, indent=1) + "\n")
    check(temporary)
    os.replace(temporary_config, out / "voice.onnx.json")
    os.replace(temporary, out / "voice.onnx")
    return out / "voice.onnx"


def _fold(path: Path) -> None:
    """Constant folding of the graph at `path`, with standard operators only: half as many nodes, which load
    faster.
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(path)
    options.log_severity_level = 3
    onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
    model = onnx.load(path)
    foreign = {node.op_type for node in model.graph.node if node.domain}
    if foreign:
        raise ValueError(f"{path} has operators that are not plain ONNX: {sorted(foreign)}")
    plain = [imported for imported in model.opset_import if not imported.domain]
    del model.opset_import[:]
    model.opset_import.extend(plain)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def check(path: Path) -> None:
    """Synthesises a sentence with Piper; raises ValueError where speech or its alignment is faulty."""
    chunks = list(Piper.load(path).synthesize(_CHECK_TEXT, include_alignments=True))
    audio = np.concatenate([chunk.audio_float_array for chunk in chunks])
    if not np.isfinite(audio).all() or np.abs(audio).max() < 0.1:
        raise ValueError(f"{path} does not speak")
    for chunk in chunks:
        alignments = chunk.phoneme_alignments
        if alignments is None or sum(a.num_samples for a in alignments) != len(chunk.audio_float_array):
            raise ValueError(f"{path} gives durations that do not add up to its audio")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Export a training state of the voice for Piper.")
    parser.add_argument("state", type=Path, help="voice.pt as written by models.train.voice.train")
    parser.add_argument("out", type=Path, help="folder for voice.onnx and voice.onnx.json")
    options = parser.parse_args()
    model = Acoustic()
    model.load_state_dict(torch.load(options.state, weights_only=True)["model"])
    print(export(model, options.out))


if __name__ == "__main__":
    main()
