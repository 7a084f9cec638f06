"""Published checkpoints' own files, without their weights: every shape, picture and token as the authors'
library makes it.

HEADBAND_CHECKPOINTS names a folder with a folder for each checkpoint, as published: config.json,
preprocessor_config.json, tokenizer.json, the chat template and what else there is beside the weights. The
files are not in this repository: `python -m tests.models.convert.published FOLDER` fetches those of the
packs' checkpoints where a hub can be reached. `just test-train` runs this; without the variable it is
skipped.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: `just test-train` has it")
pytest.importorskip("transformers", reason="transformers is not installed: `just test-train`")
pytest.importorskip("gguf", reason="gguf is not installed")

import transformers
from llama_cpp import llama_cpp as native
from PIL import Image

from models.convert.checkpoint.folder import read_json
from models.convert.checkpoint.original import OriginalPreparation
from models.convert.checkpoint.preprocessor import read_preparation
from models.convert.checkpoint.shapes import ModelShape, model_shape
from models.convert.checkpoint.vocabulary import read_vocabulary
from models.convert.decoder.precision import DECODER
from models.convert.decoder.tokens import SAMPLES, require_same_tokens
from models.convert.gguf_file import Hyperparameters, begin, finish
from models.convert.prompt import Prompts, conversation, read_prompts
from models.pack.catalogue import PACKS_FOLDER
from models.pack.manifest import read_manifest
from tests.models.convert.published import beside_weights, named_packs

VARIABLE = "HEADBAND_CHECKPOINTS"
NAMED = os.environ.get(VARIABLE, "")
FOLDERS = sorted(path.parent for path in Path(NAMED).glob("*/config.json")) if NAMED else []
pytestmark = pytest.mark.skipif(
    not FOLDERS,
    reason=f"{VARIABLE} names no folder of checkpoints' files; "
    "`python -m tests.models.convert.published FOLDER` fetches them",
)
SIZES = ((480, 640), (640, 480), (61, 61), (37, 211), (1080, 1921), (300, 2), (2048, 1536))


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def root(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture
def shape(root: Path) -> ModelShape:
    return model_shape(read_json(root / "config.json", "says which model it is"))


Tokenize = Callable[[str], list[int]]


@pytest.fixture
def tokenize(root: Path, shape: ModelShape, tmp_path: Path) -> Iterator[Tokenize]:
    """llama.cpp's tokens, by a GGUF file that has the checkpoint's vocabulary and no weights."""
    decoder = shape.decoder
    if decoder is None or not (root / "tokenizer.json").is_file():
        pytest.skip(f"{root.name} has no tokenizer.json of a decoder")
    sizes = Hyperparameters(
        decoder.architecture, decoder.context, decoder.width, decoder.layers, decoder.hidden, decoder.heads,
        decoder.kv_heads, decoder.epsilon, decoder.rope_base, decoder.head_width, decoder.vocab,
    )  # fmt: skip
    vocabulary = read_vocabulary(root, decoder.vocab)
    finish(begin(tmp_path / "vocabulary.gguf", sizes, vocabulary, DECODER["f16"].file_type))
    native.llama_backend_init()
    params = native.llama_model_default_params()
    params.vocab_only = True
    model = native.llama_model_load_from_file(str(tmp_path / "vocabulary.gguf").encode(), params)
    assert model
    vocab = native.llama_model_get_vocab(model)

    def tokens(text: str) -> list[int]:
        data = text.encode()
        ids = (native.llama_token * (len(data) + 8))()
        return list(ids[: native.llama_tokenize(vocab, data, len(data), ids, len(ids), False, True)])

    yield tokens
    native.llama_model_free(model)


def test_pictures_bit_for_bit(root: Path, shape: ModelShape):
    ours, theirs, rng = (
        read_preparation(root, shape),
        OriginalPreparation(root, shape),
        np.random.default_rng(1),
    )
    for size in SIZES:
        if not shape.vision.flat_patches or size[0] == size[1]:
            rgb = rng.integers(0, 256, (*size, 3), np.uint8)
            assert np.array_equal(ours.pixels(rgb), theirs.pixels(rgb)), size


def test_texts_and_prompts_token_by_token(root: Path, shape: ModelShape, tokenize: Tokenize):
    count = require_same_tokens(tokenize, root, read_prompts(root, shape), shape.image_token)
    assert count == 7 * len(SAMPLES)


@pytest.mark.parametrize("pictures", [0, 1, 2, 3])
def test_whole_conversations_as_their_processor_makes_them(
    root: Path, shape: ModelShape, tokenize: Tokenize, pictures: int
):
    """Template, tokens around pictures, tokens of text, and as many rows for a picture as ours has.

    `PreTrainedTokenizerFast` takes tokenizer.json as it is; since version 5 `AutoTokenizer` rebuilds it from
    the class that tokenizer_config.json names, and leaves its step for digits out.
    """
    if shape.kind != "smolvlm":
        pytest.skip("a processor that puts tiles into every prompt, or needs torchvision")
    processor = transformers.Idefics3Processor(
        transformers.AutoImageProcessor.from_pretrained(str(root), backend="pil"),
        transformers.PreTrainedTokenizerFast.from_pretrained(str(root)),
        image_seq_len=read_json(root / "processor_config.json", "counts rows")["image_seq_len"],
        chat_template=_template(root),
    )
    prompts = read_prompts(root, shape)
    images = [Image.new("RGB", (64 + number, 48), (9, 90, 200)) for number in range(pictures)]
    for turns in ([], [("where are my 2 keys?", "On the table,  left."), ("and «now»?", "12 steps\nahead")]):
        for question in SAMPLES[:-1] if not pictures else SAMPLES[4::8]:
            text = processor.apply_chat_template(
                conversation(pictures, turns, question), add_generation_prompt=True
            )
            begins = text.startswith(processor.tokenizer.bos_token)
            given: dict[str, Any] = {"images": [images], "do_image_splitting": False} if images else {}
            wanted = processor(text=[text], add_special_tokens=not begins, **given)["input_ids"][0]
            parts = [tokenize(part) for part in prompts.parts(pictures, turns, question)]
            found = parts[0]
            for part in parts[1:]:
                found = found + [shape.image_token] * shape.tokens + part
            assert found == list(wanted), question


def _template(root: Path) -> str:
    if (root / "chat_template.jinja").is_file():
        return (root / "chat_template.jinja").read_text()
    return str(read_json(root / "chat_template.json", "is the template")["chat_template"])


def test_the_pack_says_what_its_model_says(root: Path, shape: ModelShape):
    """SmolVLM's sizes share tokenizer, template and preprocessing."""
    names = {folder: pack.name for pack in named_packs() for folder, _ in beside_weights(pack)}
    name = names.get(root.name, "standard" if root.name.lower().startswith("smolvlm-") else None)
    if name is None:
        pytest.skip("no pack is made from it")
    bricks = read_manifest(PACKS_FOLDER / name).bricks
    assert Prompts.of(bricks["llm"]["settings"]) == read_prompts(root, shape)
    told, read = bricks["vision"]["settings"], read_preparation(root, shape)
    assert (told["resize"], told["filter"]) == (read.resize, read.filter)
    assert (told.get("longest_edge_px", 0), told["rescale"]) == (read.longest_edge_px, read.rescale)
    assert ((told["mean"],) * 3, (told["std"],) * 3) == (read.mean, read.std)
    assert told["tokens"] == shape.tokens and bricks["vision"]["npu"]["side_px"] == shape.vision.side
