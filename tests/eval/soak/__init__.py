"""Many turns and days in one process: does anything grow, and is the journal consistent?"""
