"""MicroPython runs this after a reset; /loader.py starts the firmware. There is no boot.py, because
MicroPython runs that also at each soft reset, so also while somebody works at the prompt.
"""

import loader  # type: ignore[import-not-found]  # on the board it is beside this file

loader.run()
