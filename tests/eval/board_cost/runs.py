"""What is counted: programs with the model files that they need. The micro pack's own files are run; for what
is too large to lie here, files are made with weights of zeros or chance.

A model's layers are all alike, so one and two of them are counted and the rest follows: the cost is linear in
layers, in rows of the vocabulary and, but for attention, in tokens."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from host.ship.release import ReleaseFile
from host.ship.remote import RemoteError
from host.ship.wheels.wheelhouse import wheelhouse
from models.convert.ballast.decoder import LlmShape
from models.pack.cache import cache_folder
from power.board_cost.board import Board
from power.board_cost.counts import Counts
from tests.eval.board_cost.emulated import CannotCount, count, unpack, wheel
from tests.eval.board_cost.graphs import graph_text, names, side_of
from tests.eval.board_cost.memory_bricks import MEMORY_BRICKS, PHRASE, PICTURE_PX, MemoryBrick

PROMPT_TOKENS = 32
STANDARD_PROMPT_TOKENS = 84
"""Fixed text 5, a picture 64, a question and the end of the template 15: as models/packs/standard has it."""
MICRO_PROMPT_TOKENS = 70
"""A picture 64 and a question of five words."""
MICRO_QUESTION = "can you read the label"
"""The micro pack's self-test."""
UNIT_OF_THE_EYE = (f"stem:{PICTURE_PX}", "deeper:3", "deeper:6")
"""One picture on its way to the two depths at which the motion brick takes it."""
CLIP = (*("unit:3", "unit:6") * 16, "ask:direction:keys")
VIEWS = {
    "1-view": "where are my keys",
    "3-view": "what am i holding",
    "5-view": "what colour is the cross",
}
"""The demo's pictures, with what one asks about them."""
READ = "3-view"
TEXTS = ("A.", "A cup.")
"""Spoken: the cost of a second of sound is the difference of both."""
CHUNKS = 30
"""Of 32 ms that the programs which always listen hear."""
THREADS = "4"
"""Of the language models and the standard recogniser, as on the board: the pieces of a matrix that llama.cpp
gives its threads fit the shared cache together, or do not.
"""
PARTS = ((1, 2048), (2, 2048), (1, 8192))
"""Layers and rows of the vocabulary from which a language model's cost follows."""
PRECISIONS = {"q4_0": (4, 4), "q8_0": (8, 8), "hybrid": (4, 8)}
"""Bits of the layers, and of embedding and output."""
SMOLLM2_360M = LlmShape(width=960, heads=15, kv_heads=5, hidden=2560, context=8192)
SMOLLM2_135M = LlmShape(width=576, heads=9, kv_heads=3, hidden=1536, context=8192)
_MICRO = Path(__file__).parents[3] / "models/packs/micro"
_MODELS = Path(__file__).parents[3] / "models"
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
        "listening": Run(
            "listening.py",
            lambda: _headband("numpy", "pymicro_wakeword", "pymicro_features", "silero_vad"),
            lambda folder: [str(_MODELS), str(CHUNKS)],
        ),
        "micro decoder": _decoder(lambda folder: _MICRO / "decoder.gguf", MICRO_PROMPT_TOKENS),
        "micro stt": _micro("stt", lambda folder: [str(_spoken(folder))], "pywhispercpp"),
        "micro llm": _micro("llm", lambda folder: [MICRO_QUESTION], "llama_cpp_python", "typing_extensions"),
        "micro vision": _micro("vision", lambda folder: [str(PICTURE_PX)] * 2, "onnxruntime", "pillow"),
        "micro vision units": _micro("vision", lambda _: [*UNIT_OF_THE_EYE] * 2, "onnxruntime", "pillow"),
        "micro reflex": _micro("reflex", _about_views, "onnxruntime", "pillow"),
        "micro motion": _micro("motion", lambda folder: [*CLIP], "onnxruntime", "pillow"),
        "micro text": _micro("text", lambda folder: [f"-{PHRASE}", PHRASE], "onnxruntime"),
        "micro tts": _micro("tts", lambda folder: [*TEXTS], "piper_tts", "onnxruntime"),
        **{
            f"standard recogniser {precision}": Run(
                "recogniser.py",
                lambda: _headband("pywhispercpp", "numpy"),
                partial(_standard_recogniser, precision),
            )
            for precision in ("f16", "q8_0")
        },
        "standard voice": Run(
            "brick.py", lambda: _headband("piper_tts", "onnxruntime", "numpy"), _standard_voice
        ),
    }
    for layers, vocab in PARTS:
        for name, (bits, edge_bits) in PRECISIONS.items():
            made[f"standard decoder {name} layers={layers} vocab={vocab}"] = _random_decoder(
                replace(SMOLLM2_360M, layers=layers, vocab=vocab, bits=bits, edge_bits=edge_bits)
            )
        made[f"standard decoder hybrid mapped layers={layers} vocab={vocab}"] = _random_decoder(
            replace(SMOLLM2_360M, layers=layers, vocab=vocab), repack=False
        )
        made[f"fast decoder layers={layers} vocab={vocab}"] = _random_decoder(
            replace(SMOLLM2_135M, layers=layers, vocab=vocab)
        )
        made[f"{_LLAMA} layers={layers} vocab={vocab}"] = _random_decoder(
            LlmShape(layers=layers, vocab=vocab), PROMPT_TOKENS
        )
    made |= {
        name: Run("brick.py", lambda: _headband("onnxruntime", "pillow", "numpy"), partial(_made, brick))
        for name, brick in MEMORY_BRICKS.items()
    }
    made["standard eye block"] = _graph("1.31.1", "2.4.6", _vision_block(1024))
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


