"""The application: one sub-package per idea, the settings, and the state machine."""
