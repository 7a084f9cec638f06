"""The application: composition root, state machine, turn, dialogue, skills and command line."""

__version__ = "0.2.0"
"""Of the whole repository, by semantic versioning; CHANGELOG.md says what each one brought."""
