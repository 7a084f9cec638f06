"""What each brick of a pack costs on this machine, alone and without the rest of the headband.

    python -m models.process.brick_cost micro ballast    load, first chunk, whole answer, release; own memory
    python -m models.process.brick_cost micro --declare  also write the measured memory into its manifest

`--json` prints one object instead of a table.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import re
import statistics
import sys
import time
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from hw.settings import Range, argument
from models.brick import (
    MICROPHONE_RATE_HZ,
    Activation,
    Embedding,
    Encode,
    Frame,
    Phrase,
    Prompt,
    Sentence,
    Utterance,
)
from models.clip import Unit
from models.closed_question import ClosedQuestion
from models.pack.catalogue import Pack, PackError, load_pack
from models.pack.chain import RECALL_EYE
from models.process.bricks import Bricks
from models.process.residency import BrickEvent, BrickFailed, Residency

THREADS = argument(Annotated[int, Range(1, 256, "threads")])
CLIP_S = 3.0
QUESTION = "what colour is the circle"
ANSWER = "The circle is red and the square beside it is blue."
STREAMED = "vision streamed"
"""The row of a chain of graphs whose weights are streamed."""
SPARE_SHARE = 1.1
"""A declared memory is the measured one and a tenth."""


def _requests() -> dict[str, Any]:
    """One request per brick: three seconds of sound, a picture, a question, a phrase, a sentence. The reflex
    brick runs all its layers, the motion brick takes one unit of a clip, the memory's own eye encodes wholly.
    """
    random = np.random.default_rng(7)
    time_s = np.arange(int(CLIP_S * MICROPHONE_RATE_HZ)) / MICROPHONE_RATE_HZ
    voiced = 0.2 * np.sin(2 * np.pi * 140 * time_s) * (np.sin(2 * np.pi * 3 * time_s) > 0)
    sound = (voiced + 0.01 * random.standard_normal(len(time_s))).astype(np.float32)
    picture = random.integers(0, 256, (480, 640, 3), np.uint8)
    return {
        "stt": Utterance(sound),
        "vision": Frame(picture),
        STREAMED: Frame(picture),
        RECALL_EYE: Encode((picture,), 0),
        "text": Phrase(QUESTION),
        "reflex": ClosedQuestion(QUESTION, Embedding(), certainty=1.0),
        "motion": Unit(Activation(0, ""), 0.0, 1),
        "llm": Prompt(QUESTION, (), 24),
        "tts": Sentence(ANSWER),
    }


async def cost(pack: Pack, threads: int, repeats: int = 3) -> dict[str, dict[str, float]]:
    """Per brick, each alone: medians in ms, memory in MiB of its own (peak)."""
    result: dict[str, dict[str, float]] = {}
    for row, request in _requests().items():
        name = row.partition(" ")[0]
        if name not in pack.bricks or (row == STREAMED and not pack.bricks[name].options.get("groups")):
            continue
        firsts, totals = [], []
        events: list[BrickEvent] = []
        bricks = Bricks(
            _streaming(pack) if row == STREAMED else pack, on_event=events.append, threads=threads
        )
        await bricks.apply(Residency("budgeted"))
        try:
            if name == RECALL_EYE:
                request = replace(request, depth=int(pack.bricks[name].options["depth"]))
            if name == "llm":
                request = Prompt(QUESTION, (await _image_rows(bricks),), 24)
            if name == "reflex":
                shape = [int(pack.bricks[name].options[key]) for key in ("tokens", "width")]
                rows = np.random.default_rng(8).standard_normal(shape, np.float32)
                request = replace(request, image=Embedding(rows=rows))
            if name == "motion":
                options = pack.bricks[name].options
                shape = [int(options[key]) for key in ("tokens", "width")]
                rows = np.random.default_rng(8).standard_normal(shape, np.float32)
                request = replace(request, activation=Activation(int(options["depth"]), _encoder(pack), rows))
            for _ in range(repeats):
                await bricks.release_all()
                async for _chunk in bricks.run(name, request):
                    pass
                start_s, first_s = time.monotonic(), 0.0
                async for _chunk in bricks.run(name, request):
                    first_s = first_s or time.monotonic() - start_s
                totals.append(time.monotonic() - start_s)
                firsts.append(first_s)
            await bricks.release_all()
            loads = [e.end_s - e.start_s for e in events if (e.brick, e.kind) == (name, "load")]
            releases = [e.end_s - e.start_s for e in events if (e.brick, e.kind) == (name, "release")]
            own_mib = bricks.memory_mib()[name]
        finally:
            await bricks.close()
        result[row] = {
            "load_ms": statistics.median(loads) * 1e3,
            "first_chunk_ms": statistics.median(firsts) * 1e3,
            "answer_ms": statistics.median(totals) * 1e3,
            "release_ms": statistics.median(releases) * 1e3,
            "own_mib": own_mib,
        }
    return result


def _streaming(pack: Pack) -> Pack:
    """The pack with the weights of its eyes streamed."""
    vision = pack.bricks["vision"]
    spec = replace(vision, options={**vision.options, "stream": True})
    return replace(pack, bricks={**pack.bricks, "vision": spec})


def _encoder(pack: Pack) -> str:
    return str(pack.bricks["vision"].options.get("encoder", "")) if "vision" in pack.bricks else ""


async def _image_rows(bricks: Bricks) -> Embedding:
    """A picture's rows by value, so that they can be asked about again and again."""
    image = Embedding()
    async for chunk in bricks.run("vision", _requests()["vision"]):
        image = Embedding(rows=bricks.rows(chunk))
        bricks.discard(chunk)
    return image


def declare(pack: Pack, figures: dict[str, dict[str, float]]) -> None:
    """Write each brick's measured memory, and a tenth more, into the pack's manifest; that of streamed eyes
    where the manifest has the key for it.
    """
    manifest = pack.root / "pack.toml"
    text = manifest.read_text()
    for name, row in figures.items():
        table, key = ("vision.settings", "streamed_mib") if name == STREAMED else (name, "memory_mib")
        head, found, tail = text.partition(f"[brick.{table}]\n")
        value = math.ceil(row["own_mib"] * SPARE_SHARE)
        own, begin, others = tail.partition("\n[")
        own = re.sub(rf"(?m)^{key} = \d+", f"{key} = {value}", own, count=1)
        text = head + found + own + begin + others
    manifest.write_text(text)


def _table(name: str, figures: dict[str, dict[str, float]]) -> str:
    lines = [f"pack '{name}'"]
    for row, values in figures.items():
        lines.append(f"  {row:16}" + "  ".join(f"{key} {value:8.1f}" for key, value in values.items()))
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Command line; exit 2 with one sentence for a pack that can't be used."""
    parser = argparse.ArgumentParser(
        prog="python -m models.process.brick_cost", description="Measure packs' bricks here."
    )
    parser.add_argument("packs", nargs="+", help="names or folders")
    parser.add_argument(
        "--threads",
        type=THREADS,
        default=os.cpu_count() or 1,
        help="CPU threads per brick",
    )
    parser.add_argument("--declare", action="store_true", help="write measured memory into pack.toml")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    results: dict[str, Any] = {}
    for name in options.packs:
        try:
            pack = load_pack(name)
            results[pack.name] = asyncio.run(cost(pack, options.threads))
        except (PackError, BrickFailed) as error:
            print(error, file=sys.stderr)
            return 2
        if options.declare:
            declare(pack, results[pack.name])
        if not options.json:
            print(_table(pack.name, results[pack.name]), flush=True)
    if options.json:
        print(json.dumps(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
