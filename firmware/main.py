"""First thing the PMU runs after power-on. `firmware/pmu` lies beside it as the package `pmu`."""

from pmu.board import start

start()
