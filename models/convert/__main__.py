"""Converts a vision-language checkpoint to a pack: `just convert CHECKPOINT OUT`."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from models.convert.checkpoint.folder import Checkpoint, ConvertError
from models.convert.checkpoint.vocabulary import read_vocabulary
from models.convert.decoder.precision import DECODER
from models.convert.job import ConversionOptions, Job
from models.convert.pack_folder import PackParts, write_pack
from models.convert.vision.npu import PLATFORM, find_toolkit
from models.convert.vision.precision import VISION
from models.pack.catalogue import PACKS_FOLDER, find_pack, missing_files
from models.pack.manifest import Manifest, PackError, read_manifest

DEFAULT_PRECISION = "fp16,hybrid"
_EXPLAINED = """\
CHECKPOINT is a folder in Hugging Face's layout (config.json, *.safetensors, tokenizer.json): LLaVA-OneVision
with a Qwen2 decoder, or SmolVLM or Idefics3 with a Llama one; of a SigLIP encoder alone only the graphs are
made. Each file is compared with the original, run by PyTorch, on random inputs, and the error is printed.

One picture is one square without tiles: LLaVA-OneVision's base tile (730 rows at 384 pixels), the global one
of SmolVLM (64 rows). Bring the pack in with `headband models import OUT`.
"""


def main(arguments: list[str] | None = None) -> int:
    """Command line; exit 2 with one sentence for bad input, 1 for a fault of the disk or of a tool.
    Incomplete output is removed, also after a signal.
    """
    options = _parser().parse_args(arguments)
    try:
        convert(options)
    except (ConvertError, PackError) as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or options.out}: {error.strerror or error}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """A usage error in one sentence, without the usage text."""
        if "required" in message:
            message = "give a checkpoint's folder, and the one that its pack goes to: CHECKPOINT OUT"
        self.exit(2, f"{message[0].upper()}{message[1:]}; see {self.prog} --help.\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="just convert", description=__doc__.splitlines()[0], epilog=_EXPLAINED, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add = parser.add_argument
    add("checkpoint", type=Path, metavar="CHECKPOINT", help="folder of the checkpoint")
    add("out", type=Path, metavar="OUT", help="folder of the pack; it must not be there yet")
    precisions = f"one of {', '.join(VISION)}, and one of {', '.join(DECODER)}"
    add(
        "--precision", default=DEFAULT_PRECISION, metavar="VISION,DECODER",
        help=f"{precisions} (default {DEFAULT_PRECISION}; hybrid: 4 bits, embedding and output 8)",
    )  # fmt: skip
    add(
        "--name",
        default="",
        help="of the pack (default: OUT's); paper or standard: the files that pack lacks",
    )
    add("--calibration", type=Path, metavar="FOLDER", help="pictures that int8 is calibrated with")
    add("--pictures", type=int, default=32, metavar="N", help="use no more than N of them (default 32)")
    add("--layers", action="store_true", help="also the encoder layer by layer")
    add(
        "--rknn",
        action="store_true",
        help="also for the RK3566's NPU, int8 or fp16; needs rknn-toolkit2",
    )
    add("--compare", action="store_true", help="also print the error of every other precision")
    add(
        "--others",
        default="micro",
        metavar="PACK",
        help="pack whose recogniser and voice go in (default micro)",
    )
    add("--licence", default="", help="of the weights (default: what the checkpoint's README.md says)")
    add("--unchecked", action="store_true", help="without PyTorch: nothing is compared with the original")
    add(
        "--dry-run",
        action="store_true",
        help="only say whether it can be done, which needs no PyTorch either",
    )
    return parser


def convert(options: argparse.Namespace) -> None:
    """Converts the checkpoint. Raises ConvertError or PackError with one sentence, and OSError."""
    vision_precision, decoder_precision = _precisions(options.precision)
    out = options.out.expanduser().resolve()
    if out.exists():
        raise ConvertError(f"{out} is there already; name another folder or remove it.")
    name = options.name or out.name
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise ConvertError(f"A pack can't be called {name!r}; give it another with --name.")
    checkpoint = Checkpoint(options.checkpoint.expanduser())
    toolkit = find_toolkit() if options.rknn else None
    compared = not (options.unchecked or options.dry_run)
    conversion_options = ConversionOptions(options.calibration, options.pictures, toolkit, compared)
    if options.pictures < 1:
        raise ConvertError("--pictures: at least one is needed.")
    if vision_precision == "int8" and not options.calibration:
        raise ConvertError("int8 is calibrated with pictures: name a folder of them, --calibration FOLDER.")
    shipped = PACKS_FOLDER / name / "pack.toml"
    wanted = read_manifest(shipped.parent) if shipped.is_file() else None
    others = read_manifest(find_pack(options.others))
    if missing_files(others) and not wanted:
        raise ConvertError(f"Pack '{options.others}' isn't here, whose recogniser and voice go in.")
    if wanted and not any(file.made_from for file in wanted.files):
        raise ConvertError(f"'{name}' is a pack that ships with the program; give this one another --name.")
    _check_disk_space(checkpoint, out)
    if options.dry_run:
        _check_config(Job(checkpoint, out, conversion_options), wanted)
        print(f"{checkpoint.root} can be converted to {out}.")
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    with _replacing_folder(out) as folder:
        job = Job(checkpoint, folder, conversion_options)
        parts = _files(job, vision_precision, decoder_precision, name, wanted, options)
        if wanted or job.shape.decoder is None:
            next_step = f"headband models import {out}" if wanted else "an encoder alone is no pack"
        else:
            write_pack(
                folder, job.shape, parts, name=name, scaling=job.scaling, others=others,
                description=f"{job.shape.kind} from {checkpoint.root.name}, "
                f"{vision_precision} and {decoder_precision}",
                licence=options.licence or checkpoint.licence() or "no licence stated",
            )  # fmt: skip
            next_step = f"headband models import {out}"
    print(f"{out}: {sum(f.stat().st_size for f in out.rglob('*') if f.is_file()) / 1e6:.1f} MB; {next_step}")


def _precisions(text: str) -> tuple[str, str]:
    wanted = [part.strip().lower() for part in text.split(",")]
    vision_precisions, decoder_precisions = (
        [part for part in wanted if part in known] for known in (VISION, DECODER)
    )
    if (
        len(vision_precisions) > 1
        or len(decoder_precisions) > 1
        or len(vision_precisions) + len(decoder_precisions) != len(wanted)
    ):
        raise ConvertError(
            f"--precision {text} isn't one of {', '.join(VISION)} and one of {', '.join(DECODER)}."
        )
    usual = DEFAULT_PRECISION.split(",")
    return (vision_precisions or usual[:1])[0], (decoder_precisions or usual[1:])[0]


def _files(
    job: Job,
    vision_precision: str,
    decoder_precision: str,
    name: str,
    wanted: Manifest | None,
    options: argparse.Namespace,
) -> PackParts:
    """Write all requested files into the job's folder."""
    vision, decoder = "vision.onnx", "decoder.gguf"
    if wanted:
        made = [file.path for file in wanted.files if file.made_from]
        vision, decoder = (
            next((path for path in made if path.endswith(end)), "") for end in (".onnx", ".gguf")
        )
        _check_rows(job, wanted)
    with tempfile.TemporaryDirectory(dir=job.folder) as scratch:
        whole = Path(scratch) / "vision-fp32.onnx"
        job.whole_vision(whole)
        further = (
            [str(p.relative_to(job.folder)) for p in job.pieces(job.folder / "layers")]
            if options.layers
            else []
        )
        npu = ""
        if options.rknn:
            npu = f"{Path(vision).stem}-{PLATFORM}.rknn"
            job.npu("int8" if vision_precision == "int8" else "fp16", whole, job.folder / npu)
            if options.compare and options.calibration:
                job.npu("fp16" if vision_precision == "int8" else "int8", whole, Path(scratch) / "other.rknn")
        for precision in VISION[1:]:
            if precision == vision_precision or (
                options.compare and (precision != "int8" or options.calibration)
            ):
                job.vision(precision, whole, Path(scratch) / f"vision-{precision}.onnx")
        chosen = Path(scratch) / f"vision-{vision_precision}.onnx"
        if job.shape.decoder is not None and decoder:
            for precision in [
                decoder_precision,
                *(p for p in DECODER if options.compare and p != decoder_precision),
            ]:
                path = Path(scratch) / f"decoder-{precision}.gguf"
                job.decoder(precision, path, name, chosen)
                if precision != decoder_precision:
                    path.unlink()
            (Path(scratch) / f"decoder-{decoder_precision}.gguf").replace(job.folder / decoder)
        chosen.replace(job.folder / vision)
    return PackParts(
        vision, decoder, npu, job.options.toolkit.version if job.options.toolkit else "", further
    )


