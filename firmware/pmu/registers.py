"""The register map: the one contract between the PMU and the host, imported by both.

Smart Battery Data 1.1 codes, units and signs at I2C address 0x0B, served from 256 bytes of memory that
`machine.I2CTarget(mem=...)` hands out byte by byte without Python. Register `code` lives at offset `4 * code`
as four bytes `[low, high, pec, 0]`, so an SMBus word read with PEC of command `4 * code` yields the word and
its checksum. A write of `[low, high, pec]` to the same offset is accepted when the register is writable and
the PEC is right, and undone otherwise.
"""

MAP_VERSION = 3  # raised whenever a register changes its place, unit or meaning
MAP_MAGIC = (
    0x4800  # high byte of the MAP register: tells this map from any other chip that answers at the address
)

ADDRESS = 0x0B
CELL_BYTES = 4
REGISTER_COUNT = 64
MEMORY_BYTES = CELL_BYTES * REGISTER_COUNT

# Smart Battery Data 1.1
MANUFACTURER_ACCESS = 0x00  # word, writable, without effect
REMAINING_CAPACITY_ALARM = 0x01  # mAh, writable
REMAINING_TIME_ALARM = 0x02  # minutes, writable
BATTERY_MODE = 0x03  # bits, writable
KEY_1 = (
    0x04  # to KEY_4, writable: eight bytes of the memory's key or of the code that opens it, see `key_page`
)
KEY_2 = 0x05
KEY_3 = 0x06
KEY_4 = 0x07
TEMPERATURE = 0x08  # 0.1 K
VOLTAGE = 0x09  # mV
CURRENT = 0x0A  # mA, signed, positive while charging
AVERAGE_CURRENT = 0x0B  # mA, signed, positive while charging
MAX_ERROR = 0x0C  # percent, expected error of the charge
RELATIVE_STATE_OF_CHARGE = 0x0D  # percent
ABSOLUTE_STATE_OF_CHARGE = 0x0E  # percent of the design capacity
REMAINING_CAPACITY = 0x0F  # mAh
FULL_CHARGE_CAPACITY = 0x10  # mAh
RUN_TIME_TO_EMPTY = 0x11  # minutes, 65535 = not discharging
AVERAGE_TIME_TO_EMPTY = 0x12  # minutes, 65535 = not discharging
AVERAGE_TIME_TO_FULL = 0x13  # minutes, 65535 = not charging
CHARGING_CURRENT = 0x14  # mA the cell wants now
CHARGING_VOLTAGE = 0x15  # mV
BATTERY_STATUS = 0x16  # bits, see STATUS_*
CYCLE_COUNT = 0x17  # cycles
DESIGN_CAPACITY = 0x18  # mAh
DESIGN_VOLTAGE = 0x19  # mV; another one for each kind of cell, see `gauge_cell.NOMINAL_MVS`
SPECIFICATION_INFO = 0x1A  # 0x0031: version 1.1 with PEC

