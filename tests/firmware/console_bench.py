"""The firmware with an emulated port, for the tests of its console."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firmware.pmu import app
from firmware.pmu import console_json_lines as lines


class Session:
    """The values that the loader passes to the firmware."""

    def __init__(self, maintenance: bool = False) -> None:
        self.slot = "slot_a"
        self.trial = True
        self.maintenance = maintenance
        self.watchdog = None

    def confirm(self) -> bool:
        self.trial = False
        return True

    def crash(self) -> str:
        return "slot_b: ValueError"

    def manifest(self, slot: str) -> dict[str, Any] | None:
        return (
            {"commit": "12ab34cd", "serial": 1, "files": {"pmu/app.py": "ab" * 32}}
            if slot == "slot_a"
            else None
        )


class Bench:
    """A PMU with a port: `tell` sends it bytes, `answers` returns its lines."""

    def __init__(self, maintenance: bool = False) -> None:
        self.now_ms = 0
        self.incoming = b""
        self.outgoing = b""
        self.takes = 1 << 20
        self.restarts: list[str] = []
        self.sampler: Callable[[int | None, int | None, int | None], None] | None = None
        self.period_ms = 0
        self.sample_at_ms = 0
        self.session = Session(maintenance)
        self.pmu = app.Pmu(self)
        self.pmu.step()

    @property
    def console(self) -> Any:
        """The console, loaded by the first received bytes."""
        assert self.pmu.port is not None and self.pmu.port.console is not None
        return self.pmu.port.console

    def ticks_ms(self) -> int:
        return self.now_ms & 0x3FFFFFFF

    def sense(self) -> tuple[int, int, int, bool]:
        return 3850, -150, 2981, False

    def alert(self, active: bool) -> None:
        pass

    def idle(self, ms: int) -> None:
        self.now_ms += ms

    def console_read(self, limit: int) -> bytes:
        data, self.incoming = self.incoming[:limit], self.incoming[limit:]
        return data

    def console_write(self, data: bytes) -> int:
        taken = min(len(data), self.takes)
        self.outgoing += data[:taken]
        return taken

    def restart(self, how: str) -> None:
        self.restarts.append(how)

    def trace(
        self,
        sample: Callable[[int | None, int | None, int | None], None] | None,
        period_ms: int,
        resistance_mohm: int = 0,
    ) -> None:
        self.sampler, self.period_ms = sample, period_ms

    def live(self, ms: int) -> None:
        """Advance time in the firmware's ticks, with the trace's timer."""
        for _ in range(ms // app.TICK_MS):
            step_ms = min(self.period_ms or app.TICK_MS, app.TICK_MS)
            for _ in range(app.TICK_MS // step_ms):
                self.now_ms += step_ms
                if self.sampler is not None and self.now_ms >= self.sample_at_ms:
                    self.sample_at_ms = self.now_ms + self.period_ms
                    self.sampler(self.now_ms * 1000, 3850, -150)
            if self.now_ms % 240 < app.TICK_MS:
                self.pmu.step()
            self.pmu.tick()

    def tell(self, data: bytes) -> list[dict[str, Any]]:
        self.incoming += data
        while self.incoming:
            self.live(app.TICK_MS)
        self.live(2 * app.TICK_MS)
        return self.answers()

    def ask(self, command: str, **arguments: object) -> dict[str, Any]:
        """Send a command and return its one answer."""
        restarts = len(self.restarts)
        (answer,) = self.tell(lines.encode({"id": 7, "cmd": command, **arguments}))
        assert answer["id"] == 7
        if "ok" in answer and command in ("maintenance", "repl", "restart", "bootloader"):
            assert len(self.restarts) == restarts, "the answer comes first"
            self.live(200)
        return answer

    def answers(self) -> list[dict[str, Any]]:
        whole = self.outgoing.rfind(b"\n") + 1
        out, self.outgoing = self.outgoing[:whole], self.outgoing[whole:]
        messages = [lines.decode(line) for line in lines.Lines(8_192).feed(out)]
        assert None not in messages, out
        return messages
