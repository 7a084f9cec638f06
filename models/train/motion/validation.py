"""What a motion brick's network says to clips, and how much of it is right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch

from models.train.motion.batches import BATCH, batch_of
from models.train.motion.features import Encoded
from models.train.motion.mixes import MIXES
from models.train.motion.model import Motion
from models.train.motion.objective import logits_of
from models.train.motion.thresholds import Answered
from models.train.world.clips.values import FAMILIES, decided_by_order


@torch.no_grad()
def answers(model: Motion, clips: Sequence[Encoded], depth: int) -> list[Answered]:
    """What the network says to every question of clips, at a depth by its position in `DEPTHS`."""
    was = model.training
    model.eval()
    found = []
    for at in range(0, len(clips), BATCH):
        group = clips[at : at + BATCH]
        batch = batch_of(group, depth, [clip.questions for clip in group])
        logits = logits_of(model, batch, depth)[0]
        flat = [(clip, question) for clip in group for question in clip.questions]
        for (clip, question), row in zip(flat, logits, strict=True):
            found.append(Answered(question, row.numpy(), clip.event, clip.turned, clip.mix))
    model.train(was)
    return found


def right(found: Iterable[Answered]) -> dict[str, float]:
    """Share right by family, of all families alike, and of what is decided by order alone."""
    by: dict[str, list[bool]] = {}
    for each in found:
        by.setdefault(each.question.family, []).append(each.right)
        if decided_by_order(each.question):
            by.setdefault("order", []).append(each.right)
    shares = {family: sum(each) / len(each) for family, each in by.items()}
    mean = sum(shares[family] for family in FAMILIES if family in shares) / sum(f in shares for f in FAMILIES)
    return shares | {"all": mean}


def by_mix(found: Sequence[Answered]) -> str:
    """The mean of the families and what is decided by order, in percent, of each mix."""
    told = []
    for mix in MIXES:
        shares = right(each for each in found if each.mix == mix.name)
        told.append(f"{mix.name} {100 * shares['all']:.1f} ({100 * shares.get('order', 0):.1f})")
    return ", ".join(told)
