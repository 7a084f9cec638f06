"""Power: from battery reading to mode, plan and kernel settings; energy accounts, models and measurements."""
