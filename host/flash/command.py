"""`headband firmware ACTION`: shows the PMU's version, cell or log, opens its REPL, deploys new firmware."""

from __future__ import annotations

import argparse
import sys
import time

from host.flash.board_access import BoardSession, DeployError
from host.flash.deploy import Deploy
from host.flash.image import FirmwareImage, firmware_image
from host.flash.mpy_cross import compiler
from host.terminal.usage import one_line
from hw.pmu_usb.console_client import Console
from hw.pmu_usb.micropython_repl import MpremotePrompt, RawRepl
from hw.pmu_usb.serial_link import LinkError, SerialLink, find_board
from models.place import bring_packages


class SerialBoard:
    """A board on USB, as `host.flash.board_access.BoardPorts`. It is looked up at each use, because a reset
    may give it another port.
    """

    def __init__(self, port: str | None, serial_id: str | None) -> None:
        """Raises `LinkError` when there is no such board."""
        found = find_board(port, serial_id)
        self._port, self._serial_id = port, serial_id
        if found.serial_id is not None:
            self._port, self._serial_id = None, found.serial_id
        self.path = found.path

    def console(self) -> Console:
        """As `BoardPorts.console`."""
        return Console(SerialLink(self._find()))

    def raw_repl(self) -> RawRepl:
        """As `BoardPorts.raw_repl`."""
        return MpremotePrompt(self._find())

    def _find(self) -> str:
        self.path = find_board(self._port, self._serial_id).path
        return self.path


def firmware(options: argparse.Namespace) -> int:
    """`headband firmware ACTION`; a failure is one sentence and exit code 2, Ctrl-C one and 130."""
    try:
        board = SerialBoard(options.port, options.serial_id)
        _ACTIONS[options.action](board, options)
    except (LinkError, DeployError) as problem:
        print(one_line(problem), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "Stopped. The PMU runs the firmware it had, or does so after a restart; the same command "
            "goes on.",
            file=sys.stderr,
        )
        return 130
    return 0


def _deploy(board: SerialBoard, options: argparse.Namespace) -> None:
    image = firmware_image(compiler=compiler())
    if options.dry_run:
        _deployer(board, image, options).preview()
        return
    if not has_mpremote():  # checked before the deploy touches the board
        raise DeployError(f"mpremote, which copies the files, is not installed: {bring_packages()}.")
    _deployer(board, image, options).run()
    if options.cell is not None or options.capacity_mah is not None:
        _cell(board, options)


def _deployer(board: SerialBoard, image: FirmwareImage, options: argparse.Namespace) -> Deploy:
    return Deploy(
        board, image, _say, monotonic=time.monotonic, sleep=time.sleep, replace_loader=options.loader,
        source_image=firmware_image(),
    )  # fmt: skip


def has_mpremote() -> bool:
    """Whether mpremote, which copies files to a board, is installed."""
    try:
        import mpremote.transport_serial
    except ImportError:
        return False
    return bool(mpremote.transport_serial)


def _version(board: SerialBoard, _: argparse.Namespace) -> None:
    console = board.console()
    try:
        now = console.version()
        battery = console.battery()
    finally:
        console.close()
    state = ", on trial" if now.trial else ""
    state += ", in maintenance" if now.maintenance else ""
    print(f"firmware   {now.version}, commit {now.commit or 'unknown'}{state}")
    print(f"registers  map {now.map_version}, commit {now.commit_words:08x}")
    print(f"slot       {now.slot or 'none'}")
    print(f"up         {now.uptime_s} s")
    if now.free_bytes is not None:
        print(f"memory     {now.free_bytes / 1024:.0f} KiB free")
    charge = f"{battery.percent} %" if battery.known else "unknown"
    print(f"battery    {charge}, {battery.voltage_mv} mV, {battery.current_ma} mA")


def _cell(board: SerialBoard, options: argparse.Namespace) -> None:
    console = board.console()
    try:
        cell = console.cell(options.cell, options.capacity_mah)
    finally:
        console.close()
    seen = "capacity and curve learned" if cell.known else "not seen from full to empty yet"
    print(f"cell       {cell.name}, {cell.design_mah} mAh, {seen}")


def _log(board: SerialBoard, _: argparse.Namespace) -> None:
    console = board.console()
    try:
        log, crash = console.log()
    finally:
        console.close()
    for line in log:
        print(f"{line.uptime_s:10.1f} s  {line.text}")
    if crash:
        print(f"a firmware stopped once, the last time for this:\n{crash.rstrip()}")


def _repl(board: SerialBoard, _: argparse.Namespace) -> None:
    session = BoardSession(board, _say, time.monotonic, time.sleep)
    try:
        if session.enter_repl() is None:
            raise LinkError(
                f"No firmware of ours answers at {board.path}: `mpremote connect {board.path} resume repl` "
                "shows whether MicroPython's prompt does."
            )
    except (LinkError, KeyboardInterrupt):
        session.leave_maintenance()
        raise
    print(f"MicroPython's prompt is at {board.path}, for example: mpremote connect {board.path} resume repl")
    print("The PMU guards nobody until a reset, which comes by itself after ten minutes.")


def _say(line: str) -> None:
    print(line, flush=True)


_ACTIONS = {"deploy": _deploy, "version": _version, "cell": _cell, "log": _log, "repl": _repl}
