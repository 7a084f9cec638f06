"""Trains the object detector: which things a picture shows, where, and what they look like."""
