"""Sounds and pictures from files: `read_wav` and `read_image`, each refusing a bad file with one clear
sentence.
"""

from __future__ import annotations

import os
import select
import signal
import stat
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import numpy as np

from hw.device import MICROPHONE_RATE_HZ, Image, Pcm

MAX_WAV_S = 120.0
MAX_PIPE_BYTES = 128 << 20
"""Limit for input from a pipe: two minutes of 96 kHz stereo in 32 bits are 92 MB."""
NOBODY_S = 10.0
"""How long a named pipe waits for somebody to write into it."""
MAX_SIDE_PX = 1280
"""Longest side of a picture after decoding, pixels: about what the headband's camera delivers."""
_DECODER = Path(__file__).with_name("decode_image.py")
_INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_BODY_BYTES = 40
"""The longest chunk that says how the sound is stored."""
_UNKNOWN_FROM = 0x7FFF_F000
"""From this size on a header does not say how long the sound is: programs that stream into a pipe write such
sizes, sox this one, arecord 0x8000_0000, ffmpeg 0xFFFF_FFFF.
"""


class MediaError(Exception):
    """The file cannot be used; the text is one clear sentence naming it."""


@dataclass(frozen=True)
class _WavHeader:
    format_tag: int
    channels: int
    rate_hz: int
    bits: int
    data_offset: int
    data_bytes: int
    """Bytes of sound that the file contains."""
    promised_bytes: int
    """Bytes of sound that the header announces."""
    byte_rate: int
    frame_bytes: int
    incomplete: bool
    """Whether it announces nothing although there is sound: its program ended before it could."""

    @property
    def seconds(self) -> float:
        return self.promised_bytes / self.byte_rate


def read_wav(path: str | Path) -> Pcm:
    """The file's sound as int16 `[samples]`, mono, at `MICROPHONE_RATE_HZ`, converted from any rate, width
    and channel count.

    Raises `MediaError` for a file that is missing, empty, not a WAV, damaged, without samples, or longer than
    `MAX_WAV_S`.
    """
    with _whole(path, "sound") as (name, source, _):
        return _read_wav(name, source)


