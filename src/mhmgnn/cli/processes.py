"""A command in several processes: started again by torchrun."""

import os
import subprocess
import sys
from typing import Annotated

import typer

Devices = Annotated[int, typer.Option(min=1, help="Processes on this machine, which share the work.")]


def in_processes(devices: int) -> None:
    """Run this command line again in so many processes, and leave with their exit code; 1 goes on here."""
    if devices == 1 or "WORLD_SIZE" in os.environ:
        return
    arguments = ["--standalone", "--nproc-per-node", str(devices), "-m", "mhmgnn", *sys.argv[1:]]
    done = subprocess.run([sys.executable, "-m", "torch.distributed.run", *arguments], check=False)
    sys.exit(done.returncode)
