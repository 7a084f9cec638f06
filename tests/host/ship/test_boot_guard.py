"""The guard: a release that fails after it was accepted gives way to the one before, at the latest at the
third boot, whatever of it is broken.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from host import __version__
from host.boot.counting import PASSED, Proof, Standing
from host.boot.records import COUNT, PROOF, STATE_FOLDER, read_count, write_proof
from host.boot.report import releases_on
from host.doctor.release_checks import release_findings
from host.ship.made_files import guard
from host.ship.release import ROOT, Release, release_file
from host.ship.target.guard_files import DROP_IN, GUARD, IN_RELEASE, UNIT, GuardFiles
from host.ship.target.supervise import SERVICE
from host.ship.target.system_files import SystemFiles
from tests.host.ship.bench import Bench
from tests.host.ship.in_process import call, checkout, current, deploy
from tests.host.ship.stand_in import LATE, Computer, computer, folder

__all__ = ["computer", "folder"]


def standing(computer: Computer, release: Release) -> Standing:
    count = read_count(computer.prefix / "opt/headband")
    assert count is not None
    return count.standing(release.name)


def two(folder: Path, computer: Computer, second: str = LATE) -> tuple[Release, Release]:
    """A release that is good, and one deployed after it."""
    good, late = checkout(folder, "good", "venv"), checkout(folder, second, "other")
    deploy(computer.prefix, good)
    for _ in range(2):
        assert computer.boot() == ""
    deploy(computer.prefix, late)
    assert current(computer.prefix) == late.name and standing(computer, good) == "good"
    return good, late


def boots_until_it_runs(computer: Computer) -> int:
    return next(number for number in range(1, 9) if computer.boot() == "")


def went_back(computer: Computer, good: Release, late: Release) -> bool:
    opt = computer.prefix / "opt/headband"
    links = [(opt / name).readlink().name for name in ("current", "previous")]
    assert computer.running == {SERVICE: good.name} and SystemFiles(computer.prefix).linked
    return links == [good.name, late.name] and standing(computer, late) == "refused"


def test_what_starts_on_trial_but_not_after_a_boot_gives_way_and_the_next_deploy_says_so(
    folder: Path, computer: Computer
) -> None:
    good, late = two(folder, computer)
    assert boots_until_it_runs(computer) <= 3 and went_back(computer, good, late)
    told = call(computer.prefix, "need", late.request())
    assert (told["gave_way"], told["gave_way_why"]) == (late.name, "it ended before it listened")
    deploy(computer.prefix, late)
    assert standing(computer, late) == "new"
    assert not call(computer.prefix, "need", late.request())["gave_way"]
    assert boots_until_it_runs(computer) <= 3 and went_back(computer, good, late)


@pytest.mark.parametrize(
    "what", ["host/service/headband.service", "host/service/pause", "release.json", "venv"]
)
def test_it_gives_way_whatever_of_it_is_gone(folder: Path, computer: Computer, what: str) -> None:
    good, late = two(folder, computer, "b")
    path = computer.prefix / "opt/headband/current" / what
    path.unlink()
    assert boots_until_it_runs(computer) <= 3 and went_back(computer, good, late)


def test_a_release_that_dies_again_and_again_gives_way_without_a_boot(
    folder: Path, computer: Computer
) -> None:
    good, late = two(folder, computer, "b")
    for starts in range(1, 9):  # noqa: B007 - how many it took
        (computer.prefix / STATE_FOLDER / PROOF).unlink(missing_ok=True)  # it has not run for long
        computer.running.clear()
        computer.start(SERVICE)
        if computer.running[SERVICE] == good.name:
            break
    assert starts == 2, "the deploy's start was the first that failed"
    assert went_back(computer, good, late)


def test_a_good_release_that_breaks_later_gives_way_too(folder: Path, computer: Computer) -> None:
    good, later = two(folder, computer, "b")
    for _ in range(3):
        assert computer.boot() == ""
    assert standing(computer, later) == "good"
    (computer.prefix / "opt/headband/current/models/weights.bin").write_bytes(b"worn")
    assert boots_until_it_runs(computer) == 3 and went_back(computer, good, later)


def test_a_good_release_whose_boot_ended_listening_stays_though_its_first_starts_failed(
    folder: Path, computer: Computer
) -> None:
    _, later = two(folder, computer, "b")
    for _ in range(3):
        assert computer.boot() == ""
    for boot in range(5):
        for listens in (False, False, True):
            count = read_count(computer.prefix / "opt/headband")
            assert count is not None
            proof = Proof(later.name, count.start, listens=listens)
            write_proof(computer.prefix / STATE_FOLDER / PROOF, proof)
            if not listens:
                computer.guard(at_boot=False)
        assert computer.boot() == "" and current(computer.prefix) == later.name, boot


def test_it_stays_where_the_release_before_is_damaged_or_was_refused(
    folder: Path, computer: Computer
) -> None:
    good, late = two(folder, computer)
    weights = computer.prefix / "opt/headband/previous/models/weights.bin"
    right = weights.read_bytes()
    weights.write_bytes(b"worn")
    assert all(computer.boot() for _ in range(5)) and current(computer.prefix) == late.name
    weights.write_bytes(right)
    assert computer.boot() == "" and went_back(computer, good, late)
    (computer.prefix / "opt/headband/current/models/weights.bin").write_bytes(b"worn as well")
    assert all(computer.boot() for _ in range(5)) and current(computer.prefix) == good.name


def test_a_headband_of_before_and_one_whose_count_is_damaged_start(folder: Path, computer: Computer) -> None:
    good, late = two(folder, computer)
    count = computer.prefix / "opt/headband" / COUNT
    for content in (None, b"{", b""):
        count.unlink() if content is None else count.write_bytes(content)
        assert boots_until_it_runs(computer) <= 3 and current(computer.prefix) == good.name
        deploy(computer.prefix, late)


def test_while_a_deploy_is_under_way_the_guard_only_counts(folder: Path, computer: Computer) -> None:
    good, late = two(folder, computer)
    opt = computer.prefix / "opt/headband"
    import fcntl

    with open(opt / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert all(computer.boot() for _ in range(4)) and current(computer.prefix) == late.name
    assert computer.boot() == "" and current(computer.prefix) == good.name


def guarded(folder: Path, name: str, content: bytes) -> Release:
    """A release with a guard of its own."""
    made = checkout(folder, name, "venv")
    path = folder / name / IN_RELEASE
    path.write_bytes(content)
    return Release({**made.files, IN_RELEASE: release_file(path)}, made.environment, "rk3566")


def other(folder: Path, main: str) -> bytes:
    """A guard with another main module."""
    path = folder / "other.pyz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("__main__.py", main)
        for name in (UNIT, DROP_IN):
            archive.writestr(name, (ROOT / "host/service" / name).read_text())
    return path.read_bytes()


def test_the_guard_is_that_of_the_first_release_and_then_of_those_that_are_good_and_have_one_that_runs(
    folder: Path, computer: Computer
) -> None:
    files = GuardFiles(computer.prefix)
    first = guard()
    deploy(computer.prefix, guarded(folder, "a", first))
    assert files.program.read_bytes() == first and files.whole
    for name, main, taken in (("b", "raise SystemExit(1)", False), ("c", "pass", True)):
        made = other(folder, main)
        release = guarded(folder, name, made)
        deploy(computer.prefix, release)
        while standing(computer, release) != "good":
            assert files.program.read_bytes() == first, "it is not good yet"
            assert computer.boot() == ""
        assert (files.program.read_bytes() == made) == taken and files.whole


@pytest.mark.parametrize("what", ["opt/headband/boot-guard.pyz", f"etc/systemd/system/{UNIT}"])
def test_a_damaged_guard_is_repaired_by_the_next_deploy(folder: Path, computer: Computer, what: str) -> None:
    release = guarded(folder, "a", guard())
    deploy(computer.prefix, release)
    assert not deploy(computer.prefix, release)
    path = computer.prefix / what
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert not GuardFiles(computer.prefix).whole
    assert deploy(computer.prefix, release) and GuardFiles(computer.prefix).whole


def test_the_last_good_release_is_not_lost_to_ones_that_are_not_known(
    folder: Path, computer: Computer
) -> None:
    good, _ = two(folder, computer)
    for name in ("x", "y"):
        deploy(computer.prefix, checkout(folder, f"{name} {LATE}", "venv"))
        assert (computer.prefix / "opt/headband/previous").readlink().name == good.name
    assert boots_until_it_runs(computer) <= 3 and computer.running == {SERVICE: good.name}


def test_a_damaged_release_is_not_kept_to_go_back_to_though_it_was_good(
    folder: Path, computer: Computer
) -> None:
    _, second = two(folder, computer, "b")
    (computer.prefix / "opt/headband/previous/models/weights.bin").write_bytes(b"worn")
    deploy(computer.prefix, checkout(folder, f"c {LATE}", "venv"))
    assert (computer.prefix / "opt/headband/previous").readlink().name == second.name
    assert boots_until_it_runs(computer) <= 3 and computer.running == {SERVICE: second.name}


@pytest.mark.slow
def test_the_program_itself_goes_back_before_a_start_of_the_real_unit(tmp_path: Path) -> None:
    """With a stand-in for systemctl, which starts what the drop-in names."""
    bench, fails = Bench(tmp_path), tmp_path / "fails"
    breaks = f"import os\nassert not os.path.exists({str(fails)!r})"
    roots = [bench.checkout("good"), bench.checkout("late", begin=breaks)]
    for root in roots:
        (root / IN_RELEASE).write_bytes(guard())
    try:
        good, late = (bench.deploy(root).release for root in roots)
        assert bench.current == late and "it counts as good when" in bench.said[-1]
        fails.touch()
        program = [sys.executable, "-I", "-B", "-S", str(bench.prefix / "opt/headband" / GUARD)]
        for _ in range(3):
            bench.power_cut()
            (bench.prefix / "run").mkdir()
            words = [*program, "boot", "--prefix", str(bench.prefix)]
            subprocess.run(words, env=bench.remote.environment, check=True)
            bench.boot()
        assert bench.current == good and bench.runs
        fails.unlink()
        bench.deploy(roots[1])
        assert any(
            f"release {late} failed there (it ended before it listened)" in line for line in bench.said
        )
    finally:
        bench.close()


def test_a_person_is_told_what_is_known_of_the_releases(folder: Path, computer: Computer) -> None:
    assert releases_on(computer.prefix) is None
    good, late = two(folder, computer)
    found = releases_on(computer.prefix)
    assert found is not None and found.before is not None
    assert found.current.says == "not known to be good yet: its self-test is still to come, or under way"
    assert str(found.before) == f"{__version__} ({good.name}): good" and not found.gave_way
    count = read_count(computer.prefix / "opt/headband")
    assert count is not None
    proof = computer.prefix / STATE_FOLDER / PROOF
    for self_test, says in (
        (PASSED, "its self-test has passed, which counts once it has run for 5 minutes or is stopped"),
        ("The tts brick made no sound.", "not good: The tts brick made no sound"),
    ):
        write_proof(proof, Proof(late.name, count.start, listens=True, self_test=self_test))
        found = releases_on(computer.prefix)
        assert found is not None and says in found.current.says
    assert boots_until_it_runs(computer) <= 3
    found = releases_on(computer.prefix)
    assert found is not None and found.before is not None and found.gave_way
    assert found.before.says == "failed (it ended before it listened); the headband went back by itself"


def test_the_doctor_tells_of_the_guard_of_a_disabled_service_and_of_a_release_that_gave_way(
    folder: Path, computer: Computer
) -> None:
    assert release_findings(computer.prefix) == [] == release_findings()
    good = guarded(folder, "a", guard())
    deploy(computer.prefix, good)
    healths = [release_findings(computer.prefix)[0].health]
    for _ in range(2):
        assert computer.boot() == ""
    healths.append(release_findings(computer.prefix)[0].health)
    deploy(computer.prefix, checkout(folder, f"b {LATE}", "venv"))
    boots_until_it_runs(computer)
    (gone_back,) = release_findings(computer.prefix)
    healths.append(gone_back.health)
    assert "it ended before it listened" in gone_back.says and "deploy" in gone_back.fix
    wanted = computer.prefix / "etc/systemd/system/multi-user.target.wants/headband.service"
    wanted.rename(wanted.with_name("put aside"))
    (disabled,) = release_findings(computer.prefix)
    assert disabled.health == "broken" and "does not start at a boot" in disabled.says
    wanted.with_name("put aside").rename(wanted)
    GuardFiles(computer.prefix).program.unlink()
    healths.append(release_findings(computer.prefix)[0].health)
    assert healths == ["note", "ok", "note", "broken"]


def test_a_refused_release_is_tried_by_a_rollback_like_any_other(folder: Path, computer: Computer) -> None:
    _, late = two(folder, computer)
    assert boots_until_it_runs(computer) <= 3
    call(computer.prefix, "rollback", {})
    assert current(computer.prefix) == late.name and standing(computer, late) == "new"