# This project's own
KEY_REQUEST = 0x1B  # writable: see KEY_DO_*
KEY_STATE = 0x1C  # see KEY_IS_*; 0 = this firmware or board keeps no key
COMMIT_LOW = 0x1D  # first 8 hexadecimal digits of the firmware's commit, low word; 0 = unknown
COMMIT_HIGH = 0x1E  # the same, high word
PMU_REQUEST = 0x1F  # bits, see ASK_*: what the PMU asks of the host
MAP = 0x20  # MAP_MAGIC | MAP_VERSION
SEQUENCE = 0x21  # even: memory is at rest; odd: an update is under way; moves on by two with every update
UPTIME_LOW = 0x22  # seconds since the PMU started, low word
UPTIME_HIGH = 0x23  # the same, high word
RESET_CAUSE = 0x24  # see CAUSE_*
ENERGY_LOW = 0x25  # 0.01 mWh taken out of the battery since the PMU started, low word
ENERGY_HIGH = 0x26  # the same, high word
MARKED_ENERGY_LOW = 0x27  # 0.01 mWh taken out since MARK was last written, low word
MARKED_ENERGY_HIGH = 0x28  # the same, high word
MARK = 0x29  # writable: any write starts the marked energy anew
RESISTANCE = 0x2A  # mOhm, internal resistance of the cell as learned
EVENT_COUNT = 0x2B  # events since the PMU started, modulo 65536
EVENT_ACK = 0x2C  # writable: the number of events the host has read; the next three unread follow
EVENT_1 = 0x2D  # oldest unread event: kind in the high byte (EVENT_KIND_*), detail in the low; 0 = none
EVENT_2 = 0x2E
EVENT_3 = 0x2F
PAGE_0 = 0x30  # to PAGE_0 + 7: recorded sound, that of the page in PAGE; see `sound_pages`
PAGE = 0x38  # writable: which page PAGE_0.. show; they are valid when PAGE reads back as written
HEARTBEAT = 0x39  # writable: the host writes another value each time
HEARTBEAT_DEADLINE = 0x3A  # writable: seconds between heartbeats before the guard acts, 0 = guard off
POWER_REQUEST = 0x3B  # writable: see REQUEST_*; 0 again when taken
GUARD = 0x3C  # see GUARD_*
SOUND_GATE = 0x3D  # writable: see GATE_*
SOUND_PAGES = 0x3E  # pages recorded so far, modulo 65536
LIGHT = 0x3F  # writable: pattern the host wants, see `guard_light`; 0 = the PMU's own choice

WRITABLE = (
    MANUFACTURER_ACCESS, REMAINING_CAPACITY_ALARM, REMAINING_TIME_ALARM, BATTERY_MODE, MARK, EVENT_ACK, PAGE,
    HEARTBEAT, HEARTBEAT_DEADLINE, POWER_REQUEST, SOUND_GATE, LIGHT, KEY_1, KEY_2, KEY_3, KEY_4, KEY_REQUEST,
)  # fmt: skip
SIGNED = (CURRENT, AVERAGE_CURRENT)

# PMU_REQUEST bits
ASK_SHUTDOWN = 0x0001  # save and write REQUEST_SAVED: long press, or the cell is near its cut-off
ASK_CHOICE = 0x0002  # double press: the host's choice
ASK_SOUND = 0x0004  # speech was heard: read the recorded sound

# POWER_REQUEST values
REQUEST_SAVED = 1  # everything is saved and the system powers itself off: drop the rail after 20 s
REQUEST_SLEEP = 2  # the host suspends now: no heartbeat is due until it is awake
REQUEST_REBOOT = 3  # power cycle now
REQUEST_MAINTENANCE = 4  # the guard lets the host alone until REQUEST_NORMAL, a reset or 15 minutes are over
REQUEST_NORMAL = 5  # ends sleep or maintenance

# PAGE: fourth byte of a write
PAGE_PAIR = 1  # show that page, which is even, and the next one as 32 bytes with one checksum

# SOUND_GATE values
GATE_OFF = 0  # the microphone rests, and nothing of what it recorded is left
GATE_LISTEN = 1  # listen for speech while the host sleeps
GATE_TAKEN = 2  # the host took over: the microphone rests, and what it recorded stays

# GUARD values
(
    GUARD_OFF, GUARD_ARMED, GUARD_WARNED, GUARD_RESET, GUARD_CYCLED, GUARD_GAVE_UP, GUARD_ASLEEP,
    GUARD_MAINTENANCE,
) = range(8)  # fmt: skip

# KEY_REQUEST values; the part of PUT and SHOW, 0 to 4, is added: 0 is the code, 1 to 4 are the key
KEY_DO_KEEP = 1  # write the parts that were put to flash, if there is no key yet
KEY_DO_OPEN = 2  # KEY_1.. hold the code: if it is right, the parts may be shown for 2 seconds
KEY_DO_HIDE = 3  # clear what PUT, OPEN and SHOW left
KEY_DO_DESTROY = 4  # erase the key from flash; needs no code
KEY_DO_PUT = 0x10  # plus the part, 0 = code, 1 to 4 = key: take it from KEY_1..
KEY_DO_SHOW = 0x20  # plus the part, 1 to 4: show it in KEY_1..

