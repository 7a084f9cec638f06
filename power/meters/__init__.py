"""Power meters behind one interface: each records power over time, and says what it lost."""
