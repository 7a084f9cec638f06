"""Voices made from recordings of people, by programs that are used where they are installed."""
