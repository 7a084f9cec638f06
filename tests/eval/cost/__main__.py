"""The cost of a turn: time and memory by mode, for every pack on this computer.

    python -m tests.eval.cost [--turns 7] [--pack micro --pack ballast]
    python -m tests.eval.cost sensing [--clips 20] [--pack micro]
    python -m tests.eval.cost one-view [--turns 18] [--pack micro]

`sensing`: only the wait for an answer about the last seconds (`tests.eval.sensing.waiting`). `one-view`: only
what the motion brick adds to the wait for one about a view (`tests.eval.sensing.one_view`). Else each turn
is a new `headband ask --json`, so the figures are those of a user. Medians with the smallest and largest
value.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from models.pack.catalogue import load_pack, pack_names
from power.policy.plan import MODES
from tests.demo_files import COLOUR
from tests.eval.arguments import counted, require_packs
from tests.eval.eye.page import Lacks
from tests.eval.sensing.one_view import report as one_view_report
from tests.eval.sensing.waiting import measure as measure_waiting

DEMO = Path("host/demo")
STAGES = ("stt", "vision", "llm", "tts")


def ask(pack: str, mode: str, folder: Path) -> dict[str, Any]:
    """One `headband ask` in a process of its own, with all stages whatever the transcript is."""
    settings = folder / "headband.toml"
    settings.write_text('[answer]\nfixed_route = "now"\n[journal]\npath = ""\n')
    command = [sys.executable, "-m", "host", "ask", "--pack", pack, "--mode", mode, "--json"]
    command += ["--config", str(settings), "--out", str(folder / "answer.wav")]
    command += ["--audio", str(DEMO / COLOUR[0]), "--image", str(DEMO / COLOUR[1])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def spread(values: list[float], digits: int = 0) -> str:
    """Median [smallest, largest]."""
    return f"{median(values):.{digits}f} [{min(values):.{digits}f}, {max(values):.{digits}f}]"


def measure(pack: str, turns: int) -> None:
    """Prints the table of one pack."""
    print(f"pack {pack}: {turns} turns per mode, median [min, max]")
    peaks = {}
    with tempfile.TemporaryDirectory() as folder:
        for mode in MODES:
            reports = [ask(pack, mode, Path(folder)) for _ in range(turns)]
            peaks[mode] = median(r["memory_mib"]["tree_peak"] for r in reports)
            first = [r["timings_ms"]["processing_to_first_audio"] for r in reports]
            print(f"  {mode:12s} endpoint to first audio {spread(first)} ms")
            for stage in STAGES:
                load = [r["timings_ms"].get(f"{stage}_load", 0.0) for r in reports]
                execute = [r["timings_ms"].get(f"{stage}_execute", 0.0) for r in reports]
                print(f"    {stage:7s} load {spread(load)} ms, execute {spread(execute)} ms")
            memory = [r["memory_mib"] for r in reports]
            energy = [r["energy_mwh"]["total"] for r in reports]
            print(f"    memory  main {spread([m['main'] for m in memory], 1)} MiB, ", end="")
            print(f"fork server {spread([m['fork_server'] for m in memory], 1)} MiB, ", end="")
            print(f"whole tree peak {spread([m['tree_peak'] for m in memory], 1)} MiB")
            print(f"    energy  {spread(energy, 3)} mWh (modelled)")
            if mode == "cascade":
                _bound(memory)
    print(f"  peak of performance / peak of cascade: {peaks['performance'] / peaks['cascade']:.2f}")


def _bound(memory: list[dict[str, Any]]) -> None:
    one = memory[0]
    largest = max(one["bricks_own"].values(), default=0.0)
    bound = 1.2 * (one["main"] + one["fork_server"] + largest)
    peak = median(m["tree_peak"] for m in memory)
    verdict = "within" if peak <= bound else "OVER"
    print(
        f"    bound   main + fork server + largest brick ({largest:.1f}) + 20 % = {bound:.1f} MiB: {verdict}"
    )


def start_up(runs: int = 5) -> None:
    """The time from launch to listening, as reported by a headband that keeps its journal apart."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "quiet.toml"
        script.write_text("end_s = 0.5\n[[event]]\nat_s = 0.1\nbattery = 80\n")
        settings = Path(folder) / "headband.toml"
        settings.write_text(f"[journal]\npath = {json.dumps(str(Path(folder) / 'journal.jsonl'))}\n")
        seconds = []
        for _ in range(runs):
            command = [sys.executable, "-m", "host", "run", "--real-time", "--script", str(script)]
            command += ["--config", str(settings)]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            line = next(line for line in text.splitlines() if "listening" in line)
            seconds.append(float(line.split("listening")[1].split()[0]))
    print(f"launch to listening: {spread(seconds, 2)} s")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="just bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("turns", "sensing", "one-view"), default="turns")
    parser.add_argument("--turns", type=counted, default=7)
    parser.add_argument("--clips", type=counted, default=20, help="of `sensing`")
    parser.add_argument("--pack", action="append", help="default: every pack on this machine")
    options = parser.parse_args()
    require_packs(parser, options.pack or ())
    if options.what == "sensing":
        for pack in options.pack or ["micro"]:
            measure_waiting(pack, options.clips)
        return
    if options.what == "one-view":
        for pack in options.pack or ["micro"]:
            try:
                print(one_view_report(load_pack(pack), options.turns).text())
            except Lacks as error:
                parser.error(str(error))
        return
    start_up()
    for pack in options.pack or pack_names():
        measure(pack, options.turns)
    if "ballast" not in pack_names():
        print("pack ballast is not on this machine: make it with ./justw ballast")


if __name__ == "__main__":
    main()
