"""What one session with the wearer uses: the turn as a value, and the devices and settings of its steps.

May import answers, hearing, language, observe, sensing, speaking.
"""
