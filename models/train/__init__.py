"""Trains the models of the micro pack in PyTorch, on generated data. Not part of the application."""
