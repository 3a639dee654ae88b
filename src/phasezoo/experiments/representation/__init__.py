"""Input planes, value heads and architectures compared, as the AlphaVile paper does."""
