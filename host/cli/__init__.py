"""The command line: one module per subcommand, and their options. May import every room; none imports it."""
