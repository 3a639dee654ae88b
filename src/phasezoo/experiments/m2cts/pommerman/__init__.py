"""Phase experts in Pommerman: ``phasezoo reproduce m2cts --game pommerman``."""
