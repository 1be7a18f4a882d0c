"""A run, or a folder of results -> one page that a person looks at, in one file."""
