"""`headband doctor`: opens the board, has every part looked at, and tells."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from host.boards import chosen, open_board
from host.config import BoardConfig, load_config
from host.doctor import examine
from host.finding import Finding, healthy, screen
from host.kept import kept_path
from host.usage import print_json
from hw.device import DeviceError


def doctor(options: argparse.Namespace) -> int:
    """Returns 0 for a healthy headband, 1 for another."""
    config = load_config(options.config)
    where = chosen(config.board, options.board)
    state_folder = Path(config.journal.path or "~").expanduser().parent
    pack = options.pack or config.pack
    findings = asyncio.run(_examined(where, options.battery, pack, state_folder, kept_path(config)))
    if options.json:
        print_json({"healthy": healthy(findings), "findings": [asdict(finding) for finding in findings]})
    else:
        print(screen(findings))
    return 0 if healthy(findings) else 1


async def _examined(
    where: BoardConfig, battery: int | None, pack: str, state_folder: Path, kept: Path | None
) -> list[Finding]:
    board = open_board(where, battery)
    try:
        return await examine(board, where.kind, pack, state_folder, kept)
    finally:
        with suppress(DeviceError):
            await board.close()
