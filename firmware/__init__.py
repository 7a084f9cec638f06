"""MicroPython for the power-management microcontroller (PMU), importable on CPython for its twin and its
tests.
"""
