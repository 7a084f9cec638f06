"""Trains the network of `host.language.classifier.parts`, and writes its weights: on what people say in one
breath (`said.run_on`), and on sentences that are put together of single requests and asides. That the network
also names the kind of each word's part makes it learn more of the words, and is not kept.

python -m models.train.intents.parts
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, relu

from host.language.classifier.convolution import BUCKETS, Weights, word_buckets
from host.language.classifier.parts import SPACINGS, WEIGHTS
from models.train.intents.data import Sentence, said_by_people
from models.train.intents.network import batch, convolution, linear, weights
from models.train.intents.put_together import PutTogether, made_from
from models.train.world.said.run_on import ASIDE, NONE, OPEN, Part, run_on_sentences

WIDTH = 96
CHANNELS = 160
STEPS = 3600
BATCH = 64
RATE = 2e-3
WARM_UP = 200
DECAY = 1e-3
KIND_WEIGHT = 0.5
"""How much naming the kind counts beside finding the beginnings."""
LEFT_OUT = 0.15
"""How often a word is known by its letters alone."""
_DROP = 0.3
SEED = 1
_NO_KIND = -100


class Trained(nn.Module):
    """The network with all its weights as floats, and what names the kinds."""

    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(BUCKETS, WIDTH, mode="mean")
        nn.init.normal_(self.table.weight, 0, 0.3)
        self.first = nn.Conv1d(WIDTH, CHANNELS, 3, padding=1)
        self.further = nn.ModuleList(
            nn.Conv1d(CHANNELS, CHANNELS, 3, padding=spacing, dilation=spacing) for spacing in SPACINGS
        )
        self.drop = nn.Dropout(_DROP)
        self.kind, self.begins = nn.Linear(CHANNELS, kinds), nn.Linear(CHANNELS, 1)

    def forward(self, buckets: Tensor, starts: Tensor, lengths: list[int]) -> tuple[Tensor, Tensor]:
        """Scores of kinds [sentences, words, kinds] and of beginnings [sentences, words]. buckets: those of
        one word after the other, beginning at `starts`; lengths: words of each sentence.
        """
        words = torch.split(self.drop(self.table(buckets, starts)), lengths)
        rows = nn.utils.rnn.pad_sequence(words, batch_first=True)
        there = (torch.arange(rows.shape[1])[None] < torch.tensor(lengths)[:, None])[:, None].float()
        rows = relu(self.first(rows.transpose(1, 2))) * there
        for layer in self.further:
            rows = (rows + relu(layer(self.drop(rows)))) * there
        rows = self.drop(rows.transpose(1, 2))
        return self.kind(rows), self.begins(rows)[..., 0]


def fit(people: Sequence[Sentence], breaths: Sequence[Sequence[Part]], steps: int = STEPS) -> Weights:
    """The network of these sentences."""
    torch.manual_seed(SEED)
    rng = random.Random(SEED)
    source = PutTogether(people, breaths, rng)
    names = sorted({each.kind for each in people} | {ASIDE, NONE, OPEN})
    kinds = {name: number for number, name in enumerate(names)}
    trained = Trained(len(kinds))
    optimiser = torch.optim.AdamW(trained.parameters(), RATE, weight_decay=DECAY)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / WARM_UP) * (1 - step / steps) ** 0.7
        sentences = [source.sample() for _ in range(BATCH)]
        said = [[word_buckets(word) for part in each for word in part.text.split()] for each in sentences]
        scores, begins = trained(*batch(said, rng, LEFT_OUT))
        true, first = _labels(sentences, kinds, begins.shape)
        there = true != _NO_KIND
        named = cross_entropy(scores[there], true[there])
        found = binary_cross_entropy_with_logits(begins[there], first[there])
        optimiser.zero_grad()
        (KIND_WEIGHT * named + 2 * found).backward()
        nn.utils.clip_grad_norm_(trained.parameters(), 1.0)
        optimiser.step()
    return packed(trained, made_from(people, breaths))


def _labels(
    sentences: Sequence[Sequence[Part]], kinds: dict[str, int], shape: torch.Size
) -> tuple[Tensor, Tensor]:
    """The kind of each word, `_NO_KIND` after the last, and 1 for each with which a part begins."""
    true, first = torch.full(tuple(shape), _NO_KIND), torch.zeros(tuple(shape))
    for row, sentence in enumerate(sentences):
        at = 0
        for part in sentence:
            first[row, at] = 1
            end = at + len(part.text.split())
            true[row, at:end] = kinds[part.kind]
            at = end
    return true, first


def packed(trained: Trained, learned: int) -> Weights:
    """The network as the headband reads it."""
    layers = convolution("first", trained.first)
    for number, layer in enumerate(trained.further):
        assert isinstance(layer, nn.Conv1d)
        layers |= convolution(f"further{number}", layer)
    layers |= linear("begins", trained.begins)
    return weights({"made_from": learned}, trained.table, layers)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="the file")
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    network = fit(said_by_people(), run_on_sentences(), options.steps)
    options.out.write_bytes(network.to_bytes())
    print(f"{options.out.name}: {options.out.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
