"""A matrix and labels -> how much of the labels a linear classifier reads off the matrix."""
