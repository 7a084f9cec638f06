"""The conversion of an encoder to a chain of graphs, each compared with the original at its depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.convert.checkpoint.folder import ConvertError
from models.convert.converted import run_graph
from models.convert.job import Job, require_rows
from models.convert.numerical_error import PIECE_LIMIT, ROWS_LIMITS, difference, rows_line
from models.convert.vision.chain_plan import ChainPlan
from models.convert.vision.precision import write_fp16, write_int8
from models.convert.vision.siglip import VisionWriter
from models.pack.chain import ROWS, STEM

Arrays = Sequence[NDArray[np.float32]]
EXIT = "exit"


@dataclass
class ChainJob:
    """Writes the pieces of one chain. Raises ConvertError with one sentence.

    The pieces run one after the other, so each one's error includes that of those before it.
    """

    job: Job
    plan: ChainPlan
    _originals: dict[str, NDArray[np.float32]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        original = self.job.original
        if original is None:
            return
        states = [original.states(x) for x in self.job.inputs]
        for piece, depth in zip(self.plan.pieces, (0, *self.plan.depths), strict=False):
            self._originals[piece] = np.concatenate([by_depth[depth] for by_depth in states])
        self._originals[ROWS] = np.concatenate(self.job.rows)
        for depth in self.plan.exits:
            self._originals[_exit(depth)] = np.concatenate([original.pooled(each[depth]) for each in states])

    def float32(self, folder: Path) -> dict[str, Path]:
        """The pieces in float32, by name. Raises ConvertError where one differs from the original."""
        paths = VisionWriter(self.job.checkpoint, self.job.shape).write_chain(self.plan, folder)
        for name, relative in self._compare("fp32", paths).items():
            if relative > PIECE_LIMIT:
                raise ConvertError(
                    f"The float32 graph {name} differs from the original by {relative:.1e}, more than "
                    f"{PIECE_LIMIT:.0e}: this checkpoint isn't converted rightly."
                )
        return paths

    def fewer_bits(self, precision: str, source: Mapping[str, Path], folder: Path) -> dict[str, Path]:
        """The pieces at `precision`. source: those in float32."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = {piece: folder / f"{piece}.onnx" for piece in source}
        if precision == "int8":
            if not self.job.pictures:
                raise ConvertError("int8 is calibrated with pictures: name a folder of them, --calibration.")
            for piece, given in self._inputs(source, self.job.pictures).items():
                write_int8(source[piece], paths[piece], given)
        else:
            for piece in source:
                write_fp16(source[piece], paths[piece])
        relative, limit = self._compare(precision, paths), ROWS_LIMITS[precision]
        require_rows(f"{precision} chain of vision graphs", relative.get(ROWS, 0.0), limit)
        for depth in self.plan.exits:
            require_rows(f"{precision} {_exit(depth)}", relative.get(_exit(depth), 0.0), limit)
        return paths

    def npu(self, precision: str, source: Mapping[str, Path], targets: Mapping[str, Path]) -> None:
        """The pieces for the NPU, int8 or float16, each compared by itself by the toolkit's simulator.

        source: those in float32; targets: paths by piece.
        """
        toolkit = self.job.options.toolkit
        assert toolkit is not None
        given = self._inputs(source, self.job.inputs)
        batches = self._inputs(source, self.job.pictures) if precision == "int8" else {}
        for piece, target in targets.items():
            found = toolkit.build(source[piece], target, given[piece], batches.get(piece, ()))
            if self.job.original is not None:
                exact = run_graph(source[piece], given[piece])
                gap = difference(np.concatenate(list(found)), np.concatenate(exact))
                name = f"vision npu {precision} {piece}"
                self.job.report_line(rows_line(name, target.stat().st_size, gap))
                require_rows(f"{precision} graph {piece} for the NPU", gap.relative, ROWS_LIMITS[precision])

    def _inputs(self, paths: Mapping[str, Path], pixels: Arrays) -> dict[str, Arrays]:
        """What each piece is given for these pictures. The exit gets each picture at one of its depths."""
        given: dict[str, Arrays] = {}
        x = pixels
        at_exit: list[NDArray[np.float32]] = []
        depths = dict(zip(self.plan.pieces[1:], self.plan.depths, strict=False))
        for piece in self.plan.pieces:
            given[piece] = x
            x = run_graph(paths[piece], x)
            if piece in depths and depths[piece] in self.plan.exits:
                order = self.plan.exits.index(depths[piece])
                at_exit += x[order % len(x) :: len(self.plan.exits)]
        if self.plan.exits:
            given[EXIT] = at_exit
        return given

    def _compare(self, precision: str, paths: Mapping[str, Path]) -> dict[str, float]:
        """The relative error of each piece, and a line in the report about it; nothing without original."""
        errors: dict[str, float] = {}

        def report(name: str, piece: str, found: Arrays) -> None:
            gap = difference(np.concatenate([each.reshape(-1, each.shape[-1]) for each in found]),
                             self._originals[name])  # fmt: skip
            size = paths[piece].stat().st_size
            self.job.report_line(rows_line(f"vision {precision} {name}", size, gap))
            errors[name] = gap.relative

        if not self._originals:
            total = sum(path.stat().st_size for path in paths.values()) / 1e6
            name = f"vision {precision}, {len(paths)} graphs"
            self.job.report_line(f"{name:24} {total:9.2f} MB   not compared with the original")
            return {}
        x: Arrays = self.job.inputs
        depths = dict(zip(self.plan.pieces, (0, *self.plan.depths), strict=False))
        for piece in self.plan.pieces:
            x = run_graph(paths[piece], x)
            report(piece, piece, x)
            if piece not in (STEM, ROWS) and depths[piece] in self.plan.exits:
                report(_exit(depths[piece]), EXIT, run_graph(paths[EXIT], x))
        return errors


def _exit(depth: int) -> str:
    """The name of the exit at a depth, in reports."""
    return f"exit at {depth}"
