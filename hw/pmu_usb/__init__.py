"""The PMU over USB: its console, MicroPython's raw REPL, and files on its flash."""
