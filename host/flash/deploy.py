"""Deploys firmware onto the PMU; interrupted at any point, the board still starts a firmware that answers.

A board has two slots. The image goes into the slot that is not the fallback, and the running firmware stays
unchanged. The manifest completes the slot: it is written last, in one rename. The next start is a trial; only
after the new firmware has reported the expected version on the console, the deploy confirms it and it starts
from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from host.flash.board_access import START_S, BoardPorts, BoardSession, DeployError, check_battery, name
from host.flash.image import COMMIT_DIGITS, FirmwareImage, sha256
from host.flash.slots import SLOTS, STATE_FILES, BoardFiles, plan_copy, read_board
from hw.pmu_usb.console_client import MAP_VERSION, FirmwareVersion
from hw.pmu_usb.flash_files import BoardFlash
from hw.pmu_usb.serial_link import LinkError

TRIAL_S = 75.0
"""Longest time from a reset until the loader has given up a firmware that does not answer and has started the
previous one."""


class Deploy:
    """One deploy. `say` prints a line about each step."""

    def __init__(
        self,
        ports: BoardPorts,
        image: FirmwareImage,
        say: Callable[[str], None],
        *,
        monotonic: Callable[[], float],
        sleep: Callable[[float], None],
        replace_loader: bool = False,
        source_image: FirmwareImage | None = None,
    ) -> None:
        """`source_image`: the same firmware as Python source, for a board that cannot load a compiled
        `image`.
        """
        self._ports = ports
        self._session = BoardSession(ports, say, monotonic, sleep)
        self._image = image
        self._source_image = source_image or image
        self._say = say
        self._replace_loader = replace_loader

    def preview(self) -> None:
        """Says what a deploy would copy, and changes nothing. Raises `DeployError`."""
        try:
            console = self._ports.console()
            try:
                version = console.version()
                check_battery(console, self._say)
                held = {slot: console.files(slot) for slot in SLOTS if slot != version.slot}
            finally:
                console.close()
        except LinkError as problem:
            raise DeployError(str(problem)) from None
        self._say(f"runs {name(version)}; would deploy {self._image.commit}")
        for slot, files in held.items():
            new = [each for each, check in _short_hashes(self._image).items() if files.get(each) != check]
            listed = ", ".join(new) or "none"
            self._say(f"{slot}: {len(new)} of {len(self._image.files)} files differ: {listed}")

    def run(self) -> None:
        """Deploys, or does nothing where the board runs this image. Raises `DeployError`."""
        if self._runs_already():
            return
        try:
            before = self._session.enter_repl()
            if before is None:
                self._say("no firmware of ours answers, so there is no battery to ask about")
            flash = self._session.flash()
        except (LinkError, KeyboardInterrupt) as problem:
            self._session.leave_maintenance()
            if isinstance(problem, LinkError):
                raise DeployError(str(problem)) from None
            raise
        try:
            if not self._image.fits(flash.compiled()):
                self._say("this board's MicroPython is of another release: it gets the source")
                self._image = self._source_image
            board = read_board(flash, before.slot if before else None)
            self._check_loader(board)
            self._write_slot(flash, board)
        except LinkError as problem:
            raise _deploy_error(
                problem, "the PMU keeps the firmware it had, run the same command again"
            ) from None
        finally:
            flash.reset()  # after a failure too, so that the board does not stay at its REPL
        self._confirm_or_fail(board, before)

    def _runs_already(self) -> bool:
        try:
            console = self._ports.console()
        except LinkError as problem:
            raise DeployError(str(problem)) from None
        try:
            now = console.version()
            if now.slot is None or now.trial or self._version_mismatch(now):
                return False
            held = console.files(now.slot)
        except LinkError:
            return False
        finally:
            console.close()
        if all(held != _short_hashes(image) for image in (self._image, self._source_image)):
            return False
        self._say(f"runs {name(now)} already, nothing to do")
        return True

    # The copy

    def _check_loader(self, board: BoardFiles) -> None:
        if board.foreign and not self._replace_loader:
            raise DeployError("Another program starts on this board: --loader puts ours in its place.")

    def _write_slot(self, flash: BoardFlash, board: BoardFiles) -> None:
        slot = f"/{board.target}/"
        plan = plan_copy(board, self._image)
        moved = len(plan.send) + len(plan.copy)
        self._say(
            f"{board.target}: {len(plan.send)} files to send, {len(plan.copy)} to copy on the board, "
            f"{len(self._image.files) - moved} unchanged"
        )
        fallback = board.fallback
        if fallback is not None and fallback.name == board.running and not fallback.confirmed:
            # It has answered, so the loader shall start it rather than what is half written.
            flash.replace(f"/{fallback.name}/confirmed", b"")
        for state_file in STATE_FILES:
            flash.remove(slot + state_file)
        for path in plan.remove:
            flash.remove(path)
        for each, source in plan.copy.items():
            flash.copy(source, slot + each)
        for each in plan.send:
            flash.put(slot + each, self._image.files[each])
        self._verify(flash, {slot + each: data for each, data in self._image.files.items()})
        self._say(f"verified {len(self._image.files)} files on the board")
        self._install_loader(flash, board)
        flash.replace(slot + "manifest", self._image.manifest(board.next_serial))

    def _verify(self, flash: BoardFlash, files: dict[str, bytes]) -> None:
        for retry in (True, False):
            found = flash.hashes(list(files))
            wrong = [path for path, data in files.items() if found.get(path) != sha256(data)]
            if not wrong:
                return
            for path in wrong if retry else ():
                flash.put(path, files[path])
        raise DeployError(
            f"{wrong[0]} on the board is not what was sent, twice over, so its flash may be worn out: "
            "rolled back, the PMU keeps the firmware it had."
        )

    def _install_loader(self, flash: BoardFlash, board: BoardFiles) -> None:
        loader = self._image.loader
        differs = [path for path, data in loader.items() if board.hashes.get(path) != sha256(data)]
        if differs and all(path in board.hashes for path in loader) and not self._replace_loader:
            self._say("the loader on the board is of another release; it stays (--loader would replace it)")
            return
        for path in differs:
            flash.put(path + ".new", loader[path])
            self._verify(flash, {path + ".new": loader[path]})
            flash.move(path + ".new", path)
            self._say(f"installed {path}")

    # After the copy

    def _confirm_or_fail(self, board: BoardFiles, before: FirmwareVersion | None) -> None:
        """Waits until a firmware answers and confirms it. Raises `DeployError` when it is not the new one."""
        self._say("restarting it with the new firmware, on trial")
        console = self._session.wait_for_console(TRIAL_S, lambda now: not now.maintenance)
        if console is None:
            self._remove_new_firmware(board, before)
            return
        try:
            now = console.version()
            wrong = self._version_mismatch(now)
            if now.slot == board.target and not wrong:
                console.confirm()
                self._say(f"runs {name(now)}, confirmed")
                return
            if now.slot == board.target:
                with suppress(LinkError):
                    console.restart()  # without confirmation the loader starts the previous one
        except LinkError as problem:
            raise _deploy_error(
                problem, "the new firmware is not confirmed and gives way at the next reset"
            ) from None
        finally:
            console.close()
        if now.slot != board.target:
            raise DeployError(f"The new firmware did not answer: rolled back to {name(now)}.")
        back = self._session.wait_for_console(TRIAL_S, lambda now: now.slot != board.target)
        if back is None:
            raise DeployError(f"The new firmware answers but {wrong}: it is not confirmed.")
        back.close()
        raise DeployError(f"The new firmware answers but {wrong}: rolled back to the previous one.")

    def _version_mismatch(self, now: FirmwareVersion) -> str:
        """How the version that the board reports differs from the image; "" where it does not."""
        if now.map_version != MAP_VERSION:
            return f"its register map is {now.map_version} instead of {MAP_VERSION}"
        words = int(self._image.commit[:COMMIT_DIGITS], 16)
        if now.commit != self._image.commit or now.commit_words != words:
            return f"says it is {now.commit or 'of no commit'} instead of {self._image.commit}"
        return ""

    def _remove_new_firmware(self, board: BoardFiles, before: FirmwareVersion | None) -> None:
        """The console does not answer: removes the new firmware by the REPL, where that answers. Raises
        `DeployError`.
        """
        crash = None
        try:
            flash = self._session.flash()
            crash = flash.read("/crash.txt")
            if board.fallback is not None:
                flash.remove(f"/{board.target}/manifest")
            flash.reset()
        except LinkError:
            pass
        why = f" ({crash.strip().splitlines()[-1]})" if crash and crash.strip() else ""
        if before is None:
            raise DeployError(
                f"The new firmware does not answer and has no predecessor to come back to{why}."
            )
        console = self._session.wait_for_console(START_S, lambda _: True)
        if console is None:
            raise DeployError(
                "The PMU does not answer: unplug it, plug it in and run the same command again."
            )
        console.close()
        raise DeployError(f"The new firmware did not answer: rolled back, the previous one runs again{why}.")


def _short_hashes(image: FirmwareImage) -> dict[str, str]:
    """The first 16 digits of each hash, which is what the console reports."""
    return {name: check[:16] for name, check in image.hashes.items()}


def _deploy_error(problem: LinkError, state: str) -> DeployError:
    return DeployError(f"{str(problem).rstrip('.')}: {state}.")
