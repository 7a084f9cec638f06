"""Trains the micro pack's speech recogniser: `python -m models.train.recogniser.train --out DIR [--steps N]`.

Synthesises the data (in a second process, while training starts on the first shards), trains with fixed
seeds, resumes from the last checkpoint in the cache folder, and writes DIR/stt.bin whenever the validation
result improves. Early batches have short questions only (`models.train.recogniser.batches`).

With `--from FILE` the weights of an earlier stt.bin take the place of the first round: words that it knows
stay known, and words that are new to it are learned in one round at a lower rate, which ends at `--steps`.
The more steps, the better: a run that has ended goes on when it is started again with more.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from models.brick import UNKNOWN_WORD
from models.bricks.whisper_file import FLOAT16, WhisperHeader
from models.convert.recogniser.ggml import expand_vocabulary, read_tensors, write_whisper_file
from models.train.muon import Muon
from models.train.recogniser.batches import EASY_STEPS, Pool, TokenRows, padded_mels, used_tokens
from models.train.recogniser.model import MicroWhisper, Shape
from models.train.recogniser.shards import WINDOWS, Example, load_shard, window_for
from models.train.recogniser.word_error import word_errors
from models.train.sound.sentences import has_number
from models.train.sound.whisper_assets import N_VOCAB, decode, mel_filters, vocabulary

SEED = 7


@dataclass(frozen=True)
class Round:
    """A cycle of the learning rate, whose factor falls from `rate` to zero.

    ends_at: step of its end. shards: number of shards, of 1000 clips each, in use at its end; one more is
    added every `steps_per_shard` steps.
    """

    ends_at: int
    shards: int
    steps_per_shard: int
    rate: float


FIRST_SHARDS = 12
ROUNDS = (Round(11_500, 160, 20, 1.0), Round(20_000, 220, 60, 0.35))
"""The second continues from the weights of the first, at a lower rate and with speakers new to the model."""
FROM_WEIGHTS = Round(9_000, 220, 30, 0.3)
"""The only round of a run that starts from given weights. At twice that rate
3.1 % of words wrong become 9.3 % in 1,000 steps, and are still 4.6 % after 4,700; at this one they stay below
5.3 %.
"""
WORDS_RATE = 3.0
"""With given weights, the learning rate of the token embedding relative to the others': new words begin with
random rows among trained ones.
"""
CTC_ALONE_STEPS = 150
"""With given weights, the first steps train the new CTC head without the encoder."""
CTC_WEIGHT = 0.3
MUON_RATE, ADAM_RATE = 0.008, 1.5e-3
WARM_UP = 60
AVERAGE_KEEP = 0.997
EVERY_STEPS = 500
CHECKPOINT_S = 60.0


def round_at(step: int, rounds: Sequence[Round] = ROUNDS) -> tuple[Round, int, int]:
    """The round of a step, the step at which it begins, and the number of shards at that step."""
    begun, shards = 0, FIRST_SHARDS
    for current in rounds:
        if step < current.ends_at:
            break
        begun, shards = current.ends_at, current.shards
    return current, begun, shards


def rate_factor(step: int, rounds: Sequence[Round] = ROUNDS) -> float:
    """Learning-rate factor at a step: in each round a short warm-up, then a decay to zero."""
    current, begun, _ = round_at(step, rounds)
    done = step - begun
    return float(min((done + 1) / WARM_UP, current.rate * (1.0 - done / (current.ends_at - begun)) ** 1.5))


def shards_wanted(step: int, rounds: Sequence[Round] = ROUNDS) -> int:
    """The number of shards in use at a step."""
    current, begun, shards = round_at(step, rounds)
    return min(current.shards, shards + (step - begun) // current.steps_per_shard)


def make_optimisers(model: MicroWhisper, words_rate: float = 1.0) -> list[torch.optim.Optimizer]:
    """Muon for the transformer's matrices, AdamW for everything else; `words_rate`: learning rate of the
    token embedding relative to the others'.
    """
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and ".blocks." in n]
    inside = {id(p) for p in matrices}
    words = model.decoder.token_embedding.weight
    others = [p for p in model.parameters() if id(p) not in inside and p is not words]
    return [
        Muon(matrices, lr=MUON_RATE, weight_decay=0.01),
        torch.optim.AdamW(
            [{"params": others, "share": 1.0}, {"params": [words], "share": words_rate}],
            lr=ADAM_RATE,
            betas=(0.9, 0.98),
            weight_decay=0.01,
        ),
    ]


@torch.no_grad()
def transcribe(
    model: MicroWhisper, examples: Sequence[Example], tokens: TokenRows, longest: int = 40
) -> list[str]:
    """Greedy transcripts, with the prompt and the windows that the application uses."""
    texts = [""] * len(examples)
    for window in WINDOWS:
        indices = [i for i, e in enumerate(examples) if window_for(len(e.mel)) == window]
        for first in range(0, len(indices), 64):
            chosen = indices[first : first + 64]
            audio = model.encoder(torch.from_numpy(padded_mels([examples[i] for i in chosen], window)))
            rows = torch.tensor([[tokens.start, tokens.no_timestamps]] * len(chosen))
            done = torch.zeros(len(chosen), dtype=torch.bool)
            for _ in range(longest):
                logits = model.decoder(rows, audio)[:, -1]
                logits[:, [tokens.start, tokens.no_timestamps]] = -torch.inf
                best = torch.where(done, tokens.end, logits.argmax(1))
                done |= best == tokens.end
                rows = torch.cat([rows, best[:, None]], 1)
                if bool(done.all()):
                    break
            for i, row in zip(chosen, rows[:, 2:].tolist(), strict=True):
                texts[i] = decode([model.token_ids[r] for r in row if r != tokens.end])
    return texts


def validate(model: MicroWhisper, examples: Sequence[Example], tokens: TokenRows) -> dict[str, float]:
    """Word error rate of the questions, their shares of exact and of empty transcripts, the share of exact
    ones of those with numbers; the share of other speech that is marked as such or empty, the share of
    questions that are so, and the share of clips without speech whose transcript is not empty.
    """
    texts = transcribe(model, examples, tokens)
    pairs = list(zip(examples, texts, strict=True))
    asked = [(e.text, text) for e, text in pairs if e.text and e.family != "other speech"]
    numbers = [e.text == text for e, text in pairs if has_number(e.family)]
    others = [not text or UNKNOWN_WORD in text for e, text in pairs if e.family == "other speech" and e.text]
    errors = sum(word_errors(reference, text) for reference, text in asked)
    words = sum(len(reference.split()) for reference, _ in asked)
    other = [text for e, text in pairs if not e.text]
    return {
        "word_error": errors / words,
        "exact": sum(a == b for a, b in asked) / len(asked),
        "numbers_exact": sum(numbers) / len(numbers),
        "other_marked": sum(others) / len(others),
        "false_marked": sum(UNKNOWN_WORD in text for _, text in asked) / len(asked),
        "false_empty": sum(not text for _, text in asked) / len(asked),
        "false_text": sum(bool(text) for text in other) / len(other),
    }


def export(model: MicroWhisper, path: Path) -> None:
    """Write the model as a whisper.cpp file (float16)."""
    s = model.shape
    header = WhisperHeader(
        N_VOCAB,
        s.audio_ctx,
        s.width,
        s.heads,
        s.encoder_layers,
        s.text_ctx,
        s.width,
        s.heads,
        s.decoder_layers,
        s.mels,
        FLOAT16,
    )
    state = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    rows = state["decoder.token_embedding.weight"]
    state["decoder.token_embedding.weight"] = expand_vocabulary(rows, model.token_ids, N_VOCAB)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whisper_file(path, header, mel_filters(), vocabulary(), state)


def show(step: int, found: Mapping[str, float]) -> None:
    """Print the figures of `validate` as one line of JSON."""
    print(json.dumps({"step": step, **{k: round(v, 4) for k, v in found.items()}}), flush=True)


def save(path: Path, checkpoint: dict[str, object]) -> None:
    """Store a checkpoint atomically."""
    temporary = path.with_suffix(".part")
    torch.save(checkpoint, temporary)
    os.replace(temporary, path)


def train(
    out: Path,
    cache: Path,
    steps: int,
    most_shards: int,
    start: Path | None = None,
    rate: float = FROM_WEIGHTS.rate,
) -> None:
    """Start or resume training, up to step `steps` and with at most `most_shards` shards. `start`: the model
    file whose weights take the place of the first round, and the round's learning rate is `rate`.
    """
    rounds = (replace(FROM_WEIGHTS, ends_at=steps, rate=rate),) if start else ROUNDS
    torch.manual_seed(SEED)
    tokens_used = used_tokens()
    tokens = TokenRows(tokens_used)
    model = MicroWhisper(Shape(), tokens_used, N_VOCAB)
    if start:
        model.take_weights(read_tensors(start))
    average = MicroWhisper(Shape(), tokens_used, N_VOCAB)
    average.load_state_dict(model.state_dict())
    optimisers = make_optimisers(model, WORDS_RATE if start else 1.0)
    step, best, kept = 0, float("inf"), cache / "checkpoint.pt"
    if kept.exists():
        stored = torch.load(kept, weights_only=True)
        if stored["tokens"] != tokens_used:
            raise SystemExit(f"The words have changed since {kept}: move it away, and begin with --from.")
        step, best = stored["step"], stored["best"]
        model.load_state_dict(stored["model"])
        average.load_state_dict(stored["average"])
        for optimiser, state in zip(optimisers, stored["optimisers"], strict=True):
            optimiser.load_state_dict(state)
    folder = cache / "shards"
    held = load_shard(folder, "validation", 0)
    if start and not step:
        show(step, validate(average, held, tokens))
    pool, loaded = Pool(tokens, SEED), 0
    started_s = saved_s = time.monotonic()
    sums = np.zeros(3)
    while step < steps:
        while loaded < min(shards_wanted(step, rounds), most_shards):
            pool.add(load_shard(folder, "train", loaded))
            loaded += 1
        factor = rate_factor(step, rounds)
        for optimiser, rate in zip(optimisers, (MUON_RATE, ADAM_RATE), strict=True):
            for group in optimiser.param_groups:
                group["lr"] = rate * factor * group.get("share", 1.0)
        batch = pool.batch(step, easy=start is None and step < EASY_STEPS)
        ce, ctc = model.losses(
            batch.mel,
            batch.inputs,
            batch.targets,
            batch.ctc_rows,
            batch.ctc_lengths,
            ctc_alone=start is not None and step < CTC_ALONE_STEPS,
        )
        (ce + CTC_WEIGHT * ctc).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        for optimiser in optimisers:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        step += 1
        keep = min(AVERAGE_KEEP, step / (step + 20.0))
        with torch.no_grad():
            for mean, value in zip(average.parameters(), model.parameters(), strict=True):
                mean.lerp_(value, 1.0 - keep)
        sums += (float(ce.detach()), float(ctc.detach()), 1.0)
        if step % 50 == 0:
            pace_s = (time.monotonic() - started_s) / sums[2] if sums[2] else 0.0
            print(
                f"step {step} ce {sums[0] / sums[2]:.4f} ctc {sums[1] / sums[2]:.4f} {pace_s:.2f} s/step",
                flush=True,
            )
            sums[:] = 0.0
            started_s = time.monotonic()
        if step % EVERY_STEPS == 0 or step == steps:
            found = validate(average, held, tokens)
            score = found["word_error"] + 0.1 * (found["false_text"] + 1.0 - found["other_marked"])
            show(step, found)
            if score < best:
                best = score
                export(average, out / "stt.bin")
            started_s = time.monotonic()
        if time.monotonic() - saved_s > CHECKPOINT_S or step == steps:
            save(kept, {
                "step": step, "best": best, "tokens": tokens_used,
                "model": model.state_dict(), "average": average.state_dict(),
                "optimisers": [optimiser.state_dict() for optimiser in optimisers],
            })  # fmt: skip
            saved_s = time.monotonic()


def main() -> None:
    """Parse the command line, start the data process, train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for stt.bin")
    parser.add_argument("--from", dest="start", type=Path, help="begin with the weights of this stt.bin")
    parser.add_argument("--steps", type=int, help="end at this step (default: of the last round)")
    parser.add_argument("--shards", type=int, help="use no more of 1000 clips (default: of the last round)")
    parser.add_argument(
        "--rate",
        type=float,
        default=FROM_WEIGHTS.rate,
        help="with --from: learning rate, relative to the first round's (default: %(default)s)",
    )
    parser.add_argument("--cache", type=Path, default=Path(".cache/train/stt"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # gradients become denormal, and arithmetic with denormal numbers is slow
    command = [sys.executable, "-m", "models.train.recogniser.shards", "--out", str(options.cache / "shards")]
    rounds = (FROM_WEIGHTS,) if options.start else ROUNDS
    steps = options.steps or rounds[-1].ends_at
    shards = min(shards_wanted(steps - 1, rounds), options.shards or rounds[-1].shards)
    processes = [
        subprocess.Popen([*command, "--split", split, "--count", str(count)])
        for split, count in (("validation", 1), ("train", shards))
    ]
    try:
        train(options.out, options.cache, steps, shards, options.start, options.rate)
    finally:
        for process in processes:
            process.terminate()


if __name__ == "__main__":
    main()
