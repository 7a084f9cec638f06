"""What it costs to cut the eye into pieces, and what streaming its weights saves: processor time, memory and
throughput of encoders with random weights in the sizes of the packs, each measured in a process of its own.

    python -m tests.eval.cost.eye_pieces            all sizes, as tables
    python -m tests.eval.cost.eye_pieces micro      one of them: micro, ballast (float32), ballast-int8

The memory is the growth of the process's resident set after its libraries have been used once. "Work" is what
a resident chain needs while it looks, besides its weights: pictures, activations and values inside a block.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from models.brick import Context, Encode, Frame, Resume
from models.bricks.eye import vision
from models.pack.catalogue import load_pack
from models.process.rss import rss_mib, trim_heap
from tests.models.bricks.chain_graphs import BALLAST, MICRO, ChainShape, write_pack

SIZES = ("micro", "ballast", "ballast-int8")
RATES_MB_S = (20, 100, 400)
"""Read rates: an SD card, a fast one, eMMC."""
BATCHES = (1, 4, 16)
MOST_SHARE = 1.05
"""Processor time of a full pass in pieces, as a share of that of one graph, both with `THREADS`."""
THREADS = 2


def prepare(folder: Path, size: str) -> Path:
    """A pack of this size, with the same encoder as one graph in `whole.onnx`."""
    write_pack(folder, MICRO if size == "micro" else BALLAST)
    if size == "ballast-int8":
        from onnxruntime.quantization import QuantType, quantize_dynamic

        logging.getLogger().setLevel(logging.ERROR)
        for path in sorted(folder.glob("*.onnx")):
            if path.stem not in ("stem", "text"):
                quantize_dynamic(path, path, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"])
    return folder


def _options(folder: Path) -> dict[str, Any]:
    return dict(load_pack(folder, verify=False).bricks["vision"].options)


def _frames(count: int, side: int) -> tuple[Any, ...]:
    random = np.random.default_rng(5)
    return tuple(random.integers(0, 256, (side, side, 3), np.uint8) for _ in range(count))


def _loaded(options: Mapping[str, Any], threads: int) -> Any:
    brick = vision.create(options, Context(threads=threads))
    brick.load()
    return brick


def _alternated(calls: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, tuple[float, float]]:
    """Median processor time and wall time of each call, ms, measured in turn."""
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for turn in range(repeats + 1):
        for name, call in calls.items():
            wall_s, cpu_s = time.monotonic(), time.process_time()
            call()
            if turn:  # the first is warming up
                spent[name].append((time.process_time() - cpu_s, time.monotonic() - wall_s))
    medians = {
        name: [statistics.median(kind) for kind in zip(*each, strict=True)] for name, each in spent.items()
    }
    return {name: (cpu_s * 1e3, wall_s * 1e3) for name, (cpu_s, wall_s) in medians.items()}


def cost(folder: Path, threads: int, repeats: int) -> dict[str, Any]:
    """A full pass as one graph, in pieces, and in pieces with streamed weights; and the largest difference
    between the rows of the first two.
    """
    options = _options(folder)
    chain = {key: value for key, value in options.items() if key != "arena"}
    whole = {key: options[key] for key in ("tokens", "width")} | {"model": str(folder / "whole.onnx")}
    bricks = {
        "one graph": _loaded(whole, threads),
        "pieces": _loaded(chain, threads),
        "streamed": _loaded({**chain, "stream": True}, threads),
    }
    (picture,) = _frames(1, int(options["side_px"]))
    rows = {name: next(brick.execute(Frame(picture))).rows for name, brick in bricks.items()}
    calls = {name: lambda brick=brick: next(brick.execute(Frame(picture))) for name, brick in bricks.items()}
    spent = _alternated(calls, repeats)
    return {
        "cpu_ms": {name: each[0] for name, each in spent.items()},
        "wall_ms": {name: each[1] for name, each in spent.items()},
        "difference": float(max(np.abs(rows[name] - rows["one graph"]).max() for name in rows)),
    }


def batches(folder: Path, threads: int, repeats: int, stream: bool) -> dict[str, Any]:
    """Time per picture of batches through the second group alone, ms."""
    options = {**_options(folder), "stream": stream}
    brick = _loaded(options, threads)
    side, depths = int(options["side_px"]), np.cumsum([0, *options["groups"]])
    first = tuple(brick.execute(Encode(_frames(max(BATCHES), side), int(depths[1]))))
    calls = {
        str(count): lambda count=count: list(brick.execute(Resume(first[:count], int(depths[2]))))
        for count in BATCHES
    }
    spent = _alternated(calls, repeats)
    return {
        count: {"cpu_ms": cpu / int(count), "wall_ms": wall / int(count)}
        for count, (cpu, wall) in spent.items()
    }


def memory(folder: Path, threads: int, way: str, count: int) -> dict[str, float]:
    """Growth of the resident set, MiB: after loading, and its peak over loading and a batch through all
    blocks. way: "one graph", "pieces" or "streamed".
    """
    with tempfile.TemporaryDirectory() as warm:
        write_pack(Path(warm), ChainShape())
        for stream in (False, True):
            brick = _loaded({**_options(Path(warm)), "stream": stream}, threads)
            list(brick.execute(Encode(_frames(2, 32), 4)))
            brick.release()
    options = {**_options(folder), "stream": way == "streamed"}
    if way == "one graph":
        options = {
            "tokens": 1,
            "width": 1,
            "model": str(folder / "whole.onnx"),
            "side_px": options["side_px"],
        }
    frames = _frames(count, int(options["side_px"]))
    trim_heap()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts at the present size
    before_mib = rss_mib("self")
    brick = _loaded(options, threads)
    loaded_mib = rss_mib("self") - before_mib
    if way == "one graph":
        for frame in frames:
            next(brick.execute(Frame(frame)))
    else:
        list(brick.execute(Encode(frames, int(options["depth"]))))
    return {"loaded_mib": loaded_mib, "peak_mib": _peak_mib() - before_mib}


def _peak_mib() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def throughput(folder: Path, threads: int, rate_mb_s: float, count: int) -> dict[str, float]:
    """Seconds of a batch through all blocks with weights that are streamed at that rate, and with all weights
    read at that rate before.
    """
    options = _options(folder)
    frames = _frames(count, int(options["side_px"]))
    request = Encode(frames, int(options["depth"]))
    seconds = {}
    for name, stream in (("streamed_s", True), ("resident_s", False)):
        brick = _loaded({**options, "stream": stream, "stream_mb_s": rate_mb_s}, threads)
        start_s = time.monotonic()
        list(brick.execute(request))
        seconds[name] = time.monotonic() - start_s
        brick.release()
    bytes_read = sum(Path(options[key]).stat().st_size for key in _trunk(options))
    return {**seconds, "read_s": bytes_read / rate_mb_s / 1e6}


def _trunk(options: Mapping[str, Any]) -> list[str]:
    return [key for key in options if key == "stem" or key.startswith("group_")]


def _apart(folder: Path, kind: str, *arguments: Any) -> dict[str, Any]:
    """One measurement in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "tests.eval.cost.eye_pieces",
        "--child",
        kind,
        str(folder),
        json.dumps(arguments),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{kind} failed: {done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


_CHILDREN: Mapping[str, Callable[..., dict[str, Any]]] = {
    "cost": cost, "batches": batches, "memory": memory, "throughput": throughput,
}  # fmt: skip


def measure(size: str, threads: int = THREADS, rates: Sequence[float] = RATES_MB_S) -> dict[str, Any]:
    """Everything about an encoder of one of `SIZES`."""
    repeats = 150 if size == "micro" else 7
    with tempfile.TemporaryDirectory() as scratch:
        folder = prepare(Path(scratch), size)
        options = _options(folder)
        groups_mib = [Path(options[key]).stat().st_size / 2**20 for key in _trunk(options)]
        found: dict[str, Any] = {
            "two_largest_mib": 2 * max(groups_mib), "trunk_mib": sum(groups_mib),
            "cost": {str(count): _apart(folder, "cost", count, repeats) for count in (1, threads)},
            "batches": {
                name: _apart(folder, "batches", threads, max(5, repeats // 4), stream)
                for name, stream in (("resident", False), ("streamed", True))
            },
            "memory": {
                way: {str(count): _apart(folder, "memory", threads, way, count) for count in (1, 16)}
                for way in ("one graph", "pieces", "streamed")
            },
        }  # fmt: skip
        found["throughput"] = {
            str(rate): {str(count): _apart(folder, "throughput", threads, rate, count) for count in (1, 16)}
            for rate in rates
        }
    for count, streamed in found["memory"]["streamed"].items():
        resident = found["memory"]["pieces"][count]
        work_mib = max(0.0, resident["peak_mib"] - resident["loaded_mib"])
        streamed["work_mib"] = work_mib
        streamed["share"] = streamed["peak_mib"] / (found["two_largest_mib"] + work_mib)
    return found


def table(size: str, found: Mapping[str, Any]) -> str:
    """The figures as text."""
    lines = [f"eye in pieces, size '{size}': {found['trunk_mib']:.1f} MiB of weights"]
    for threads, each in found["cost"].items():
        base = each["cpu_ms"]["one graph"]
        parts = [
            f"{name} {cpu:.2f} ms ({cpu / base:.3f}), wall {each['wall_ms'][name]:.2f}"
            for name, cpu in each["cpu_ms"].items()
        ]
        lines.append(f"  full pass, {threads} threads, processor time: {'; '.join(parts)}")
        lines.append(f"    rows differ by {each['difference']:.1e}")
    for name, each in found["batches"].items():
        parts = [f"{count}: {one['cpu_ms']:.3f} ({one['wall_ms']:.3f})" for count, one in each.items()]
        lines.append(f"  one group, {name}, ms per picture by batch, processor (wall): {', '.join(parts)}")
    for way, each in found["memory"].items():
        for count, one in each.items():
            text = f"  memory, {way}, batch {count}: loaded {one['loaded_mib']:.1f} MiB, "
            text += f"peak {one['peak_mib']:.1f}"
            if "share" in one:
                text += (
                    f"; two groups {found['two_largest_mib']:.1f} and work {one['work_mib']:.1f}: "
                    f"{one['share']:.2f} of them"
                )
            lines.append(text)
    for rate, each in found["throughput"].items():
        for count, one in each.items():
            all_first_s = one["read_s"] + one["resident_s"]
            gain = all_first_s / one["streamed_s"]
            lines.append(
                f"  {rate} MB/s, batch {count}: streamed {int(count) / one['streamed_s']:.2f} pictures/s, "
                f"all read first {int(count) / all_first_s:.2f} ({gain:.2f} times), resident "
                f"{int(count) / max(one['resident_s'], 1e-9):.2f}"
            )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Command line; exit 1 where pieces cost more than `MOST_SHARE`."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.eval.cost.eye_pieces", description=__doc__.splitlines()[0]
    )
    parser.add_argument("sizes", nargs="*", metavar="SIZE", choices=[*SIZES, []], help="default: all")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        kind, folder, given = options.child
        print(json.dumps(_CHILDREN[kind](Path(folder), *json.loads(given))))
        return 0
    worst, results = -math.inf, {}
    for size in options.sizes or SIZES:
        results[size] = measure(size)
        spent = results[size]["cost"][str(THREADS)]["cpu_ms"]
        worst = max(worst, spent["pieces"] / spent["one graph"])
        if not options.json:
            print(table(size, results[size]), flush=True)
    if options.json:
        print(json.dumps(results))
    return 0 if worst <= MOST_SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
