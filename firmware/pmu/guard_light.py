"""The state light: its patterns, their meanings, and which of them has priority.

Every pattern has a rhythm of its own, so they differ without colours too.
"""

STEADY, BLINK, BREATHE = range(3)
_ALWAYS_MS = 60_000

OFF_COLOUR = (0, 0, 0)
GREEN = (0, 120, 20)
BLUE = (0, 60, 255)
WHITE = (160, 150, 130)
AMBER = (255, 110, 0)
RED = (255, 0, 0)
COLOUR_NAMES = {
    OFF_COLOUR: "dark", GREEN: "green", BLUE: "blue", WHITE: "white", AMBER: "amber", RED: "red",
}  # fmt: skip

# Codes of the LIGHT register
(
    OWN_CHOICE, OFF, STANDBY, LISTENING, THINKING, SPEAKING, ERROR, CHARGING, LOW_BATTERY, GAVE_UP,
    RECORDING_OFF, REMEMBERING,
) = range(12)  # fmt: skip

# code: (colour, kind, milliseconds). BLINK: on, off, on, off .. in turn; BREATHE: one breath.
PATTERNS = {
    OFF: (OFF_COLOUR, STEADY, ()),
    STANDBY: (GREEN, BLINK, (40, 4_960)),
    LISTENING: (BLUE, STEADY, ()),
    THINKING: (BLUE, BLINK, (150, 150)),
    SPEAKING: (WHITE, BLINK, (600, 200)),
    ERROR: (RED, BLINK, (80, 80)),
    CHARGING: (AMBER, BREATHE, (3_000,)),
    LOW_BATTERY: (RED, BLINK, (80, 1_920)),
    GAVE_UP: (RED, BLINK, (200, 200, 200, 200, 200, 1_500)),
    RECORDING_OFF: (AMBER, BLINK, (80, 200, 80, 3_640)),
    REMEMBERING: (GREEN, BLINK, (40, 160, 40, 160, 40, 4_560)),
}
# code: (name, meaning), for documentation; not used on the board
NAMES = {
    OFF: ("off", "the headband is off"),
    STANDBY: ("standby", "ready, waiting for the wake word"),
    LISTENING: ("listening", "hears what you say"),
    THINKING: ("thinking", "works on the answer"),
    SPEAKING: ("speaking", "says the answer"),
    ERROR: ("error", "something failed, or the computer hangs and is restarted"),
    CHARGING: ("charging", "current flows into the cell"),
    LOW_BATTERY: ("low battery", "charge soon, or it is about to switch off"),
    GAVE_UP: (
        "gave up",
        "the computer hangs and restarts did not help: hold the button for 10 seconds, then press it",
    ),
    RECORDING_OFF: ("recording off", "nothing is seen or heard, as you wished"),
    REMEMBERING: ("remembering", "ready, and remembers what it sees, as you wished"),
}


def choose(host: int, gave_up: bool, ending: bool, hung: bool, awake: bool, charging: bool, low: bool) -> int:
    """The pattern to show: safety first, then the host's choice (`host`, code of LIGHT), then the PMU's
    own.

    `ending`: the host's power ends soon because the cell is empty; `hung`: the guard restarts the host;
    `awake`: the host runs, and only then its choice is shown, but "recording off" always; `charging`: current
    flows into the cell; `low`: little charge or time is left.
    """
    if gave_up:
        return GAVE_UP
    if ending:
        return LOW_BATTERY
    if hung:
        return ERROR
    if host == RECORDING_OFF or (awake and host in PATTERNS):
        return host
    if charging:
        return CHARGING
    if low:
        return LOW_BATTERY
    return STANDBY if awake else OFF


class Light:
    """The colour of a pattern over time."""

    def __init__(self):
        self.pattern = OFF
        self.dark_ms = 0  # how long it stays dark from the last `step` on
        self._since_ms = 0

    def step(self, now_ms: int, pattern: int) -> tuple:
        """(red, green, blue), 0..255 each; a new pattern starts from its beginning. `now_ms` never goes
        back.
        """
        if pattern != self.pattern:
            self.pattern, self._since_ms = pattern, now_ms
        colour, kind, rhythm_ms = PATTERNS[pattern]
        self.dark_ms = 0
        if kind == STEADY:
            if colour == OFF_COLOUR:
                self.dark_ms = _ALWAYS_MS
            return colour
        place_ms = (now_ms - self._since_ms) % sum(rhythm_ms)
        if kind == BREATHE:
            half_ms = rhythm_ms[0] // 2
            level = place_ms if place_ms < half_ms else rhythm_ms[0] - place_ms
            return tuple(part * level // half_ms for part in colour)
        on = True
        for length_ms in rhythm_ms:
            if place_ms < length_ms:
                break
            place_ms -= length_ms
            on = not on
        if on:
            return colour
        self.dark_ms = length_ms - place_ms
        return OFF_COLOUR


def rhythm(code: int) -> str:
    """The rhythm of a pattern in words."""
    colour, kind, rhythm_ms = PATTERNS[code]
    if kind == STEADY:
        return "dark" if colour == OFF_COLOUR else "steady"
    if kind == BREATHE:
        return "swells and fades every " + _seconds(rhythm_ms[0])
    if len(rhythm_ms) == 2:
        return _seconds(rhythm_ms[0]) + " on, " + _seconds(rhythm_ms[1]) + " off"
    return str(len(rhythm_ms) // 2) + " flashes every " + _seconds(sum(rhythm_ms))


def table() -> list:
    """The light's documentation: rows of (code, name, colour, rhythm, meaning)."""
    return [
        (code, NAMES[code][0], COLOUR_NAMES[PATTERNS[code][0]], rhythm(code), NAMES[code][1])
        for code in sorted(PATTERNS)
    ]


def _seconds(ms):
    if ms < 1_000:
        return str(ms) + " ms"
    hundredths = str(ms % 1_000 // 10)
    return (
        str(ms // 1_000)
        + ("" if hundredths == "0" else "." + "0" * (2 - len(hundredths)) + hundredths)
        + " s"
    )