def _check_rows(job: Job, wanted: Manifest) -> None:
    """Raises ConvertError where the shape of the rows differs from the shipped manifest's."""
    told = wanted.bricks["vision"].get("settings", {})
    rows = (told.get("tokens"), told.get("width"))
    if rows != (job.shape.tokens, job.shape.projector.width):
        raise ConvertError(
            f"Pack '{wanted.name}' is for rows of {rows[0]} x {rows[1]}, and this checkpoint makes "
            f"{job.shape.tokens} x {job.shape.projector.width}: it isn't the one that the pack names."
        )


def _check_config(job: Job, wanted: Manifest | None) -> None:
    """Checks that need no weights: of the tokenizer and the shape of the rows."""
    if job.shape.decoder is not None:
        read_vocabulary(job.checkpoint.root, job.shape.decoder.vocab)
    if wanted:
        _check_rows(job, wanted)


def _check_disk_space(checkpoint: Checkpoint, out: Path) -> None:
    """Raises ConvertError without disk space for twice the checkpoint in float32."""
    folder = next(parent for parent in out.parents if parent.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise ConvertError(f"{out} can't be made: {folder} is no folder that can be written to.")
    needed = 2 * checkpoint.float32_bytes() + (64 << 20)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ConvertError(
            f"{folder} has {free / 1e6:.0f} MB free, and the conversion needs {needed / 1e6:.0f} MB."
        )


@contextlib.contextmanager
def _replacing_folder(out: Path) -> Iterator[Path]:
    """A folder beside `out` that is renamed to `out` on success and removed otherwise."""
    folder = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        yield folder
        folder.chmod(0o755)
        folder.rename(out)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


if __name__ == "__main__":
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    sys.exit(main())
