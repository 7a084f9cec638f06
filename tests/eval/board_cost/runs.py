"""What is counted: programs with the model files that they need, made here with weights of zeros or chance.

A model's layers are all alike, so one and two of them are counted and the rest follows: the cost is linear in
layers, in rows of the vocabulary and, but for attention, in tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from host.ship.remote import RemoteError
from host.ship.wheels.wheelhouse import wheelhouse
from models.pack.cache import cache_folder
from power.board_cost.board import Board
from power.board_cost.counts import Counts
from tests.eval.board_cost.emulated import CannotCount, count, unpack, wheel
from tests.eval.board_cost.graphs import graph_text, names, side_of

PROMPT_TOKENS = 32
_LLAMA = "llama.cpp"
_NCNN = ("1.0.20230816", "1.0.20240410")
"""Wheels from before the two tables of ncnn that are compared with."""


@dataclass(frozen=True)
class Run:
    """One program with its files."""

    program: str
    """In programs/."""
    packages: Callable[[], list[Path]]
    """Folders for its imports; fetches what is missing."""
    arguments: Callable[[Path], list[str]]
    """Writes its files into a folder; returns its arguments."""


def counted(name: str, folder: Path, board: Board, timeout_s: float) -> list[Counts]:
    """Counts a run of `runs()`, with the board's caches. Raises `CannotCount`."""
    run = runs()[name]
    caches = {"l1": board.level1, "ll": board.shared}
    return count(run.program, run.arguments(folder), run.packages(), caches, timeout_s)


def runs() -> dict[str, Run]:
    """All runs by name, the short ones first."""
    made = {
        f"{_LLAMA} layers={layers} vocab={vocab}": _language_model(layers, vocab)
        for layers, vocab in ((1, 2048), (2, 2048), (1, 8192))
    }
    made["onnxruntime-1.17.1 sanm_layers"] = _graph("1.17.1", "1.26.4", _speech_layers)
    for tokens in (36, 144):
        made[f"onnxruntime-1.32.0 vit_block tokens={tokens}"] = _graph(
            "1.32.0", "2.4.6", _vision_block(tokens)
        )
    made |= {f"ncnn-{version} {name}": _network(version, name) for name in names() for version in _NCNN}
    return made


def _network(version: str, name: str) -> Run:
    def arguments(folder: Path) -> list[str]:
        path = folder / f"{name}.param"
        path.write_text(graph_text(name))
        return [str(path), str(side_of(name))]

    return Run("network.py", lambda: [wheel(f"ncnn=={version}")], arguments)


def _graph(version: str, numpy: str, write: Callable[[Path], None]) -> Run:
    def arguments(folder: Path) -> list[str]:
        path = folder / "graph.onnx"
        write(path)
        return [str(path)]

    return Run(
        "onnx_graph.py", lambda: [wheel(f"onnxruntime=={version}"), wheel(f"numpy=={numpy}")], arguments
    )


def _speech_layers(path: Path) -> None:
    from tests.eval.board_cost.speech_layers import write_speech_layers

    write_speech_layers(path, rows=97, layers=2)


def _vision_block(tokens: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        from models.convert.ballast.vit import VitShape, write_int8, write_piece_fp32

        shape = VitShape(side=round(tokens**0.5) * 16, groups=(1,) * 12)
        write_int8(path, lambda full: write_piece_fp32(full, shape, shape.pieces[1]))

    return write


def _language_model(layers: int, vocab: int) -> Run:
    def arguments(folder: Path) -> list[str]:
        from models.convert.ballast.decoder import LlmShape, write_llm

        path = folder / "model.gguf"
        write_llm(path, LlmShape(layers=layers, vocab=vocab))
        return [str(path), str(_llama()), str(PROMPT_TOKENS), "1"]

    return Run(
        "language_model.py", lambda: [wheel("numpy==2.4.6"), wheel("typing_extensions==4.16.0")], arguments
    )


def _llama() -> Path:
    """Our cross-compiled llama.cpp, unpacked; compiled if it is not in the cache."""
    try:
        built = wheelhouse(print).wheels
    except RemoteError as error:
        raise CannotCount(str(error)) from None
    name = next((each for each in built if each.startswith("llama_cpp_python") and "aarch64" in each), None)
    if name is None:
        raise CannotCount("There is no cross-compiled llama.cpp for aarch64 here; `just wheels` says why.")
    folder = cache_folder() / f"board-cost/{name}"
    return folder if folder.exists() else unpack(built[name].path, folder)
