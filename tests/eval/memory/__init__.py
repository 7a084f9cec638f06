"""`just eval memory`: what is found again of held-out days, and what it costs to have remembered it."""
