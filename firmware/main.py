"""What MicroPython runs after a reset; /loader.py starts the firmware. There is no boot.py, because that one
would also run at each soft reset, in the middle of somebody's session at the prompt.
"""

import loader  # type: ignore[import-not-found]  # it lies beside this file on the board

loader.run()
