"""Runs a command in several processes, as torchrun does, and chooses which of them reports an error."""

import logging
import os
import signal
import sys
import time
from typing import Annotated

import typer

from mhmgnn.cli.faults import lost_another
from mhmgnn.errors import MHMError

Devices = Annotated[int, typer.Option(min=1, help="Processes on this machine that share the work.")]
SECONDS_TO_SPEAK = 10.0  # to wait for the report of another process; torch ends this one long before


def in_processes(devices: int, *, then: str = "run the command again") -> None:
    """Run this command line in `devices` processes and exit with their code; returns at once if it is 1.

    `then` is the advice to print if a process was killed.
    """
    if "WORLD_SIZE" in os.environ:
        _end_with_launcher()
        return
    if devices == 1:
        return
    import uuid
    from tempfile import TemporaryDirectory

    from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    logging.disable(logging.CRITICAL)  # torch logs failures at length, and this process only waits
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # as torchrun does
    with TemporaryDirectory() as scratch:
        plan = LaunchConfig(
            min_nodes=1,
            max_nodes=1,
            nproc_per_node=devices,
            run_id=str(uuid.uuid4()),
            rdzv_backend="c10d",
            rdzv_endpoint="localhost:0",
            max_restarts=0,
            logs_specs=DefaultLogsSpecs(log_dir=scratch),
        )
        try:
            elastic_launch(plan, sys.executable)("-u", "-m", "mhmgnn", *sys.argv[1:])
        except ChildFailedError as error:
            codes = {rank: failure.exitcode for rank, failure in error.failures.items()}
            _leave(codes, error.get_first_failure()[0], devices, then)
        except SignalException as error:
            sys.exit(128 + error.sigval)
    sys.exit(0)


def _leave(codes: dict[int, int], first: int, devices: int, then: str) -> None:
    """Exit with the code of the process that failed first; torch has ended the others."""
    causes = {rank: code for rank, code in codes.items() if code != -signal.SIGTERM} or codes
    rank = first if first in causes else min(causes)
    if causes[rank] > 0:  # it has reported why
        sys.exit(causes[rank])
    name = signal.Signals(-causes[rank]).name
    why = ", as the system does when memory runs out" if name == "SIGKILL" else ""
    raise MHMError(f"process {rank} of {devices}, counted from 0, was ended by {name}{why}; {then}")


def _end_with_launcher() -> None:
    """Let the system end this process when its parent is gone, as it might wait for it for ever."""
    if sys.platform == "linux":
        import ctypes

        set_death_signal = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


def let_others_speak(error: Exception) -> None:
    """Wait if another process is to report this error or its cause; this one is ended meanwhile."""
    if os.environ.get("RANK", "0") != "0" or lost_another(error):
        time.sleep(SECONDS_TO_SPEAK)
