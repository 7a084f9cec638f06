"""The true answers to questions about drawn shapes, computed from the values of the scene."""
