"""The paper's arithmetic, 0.375 W and 20.8 hours on 2000 mAh, checked.

The figures are NanoMind's (its Figure 9); a later abstract of the same paper says 18.8 hours.
"""

from __future__ import annotations

from typing import Any

from power.twin.hours import NOMINAL_V
from power.twin.parameters import Parameters

PAPER_W = 0.375
PAPER_H = 20.8
LATER_H = 18.8
PACK_AH = 2.0


def paper_arithmetic(parameters: Parameters) -> dict[str, Any]:
    """Every step as a number and as a sentence."""
    pack_wh = PACK_AH * NOMINAL_V
    claimed_wh = PAPER_W * PAPER_H
    energy = parameters.energy
    floor_w = (energy.floor_mw + energy.pmu_mw) / 1000
    asleep_w = (energy.suspend_mw + energy.pmu_asleep_mw) / 1000
    lossless_h = pack_wh / PAPER_W
    awake_share = (PAPER_W - asleep_w) / (floor_w - asleep_w)
    needed_v = claimed_wh / PACK_AH
    return {
        "kind": "modelled",
        "pack_wh": pack_wh,
        "claimed_wh": claimed_wh,
        "needed_volt": needed_v,
        "hours_lossless": lossless_h,
        "hours_at_95_percent": 0.95 * lossless_h,
        "hours_at_85_percent": 0.85 * lossless_h,
        "eta_of_later_abstract": LATER_H / lossless_h,
        "awake_floor_w": floor_w,
        "asleep_w": asleep_w,
        "awake_share_at_0.375_w": awake_share,
        "hours_awake_floor": pack_wh / floor_w,
        "steps": [
            f"A 2000 mAh pack at 3.7 V holds {pack_wh:.2f} Wh.",
            f"0.375 W for 20.8 h is {claimed_wh:.2f} Wh: it needs {needed_v:.2f} V and a lossless converter.",
            f"Without any loss the pack gives {lossless_h:.1f} h at 0.375 W; at 95 percent "
            f"{0.95 * lossless_h:.2f} h, at 85 percent {0.85 * lossless_h:.1f} h.",
            f"The later abstract's 18.8 h is what {100 * LATER_H / lossless_h:.0f} percent would give.",
            "No rate of events is stated, so 0.375 W cannot be told apart from standby: "
            "hours = V Ah eta / (P_idle + sum of rate_k E_k) has one equation and at least two unknowns.",
            f"An RK3566 that stays awake draws {floor_w:.2f} W before it does anything (here with the "
            f"microcontroller): {pack_wh / floor_w:.1f} h. One core that waits is therefore not 0.375 W.",
            f"A mean of 0.375 W is within reach only asleep: at {asleep_w:.2f} W suspended, the board may be "
            f"awake and idle for {100 * awake_share:.0f} percent of the time and must do nothing then.",
        ],
    }
