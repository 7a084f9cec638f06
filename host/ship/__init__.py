"""Deploys the application to a headband, as releases of which one is current. May import `host.flash`,
`host.packages` and `host.terminal`.
"""
