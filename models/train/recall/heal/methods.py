"""Ways to teach the exits of an eye, each from the same views and towards the same full depth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from models.train.recall.heal import distil, low_rank
from models.train.recall.heal.eye import Eye
from models.train.recall.heal.fit import Part, Plan, fit

_BATCH = 128


@dataclass(frozen=True, eq=False)
class Views:
    """Activations of depth 0 [views, tokens, width], and what full depth makes of them before any change:
    places [views, embedding] and rows [views, tokens, width].
    """

    stems: Tensor
    places: Tensor
    rows: Tensor


Both = tuple[Views, Views]
"""For training, and for validation."""


def views_of(eye: Eye, stems: Tensor) -> Views:
    """What the eye as it is makes of these."""
    last = taken(eye, stems, 0, len(eye.blocks))
    places = [eye.place(part, eye.depths[-1]) for part in last.split(_BATCH)]
    return Views(stems, torch.cat(places), torch.cat([eye.rows(part) for part in last.split(_BATCH)]))


@torch.no_grad()
def taken(eye: Eye, activations: Tensor, start: int, end: int) -> Tensor:
    """Activations of depth `start` taken to depth `end`, in batches."""
    return torch.cat([eye.through(part, start, end) for part in activations.split(_BATCH)])


@torch.no_grad()
def placed(eye: Eye, activations: Tensor, depth: int) -> Tensor:
    """Activations of that depth -> places."""
    return torch.cat([eye.place(part, depth) for part in activations.split(_BATCH)])


@dataclass(frozen=True)
class Taught:
    """What a stage was about: the exit's depth, the first depth whose blocks it changed, and the mean loss on
    the validation views after it.
    """

    depth: int
    start: int
    loss: float


def progressive(eye: Eye, views: Both, plan: Plan, seed: int, *, with_heads: bool = True) -> Iterator[Taught]:
    """One suite for all exits, exit by exit: a stage changes the blocks behind the exit before it, and
    nothing that an activation stored at that exit has passed. with_heads: the exit itself learns as well.
    """
    start, inputs = 0, (views[0].stems, views[1].stems)
    for depth in eye.depths:
        parameters = low_rank.attach(_between(eye, start, depth), plan.rank)
        parameters += list(eye.exits[str(depth)].parameters()) if with_heads else []
        own_plan = plan.for_full_depth if depth == len(eye.blocks) else plan
        loss = fit(parameters, _parts(eye, inputs, views, start, (depth,)), own_plan, seed)
        low_rank.merge(_between(eye, start, depth))
        inputs = _both_taken(eye, inputs, start, depth)
        yield Taught(depth, start, loss)
        start = depth


def heads(eye: Eye, views: Both, plan: Plan, seed: int) -> Iterator[Taught]:
    """The exits only, each for itself; full depth stays as it is."""
    start, inputs = 0, (views[0].stems, views[1].stems)
    for depth in eye.depths[:-1]:
        inputs = _both_taken(eye, inputs, start, depth)
        parts = _parts(eye, inputs, views, depth, (depth,))
        loss = fit(list(eye.exits[str(depth)].parameters()), parts, plan.for_heads, seed)
        yield Taught(depth, depth, loss)
        start = depth


def per_exit(eye: Eye, views: Both, plan: Plan, seed: int) -> dict[int, Eye]:
    """An eye for each exit, changed from the first block on for that exit alone; full depth has the eye as it
    is.
    """
    found = {eye.depths[-1]: eye}
    for depth in eye.depths[:-1]:
        own = found[depth] = eye.copied()
        parameters = low_rank.attach(_between(own, 0, depth), plan.rank)
        parameters += list(own.exits[str(depth)].parameters())
        fit(parameters, _parts(own, (views[0].stems, views[1].stems), views, 0, (depth,)), plan, seed)
        low_rank.merge(_between(own, 0, depth))
    return found


def joint(eye: Eye, views: Both, plan: Plan, seed: int) -> Iterator[Eye]:
    """One suite for all exits, all taught at once, in as many sessions as there are exits: a copy of the eye
    after each.
    """
    blocks = _between(eye, 0, eye.depths[-1])
    sessions = len(eye.depths)
    for session in range(sessions):
        parameters = low_rank.attach(blocks, plan.rank)
        parameters += [each for leave in eye.exits.values() for each in leave.parameters()]
        parts = _parts(eye, (views[0].stems, views[1].stems), views, 0, eye.depths)
        fit(parameters, parts, replace(plan, epochs=-(-plan.epochs // sessions)), seed + session)
        low_rank.merge(blocks)
        yield eye.copied()


def _between(eye: Eye, start: int, end: int) -> list[nn.Module]:
    return list(eye.blocks[start:end])


def _both_taken(eye: Eye, both: tuple[Tensor, Tensor], start: int, end: int) -> tuple[Tensor, Tensor]:
    return taken(eye, both[0], start, end), taken(eye, both[1], start, end)


def _parts(
    eye: Eye, inputs: tuple[Tensor, Tensor], views: Both, start: int, depths: Sequence[int]
) -> tuple[Part, Part]:
    first, second = (_part(eye, given, own, start, depths) for given, own in zip(inputs, views, strict=True))
    return first, second


def _part(eye: Eye, inputs: Tensor, views: Views, start: int, depths: Sequence[int]) -> Part:
    """Views whose activations of depth `start` are the inputs, judged at the exits of `depths`."""

    def loss_of(numbers: Tensor) -> Tensor:
        activations, at, total = inputs[numbers], start, torch.zeros(())
        for depth in depths:
            activations, at = eye.through(activations, at, depth), depth
            total = total + distil.loss(eye.place(activations, depth), views.places[numbers])
            if depth == len(eye.blocks):
                rows = distil.rows_loss(eye.rows(activations), views.rows[numbers])
                total = total + distil.ROWS_SHARE * rows
        return total / len(depths)

    return len(inputs), loss_of
