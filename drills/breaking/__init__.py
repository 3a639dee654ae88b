"""Breaking: the tests notice what a user would notice."""
