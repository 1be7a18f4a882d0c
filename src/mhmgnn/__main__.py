"""Run the command line with `python -m mhmgnn`."""

from mhmgnn.cli.main import main

if __name__ == "__main__":  # processes of a service import this file, too
    main()
