"""The audit: networks judged by phase on stored games, beside constants."""
