"""Boards with Cortex-A55 cores, and the model that turns counts into milliseconds on one of them.

Three times add up, because an A55 works in order and soon waits for a line that is missing:

    core     pipeline cycles, and for lines from the shared cache their transfer (a prefetcher has asked for
             those that follow others) or the whole wait; all of it is divided among the cores
    memory   lines streamed from and to memory at the rate of one core copying or filling, which cores share:
             one core already moves 6 of the 8.4 GB/s that RK3566's 32 bits at 1056 MHz can
    wait     lines from memory that no prefetcher could foresee, each after the memory's latency, on every
             core alone

A lower memory clock lengthens `memory` in proportion; the latency is taken as unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from hw.settings import Form, Range, SettingsError, fill, read_toml
from power.account.energy_model import Number
from power.board_cost.counts import Counts

BOARDS = Path(__file__).parent / "boards.toml"
LINE_BYTES = 64
SHARED_STREAM_CYCLES = 4
"""Transfer of a line from the shared cache: 64 bytes, 16 in a cycle (DSU technical reference manual, 128-bit
ports).
"""
SHARED_WAIT_CYCLES = 30
"""From a miss in the first cache to the shared cache's data; an estimate between 25 and 40."""
_CACHE = Annotated[str, Form(r"\d+:\d+", "a size in bytes, a colon and a number of ways")]
_WORDS = Annotated[str, Form(r"[\s\S]*\S[\s\S]*", "a text")]


@dataclass(frozen=True)
class Board:
    """One board at one operating point."""

    title: _WORDS
    """What it is."""
    cores: Annotated[int, Range(1, 8)]
    """Its Cortex-A55 cores, 1 to 8."""
    cpu_mhz: Number
    """The cores' clock as measured."""
    ddr_mhz: Number
    """The memory's clock at which the rates below hold."""
    copy_gb_s: Number
    """Bytes copied in a second by one core; as many are read as written."""
    fill_gb_s: Number
    """Bytes written in a second by one core."""
    latency_ns: Number
    """Time to a word in memory that nothing foresaw."""
    level1: _CACHE
    """A core's data cache: bytes, ways."""
    shared: _CACHE
    """The cache behind it: bytes, ways."""
    caches_source: _WORDS
    """Where the caches' sizes come from."""


@dataclass(frozen=True)
class Fit:
    """What the published figures say of the model: both would be 1 if the sources held exactly."""

    core: float = 1.0
    """Factor on the core's time."""
    memory: float = 1.0
    """Factor on the time of streamed lines."""


@dataclass(frozen=True)
class Parts:
    """One core's milliseconds by what they are spent on."""

    core_ms: float
    memory_ms: float
    wait_ms: float

    def total_ms(self, cores: int = 1, fit: Fit = Fit()) -> float:
        """The time with that many cores, a share of the work for each."""
        return fit.core * self.core_ms / cores + fit.memory * self.memory_ms + self.wait_ms / cores

    def plus(self, other: Parts) -> Parts:
        """Both, one after the other."""
        return Parts(
            self.core_ms + other.core_ms, self.memory_ms + other.memory_ms, self.wait_ms + other.wait_ms
        )

    def shared(self, cores: int = 1, fit: Fit = Fit()) -> Parts:
        """What that time is spent on."""
        return Parts(fit.core * self.core_ms / cores, fit.memory * self.memory_ms, self.wait_ms / cores)


def load_boards(path: Path = BOARDS) -> dict[str, Board]:
    """The boards of a file. Raises `SettingsError`."""
    table: dict[str, Any] = read_toml(path, "board file")
    if not table:
        raise SettingsError(f"{path} names no board.")
    return {name: fill(Board, words, path, (name,)) for name, words in table.items()}


def parts(counts: Counts, board: Board, cpu_mhz: float | None = None, ddr_mhz: float | None = None) -> Parts:
    """One core's time on a board, at other clocks than its own where they are given (MHz).

    Raises ValueError for a clock that is not above 0.
    """
    cpu_mhz = board.cpu_mhz.value if cpu_mhz is None else cpu_mhz
    ddr_mhz = board.ddr_mhz.value if ddr_mhz is None else ddr_mhz
    if cpu_mhz <= 0 or ddr_mhz <= 0:
        raise ValueError("a clock must be above 0")
    near_stream = counts.level1_stream - counts.memory_stream
    near_random = counts.level1_random - counts.memory_random
    cycles = counts.cycles + near_stream * SHARED_STREAM_CYCLES + near_random * SHARED_WAIT_CYCLES
    # A copy reads at its own rate, while it writes as much.
    read_s = counts.memory_stream * LINE_BYTES / (1e9 * board.copy_gb_s.value)
    written_s = counts.memory_store * LINE_BYTES / (1e9 * board.fill_gb_s.value)
    return Parts(
        core_ms=cycles / cpu_mhz / 1e3,
        memory_ms=(read_s + written_s) * 1e3 * board.ddr_mhz.value / ddr_mhz,
        wait_ms=counts.memory_random * board.latency_ns.value / 1e6,
    )
