"""The application: one sub-package per idea, the settings, and the state machine."""

__version__ = "0.3.0"
"""Of the whole repository, by semantic versioning; CHANGELOG.md says what each one brought."""
