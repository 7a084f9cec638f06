"""The board: one small interface per device, its real part and its emulated twin."""
