"""Trains the text reader: `python -m models.train.reader.train --out DIR [--minutes M]`.

Words are printed on pictures of the drawn worlds while it trains, in the hands of `letters`. Writes
DIR/reader.pt for `export`. It needs no data, and goes on from DIR/last.pt where it was stopped.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from torch.utils.data import DataLoader, IterableDataset

from models.train.reader.crops import Crops, batch, grounds
from models.train.reader.model import CLASSES, Reader, loss_of
from models.train.stopping import ended_by_its_parent, stopping

GROUNDS, PIECES = 1500, 48
RATE = 2e-3
TOLD_EVERY = 100
AVERAGE_KEEP = 0.998


class Batches(IterableDataset):  # type: ignore[type-arg]
    """Endless batches. seed: each process draws others."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __iter__(self) -> Iterator[tuple[torch.Tensor, ...]]:
        info = torch.utils.data.get_worker_info()
        seed = self._seed * 100 + (0 if info is None else info.id)
        crops = Crops(grounds(GROUNDS, seed), seed)
        while True:
            yield tuple(map(torch.from_numpy, batch(crops, PIECES)))


def validated(model: Reader, pieces: list[tuple[torch.Tensor, ...]]) -> dict[str, float]:
    """Shares of letters that are found, and found rightly, and of what is found that no letter is."""
    model.eval()
    there = found = right = wrong = 0
    with torch.no_grad():
        for pixels, classes, _ in pieces:
            best = model(pixels)[:, :CLASSES].argmax(1)
            letters = classes > 0
            there += int(letters.sum())
            found += int((best[letters] > 0).sum())
            right += int((best[letters] == classes[letters]).sum())
            wrong += int((best[classes == 0] > 0).sum())
    model.train()
    return {"found": found / there, "right": right / there, "false": wrong / there}


def train(out: Path, minutes: float, seed: int, threads: int) -> None:
    """Trains for a time, writing DIR/last.pt and at the end DIR/reader.pt, the mean of the last weights."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    torch.set_flush_denormal(True)
    model = Reader().to(memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(AVERAGE_KEEP), use_buffers=True
    )
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    step, spent_s, told = 0, 0.0, 0.0
    last = out / "last.pt"
    if last.exists():
        stored = torch.load(last, weights_only=True)
        model.load_state_dict(stored["model"])
        average.load_state_dict(stored["average"])
        optimiser.load_state_dict(stored["optimiser"])
        step, spent_s = stored["step"], stored["spent_s"]
    held = Crops(grounds(120, 999_983), 999_983)
    pieces = [tuple(map(torch.from_numpy, batch(held, 64))) for _ in range(8)]
    drawn = DataLoader(
        Batches(seed * 1000 + step), batch_size=None, num_workers=1, prefetch_factor=8,
        worker_init_fn=ended_by_its_parent,
    )  # fmt: skip

    def save() -> None:
        state = {
            "model": model.state_dict(), "average": average.state_dict(),
            "optimiser": optimiser.state_dict(), "step": step, "spent_s": spent_s,
        }  # fmt: skip
        torch.save(state, last.with_suffix(".part"))
        os.replace(last.with_suffix(".part"), last)

    with stopping() as stop:
        begun_s, saved_s, before_s = time.monotonic(), time.monotonic(), spent_s
        for pixels, classes, heights in drawn:
            share = min(1.0, spent_s / (60 * minutes))
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1.0, (step + 1) / 200) * (1 - share) ** 1.2 + 1e-6
            with torch.autocast("cpu", torch.bfloat16):
                loss = loss_of(model, pixels.to(memory_format=torch.channels_last), classes, heights)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
            average.update_parameters(model)
            step += 1
            told += float(loss.detach())
            spent_s = before_s + time.monotonic() - begun_s
            if step % TOLD_EVERY == 0:
                print(f"step {step} loss {told / TOLD_EVERY:.3f} {spent_s:.0f} s", flush=True)
                told = 0.0
            if step % 1000 == 0:
                print({k: round(v, 4) for k, v in validated(average.module, pieces).items()}, flush=True)
            if time.monotonic() - saved_s > 60:
                save()
                saved_s = time.monotonic()
            if stop or share >= 1.0:
                break
        save()
    if stop:
        raise stop.ended("Stopped; the same command goes on from there.")
    print({k: round(v, 4) for k, v in validated(average.module, pieces).items()}, flush=True)
    torch.save(average.module.state_dict(), out / "reader.pt")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    train(options.out, options.minutes, options.seed, options.threads)


if __name__ == "__main__":
    main()
