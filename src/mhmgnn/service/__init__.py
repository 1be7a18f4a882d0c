"""A run -> answers over HTTP: completions, energies, vectors and groups, and a page to look around."""
