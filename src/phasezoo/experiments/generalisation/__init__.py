"""Train on one distribution, evaluate on others: a matrix of scores and its gaps."""
