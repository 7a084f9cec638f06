"""Measurements of the micro pack on held-out data, one part after the other.

./justw eval                             all parts
./justw eval PART...                     those: {parts}
./justw eval PART --OPTION ...           one of them, with its own options (`PART --help`)
./justw eval --matrix [--cases N]        accuracy by precision of each brick
"""

import subprocess
import sys
from itertools import takewhile
from pathlib import Path

PACK = str(Path("models/packs/micro"))
PARTS = {
    "speech": ["models.train.recogniser.evaluate"],
    "commands": ["tests.eval.hearing.commands"],
    "names": ["tests.eval.hearing.names"],
    "recordings": ["tests.eval.hearing.recordings"],
    "spliced": ["tests.eval.hearing.spliced"],
    "numbers": ["tests.eval.hearing.numbers"],
    "understood": ["tests.eval.understood"],
    "past-heard": ["tests.eval.hearing.past_heard"],
    "past-asked": ["tests.eval.hearing.past_asked"],
    "understood-aloud": ["tests.eval.understood.aloud"],
    "view-heard": ["tests.eval.hearing.view_heard"],
    "beginnings": ["tests.eval.hearing.beginnings"],
    "sight": ["models.train.sight.evaluate", PACK],
    "eye": ["tests.eval.eye"],
    "memory": ["tests.eval.memory"],
    "memory-cost": ["tests.eval.memory.cost"],
    "memory-voice": ["tests.eval.memory_voice"],
    "reflex": ["tests.eval.reflex"],
    "wide": ["tests.eval.sight.wide"],
    "stranger": ["tests.eval.stranger"],
    "chain": ["tests.eval.chain"],
    "voice": ["models.train.voice.evaluate"],
    "wake": ["tests.eval.hearing.wake"],
    "endpoint": ["tests.eval.hearing.endpoint"],
    "barge": ["tests.eval.barge"],
    "barge-gains": ["tests.eval.barge.gains"],
    "gate": ["tests.eval.sound_gate"],
    "view-gate": ["tests.eval.sight.view_gate"],
    "reading": ["tests.eval.sight.reading"],
    "look-again": ["tests.eval.sight.look_again"],
    "camera": ["tests.eval.power.camera"],
    "eye-pieces": ["tests.eval.cost.eye_pieces"],
    "reflex-cost": ["tests.eval.cost.reflex"],
    "gauge": ["tests.eval.gauge"],
    "gauge-oracle": ["tests.eval.gauge.oracle"],
    "gauge-swaps": ["tests.eval.gauge.swaps"],
    "sensor": ["tests.eval.power.sensor"],
    "firmware": ["tests.eval.power.firmware"],
    "ring": ["tests.eval.ring"],
    "rig": ["tests.eval.power.rig"],
    "motion": ["tests.eval.motion"],
    "sensing": ["tests.eval.sensing"],
    "policy": ["tests.eval.power.policy"],
}


def main(arguments: list[str] | None = None) -> int:
    """Command line; the exit status of the first part that fails, 2 with one sentence for bad usage."""
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] in (["-h"], ["--help"]):
        print((__doc__ or "").format(parts=" ".join(PARTS)).strip())
        return 0
    if "--matrix" in given:
        return _run("tests.eval.matrix", *(argument for argument in given if argument != "--matrix"))
    wanted = list(takewhile(lambda argument: not argument.startswith("-"), given))
    options = given[len(wanted) :]
    if unknown := [part for part in wanted if part not in PARTS]:
        print(f"There is no part {unknown[0]!r}; there are: {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    if options and len(wanted) != 1:
        print(f"{options[0]} is an option of one part: name that part first, and no other.", file=sys.stderr)
        return 2
    for part in wanted or PARTS:
        print(f"\n== {part}", flush=True)
        code = _run(*PARTS[part], *options)
        if code:
            return code
    return 0


def _run(module: str, *arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", module, *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
