"""The power rig: evaluates recordings of a headband that plays a scenario: power, energy, budgets, hours."""
