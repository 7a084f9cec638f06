"""What the pieces of the eye cost: against one graph, in batches, and when a look goes on later."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from models.brick import Activation, Context, Embedding
from models.bricks.eye import vision
from models.pack.catalogue import Pack
from models.pack.chain import ROWS, STEM, Chain, group_key, is_chain
from models.train.over_runs import over
from tests.eval.eye.held_home import held_out_view, picture_of
from tests.eval.eye.page import Lacks, Table
from tests.eval.eye.pieces import Eye, Rgb, chain_in, loaded

BATCHES = (1, 4, 16)
WHOLE = ("whole.onnx", "vit.onnx")
"""The encoder as one graph, where a pack's folder has it beside the pieces."""


def pictures(number: int, seed: int = 1) -> list[Rgb]:
    """Views of held-out layouts."""
    rng = random.Random(f"eye costs {seed}")
    return [picture_of(held_out_view(rng)[0]) for _ in range(number)]


def joined(pack: Pack, chain: Chain, folder: Path) -> Path:
    """The pieces from stem to rows as one graph in a file of `folder`. Raises Lacks without `onnx`."""
    try:
        import onnx
        from onnx import compose
    except ImportError as error:
        raise Lacks("Joining the pieces into one graph needs the Python package onnx.") from error
    options = pack.bricks["vision"].options
    keys = [STEM, *(group_key(number + 1) for number in range(len(chain.groups))), ROWS]
    whole = None
    for key in keys:
        part = compose.add_prefix(onnx.load(options[key]), f"{key}/")
        if whole is None:
            whole = part
        else:
            ends = [(whole.graph.output[0].name, part.graph.input[0].name)]
            whole = compose.merge_models(whole, part, io_map=ends)
    path = folder / WHOLE[0]
    onnx.save(whole, path)
    return path


def as_one_graph(pack: Pack, model: Path) -> dict[str, object]:
    """Options of the vision brick for one graph in place of the pack's chain."""
    left_out = ("groups", "embedding", "depth", "activation_tokens", "activation_width")
    options = pack.bricks["vision"].options
    kept = {key: value for key, value in options.items() if key not in left_out and not is_chain([key])}
    return {**kept, "model": str(model)}


def processor_s(work: Callable[[], object]) -> float:
    """Seconds of processor time, all threads."""
    start_s = time.process_time()
    work()
    return time.process_time() - start_s


def fewer(frames: int, look_s: float) -> int:
    """So many that a round takes about a second, at least 2."""
    return max(2, min(frames, round(1.0 / max(look_s, 1e-3))))


def looking_s(eye: Eye, seen: Sequence[Rgb]) -> float:
    """Seconds of processor time of whole looks, one after the other."""
    return processor_s(lambda: [eye.look(each) for each in seen])


def resuming_s(eye: Eye, activations: Sequence[Activation]) -> float:
    """The same of looks that go on from activations."""
    return processor_s(lambda: [eye.rows([each]) for each in activations])


def values(image: Embedding) -> np.ndarray:
    """The rows of a look without a ring."""
    assert image.rows is not None
    return np.asarray(image.rows, np.float32)


def report(pack: Pack, rounds: int, frames: int) -> list[Table]:
    """The three tables. Raises Lacks for a pack without a chain."""
    chain = chain_in(pack)
    with tempfile.TemporaryDirectory() as folder:
        beside = [pack.root / name for name in WHOLE if (pack.root / name).is_file()]
        model = beside[0] if beside else joined(pack, chain, Path(folder))
        source = f"{model.name} beside the pack" if beside else "the pieces joined"
        against = _against_whole(pack, model, rounds, frames, source)
    with loaded(pack.bricks["vision"]) as brick, loaded(pack.bricks["vision"], stream=True) as streamed:
        eye = Eye(brick)
        eye.look(pictures(1)[0])
        frames = fewer(frames, looking_s(eye, pictures(1)))
        batches = _batches(eye, Eye(streamed), chain, rounds)
        return [against, batches, _resumed(eye, chain, rounds, frames)]


