"""The real board: thin classes over the kernel's interfaces, imported only on the headband."""
