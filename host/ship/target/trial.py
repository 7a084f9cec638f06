"""Starts a release on trial and makes it the current one. Sent to the headband's computer: standard library
only.

A release starts on trial first: as a unit of its own name under /run, which does not survive a power cut,
with `OnFailure=` naming the regular service, so that systemd itself starts that one again. A release becomes
`current` only when it has reported that it listens, or that recording is off, and still runs `settled_s`
later. The unit in /etc is a link through `current`, so changing `current` changes program and unit together.
"""

from __future__ import annotations

from pathlib import Path

from host.boot.counting import Count, adopted, worth_keeping
from host.boot.records import linked, present_count, write_count
from host.ship.atomic import point_link, update_file
from host.ship.running import DeployRefused, say
from host.ship.target.supervise import OPT, SERVICE, TRIALS, Systemd, trial_name, trial_release, trial_unit
from host.ship.target.system_files import SystemFiles
from host.ship.whole import is_whole_release


class ReleaseSwitch:
    """The links `current` and `previous`, and the units of the headband's computer."""

    def __init__(self, prefix: Path, systemd: Systemd, system_files: SystemFiles) -> None:
        """`prefix` stands for `/`."""
        self._system_files = system_files
        self._prefix, self._opt = prefix, prefix / OPT[1:]
        self._trials = prefix / "run/systemd/system"
        self._systemd = systemd

    def name(self, link: str) -> str | None:
        """The release that `current` or `previous` names; None where there is none."""
        return linked(self._opt, link)

    def on_trial(self) -> set[str]:
        """The releases that run on trial: also one that an interrupted deploy left running."""
        running = (unit.name for unit in self._trials.glob(TRIALS) if self._systemd.active(unit.name))
        return {trial_release(unit) for unit in running}

    def enable(self) -> None:
        """Has the current release start at a boot, also where somebody has disabled the service; does nothing
        where no release is current.
        """
        if self.name("current") is not None and self._system_files.enable():
            self._systemd.reload()

    def start(self, *, anew: bool) -> str:
        """Starts the current release instead of any trial: returns "", or what is wrong. anew: also where it
        runs.
        """
        problem = self._systemd.restart(SERVICE) if anew else self._systemd.start(SERVICE)
        self._forget_trials()
        return problem

    def adopt(self, release: Path, version: str) -> None:
        """Starts a release on trial and makes it current. Raises `DeployRefused` when it does not become
        healthy, and `OSError` when that can't be written; then the current one runs, and also where Ctrl-C
        interrupts it.
        """
        before = self.name("current")
        try:
            self._system_files.try_out(release)
            self._try(release, version)
            self._make_current(release)
        except (OSError, KeyboardInterrupt):
            current = self.name("current")
            if current is not None:
                self._systemd.reload()
                self.start(anew=current != before)  # which ends the trial
            raise
        finally:
            self._system_files.settle()

    def _try(self, release: Path, version: str) -> None:
        before = self.name("current")
        trial = trial_name(release.name)
        others = sorted(path.name for path in self._trials.glob(TRIALS) if path.name != trial)
        text = (release / "host/service" / SERVICE).read_text()
        text = trial_unit(text, release.name, back=before is not None, others=others)
        update_file(self._trials / trial, text.encode())
        self._systemd.reload()
        say(f"starting {version} ({release.name}) on trial")
        problem = self._systemd.restart(trial)
        status = self._systemd.status(trial)
        if not problem and not status.startswith(("listening", "recording is off")):
            deaf = f"it does not listen, but says: {status or 'nothing'}"
            if before is not None:
                problem = deaf
            else:  # there is nothing to go back to, and the doctor that finds the cause comes with it
                say(f"{deaf}; `headband doctor` there looks for the cause")
        if not problem:
            return
        log = self._systemd.log(trial)
        if before is None:
            self._systemd.stop(trial)
            self._forget_trials()
            raise DeployRefused(
                f"Release {release.name} is not healthy ({problem}), and there is none before it.{log}"
            )
        again = self.start(anew=False)  # in one step with the trial's end: something runs at every moment
        state = f"does not start either ({again})" if again else "runs again"
        raise DeployRefused(
            f"Release {release.name} is not healthy ({problem}): back to {before}, which {state}.{log}"
        )

    def count(self) -> Count:
        """What is known of the releases here, the current one's last start included."""
        return present_count(self._prefix)

    def _make_current(self, release: Path) -> None:
        before, older = self.name("current"), self.name("previous")
        count = self.count()
        kept = before
        if before is not None and older not in (None, before, release.name):
            # One that is not known to be good replaces no good one, and a damaged one none that is whole.
            best = worth_keeping(count, before, older)
            order = sorted((before, older), key=lambda name: name != best)
            whole = (name for name in order if is_whole_release(self._opt / "releases" / str(name)))
            kept = next(whole, before)
        self._system_files.enable()
        self._system_files.link()
        write_count(self._opt, adopted(count, release.name, (before, older)))
        links = {"previous": kept, "current": release.name}
        if older == release.name:  # `current` first, so that one of the links always names it
            links = {"current": release.name, "previous": kept}
        for place, name in links.items():
            if name is not None:
                point_link(self._opt / place, f"releases/{name}")
        self._systemd.reload()
        self._system_files.settle()
        # Started anew: a trial that ended in this moment has had the one before started again. The units
        # conflict, so this stops the trial.
        problem = self._systemd.restart(SERVICE)
        self._forget_trials()
        if not problem:
            return
        if before is not None:
            point_link(self._opt / "current", f"releases/{before}")
            if older is not None:
                point_link(self._opt / "previous", f"releases/{older}")
            self._systemd.reload()
            self._system_files.settle(anew=True)
            self._systemd.restart(SERVICE)
        raise DeployRefused(
            f"Release {release.name} did not start a second time ({problem}): back to {before or 'nothing'}."
        )

    def _forget_trials(self) -> None:
        """Removes the units of trials, which have ended."""
        for unit in self._trials.glob(TRIALS):
            unit.unlink(missing_ok=True)
        self._systemd.reload()
