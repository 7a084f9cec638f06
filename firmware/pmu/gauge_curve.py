"""A cell's capacity and open-circuit curve, learned from one discharge from a finished charge to its cut-off.

Both ends are known by what happens there and not by a curve, so this holds for a cell that is nothing like
its profile.
"""

from . import gauge_cell as cell

_STEP = 32  # samples per design capacity
_MOST = 96  # samples: three times the design capacity
_LEAST = 300  # thousandths of the design capacity must have been drawn
_CHARGED = 20  # thousandths of it may have been put in
_ALIKE_MV = 60  # two discharges that differ by less are averaged
_SPREAD = 0.015  # standard deviation of the capacity then
_COLD_DK = 2831  # 10 C: below, the sag hides the curve


class Trail:
    """Open-circuit voltages at even steps of charge, from full on."""

    def __init__(self, charge):
        self._charge = charge
        self._mv = None  # no finished charge yet
        self._drawn_uah = self._put_uah = 0

    def begin(self) -> None:
        """The cell is full."""
        self._mv = []
        self._drawn_uah = self._put_uah = 0

    def count(self, flowed_uah: int) -> None:
        """Charge flowed, positive while charging."""
        self._drawn_uah -= flowed_uah
        self._put_uah += max(0, flowed_uah)

    def look(self, open_circuit_mv: float, temperature_dk: int) -> None:
        """Take the voltage if it is due."""
        if self._mv is None:
            return
        if self._put_uah > _CHARGED * self._charge.design_mah or temperature_dk < _COLD_DK:
            self._mv = None
        elif (
            self._drawn_uah * _STEP >= 1000 * self._charge.design_mah * len(self._mv)
            and len(self._mv) < _MOST
        ):
            self._mv.append(int(open_circuit_mv))

    def end(self, full: float, open_circuit_mv: float, full_mv: int) -> None:
        """The cell is at its cut-off and has that voltage; it was full at `full` percent, with `full_mv`."""
        found, self._mv = self._mv, None
        charge = self._charge
        if not found or self._drawn_uah < _LEAST * charge.design_mah:
            return
        curve = charge.curve
        drawn = self._drawn_uah / 1000 / charge.design_mah  # of the design capacity
        # An empty cell has 4 percent at most; a burst ends it before, where voltage and count say so.
        empty = min(cell.percent_at(open_circuit_mv, curve), max(4, charge.percent))
        lowest, last = curve[0], len(found) - 1
        for index in range(1, len(curve)):
            percent = cell.STEP_PERCENT * index
            place = min(max(0.0, (full - percent) / (full - empty)) * drawn * _STEP, last - 0.001)
            at = max(0, int(place))
            mv = found[at] + (found[min(at + 1, last)] - found[at]) * (place - at)
            if percent < empty:
                mv = min(mv, curve[index])
            if charge.learned and abs(mv - curve[index]) < _ALIKE_MV:
                mv = (mv + curve[index]) / 2
            lowest = max(lowest + 1, mv)
            curve[index] = int(lowest)
        curve[-1] = max(curve[-1], full_mv)
        charge.learned = True
        charge.set_capacity((full - empty) / 100 / drawn, _SPREAD)
