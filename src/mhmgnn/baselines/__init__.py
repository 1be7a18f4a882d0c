"""Other ways to the same matrix: a row for each k-set, or for each graph; one file each."""
