"""Losses: of the answer's words, and auxiliary ones on the labels of pictures, changes and question words."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from models.train.sight.grounding import CLASSES, IGNORED
from models.train.sight.model import CELL_PARTS, N_CHARACTERS, Vlm, block_mask
from models.train.sight.recall import lessened, recall_losses

_N_COUNTS, _QUALITY_ROW, _PLACE_ROW, _HELD_ROW = 17, 18, 19, 20
_KIND_ROWS = slice(21, 33)
_NOTHING = 0.12
_EARLY_EXITS = 4
"""Exits before the last that a step trains, drawn at random."""
Batch = dict[str, Tensor]


def _entropy(logits: Tensor, labels: Tensor, nothing: float = 1.0) -> Tensor:
    """Mean cross entropy over the last axis. `nothing`: weight of class 0; IGNORED labels are left out."""
    classes = logits.shape[-1]
    weight = torch.ones(classes, device=logits.device)
    weight[0] = nothing
    flat = labels.reshape(-1)
    if not (flat != IGNORED).any():
        return logits.sum() * 0.0
    return F.cross_entropy(logits.reshape(-1, classes), flat, weight, ignore_index=IGNORED)


def picture_loss(model: Vlm, rows: Tensor, batch: Batch) -> dict[str, Tensor]:
    """Losses of the labels that heads predict from image rows [b, 64, width]: things, letters and words from
    the row of their cell; each count, and the quality, from a fixed row.
    """
    shape, colour, size, offset, state, lying, ground = model.cell_head(rows).split(CELL_PARTS, -1)
    there = (batch["shape"] > 0).float()
    off = ((offset - batch["offset"]) ** 2).mean(-1)
    present = batch["colour"].masked_fill(batch["colour"] == 0, IGNORED)
    sized = batch["size"].masked_fill(batch["size"] == 0, IGNORED)
    letters = model.letter_head(rows).unflatten(-1, (2, N_CHARACTERS))
    return {
        "shape": 2 * _entropy(shape, batch["shape"], _NOTHING),
        "colour": _entropy(colour, present),
        "size": 0.5 * _entropy(size, sized),
        "offset": 2 * (off * there).sum() / there.sum().clamp(min=1),
        "letters": 1.5 * _entropy(letters, batch["letters"], 0.05),
        "counts": _entropy(model.count_head(rows[:, :_N_COUNTS]), batch["counts"], 0.4),
        "word": _entropy(model.word_head(rows), batch["word"], 0.03),
        "quality": 0.3 * _entropy(model.picture_head(rows[:, _QUALITY_ROW]), batch["quality"]),
        "state": 0.5 * _entropy(state, batch["state"]),
        "lying": 0.5 * _entropy(lying, batch["lying"]),
        "ground": 0.5 * _entropy(ground, batch["ground"]),
        "place": 0.5 * _entropy(model.place_head(rows[:, _PLACE_ROW]), batch["place"]),
        "held": 0.5 * _entropy(model.held_head(rows[:, _HELD_ROW]), batch["held"], 0.2),
        "kinds": _entropy(model.kind_head(rows[:, _KIND_ROWS]), batch["kinds"], 0.2),
    }


def activations(model: Vlm, batch: Batch) -> list[Tensor]:
    """Activations of each picture at every depth, [p, 64, width] each."""
    return model.vit.activations(batch["pixels"].permute(0, 3, 1, 2).float().div_(255))


def image_rows(model: Vlm, batch: Batch) -> Tensor:
    """Image rows of each picture, [p, 64, width]."""
    return model.vit.rows(activations(model, batch)[-1])


def answered(model: Vlm, batch: Batch, rows: Tensor) -> tuple[Tensor, Tensor, int]:
    """(text states [b, t, w], middle states, image rows per sequence) from image rows [p, 64, w]."""
    n_image = 64 * (len(rows) // len(batch["tokens"]))
    stacked = rows.reshape(len(batch["tokens"]), n_image, -1)
    image_positions = torch.arange(n_image, device=rows.device).expand(len(stacked), -1)
    positions = torch.cat((image_positions, batch["positions"]), 1)
    mask = block_mask(batch["slot"], batch["sees"], n_image)
    states, middle = model.decoder(model.rows(stacked, batch["tokens"]), positions, mask, n_image)
    return states, middle, n_image


def _recalled(model: Vlm, depths: list[Tensor], batch: Batch) -> dict[str, Tensor]:
    """The contrastive losses of the last exit and of a few random earlier ones."""
    if "captions" not in batch:
        return {}
    last = len(depths) - 2
    early = sorted(torch.randperm(last)[:_EARLY_EXITS].tolist())
    embeddings = [(model.vit.exits[index](lessened(depths[index + 1])), 1.0) for index in early]
    embeddings.append((model.vit.exits[last](depths[-1]), 1.0))
    longest = int((batch["captions"] > 0).sum(1).max())
    captions = model.text(batch["captions"][:, :longest])
    return recall_losses(embeddings, captions, batch["match"], model.scale)


def losses(model: Vlm, batch: Batch, vit_frozen: bool = False) -> dict[str, Tensor]:
    """All training losses, weighted; "answer" only for a batch with questions.

    With `vit_frozen` the ViT gets no gradient, and the losses on its rows are left out.
    """
    with torch.set_grad_enabled(torch.is_grad_enabled() and not vit_frozen):
        depths = activations(model, batch)
        rows = model.vit.rows(depths[-1])
    seen = {} if vit_frozen else {**picture_loss(model, rows, batch), **_recalled(model, depths, batch)}
    if "tokens" not in batch:
        return seen
    states, middle, n_image = answered(model, batch, rows)
    chosen = batch["target"] != IGNORED
    logits, target, weight = (
        model.decoder.logits(states[chosen]),
        batch["target"][chosen],
        batch["weight"][chosen],
    )
    answer = (F.cross_entropy(logits, target, reduction="none") * weight).sum() / weight.sum()
    parts = {"answer": 4 * answer, **seen}
    labelled = (batch["grounding"] != IGNORED).any(-1)
    heads = model.grounding_head(middle[:, n_image:][labelled]).split(tuple(CLASSES.values()), -1)
    labels = batch["grounding"][labelled]
    parts["grounding"] = 0.5 * torch.stack([_entropy(h, labels[:, i]) for i, h in enumerate(heads)]).sum()
    if "change" in batch:
        newer = middle[:, n_image - 64 : n_image]
        column, row = model.before_head(newer).chunk(2, -1)
        parts["change"] = 1.5 * _entropy(model.change_head(newer), batch["change"], 0.02)
        parts["before"] = _entropy(column, batch["before"][..., 0]) + _entropy(row, batch["before"][..., 1])
    return parts


@torch.no_grad()
def exact(model: Vlm, batch: Batch) -> dict[tuple[int, int], bool]:
    """(sequence, question) -> whether greedy decoding gives the true answer: each of its tokens is the most
    probable one.
    """
    states, _, _ = answered(model, batch, image_rows(model, batch))
    chosen = batch["target"] != IGNORED
    right = model.decoder.logits(states[chosen]).argmax(-1) == batch["target"][chosen]
    sequence = torch.arange(len(states), device=chosen.device)[:, None].expand_as(chosen)[chosen]
    result: dict[tuple[int, int], bool] = {}
    for row, question, ok in zip(
        sequence.tolist(), batch["question"][chosen].tolist(), right.tolist(), strict=True
    ):
        result[row, question] = result.get((row, question), True) and ok
    return result
