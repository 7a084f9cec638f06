"""SIGKILLs at random moments of a process that fills, searches and empties a store:

    python -m tests.host.memory.kills --kills 10000

After each the store is opened by another process's eyes: every view that was said to be remembered is there,
none that was said to be forgotten, none half, and at most the one that was under way besides. A kill leaves
what the process wrote to the system; cuts of the power are those of `tests.host.memory.crashes`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from host.memory.values import Verified
from tests.host.memory.bench import at, begun, direction, shown, store, view

LONGEST_S = 0.004
"""A kill comes up to so long after the last thing that was said."""
MOST_SAID = 6
"""So many things are said at most before the kill."""
ANEW_EVERY = 100
"""Kills after which the store begins anew, so that it stays small."""


@dataclass
class Promised:
    """there, gone: numbers that were said to be; going: those whose forgetting was under way."""

    there: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    going: set[int] = field(default_factory=set)

    def heard(self, line: str) -> None:
        """Takes in a line of the worker: "+ N", "? N ..." before it forgets, "- N ..." once it has."""
        numbers = {int(each) for each in line[1:].split()}
        if line[0] == "+":
            self.there |= numbers
        elif line[0] == "?":
            self.going = numbers
        else:
            self.there -= numbers
            self.gone |= numbers
            self.going = set()


def work(folder: Path, seed: int, told: int) -> None:
    """Works on the store until it is killed."""
    chance = random.Random(seed)

    def say(line: str) -> None:
        os.write(told, line.encode() + b"\n")

    while True:
        opened = store(folder)
        for _ in range(chance.randint(1, 12)):
            numbers = [row.number for row in opened.rows(at(1e6))]
            match chance.choices(("add", "forget", "place", "find", "rebuild"), (60, 15, 10, 10, 5))[0]:
                case "add":
                    number = (numbers or [0])[-1] + 1
                    made = view(number, activation=begun(number), things=shown(number))
                    number = opened.add(made, at(1.0 + len(numbers)))
                    say(f"+ {number}")
                case "forget" if numbers:
                    some = " ".join(map(str, chance.sample(numbers, min(len(numbers), 3))))
                    say(f"? {some}")
                    opened.forget([int(each) for each in some.split()])
                    say(f"- {some}")
                case "place" if numbers:
                    opened.place(chance.choice(numbers), direction(chance.randint(1, 99)), 12, "e")
                case "find":
                    opened.search(direction(1), "e", 3, at(1e6))
                case "rebuild":
                    opened.rebuild()
        opened.close()


def killed(folder: Path, seed: int, promised: Promised) -> None:
    """Starts a worker, hears what it says, and kills it at a random moment."""
    chance = random.Random(f"kill {seed}")
    hears, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(hears)
            work(folder, seed, told)
        finally:
            os._exit(1)
    os.close(told)
    with os.fdopen(hears) as lines:
        for _ in range(chance.randint(0, MOST_SAID)):
            line = lines.readline()
            assert line, "the worker ended by itself"
            promised.heard(line)
        time.sleep(chance.uniform(0, LONGEST_S))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for line in lines:
            promised.heard(line)


def check(folder: Path, promised: Promised) -> None:
    """Asserts what the store promised; what it has beyond that is taken as promised from now on."""
    opened = store(folder)
    try:
        numbers = {row.number for row in opened.rows(at(1e6))}
        there = promised.there - promised.going
        assert there <= numbers, f"lost {there - numbers}"
        assert not numbers & promised.gone, f"back again {numbers & promised.gone}"
        left = numbers & promised.going
        assert left in (set(), promised.going), f"only a part of {promised.going} is forgotten"
        assert len(numbers - promised.there) <= 1, "more than the one under way"
        assert opened.verify() == Verified([], [], []), "damaged"
        shallow = sum(row.depth < 12 for row in opened.rows(at(1e6)))
        assert opened.status(at(1e6)).activations == shallow, "those of the views that stopped early"
        found = opened.search(direction(1), "e", 1000, at(1e6), thing="keys")
        assert {match.row.number for match in found} == numbers, "the scan differs from the rows"
        assert all(match.seen is not None for match in found), "things are lost"
    finally:
        opened.close()
    promised.gone |= promised.going - numbers
    promised.there, promised.going = numbers, set()


def run(kills: int, seed: int) -> int:
    """Kills so often; returns how many things were promised meanwhile."""
    said = 0
    shared = "/dev/shm" if Path("/dev/shm").is_dir() else None
    for first in range(0, kills, ANEW_EVERY):
        folder = Path(tempfile.mkdtemp(dir=shared))
        promised = Promised()
        try:
            for number in range(first, min(kills, first + ANEW_EVERY)):
                killed(folder, seed * 1_000_000 + number, promised)
                try:
                    check(folder, promised)
                except Exception as error:
                    raise AssertionError(f"kill {number} of seed {seed}: {error}") from error
            said += len(promised.there) + len(promised.gone)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if (first + ANEW_EVERY) % 1000 == 0:
            print(f"{first + ANEW_EVERY} kills", flush=True)
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=10_000, help="(default 10,000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    said = run(options.kills, options.seed)
    print(f"{options.kills} kills of a store with {said} views: every promise is kept")


if __name__ == "__main__":
    main()
