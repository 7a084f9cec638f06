"""`just eval --matrix`: accuracy by precision of each brick of the micro pack."""
