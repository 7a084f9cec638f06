"""Converts a vision-language checkpoint to a pack: `just convert CHECKPOINT OUT`."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import NoReturn

from models.convert.checkpoint.folder import Checkpoint, ConvertError
from models.convert.checkpoint.shapes import model_shape
from models.convert.checkpoint.vocabulary import read_vocabulary
from models.convert.decoder.precision import DECODER
from models.convert.job import ConversionOptions, Job
from models.convert.pack_files import Wishes, check_manifest, eye_of, write_files
from models.convert.pack_folder import OTHER_BRICKS, PackParts, write_pack
from models.convert.prompt import Prompts
from models.convert.text.tokenizer import read_tokenizer
from models.convert.vision.chain_plan import ChainPlan, parse_plan
from models.convert.vision.npu import find_toolkit
from models.convert.vision.precision import VISION
from models.pack.catalogue import PACKS_FOLDER, find_pack, missing_files
from models.pack.chain import chain_of
from models.pack.manifest import Manifest, PackError, read_manifest
from models.pack.new_folder import replacing_folder

DEFAULT_PRECISION = "fp16,hybrid"
DEFAULT_GROUPS = "2"
_EXPLAINED = """\
CHECKPOINT is a folder in Hugging Face's layout (config.json, *.safetensors, tokenizer.json): LLaVA-OneVision
with a Qwen2 decoder, SmolVLM or Idefics3 with a Llama one, or SigLIP or SigLIP 2, which find pictures by
words and have no decoder. The encoder becomes a chain of graphs (stem, groups of layers, exits, rows), and
SigLIP's text encoder one more. Each file is compared with the original, run by PyTorch, on random inputs, and
the error is printed; beyond a limit there is no pack. How pictures are prepared, and the prompts, are read
from the checkpoint's own files (preprocessor_config.json, the chat template).

SigLIP has one trained exit, its head after the last layer. At the other depths the same head is applied to
what is there: those exits are untrained, and the pack lists them as such.

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
        help="of the pack (default: OUT's); fast, paper or standard: the files that pack lacks",
    )
    add("--calibration", type=Path, metavar="FOLDER", help="pictures that int8 is calibrated with")
    add("--pictures", type=int, default=32, metavar="N", help="use no more than N of them (default 32)")
    add(
        "--groups", default="", metavar="N[,N...]",
        help=f"layers in each graph of the chain (default {DEFAULT_GROUPS})",
    )  # fmt: skip
    add(
        "--exits", default="", metavar="DEPTH[,...]",
        help="layers after which a picture can be found by words (default: after every group)",
    )  # fmt: skip
    add("--whole", action="store_true", help="the encoder as one graph instead, without exits or text")
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
    if options.pictures < 1:
        raise ConvertError("--pictures: at least one is needed.")
    if vision_precision == "int8" and not options.calibration:
        raise ConvertError("int8 is calibrated with pictures: name a folder of them, --calibration FOLDER.")
    shipped = PACKS_FOLDER / name / "pack.toml"
    wanted = read_manifest(shipped.parent) if shipped.is_file() else None
    others = read_manifest(find_pack(options.others))
    if missing_files(others) and not wanted:
        raise ConvertError(f"Pack '{options.others}' isn't here, whose recogniser and voice go in.")
    if not wanted and (lacking := [brick for brick in OTHER_BRICKS if brick not in others.bricks]):
        raise ConvertError(
            f"Pack '{others.name}' has no brick {lacking[0]!r}; name one that has, --others PACK."
        )
    licence = options.licence or checkpoint.licence() or "no licence stated"
    if not licence.isprintable():
        raise ConvertError(
            f"The licence {licence!r} has characters that can't be shown; name it in one line."
        )
    if wanted and not any(file.made_from for file in wanted.files):
        raise ConvertError(f"'{name}' is a pack that ships with the program; give this one another --name.")
    decoder = wanted.bricks.get("llm") if wanted else None
    stated = Prompts.of(decoder.get("settings", {})) if decoder else None
    conversion_options = ConversionOptions(options.calibration, options.pictures, toolkit, compared, stated)
    _check_disk_space(checkpoint, out)
    plan = _plan(options, checkpoint, wanted)
    if options.dry_run:
        _check_config(Job(checkpoint, out, conversion_options), wanted)
        print(f"{checkpoint.root} can be converted to {out}.")
        return
    wishes = Wishes(name, vision_precision, decoder_precision, plan, wanted, options.rknn, options.compare)
    out.parent.mkdir(parents=True, exist_ok=True)
    with replacing_folder(out) as folder:
        job = Job(checkpoint, folder, conversion_options)
        parts = write_files(job, wishes)
        if wanted or not (parts.decoder or (plan and plan.exits)):
            next_step = f"headband models import {out}" if wanted else "an encoder alone is no pack"
        else:
            write_pack(
                folder, job.shape, parts, name=name, preparation=job.preparation, prompts=job.prompts,
                others=others,
                description=_described(job, parts, wishes, checkpoint.root.resolve().name),
                licence=licence,
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


def _plan(options: argparse.Namespace, checkpoint: Checkpoint, wanted: Manifest | None) -> ChainPlan | None:
    """How the encoder is cut; None for one graph, which a shipped manifest may want."""
    told = options.groups or options.exits
    shape = model_shape(checkpoint.config)
    brick = wanted.bricks[eye_of(shape, wanted)] if wanted else {}
    one = "model" in brick.get("files", {})
    if told and (options.whole or wanted):
        why = "--whole" if options.whole else f"pack '{wanted.name if wanted else ''}', which says how"
        raise ConvertError(f"--groups and --exits don't go with {why}.")
    if options.whole or one:
        return None
    groups, exits = options.groups or DEFAULT_GROUPS, options.exits
    if wanted:
        chain = chain_of({**brick.get("settings", {}), **brick.get("files", {})})
        assert chain is not None
        groups, exits = (",".join(map(str, numbers)) for numbers in (chain.groups, chain.exit_depths))
    return parse_plan(groups, exits, shape.vision.layers, head=shape.vision.head)


def _described(job: Job, parts: PackParts, wishes: Wishes, source: str) -> str:
    """The pack's description, one line."""
    source = "".join(char if char.isprintable() else "?" for char in source)
    text = f"{job.shape.kind} from {source}, {wishes.vision}"
    if parts.decoder:
        return f"{text} and {wishes.decoder}"
    return f"{text}; finds pictures{' by words' * bool(parts.text)}, has no decoder to answer with"


def _check_config(job: Job, wanted: Manifest | None) -> None:
    """Checks that need no weights: of the tokenizer and the shape of the rows."""
    if job.shape.decoder is not None:
        read_vocabulary(job.checkpoint.root, job.shape.decoder.vocab)
    if job.shape.text is not None:
        read_tokenizer(job.checkpoint.root)
    if wanted:
        check_manifest(job, wanted)


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


if __name__ == "__main__":
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    sys.exit(main())
