"""Checks of recordings for what meters and their exports do wrong. May import `power.meters`."""
