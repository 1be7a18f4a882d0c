"""What people bring (pairs, files, matrices, graphs of other libraries) -> a `Listing` -> frozen rows."""
