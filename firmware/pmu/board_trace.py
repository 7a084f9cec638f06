"""The board's power trace: its sensor measures fast, and a timer collects the samples. Loaded when one is
asked for.
"""

import time

from machine import Timer

from .console_power_trace import TraceSampler

INA226 = 0x40
_STEADY = b"\x45\x27"  # as `board`


def trace(board, sample, period_ms, resistance_mohm):
    """Call `sample(time_us, mV, mA)` from a soft timer about every `period_ms`, with the beginning of the
    measurement; all None: one was missed. `sample` None ends the trace. `resistance_mohm`: of the cell.
    OSError when the sensor does not answer at the beginning.
    """
    if board.timer is not None:
        board.timer.deinit()
        board.timer = None
    board.mode, board.traced = _STEADY, None
    if sample:
        traced = TraceSampler(INA226, period_ms, resistance_mohm)
        board.mode = traced.setting
    try:
        board.calibrate()
    except OSError:
        board.lost, board.mode = True, _STEADY
        if sample:
            raise
    if not sample:
        return
    ticks_us = time.ticks_us  # type: ignore[attr-defined]  # MicroPython's time has it
    traced.start(ticks_us())
    board.traced = traced

    def take(_):
        traced.step(board.sensor_bus, ticks_us, sample)

    board.timer = Timer(mode=Timer.PERIODIC, period=traced.poll_ms, callback=take)
