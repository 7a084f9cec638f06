"""Programs for a slot: the smallest firmware that answers, and ones with every kind of fault."""

from __future__ import annotations

from firmware.pmu import registers as r
from host.flash.image import FIRMWARE

LINES = (FIRMWARE / "pmu" / "console_json_lines.py").read_bytes()

ANSWERING = b"""
import micropython, select, sys, time
from . import NAME, console_json_lines as lines
def start(session):
    micropython.kbd_intr(-1)
    readable = select.poll()
    readable.register(sys.stdin, select.POLLIN)
    reader = lines.Lines()
    while True:
        while readable.poll(0):
            for line in reader.feed(sys.stdin.buffer.read(1)):
                message = lines.decode(line)
                if message["cmd"] == "confirm":
                    session.confirm()
                if message["cmd"] == "maintenance":
                    session.restart("maintenance")
                answer = {"id": message["id"], "ok": True, "version": NAME, "commit": "", "map": MAP_WORD,
                    "commit_words": [0, 0], "slot": session.slot, "trial": session.trial,
                    "maintenance": session.maintenance, "uptime_s": 0, "free_bytes": 0, "garbled": 0}
                sys.stdout.buffer.write(lines.encode(answer))
        if session.watchdog:
            session.watchdog.feed()
        time.sleep_ms(20)
""".replace(b"MAP_WORD", hex(r.MAP_MAGIC | r.MAP_VERSION).encode())
"""The smallest firmware that answers on the console."""

BROKEN = {
    "does not parse": b"def start(session:\n",
    "does not import": b"import nothing_like_it\ndef start(session): pass\n",
    "lacks its start": b"START = 1\n",
    "stops at once": b"def start(session):\n    raise ValueError('no sensor')\n",
    "hangs unfed": b"import time\ndef start(session):\n    while True:\n        time.sleep_ms(99)\n",
    "is mute": b"import time\ndef start(session):\n    while True:\n        if session.watchdog:\n"
    b"            session.watchdog.feed()\n        time.sleep_ms(100)\n",
}
