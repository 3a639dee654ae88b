"""Connect Four: small, fast, and solved."""
