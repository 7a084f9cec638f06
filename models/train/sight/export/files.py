"""Exports what is trained: the chain of the vision encoder, the whole of it, the text tower, the decoder.

    python -m models.train.sight.export --cache .cache/train/vlm --out .cache/train/vlm/out

writes the averaged network of a checkpoint; the training writes its best one itself. `models.train.pack` puts
the files into a pack, without the whole encoder as one graph, which is for comparisons.
"""

from __future__ import annotations

import argparse
import copy
import random
import shutil
from pathlib import Path

import numpy as np
import torch

from models.train.new_files import moved_in
from models.train.sight.export.decoder import write_gguf
from models.train.sight.export.text import write_text
from models.train.sight.export.vit import write_chain, write_whole
from models.train.sight.model import Vlm, VlmConfig
from models.train.sight.text_words import TextWords
from models.train.sight.vit import SIDE_PX
from models.train.sight.vocabulary import Words
from models.train.world.drawing import render
from models.train.world.scenes import random_scene

CHAIN = "vision"
"""The folder of the chain's files in a pack."""


def export(model: Vlm, words: Words, text_words: TextWords, out: Path, eye_of: Path | None = None) -> None:
    """Writes the files into `out` when all of them are complete, each replaced atomically; of an earlier eye
    nothing stays. `models.train.pack` takes none of them where that was cut midway. eye_of: the pack whose
    eye and text tower the network has, as files; otherwise the same weights get another identity.
    """
    model = copy.deepcopy(model).cpu().eval()
    with moved_in(out, CHAIN) as unfinished:
        write_chain(model.vit, unfinished / CHAIN)
        write_whole(model.vit, unfinished / "vit.onnx")
        write_text(model.text, unfinished / "text.onnx")
        text_words.save(unfinished / "text.json")
        write_gguf(model.decoder, words, unfinished / "decoder.gguf")
        if eye_of is not None:
            for path in [*(unfinished / CHAIN).iterdir(), *unfinished.glob("text.*")]:
                shutil.copyfile(eye_of / path.relative_to(unfinished), path)


@torch.no_grad()
def write_reference(model: Vlm, words: Words, text_words: TextWords, path: Path) -> None:
    """Writes what PyTorch computes of a picture, a question and a caption, for
    `models.train.sight.export.parity`.
    """
    model = copy.deepcopy(model).cpu().eval()
    scene = random_scene(random.Random("parity"), "train", 0.0)
    question, caption = "what do you see", "keys on the kitchen table, left of the cup"
    picture, ids = render(scene, side_px=SIDE_PX), words.prompt(question)
    depths = model.vit.activations(torch.from_numpy(picture).permute(2, 0, 1)[None].float() / 255)
    rows = model.vit.rows(depths[-1])
    stacked = model.rows(rows, torch.tensor([ids]))
    n = stacked.shape[1]
    mask = torch.ones(1, 1, n, n, dtype=torch.bool).tril()
    states, _ = model.decoder(stacked, torch.arange(n)[None], mask, 0)
    tokens = text_words.encode(caption)
    embeddings = [leave(depth) for leave, depth in zip(model.vit.exits, depths[1:], strict=True)]
    np.savez(
        path,
        picture=picture,
        activations=torch.cat(depths).numpy(),
        embeddings=torch.cat(embeddings).numpy(),
        rows=rows[0].numpy(),
        question=question,
        ids=np.asarray(ids),
        logits=model.decoder.logits(states[0, -1]).numpy(),
        tokens=tokens,
        text=model.text(torch.from_numpy(tokens)[None])[0].numpy(),
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=Path(".cache/train/vlm"), help="checkpoints")
    parser.add_argument("--out", type=Path, required=True, help="folder for the exported files")
    options = parser.parse_args()
    torch.set_num_threads(1)
    words = Words.load(options.cache / "words.json")
    text_words = TextWords.load(options.cache / "text.json")
    model = Vlm(VlmConfig(vocab=len(words), text_vocab=len(text_words)))
    state = torch.load(options.cache / "last.pt", weights_only=True, map_location="cpu")
    model.load_state_dict(state["averaged"])
    options.out.mkdir(parents=True, exist_ok=True)
    export(model, words, text_words, options.out)
    write_reference(model, words, text_words, options.cache / "parity.npz")
    print(f"step {state['progress']['step']}: {options.out}")
