"""Energy accounting: the board's energy model, the modelled energy of intervals, and the ledger. May import
`power.policy`.
"""
