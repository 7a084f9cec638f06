"""Progress of downloads: bars on a terminal, otherwise one line for each file."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from models.install.http_download import TransferContext
from models.pack.manifest import PackFile


@contextlib.contextmanager
def bars(say: Callable[[str], None]) -> Iterator[Callable[[PackFile], TransferContext]]:
    """Yields a function from a file to its progress line. say: prints a line where there is no terminal."""
    from tqdm import tqdm

    shown: list[Any] = []

    def context_for(file: PackFile) -> TransferContext:
        for earlier in shown:
            earlier.close()
        bar = tqdm(unit="B", unit_scale=True, desc=file.path, disable=None, dynamic_ncols=True)
        shown.append(bar)

        def progress(have_bytes: int, size_bytes: int) -> None:
            if bar.disable:
                if have_bytes == size_bytes:
                    say(f"{file.path}: {size_bytes / 1e6:.1f} MB")
                return
            if bar.total != size_bytes or have_bytes < bar.n:
                bar.reset(total=size_bytes)
                bar.initial = bar.n = have_bytes
            bar.update(have_bytes - bar.n)
            if have_bytes == size_bytes:
                bar.refresh()

        return TransferContext(progress=progress, say=lambda sentence: tqdm.write(sentence, sys.stderr))

    try:
        yield context_for
    finally:
        for bar in shown:
            bar.close()
