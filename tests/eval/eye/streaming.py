"""The eye with only two pieces' weights in memory: peak memory, and throughput by the rate of reading.

Each figure is of a process of its own, which this module is as well:

    python -m tests.eval.eye.streaming PACK REQUEST
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from models.brick import Context, Encode
from models.pack.catalogue import Pack, load_pack
from models.pack.chain import Chain
from tests.eval.eye.page import Lacks, Table
from tests.eval.eye.pieces import chain_in, create

RATES_MB_S = (20, 100, 400)
BATCHES = (1, 4, 16)
_MIB = 1 << 20
Runs = Mapping[int, Mapping[str, float]]
"""Figures of `in_child` by size of the batch."""
_LONG_S = 4.0
"""No further round after so long."""
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def _memory_mib(field: str) -> float:
    """VmRSS or VmHWM of this process."""
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def in_child(pack: Pack, batch: int, rounds: int, **settings: Any) -> dict[str, float]:
    """Seconds to load and of one batch to full depth (the fastest), and peak memory beyond what the process
    and its libraries need, MiB: while loading and while running. Raises Lacks where the eye does not load.
    """
    request = json.dumps({"batch": batch, "rounds": rounds, "settings": settings})
    command = [sys.executable, "-m", "tests.eval.eye.streaming", str(pack.root), request]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Lacks(f"The eye of pack '{pack.name}' did not run: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _use_runtime_once() -> None:
    """Loads and runs a graph of one product."""
    import onnx
    from onnx import TensorProto, helper

    from models.bricks.ort import CancellableSession

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [64, 64]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "x"], ["y"])], "once", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = CancellableSession(model.SerializeToString(), Context(), named="once")
    session.run(["y"], {"x": np.ones((64, 64), np.float32)})
    onnx.checker.check_model(model)


def _measure(root: str, batch: int, rounds: int, settings: Mapping[str, Any]) -> dict[str, float]:
    pack = load_pack(root, verify=False)
    chain = chain_in(pack)
    side = chain.side_px
    frames = tuple(
        np.random.default_rng(number).integers(0, 256, (side, side, 3), np.uint8) for number in range(batch)
    )
    brick = create(pack.bricks["vision"], **settings)
    _use_runtime_once()  # its libraries are no part of the eye's memory
    before = _memory_mib("VmRSS")
    start_s = time.monotonic()
    brick.load()
    loaded_s, loading = time.monotonic() - start_s, _memory_mib("VmHWM")
    _RESET.write_text("5")
    took: list[float] = []
    while len(took) < rounds and sum(took) < _LONG_S:
        start_s = time.monotonic()
        list(brick.execute(Encode(frames, chain.depth)))
        took.append(time.monotonic() - start_s)
    return {
        "load_s": loaded_s,
        "run_s": min(took),
        "loading_mib": loading - before,
        "running_mib": _memory_mib("VmHWM") - before,
    }


def file_bytes(pack: Pack, chain: Chain) -> dict[str, int]:
    """Size of each piece's file by key; of a file that is several pieces, under the first."""
    found: dict[str, int] = {}
    seen = set()
    for key in chain.keys:
        path = Path(pack.bricks["vision"].options[key])
        if path not in seen:
            found[key] = path.stat().st_size
            seen.add(path)
    return found


def report(
    pack: Pack, rounds: int, rates: tuple[int, ...] = RATES_MB_S, batches: tuple[int, ...] = BATCHES
) -> list[Table]:
    """Throughput and memory. Raises Lacks for a pack without a chain."""
    chain = chain_in(pack)
    if not _STATUS.exists():
        raise Lacks("The memory of a process is measured on Linux only.")
    sizes = file_bytes(pack, chain)
    resident = {batch: in_child(pack, batch, rounds) for batch in batches}
    streamed = {batch: in_child(pack, batch, rounds, stream=True) for batch in batches}
    path = sum(size for key, size in sizes.items() if not key.startswith("exit"))
    return [_memory(chain, sizes, resident, streamed), _speed(pack, rounds, rates, resident, streamed, path)]


def _memory(chain: Chain, sizes: dict[str, int], resident: Runs, streamed: Runs) -> Table:
    two, rows = 2 * max(sizes.values()) / _MIB, []
    for batch in resident:
        held = batch * 4 * (int(np.prod(chain.activation)) + 3 * chain.side_px**2) / _MIB
        bound = 1.2 * (two + held)
        loading = streamed[batch]["loading_mib"]
        peaks = (resident[batch]["running_mib"], streamed[batch]["running_mib"], loading, bound)
        rows.append((str(batch), *(f"{peak:.1f} MiB" for peak in peaks)))
    columns = ("frames", "resident, peak", "streamed, peak", "streamed, while loading", "goal")
    notes = [
        f"All pieces {sum(sizes.values()) / _MIB:.1f} MiB, the largest {max(sizes.values()) / _MIB:.2f} MiB. "
        "The goal: two of these, the activations and pictures, and 20 %.",
        "Beyond the process and libraries that were used once; the graphs without weights are part of every "
        "peak, and of the eye.",
    ]
    return Table("Memory of the eye", columns, rows, notes)


def _speed(
    pack: Pack, rounds: int, rates: tuple[int, ...], resident: Runs, streamed: Runs, path: int
) -> Table:
    rows = []
    for rate in (*rates, 0):
        cells = []
        for batch in resident:
            run = in_child(pack, batch, rounds, stream=True, stream_mb_s=rate) if rate else streamed[batch]
            whole_s = (
                resident[batch]["load_s"] + resident[batch]["run_s"] + (path / rate / 1e6 if rate else 0)
            )
            cells.append(f"{1000 * run['run_s'] / batch:.1f} ms; {1000 * whole_s / batch:.1f} ms")
        rows.append((f"{rate} MB/s" if rate else "as fast as it reads", *cells))
    rows.append(("nothing to read", *(f"{1000 * resident[b]['run_s'] / b:.1f} ms" for b in resident)))
    return Table(
        "Time of a frame to full depth: streamed; everything read first and then run",
        ("reading", *(f"{batch} frames" for batch in resident)),
        rows,
        [f"Read: {path / _MIB:.1f} MiB from stem to rows. The last line: everything stays in memory."],
    )


def main() -> None:
    request = json.loads(sys.argv[2])
    print(json.dumps(_measure(sys.argv[1], request["batch"], request["rounds"], request["settings"])))


if __name__ == "__main__":
    main()
