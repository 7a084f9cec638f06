"""Writes all the files of a new pack that are made from the checkpoint."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from models.convert.chain_job import EXIT, ChainJob
from models.convert.checkpoint.folder import ConvertError
from models.convert.checkpoint.shapes import ModelShape
from models.convert.decoder.precision import DECODER
from models.convert.job import Job
from models.convert.pack_folder import PackParts, vision_settings
from models.convert.text_job import TextJob
from models.convert.vision.chain_plan import ChainPlan
from models.convert.vision.npu import PLATFORM
from models.convert.vision.precision import VISION
from models.pack.chain import EYE, RECALL_EYE
from models.pack.manifest import Manifest
from models.pixels import Preparation

CHAIN_FOLDER = "vision"
TEXT_FILES = {"model": "text.onnx", "words": "text.json"}


def eye_of(shape: ModelShape, wanted: Manifest | None) -> str:
    """The brick of a pack that a checkpoint's encoder is for: one without a decoder, and with words that find
    pictures, is the memory's own eye in a shipped pack that has one.
    """
    finds = shape.decoder is None and shape.text is not None
    return RECALL_EYE if finds and wanted is not None and RECALL_EYE in wanted.bricks else EYE


@dataclass(frozen=True)
class Wishes:
    """What is to be made. name: of the pack; plan: of the chain, None for one graph; wanted: the program's
    own manifest whose missing files these are, None for a new pack; npu: also for the NPU; compare: also
    report the errors of the other precisions.
    """

    name: str
    vision: str
    decoder: str
    plan: ChainPlan | None = None
    wanted: Manifest | None = None
    npu: bool = False
    compare: bool = False


def write_files(job: Job, wishes: Wishes) -> PackParts:
    """Write the files into the job's folder. Raises ConvertError and OSError."""
    eye, graph, decoder = eye_of(job.shape, wishes.wanted), "vision.onnx", "decoder.gguf"
    chain = wishes.plan.files(CHAIN_FOLDER) if wishes.plan else {}
    text = dict(TEXT_FILES)
    if wishes.wanted:
        named = {name: dict(brick.get("files", {})) for name, brick in wishes.wanted.bricks.items()}
        graph, decoder = named[eye].get("model", graph), named.get("llm", {}).get("model", "")
        chain, text = (named[eye] if chain else {}), named.get("text", text)
        check_manifest(job, wishes.wanted)
    if job.shape.decoder is None:
        decoder = ""
    toolkit = job.options.toolkit.version if job.options.toolkit else ""
    with tempfile.TemporaryDirectory(dir=job.folder) as name:
        scratch = Path(name)
        if wishes.plan is None:
            vision, npu = {"model": graph}, _graph(job, wishes, graph, scratch)
            pieces = [job.folder / graph]
        else:
            vision, npu = chain, _chain(job, wishes, wishes.plan, chain, scratch)
            pieces = [job.folder / vision[piece] for piece in wishes.plan.pieces]
        if job.shape.text is None or wishes.plan is None:
            text = {}
        else:
            towers = TextJob(job)
            for path in text.values():
                (job.folder / path).parent.mkdir(parents=True, exist_ok=True)
            towers.tokenizer(job.folder / text["words"])
            towers.write(wishes.vision, job.folder / text["model"], scratch)
        if decoder:
            _decoder(job, wishes, decoder, pieces, scratch)
    return PackParts(vision, decoder, wishes.plan, text, npu, toolkit, wishes.vision == "fp16")


