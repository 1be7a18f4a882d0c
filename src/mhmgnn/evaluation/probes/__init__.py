"""A matrix and labels -> how well linear classifiers predict the labels from the matrix."""
