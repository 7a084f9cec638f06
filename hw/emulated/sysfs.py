"""A folder shaped like the RK3566's `/sys`, with the Rockchip kernel's names and operating points."""

from __future__ import annotations

import os
from pathlib import Path

CPU_KHZ = (408_000, 600_000, 816_000, 1_104_000, 1_416_000, 1_608_000, 1_800_000)
DEVFREQ_MHZ = {
    "dmc": (324, 528, 780, 1056),
    "fde40000.npu": (200, 297, 400, 600, 700, 800, 900),
    "fde60000.gpu": (200, 300, 400, 600, 700, 800),
}
_GOVERNORS = {"dmc": "dmc_ondemand", "fde40000.npu": "rknpu_ondemand", "fde60000.gpu": "simple_ondemand"}
_CORES = 4
_CPUFREQ = "devices/system/cpu/cpufreq/policy0"
_BATTERY = "class/power_supply/rk817-battery"
_RTC = "class/rtc/rtc0"
_THERMAL = {"thermal_zone0": "soc-thermal", "thermal_zone1": "gpu-thermal"}


def write_tree(root: Path, *, soc_temperature_c: float = 45.0) -> Path:
    """Create every file under `root` with its value after boot; returns `root`."""
    files: dict[str, str] = {
        f"{_CPUFREQ}/scaling_available_frequencies": " ".join(map(str, CPU_KHZ)),
        f"{_CPUFREQ}/scaling_available_governors": "ondemand userspace powersave performance schedutil",
        f"{_CPUFREQ}/scaling_governor": "schedutil",
        f"{_CPUFREQ}/scaling_min_freq": str(CPU_KHZ[0]),
        f"{_CPUFREQ}/scaling_max_freq": str(CPU_KHZ[-1]),
        f"{_CPUFREQ}/cpuinfo_min_freq": str(CPU_KHZ[0]),
        f"{_CPUFREQ}/cpuinfo_max_freq": str(CPU_KHZ[-1]),
        f"{_CPUFREQ}/scaling_cur_freq": str(CPU_KHZ[0]),
        f"{_CPUFREQ}/related_cpus": "0 1 2 3",
        "devices/system/cpu/online": "0-3",
        "power/state": "freeze mem",
        "power/mem_sleep": "s2idle [deep]",
        "class/i2c-dev/i2c-1/name": "rk3x-i2c",
        "fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids",
        f"{_RTC}/name": "rk808-rtc rk808-rtc.4.auto",
        f"{_RTC}/wakealarm": "",
    }
    for core in range(1, _CORES):  # cpu0 has no such file: it cannot be taken offline
        files[f"devices/system/cpu/cpu{core}/online"] = "1"
    for name, steps_mhz in DEVFREQ_MHZ.items():
        folder = f"class/devfreq/{name}"
        steps_hz = [str(mhz * 1_000_000) for mhz in steps_mhz]
        files |= {
            f"{folder}/available_frequencies": " ".join(steps_hz),
            f"{folder}/available_governors": f"{_GOVERNORS[name]} userspace powersave performance",
            f"{folder}/governor": _GOVERNORS[name],
            f"{folder}/min_freq": steps_hz[0],
            f"{folder}/max_freq": steps_hz[-1],
            f"{folder}/cur_freq": steps_hz[0],
        }
    for zone, kind in _THERMAL.items():
        files[f"class/thermal/{zone}/type"] = kind
        files[f"class/thermal/{zone}/temp"] = str(round(soc_temperature_c * 1000))
    files[f"{_BATTERY}/type"] = "Battery"
    for folder in {os.path.dirname(name) for name in files}:
        os.makedirs(root / folder, exist_ok=True)
    for name, value in files.items():
        with open(root / name, "w", encoding="ascii") as file:
            file.write(value + "\n")
    return root


def write_battery(root: Path, *, percent: int, voltage_mv: int, current_ma: int, charging: bool) -> None:
    """Write the kernel's battery files (microvolt, microampere, negative = discharging)."""
    status = "Full" if charging and percent == 100 else "Charging" if charging else "Discharging"
    readings = {
        "capacity": percent,
        "voltage_now": voltage_mv * 1000,
        "current_now": current_ma * 1000,
        "status": status,
    }
    for name, value in readings.items():
        (root / _BATTERY / name).write_text(f"{value}\n")


def take_alarm_s(root: Path) -> float | None:
    """Seconds until the wake-up alarm that was written as "+N", and clear it; None when none is set."""
    file = root / _RTC / "wakealarm"
    text = file.read_text().strip()
    file.write_text("\n")
    return float(text[1:]) if text.startswith("+") else None