def _micro(name: str, requests: Callable[[Path], list[str]], *packages: str) -> Run:
    """A brick of the micro pack as its process runs it, with all that stands around the runtime."""

    def arguments(folder: Path) -> list[str]:
        from models.pack.catalogue import load_pack

        bricks = load_pack(_MICRO).bricks
        eye, spec = bricks["vision"].options, bricks[name]
        picture = [eye["tokens"], eye["width"]]
        return [*_described(folder, spec.module, dict(spec.options), picture), *requests(folder)]

    return Run("brick.py", lambda: _headband(*packages, "numpy"), arguments)


def _about_views(folder: Path) -> list[str]:
    """Writes the demo's views into the folder; for each its question, what is there, and of one what is
    written. The first question is asked once before, as the first way through graphs touches their memory.
    """
    import numpy as np
    from PIL import Image

    from models.brick import Context, Frame
    from models.bricks.eye.vision import create
    from models.pack.catalogue import load_pack

    eye = create(dict(load_pack(_MICRO).bricks["vision"].options), Context())
    eye.load()
    requests = []
    for name, question in VIEWS.items():
        rgb = np.asarray(Image.open(_MODELS.parent / f"host/demo/{name}.png").convert("RGB"))
        (seen,) = eye.execute(Frame(rgb))
        np.save(folder / f"{name}.npy", rgb)
        np.save(folder / f"{name}-rows.npy", seen.rows)
        requests += [f"{name}:{question}", f"find:{name}"]
    return [f"-{requests[0]}", f"-{requests[1]}", *requests, f"read:{READ}"]


def _described(
    folder: Path, module: str, options: dict[str, object], picture: list[int] | None = None
) -> list[str]:
    """The arguments of brick.py before the requests."""
    path = folder / "brick.json"
    told = {"module": module, "options": options, "picture": picture, "views": str(folder)}
    path.write_text(json.dumps(told))
    return [str(_MODELS.parent), str(path)]


def _standard_voice(folder: Path) -> list[str]:
    """Piper's "low" voices have the network of the "medium" ones at 16 kHz."""
    from models.convert.ballast.voice import VoiceShape, write_voice

    path = folder / "voice.onnx"
    write_voice(path, VoiceShape(sample_rate_hz=16_000, frames_per_id=3.6 * 16_000 / 22_050))
    options: dict[str, object] = {"model": str(path), "config": f"{path}.json"}
    return [*_described(folder, "models.bricks.tts", options), *TEXTS]


def _made(brick: Callable[[Path], MemoryBrick], folder: Path) -> list[str]:
    made = brick(folder)
    return [*_described(folder, made.module, made.options), *made.requests]


def _spoken(folder: Path) -> Path:
    """A question in the micro pack's own voice, so that its recogniser ends with the word that ends it."""
    import numpy as np
    import soxr
    from piper import PiperVoice

    voice = PiperVoice.load(_MICRO / "voice.onnx")
    spoken = np.concatenate([chunk.audio_float_array for chunk in voice.synthesize(MICRO_QUESTION)])
    sound = folder / "sound.f32"
    soxr.resample(spoken, voice.config.sample_rate, 16_000).astype(np.float32).tofile(sound)
    return sound


def _standard_recogniser(precision: str, folder: Path) -> list[str]:
    from models.convert.ballast.recogniser import WhisperShape, write_whisper
    from models.convert.recogniser.precision import requantise_whisper

    write_whisper(folder / "f16.bin", WhisperShape(384, 6, 4))
    requantise_whisper(folder / "f16.bin", folder / "model.bin", precision)
    return [str(folder / "model.bin"), str(4 * 16_000), THREADS, "512:1", "128:1", "128:9"]


def _decoder(model: Callable[[Path], Path], prompt: int, *, repack: bool = True) -> Run:
    """repack: weights are put in the processor's order, as the brick does; otherwise the file is mapped."""

    def arguments(folder: Path) -> list[str]:
        library = str(_headband("llama_cpp_python")[0])
        return [str(model(folder)), library, str(prompt), str(int(repack)), THREADS]

    return Run("language_model.py", lambda: _headband("numpy", "typing_extensions"), arguments)


def _random_decoder(shape: LlmShape, prompt: int = STANDARD_PROMPT_TOKENS, *, repack: bool = True) -> Run:
    def write(folder: Path) -> Path:
        from models.convert.ballast.decoder import write_llm

        write_llm(folder / "model.gguf", shape)
        return folder / "model.gguf"

    return _decoder(write, prompt, repack=repack)


@cache
def _wheels() -> dict[str, ReleaseFile]:
    try:
        return dict(wheelhouse(print).wheels)
    except RemoteError as error:
        raise CannotCount(str(error)) from None


def _headband(*packages: str) -> list[Path]:
    """The wheels that a headband gets, unpacked; compiled if that is not in the cache."""
    folders = []
    for package in packages:
        name = next((each for each in _wheels() if each.startswith(f"{package}-")), None)
        if name is None:
            raise CannotCount(f"There is no {package} for aarch64 here; `just wheels` says why.")
        folder = cache_folder() / f"board-cost/{name}"
        folders.append(folder if folder.exists() else unpack(_wheels()[name].path, folder))
    return folders
