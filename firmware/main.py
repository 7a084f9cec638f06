"""First thing the PMU runs after power-on. `firmware/pmu` lies beside it as the package `pmu`."""

from pmu.board import start  # type: ignore[import-not-found]  # on the board `pmu` is a package of its own

start()
