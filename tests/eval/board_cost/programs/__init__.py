"""Programs that run inside an emulated aarch64 Python and mark what is to be counted. They import nothing of
ours.
"""
