"""Battery reading to power plan: the settings, the plan, the policy, presence and the chip's temperature.
Pure.
"""
