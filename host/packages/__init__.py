"""The Python packages that are locked: which of them a headband gets, their licences, their bill of
materials, and what is known against them. Imports no other room.
"""
