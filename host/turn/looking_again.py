"""Asks the language model about other looks at the same picture where it is not certain of an answer.

The looks are the picture itself, moved a little (`models.sensing.looking_again`), so the camera takes none.
Whatever goes wrong with one ends them, and what is known so far counts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace

from host.observe.timeline import Span
from host.sensing.view_gate import Rgb
from host.turn.tools import Tools
from models.brick import BrickError, Completion, Embedding, Prompt
from models.process.residency import BrickBusy, BrickFailed
from models.sensing.looking_again import agrees, other_looks, support

Ask = Callable[[Rgb], Awaitable[Completion | None]]


def may_look_again(said: str, probability: float, tools: Tools) -> bool:
    """Whether an answer that begins so, and whose words have this least probability, is worth other looks
    now: not with room for one brick only, where each would load eye and language model anew.
    """
    alone = tools.power.plan.residency == "one_at_a_time"
    return not alone and tools.bricks.pack.looks.wanted(probability, said)


async def supported(said: str, probability: float, rgb: Rgb, tools: Tools, ask: Ask) -> float:
    """The support, 0 to 1, of the answer `said` about the picture `rgb`. probability: the least of its
    words'. ask: asks the same about another look.
    """
    began_s, found = tools.timeline.clock(), list[tuple[str, float]]()
    with contextlib.suppress(BrickFailed, BrickError, BrickBusy):
        for picture in other_looks(rgb, tools.bricks.pack.looks.number):
            answer = await ask(picture)
            found.append(("", 0.0) if answer is None else (answer.text, answer.probability))
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


async def answer_about(rgb: Rgb, prompt: Prompt, tools: Tools) -> Completion | None:
    """The whole answer to a prompt about that picture in place of its own; None where there is none. Raises
    `BrickFailed`, `BrickError` or `BrickBusy`.
    """
    rows = await tools.view_encoder.rows_of(rgb)
    try:
        return await answer_from(rows, prompt, tools)
    finally:
        tools.bricks.discard(rows)  # where a fault left it unread


async def answer_from(rows: Embedding, prompt: Prompt, tools: Tools) -> Completion | None:
    """The same about the picture of these rows, which the language model frees."""
    answer: Completion | None = None
    asked = replace(prompt, images=(rows,), ahead=None, keep=False)
    async with contextlib.aclosing(tools.bricks.run("llm", asked)) as chunks:
        async for chunk in chunks:
            if isinstance(chunk, Completion):
                answer = chunk
    return answer
