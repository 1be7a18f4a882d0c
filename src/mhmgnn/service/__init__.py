"""A saved run served over HTTP: completions, energies, vectors and groups as JSON, and an explorer page."""
