"""Conversions against the models' own code, run by PyTorch: tiny, randomly initialised, of the real classes.

`just test-train`: PyTorch is in the training environment only.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: `just test-train` has it")
pytest.importorskip("transformers", reason="transformers is not installed: `just test-train`")
pytest.importorskip("onnx", reason="onnx is not installed")

import torch
import transformers
from tokenizers import Tokenizer

from models.convert.__main__ import main
from models.convert.chain_job import ChainJob
from models.convert.checkpoint.folder import Checkpoint, ConvertError
from models.convert.checkpoint.original import Original, OriginalPreparation
from models.convert.checkpoint.preprocessor import read_preparation
from models.convert.checkpoint.shapes import model_shape
from models.convert.converted import ConvertedDecoder, run_graph, run_onnx
from models.convert.decoder.gguf import write_decoder
from models.convert.decoder.precision import DECODER
from models.convert.decoder.tokens import SAMPLES, require_same_tokens
from models.convert.job import ConversionOptions, Job
from models.convert.numerical_error import FP32_LIMIT, PIECE_LIMIT, difference
from models.convert.prompt import read_prompts
from models.convert.text.siglip import write_text
from models.convert.text.tokenizer import check_tokenizer
from models.convert.text.tokenizer import write_tokenizer as write_words
from models.convert.vision import npu
from models.convert.vision.chain_plan import ChainPlan, parse_plan
from models.convert.vision.siglip import VisionWriter
from models.pack.catalogue import load_pack
from models.pixels import FILTERS
from tests.models.convert import siglip_checkpoints as siglip
from tests.models.convert.checkpoints import (
    CHAT_TEMPLATES,
    PREPROCESSORS,
    SPECIAL,
    TEXT,
    VISION,
    config,
    write_checkpoint,
    write_preprocessor,
    write_safetensors,
    write_tokenizer,
)

CLASSES = ("SiglipVisionModel", "SiglipModel", "Siglip2Model", "LlavaOnevision", "SmolVLM", "Idefics3")
WITH_TEXT = ("SiglipModel", "Siglip2Model")
_SENTENCE = {
    "hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2, "num_attention_heads": 4,
    "vocab_size": 99, "max_position_embeddings": 12, "projection_size": 64, "bos_token_id": 1,
    "eos_token_id": 1, "initializer_range": 0.1,
}  # fmt: skip


def made_by_transformers(name: str, root: Path) -> Path:
    """A model of the class, saved by its authors' code."""
    torch.manual_seed(5)
    eye = {**VISION, "num_hidden_layers": 3, "initializer_range": 0.1}
    text = {**TEXT, "initializer_range": 0.1}
    kind = "llava-onevision" if name == "LlavaOnevision" else "smolvlm"
    token = config(kind).get("image_token_id", config(kind).get("image_token_index"))
    made: Any
    if name == "SiglipVisionModel":
        made = transformers.SiglipVisionModel(transformers.SiglipVisionConfig(**eye))
    elif name == "SiglipModel":
        made = transformers.SiglipModel(transformers.SiglipConfig(vision_config=eye, text_config=_SENTENCE))
    elif name == "Siglip2Model":
        del eye["image_size"]
        settings = transformers.Siglip2Config(vision_config={**eye, "num_patches": 16}, text_config=_SENTENCE)
        made = transformers.Siglip2Model(settings)
    elif name == "LlavaOnevision":
        made = transformers.LlavaOnevisionForConditionalGeneration(
            transformers.LlavaOnevisionConfig(
                vision_config={**eye, "model_type": "siglip_vision_model", "vision_use_head": False},
                text_config={**text, "model_type": "qwen2", "rope_theta": 1e6},
                image_token_index=token, image_token_id=token, image_grid_pinpoints=[[56, 56], [112, 56]],
            )
        )  # fmt: skip
    else:
        family = getattr(transformers, f"{name}Config")
        made = getattr(transformers, f"{name}ForConditionalGeneration")(
            family(
                vision_config=eye, text_config={**text, "model_type": "llama"}, scale_factor=2,
                image_token_id=token,
            )
        )  # fmt: skip
    made.eval().save_pretrained(root)
    write_tokenizer(root, kind)
    (root / "chat_template.jinja").write_text(CHAT_TEMPLATES[kind])
    write_preprocessor(root, {"Siglip2Model": "siglip2"}.get(name, "siglip" if "Siglip" in name else kind))
    return root


