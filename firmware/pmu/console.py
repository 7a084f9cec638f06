"""The console on the USB serial port: commands and answers, one line of JSON each (`console_json_lines`).

    {"id": 1, "cmd": "battery"}   ->   {"id": 1, "ok": true, "percent": 57, ...}
                                  or   {"id": 1, "error": "one sentence"}

A damaged line is counted and not answered; its sender repeats it. While the console uses the port, Ctrl-C
does not interrupt. To reach MicroPython's prompt, send `maintenance`, which restarts the PMU with guard and
watchdog off, and then `repl`.
"""

import binascii
import gc

from . import COMMIT
from . import __version__ as VERSION
from . import console_json_lines as lines
from . import registers as r
from .console_power_trace import DEFAULT_PERIOD_MS, FRAME_SAMPLES, MAX_PERIOD_MS, MAX_SECONDS, MIN_PERIOD_MS
from .event_names import describe

QUEUE_LIMIT = 4_096  # bytes waiting to be sent; above half of it, trace samples stay in their buffer
LOG_LINES = 6  # in one answer
_FLUSH_MS = 150  # from an answer that announces a restart to the restart, so that it is sent before
_UNREAD_LIMIT_MS = 5_000  # a trace ends when the port takes nothing for so long

SETTABLE = {
    "remaining_capacity_alarm": r.REMAINING_CAPACITY_ALARM,
    "remaining_time_alarm": r.REMAINING_TIME_ALARM,
    "battery_mode": r.BATTERY_MODE,
    "mark": r.MARK,
    "heartbeat_deadline": r.HEARTBEAT_DEADLINE,
    "power_request": r.POWER_REQUEST,
    "sound_gate": r.SOUND_GATE,
    "light": r.LIGHT,
}  # registers that `set` writes, with the same effect as a write by the host
_BATTERY = {
    "percent": r.RELATIVE_STATE_OF_CHARGE,
    "voltage_mv": r.VOLTAGE,
    "current_ma": r.CURRENT,
    "average_ma": r.AVERAGE_CURRENT,
    "temperature_dk": r.TEMPERATURE,
    "remaining_mah": r.REMAINING_CAPACITY,
    "full_mah": r.FULL_CHARGE_CAPACITY,
    "design_mah": r.DESIGN_CAPACITY,
    "to_empty_min": r.AVERAGE_TIME_TO_EMPTY,
    "to_full_min": r.AVERAGE_TIME_TO_FULL,
    "max_error_percent": r.MAX_ERROR,
    "resistance_mohm": r.RESISTANCE,
    "cycles": r.CYCLE_COUNT,
}


class Refused(Exception):
    """The command cannot be carried out; the text is one sentence."""


