"""Run the command line with `python -m mhmgnn`."""

from mhmgnn.cli import main

main()