@pytest.mark.parametrize("name", CLASSES)
def test_vision_of_each_class_within_a_thousandth_whole_and_by_layer(tmp_path: Path, name: str):
    checkpoint = Checkpoint(made_by_transformers(name, tmp_path / "original"))
    shape = model_shape(checkpoint.config)
    original = Original(checkpoint.root, shape)
    writer = VisionWriter(checkpoint, shape)
    writer.write_whole(tmp_path / "whole.onnx")
    plan = ChainPlan((1,) * shape.vision.layers)
    pieces = list(writer.write_chain(plan, tmp_path / "chain").values())
    pixels = np.random.default_rng(0).uniform(-1, 1, (1, 3, 56, 56)).astype(np.float32)
    rows = original.rows(pixels)
    assert difference(run_onnx([tmp_path / "whole.onnx"], pixels)[-1][0], rows).relative <= FP32_LIMIT
    results = run_onnx(pieces, pixels)
    for ours, theirs in zip(results, [*original.states(pixels), rows], strict=True):
        assert difference(ours[0], theirs).relative <= FP32_LIMIT


@pytest.mark.parametrize("name", CLASSES)
def test_every_piece_of_each_class_within_a_ten_thousandth(tmp_path: Path, name: str):
    root = made_by_transformers(name, tmp_path / "original")
    lines: list[str] = []
    job = Job(Checkpoint(root), tmp_path, ConversionOptions(), lines.append)
    plan = parse_plan("1,2", "", 3, head=job.shape.vision.head)
    paths = ChainJob(job, plan).float32(tmp_path / "chain")
    assert set(paths) == set(plan.all_pieces) and job.shape.vision.head == name.startswith("Siglip")
    named = ["stem", "group_01", "group_02", "rows", *(f"exit at {depth}" for depth in plan.exits)]
    assert lines.pop(0).endswith("as transformers, bit for bit")
    assert sorted(line.split("fp32 ")[1].split("  ")[0] for line in lines) == sorted(named)
    errors = [float(line.split("relative error")[1].split()[0]) for line in lines]
    assert max(errors) <= PIECE_LIMIT / 10


@pytest.mark.parametrize("name", WITH_TEXT)
def test_the_last_exit_and_the_text_encoder_are_the_models_own_embeddings(tmp_path: Path, name: str):
    root = made_by_transformers(name, tmp_path / "original")
    checkpoint = Checkpoint(root)
    shape = model_shape(checkpoint.config)
    assert shape.text is not None
    model, rng = transformers.AutoModel.from_pretrained(root).eval(), np.random.default_rng(0)
    pixels = rng.uniform(-1, 1, (1, 3, 56, 56)).astype(np.float32)
    paths = VisionWriter(checkpoint, shape).write_chain(ChainPlan((3,), (3,)), tmp_path / "chain")
    ours = run_onnx([paths[piece] for piece in ("stem", "group_01", "exit")], pixels)[-1]
    given = {"pixel_values": torch.from_numpy(pixels)}
    if name == "Siglip2Model":
        cut = pixels.reshape(1, 3, 4, 14, 4, 14).transpose(0, 2, 4, 3, 5, 1).reshape(1, 16, -1)
        given = {
            "pixel_values": torch.from_numpy(cut), "pixel_attention_mask": torch.ones(1, 16),
            "spatial_shapes": torch.tensor([[4, 4]]),
        }  # fmt: skip
    ids = rng.integers(0, 99, (1, 12))
    write_text(checkpoint, shape.text, tmp_path / "text.onnx")
    with torch.inference_mode():
        picture = model.get_image_features(**given).pooler_output.numpy()
        sentence = model.get_text_features(torch.from_numpy(ids)).pooler_output.numpy()
    assert difference(ours, picture / np.linalg.norm(picture)).relative <= PIECE_LIMIT
    (ours,) = run_graph(tmp_path / "text.onnx", [ids])
    assert difference(ours, sentence / np.linalg.norm(sentence)).relative <= PIECE_LIMIT


