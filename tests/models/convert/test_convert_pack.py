"""`just convert`: a checkpoint's folder becomes a pack that can be imported and answers the requests of a
turn.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("gguf", reason="gguf is not installed")

from models.brick import (
    Completion,
    Embed,
    Embedding,
    Encode,
    Frame,
    Phrase,
    Prompt,
    Recall,
    Resume,
    Sentence,
    Utterance,
)
from models.convert.__main__ import main
from models.convert.checkpoint.folder import ConvertError
from models.convert.numerical_error import difference
from models.convert.vision import npu
from models.install.import_folder import import_pack_files, offers
from models.pack.catalogue import find_pack, load_pack
from models.pack.manifest import read_manifest
from models.pack.npu_fit import Npu
from models.pixels import Preparation
from models.process.bricks import Bricks
from models.process.residency import Residency
from tests.models.convert import siglip_checkpoints as siglip
from tests.models.convert.checkpoints import SPECIAL, write_checkpoint


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    (tmp_path / "photos").mkdir()
    for index in range(4):
        Image.fromarray(rng.integers(0, 256, (60, 80, 3), np.uint8)).save(tmp_path / f"photos/{index}.png")
    return tmp_path / "photos"


def converted(tmp_path: Path, kind: str, *arguments: str) -> Path:
    out = tmp_path / "made" / kind
    checkpoint = write_checkpoint(tmp_path / "checkpoint", kind)
    assert main([str(checkpoint), str(out), "--unchecked", *arguments]) == 0
    return out


@pytest.mark.parametrize("kind", tuple(SPECIAL))
def test_a_converted_pack_is_imported_and_answers_with_a_picture(tmp_path: Path, kind: str):
    out = converted(tmp_path, kind)
    (offer,) = offers(out)
    brought = import_pack_files(offer, out)
    assert brought.pack is not None and brought.lacking == ()
    pack = load_pack(kind)
    assert pack.licence == "apache-2.0"
    tokens = int(pack.bricks["vision"].options["tokens"])

    async def turn() -> tuple[int, Completion]:
        bricks = Bricks(pack)
        await bricks.apply(Residency("budgeted"))
        try:
            noise = np.random.default_rng(1).normal(0, 0.01, 32_000).astype(np.float32)
            assert [chunk async for chunk in bricks.run("stt", Utterance(noise))]
            frame = Frame(np.full((480, 640, 3), 90, np.uint8))
            (image,) = [chunk async for chunk in bricks.run("vision", frame)]
            assert isinstance(image, Embedding) and image.slot is not None and image.slot.tokens == tokens
            prompt = Prompt("what colour is the ball", (image,), 6)
            *_, last = [chunk async for chunk in bricks.run("llm", prompt)]
            assert [chunk async for chunk in bricks.run("tts", Sentence("It is red."))]
            return image.slot.tokens, last
        finally:
            await bricks.close()

    rows, completion = asyncio.run(turn())
    assert isinstance(completion, Completion) and completion.n_generated > 0
    assert completion.n_prompt > rows


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_an_imported_siglip_pack_places_pictures_and_phrases_in_one_space(
    tmp_path: Path, precision: str, stream: bool
):
    checkpoint, out = siglip.write_siglip(tmp_path / "siglip"), tmp_path / "made" / "eye"
    assert main([str(checkpoint), str(out), "--unchecked", "--precision", precision]) == 0
    (offer,) = offers(out)
    assert import_pack_files(offer, out).pack is not None
    pack = load_pack("eye")
    text = pack.bricks["text"]
    assert text.options["phrase"] == "a photo of {phrase}"  # letters that the tiny tokenizer lacks
    pack = replace(
        pack, bricks={**pack.bricks, "text": replace(text, options={**text.options, "phrase": "{phrase}"})}
    )
    if stream:
        vision = replace(pack.bricks["vision"], options={**pack.bricks["vision"].options, "stream": True})
        pack = replace(pack, bricks={**pack.bricks, "vision": vision})
    picture = np.random.default_rng(6).integers(0, 256, (56, 56, 3), np.uint8)

    async def places() -> list[Recall]:
        bricks = Bricks(pack)
        await bricks.apply(Residency("budgeted"))
        try:
            found = []
            (shallow,) = [part async for part in bricks.run("vision", Encode((picture,), 2))]
            (deep,) = [part async for part in bricks.run("vision", Resume((shallow,), siglip.LAYERS))]
            for activation in (shallow, deep):
                found += [part async for part in bricks.run("vision", Embed((activation,)))]
            return found + [part async for part in bricks.run("text", Phrase("The keys, on the table"))]
        finally:
            await bricks.close()

    shallow, deep, phrase = asyncio.run(places())
    assert (shallow.depth, deep.depth, phrase.depth) == (2, 5, 5) and phrase.encoder == deep.encoder
    weights, limit = siglip.tensors(), 1e-4 if precision == "fp32" else 1e-2
    states = siglip.activations(weights, Preparation(56, mean=(0.5,) * 3, std=(0.5,) * 3).pixels(picture))
    names = ("\u2581the", "\u2581keys", "\u2581on", "\u2581the", "\u2581table", *["</s>"] * 7)
    ids = [[piece for piece, _ in siglip.PIECES].index(name) for name in names]
    for place, theirs in (
        (shallow, siglip.exit_embedding(weights, states[2])),
        (deep, siglip.exit_embedding(weights, states[5])),
        (phrase, siglip.sentence_embedding(weights, ids)),
    ):
        assert difference(place.vector[None], theirs).relative < limit


@pytest.mark.parametrize("cut", [("--whole",), ("--groups", "1")])
def test_a_pack_in_int8_has_the_files_that_it_lists(tmp_path: Path, photos: Path, cut: tuple[str, ...]):
    given = ("--precision", "int8,q8_0", "--calibration", str(photos), "--name", "x")
    out = converted(tmp_path, "smolvlm", *given, *cut)
    manifest = read_manifest(out)
    assert manifest.name == "x"
    listed = {file.path for file in manifest.files}
    chain = {f"vision/{name}.onnx" for name in ("stem", "group_01", "group_02", "rows")}
    assert ({"vision.onnx"} if cut == ("--whole",) else chain) <= listed
    on_disk = {str(p.relative_to(out)) for p in out.rglob("*") if p.is_file()}
    assert on_disk == listed | {"pack.toml"}


def test_what_a_shipped_pack_lacks_is_named_as_it_names_it(tmp_path: Path, capsys: pytest.CaptureFixture):
    checkpoint = write_checkpoint(tmp_path / "checkpoint", "llava-onevision")
    assert main([str(checkpoint), str(tmp_path / "out"), "--unchecked", "--name", "paper"]) == 2
    assert "rows of 730 x 896, and this checkpoint makes 17 x 64" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


LENT = ("stt.bin", "voice.onnx", "voice.onnx.json")
KNOWN_BRICKS = """
[brick.stt]
runtime = "whisper.cpp"
memory_mib = 50
files = { model = "stt.bin" }

