"""`headband doctor`: opens the board, checks every part, and prints the findings. At import it needs only the
standard library, so that it starts and reports whatever package is missing.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from host.doctor.finding import Finding, check_failed, format_findings, healthy
from host.doctor.program_checks import program_finding
from host.doctor.release_checks import release_findings
from host.doctor.runtime_checks import runtimes_finding
from host.terminal.usage import print_json


def doctor(options: argparse.Namespace) -> int:
    """Returns the exit code: 0 for a healthy headband, 1 for a broken one, 2 for unusable settings."""
    try:
        findings = _all_parts(options)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # a damaged file raises anything when it is imported
        findings = asyncio.run(_without_the_program(error))
    if isinstance(findings, str):
        print(findings, file=sys.stderr)
        return 2
    if options.json:
        print_json({"healthy": healthy(findings), "findings": [asdict(finding) for finding in findings]})
    else:
        print(format_findings(findings))
    return 0 if healthy(findings) else 1


def _all_parts(options: argparse.Namespace) -> list[Finding] | str:
    """The findings, or a sentence for unusable settings or options. Raises ImportError for a missing package,
    and anything for a damaged file.
    """
    from host.app.open_board import chosen_board, open_board
    from host.config import BoardConfig, ConfigError
    from host.doctor.checks import examine
    from host.energy.ledger_store import ledger_path
    from host.terminal.settings_file import chosen_settings, settings_in_words
    from host.wearer.saved_settings import saved_settings_path
    from hw.device import DeviceError

    async def examined(where: BoardConfig) -> list[Finding]:
        board = open_board(where, options.battery)
        try:
            return await examine(
                board, where.kind, pack, journal.parent, kept,
                written=written, journal=config.journal.path, power=config.power,
            )  # fmt: skip
        finally:
            with suppress(DeviceError):
                await board.close()

    try:
        config = chosen_settings(options.config)
        where = chosen_board(config.board, options.board)
        if options.battery is not None and where.kind != "emulated":
            return f"--battery is for the emulated board; {where.kind} has real devices."
        journal = Path(os.path.expanduser(config.journal.path or "~/none"))  # a user may have no home folder
        kept, ledger = saved_settings_path(config), ledger_path(config)
        written = {"the journal": journal} if config.journal.path else {}
        written |= {"what the wearer has set": kept} if kept else {}
        written |= {"the ledger": ledger} if ledger else {}
        pack = options.pack or config.pack
        used = Finding("settings", "ok", settings_in_words(options.config))
        with ThreadPoolExecutor(1) as beside:
            program = beside.submit(program_finding)
            found = asyncio.run(examined(where))
            return [program.result(), *release_findings(), used, *found]
    except ConfigError as error:
        return str(error)


async def _without_the_program(error: Exception) -> list[Finding]:
    """The checks that work where the rest of the program cannot be imported."""
    files = program_finding()
    return [
        *([files] if files.health == "broken" else []),
        Finding("kernel", "ok", f"{platform.system()} {platform.release()}"),
        check_failed("program", error, "see runtimes."),
        await runtimes_finding(),
    ]
