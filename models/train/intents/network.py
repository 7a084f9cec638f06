"""Trains the network of `host.language.classifier.network` on the sentences of `models.train.intents.data`,
and writes its weights.

python -m models.train.intents.network
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, relu

from host.language.classifier.convolution import BUCKETS, Floats, Weights, word_buckets
from host.language.classifier.network import WEIGHTS, Network
from host.language.classifier.words import marked
from models.train.intents.data import Sentence, training_sentences
from models.train.intents.train import checksum

WIDTH = 96
CHANNELS = 128
STEPS = 3600
BATCH = 128
RATE = 2.5e-3
WARM_UP = 150
DECAY = 1e-3
SMOOTHING = 0.05
"""Probability that is shared by all kinds but the true one."""
LEFT_OUT = 0.2
"""How often a word is known by its letters alone, so that they are learned too."""
_DROP_WORDS, _DROP_SUMMARY = 0.3, 0.4
SEED = 1


class Trained(nn.Module):
    """The network with all its weights as floats."""

    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(BUCKETS, WIDTH, mode="mean")
        nn.init.normal_(self.table.weight, 0, 0.3)
        self.first = nn.Conv1d(WIDTH, CHANNELS, 3, padding=1)
        self.second = nn.Conv1d(CHANNELS, CHANNELS, 3, padding=1)
        self.drop_words, self.drop_summary = nn.Dropout(_DROP_WORDS), nn.Dropout(_DROP_SUMMARY)
        self.out = nn.Linear(3 * CHANNELS + WIDTH, kinds)

    def forward(self, buckets: Tensor, starts: Tensor, lengths: list[int]) -> Tensor:
        """Scores [sentences, kinds]. buckets: those of one word after the other, beginning at `starts`;
        lengths: words of each sentence.
        """
        words = torch.split(self.drop_words(self.table(buckets, starts)), lengths)
        rows = nn.utils.rnn.pad_sequence(words, batch_first=True)
        length = torch.tensor(lengths)[:, None]
        there = (torch.arange(rows.shape[1])[None] < length)[:, None].float()
        first = relu(self.first(rows.transpose(1, 2))) * there
        second = (relu(self.second(first)) + first) * there
        summary = (first.max(2)[0], second.max(2)[0], second.sum(2) / length, rows.sum(1) / length)
        scores: Tensor = self.out(self.drop_summary(torch.cat(summary, -1)))
        return scores


def fit(sentences: Sequence[Sentence], steps: int = STEPS) -> Network:
    """The network of these sentences."""
    torch.manual_seed(SEED)
    rng = random.Random(SEED)
    kinds = tuple(sorted({each.kind for each in sentences}))
    said = [[word_buckets(word) for word in ("^", *marked(each.text), "$")] for each in sentences]
    true = torch.tensor([kinds.index(each.kind) for each in sentences])
    weights = [each.weight for each in sentences]
    trained = Trained(len(kinds))
    optimiser = torch.optim.AdamW(trained.parameters(), RATE, weight_decay=DECAY)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / WARM_UP) * (1 - step / steps)
        some = rng.choices(range(len(said)), weights, k=BATCH)
        scores = trained(*batch([said[each] for each in some], rng))
        loss = cross_entropy(scores, true[some], label_smoothing=SMOOTHING)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(trained.parameters(), 1.0)
        optimiser.step()
    return packed(trained, kinds, checksum(sentences))


def batch(
    said: Sequence[Sequence[tuple[int, ...]]], rng: random.Random | None, left_out: float = LEFT_OUT
) -> tuple[Tensor, Tensor, list[int]]:
    """The rows of the words of all sentences, where those of each word start, and the words of each sentence.
    rng: which words are known by their letters alone, `left_out` of them; None for none.
    """
    buckets: list[int] = []
    starts: list[int] = []
    for word in (word for sentence in said for word in sentence):
        starts.append(len(buckets))
        by_letters = rng is not None and len(word) > 1 and rng.random() < left_out
        buckets.extend(word[1:] if by_letters else word)
    return torch.tensor(buckets), torch.tensor(starts), [len(sentence) for sentence in said]


def packed(trained: Trained, kinds: tuple[str, ...], made_from: int) -> Network:
    """The network as the headband reads it."""
    layers = {
        **convolution("first", trained.first), **convolution("second", trained.second),
        **linear("out", trained.out),
    }  # fmt: skip
    return Network(weights({"kinds": kinds, "made_from": made_from}, trained.table, layers))


def weights(head: Mapping[str, Any], table: nn.EmbeddingBag, layers: Mapping[str, Floats]) -> Weights:
    """With the table in eight bits."""
    rows = table.weight.detach().numpy()
    scale = np.abs(rows).max(axis=0) / np.float32(127)
    return Weights(head, np.rint(rows / scale).astype(np.int8), scale, layers)


def convolution(name: str, layer: nn.Conv1d) -> dict[str, Floats]:
    """Its weights, [words * inputs, channels], and its bias."""
    rows = layer.weight.detach().numpy().transpose(2, 1, 0)
    return {name: rows.reshape(-1, rows.shape[2]), **_bias(name, layer.bias)}


def linear(name: str, layer: nn.Linear) -> dict[str, Floats]:
    """Its weights, [inputs, outputs], and its bias."""
    return {name: layer.weight.detach().numpy().T, **_bias(name, layer.bias)}


def _bias(name: str, bias: Tensor | None) -> dict[str, Floats]:
    assert bias is not None
    return {f"{name}_bias": bias.detach().numpy()}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="the file")
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    sentences = training_sentences()
    network = fit(sentences, options.steps)
    options.out.write_bytes(network.weights.to_bytes())
    named = sum(
        network.kinds[int(network.of_words(marked(each.text)).argmax())] == each.kind for each in sentences
    )
    print(
        f"{options.out.name}: {options.out.stat().st_size / 1024:.0f} KiB; of {len(sentences)} sentences "
        f"themselves {named / len(sentences):.1%} are named rightly"
    )


if __name__ == "__main__":
    main()
