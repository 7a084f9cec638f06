"""The table of placements that the twin's numbers give, for each of its packs: all of it modelled.

    python -m power.twin.placed     writes power/placement/modelled.json

Times on the cores are counted ones (power/twin/counted.toml): with fewer threads the cores' part and the wait
for single lines take longer in proportion, the memory's part does not, as in power/board_cost/board.py. The
NPU's times are estimates from published figures (power/twin/parameters.toml) and say so in their source.
Where a pack's eye has not been counted on the cores, there is no row for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from hw.supply import BatteryReading
from power.placement.as_json import MODELLED, MODELLED_BOARD, to_json
from power.placement.table import MODES, Cost, Habits, ModeName, Place, Table, Task
from power.policy.config import PowerConfig
from power.policy.plan import Mode, PowerPlan
from power.policy.policy import Policy
from power.twin.board_power import TwinBoard
from power.twin.day import load_day
from power.twin.parameters import Parameters, load_parameters
from power.twin.turn.turns import SEEING, opening_tokens
from power.twin.work import MOTION, REFLEX, Work

THREADS = range(1, 5)
"""An RK3566 has four cores."""
_ALL = THREADS[-1]
_J_PER_MW_S = 1e-3
_PERCENT = {"performance": 80, "throttled": 35, "cascade": 12}
"""Charge at which a mode's clocks are taken: of throttled its middle."""
_DIGITS = 4


def modelled_table(parameters: Parameters, pack: str) -> Table:
    """The table of a pack. Raises `TwinError` for one that the twin does not know."""
    board = TwinBoard(parameters, parameters.pack(pack))
    plans = {mode: _plan(mode) for mode in MODES}
    awake_w = tuple((mode, _rounded(board.stage_mw("idle", plans[mode]) / 1000)) for mode in MODES)
    costs = tuple(cost for mode in MODES for cost in _costs(board, f"pack.{pack}", mode, plans[mode]))
    return Table(MODELLED_BOARD, pack, habits(parameters), awake_w, costs)


def habits(parameters: Parameters) -> Habits:
    """By the normal day, in which every question begins with the wake word."""
    day = load_day("normal")
    rates = {route: rate for route, rate in day.rates().items() if route in day.question_s}
    asked = sum(rates.values())
    spoken_s = sum(rate * day.question_s[route] for route, rate in rates.items()) / asked
    around_s = parameters["talk.wake_word_s"] + parameters["talk.pause_s"]
    about_view = sum(rates[route] for route in SEEING) / asked
    return Habits(_rounded(about_view), _rounded(around_s + spoken_s))


def _costs(board: TwinBoard, name: str, mode: ModeName, plan: PowerPlan) -> Iterator[Cost]:
    parameters, pack = board.parameters, board.pack
    question_s = habits(parameters).spoken_s - parameters["talk.wake_word_s"] - parameters["talk.pause_s"]
    tokens, spoken = opening_tokens(board, plan, parameters["talk.first_sentence_tokens"])
    sentence_s = spoken / parameters["talk.tokens_per_s"]
    eye: Place = "npu" if pack.vision_stage.endswith("_npu") else "cores"
    work: list[tuple[str, Task, Place, Work, str]] = [
        ("stt", "question", "cores", pack.stt + pack.stt_per_s * question_s, "stt_s"),
        ("vision", "picture", eye, pack.vision, "vision_s"),
        ("llm", "picture", "cores", pack.prefill, "prefill_s"),
        ("llm", "sentence", "cores", pack.token * tokens, "token_s"),
        ("tts", "sentence", "cores", pack.tts_per_s * sentence_s, "tts_s_per_s"),
    ]
    for brick, task, place, amount, number in work:
        stage = pack.vision_stage if brick == "vision" else brick
        cores = _cores(parameters, f"{name}.{number}")
        for threads in THREADS if place == "cores" else (1,):
            fewer = amount if place == "npu" else _with_threads(amount, threads, cores)
            yield _cost(board, plan, mode, brick, task, place, threads, fewer, stage, f"{name}.{number}")
    for brick, amount in pack.load.items():
        if brick == MOTION:
            continue  # computes in the vision brick's place, as its units do
        number = f"{name}.load_{brick}_s"
        if number not in parameters.quantities:
            number = f"{brick}.load_share"
        place = eye if brick == "vision" else "cores"
        yield _cost(board, plan, mode, brick, "load", place, 1, amount, "load", number)
    if pack.reflex:
        number = f"{name}.reflex_s"
        if number not in parameters.quantities:
            number = "reflex.work_share"
        for threads in THREADS:
            fewer = _with_threads(pack.asked_of_reflex(tokens), threads, _cores(parameters, number))
            fewer += _with_threads(pack.read_for_reflex, threads, _ALL)
            yield _cost(board, plan, mode, REFLEX, "question", "cores", threads, fewer, REFLEX, number)


def _cores(parameters: Parameters, number: str) -> int:
    """The most cores that the work of this number can use."""
    counted = parameters.counted.get(number)
    return _ALL if counted is None else min(_ALL, counted.cores)


def _with_threads(work: Work, threads: int, cores: int) -> Work:
    """Work that is given for as many cores as it can use."""
    longer = cores / min(cores, threads)
    return Work(work.core_s * longer, work.memory_s, work.fixed_s * longer)


def _cost(
    board: TwinBoard,
    plan: PowerPlan,
    mode: ModeName,
    brick: str,
    task: Task,
    place: Place,
    threads: int,
    work: Work,
    stage: str,
    number: str,
) -> Cost:
    quantity = board.parameters.quantities[number]
    seconds = board.seconds(work, plan, stage)
    power_mw = board.stage_mw(stage, replace(plan, online_cpus=threads))
    low, high = quantity.low / quantity.value, quantity.high / quantity.value
    return Cost(
        brick,
        task,
        place,
        mode,
        threads,
        _rounded(seconds),
        _rounded(seconds * low),
        _rounded(seconds * high),
        _rounded(seconds * power_mw * _J_PER_MW_S),
        board.pack.memory_mib[brick],
        "modelled",
        quantity.source,
    )


def _plan(mode: str) -> PowerPlan:
    reading = BatteryReading(_PERCENT[mode], 3800, -200, 25.0, False, "good")
    plan, _ = Policy(PowerConfig()).decide(reading, 0.0)
    assert plan.mode is Mode(mode)
    return plan


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def text() -> str:
    """The file of all packs that the twin knows."""
    parameters = load_parameters()
    tables = {name: to_json(modelled_table(parameters, name)) for name in sorted(parameters.packs)}
    lines = json.dumps(tables, indent=1)
    return _one_row_a_line(lines) + "\n"


def _one_row_a_line(lines: str) -> str:
    """JSON whose lists stand in one line each."""
    out, depth = [], 0
    for line in lines.split("\n"):
        stripped = line.strip()
        inner = depth > 0
        opens, closes = stripped.endswith("["), stripped.startswith("]")
        if opens and '"costs"' not in stripped:
            depth += 1
            out.append(line)
            continue
        if closes and inner:
            depth -= 1
            out[-1] += stripped
            continue
        if inner:
            out[-1] += stripped + (" " if stripped.endswith(",") else "")
        else:
            out.append(line)
    return "\n".join(out)


if __name__ == "__main__":
    MODELLED.write_text(text(), encoding="utf-8")
