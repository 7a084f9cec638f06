"""The network for closed questions in PyTorch: what `models.convert.reflex.graph` writes, for batches.

Parameters have the names and shapes of `models.convert.reflex.weights.array_shapes`. A batch has B questions
of up to t words and the rows of B pictures; `mask` tells words from padding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.bricks.closed_sentence import AnswerTable
from models.convert.reflex.graph import EPSILON
from models.convert.reflex.weights import LONGEST_WORDS, ODDS_FROM, ReflexShape

_NEVER = -1e9


def shape_of(table: AnswerTable, words: int, row_width: int, **sizes: int) -> ReflexShape:
    """The sizes of a network for these answers. sizes: others than `ReflexShape` has."""
    return ReflexShape(
        words=words,
        row_width=row_width,
        causes=len(table.causes),
        forms=len(table.forms),
        blanks=table.groups[1:],
        blanks_of_form=table.blanks_of_form,
        **sizes,
    )


@dataclass(frozen=True, eq=False)
class Front:
    """words: [B, t, W]. image: [P, n, W], of each picture. answerable: [B] and causes: [B, C], logits."""

    words: Tensor
    image: Tensor
    answerable: Tensor
    causes: Tensor


@dataclass(frozen=True, eq=False)
class Layer:
    """words: [B, t, W]. image: [B, m, W], None of the last layer. saliency: [B, m]. entropy: [B, H], a share
    of the largest. answers: [B, A], logits. score: [B], logits. Entropy and score have no meaning in training
    mode.
    """

    words: Tensor
    image: Tensor | None
    saliency: Tensor
    entropy: Tensor
    answers: Tensor
    score: Tensor


def _norm(width: int) -> nn.LayerNorm:
    return nn.LayerNorm(width, eps=EPSILON)


class _Mlp(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.norm, self.up, self.down = _norm(width), nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(functional.gelu(self.up(self.norm(x))))


def _by_head(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def _attend(
    query: Tensor, key: Tensor, value: Tensor, heads: int, mask: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Mixed rows [B, queries, W] and shares [B, H, queries, keys]. mask: [B, keys], False for padding."""
    q, k, v = (_by_head(part, heads) for part in (query, key, value))
    product = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    if mask is not None:
        product = product.masked_fill(~mask[:, None, None], _NEVER)
    shares = product.softmax(-1)
    return (shares @ v).transpose(1, 2).flatten(2), shares


