"""Answers without a model: the device skills, timers, and replies about energy.

Values in, sentences out; no I/O. May import `host.language`, and values of `hw` and
`power`.
"""
