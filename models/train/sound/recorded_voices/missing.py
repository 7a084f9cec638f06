"""What a program of voices raises that is not installed."""


class Missing(Exception):
    """A program of voices, or a voice of it, is not installed; one sentence."""
