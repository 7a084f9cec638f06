"""The PMU's firmware onto its board over USB: the image, the two slots, the copy. May import `hw.pmu_usb`
and `host.terminal`.
"""
