"""`just eval gate`: the PMU's sound gate, its diagrams, and sound that is lost in the hand-over."""
