"""What is read of the kernel's log."""

from __future__ import annotations

import math

from tests.virtual.lines import answers_s


def test_the_kernels_log_tells_how_long_each_call_waited_for_its_answer() -> None:
    log = (
        "[    1.000000] i2c i2c-0: addr 0x36, read\n[   10.500000] pulled\n[   10.750000] other\n"
        "[   11.250000] i2c i2c-0: addr 0x36, read\n[   11.260000] i2c i2c-0: addr 0x36, read\n"
        "not stamped\n[   20.000000] pulled\n[   30.000000] pulled\n[   30.250000] addr 0x36, read\n"
    )
    assert answers_s(log, "pulled", "addr 0x36") == [0.75, math.inf, 0.25]
    assert answers_s(log, "never", "addr 0x36") == []
