"""Trains what chooses a clip's configuration and what stops the camera (`models.sensing`)."""
