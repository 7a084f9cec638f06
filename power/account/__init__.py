"""What things cost in energy: the board's energy model, modelled stretches of work, and the ledger. May
import `power.policy`.
"""
