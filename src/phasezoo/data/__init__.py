"""Games stored as actions: records, stores, samples of positions, import."""
