"""The steps of `just virtual-board`. A failed step is a finding; the board is then restored and the next step
runs. Without a boot and a first deploy no further step runs.
"""

from __future__ import annotations

import argparse
import traceback
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any

from tests.virtual import devices, failing, firmware, gauges, image, lines, repair, signed, trial
from tests.virtual import wire as wiring
from tests.virtual.attached import Check, detach
from tests.virtual.machine import Machine, VirtualBoardError
from tests.virtual.report import Report

NAMES = (
    "firmware", "demo", "doctor", "devices", "broken", "failing", "repair", "signed", "watchdog", "cuts"
)  # fmt: skip
"""Names of the optional steps."""
NO_CHANGE_SHARE = 0.2
"""A deploy that changes nothing takes less than this share of the first deploy's time."""


@dataclass(frozen=True)
class Step:
    """One step; `run` may raise anything. `needed`: after its failure no further step runs."""

    name: str
    run: Callable[[], None]
    needed: bool = False


def carry_out(steps: list[Step], report: Report, restore: Callable[[], None]) -> None:
    """Runs all steps. After a failed one, `restore` brings the board back; if that fails, the rest is not
    run.
    """
    for step in steps:
        report.reached(step.name)
        held = _held(step.name, step.run, report)
        report.over()
        if held:
            continue
        if step.needed or not _held(f"the board after {step.name}", restore, report):
            return


def _held(name: str, run: Callable[[], None], report: Report) -> bool:
    try:
        run()
    except Exception as problem:
        report.figures.setdefault("tracebacks", {})[name] = traceback.format_exc()
        report.check(name, False, str(problem) or type(problem).__name__)
        return False
    return True


