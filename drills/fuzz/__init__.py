"""Fuzzing: every parser is given valid inputs that were made bad."""