class _Own(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm, self.qkv, self.out = _norm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.heads = heads

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        query, key, value = self.qkv(self.norm(x)).chunk(3, -1)
        mixed, _ = _attend(query, key, value, self.heads, mask)
        return x + self.out(mixed)


class _Cross(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm, self.source_norm = _norm(width), _norm(width)
        self.query, self.key_value = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.out, self.heads = nn.Linear(width, width), heads

    def forward(
        self, x: Tensor, source: Tensor, mask: Tensor | None, of: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """of: [B], which of the sources each of x belongs to; None: there is one for each, or for each run of
        as many x, in order.
        """
        key_value = self.key_value(self.source_norm(source))
        key, value = (key_value if of is None else key_value[of]).chunk(2, -1)
        query, (count, words) = self.query(self.norm(x)), x.shape[:2]
        mixed, shares = _attend(query.reshape(len(key), -1, x.shape[2]), key, value, self.heads, mask)
        shares = shares.unflatten(2, (-1, words)).transpose(1, 2).flatten(0, 1)
        return x + self.out(mixed.reshape(count, words, -1)), shares


def _pool(x: Tensor, scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Rows [B, n, W] by scores [B, n, H] -> [B, W]: each head pools its part of a row."""
    if mask is not None:
        scores = scores.masked_fill(~mask[..., None], _NEVER)
    by_head = x.unflatten(-1, (scores.shape[-1], -1))
    return torch.einsum("bnh,bnhd->bhd", scores.softmax(1), by_head).flatten(1)


class _Block(nn.Module):
    def __init__(self, shape: ReflexShape) -> None:
        super().__init__()
        self.own, self.mlp = _Own(shape.width, shape.heads), _Mlp(shape.width, shape.hidden)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        mixed: Tensor = self.mlp(self.own(x, mask))
        return mixed


class _Words(nn.Module):
    def __init__(self, shape: ReflexShape) -> None:
        super().__init__()
        self.embed = nn.Embedding(shape.words, shape.width)
        self.place = nn.Parameter(0.02 * torch.randn(LONGEST_WORDS, shape.width))
        self.blocks = nn.ModuleList(_Block(shape) for _ in range(shape.blocks))
        self.norm = _norm(shape.width)
        nn.init.normal_(self.embed.weight, std=0.5)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        x = self.embed(words) + self.place[: words.shape[1]]
        for block in self.blocks:
            x = block(x, mask)
        normed: Tensor = self.norm(x)
        return normed


class _Image(nn.Module):
    def __init__(self, shape: ReflexShape) -> None:
        super().__init__()
        self.project, self.norm = nn.Linear(shape.row_width, shape.width), _norm(shape.width)

    def forward(self, rows: Tensor) -> Tensor:
        normed: Tensor = self.norm(self.project(rows))
        return normed


class _Answerable(nn.Module):
    """V1. Source: MobiVQA (SenSys 2022), first stage; the question's own queries to the image are added."""

    def __init__(self, shape: ReflexShape) -> None:
        super().__init__()
        w, self.heads = shape.width, shape.heads
        self.pool_words, self.pool_image = nn.Linear(w, self.heads), nn.Linear(w, self.heads)
        self.ask, self.words, self.image = nn.Linear(w, w), nn.Linear(w, w), nn.Linear(w, w)
        self.answerable, self.causes = nn.Linear(w, 1), nn.Linear(w, shape.causes)

    def forward(self, words: Tensor, mask: Tensor, image: Tensor) -> tuple[Tensor, Tensor]:
        """image: [P, n, W], each of as many questions, in order."""
        asked = _pool(words, self.pool_words(words), mask)
        queries = self.ask(asked).reshape(len(image), -1, self.heads, image.shape[2] // self.heads)
        by_head = image.unflatten(-1, (self.heads, -1))
        match = torch.einsum("pnhd,pqhd->pqhn", by_head, queries) * queries.shape[-1] ** -0.5
        shares = (match + self.pool_image(image).transpose(1, 2)[:, None]).softmax(-1)
        seen = torch.einsum("pqhn,pnhd->pqhd", shares, by_head).reshape(asked.shape)
        product = functional.relu(self.words(asked)) * functional.relu(self.image(seen))
        return self.answerable(product)[:, 0], self.causes(product)


class _Head(nn.Module):
    def __init__(self, shape: ReflexShape) -> None:
        super().__init__()
        self.norm, self.pool = _norm(shape.width), nn.Linear(shape.width, shape.heads)
        self.hidden = nn.Linear(shape.width, shape.hidden)
        self.answers = nn.Linear(shape.hidden, shape.answers)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        normed = self.norm(words)
        logits: Tensor = self.answers(functional.gelu(self.hidden(_pool(normed, self.pool(normed), mask))))
        return logits


class CrossLayer(nn.Module):
    """One cross-modal layer with its answer head and its exit score."""

    def __init__(self, shape: ReflexShape, last: bool) -> None:
        super().__init__()
        w, heads = shape.width, shape.heads
        self.own, self.look, self.words = _Own(w, heads), _Cross(w, heads), _Mlp(w, shape.hidden)
        self.last = last
        if not last:
            self.read, self.image = _Cross(w, heads), _Mlp(w, shape.hidden)
        self.head = _Head(shape)
        self.score = nn.Linear(heads + shape.answers + shape.forms + 1, 1)
        self.groups = shape.groups
        has = torch.zeros(len(shape.blanks), shape.forms)
        for form, blanks in enumerate(shape.blanks_of_form):
            has[list(blanks), form] = 1
        self.register_buffer("has", has, persistent=False)

    def forward(
        self, words: Tensor, mask: Tensor, image: Tensor, pictures: Tensor | None = None, keep: float = 1.0
    ) -> Layer:
        """image: [B, m, W], or [P, m, W] of pictures with `pictures` [B], of each question. keep: share of
        the rows that are given out (V4); the others need not be computed, as no row depends on another.
        """
        of = None if pictures is None or in_runs(pictures, len(image)) else pictures
        words, shares = self.look(self.own(words, mask), image, None, of)
        words = self.words(words)
        answers = self.head(words, mask)
        real = mask[:, None, :, None].float()
        saliency = (shares * real).sum(2).mean(1)
        seen = None
        if not self.last:
            count = kept_rows(image.shape[1], keep) if keep < 1 else None
            image = pruned(image, saliency, count, pictures)
            seen = self.image(self.read(image, words, mask)[0])
        if self.training:  # the score is fitted later
            return Layer(words, seen, saliency, shares.new_zeros(shares.shape[:2]), answers, answers[:, 0])
        each = -(shares * shares.clamp(min=1e-9).log()).sum(3) * real[..., 0]
        most = torch.tensor(max(shares.shape[3], 2), device=shares.device).log()
        entropy = each.sum(2) / real.sum(2)[:, :, 0] / most
        with torch.no_grad():
            score = self.score(self.features(entropy, answers))[:, 0]
        return Layer(words, seen, saliency, entropy, answers, score)

    def features(self, entropy: Tensor, answers: Tensor) -> Tensor:
        """What the exit score reads: [B, H + A + forms + 1]. The last is the logarithm of the odds of the
        likeliest whole sentence, without which the sum of the others says less than that probability alone.
        """
        parts = [part.softmax(-1) for part in answers.split(self.groups, -1)]
        whole = parts[0]
        if len(parts) > 1:
            likeliest = torch.stack([part.amax(-1) for part in parts[1:]], -1)
            whole = whole * (likeliest.log() @ self.has).exp()
        likeliest = whole.amax(-1, keepdim=True).clamp(ODDS_FROM, 1 - ODDS_FROM)
        return torch.cat([entropy, *parts, whole, likeliest.log() - (1 - likeliest).log()], -1)


class Reflex(nn.Module):
    """The whole network."""

    def __init__(self, shape: ReflexShape) -> None:
        super().__init__()
        self.shape = shape
        self.words, self.image, self.answerable = _Words(shape), _Image(shape), _Answerable(shape)
        last = shape.layers - 1
        self.layers = nn.ModuleList(CrossLayer(shape, number == last) for number in range(shape.layers))

    def front(self, words: Tensor, mask: Tensor, rows: Tensor, pictures: Tensor) -> Front:
        """words: int64 [B, t]. mask: bool [B, t]. rows: [P, n, R]. pictures: int64 [B], of each question."""
        asked = self.words(words, mask)
        image = self.image(rows)
        each = image if in_runs(pictures, len(image)) else image[pictures]
        return Front(asked, image, *self.answerable(asked, mask, each))

    def forward(
        self, words: Tensor, mask: Tensor, rows: Tensor, pictures: Tensor, keep: float = 1.0
    ) -> tuple[Front, list[Layer]]:
        """Every layer. keep: share of the image rows kept after layer 1 (V4)."""
        front = self.front(words, mask, rows, pictures)
        asked, image, found = front.words, front.image, []
        for number, layer in enumerate(self.layers):
            first = number == 0
            made: Layer = layer(asked, mask, image, pictures if first else None, keep if first else 1.0)
            found.append(made)
            asked = made.words
            if made.image is not None:
                image = made.image
        return front, found


def in_runs(pictures: Tensor, count: int) -> bool:
    """Whether each of `count` pictures in order has as many questions, so that no rows need be copied."""
    each = len(pictures) // count
    runs = torch.arange(count, device=pictures.device).repeat_interleave(each)
    return torch.equal(pictures, runs)


def kept_rows(rows: int, keep: float) -> int:
    """How many rows a share is: at least one."""
    return max(1, math.ceil(keep * rows))


def pruned(image: Tensor, saliency: Tensor, count: int | None, pictures: Tensor | None = None) -> Tensor:
    """The `count` rows with the most saliency, in their order: [B, count, W]; None: all. image: [B, m, W], or
    [P, m, W] of pictures with `pictures` [B], of each question.
    """
    if count is None:
        return image if pictures is None else image[pictures]
    chosen = saliency.topk(count, dim=1).indices.sort(1).values
    if pictures is None:
        return image.gather(1, chosen[..., None].expand(-1, -1, image.shape[2]))
    return image.flatten(0, 1)[pictures[:, None] * image.shape[1] + chosen]
