"""Converted graphs and decoders compute the same as a NumPy implementation of the checkpoint."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("gguf", reason="gguf is not installed")

import gguf

from models.convert.checkpoint.folder import Checkpoint, ConvertError, our_name
from models.convert.checkpoint.shapes import ModelShape, model_shape
from models.convert.checkpoint.vocabulary import read_vocabulary
from models.convert.converted import ConvertedDecoder, run_onnx
from models.convert.decoder.gguf import expected_tensors, gguf_name, interleaved, write_decoder
from models.convert.decoder.precision import DECODER, kind_of, requantise
from models.convert.numerical_error import FP32_LIMIT, difference
from models.convert.vision.chain_plan import ChainPlan
from models.convert.vision.precision import write_fp16, write_int8
from models.convert.vision.siglip import VisionWriter
from tests.models.convert import reference_models as reference
from tests.models.convert.checkpoints import SPECIAL, config, tensors, write_checkpoint, write_safetensors

KINDS = tuple(SPECIAL)
PROMPT = {
    "llava-onevision": "<|im_start|>user \nwhat colour, 42?<|im_end|>",
    "smolvlm": "<|im_start|>User:<fake_token_around_image>what colour, 42?<end_of_utterance>\nAssistant:",
}


def opened(root: Path, kind: str, dtype: str = "F32") -> tuple[Checkpoint, ModelShape]:
    checkpoint = Checkpoint(write_checkpoint(root / kind, kind, dtype))
    return checkpoint, model_shape(checkpoint.config)


def pixels(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (1, 3, 56, 56)).astype(np.float32)


@pytest.mark.parametrize("kind", KINDS)
def test_the_vision_graph_whole_and_layer_by_layer_computes_the_model(tmp_path: Path, kind: str):
    checkpoint, shape = opened(tmp_path, kind)
    writer = VisionWriter(checkpoint, shape)
    writer.write_whole(tmp_path / "whole.onnx")
    pieces = list(writer.write_chain(ChainPlan((1, 1)), tmp_path / "chain").values())
    assert [path.stem for path in pieces] == ["stem", "group_01", "group_02", "rows"]
    rows = reference.image_rows(tensors(kind), kind, pixels())
    assert rows.shape == (shape.tokens, shape.projector.width)
    for paths in ([tmp_path / "whole.onnx"], pieces):
        assert difference(run_onnx(paths, pixels())[-1][0], rows).relative <= FP32_LIMIT / 100


@pytest.mark.parametrize("kind", KINDS)
def test_fewer_bits_cost_little_and_save_space(tmp_path: Path, kind: str):
    checkpoint, shape = opened(tmp_path, kind)
    whole, half, quarter = (tmp_path / f"{name}.onnx" for name in ("fp32", "fp16", "int8"))
    VisionWriter(checkpoint, shape).write_whole(whole)
    write_fp16(whole, half)
    write_int8(whole, quarter, [pixels(seed) for seed in range(1, 7)])
    rows = reference.image_rows(tensors(kind), kind, pixels())
    errors = [difference(run_onnx([path], pixels())[-1][0], rows).relative for path in (whole, half, quarter)]
    assert errors[0] < errors[1] < 5e-3 and errors[1] < errors[2] < 0.1
    sizes = [path.stat().st_size for path in (whole, half, quarter)]
    assert sizes[1] < 0.6 * sizes[0] and sizes[2] < 0.4 * sizes[0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_decoder_computes_the_model_at_each_precision(tmp_path: Path, kind: str):
    checkpoint, shape = opened(tmp_path, kind)
    assert shape.decoder is not None
    weights, ids = tensors(kind), np.random.default_rng(3).integers(0, 260, 24).tolist()
    embedding = next(value for name, value in weights.items() if name.endswith("embed_tokens.weight"))
    theirs = reference.logits(weights, kind, embedding[ids], shape.decoder.rope_base, shape.decoder.epsilon)
    errors, sizes = {}, {}
    for precision in DECODER:
        path = tmp_path / f"{precision}.gguf"
        write_decoder(checkpoint, shape.decoder, path, DECODER[precision], "tiny")
        decoder = ConvertedDecoder(path, 128, exact=precision == "f32")
        errors[precision] = difference(decoder.logits(ids), theirs).relative
        sizes[precision] = path.stat().st_size
        decoder.close()
    assert errors["f32"] <= FP32_LIMIT
    assert errors["f32"] < errors["f16"] < errors["q8_0"] < errors["hybrid"] < errors["q4_0"] < 1
    assert sizes["q4_0"] < sizes["hybrid"] < sizes["q8_0"] < sizes["f16"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_goes_straight_into_the_decoder(tmp_path: Path, kind: str):
    """Text, image rows and text, evaluated one after the other, give the logits of the whole sequence."""
    checkpoint, shape = opened(tmp_path, kind)
    assert shape.decoder is not None
    VisionWriter(checkpoint, shape).write_whole(tmp_path / "eye.onnx")
    write_decoder(checkpoint, shape.decoder, tmp_path / "f32.gguf", DECODER["f32"], "tiny")
    decoder, weights = ConvertedDecoder(tmp_path / "f32.gguf", 128, exact=True), tensors(kind)
    ids = decoder.ids(PROMPT[kind])
    before, after = ids[:2], ids[2:]
    ours = decoder.answer(before, run_onnx([tmp_path / "eye.onnx"], pixels())[-1][0], after)
    decoder.close()
    embedding = next(value for name, value in weights.items() if name.endswith("embed_tokens.weight"))
    rows = reference.image_rows(weights, kind, pixels())
    whole = np.concatenate([embedding[before], rows, embedding[after]])
    theirs = reference.logits(weights, kind, whole, shape.decoder.rope_base, shape.decoder.epsilon)[-1]
    assert difference(ours[None], theirs[None]).relative <= FP32_LIMIT


@pytest.mark.parametrize("kind", KINDS)
def test_control_tokens_and_end_are_known_to_llama_cpp(tmp_path: Path, kind: str):
    checkpoint, shape = opened(tmp_path, kind)
    assert shape.decoder is not None
    vocabulary = read_vocabulary(checkpoint.root, shape.decoder.vocab)
    assert len(vocabulary.tokens) == shape.decoder.vocab
    assert vocabulary.tokens[vocabulary.end_id] == SPECIAL[kind][2]
    assert vocabulary.splitting == ("smollm" if kind == "smolvlm" else "qwen2")
    write_decoder(checkpoint, shape.decoder, tmp_path / "d.gguf", DECODER["f16"], "tiny")
    decoder = ConvertedDecoder(tmp_path / "d.gguf", 64)
    ids = decoder.ids(PROMPT[kind])
    decoder.close()
    assert "".join(vocabulary.tokens[i] for i in ids).replace("Ġ", " ").replace("Ċ", "\n") == PROMPT[kind]
    assert sum(vocabulary.types[i] == gguf.TokenType.CONTROL for i in ids) == PROMPT[kind].count("<")


@given(st.sampled_from([(1, 2), (2, 4), (3, 8), (5, 64)]), st.integers(0, 30), st.integers(0, 2**32 - 1))
def test_reordered_rows_make_halves_neighbours(heads_depth: tuple[int, int], position: int, seed: int):
    """Rotating pairs of neighbours after the reordering equals rotating pairs of halves, up to the order."""
    heads, depth = heads_depth
    rng = np.random.default_rng(seed)
    weight, x = rng.standard_normal((heads * depth, 5)).astype(np.float32), rng.standard_normal(5)
    angles = position * 100.0 ** (-np.arange(0, depth, 2) / depth)
    halves = (weight @ x).reshape(heads, 2, depth // 2)
    a, b = halves[:, 0], halves[:, 1]
    by_halves = np.stack(
        [a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles)], 1
    )
    pairs = (interleaved(weight, heads) @ x).reshape(heads, depth // 2, 2)
    a, b = pairs[..., 0], pairs[..., 1]
    by_pairs = np.stack(
        [a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles)], -1
    )
    assert np.allclose(by_pairs.transpose(0, 2, 1), by_halves, atol=1e-5)


@given(st.integers(1, 5), st.floats(1e-6, 0.3), st.integers(0, 2**32 - 1))
def test_an_error_is_relative_to_the_original(rows: int, share: float, seed: int):
    rng = np.random.default_rng(seed)
    original, off = rng.standard_normal((rows, 6)), rng.standard_normal((rows, 6))
    off *= share * np.linalg.norm(original) / np.linalg.norm(off)
    for scale in (1.0, 1e3):
        found = difference(scale * (original + off), scale * original)
        assert found.relative == pytest.approx(share) and found.divergence >= -1e-9
    same = difference(original, original)
    assert (same.relative, same.largest, same.same_best, same.divergence) == (0, 0, 1, 0)
    off[0, 0] = np.nan
    assert difference(off, original).relative == np.inf
    with pytest.raises(ValueError, match="shapes"):
        difference(original[:, :5], original)


def test_half_precision_checkpoints_are_read_as_they_are(tmp_path: Path):
    for dtype, bits in (("F16", 11), ("BF16", 8)):
        path = tmp_path / dtype
        checkpoint, _ = opened(path, "smolvlm", dtype)
        for name, values in tensors("smolvlm").items():
            read = checkpoint.tensor(our_name(name), values.shape)
            assert np.allclose(read, values, rtol=2.0 ** (1 - bits), atol=1e-6)


@pytest.mark.parametrize(
    ("published", "ours"),
    [
        ("vision_tower.vision_model.encoder.layers.0.mlp.fc1.bias", "vision.encoder.layers.0.mlp.fc1.bias"),
        ("model.vision_tower.encoder.layers.0.mlp.fc1.bias", "vision.encoder.layers.0.mlp.fc1.bias"),
        ("model.vision_model.post_layernorm.weight", "vision.post_layernorm.weight"),
        ("encoder.layers.3.layer_norm1.bias", "vision.encoder.layers.3.layer_norm1.bias"),
        ("language_model.model.layers.1.mlp.up_proj.weight", "text.layers.1.mlp.up_proj.weight"),
        ("model.language_model.layers.1.mlp.up_proj.weight", "text.layers.1.mlp.up_proj.weight"),
        ("model.text_model.norm.weight", "text.norm.weight"),
        ("language_model.lm_head.weight", "text.lm_head.weight"),
        ("model.connector.modality_projection.proj.weight", "projector.weight"),
        ("model.multi_modal_projector.linear_2.bias", "projector.linear_2.bias"),
        ("model.image_newline", "projector.image_newline"),
        ("text_model.encoder.layers.0.mlp.fc1.bias", "text_model.encoder.layers.0.mlp.fc1.bias"),
    ],
)
def test_every_published_layout_has_one_name_here(published: str, ours: str):
    assert our_name(published) == ours


def test_every_decoder_tensor_has_a_name_in_gguf():
    for kind in KINDS:
        shape = model_shape(config(kind)).decoder
        assert shape is not None
        names = [gguf_name(name, shape) for name in expected_tensors(shape)]
        assert len(set(names)) == len(names) and "blk.1.attn_q.weight" in names


def test_a_decoder_is_requantised_with_everything_else_as_it_was(tmp_path: Path):
    checkpoint, shape = opened(tmp_path, "llava-onevision")
    assert shape.decoder is not None
    write_decoder(checkpoint, shape.decoder, tmp_path / "a.gguf", DECODER["f32"], "tiny")
    write_decoder(checkpoint, shape.decoder, tmp_path / "b.gguf", DECODER["hybrid"], "tiny")
    requantise(tmp_path / "a.gguf", tmp_path / "c.gguf", DECODER["hybrid"])
    direct, again = (gguf.GGUFReader(tmp_path / name) for name in ("b.gguf", "c.gguf"))
    assert {f.name: f.contents() for f in direct.fields.values() if f.name[:5] != "GGUF."} == {
        f.name: f.contents() for f in again.fields.values() if f.name[:5] != "GGUF."
    }
    for a, b in zip(direct.tensors, again.tensors, strict=True):
        assert (a.name, a.tensor_type) == (b.name, b.tensor_type) and np.array_equal(a.data, b.data)


def test_hybrid_keeps_eight_bits_at_the_edges_and_rows_that_do_not_fit_sixteen():
    kinds = [
        kind_of(name, shape, DECODER["hybrid"]).name
        for name, shape in (
            ("token_embd.weight", (320, 64)), ("output.weight", (320, 64)), ("blk.0.ffn_up.weight", (96, 64)),
            ("blk.0.ffn_down.weight", (64, 100)), ("blk.0.attn_q.bias", (64,)),
        )
    ]  # fmt: skip
    assert kinds == ["Q8_0", "Q8_0", "Q4_0", "F16", "F32"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model_type": "gemma3"}, "model type is 'gemma3'"),
        ({"text_config": {"model_type": "phi3"}}, "decoder is a 'phi3'"),
        ({"scale_factor": 3}, "can't be shuffled by 3"),
        ({"text_config": None}, "lacks 'hidden_size'"),
    ],
)
def test_what_is_not_known_is_said_in_one_sentence(change: dict, sentence: str):
    told = {**config("smolvlm"), **change}
    if change.get("text_config", 0) is None:
        told["text_config"] = {"model_type": "llama"}
    with pytest.raises(ConvertError, match=sentence) as caught:
        model_shape(told)
    assert "\n" not in str(caught.value)


def test_missing_short_and_misshapen_weights_are_named(tmp_path: Path):
    checkpoint, shape = opened(tmp_path, "smolvlm")
    path = checkpoint.root / "model.safetensors"
    weights = tensors("smolvlm")
    name = "model.vision_model.encoder.layers.1.mlp.fc1.weight"
    write_safetensors(path, {key: value for key, value in weights.items() if key != name})
    with pytest.raises(ConvertError, match=r"lacks the tensor vision\.encoder\.layers\.1\.mlp\.fc1\.weight"):
        VisionWriter(Checkpoint(checkpoint.root), shape).write_whole(tmp_path / "x.onnx")
    write_safetensors(path, {**weights, name: weights[name].T})
    with pytest.raises(ConvertError, match="has shape"):
        VisionWriter(Checkpoint(checkpoint.root), shape).write_whole(tmp_path / "x.onnx")
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(ConvertError, match="cut short"):
        Checkpoint(checkpoint.root)
    path.write_bytes(b"not at all")
    with pytest.raises(ConvertError, match="no whole safetensors file"):
        Checkpoint(checkpoint.root)
    path.unlink()
    with pytest.raises(ConvertError, match=r"has no model\.safetensors"):
        Checkpoint(checkpoint.root)
