"""What a recogniser in training writes of validation clips, and how right that is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import torch

from models.brick import UNKNOWN_WORD
from models.train.recogniser.batches import TokenRows, padded_mels
from models.train.recogniser.model import MicroWhisper
from models.train.recogniser.shards import WINDOWS, Example, window_for
from models.train.recogniser.word_error import word_errors
from models.train.sound.sentences import has_number
from models.train.sound.whisper_assets import decode


@torch.no_grad()
def transcribe(
    model: MicroWhisper, examples: Sequence[Example], tokens: TokenRows, longest: int = 40
) -> list[str]:
    """Greedy transcripts, with the prompt and the windows that the application uses."""
    texts = [""] * len(examples)
    device = model.decoder.positional_embedding.device
    for window in WINDOWS:
        indices = [i for i, e in enumerate(examples) if window_for(len(e.mel)) == window]
        for first in range(0, len(indices), 64):
            chosen = indices[first : first + 64]
            mels = torch.from_numpy(padded_mels([examples[i] for i in chosen], window))
            audio = model.encoder(mels.to(device))
            rows = torch.tensor([[tokens.start, tokens.no_timestamps]] * len(chosen), device=device)
            done = torch.zeros(len(chosen), dtype=torch.bool, device=device)
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
    """Word error rate of the questions, and of those of people whom training has not; of all questions the
    shares of exact and of empty transcripts, the share of exact ones of those with numbers; the share of
    other speech that is marked as such or empty, the share of questions that are so, and the share of clips
    without speech whose transcript is not empty.
    """
    texts = transcribe(model, examples, tokens)
    pairs = list(zip(examples, texts, strict=True))
    asked = [(e.text, text) for e, text in pairs if e.text and e.family != "other speech"]
    people = [(e.text, text) for e, text in pairs if e.family == "everyone"]
    numbers = [e.text == text for e, text in pairs if has_number(e.family)]
    others = [not text or UNKNOWN_WORD in text for e, text in pairs if e.family == "other speech" and e.text]
    other = [text for e, text in pairs if not e.text]
    return {
        "word_error": _word_error(asked),
        "word_error_people": _word_error(people),
        "exact": sum(a == b for a, b in asked) / len(asked),
        "numbers_exact": sum(numbers) / len(numbers),
        "other_marked": sum(others) / len(others),
        "false_marked": sum(UNKNOWN_WORD in text for _, text in asked) / len(asked),
        "false_empty": sum(not text for _, text in asked) / len(asked),
        "false_text": sum(bool(text) for text in other) / len(other),
    }


def _word_error(pairs: Sequence[tuple[str, str]]) -> float:
    """Of what was said and what was heard of it."""
    errors = sum(word_errors(reference, text) for reference, text in pairs)
    return errors / max(1, sum(len(reference.split()) for reference, _ in pairs))


def show(step: int, found: Mapping[str, float]) -> None:
    """Print the figures of `validate` as one line of JSON."""
    print(json.dumps({"step": step, **{k: round(v, 4) for k, v in found.items()}}), flush=True)
