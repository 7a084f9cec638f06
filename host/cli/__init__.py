"""What a person types: one module per subcommand, and their options. May import everything; nothing imports
it.
"""
