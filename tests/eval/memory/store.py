"""The memory's store at size: the time of a search, and the memory of the process that holds it.

    python -m tests.eval.memory.store --views 100000 [--rival]

Vectors are random, pictures small: neither changes what a scan costs. Wall time is that of this machine now;
CPU time leaves out what other programs take of it. NumPy has one thread, as in the memory's own process.
`--rival` also searches with sqlite-vec, an extension of SQLite, over the same int8 vectors unsealed in
memory; it needs the packages sqlite-vec and apsw, as Python's own SQLite need not load extensions.
"""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from host.config import MemoryConfig
from host.memory.store import MemoryStore
from host.memory.things import SeenThing
from host.memory.values import Moment, NewView, Vector
from host.memory.vectors import packed
from host.turn.recalling.deepening import CANDIDATES
from models.process.forkserver import ENVIRONMENT
from models.process.rss import rss_mib

WIDTH = 256
"""Of the micro pack's recall space."""
SEARCHES = 15
COUNT = CANDIDATES
"""Views that a question to the memory finds."""
THINGS = tuple(f"thing {number}" for number in range(13))
COLOURS = tuple(f"colour {number}" for number in range(12))
SHOWN = 3
"""Things in a view: more than on the days of the drawn home."""


def _random(chance: np.random.Generator) -> Vector:
    vector = chance.standard_normal(WIDTH).astype(np.float32)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def _moment(number: int) -> Moment:
    return Moment("boot", float(number), 1_790_000_000.0 + number)


def filled(path: Path, views: int) -> None:
    """Makes a store; not synced after each view, which only filling needs to do quickly."""
    store = MemoryStore(path, bytes(32), MemoryConfig())
    store._database.execute("PRAGMA synchronous = OFF")
    chance = np.random.default_rng(0)
    for number in range(1, views + 1):
        shown = tuple(
            SeenThing(THINGS[at], round(float(chance.random()), 3), ((COLOURS[number % len(COLOURS)], 1.0),))
            for at in chance.permutation(len(THINGS))[:SHOWN]
        )
        place = _random(chance)
        view = NewView(_moment(number), os.urandom(64), vector=place, depth=1, encoder="e", things=shown)
        store.add(view, _moment(number))
    store.close()


def measured(path: Path, views: int) -> dict[str, float]:
    """Seconds and MiB by name, in a process that holds nothing else."""
    store, chance, now = (
        MemoryStore(path, bytes(32), MemoryConfig()),
        np.random.default_rng(1),
        _moment(views),
    )
    before_mib, began_s = rss_mib(os.getpid()), time.process_time()
    store.search(_random(chance), "e", COUNT, now, thing=THINGS[0])
    built_s = time.process_time() - began_s
    wall_s, cpu_s = [], []
    for _ in range(SEARCHES):
        query, at_s, cpu_at_s = _random(chance), time.perf_counter(), time.process_time()
        store.search(query, "e", COUNT, now, thing=THINGS[0])
        wall_s.append(time.perf_counter() - at_s)
        cpu_s.append(time.process_time() - cpu_at_s)
    table_mib = rss_mib(os.getpid()) - before_mib
    store.close()
    return {
        "search, wall": statistics.median(wall_s),
        "search, CPU": statistics.median(cpu_s),
        "index made anew, CPU": built_s,
        "process": rss_mib(os.getpid()),
        "of it the index": table_mib,
    }


def rival(views: int) -> dict[str, float]:
    """The same of sqlite-vec. Raises ImportError."""
    apsw, sqlite_vec = importlib.import_module("apsw"), importlib.import_module("sqlite_vec")
    chance, before_mib = np.random.default_rng(0), rss_mib(os.getpid())
    database = apsw.Connection(":memory:")
    database.enable_load_extension(True)
    database.load_extension(sqlite_vec.loadable_path())
    database.execute(
        f"CREATE VIRTUAL TABLE views USING vec0(number INTEGER PRIMARY KEY, place int8[{WIDTH}])"
    )
    with database:
        for number in range(1, views + 1):
            place = packed(_random(chance))[4:]
            database.execute("INSERT INTO views VALUES (?, vec_int8(?))", (number, place))
    wall_s, cpu_s = [], []
    for _ in range(SEARCHES):
        query, at_s, cpu_at_s = packed(_random(chance))[4:], time.perf_counter(), time.process_time()
        nearest = f"SELECT number FROM views WHERE place MATCH vec_int8(?) ORDER BY distance LIMIT {COUNT}"
        assert len(database.execute(nearest, (query,)).fetchall()) == COUNT
        wall_s.append(time.perf_counter() - at_s)
        cpu_s.append(time.process_time() - cpu_at_s)
    return {
        "search, wall": statistics.median(wall_s),
        "search, CPU": statistics.median(cpu_s),
        "of it the index": rss_mib(os.getpid()) - before_mib,
    }


def _print(found: dict[str, float]) -> None:
    for name, value in found.items():
        print(f"  {name:22} {value:.1f} MiB" if name in ("process", "of it the index") else
              f"  {name:22} {value * 1000:.1f} ms")  # fmt: skip


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description="Time of a search and memory of the store at size.")
    parser.add_argument("--views", type=int, default=100_000, help="views in the store (default 100,000)")
    parser.add_argument("--rival", action="store_true", help="sqlite-vec as well, where it is installed")
    options = parser.parse_args()
    if not set(ENVIRONMENT.items()) <= set(os.environ.items()):
        module = ["-m", "tests.eval.memory.store", *sys.argv[1:]]
        os.execve(sys.executable, [sys.executable, *module], {**os.environ, **ENVIRONMENT})
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        path = Path(folder) / "memory.db"
        child = os.fork()
        if child == 0:  # what filling leaves in memory is not the store's
            filled(path, options.views)
            os._exit(0)
        os.waitpid(child, 0)
        found = measured(path, options.views)
    print(f"{options.views} views of {WIDTH} values")
    _print(found)
    if options.rival:
        try:
            print("sqlite-vec, the same number")
            _print(rival(options.views))
        except ImportError as missing:
            print(f"  It needs the packages sqlite-vec and apsw: {missing}.")


if __name__ == "__main__":
    main()
