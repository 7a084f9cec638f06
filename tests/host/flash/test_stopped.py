"""Ctrl-C while the PMU restarts for a deploy: it does not stay without guard and watchdog."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from host.cli.main import main
from host.flash import command
from tests.firmware.flash import Flash
from tests.host.flash.deploy_bench import NEW, OLD, Bench, flashed


@pytest.mark.parametrize("before", [0, 1], ids=["while it is away", "once it has come back"])
def test_a_pmu_that_was_to_be_deployed_to_guards_again(monkeypatch: pytest.MonkeyPatch, before: int) -> None:
    bench = Bench(Flash(flashed()))
    sleep, waits = bench.usb.sleep, [None, KeyboardInterrupt, None, None, None][1 - before :]

    def stop(seconds: float) -> None:
        sleep(seconds)
        if "restarting it with guard and watchdog off" in bench.said and waits and (stopped := waits.pop(0)):
            raise stopped

    monkeypatch.setattr(bench.usb, "sleep", stop)
    with pytest.raises(KeyboardInterrupt):
        bench.deploy(NEW)
    version = bench.version(within_s=10.0)
    assert version is not None and not version.maintenance and version.commit == OLD.commit


def test_ctrl_c_in_the_first_half_of_a_deploy_of_both_says_how_the_pmu_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "SerialBoard", Mock(side_effect=KeyboardInterrupt))
    for words in (["firmware", "deploy"], ["deploy", "x", "--firmware"]):
        assert main(words) == 130
        said = capsys.readouterr().err
        assert said.startswith("Stopped. The PMU runs the firmware it had") and said.count("\n") == 1
