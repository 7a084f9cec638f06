"""Tables of placements made for tests."""

from __future__ import annotations

from power.placement.table import MODES, Cost, Habits, Place, Table, Task

AWAKE_W = 0.7


def cost(
    brick: str,
    task: Task,
    seconds: float,
    *,
    place: Place = "cores",
    threads: int = 4,
    extra_w: float = 0.8,
    mode: str | None = None,
) -> list[Cost]:
    """The row for one mode, or the same for all."""
    energy_j = (AWAKE_W + extra_w) * seconds
    return [
        Cost(
            brick, task, place, each, threads, seconds, seconds * 0.8, seconds * 1.5, energy_j, 100.0,
            "modelled", "made up",
        )
        for each in MODES
        if mode in (None, each)
    ]  # fmt: skip


def table(
    *rows: list[Cost],
    about_view: float = 0.6,
    spoken_s: float = 3.0,
    pack: str = "made",
    board: str = "rk3566",
) -> Table:
    """A table of these rows."""
    awake_w = tuple((mode, AWAKE_W) for mode in MODES)
    return Table(
        board, pack, Habits(about_view, spoken_s), awake_w, tuple(row for each in rows for row in each)
    )


def turn(picture_s: float, *, place: Place = "cores", about_view: float = 0.6) -> Table:
    """A board on which a picture takes so long, the recogniser 1 s, taking a picture in 2 s, loads 0.5 s."""
    threads = 4 if place == "cores" else 1
    return table(
        cost("vision", "picture", picture_s, place=place, threads=threads),
        cost("vision", "load", 0.5, place=place, threads=1),
        cost("llm", "picture", 2.0),
        cost("llm", "sentence", 2.0),
        cost("llm", "load", 0.5, threads=1),
        cost("stt", "question", 1.0),
        cost("stt", "load", 0.5, threads=1),
        about_view=about_view,
    )
