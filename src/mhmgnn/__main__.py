"""Run the command line with `python -m mhmgnn`."""

from mhmgnn.cli.main import main

main()