# KEY_STATE values
KEY_IS_NONE = 1
KEY_IS_KEPT = 2
KEY_IS_OPEN = 3
KEY_IS_BUSY = 4  # the flash is read or written next
KEY_IS_REFUSED = 5  # the last request: wrong code, not open, or there is a key already
KEY_IS_UNKNOWN = 6  # nobody has asked since the start

# RESET_CAUSE values
CAUSE_POWER_ON, CAUSE_WATCHDOG, CAUSE_SOFT = range(3)

# Kinds of event, high byte of EVENT_1..3
EVENT_KIND_ALARM = 1  # detail: high byte of BATTERY_STATUS
EVENT_KIND_GUARD = 2  # detail: the GUARD value entered
EVENT_KIND_BUTTON = 3  # detail: 1 short, 2 double, 3 long, 4 held until the rail dropped
EVENT_KIND_SOUND = 4  # speech was heard
EVENT_KIND_POWER = 5  # detail: 1 outside power came, 0 it went
EVENT_KIND_CUT_OFF = 6  # the cell is at its cut-off under load; the rails drop soon
EVENT_KIND_LOST = 7  # events were lost because nobody read them; detail: how many, at most 255

# BATTERY_STATUS bits
STATUS_OVER_CHARGED = 0x8000
STATUS_TERMINATE_CHARGE = 0x4000
STATUS_OVER_TEMPERATURE = 0x1000
STATUS_TERMINATE_DISCHARGE = 0x0800
STATUS_REMAINING_CAPACITY = 0x0200
STATUS_REMAINING_TIME = 0x0100
STATUS_INITIALIZED = 0x0080
STATUS_DISCHARGING = 0x0040  # no current flows into the cell, with outside power or without
STATUS_FULLY_CHARGED = 0x0020
STATUS_FULLY_DISCHARGED = 0x0010

ALARM_MASK = 0xFF00
ALARM_NAMES = (
    (STATUS_OVER_CHARGED, "over-charged"),
    (STATUS_TERMINATE_CHARGE, "stop charging"),
    (STATUS_OVER_TEMPERATURE, "too hot"),
    (STATUS_TERMINATE_DISCHARGE, "empty"),
    (STATUS_REMAINING_CAPACITY, "charge threshold"),
    (STATUS_REMAINING_TIME, "little time left"),
)

NOT_DISCHARGING = 0xFFFF  # value of the time-to-empty registers while nothing empties the battery
ZERO_CELSIUS_DK = 2731  # 0 degrees Celsius in 0.1 K, the unit of TEMPERATURE


def _crc8(byte):
    for _ in range(8):
        byte = (byte << 1) ^ 0x107 if byte & 0x80 else byte << 1
    return byte


CRC8 = bytes(_crc8(byte) for byte in range(256))  # one step of the PEC


def pec(data) -> int:
    """SMBus packet error code of the bytes: CRC-8, polynomial 0x07, initial value 0."""
    crc = 0
    for byte in data:
        crc = CRC8[crc ^ byte]
    return crc


def read_pec(offset: int, low: int, high: int) -> int:
    """PEC of an SMBus word read of command `offset`, over every byte on the wire including both address
    bytes.
    """
    return pec((ADDRESS << 1, offset, ADDRESS << 1 | 1, low, high))


def write_pec(offset: int, low: int, high: int) -> int:
    """PEC of an SMBus word write of command `offset`."""
    return pec((ADDRESS << 1, offset, low, high))


def cell(code: int, value: int) -> bytes:
    """The four bytes of register `code` holding `value` (signed values may be negative)."""
    low, high = value & 0xFF, value >> 8 & 0xFF
    return bytes((low, high, read_pec(code * CELL_BYTES, low, high), 0))


def signed(word: int) -> int:
    """The word as a two's complement number."""
    return word - 0x10000 if word & 0x8000 else word


def alarm_names(status: int) -> tuple:
    """Names of the alarm bits set in a BATTERY_STATUS word."""
    return tuple(name for bit, name in ALARM_NAMES if status & bit)
