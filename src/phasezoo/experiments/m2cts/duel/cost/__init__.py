"""What experts cost beside one network: memory, and the time of a call."""
