"""Words on a command line -> one library call each."""
