"""What a session with the wearer works with: the values and devices that a turn hands on from step to step.

May import the rooms of values below it: answers, hearing, language, observe, sensing, speaking.
"""