[brick.vision]
runtime = "onnxruntime"
memory_mib = 30
files = { model = "known-vision.onnx" }
[brick.vision.settings]
tokens = 4
width = 64
resize = "squash"
filter = "lanczos"
longest_edge_px = 224
rescale = 0.00392156862745098
mean = 0.5
std = 0.5

[brick.llm]
runtime = "llama.cpp"
memory_mib = 20
files = { model = "known-decoder.gguf" }
[brick.llm.settings]
n_ctx = 512
before_images = "<|im_start|>User:<fake_token_around_image><global-img>"
between_images = "<fake_token_around_image><fake_token_around_image><global-img>"
prompt = "<fake_token_around_image>{history}{question}<end_of_utterance>\\nAssistant:"
turn = "{question}<end_of_utterance>\\nAssistant: {answer}<end_of_utterance>\\nUser: "
text_prompt = "<|im_start|>User: {history}{question}<end_of_utterance>\\nAssistant:"
history_tokens = 100

[brick.tts]
runtime = "piper"
memory_mib = 50
files = { model = "voice.onnx", config = "voice.onnx.json" }
"""


def test_what_a_shipped_pack_lacks_completes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    """Its other files are published; the conversion makes those that are made from the checkpoint."""
    shipped = tmp_path / "packs" / "known"
    shipped.mkdir(parents=True)
    others = find_pack("micro")
    lent = [file for file in read_manifest(others).files if file.path in LENT]
    text = 'name = "known"\n\n[[file]]\npath = "model.safetensors"\nlicence = "MIT"\n\n'
    for file in lent:
        seal = f'size = {file.size_bytes}\nsha256 = "{file.sha256}"\nlicence = "MIT"'
        text += f'[[file]]\npath = "{file.path}"\n{seal}\n\n'
    for path in ("known-vision.onnx", "known-decoder.gguf"):
        text += f'[[file]]\npath = "{path}"\nlicence = "MIT"\nmade_from = ["model.safetensors"]\n\n'
    text += KNOWN_BRICKS
    monkeypatch.setattr("models.convert.__main__.PACKS_FOLDER", tmp_path / "packs")
    monkeypatch.setattr("models.install.import_folder.PACKS_FOLDER", tmp_path / "packs")
    (shipped / "pack.toml").write_text(text.replace('"lanczos"', '"bilinear"'))
    assert main([str(write_checkpoint(tmp_path / "c", "smolvlm")), str(tmp_path / "x"), "--name", "known",
                 "--unchecked"]) == 2  # fmt: skip
    assert "has filter = 'bilinear' in its pack.toml, and this checkpoint" in capsys.readouterr().err
    (shipped / "pack.toml").write_text(text.replace("User: {history}", "User:{history}"))
    assert main([str(tmp_path / "c"), str(tmp_path / "x"), "--name", "known", "--unchecked"]) == 2
    assert "has text_prompt = '<|im_start|>User:{history}" in capsys.readouterr().err
    (shipped / "pack.toml").write_text(text)
    out = converted(tmp_path, "smolvlm", "--name", "known")
    assert sorted(path.name for path in out.iterdir()) == ["known-decoder.gguf", "known-vision.onnx"]
    for name in LENT:
        shutil.copyfile(others / name, out / name)
    (offer,) = offers(out, "known")
    brought = import_pack_files(offer, out)
    assert brought.pack is not None
    assert {file.path for file in brought.recorded} == {"known-decoder.gguf", "known-vision.onnx"}
    assert load_pack("known").bricks["vision"].options["tokens"] == 4


def test_the_npu_step_hands_graph_and_calibration_to_the_toolkit(
    tmp_path: Path, photos: Path, monkeypatch: pytest.MonkeyPatch
):
    """A double of rknn-toolkit2's interface that records its calls; the step imports it by its own path."""
    package = tmp_path / "site" / "rknn"
    package.mkdir(parents=True)
    (tmp_path / "site" / "rknn_toolkit2-2.5.0.dist-info").mkdir()
    about = "Metadata-Version: 2.1\nName: rknn-toolkit2\nVersion: 2.5.0\n"
    (tmp_path / "site" / "rknn_toolkit2-2.5.0.dist-info" / "METADATA").write_text(about)
    (package / "__init__.py").write_text("")
    (package / "api.py").write_text(
        "import json, os, numpy as np\n"
        "class RKNN:\n"
        "    def __init__(self, verbose=True, verbose_file=None): self.told = {}\n"
        "    def config(self, mean_values=None, std_values=None, quantized_dtype='w8a8',\n"
        "               quantized_algorithm='normal', quantized_method='channel', target_platform=None):\n"
        "        self.told['platform'] = target_platform; return 0\n"
        "    def load_onnx(self, model, inputs=None, input_size_list=None, outputs=None):\n"
        "        return 0 if os.path.getsize(model) else -1\n"
        "    def build(self, do_quantization=True, dataset=None, rknn_batch_size=None):\n"
        "        self.told['dataset'] = open(dataset).read().split() if dataset else []\n"
        "        shapes = [np.load(name).shape for name in self.told['dataset']]\n"
        "        self.told['shape'] = shapes[0] if shapes else []\n"
        "        return 0 if do_quantization == bool(dataset) and len(set(shapes)) < 2 else -1\n"
        "    def export_rknn(self, export_path): \n"
        "        open(export_path, 'w').write(json.dumps(self.told)); return 0\n"
        "    def init_runtime(self, target=None): return 0\n"
        "    def inference(self, inputs, data_format=None):\n"
        "        assert (data_format == 'nchw') == (inputs[0].ndim == 4)\n"
        "        return [2 * inputs[0]]\n"
        "    def release(self): pass\n"
    )
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}/site" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(npu.PYTHON_VARIABLE, "./python")
    (tmp_path / "graph.onnx").write_bytes(b"graph")
    toolkit, given = npu.find_toolkit(), [np.ones((1, 3, 8, 8), np.float32)]
    found = toolkit.build(tmp_path / "graph.onnx", tmp_path / "int8.rknn", given, given * 3)
    assert np.array_equal(found, 2 * np.stack(given))
    assert "calibration-2.npy" in (tmp_path / "int8.rknn").read_text()
    assert "rk3566" in (tmp_path / "int8.rknn").read_text()
    (tmp_path / "graph.onnx").write_bytes(b"")
    with pytest.raises(ConvertError, match="could not read the graph"):
        toolkit.build(tmp_path / "graph.onnx", tmp_path / "fp16.rknn", given)
    assert not list(tmp_path.glob("*.scratch"))
    out = converted(tmp_path, "smolvlm", "--rknn", "--whole")
    table = read_manifest(out).bricks["vision"]["npu"]
    assert table["file"] == "vision-rk3566.rknn" and table["librknnrt"] == "2.5.0" == toolkit.version
    assert table["side_px"] == 56 and "rk3566" in table["chips"]
    computer = Npu("rk3566", True, "0.9.8", True, "2.5.0", True)
    assert load_pack(out, npu=computer).bricks["vision"].options["model"] == str(out / table["file"])
    # a chain: each graph for itself, calibrated with what the graphs before it make of the pictures
    checkpoint, out = siglip.write_siglip(tmp_path / "siglip"), tmp_path / "chain"
    flags = ["--rknn", "--precision", "int8", "--calibration", str(photos), "--exits", "2,5"]
    assert main([str(checkpoint), str(out), "--unchecked", *flags]) == 0
    vision = read_manifest(out).bricks["vision"]
    files = vision["npu"]["files"]
    assert set(files) == set(vision["files"]) and "file" not in vision["npu"]
    assert files["group_02"] == "vision/group_02-rk3566.rknn" and files["exit_01"] == files["exit_03"]
    for key, path in files.items():
        told = json.loads((out / path).read_text())
        assert told["platform"] == "rk3566" and len(told["dataset"]) == 4
        assert told["shape"] == ([1, 3, 56, 56] if key == "stem" else [1, 16, 64])
    options = load_pack(out, npu=computer).bricks["vision"].options
    assert options["exit_03"] == str(out / "vision/exit-rk3566.rknn") and options["groups"] == [2, 2, 1]


def test_the_pack_that_lends_ears_and_voice_is_named(tmp_path: Path):
    out = converted(tmp_path, "smolvlm")
    lent = load_pack(find_pack("micro"))
    made = load_pack(out)
    for brick in ("stt", "tts"):
        theirs, ours = dict(lent.bricks[brick].options), dict(made.bricks[brick].options)
        for key in ("model", "config"):
            if key in theirs:
                assert Path(theirs.pop(key)).read_bytes() == Path(ours.pop(key)).read_bytes()
        assert theirs == ours


def test_a_checkpoint_in_the_working_folder_is_named_by_that_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(write_checkpoint(tmp_path / "mine", "smolvlm"))
    assert main([".", str(tmp_path / "out"), "--unchecked"]) == 0
    assert read_manifest(tmp_path / "out").description == "smolvlm from mine, fp16 and hybrid"
