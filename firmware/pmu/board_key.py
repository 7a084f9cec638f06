"""The memory's key on the flash; loaded when a host first asks for it."""

import os

_KEY = "key.bin"
_KEY_FILE_BYTES = 2048  # littlefs keeps a file of at most 512 bytes among the names, where nothing is erased


def load():
    """The key's record; b"" without one."""
    try:
        with open(_KEY, "rb") as file:
            return file.read(_KEY_FILE_BYTES)
    except OSError:
        return b""


def save(record):
    """Write the key's record to flash. b"": remove it, and erase each block that still begins with one: the
    file system only forgets where it was. OSError when the flash is full.
    """
    if record:
        with open(_KEY, "wb") as file:
            file.write(record)
            file.write(bytes(_KEY_FILE_BYTES - len(record)))
        return
    try:
        os.remove(_KEY)
    except OSError:
        pass
    import rp2

    from .key_page import MARK

    flash, start = rp2.Flash(), bytearray(len(MARK))
    for block in range(flash.ioctl(4, 0) or 0):  # the number of blocks
        flash.readblocks(block, start, 0)
        if start == MARK:
            flash.ioctl(6, block)  # erase it
