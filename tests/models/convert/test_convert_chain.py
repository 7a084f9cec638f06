"""An encoder cut into a chain of graphs, and SigLIP's text encoder, against NumPy and the single graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("gguf", reason="gguf is not installed")

import onnx
from PIL import Image

from models.brick import Context
from models.bricks.eye.vision import OnnxPiece, OnnxPieces
from models.convert.__main__ import main
from models.convert.checkpoint.folder import Checkpoint, ConvertError
from models.convert.checkpoint.shapes import model_shape
from models.convert.converted import run_graph, run_onnx
from models.convert.numerical_error import PIECE_LIMIT, difference
from models.convert.text.siglip import write_text
from models.convert.vision.chain_plan import ChainPlan, parse_plan
from models.convert.vision.precision import write_dynamic_int8, write_fp16
from models.convert.vision.siglip import VisionWriter
from models.pack.catalogue import PACKS_FOLDER, load_pack
from models.pack.chain import chain_of
from models.pack.manifest import read_manifest
from tests.models.convert import siglip_checkpoints as siglip
from tests.models.convert.checkpoints import SPECIAL, write_checkpoint


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))


def pixels(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (1, 3, 56, 56)).astype(np.float32)


@pytest.mark.parametrize("naflex", [False, True])
def test_every_piece_computes_its_part_of_siglip(tmp_path: Path, naflex: bool):
    checkpoint = Checkpoint(siglip.write_siglip(tmp_path / "c", naflex=naflex))
    shape = model_shape(checkpoint.config)
    plan = parse_plan("2", "", shape.vision.layers, head=shape.vision.head)
    assert plan.groups == (2, 2, 1) and plan.exits == (2, 4, 5)
    paths = VisionWriter(checkpoint, shape).write_chain(plan, tmp_path / "vision")
    weights = siglip.tensors(naflex=naflex)
    states = siglip.activations(weights, pixels())
    found = run_onnx([paths[piece] for piece in plan.pieces], pixels())
    expected = [states[0], *(states[depth] for depth in plan.depths), siglip.rows(weights, states[-1])]
    for ours, theirs in zip(found, expected, strict=True):
        assert difference(ours[0], theirs).relative <= PIECE_LIMIT / 10
    for depth, ours in zip(plan.depths, found[1:-1], strict=True):
        (embedding,) = run_graph(paths["exit"], [ours])
        assert embedding.shape == (1, 64) and np.linalg.norm(embedding) == pytest.approx(1, abs=1e-6)
        assert difference(embedding, siglip.exit_embedding(weights, states[depth])).relative <= PIECE_LIMIT


def test_exits_that_are_one_file_are_loaded_once(tmp_path: Path):
    checkpoint = Checkpoint(siglip.write_siglip(tmp_path / "c"))
    shape, plan = model_shape(checkpoint.config), ChainPlan((2, 2, 1), (2, 4, 5))
    VisionWriter(checkpoint, shape).write_chain(plan, tmp_path / "vision")
    files = {key: str(tmp_path / path) for key, path in plan.files("vision").items()}
    settings = {"side_px": 56, "groups": plan.groups, "tokens": 16, "width": 64, "embedding": 64}
    loaded: list[Path] = []

    class Counted(OnnxPiece):
        def __init__(self, path: Path, *args: Any, **options: Any) -> None:
            loaded.append(path)
            super().__init__(path, *args, **options)

    class Counting(OnnxPieces):
        piece = Counted

    options = {**settings, **files}
    pieces = Counting(options, Context(), chain_of(options))
    keys = ["stem", "group_01", "group_02", "group_03", "rows", "exit_01", "exit_02", "exit_03"]
    found = dict(zip(keys, pieces.through(keys), strict=True))
    assert len(loaded) == len(set(loaded)) == 6
    assert found["exit_01"] is found["exit_03"]
    pieces.close()


@pytest.mark.parametrize("kind", [*SPECIAL, "siglip"])
@pytest.mark.parametrize("groups", [(1, 1), (2,)])
def test_a_chain_gives_the_rows_of_the_single_graph(tmp_path: Path, kind: str, groups: tuple[int, ...]):
    root = tmp_path / kind
    checkpoint = Checkpoint(siglip.write_siglip(root) if kind == "siglip" else write_checkpoint(root, kind))
    shape = model_shape(checkpoint.config)
    if kind == "siglip":
        groups = (*groups, 3)
    writer, plan = VisionWriter(checkpoint, shape), ChainPlan(groups)
    writer.write_whole(tmp_path / "whole.onnx")
    paths = writer.write_chain(plan, tmp_path / "vision")
    assert tuple(paths) == plan.pieces
    (whole,) = run_onnx([tmp_path / "whole.onnx"], pixels())
    chained = run_onnx([paths[piece] for piece in plan.pieces], pixels())[-1]
    assert difference(chained[0], whole[0]).relative <= PIECE_LIMIT / 10


def test_every_graph_of_a_chain_has_one_input_one_output_and_fixed_shapes(tmp_path: Path):
    checkpoint = Checkpoint(siglip.write_siglip(tmp_path / "c"))
    shape = model_shape(checkpoint.config)
    paths = VisionWriter(checkpoint, shape).write_chain(ChainPlan((5,), (5,)), tmp_path / "vision")
    for piece, path in paths.items():
        graph = onnx.load(str(path)).graph
        sizes = [
            [extent.dim_value for extent in value.type.tensor_type.shape.dim]
            for value in (*graph.input, *graph.output)
        ]
        assert len(sizes) == 2 and all(all(size) for size in sizes), piece
        assert sizes[1] == ([1, 64] if piece == "exit" else [1, 16, 64])


def test_the_text_encoder_computes_siglip_at_each_precision(tmp_path: Path):
    checkpoint = Checkpoint(siglip.write_siglip(tmp_path / "c"))
    shape = model_shape(checkpoint.config).text
    assert shape is not None and shape.tokens == siglip.SENTENCE_TOKENS and shape.embedding == 64
    exact, half, quarter = (tmp_path / f"{name}.onnx" for name in ("fp32", "fp16", "int8"))
    write_text(checkpoint, shape, exact)
    write_fp16(exact, half)
    write_text(checkpoint, shape, tmp_path / "table.onnx", int8_table=True)
    write_dynamic_int8(tmp_path / "table.onnx", quarter)
    ids = np.random.default_rng(2).integers(0, shape.vocab, (1, shape.tokens))
    theirs = siglip.sentence_embedding(siglip.tensors(), ids[0].tolist())
    errors = [
        difference(run_graph(path, [ids])[0], theirs).relative for path in (exact, half, quarter)
    ]  # fmt: skip
    assert errors[0] <= PIECE_LIMIT / 10 and errors[0] < errors[1] < 1e-2 and errors[1] < errors[2] < 0.2
    sizes = [path.stat().st_size for path in (exact, half, quarter)]
    assert sizes[0] > sizes[1] > sizes[2]


@pytest.mark.parametrize("precision", ["fp32", "fp16", "int8"])
def test_a_siglip_folder_becomes_a_pack_that_finds_pictures_by_words(
    tmp_path: Path, precision: str, capsys: pytest.CaptureFixture
):
    root, out = siglip.write_siglip(tmp_path / "c"), tmp_path / "out"
    (tmp_path / "photos").mkdir()
    rng = np.random.default_rng(4)
    for index in range(4):
        picture = Image.fromarray(rng.integers(0, 256, (60, 80, 3), np.uint8))
        picture.save(tmp_path / f"photos/{index}.png")
    given = ["--precision", precision, "--calibration", str(tmp_path / "photos"), "--exits", "2,5"]
    assert main([str(root), str(out), "--unchecked", *given]) == 0
    assert "headband models import" in capsys.readouterr().out
    manifest = read_manifest(out)
    assert "has no decoder to answer with" in manifest.description and manifest.licence == "apache-2.0"
    assert manifest.bricks["vision"]["files"] == {
        "stem": "vision/stem.onnx", "rows": "vision/rows.onnx",
        **{f"group_0{number}": f"vision/group_0{number}.onnx" for number in (1, 2, 3)},
        "exit_01": "vision/exit.onnx", "exit_03": "vision/exit.onnx",
    }  # fmt: skip
    settings = manifest.bricks["vision"]["settings"]
    assert settings["groups"] == [2, 2, 1] and settings["side_px"] == 56 and settings["embedding"] == 64
    assert settings["untrained_exits"] == [2]
    pack = load_pack(out)
    assert pack.bricks["text"].options["embedding"] == 64 and "llm" not in pack.bricks
    meant, usual = (
        each.bricks["text"]["settings"] for each in (manifest, read_manifest(PACKS_FOLDER / "standard"))
    )
    assert all(meant[key] == usual[key] for key in ("phrase", "fits_from", "about_as_well"))
    files = manifest.bricks["vision"]["files"]
    found = run_onnx([out / files[key] for key in ("stem", "group_01", "group_02", "group_03")], pixels())
    weights = siglip.tensors()
    theirs = siglip.exit_embedding(weights, siglip.activations(weights, pixels())[-1])
    (ours,) = run_graph(out / "vision/exit.onnx", found[-1:])
    limit = {"fp32": 1e-5, "fp16": 1e-2, "int8": 0.2}[precision]
    assert difference(ours, theirs).relative < limit


def test_a_text_tower_that_is_too_large_in_float32_is_made_in_int8_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    told = {**siglip.TEXT, "vocab_size": 20_000}
    monkeypatch.setattr(siglip, "TEXT", told)
    root = siglip.write_siglip(tmp_path / "c")
    monkeypatch.setattr("models.convert.vision.onnx_graph._LARGEST_BYTES", 2_500_000)
    assert main([str(root), str(tmp_path / "out"), "--unchecked"]) == 2
    error = capsys.readouterr().err
    assert "The graph 'text' has" in error and "With --precision int8 it is smaller." in error
    photo = Image.fromarray(np.zeros((60, 80, 3), np.uint8))
    (tmp_path / "photos").mkdir()
    photo.save(tmp_path / "photos/0.png")
    given = ["--unchecked", "--precision", "int8", "--calibration", str(tmp_path / "photos")]
    assert main([str(root), str(tmp_path / "out"), *given]) == 0
    assert (tmp_path / "out/text.onnx").stat().st_size < 2_500_000


def test_an_encoder_of_a_decoder_has_no_exits(tmp_path: Path):
    root = write_checkpoint(tmp_path / "c", "smolvlm")
    assert main([str(root), str(tmp_path / "out"), "--unchecked", "--groups", "1"]) == 0
    bricks = read_manifest(tmp_path / "out").bricks
    assert set(bricks["vision"]["files"]) == {"stem", "group_01", "group_02", "rows"}
    assert bricks["vision"]["settings"]["groups"] == [1, 1] and "text" not in bricks


@pytest.mark.parametrize(
    ("groups", "exits", "head", "sentence"),
    [
        ("0", "", True, "--groups 0 isn't a number of layers"),
        ("two", "", True, "--groups two isn't a number of layers"),
        ("2,2", "", True, "--groups 2,2 is 4 layers, and the encoder has 5"),
        ("2", "3", True, "--exits 3 isn't the end of a group; the groups end at 2, 4, 5"),
        ("2", "2", False, "no head that pools a picture"),
    ],
)
def test_a_cut_that_is_not_possible_is_refused_in_one_sentence(
    groups: str, exits: str, head: bool, sentence: str
):
    with pytest.raises(ConvertError, match=sentence) as caught:
        parse_plan(groups, exits, 5, head=head)
    assert "\n" not in str(caught.value)


def test_contradicting_wishes_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture):
    root = write_checkpoint(tmp_path / "c", "smolvlm")
    assert main([str(root), str(tmp_path / "out"), "--unchecked", "--whole", "--groups", "1"]) == 2
    assert "--groups and --exits don't go with --whole" in capsys.readouterr().err
    siglip.write_siglip(tmp_path / "s")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / "s" / name).unlink()
    assert main([str(tmp_path / "s"), str(tmp_path / "out"), "--unchecked"]) == 2
    assert "has neither tokenizer.json nor spiece.model" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_published_configurations_name_only_what_differs_from_the_default():
    told = {
        "model_type": "siglip", "text_config": {"model_type": "siglip_text_model", "vocab_size": 256_000},
        "vision_config": {"model_type": "siglip_vision_model", "image_size": 512},
    }  # fmt: skip
    fixed = model_shape(told)
    assert (fixed.tokens, fixed.vision.width, fixed.vision.layers, fixed.vision.head) == (1024, 768, 12, True)
    assert fixed.text is not None
    assert (fixed.text.vocab, fixed.text.tokens, fixed.text.embedding) == (256_000, 64, 768)
    naflex = model_shape({"model_type": "siglip2", "text_config": {}, "vision_config": {}})
    assert (naflex.vision.side, naflex.vision.flat_patches, naflex.tokens) == (256, True, 256)
    assert model_shape({"model_type": "siglip_vision_model"}).text is None


def test_text_of_another_length_than_the_pictures_is_refused():
    told = siglip.config()
    told["text_config"] = {**siglip.TEXT, "projection_size": 32}
    with pytest.raises(ConvertError, match="its embedding has 32 values and the pictures' has 64"):
        model_shape(told)
