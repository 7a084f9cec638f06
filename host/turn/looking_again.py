"""Asks the language model about other looks at the same picture where it is not certain of an answer.

The looks are the picture itself, moved a little (`models.sensing.looking_again`), so the camera takes none.
Whatever goes wrong with one ends them, and what is known so far counts.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace

from host.observe.timeline import Span
from host.sensing.view_gate import Rgb
from host.turn.tools import Tools
from models.brick import BrickError, Completion, Prompt
from models.process.residency import BrickBusy, BrickFailed
from models.sensing.looking_again import agrees, other_looks, support


def may_look_again(said: str, probability: float, tools: Tools) -> bool:
    """Whether an answer that begins so, and whose words have this least probability, is worth other looks
    now: not with room for one brick only, where each would load eye and language model anew.
    """
    alone = tools.power.plan.residency == "one_at_a_time"
    return not alone and tools.bricks.pack.looks.wanted(probability, said)


async def supported(prompt: Prompt, said: str, probability: float, rgb: Rgb, tools: Tools) -> float:
    """The support, 0 to 1, of the answer `said` to `prompt` about the picture `rgb`. probability: the least
    of its words'.
    """
    began_s, found = tools.timeline.clock(), list[tuple[str, float]]()
    with contextlib.suppress(BrickFailed, BrickError, BrickBusy):
        for picture in other_looks(rgb, tools.bricks.pack.looks.number):
            rows = await tools.view_encoder.rows_of(picture)
            found.append(await _asked(replace(prompt, images=(rows,), ahead=None, keep=False), tools))
    after = support(said, probability, found)
    fields = {
        "looks": 1 + len(found),
        "agreed": sum(agrees(text, said) for text, _ in found),
        "before": round(probability, 4),
        "support": round(after, 4),
    }
    tools.timeline.add(Span("turn", "looking again", began_s, tools.timeline.clock(), fields))
    tools.observe("looked_again", fields)
    return after


async def _asked(prompt: Prompt, tools: Tools) -> tuple[str, float]:
    """The whole answer and the least probability of its words. Raises `BrickFailed` or `BrickError`."""
    said, least = "", 0.0
    async with contextlib.aclosing(tools.bricks.run("llm", prompt)) as chunks:
        async for chunk in chunks:
            if isinstance(chunk, Completion):
                said, least = chunk.text, chunk.probability
    return said, least
