"""`headband doctor`: checks every part, and reports the broken ones with a fix. May import `host.app`."""
