"""What another process has computed."""

from __future__ import annotations

import os
import time

import pytest

from models.process.processor_time import processor_seconds


def test_it_is_what_the_process_computed_and_not_how_long_it_lasted() -> None:
    before_s = processor_seconds(os.getpid())
    assert before_s == pytest.approx(time.process_time(), abs=0.02)
    time.sleep(0.05)
    after_s = processor_seconds(os.getpid())
    assert before_s is not None and after_s is not None and after_s - before_s < 0.04


def test_a_process_that_is_none_has_none() -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    assert processor_seconds(child) is None and processor_seconds(0) is None
