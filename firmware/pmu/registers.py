"""The register map: the one contract between the PMU and the host, imported by both.

Smart Battery Data 1.1 codes, units and signs at I2C address 0x0B, served from 256 bytes of memory that
`machine.I2CTarget(mem=...)` hands out byte by byte without Python. Register `code` lives at offset `4 * code`
as four bytes `[low, high, pec, 0]`, so an SMBus word read with PEC of command `4 * code` yields the word and
its checksum. A write of `[low, high, pec]` to the same offset is accepted when the register is writable and
the PEC is right, and undone otherwise.
"""

MAP_VERSION = 1  # raised whenever a register changes its place, unit or meaning
MAP_MAGIC = (
    0x4800  # high byte of the MAP register: tells this map from any other chip that answers at the address
)

ADDRESS = 0x0B
CELL_BYTES = 4
REGISTER_COUNT = 64
MEMORY_BYTES = CELL_BYTES * REGISTER_COUNT

# Smart Battery Data 1.1
REMAINING_CAPACITY_ALARM = 0x01  # mAh, writable
REMAINING_TIME_ALARM = 0x02  # minutes, writable
BATTERY_MODE = 0x03  # bits, writable
TEMPERATURE = 0x08  # 0.1 K
VOLTAGE = 0x09  # mV
CURRENT = 0x0A  # mA, signed, positive while charging
AVERAGE_CURRENT = 0x0B  # mA, signed, positive while charging
RELATIVE_STATE_OF_CHARGE = 0x0D  # percent
REMAINING_CAPACITY = 0x0F  # mAh
FULL_CHARGE_CAPACITY = 0x10  # mAh
RUN_TIME_TO_EMPTY = 0x11  # minutes, 65535 = not discharging
AVERAGE_TIME_TO_EMPTY = 0x12  # minutes, 65535 = not discharging
BATTERY_STATUS = 0x16  # bits, see STATUS_*
CYCLE_COUNT = 0x17  # cycles
DESIGN_CAPACITY = 0x18  # mAh
DESIGN_VOLTAGE = 0x19  # mV
SPECIFICATION_INFO = 0x1A  # 0x0031: version 1.1 with PEC

# This project's own
MAP = 0x20  # MAP_MAGIC | MAP_VERSION
SEQUENCE = 0x21  # even: memory is at rest; odd: an update is under way; moves on by two with every update
UPTIME_LOW = 0x22  # seconds since the PMU started, low word
UPTIME_HIGH = 0x23  # the same, high word

WRITABLE = (REMAINING_CAPACITY_ALARM, REMAINING_TIME_ALARM, BATTERY_MODE)
SIGNED = (CURRENT, AVERAGE_CURRENT)

# BATTERY_STATUS bits
STATUS_OVER_CHARGED = 0x8000
STATUS_TERMINATE_CHARGE = 0x4000
STATUS_OVER_TEMPERATURE = 0x1000
STATUS_TERMINATE_DISCHARGE = 0x0800
STATUS_REMAINING_CAPACITY = 0x0200
STATUS_REMAINING_TIME = 0x0100
STATUS_INITIALIZED = 0x0080
STATUS_DISCHARGING = 0x0040
STATUS_FULLY_CHARGED = 0x0020
STATUS_FULLY_DISCHARGED = 0x0010

ALARM_MASK = 0xFF00
ALARM_NAMES = (
    (STATUS_OVER_CHARGED, "over-charged"),
    (STATUS_TERMINATE_CHARGE, "stop charging"),
    (STATUS_OVER_TEMPERATURE, "too hot"),
    (STATUS_TERMINATE_DISCHARGE, "empty"),
    (STATUS_REMAINING_CAPACITY, "low charge"),
    (STATUS_REMAINING_TIME, "little time left"),
)

NOT_DISCHARGING = 0xFFFF  # value of the time-to-empty registers while nothing empties the battery
ZERO_CELSIUS_DK = 2731  # 0 degrees Celsius in 0.1 K, the unit of TEMPERATURE


def _crc8(byte):
    for _ in range(8):
        byte = (byte << 1) ^ 0x107 if byte & 0x80 else byte << 1
    return byte


_CRC8 = bytes(_crc8(byte) for byte in range(256))


def pec(data) -> int:
    """SMBus packet error code of the bytes: CRC-8, polynomial 0x07, initial value 0."""
    crc = 0
    for byte in data:
        crc = _CRC8[crc ^ byte]
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
