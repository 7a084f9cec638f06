"""The battery gauge on cells that the firmware does not know, beside simpler gauges and what is possible."""
