"""What a decoder is given, in order, for the prompts of a pack."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llama_cpp import llama_cpp as native
from numpy.typing import NDArray

from models.brick import Completion, Context, Embedding, Prompt
from models.bricks.llm import Decoder
from tests.models.bricks.bricks_bench import micro

TEMPLATE = {
    "before_images": "look at ",
    "between_images": " and the ",
    "prompt": " {history}{question} is",
    "turn": "{question} the {answer} the ",
    "history_tokens": 40,
    "n_ctx": 128,
}
FIRST, SECOND = "what colour", "the circle"
HISTORY = (("where", "left"),)


class Watched(Decoder):
    """Keeps what it is fed."""

    def load(self) -> None:
        self.fed: list[list[int] | int] = []
        super().load()

    def feed_tokens(self, tokens: NDArray[np.int32]) -> None:
        self.fed.append(tokens.tolist())
        super().feed_tokens(tokens)

    def feed_rows(self, rows: NDArray[np.float32]) -> None:
        self.fed.append(len(rows))
        super().feed_rows(rows)

    def given(self, prompt: Prompt) -> list[list[int] | int]:
        """What it is fed for the prompt, before the first token that it writes itself."""
        self.fed.clear()
        *_, last = self.execute(prompt)
        assert isinstance(last, Completion)
        held = native.llama_memory_seq_pos_max(native.llama_get_memory(self._native), 0) + 1
        assert last.n_prompt + last.n_generated - held in (0, 1)
        return self.fed[:]


@pytest.fixture
def decoder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    monkeypatch.setattr(os, "nice", lambda _: 0)
    model = micro().bricks["llm"].options["model"]
    decoder = Watched({"model": model, **TEMPLATE, **getattr(request, "param", {})}, Context(threads=2))
    decoder.load()
    yield decoder
    decoder.release()


def picture(seed: int, rows: int) -> Embedding:
    return Embedding(np.random.default_rng(seed).normal(0, 0.1, (rows, 128)).astype(np.float32))


def test_pictures_go_in_with_the_text_between_them(decoder: Watched):
    before, between = decoder.tokens("look at ").tolist(), decoder.tokens(" and the ").tolist()
    asked = decoder.tokens(f" {FIRST} is").tolist()
    images = (picture(1, 5), picture(2, 7), picture(3, 6))
    assert decoder.given(Prompt(FIRST, images, 1)) == [5, between, 7, between, 6, asked]
    assert decoder.given(Prompt(FIRST, images[:1], 1)) == [5, asked]
    assert decoder.given(Prompt(FIRST, (), 1)) == [asked], "the fixed text is held"
    assert decoder.fed and before not in decoder.fed
    with_turn = decoder.tokens(f" where the left the {SECOND} is").tolist()
    assert decoder.given(Prompt(SECOND, images[:1], 1, None, HISTORY)) == [5, with_turn]


@pytest.mark.parametrize("decoder", [{"unicode_form": "NFC"}], indirect=True, ids=["NFC"])
def test_a_text_is_normalised_where_the_pack_says_so(decoder: Watched):
    composed, combined = "caf\u00e9", "cafe\u0301"
    assert decoder.tokens(combined).tolist() == decoder.tokens(composed).tolist()
    plain = Watched({}, Context())
    plain._vocab = decoder._vocab
    assert plain.tokens(composed).tolist() == decoder.tokens(composed).tolist()
    assert plain.tokens(combined).tolist() != plain.tokens(composed).tolist()


@pytest.mark.parametrize(
    "decoder", [{"text_prompt": "say: {history}{question} now"}], indirect=True, ids=["text_prompt"]
)
def test_a_question_without_a_picture_has_a_prompt_of_its_own(decoder: Watched):
    before, asked = decoder.tokens("look at ").tolist(), decoder.tokens(f" {FIRST} is").tolist()
    alone = decoder.tokens(f"say: {FIRST} now").tolist()
    assert decoder.given(Prompt(FIRST, (picture(1, 5),), 1)) == [5, asked]
    assert decoder.given(Prompt(FIRST, (), 1)) == [alone]
    with_turn = decoder.tokens(f"say: where the left the {SECOND} now").tolist()
    assert decoder.given(Prompt(SECOND, (), 1, None, HISTORY)) == [with_turn]
    assert decoder.given(Prompt(FIRST, (picture(1, 5),), 1)) == [before, 5, asked]


def test_a_state_that_cannot_be_stored_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Nor do processes that ended while they wrote one."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setattr(os, "fsync", full)
    folder = tmp_path / "states"
    folder.mkdir()
    (folder / "a.77.part").write_bytes(b"half a state")
    decoder = Decoder({"model": micro().bricks["llm"].options["model"], **TEMPLATE}, Context(threads=2))
    decoder.load()
    decoder.release()
    assert list(folder.iterdir()) == []


def test_a_small_decoder_computes_on_one_thread_a_large_one_on_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads meet after every layer; of a small model each has less to compute than it waits."""
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    monkeypatch.setattr(os, "nice", lambda _: 0)

    def threads() -> int:
        decoder = Decoder({"model": micro().bricks["llm"].options["model"], **TEMPLATE}, Context(threads=2))
        decoder.load()
        try:
            list(decoder.execute(Prompt(FIRST, (), max_tokens=2)))
            return int(native.llama_n_threads(decoder._native))
        finally:
            decoder.release()

    assert threads() == 1
    monkeypatch.setattr("models.bricks.threads.SINGLE_THREAD_BYTES", 1 << 20)
    assert threads() == 2
