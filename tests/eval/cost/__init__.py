"""What a turn and its parts cost in time and memory on this computer (`just bench`, `just latency`)."""
