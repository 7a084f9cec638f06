"""Sound without device drivers: what a speaker played and when, player programs, sound and picture files. May
import `hw.device`.
"""