def check_manifest(job: Job, wanted: Manifest) -> None:
    """Raises ConvertError where the shape of the rows, the preparation of pictures or the prompts differ from
    the shipped manifest's.
    """
    told = wanted.bricks[eye_of(job.shape, wanted)].get("settings", {})
    rows = (told.get("tokens"), told.get("width"))
    if rows != (job.shape.tokens, job.shape.projector.width):
        raise ConvertError(
            f"Pack '{wanted.name}' is for rows of {rows[0]} x {rows[1]}, and this checkpoint makes "
            f"{job.shape.tokens} x {job.shape.projector.width}: it isn't the one that the pack names."
        )
    said = vision_settings(Preparation.of(told, job.shape.vision.side))
    read = vision_settings(job.preparation)
    if job.prompts is not None and job.options.stated is not None:
        said |= {**job.options.stated.settings(), "history_tokens": 0}
        read |= {**job.prompts.settings(), "history_tokens": 0}
    for key, value in read.items():
        if said[key] != value:
            raise ConvertError(
                f"Pack '{wanted.name}' has {key} = {said[key]!r} in its pack.toml, and this checkpoint's "
                f"own files say {value!r}."
            )


def _others(job: Job, wishes: Wishes) -> Iterator[str]:
    """The precisions besides float32 that are written: the wish, and with `compare` every one."""
    for precision in VISION[1:]:
        calibrated = precision != "int8" or job.options.calibration is not None
        if precision == wishes.vision or (wishes.compare and calibrated):
            yield precision


def _npu_precisions(job: Job, wishes: Wishes) -> tuple[str, ...]:
    """That of the pack's files for the NPU, and with `compare` the other one."""
    if not wishes.npu:
        return ()
    both = ("int8", "fp16") if wishes.vision == "int8" else ("fp16", "int8")
    return both if wishes.compare and job.options.calibration else both[:1]


def _graph(job: Job, wishes: Wishes, name: str, scratch: Path) -> dict[str, str]:
    """Encoder and projector as one graph; the file for the NPU by key."""
    whole = scratch / "vision-fp32.onnx"
    job.whole_vision(whole)
    npu = f"{Path(name).stem}-{PLATFORM}.rknn"
    for index, precision in enumerate(_npu_precisions(job, wishes)):
        job.npu(precision, whole, scratch / "other.rknn" if index else job.folder / npu)
    for precision in _others(job, wishes):
        job.vision(precision, whole, scratch / f"vision-{precision}.onnx")
    (scratch / f"vision-{wishes.vision}.onnx").replace(job.folder / name)
    return {"model": npu} if wishes.npu else {}


def _chain(
    job: Job, wishes: Wishes, plan: ChainPlan, files: Mapping[str, str], scratch: Path
) -> dict[str, str]:
    """The encoder as a chain of graphs, with these files by key; the files for the NPU by key."""
    chain = ChainJob(job, plan)
    source = chain.float32(scratch / "fp32")
    for path in files.values():
        (job.folder / path).parent.mkdir(parents=True, exist_ok=True)
    npu = {key: f"{path.removesuffix('.onnx')}-{PLATFORM}.rknn" for key, path in files.items()}
    for index, precision in enumerate(_npu_precisions(job, wishes)):
        (scratch / "npu").mkdir(exist_ok=True)
        targets = {
            piece: scratch / "npu" / f"{piece}.rknn" if index else job.folder / path
            for piece, path in _by_piece(npu).items()
        }
        chain.npu(precision, source, targets)
    for precision in _others(job, wishes):
        chain.fewer_bits(precision, source, scratch / precision)
    for piece, path in _by_piece(files).items():
        (scratch / wishes.vision / f"{piece}.onnx").replace(job.folder / path)
    return npu if wishes.npu else {}


def _by_piece(files: Mapping[str, str]) -> dict[str, str]:
    """Paths by key -> paths by graph; the exits are one graph."""
    return {EXIT if key.startswith(f"{EXIT}_") else key: path for key, path in files.items()}


def _decoder(job: Job, wishes: Wishes, name: str, pieces: list[Path], scratch: Path) -> None:
    exact = ("f32",) if job.original else ()
    others = DECODER if wishes.compare else ()
    for precision in dict.fromkeys((*exact, wishes.decoder, *others)):
        path = scratch / f"decoder-{precision}.gguf"
        job.decoder(precision, path, wishes.name, pieces, wishes.vision)
        if precision == wishes.decoder:
            path.replace(job.folder / name)
        else:
            path.unlink()
