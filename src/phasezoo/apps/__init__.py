"""Programs: the command line, and what talks to other programs."""
