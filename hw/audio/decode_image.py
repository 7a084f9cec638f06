"""Decode one picture into small RGB, as a program.

The decoder takes megabytes of memory and a large picture hundreds of them, so
`hw.audio.sound_and_picture_files` runs this file as a separate program, and its memory returns to the system
when it ends: `python decode_image.py PATH MAX_SIDE` writes `width height` and a newline, then raw RGB, to
standard output; on a bad file it writes one sentence to standard error and exits with 2.

`python decode_image.py --frames IDLE_S` decodes one picture after the other for `hw.linux.jpeg_decoder`:
`ASKED` and a picture's bytes on standard input, `TOLD` and raw RGB on standard output; of a bad picture it
tells width and height 0. It ends with its input, or after so many seconds without a picture.
"""

from __future__ import annotations

import io
import os
import select
import struct
import sys
import warnings
from typing import BinaryIO

from PIL import Image, ImageOps, UnidentifiedImageError

MAX_PIXELS = 50_000_000
ASKED = struct.Struct("<II")
"""Bytes of the picture; the longest side that is wanted."""
TOLD = struct.Struct("<II")
"""Width and height."""


class BadImage(Exception):
    """Not a picture that can be decoded; the text completes the sentence "FILE ..."."""


def opened(path: str | BinaryIO) -> Image.Image:
    """The picture with only its header read. Raises `BadImage` for a file that is not a picture or has more
    than `MAX_PIXELS`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            picture = Image.open(path)
        except Image.DecompressionBombError:
            raise BadImage("has far too many pixels; the limit is 50 megapixels") from None
        except UnidentifiedImageError:
            raise BadImage("is not an image that can be read") from None
        except (OSError, ValueError, SyntaxError, EOFError) as error:
            raise BadImage(f"cannot be read as an image ({_short(error)})") from None
    width, height = picture.size
    if width * height > MAX_PIXELS:
        picture.close()
        raise BadImage(f"has {width}x{height} pixels; the limit is 50 megapixels")
    return picture


def decoded(picture: Image.Image, max_side_px: int) -> Image.Image:
    """The picture upright (EXIF orientation, where that can be read), in RGB, no side above `max_side_px`.
    Raises `BadImage`.
    """
    try:
        picture.draft("RGB", (max_side_px, max_side_px))  # JPEG only: decode at a fraction of the size
        picture.load()
        if (
            picture.mode.startswith("I;16") or picture.mode == "I"
        ):  # 16-bit grey: `convert` would clip, not scale
            picture = picture.convert("I").point(lambda value: value / 256).convert("L")
        if picture.mode in ("1", "P"):  # Pillow makes these smaller by leaving out lines
            opaque = "L" if picture.mode == "1" else "RGB"
            picture = picture.convert("RGBA" if picture.has_transparency_data else opaque)
        picture.thumbnail((max_side_px, max_side_px), Image.Resampling.BOX, reducing_gap=2.0)
        picture = _upright(picture)
        if picture.has_transparency_data:
            clear = picture.convert("RGBA")
            paper = Image.new("RGBA", clear.size, "white")
            return Image.alpha_composite(paper, clear).convert("RGB")
        return picture.convert("RGB")
    except (OSError, ValueError, SyntaxError, EOFError, IndexError) as error:
        raise BadImage(f"is damaged or cut short ({_short(error)})") from None


def _upright(picture: Image.Image) -> Image.Image:
    try:
        return ImageOps.exif_transpose(picture)
    except Exception:  # Pillow raises anything at a damaged header, which says nothing of the picture
        return picture


def _short(error: Exception) -> str:
    return str(error).split("\n")[0].rstrip(".")[:80] or type(error).__name__


def frames(idle_s: float) -> None:
    """Decode what standard input asks for; see the module's docstring."""
    asking, telling = sys.stdin.buffer, sys.stdout.buffer
    while select.select([asking], [], [], idle_s)[0]:
        head = _whole(asking, ASKED.size)
        if head is None:
            return
        size, max_side_px = ASKED.unpack(head)
        data = _whole(asking, size)
        if data is None:
            return
        try:
            with opened(io.BytesIO(data)) as picture:
                small = decoded(picture, max_side_px)
            telling.write(TOLD.pack(small.width, small.height) + small.tobytes())
        except BadImage:
            telling.write(TOLD.pack(0, 0))
        telling.flush()


def _whole(file: BinaryIO, size: int) -> bytes | None:
    """So many bytes; None where the input ends before. Nothing is read ahead, so that what waits is seen."""
    parts = []
    while size:
        part = os.read(file.fileno(), size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def main(arguments: list[str]) -> int:
    """Run as a program; see the module's docstring."""
    if arguments[0] == "--frames":
        frames(float(arguments[1]))
        return 0
    path, max_side = arguments
    try:
        with opened(path) as picture:
            small = decoded(picture, int(max_side))
    except BadImage as problem:
        print(problem, file=sys.stderr)
        return 2
    sys.stdout.buffer.write(f"{small.width} {small.height}\n".encode() + small.tobytes())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
