"""Training batches by step, and the processes that draw them."""

from __future__ import annotations

import signal

import torch
from torch.utils.data import Dataset

from models.train.sight.data.labels import Arrays
from models.train.sight.data.training_batches import BatchPlan, training_batch
from models.train.sight.text_words import TextWords
from models.train.sight.vocabulary import Words


class Batches(Dataset[Arrays]):
    """Training batches by step, from `first` on."""

    def __init__(
        self, words: Words, text_words: TextWords, plan: BatchPlan, first: int, steps: int, seed: int = 1
    ) -> None:
        self.words, self.text_words, self.plan, self.first, self.steps = words, text_words, plan, first, steps
        self.seed = seed

    def __len__(self) -> int:
        return self.steps - self.first

    def __getitem__(self, index: int) -> Arrays:
        return training_batch(self.first + index, self.words, self.text_words, self.plan, self.seed)


def worker(_: int) -> None:
    """Start of a process that draws batches; its parent stops it."""
    torch.set_num_threads(1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