def _against_whole(pack: Pack, model: Path, rounds: int, frames: int, source: str) -> Table:
    whole = vision.create(as_one_graph(pack, model), Context())
    whole.load()
    try:
        with loaded(pack.bricks["vision"]) as brick:
            pieces, one = Eye(brick), Eye(whole)
            pieces.look(pictures(1)[0])
            seen = pictures(fewer(frames, looking_s(pieces, pictures(1))))
            apart = [np.abs(values(pieces.look(each)) - values(one.look(each))).max() for each in seen]
            scale = max(float(np.abs(values(one.look(each))).max()) for each in seen)
            ratios, ms = [], []
            for number in range(rounds):
                both = [one, pieces] if number % 2 else [pieces, one]
                took = {id(eye): looking_s(eye, seen) for eye in both}
                ratios.append(100 * (took[id(pieces)] / took[id(one)] - 1))
                ms.append(1000 * took[id(pieces)] / len(seen))
    finally:
        whole.release()
    rows = [
        ("largest difference of a row's value", f"{max(apart):.1e} (values up to {scale:.1f})"),
        ("processor time of a whole look in pieces", f"{median(ms):.2f} ms"),
        ("more than as one graph", over(ratios)),
    ]
    return Table("Pieces against one graph", ("what", "figure"), rows, [f"One graph: {source}."])


def _batches(eye: Eye, streamed: Eye, chain: Chain, rounds: int) -> Table:
    """Milliseconds of a frame through one group from the middle of the chain."""
    at = len(chain.groups) // 2
    start, end = chain.depths[at], chain.depths[at + 1]
    blocks = f"block {end}" if end == start + 1 else f"blocks {start + 1} to {end}"
    activations = eye.encode(pictures(max(BATCHES)), start)
    rows = []
    for number in BATCHES:
        cells = []
        for each in (eye, streamed):
            work = partial(each.resume, activations[:number], end)
            work()
            took = [processor_s(work) for _ in range(rounds * 2)]
            cells.append(over([1000 * seconds / number for seconds in took], " ms", 3))
        rows.append((str(number), *cells))
    return Table(
        f"Processor time of a frame through one group ({blocks}), by size of the batch",
        ("frames", "resident", "streamed, from the page cache"),
        rows,
        ["Frames pass one by one, so resident a batch saves nothing but the request; streamed, the group's "
         "weights are read once for the whole batch."],
    )  # fmt: skip


def _resumed(eye: Eye, chain: Chain, rounds: int, frames: int) -> Table:
    seen = pictures(frames)
    depths = sorted(
        {chain.depths[1], *chain.exit_depths[:1], chain.depths[len(chain.depths) // 2], chain.depths[-1]}
    )
    kept = {depth: eye.encode(seen, depth) for depth in depths}
    work = shares_of_work(eye, chain, seen)
    whole_ms: list[float] = []
    saved: dict[int, list[float]] = {depth: [] for depth in depths}
    apart = dict.fromkeys(depths, 0.0)
    looked = [values(eye.look(each)) for each in seen]
    for depth in depths:
        for image, reference in zip(eye.rows(kept[depth]), looked, strict=True):
            apart[depth] = max(apart[depth], float(np.abs(values(image) - reference).max()))
    for _ in range(rounds):
        whole_s = looking_s(eye, seen)
        whole_ms.append(1000 * whole_s / frames)
        for depth in depths:
            took = resuming_s(eye, kept[depth])
            saved[depth].append(100 * (1 - took / whole_s))
    rows = [
        (
            f"after block {depth}",
            f"{100 * depth / chain.depth:.1f} %",
            f"{100 * (work['stem'] + work['blocks'] * depth / chain.depth):.1f} %",
            over(saved[depth]),
            f"{apart[depth]:.1e}",
        )
        for depth in depths
    ]
    return Table(
        "A question about a frame whose activation is kept: eye work saved",
        (
            "kept",
            "blocks skipped",
            "stem and blocks, of the work",
            "processor time saved",
            "largest difference",
        ),
        rows,
        [
            f"A whole look takes {median(whole_ms):.2f} ms; "
            f"{100 * work['stem']:.0f} % of it are the stem and the scaling of the picture, saved as well."
        ],
    )


def shares_of_work(eye: Eye, chain: Chain, seen: Sequence[Rgb]) -> dict[str, float]:
    """Share of a whole look's processor time by stem, blocks and rows."""
    whole_s = looking_s(eye, seen)
    stem_s = processor_s(lambda: [eye.encode([each], 0) for each in seen])
    last = eye.encode(seen, chain.depth)
    rows_s = resuming_s(eye, last)
    return {"stem": stem_s / whole_s, "rows": rows_s / whole_s, "blocks": 1 - (stem_s + rows_s) / whole_s}
