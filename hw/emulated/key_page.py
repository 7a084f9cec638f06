"""The emulated PMU's key page: the firmware's, whose flash is a file that a laptop reads as well."""

from __future__ import annotations

from pathlib import Path

from firmware.pmu.key_page import body_of, record_of
from hw.device import DeviceError
from hw.key_file import KEPT_BYTES, erase_key_file, key_file_content, unusable_key_file, write_key_file
from hw.key_page import Keeper
from hw.pmu.gauge import PmuGauge
from hw.pmu.key_page import PmuKeyPage


class EmulatedKeyPage(PmuKeyPage):
    """The key page of an emulated PMU. A file that holds something else than a key is a device that does not
    work, not a key that is gone.
    """

    keeper: Keeper = "file"

    def __init__(self, pmu: PmuGauge, key_file: Path | None) -> None:
        super().__init__(pmu, pause=lambda seconds: None)
        self._key_file = key_file

    def present(self) -> bool:
        if (
            self._key_file is not None
            and key_file_content(self._key_file)
            and not flash_record(self._key_file)
        ):
            raise unusable_key_file(self._key_file)
        return super().present()


def flash_record(key_file: Path) -> bytes:
    """The firmware's record of the key in the file; b"" where none can be read. Up to version 0.2.0
    the file was such a record.
    """
    try:
        content = key_file_content(key_file)
    except DeviceError:
        return b""
    return record_of(content) if len(content) == KEPT_BYTES else content if body_of(content) else b""


def save_flash_record(key_file: Path, record: bytes) -> None:
    """Keeps the key of a record of the firmware's in the file; b"" erases it. Raises `OSError`."""
    if record:
        write_key_file(key_file, body_of(record))
    else:
        erase_key_file(key_file)
