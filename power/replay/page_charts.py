"""The charts of the comparison's page: energy against latency, and the day hour by hour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from power.replay.charts import Axis, Series, chart, lanes
from power.replay.page_tables import COLOURS, RADII, Policies, key, sheet
from power.report.axes import axis_limit, legend
from power.report.mode_colours import MODE_COLOURS


def tradeoff_sheet(policies: Policies, what: str) -> str:
    """Mean power over mean wait as the charge falls; empty where it was not computed."""
    series = []
    for place, policy in enumerate(policies):
        points = policy["tradeoff"]
        notes = [
            f"{policy['title']} at {p['percent']} %: {p['mode']}, alpha {p['alpha']:.2f}, "
            f"{p['mean_mw']:.0f} mW, {p['latency_s']:.1f} s"
            for p in points
        ]
        series.append(
            Series(
                policy["title"], COLOURS[policy["name"]],
                [(p["latency_s"], p["mean_mw"]) for p in points], both=True, notes=notes,
                radius=RADII[place], ring=place < len(policies) - 1,
            )
        )  # fmt: skip
    points = [point for each in series for point in each.points]
    if not points:
        return ""
    drawn = chart(
        series,
        Axis("mean wait for an answer, s", 0.0, axis_limit(max(p[0] for p in points))),
        Axis(f"mean power of the {what}, mW", 0.0, axis_limit(max(p[1] for p in points))),
        label="Mean power over mean latency for each policy as the charge falls",
        height=300,
    )
    return sheet(
        "Energy against latency",
        f"Each dot is this whole {what} lived at one charge (80, 50, 45 ... 8 percent), as in the paper's "
        "Figure 8: lower and further left is better. Always performance and the one rules have one dot, as "
        "they do the same at every charge; where policies agree, their rings share a centre. Point "
        "at a dot to see its charge and mode.",
        key(policies) + f'<div class="scroll">{drawn}</div>',
    )


def day_sheet(result: Mapping[str, Any], what: str) -> str:
    """Charge, modes, waits and temperatures over the day."""
    policies = result["policies"]
    per_s = 1.0 if what == "day" else 1 / 60
    x = (
        Axis("time of day", 0.0, result["length_s"], clock_from_h=result["starts_h"])
        if what == "day"
        else Axis("minutes", 0.0, result["length_s"] * per_s)
    )

    def lines(name: str, y: Axis, label: str, *, step: bool = False, height: int = 150) -> str:
        series = [
            Series(
                p["title"],
                COLOURS[p["name"]],
                [(s["at_s"] * per_s, s[name]) for s in p["samples"]],
                step=step,
            )
            for p in policies
        ]
        return chart(series, x, y, label=label, height=height)

    degrees = [s[k] for p in policies for s in p["samples"] for k in ("cell_c", "soc_c")]
    coldest, warmest = min(15.0, 5.0 * (min(degrees) // 5)), axis_limit(max(degrees))
    slowest = axis_limit(max((a["latency_s"] for p in policies for a in p["asked"]), default=1.0))
    waits = [
        Series(
            p["title"], COLOURS[p["name"]], [(a["at_s"] * per_s, a["latency_s"]) for a in p["asked"]],
            dots=True, notes=[_about(a) for a in p["asked"]],
            radius=0.65 * RADII[place], ring=place < len(policies) - 1,
        )
        for place, p in enumerate(policies)
    ]  # fmt: skip
    parts = [
        lines("percent", Axis("charge, %", 0.0, 100.0), f"Charge over the {what}"),
        "<h3>Mode</h3>" + legend(list(MODE_COLOURS.items())) + lanes(
            [(p["name"], _modes(p["samples"], per_s)) for p in policies], x, label=f"Mode over the {what}"
        ),
        lines("alpha", Axis("alpha", 0.0, 1.0), f"Alpha over the {what}", step=True, height=90),
        chart(waits, x, Axis("wait for an answer, s", 0.0, slowest), label="Latency of every question"),
        lines("cell_c", Axis("cell, °C", coldest, warmest), "Cell temperature", height=110),
        lines("soc_c", Axis("processor, °C", coldest, warmest), "Processor temperature", height=110),
    ]  # fmt: skip
    body = "".join(f'<div class="scroll">{part}</div>' for part in parts)
    return sheet(
        "The day, hour by hour" if what == "day" else "The scenario, minute by minute",
        (
            "Charge jumps to 100 percent where an empty pack is exchanged for a full one."
            if what == "day"
            else "Charge jumps where a step puts in another pack."
        )
        + " Waits are from the end of the question to the first sound of the answer.",
        key(policies) + body,
    )


def _about(asked: Mapping[str, Any]) -> str:
    return f"{asked['route']}, {asked['mode']}: {asked['latency_s']:.1f} s, {asked['mwh']:.1f} mWh"


def _modes(samples: Sequence[Mapping[str, Any]], per_s: float) -> list[tuple[float, float, str, str]]:
    blocks: list[tuple[float, float, str, str]] = []
    for sample in samples:
        at, colour, what = sample["at_s"] * per_s, MODE_COLOURS[sample["mode"]], sample["mode"]
        if blocks and blocks[-1][3] == what:
            blocks[-1] = (blocks[-1][0], at, colour, what)
        else:
            if blocks:
                blocks[-1] = (blocks[-1][0], at, *blocks[-1][2:])
            blocks.append((at, at, colour, what))
    return blocks
