"""A UCI engine of any agent that plays chess or a variant of it."""