def test_a_siglip_folder_is_compared_piece_by_piece_in_every_precision(
    tmp_path: Path, capsys: pytest.CaptureFixture
):
    out = tmp_path / "out"
    assert main([str(siglip.write_siglip(tmp_path / "c")), str(out), "--compare"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for part in (
        "vision fp32 stem",
        "vision fp32 exit at 4",
        "vision fp16 exit at 5",
        "text fp32",
        "text fp16",
    ):
        assert any(line.startswith(part) and "relative error" in line for line in lines), part
    assert load_pack(out).bricks["vision"].options["untrained_exits"] == [2, 4]


@pytest.mark.parametrize("name", CLASSES[3:])
def test_decoder_of_each_class_within_a_thousandth_before_bits_are_saved(tmp_path: Path, name: str):
    checkpoint = Checkpoint(made_by_transformers(name, tmp_path / "original"))
    shape = model_shape(checkpoint.config)
    assert shape.decoder is not None
    original, ids = Original(checkpoint.root, shape), np.random.default_rng(1).integers(0, 260, 32).tolist()
    errors = {}
    for precision in DECODER:
        path = tmp_path / f"{precision}.gguf"
        write_decoder(checkpoint, shape.decoder, path, DECODER[precision], "tiny")
        decoder = ConvertedDecoder(path, 128, exact=precision == "f32")
        errors[precision] = difference(decoder.logits(ids), original.logits(ids)).relative
        decoder.close()
    assert errors["f32"] <= FP32_LIMIT
    assert errors["f32"] < errors["f16"] < errors["q8_0"] < errors["hybrid"] < errors["q4_0"]


@pytest.mark.parametrize("kind", tuple(SPECIAL))
def test_the_whole_conversion_prints_every_error(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture):
    checkpoint = write_checkpoint(tmp_path / "checkpoint", kind)
    assert main([str(checkpoint), str(tmp_path / "out"), "--compare", "--groups", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for part in ("vision fp32 ", "vision fp16", "vision fp16 group_02", *(f"decoder {p}" for p in DECODER)):
        assert any(line.startswith(part) and "relative error" in line for line in lines), part
    assert any(
        line.startswith("picture to word, f32") and "same next token 100.0 %" in line for line in lines
    )
    assert load_pack(tmp_path / "out").bricks["vision"].options["tokens"] == (17 if "llava" in kind else 4)


@pytest.mark.parametrize("cut", [["--whole"], ["--groups", "1"]])
def test_a_graph_that_differs_from_the_original_is_no_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, cut: list[str]
):
    checkpoint = write_checkpoint(tmp_path / "checkpoint", "smolvlm")
    monkeypatch.setattr(VisionWriter, "_shuffled", lambda self, graph, x: graph.shape(x, 1, 4, 256))
    assert main([str(checkpoint), str(tmp_path / "out"), *cut]) == 2
    assert "isn't converted rightly" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_decoder_that_differs_from_the_original_is_no_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    """Also where few bits are wanted: it is compared in float32 first."""
    checkpoint = write_checkpoint(tmp_path / "checkpoint", "smolvlm")
    monkeypatch.setattr("models.convert.decoder.gguf.interleaved", lambda weight, heads: weight)
    assert main([str(checkpoint), str(tmp_path / "out"), "--precision", "fp32,q4_0"]) == 2
    error = capsys.readouterr().err
    assert "The logits (decoder f32) differ from the original's by" in error and "more than 1.0e-03" in error
    assert len(error.strip().splitlines()) == 1 and not (tmp_path / "out").exists()


def test_pictures_that_are_prepared_otherwise_are_no_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    checkpoint = write_checkpoint(tmp_path / "checkpoint", "llava-onevision")
    monkeypatch.setattr("models.pixels.FILTERS", FILTERS[::-1])
    assert main([str(checkpoint), str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "A picture of 640 x 480 pixels is prepared otherwise than by transformers" in error


def test_a_sentence_that_the_text_tower_would_read_otherwise_is_refused(tmp_path: Path):
    siglip.write_siglip(tmp_path)
    told = tmp_path / "text.json"
    write_words(tmp_path, 99, 12, told)
    assert check_tokenizer(tmp_path, told)
    told.write_text(told.read_text().replace('"\u2581the"', '"\u2581teh"'))
    with pytest.raises(ConvertError, match=r"splits 3 of 13 sentences otherwise than tokenizer\.json does"):
        check_tokenizer(tmp_path, told)


def test_a_single_token_that_differs_is_refused_with_the_number(tmp_path: Path):
    write_checkpoint(tmp_path, "smolvlm")
    shape = model_shape(config("smolvlm"))
    prompts, own = read_prompts(tmp_path, shape), Tokenizer.from_file(str(tmp_path / "tokenizer.json"))

    def ours(text: str) -> list[int]:
        return own.encode(text, add_special_tokens=False).ids  # type: ignore[no-any-return]

    total = 7 * len(SAMPLES)
    assert require_same_tokens(ours, tmp_path, prompts, shape.image_token) == total
    for part in ("1234567890", "       ", "\t\t", "\n\n\n", "\u0301", "日本語", "👧"):
        without = partial(lambda part, text: ours(text.replace(part, "?")), part)
        with pytest.raises(ConvertError, match=rf"splits [7-9] of {total} texts otherwise") as caught:
            require_same_tokens(without, tmp_path, prompts, shape.image_token)
        assert "\n" not in str(caught.value)


@pytest.mark.skipif(not os.environ.get(npu.PYTHON_VARIABLE), reason=f"{npu.PYTHON_VARIABLE} isn't set")
def test_the_npu_simulator_agrees_with_the_original(tmp_path: Path):
    checkpoint = Checkpoint(write_checkpoint(tmp_path / "checkpoint", "smolvlm"))
    shape = model_shape(checkpoint.config)
    VisionWriter(checkpoint, shape).write_whole(tmp_path / "whole.onnx")
    given = [np.random.default_rng(i).uniform(-1, 1, (1, 3, 56, 56)).astype(np.float32) for i in range(5)]
    original, toolkit = Original(checkpoint.root, shape), npu.find_toolkit()
    for precision, calibration, limit in (("fp16", [], 0.01), ("int8", given[1:], 0.15)):
        found = toolkit.build(
            tmp_path / "whole.onnx", tmp_path / f"{precision}.rknn", given[:1], calibration
        )[0]
        assert difference(found[0], original.rows(given[0])).relative < limit


@pytest.mark.parametrize("kind", tuple(PREPROCESSORS))
@pytest.mark.parametrize(
    "changed", [{}, {"resample": 0, "image_mean": [0.1, 0.2, 0.3]}, {"resample": 5, "do_rescale": False},
                {"resample": 4, "do_normalize": False}],
)  # fmt: skip
def test_pictures_are_prepared_as_by_the_models_own_library(
    tmp_path: Path, kind: str, changed: dict[str, Any]
):
    write_preprocessor(tmp_path, kind, **changed)
    told = siglip.config(naflex=kind == "siglip2") if kind.startswith("siglip") else config(kind)
    shape, rng = model_shape(told), np.random.default_rng(9)
    original = OriginalPreparation(tmp_path, shape)
    preparation = read_preparation(tmp_path, shape)
    sizes = ((480, 640), (640, 480), (33, 33), (5, 300), (301, 7), (56, 56))
    for size in sizes if kind != "siglip2" else ((33, 33), (56, 56), (480, 480)):
        rgb = rng.integers(0, 256, (*size, 3), np.uint8)
        assert np.array_equal(preparation.pixels(rgb), original.pixels(rgb)), size


def test_an_exit_that_float16_spoils_is_no_pack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its hidden values overflow, and the rows are right."""
    root, found = siglip.write_siglip(tmp_path / "c"), siglip.tensors()
    for name, values in found.items():
        if name.startswith("vision_model.head.mlp.fc1"):
            values *= 3e5
        elif name == "vision_model.head.mlp.fc2.weight":
            values /= 3e5
    write_safetensors(root / "model.safetensors", found)
    assert main([str(root), str(tmp_path / "pack")]) == 2
    assert "The fp16 exit at 2 loses the picture" in capsys.readouterr().err
    assert not (tmp_path / "pack").exists()
