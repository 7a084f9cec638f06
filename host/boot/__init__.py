"""Boot counting: how often a release was started, what its starts reached, when the one before runs again.
Read by the service, the commands and the guard: standard library only.
"""
