"""Figures of the healed exits: `just eval memory --section healing`."""
