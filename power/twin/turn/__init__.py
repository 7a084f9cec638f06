"""A question on the twin: its steps, and the pictures that are taken while it is spoken."""
