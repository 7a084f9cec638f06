"""A training that is asked to stop ends by itself, and says so."""

from __future__ import annotations

import os
import signal

import pytest

from models.train.stopping import stopping


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_is_noted_and_the_handlers_come_back(number: signal.Signals, status: int) -> None:
    before = signal.getsignal(number)
    with stopping() as stop:
        assert not stop
        os.kill(os.getpid(), number)
        assert stop and stop.status == status
    assert signal.getsignal(number) is before


def test_the_second_ctrl_c_ends_at_once() -> None:
    with stopping():
        os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
