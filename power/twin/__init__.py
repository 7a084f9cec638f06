"""The headband's twin: cell, computer and devices, modelled, driven by the real policy through a day."""
