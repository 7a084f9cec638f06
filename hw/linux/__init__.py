"""Devices of any Linux computer: ALSA, V4L2, GPIO, I2C, LED, suspend, real-time clock, and their wiring.

May import `hw.audio` and `hw.gauges`.
"""
