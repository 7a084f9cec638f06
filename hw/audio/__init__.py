"""Sound without devices: what a speaker played and when, player programs, and sound and picture files. May
import `hw.device`.
"""
