"""Trainings that are stopped and started again end with the weights of one that nobody stopped."""

from __future__ import annotations

import argparse
import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is in the training environment only")

from models.train.motion import batches  # noqa: E402
from models.train.motion import train as motion  # noqa: E402
from models.train.recogniser import train as recogniser  # noqa: E402
from models.train.recogniser.schedule import Round, Schedule  # noqa: E402
from models.train.stopping import Stopping, stopping  # noqa: E402
from models.train.voice import train as voice  # noqa: E402
from models.train.voice.frames import HOP, NOISE_ORDER, VOICED_ORDER  # noqa: E402
from models.train.voice.pairs import Corpus  # noqa: E402
from tests.models.train.test_motion_training import CLIPS  # noqa: E402


class After(Stopping):
    """Is asked to stop when it has been looked at so often."""

    def __init__(self, looks: int) -> None:
        super().__init__(signal.SIGTERM)
        self.looks = looks

    def __bool__(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def _same(one: Any, two: Any) -> bool:
    states = one.state_dict(), two.state_dict()
    return all(torch.equal(value, states[1][name]) for name, value in states[0].items())


def _motion(folder: Path) -> motion.Training:
    options = argparse.Namespace(
        seed=1, aggregation="order", start=None, rate=2e-3, name="", without=[], epochs=2, depth=None,
        only=None,
    )  # fmt: skip
    return motion.Training(options, folder)


def test_motion_goes_on_in_the_middle_of_an_epoch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    monkeypatch.setattr(batches, "BATCH", 2)
    clips = CLIPS[:4]
    for folder in (whole, parts):
        folder.mkdir()
    never = _motion(whole)
    losses = [never.epoch(clips, epoch) for epoch in range(2)]
    begun = _motion(parts)
    begun.under_way.shards = [0, 3]
    begun.epoch(clips, 0, After(1))
    assert begun.under_way.done == 1 and len(begun.under_way.batches) == 2
    begun.keep(0)
    torch.rand(7)
    again = _motion(parts)
    assert again.begun == 0 and again.under_way.shards == [0, 3]
    assert again.epoch(clips, 0) == losses[0]
    assert again.under_way == motion.UnderWay()
    again.keep(1)
    torch.rand(7)
    last = _motion(parts)
    assert last.begun == 1 and last.epoch(clips, 1) == losses[1]
    assert _same(last.model, never.model) and _same(last.best, never.best)


def test_motion_does_not_wait_for_what_nobody_draws(tmp_path: Path) -> None:
    drawing: Any = [SimpleNamespace(poll=lambda: 1)]
    with pytest.raises(SystemExit, match="is missing, and the processes that draw have ended"):
        motion.waited_for(tmp_path, "train", 0, drawing)


def _corpus(sentences: int) -> Corpus:
    random = np.random.default_rng(1)
    frames = 24
    at, total = np.arange(sentences + 1), sentences * frames
    pcm = [random.normal(0, 3000, total * HOP).astype(np.int16) for _ in range(2)]
    return Corpus(
        ("a",) * sentences, 4 * at, frames * at, random.integers(1, 50, 4 * sentences),
        np.full(4 * sentences, frames // 4), random.uniform(90, 200, total).astype(np.float32),
        np.ones((total, 2), np.float32), random.normal(0, 1, (total, VOICED_ORDER)).astype(np.float32),
        random.normal(0, 1, (total, NOISE_ORDER)).astype(np.float32), *pcm,
    )  # fmt: skip


def test_the_voice_goes_on_with_the_next_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.set_num_threads(1)
    corpus = _corpus(44)
    monkeypatch.setattr(voice, "_BATCH_FRAMES", 24)
    monkeypatch.setattr(voice, "build", lambda *_: corpus)
    never = voice.train(tmp_path / "whole", 2, 4, 44)
    trained = voice._learning_rate
    monkeypatch.setattr(
        voice, "_learning_rate", lambda step, total: _interrupting(step, trained(step, total))
    )
    with pytest.raises(SystemExit) as ended:
        voice.train(tmp_path / "parts", 2, 4, 44)
    assert ended.value.code == 143
    assert "Stopped after step 3; the same command goes on" in capsys.readouterr().err
    monkeypatch.setattr(voice, "_learning_rate", trained)
    assert _same(voice.train(tmp_path / "parts", 2, 4, 44), never)


def _interrupting(step: int, rate: float) -> float:
    if step == 2:
        os.kill(os.getpid(), signal.SIGTERM)
    return rate


class _Run:
    """Counts the steps of a recogniser."""

    tokens, from_weights, encoder_rate, device, spent_s = (), False, 1.0, "cpu", 0.0

    def __init__(self, stopped_at: int) -> None:
        self.step, self.stopped_at, self.saved = 0, stopped_at, list[int]()

    def update(self, batch: int, factor: float) -> Any:
        self.step += 1
        if self.step == self.stopped_at:
            os.kill(os.getpid(), signal.SIGINT)
        return torch.zeros(2)

    def save(self) -> None:
        self.saved.append(self.step)


class _Clips:
    def __init__(self, *_: object) -> None:
        self.pool = None

    def more(self, schedule: Schedule, step: int) -> None:
        if step >= 20:  # a shard that is not there yet
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(30)


@pytest.mark.parametrize(("stopped_at", "step"), [(3, 3), (0, 20)])
def test_the_recogniser_keeps_the_step_under_way_and_waits_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped_at: int, step: int
) -> None:
    run: Any = _Run(stopped_at)
    validated: list[int] = []
    monkeypatch.setattr(recogniser, "TokenRows", lambda _: None)
    monkeypatch.setattr(recogniser, "load_shard", lambda *_: [])
    monkeypatch.setattr(recogniser, "Clips", _Clips)
    monkeypatch.setattr(recogniser, "_keep_best", lambda run, *_: validated.append(run.step))
    monkeypatch.setattr(recogniser, "BatchesOf", lambda pool, first, steps, easy, encoder: range(steps))
    schedule = Schedule((Round(100, 12, 20, 1.0),), 100)
    with stopping() as stop:
        recogniser.train(tmp_path, run, tmp_path, 1, schedule, recogniser.Pace(), stop)
    assert run.step == step and run.saved[-1:] == [step] and validated == []