class Steps:
    """The steps on one machine; a context manager that unplugs the PMU from USB at its end."""

    def __init__(
        self, machine: Machine, options: argparse.Namespace, report: Report, say: Callable[[str], None]
    ) -> None:
        self._machine, self._options, self._report, self._say = machine, options, report, say
        self._wire = wiring.Wire(machine)
        self._plugged = ExitStack()
        self._usb: firmware.PluggedIn | None = None
        self._first_s = self._small_s = 0.0
        """Seconds of a first deploy, and of a deploy of one changed file."""

    def __enter__(self) -> Steps:
        self._machine.plug(self._wire.adapter)
        return self

    def __exit__(self, *error: object) -> None:
        self._plugged.close()

    def restore(self) -> None:
        """Makes the board listen with its own settings; cuts its power and boots it if needed."""
        try:
            self._machine.call("true")
            detach(self._machine)
        except Exception:
            self._machine.cut()
            self._machine.on()
            self._machine.wait()
            detach(self._machine)
        trial.listening(self._machine)

    def first_boot(self) -> None:
        """Boots from a blank disk."""
        self._machine.blank()
        self._machine.on()
        seconds = self._figure("first_boot_s", self._machine.wait())
        self._check(
            "first boot", True, f"a bare {image.SUITES[self._options.suite]} is up after {seconds:.0f} s"
        )

    def first_deploy(self) -> None:
        """The first deploy, with the PMU's firmware if chosen."""
        if "firmware" in self._options.steps:
            self._usb = self._plugged.enter_context(firmware.plugged_in())
        first = trial.deploy(self._machine, usb=self._usb)
        self._figure("first_deploy", asdict(first))
        self._first_s = self._small_s = first.seconds
        if first.code:
            raise VirtualBoardError(f"{first.seconds:.0f} s; {first.said.strip()}")
        self._check("deploy from nothing", True, f"{first.seconds:.0f} s; {last(first.said)}")

    def deploys(self) -> None:
        """A deploy without a change, and one of a changed file."""
        again = trial.deploy(self._machine, usb=self._usb)
        self._plugged.close()
        share = again.seconds / self._first_s
        self._figure("second_deploy", {**asdict(again), "share": share})
        self._check("deploy of the same", again.code == 0 and share < NO_CHANGE_SHARE,
                    f"{again.seconds:.0f} s, {share:.1%} of the first; {last(again.said)}")  # fmt: skip
        with trial.variant(1) as changed:
            small = trial.deploy(self._machine, changed)
        self._figure("small_deploy", asdict(small))
        self._small_s = small.seconds
        self._check(
            "deploy of one changed file", small.code == 0, f"{small.seconds:.0f} s; {last(small.said)}"
        )

    def network(self) -> None:
        """The listening service has no network."""
        trial.listening(self._machine)
        says = "only a loopback that is down, IPAddressDeny set"
        self._check("no network", trial.service_has_no_network(self._machine), says)

    def doctor(self) -> None:
        """The doctor on emulated devices."""
        code, findings = trial.doctor(self._machine)
        self._figure("doctor", findings)
        broken = [each["part"] for each in findings if each["health"] == "broken"]
        says = f"{len(findings)} parts looked at, broken: {', '.join(broken) or 'none'}"
        self._check("doctor", code == 0, says)

    def looks(self, name: str, look: Callable[[], Iterable[Check]]) -> Callable[[], None]:
        """A step whose findings are returned by `look`."""

        def run() -> None:
            found = self._figure(name, [])
            for each in look():
                found.append(asdict(each))
                self._check(each.name, each.held, each.says)

        return run

    def demo(self) -> None:
        """The demo, without real time."""
        shown = trial.demo(self._machine)
        self._figure("demo", asdict(shown))
        self._check("demo", shown.code == 0, f"{shown.seconds:.0f} s")

    def broken_release(self) -> None:
        """After a broken release the previous one runs again."""
        before = trial.listening(self._machine)
        with trial.variant(2, broken=True) as bad:
            refused = trial.deploy(self._machine, bad)
        self._figure("broken_deploy", asdict(refused))
        after = trial.listening(self._machine)
        why = next((line for line in refused.said.splitlines() if "not healthy" in line), last(refused.said))
        self._check("a broken release", refused.code == 1 and after == before, f"{after} listens; {why}")

    def repair(self) -> None:
        """Bits flip in a file of each kind; the doctor names the program's, and a deploy repairs all."""
        done = trial.deploy(self._machine)  # so that this checkout's release is the current one
        if done.code:
            raise VirtualBoardError(f"A deploy before the damage failed: {last(done.said)}")
        files = repair.paths(self._machine)
        right = repair.contents(self._machine, files)
        for kind, path in files.items():
            if kind != "the manifest":  # without it the doctor has nothing to compare with
                repair.flip(self._machine, path)
        _, findings = trial.doctor(self._machine)
        found = next(each for each in findings if each["part"] == "program")
        named = repair.named(found["says"], {kind: files[kind] for kind in repair.DOCTOR_READS})
        self._check("the doctor names damage", found["health"] == "broken" and bool(named), found["says"])
        repair.flip(self._machine, files["the manifest"])
        done = trial.deploy(self._machine)
        self._figure("repair", asdict(done))
        now = repair.contents(self._machine, files)
        # What a manifest lists is the same, in the order of the folder, which is another.
        left = [kind for kind in files if kind != "the manifest" and now[kind] != right[kind]]
        says = f"{len(files)} kinds, damaged still: {', '.join(left) or 'none'}; {last(done.said)}"
        self._check("a deploy repairs", done.code == 0 and not left, says)
        again = trial.deploy(self._machine)
        says = last(again.said)
        self._check("nothing is left to repair", again.code == 0 and "nothing to do" in says, says)

    def rollback(self) -> None:
        """`headband rollback` on the board, and `headband deploy --rollback` from here, which undoes it."""
        now = trial.listening(self._machine)
        self._machine.call("headband rollback", timeout_s=600.0)
        before = trial.listening(self._machine)
        undone = trial.roll_back(self._machine)
        self._figure("rollback", asdict(undone))
        after = trial.listening(self._machine)
        held = before != now and undone.code == 0 and after == now
        self._check("going back by one command", held, f"{now}, {before}, {after}; {last(undone.said)}")

    def watchdog(self) -> None:
        """systemd restarts a service that hangs."""
        seconds = self._figure("watchdog_s", trial.hang(self._machine))
        self._check("a hanging service", True, f"killed and listening again {seconds:.0f} s later")

    def boot(self) -> None:
        """Shuts down and boots again."""
        self._machine.off()
        self._machine.on()
        self._machine.wait()
        trial.listening(self._machine)
        seconds = self._figure("boot_to_listening_s", trial.boot_to_listening_s(self._machine))
        self._check("boot to listening", True, f"{seconds:.0f} s under emulation")

    def cuts(self) -> None:
        """Power cuts during deploys."""
        cuts: list[trial.Cut] = []
        wanted = self._options.cuts
        self._figure("cuts", [])
        try:
            debian = image.SUITES[self._options.suite]
            times = (self._small_s, self._first_s)
            for cut in trial.cut_deploys(self._machine, debian, wanted, *times, self._say):
                cuts.append(cut)
                self._report.figures["cuts"].append(asdict(cut))
                self._report.write()
        finally:
            large, late = sum(each.new_environment for each in cuts), sum(each.too_late for each in cuts)
            says = f"{len(cuts)} of {wanted} boots listen; {large} deploys made a new environment"
            self._check(
                "cuts of the power", len(cuts) == wanted, f"{says}, {late} cuts came after the deploy"
            )

    def last_deploy(self) -> None:
        """After the cuts."""
        done = trial.deploy(self._machine)
        self._figure("last_deploy", asdict(done))
        self._check("a deploy after them", done.code == 0, last(done.said))

    def chosen(self) -> list[Step]:
        """The steps that the options choose, in order."""
        machine, wire, asked = self._machine, self._wire, self._options.steps
        steps = [
            Step("first boot", self.first_boot, needed=True),
            Step("deploy from nothing", self.first_deploy, needed=True),
            Step("further deploys", self.deploys),
            Step("network", self.network),
        ]
        if "doctor" in asked:
            steps.append(Step("doctor", self.doctor))
        if "devices" in asked:
            steps += [
                Step("devices", self.looks("devices", lambda: devices.examine(machine, wire))),
                Step("wire", self.looks("wire", lambda: wiring.examine(machine, wire))),
                Step("lines", self.looks("lines", lambda: lines.examine(machine))),
                Step("gauges", self.looks("gauges", lambda: gauges.examine(machine))),
            ]
        if "demo" in asked:
            steps.append(Step("demo", self.demo))
        if "broken" in asked:
            steps.append(Step("broken release", self.broken_release))
        if "failing" in asked:
            steps.append(Step("failing releases", self.looks("failing", self._failing)))
        if "repair" in asked:
            steps += [Step("repair", self.repair), Step("rollback", self.rollback)]
        if "signed" in asked:
            steps.append(Step("signed", self.looks("signed", lambda: signed.examine(machine))))
        if "watchdog" in asked:
            steps.append(Step("watchdog", self.watchdog))
        steps.append(Step("boot", self.boot))
        if "cuts" in asked and self._options.cuts:
            steps += [Step("cuts", self.cuts), Step("deploy after the cuts", self.last_deploy)]
        return steps

    def _failing(self) -> Iterable[Check]:
        """Releases that fail after a minute, after one boot, after three."""
        for kind in failing.KINDS:
            yield failing.replaced(self._machine, kind, self._say)
        yield failing.said_by_the_next_deploy(self._machine)

    def _figure(self, name: str, value: Any) -> Any:
        self._report.figures[name] = value
        return value

    def _check(self, name: str, held: bool, says: str) -> None:
        self._report.check(name, held, says)


def last(said: str) -> str:
    """The last line of an output."""
    return (said.strip().splitlines() or ["it said nothing"])[-1]