def _read_wav(path: Path, source: Path) -> Pcm:
    """`path` names the file in error messages; its bytes are read from `source`."""
    try:
        with source.open("rb") as file:
            header = _wav_header(path, file)
            if header.seconds > MAX_WAV_S:
                raise _too_long(path, header.seconds)
            if header.data_bytes < header.promised_bytes:
                have_s = header.data_bytes / header.byte_rate
                promise = f"it promises {header.seconds:.2f} s of sound and has {have_s:.2f} s"
                raise MediaError(f"{path} is cut short: {promise}.")
            if (header.format_tag, header.channels, header.bits, header.rate_hz) == (
                _PCM,
                1,
                16,
                MICROPHONE_RATE_HZ,
            ):
                file.seek(header.data_offset)
                pcm = np.frombuffer(file.read(header.data_bytes // 2 * 2), dtype="<i2").astype(np.int16)
            else:
                pcm = _converted(path, source, header)
    except OSError as error:
        raise MediaError(f"{path} cannot be read: {error.strerror or error}.") from None
    if pcm.size == 0:
        raise MediaError(f"{path} holds no sound: its length is zero.")
    return pcm


@contextmanager
def _whole(path: str | Path, what: str) -> Iterator[tuple[Path, Path, tuple[int, ...]]]:
    """Yields the name for error messages, the path to read, and the file descriptors that this path needs. A
    pipe is copied into memory, because it can be read only once; "-" is standard input. Raises `MediaError`.
    """
    if str(path) == "-":
        if os.isatty(0):
            raise MediaError(f"Standard input is a terminal: send a {what} file into it, or name one.")
        path = "/dev/stdin"
    path = _existing(path, what)
    if path.is_file():
        yield path, path, ()
        return
    with open(os.memfd_create(what), "w+b", buffering=0) as memory:
        try:
            with _opened(path) as pipe:
                while block := pipe.read(1 << 20):
                    memory.write(block)
                    if memory.tell() > MAX_PIPE_BYTES:
                        most = f"{MAX_PIPE_BYTES >> 20} MiB, the most that is read from a pipe"
                        raise MediaError(f"{path} has more than {most}.")
        except OSError as error:
            raise MediaError(f"{path} cannot be read: {error.strerror or error}.") from None
        if memory.tell() == 0:
            raise MediaError(f"{path} is empty.")
        yield path, Path(f"/proc/self/fd/{memory.fileno()}"), (memory.fileno(),)


def _opened(path: Path) -> BinaryIO:
    """A pipe or a device, opened to be read. Raises `MediaError` for a pipe into which nobody writes, and
    `OSError`.
    """
    file = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0)  # noqa: SIM115 - the caller's
    try:
        waits = select.poll()
        waits.register(file, select.POLLIN)
        if stat.S_ISFIFO(os.fstat(file.fileno()).st_mode) and not waits.poll(NOBODY_S * 1000):
            with suppress(BlockingIOError):  # somebody has it open, and has written nothing yet
                os.read(file.fileno(), 1)  # the end: nobody has
                raise MediaError(f"Nobody has written into the pipe {path} within {NOBODY_S:.0f} seconds.")
        os.set_blocking(file.fileno(), True)
    except BaseException:
        file.close()
        raise
    return file


def _existing(path: str | Path, what: str) -> Path:
    path = Path(path)
    try:
        if path.is_dir():
            raise MediaError(f"{path} is a folder, not a {what} file.")
        path.stat()
        if path.is_file():  # a pipe or device may be readable only once
            if path.stat().st_size == 0:
                raise MediaError(f"{path} is empty.")
            path.open("rb").close()
    except (FileNotFoundError, NotADirectoryError):
        raise MediaError(f"{path} does not exist.") from None
    except OSError as error:
        raise MediaError(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise MediaError(f"{str(path)!r} cannot be read: {error}.") from None
    return path


def _too_long(path: Path, seconds: float) -> MediaError:
    return MediaError(f"{path} is {_length(seconds)} long; the limit is {MAX_WAV_S:.0f} seconds.")


def _length(seconds: float) -> str:
    if seconds < 600:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes"


def _wav_header(path: Path, file: BinaryIO) -> _WavHeader:
    """Walk the RIFF chunks up to the sound. `soundfile` would read a truncated file without an error."""
    start = file.read(12)
    if start[:4] not in (b"RIFF", b"RF64") or start[8:12] != b"WAVE":
        raise MediaError(f"{path} is not a WAV file.")
    file_bytes = os.fstat(file.fileno()).st_size
    fmt: tuple[int, ...] | None = None
    size_64 = 0
    while True:
        head = file.read(8)
        if len(head) < 8:
            raise MediaError(f"{path} is damaged: it ends before any sound.")
        name, size = head[:4], struct.unpack("<I", head[4:])[0]
        if name == b"fmt ":
            body = _body(file, size)
            if len(body) < 16:
                raise MediaError(f"{path} is damaged: its format chunk is too short.")
            fmt = struct.unpack("<HHIIHH", body[:16])
            if fmt[0] == _EXTENSIBLE and len(body) >= 26:
                fmt = (struct.unpack("<H", body[24:26])[0], *fmt[1:])
        elif name == b"ds64" and start[:4] == b"RF64":
            body = _body(file, size)
            if len(body) < 16:
                raise MediaError(f"{path} is damaged: its chunk of sizes is too short.")
            size_64 = struct.unpack("<Q", body[8:16])[0]
        elif name == b"data":
            break
        else:
            file.seek(size + size % 2, 1)
    if fmt is None:
        raise MediaError(f"{path} is damaged: it does not say which format its sound has.")
    format_tag, channels, rate_hz, byte_rate, frame_bytes, bits = fmt
    if format_tag in (_PCM, _FLOAT):  # the field that says it too may be wrong
        byte_rate = rate_hz * channels * ((bits + 7) // 8)
    if not (1 <= channels <= 64 and 1000 <= rate_hz <= 384_000 and byte_rate > 0 and frame_bytes > 0):
        raise MediaError(f"{path} is damaged: it claims {channels} channels at {rate_hz} Hz.")
    there = file_bytes - file.tell()
    incomplete = size == 0 and struct.unpack("<I", start[4:8])[0] <= file.tell() - 8
    if size == 0xFFFF_FFFF and size_64:
        size = size_64
    promised = there if size >= _UNKNOWN_FROM or incomplete else size
    return _WavHeader(
        format_tag,
        channels,
        rate_hz,
        bits,
        file.tell(),
        min(there, promised),
        promised,
        byte_rate,
        frame_bytes,
        incomplete,
    )


def _body(file: BinaryIO, size: int) -> bytes:
    """The first bytes of a chunk, as many as matter; the file is then at the chunk's end. A damaged header
    may claim 4 GiB, for which there is no memory.
    """
    body = file.read(min(size, _BODY_BYTES))
    file.seek(size + size % 2 - len(body), 1)
    return body


def _converted(path: Path, source: Path, header: _WavHeader) -> Pcm:
    """Converts any WAV that libsndfile reads, one second at a time, to keep memory small."""
    file: Path | BytesIO = source
    if header.incomplete:  # libsndfile would find no sound
        whole = bytearray(source.read_bytes())
        whole[header.data_offset - 4 : header.data_offset] = struct.pack("<I", 0xFFFF_FFFF)
        file = BytesIO(whole)
    # Imported here: together they take about 5 MiB, and recordings in the board's own format need
    # neither.
    import soundfile
    import soxr

    parts: list[Pcm] = []
    try:
        with soundfile.SoundFile(file) as sound:
            rate_hz = sound.samplerate
            if sound.frames > MAX_WAV_S * rate_hz:  # the header's bytes per second may be wrong
                raise _too_long(path, sound.frames / rate_hz)
            stream = soxr.ResampleStream(rate_hz, MICROPHONE_RATE_HZ, 1, dtype="float32")
            while (block := sound.read(rate_hz, dtype="float32", always_2d=True)).size:
                level = np.clip(np.nan_to_num(block), -1.0, 1.0).mean(axis=1)
                parts.append(_int16(stream.resample_chunk(level)))
            parts.append(_int16(stream.resample_chunk(np.zeros(0, np.float32), last=True)))
    except (soundfile.SoundFileError, RuntimeError, ValueError) as error:
        raise MediaError(f"{path} is a WAV file that cannot be decoded: {str(error).rstrip('.')}.") from None
    return np.concatenate(parts)


def _int16(samples: np.ndarray) -> Pcm:
    return np.clip(np.rint(samples * 32768.0), -32768, 32767).astype(np.int16)


def read_image(path: str | Path, max_side_px: int = MAX_SIDE_PX) -> Image:
    """The picture as uint8 `[height, width, 3]` RGB, upright by its EXIF orientation, no side above
    `max_side_px`.

    A separate process decodes it (about 50 ms), so that this one holds neither the decoder nor a large
    picture. Raises `MediaError` for a file that is missing, empty, not a picture or damaged, and (from the
    header alone) for more than 50 megapixels.
    """
    with _whole(path, "picture") as (name, source, fds):
        return _decoded(name, source, max_side_px, fds)


def _decoded(path: Path, source: Path, max_side_px: int, fds: tuple[int, ...]) -> Image:
    command = [sys.executable, "-I", str(_DECODER), str(source), str(max_side_px)]
    # A separate process group: a terminal's Ctrl-C reaches only this process, which then ends the decoder.
    # One that comes while the decoder starts still reaches it: the picture is as good as before, so it is
    # decoded again.
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, check=False, pass_fds=fds, process_group=0)
        if -done.returncode not in _INTERRUPTS:
            break
    if done.returncode != 0:
        sentence = (
            done.stderr.decode(errors="replace").strip() if done.returncode == 2 else "could not be decoded"
        )
        raise MediaError(f"{path} {sentence.splitlines()[-1] if sentence else 'could not be decoded'}.")
    head, _, pixels = done.stdout.partition(b"\n")
    width, height = map(int, head.split())
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 3).copy()
