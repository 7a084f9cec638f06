"""Whisper's GPT-2 vocabulary and mel filter bank, taken from the `openai-whisper` package (MIT), and its
BPE.

The files are for training and evaluation only and are not part of the repository. They are read from the
installed package, or else from its source archive in the cache folder, where `pip download` puts it.
"""

from __future__ import annotations

import base64
import functools
import importlib.util
import io
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np

CACHE = Path(".cache/train")
PACKAGE = "openai-whisper==20250625"
END, START, NO_TIMESTAMPS = 50256, 50257, 50362
"""End of text, start of transcript and no-timestamps token ids of the English-only vocabulary."""
N_VOCAB = 51864
_PIECES = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[a-z]+| ?[^\sa-z]+")


@functools.cache
def _asset(name: str) -> bytes:
    spec = importlib.util.find_spec("whisper")
    if spec is not None and spec.origin is not None:
        installed = Path(spec.origin).parent / "assets" / name
        if installed.exists():
            return installed.read_bytes()
    folder = CACHE / "whisper-assets"
    kept = folder / name
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--no-build-isolation",
                "--no-binary",
                ":all:",
                "--dest",
                str(folder),
                PACKAGE,
            ],
            check=True,
        )
        with tarfile.open(next(folder.glob("openai_whisper-*.tar.gz"))) as archive:
            for member in archive.getmembers():
                stream = archive.extractfile(member)
                if "/whisper/assets/" in member.name and stream is not None:
                    (folder / Path(member.name).name).write_bytes(stream.read())
    return kept.read_bytes()


@functools.cache
def mel_filters() -> np.ndarray:
    """Whisper's 80-band filter bank, float32 [80, 201]."""
    with np.load(io.BytesIO(_asset("mel_filters.npz"))) as bank:
        return bank["mel_80"].astype(np.float32)


@functools.cache
def vocabulary() -> tuple[bytes, ...]:
    """Bytes of the 50256 text tokens in id order, followed by the end token."""
    lines = _asset("gpt2.tiktoken").split(b"\n")
    pairs = sorted(
        (int(rank), base64.b64decode(token)) for token, rank in (line.split() for line in lines if line)
    )
    return (*(token for _, token in pairs), b"<|endoftext|>")


@functools.cache
def _ranks() -> dict[bytes, int]:
    return {token: rank for rank, token in enumerate(vocabulary())}


@functools.cache
def _encode_piece(piece: bytes) -> tuple[int, ...]:
    ranks = _ranks()
    parts = [piece[i : i + 1] for i in range(len(piece))]
    while len(parts) > 1:
        candidates = [(ranks.get(parts[i] + parts[i + 1], len(ranks)), i) for i in range(len(parts) - 1)]
        rank, i = min(candidates)
        if rank == len(ranks):
            break
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return tuple(ranks[part] for part in parts)


def encode(text: str) -> list[int]:
    """GPT-2 token ids of a lower-case transcript, with a space before every word; [] for an empty one."""
    spaced = " " + text if text else ""
    return [token for piece in _PIECES.findall(spaced) for token in _encode_piece(piece.encode())]


def decode(tokens: list[int]) -> str:
    """Text of token ids, without the leading space."""
    table = vocabulary()
    return b"".join(table[t] for t in tokens if t < END).decode("utf-8", "replace").strip()
