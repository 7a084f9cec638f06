"""A training of the recogniser: network, average of its weights, optimisers, checkpoint."""

from __future__ import annotations

import copy
import os
from pathlib import Path

import torch
from torch import Tensor

from models.bricks.whisper_file import FLOAT16, WhisperFileError, WhisperHeader
from models.convert.recogniser.ggml import expand_vocabulary, read_tensors, write_whisper_file
from models.train.beginning import KEY, require_same_beginning
from models.train.muon import Muon
from models.train.recogniser.batches import Batch, used_tokens
from models.train.recogniser.model import MicroWhisper, Shape
from models.train.sound.whisper_assets import N_VOCAB, mel_filters, vocabulary

SEED = 7
WORDS_RATE = 3.0
"""With given weights, the learning rate of the token embedding relative to the others': new words begin with
random rows among trained ones.
"""
CTC_ALONE_STEPS = 150
"""With given weights, the first steps train the new CTC head without the encoder."""
CTC_WEIGHT = 0.3
MUON_RATE, ADAM_RATE = 0.008, 1.5e-3
AVERAGE_KEEP = 0.997


def make_optimisers(
    model: MicroWhisper, words_rate: float = 1.0, encoder_rate: float = 1.0
) -> list[torch.optim.Optimizer]:
    """Muon for the transformer's matrices, AdamW for everything else. words_rate, encoder_rate: learning
    rates of the token embedding and of the encoder relative to the others'.
    """
    named = dict(model.named_parameters())
    words = named.pop("decoder.token_embedding.weight")

    def group(encoder: bool, matrices: bool) -> dict[str, object]:
        chosen = [
            p
            for n, p in named.items()
            if n.startswith("encoder.") == encoder and (p.ndim == 2 and ".blocks." in n) == matrices
        ]
        return {"params": chosen, "share": encoder_rate if encoder else 1.0}

    return [
        Muon([group(True, True), group(False, True)], lr=MUON_RATE, weight_decay=0.01),
        torch.optim.AdamW(
            [group(True, False), group(False, False), {"params": [words], "share": words_rate}],
            lr=ADAM_RATE,
            betas=(0.9, 0.98),
            weight_decay=0.01,
        ),
    ]


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
    state = {name: value.detach().cpu().numpy() for name, value in model.state_dict().items()}
    rows = state["decoder.token_embedding.weight"]
    state["decoder.token_embedding.weight"] = expand_vocabulary(rows, model.token_ids, N_VOCAB)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whisper_file(path, header, mel_filters(), vocabulary(), state)


class Run:
    """tokens: ids of those that transcripts use; step: how many are done; best: the lowest error so far;
    spent_s: time of the steps.
    """

    def __init__(
        self, path: Path, start: Path | None, device: str, encoder_rate: float = 1.0, begun: str = ""
    ) -> None:
        """path: of the checkpoint, from which it goes on where there is one; start: the model file whose
        weights it begins with; encoder_rate: the encoder's learning rate relative to the decoder's. With one
        below 1 there is no CTC loss, and with 0 the decoder is trained from what the encoder made of the
        sound; begun: as `models.train.beginning` makes it. Raises SystemExit for a checkpoint of other words
        or of another encoder_rate, for one that began otherwise, and for a start that cannot be read.
        """
        torch.manual_seed(SEED)
        self.path, self.device, self.from_weights = path, device, start is not None
        self.encoder_rate, self._begun = encoder_rate, begun
        self.tokens = used_tokens()
        self.model = MicroWhisper(Shape(), self.tokens, N_VOCAB)
        if start is not None:
            try:
                self.model.take_weights(read_tensors(start))
            except WhisperFileError as error:
                raise SystemExit(str(error)) from error
        self.model.to(device)
        self.average = copy.deepcopy(self.model)
        self.optimisers = make_optimisers(self.model, WORDS_RATE if start is not None else 1.0, encoder_rate)
        self.step, self.best, self.spent_s = 0, float("inf"), 0.0
        if path.exists():
            self._restore()

    def _restore(self) -> None:
        stored = torch.load(self.path, weights_only=True, map_location=self.device)
        if stored["tokens"] != self.tokens:
            raise SystemExit(
                f"The words have changed since {self.path}: move it away, and begin with --from."
            )
        encoder_rate = stored.get("encoder_rate", 1.0)
        if encoder_rate != self.encoder_rate:
            raise SystemExit(f"{self.path} has an encoder rate of {encoder_rate}: go on so, or move it away.")
        require_same_beginning(self.path, stored, self._begun)
        self.step, self.best, self.spent_s = stored["step"], stored["best"], stored["spent_s"]
        self.model.load_state_dict(stored["model"])
        self.average.load_state_dict(stored["average"])
        for optimiser, state in zip(self.optimisers, stored["optimisers"], strict=True):
            optimiser.load_state_dict(state)

    def save(self) -> None:
        """Stores the checkpoint, atomically."""
        temporary = self.path.with_suffix(".part")
        state = {
            "step": self.step, "best": self.best, "spent_s": self.spent_s, "tokens": self.tokens,
            "encoder_rate": self.encoder_rate, KEY: self._begun,
            "model": self.model.state_dict(), "average": self.average.state_dict(),
            "optimisers": [optimiser.state_dict() for optimiser in self.optimisers],
        }  # fmt: skip
        torch.save(state, temporary)
        os.replace(temporary, self.path)

    def update(self, batch: Batch, factor: float) -> Tensor:
        """One step; the two losses, [2]. factor: of the learning rates."""
        for optimiser, rate in zip(self.optimisers, (MUON_RATE, ADAM_RATE), strict=True):
            for group in optimiser.param_groups:
                group["lr"] = rate * factor * group.get("share", 1.0)
        batch = batch.to(self.device)
        ce, ctc = self.model.losses(
            batch.sound,
            batch.inputs,
            batch.targets,
            batch.ctc_rows,
            batch.ctc_lengths,
            ctc_alone=self.from_weights and self.step < CTC_ALONE_STEPS,
            encoded=not self.encoder_rate,
            no_ctc=self.encoder_rate < 1,
        )
        (ce + CTC_WEIGHT * ctc).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 2.0)
        for optimiser in self.optimisers:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        self.step += 1
        keep = min(AVERAGE_KEEP, self.step / (self.step + 20.0))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.parameters()), list(self.model.parameters()), 1.0 - keep)
        return torch.stack([ce.detach(), ctc.detach()])