class Console:
    """The console of one `app.Pmu`, on its `console_port.Port`.

    The board has `console_read(limit)` -> received bytes and `console_write(bytes)` -> number of bytes taken;
    neither waits. Optional: `trace(sample, period_ms, resistance_mohm)`, which calls `sample(time_us, mV,
    mA)` about every `period_ms` until `trace(None, 0)`, and raises OSError while the battery sensor does not
    answer; `restart(how)` with "normal", "maintenance", "bootloader" or "prompt"; `session`, the loader's.
    """

    def __init__(self, pmu):
        self._pmu = pmu
        self._board = pmu.board
        self._session = getattr(pmu.board, "session", None)
        self._lines = lines.Lines()
        self._queue = bytearray()
        self._restart = ""
        self._restart_at_ms = 0
        self._now_ms = 0
        self.trace = None  # the `TraceBuffer` of the present trace
        self._tracing = False
        self._trace_id = None  # id of the command that started it
        self._trace_ends_ms = 0
        self._taken_ms = 0  # when the port last took bytes, or the trace began
        self.garbled = 0  # damaged lines

    def step(self, now_ms: int, data: bytes) -> None:
        """Answer received lines and send what the port takes, without waiting. `now_ms` never goes back."""
        self._now_ms = now_ms
        for line in self._lines.feed(data):
            message = lines.decode(line)
            if message is None:
                self.garbled += 1
            elif "cmd" in message:
                self._answer(message)
        self._send_trace()
        self._write()
        if self._restart and now_ms >= self._restart_at_ms:
            how, self._restart = self._restart, ""
            self._board.restart(how)

    def _answer(self, message):
        reply = {"id": message.get("id")}
        try:
            name = str(message["cmd"])
            # `getattr` would keep any name that is asked for in memory for ever.
            command = Console.__dict__.get("do_" + name.replace("-", "_"))
            if command is None:
                raise Refused("There is no command " + name[:40] + ".")
            reply["ok"] = True
            reply.update(command(self, message))
        except Refused as refusal:
            reply = {"id": message.get("id"), "error": str(refusal)}
        line = lines.encode(reply)
        # Else the reader is too slow: the answer is dropped, and the sender repeats the command
        if len(self._queue) + len(line) <= QUEUE_LIMIT:
            self._queue.extend(line)

    def _write(self):
        if not self._queue:
            self._taken_ms = self._now_ms
            return
        taken = self._board.console_write(bytes(self._queue))
        if taken:
            self._taken_ms = self._now_ms
            self._queue = self._queue[taken:]

    # Commands: `do_` and the name, with `_` for `-`

    def do_battery(self, _):
        value = self._pmu.target.value
        status = value(r.BATTERY_STATUS)
        answer = {}
        for name, code in _BATTERY.items():
            word = value(code)
            answer[name] = r.signed(word) if code in r.SIGNED else word
        answer["known"] = bool(status & r.STATUS_INITIALIZED)
        answer["charging"] = not status & r.STATUS_DISCHARGING
        answer["alarms"] = list(r.alarm_names(status))
        return answer

    def do_cell(self, message):
        gauge = self._pmu.gauge
        profile = _whole_number(message, "profile", gauge.profile, 0, 3)
        capacity_mah = _whole_number(message, "design_mah", gauge.design_mah, 100, 30_000)
        if (profile, capacity_mah) != (gauge.profile, gauge.design_mah):
            self._pmu.fit(profile, capacity_mah)
        return {"profile": profile, "design_mah": capacity_mah, "known": gauge.charge.learned}

    def do_version(self, _):
        value = self._pmu.target.value
        session = self._session
        return {
            "version": VERSION,
            "commit": COMMIT,
            "map": value(r.MAP),
            "commit_words": [value(r.COMMIT_LOW), value(r.COMMIT_HIGH)],
            "slot": session.slot if session else None,
            "trial": bool(session and session.trial),
            "maintenance": value(r.GUARD) == r.GUARD_MAINTENANCE,
            "uptime_s": value(r.UPTIME_LOW) | value(r.UPTIME_HIGH) << 16,
            "reset_cause": value(r.RESET_CAUSE),
            "free_bytes": gc.mem_free() if hasattr(gc, "mem_free") else None,
            "garbled": self.garbled,
        }

    def do_log(self, message):
        start = _whole_number(message, "from", 0, 0, 1 << 30)
        log = self._pmu.log
        said = [
            (number, ms, text if isinstance(text, str) else describe(text >> 8, text & 0xFF))
            for number, ms, text in log.after(start, LOG_LINES)
        ]
        answer = {"lines": said, "next": log.next}
        if self._session and start == 0:
            answer["crash"] = self._session.crash()
        return answer

    def do_files(self, message):
        found = self._session and self._session.manifest(message.get("slot"))
        if not found:
            return {"files": {}, "commit": None}
        files = {name: str(check)[:16] for name, check in found["files"].items()}
        return {"files": files, "commit": found["commit"]}

    def do_set(self, message):
        code = SETTABLE.get(message["name"]) if isinstance(message.get("name"), str) else None
        if code is None:
            raise Refused("What can be set: " + ", ".join(sorted(SETTABLE)) + ".")
        value = _whole_number(message, "value", -1, 0, 0xFFFF)
        self._write_as_host(code, value)
        self._pmu.log.add("console: " + message["name"] + " = " + str(value))
        return {"value": value}

    def _write_as_host(self, code, value):
        """Write a register as the host does, so that its handler runs."""
        target = self._pmu.target
        start = code * r.CELL_BYTES
        low, high = value & 0xFF, value >> 8
        target.memory[start : start + 3] = bytes((low, high, r.write_pec(start, low, high)))
        target.accept_writes()

    def do_maintenance(self, message):
        on = message.get("on", True)
        if not isinstance(on, bool):
            raise Refused("`on` must be true or false.")
        if not on:
            self._write_as_host(r.POWER_REQUEST, r.REQUEST_NORMAL)
        elif self._session and not self._session.maintenance:
            # An armed watchdog cannot be stopped, so the PMU restarts without arming it.
            self._restart_later("maintenance")
            return {"restarting": True}
        else:
            self._write_as_host(r.POWER_REQUEST, r.REQUEST_MAINTENANCE)
        return {"restarting": False}

    def do_confirm(self, _):
        if not self._session:
            raise Refused("This PMU was not started by the loader.")
        if not self._session.confirm():
            raise Refused("The flash does not take the confirmation.")
        return {"slot": self._session.slot}

    def do_repl(self, _):
        if not self._session or not self._session.maintenance:
            raise Refused("Ask for maintenance first: the watchdog runs on.")
        self._restart_later("prompt")
        return {}

    def do_restart(self, _):
        self._restart_later("normal")
        return {}

    def do_bootloader(self, _):
        self._restart_later("bootloader")
        return {}

    def _restart_later(self, how):
        if not hasattr(self._board, "restart"):
            raise Refused("This board can't restart itself.")
        self._restart, self._restart_at_ms = how, self._now_ms + _FLUSH_MS

    # Power trace

    def do_power_trace(self, message):
        if not hasattr(self._board, "trace"):
            raise Refused("This board has no sensor to trace.")
        seconds = _whole_number(message, "seconds", 10, 0, MAX_SECONDS)
        from .console_power_trace import TraceBuffer, setting  # 3 KiB that only a trace takes

        period_ms = _whole_number(message, "period_ms", DEFAULT_PERIOD_MS, MIN_PERIOD_MS, MAX_PERIOD_MS)
        answer = {"period_ms": period_ms, "seconds": seconds, "result_us": setting(period_ms)[1]}
        if self._tracing and message.get("id") == self._trace_id:
            return answer  # the sender repeats the command because the answer was lost
        self._end_trace()
        if seconds:
            self._trace_id = message.get("id")
            trace = TraceBuffer()
            try:
                self._board.trace(trace.sample, period_ms, self._pmu.target.value(r.RESISTANCE))
            except OSError:
                raise Refused("The battery sensor does not answer.")
            self.trace, self._tracing = trace, True
            self._taken_ms = self._now_ms
            self._trace_ends_ms = self._now_ms + seconds * 1_000
        return answer

    def _end_trace(self):
        if self._tracing:
            self.trace, self._tracing = None, False  # frees the samples' memory
            self._board.trace(None, 0)

    def _send_trace(self):
        trace = self.trace
        if not self._tracing or trace is None:
            return
        over = self._now_ms >= self._trace_ends_ms or self._now_ms - self._taken_ms >= _UNREAD_LIMIT_MS
        if over:
            self._end_trace()
        while len(self._queue) < QUEUE_LIMIT // 2 and (
            trace.waiting >= FRAME_SAMPLES or (over and trace.waiting)
        ):
            data = binascii.b2a_base64(trace.take()).decode().strip()
            self._queue.extend(lines.encode({"trace": data, "of": self._trace_id}))
        if over:
            end = {"trace": "", "of": self._trace_id, "end": True, "samples": trace.samples}
            self._queue.extend(lines.encode(end))


def _whole_number(message, name, default, low, high):
    value = message.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise Refused("`" + name + "` must be a whole number from " + str(low) + " to " + str(high) + ".")
    return value
