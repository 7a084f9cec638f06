"""What stands on a table: cups, bottles and books, in six forms each."""
