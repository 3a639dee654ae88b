"""Networks and experts on disk."""
