"""The PMU over I2C: fuel gauge, watchdog, light, and the microphone that records while the computer is
suspended.

The register map comes from `firmware.pmu.registers`. May import `hw.device` and `hw.supply`.
"""
