"""Battery reading to mode, mode to plan, plan to knobs; and what it all costs in energy."""
