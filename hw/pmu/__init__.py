"""The PMU over I2C: fuel gauge, watchdog, light, and the microphone that listens while the computer sleeps.

The register map comes from `firmware.pmu.registers`. May import `hw.device` and `hw.supply`.
"""
