"""Measurements on held-out data, printed by `just eval`. They need the development requirements, not the
training ones.
"""
