"""The headband's twin: a model of cell, computer and devices that the real policy drives through a day."""
