import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from mhmgnn.errors import DataError
from mhmgnn.io.atomic import take_lock

HOLDER = """
import sys, time
from mhmgnn.io.atomic import take_lock

file = open(sys.argv[1], "a+")
take_lock(file, "is here first")
print("held", flush=True)
time.sleep(600)
"""


@contextmanager
def locked(path):
    with path.open("a+", encoding="ascii") as file:
        take_lock(file, "writes here; wait for it")
        yield


def test_a_lock_names_the_process_that_holds_it_and_ends_when_that_is_killed(tmp_path):
    path = tmp_path / ".lock"
    words = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        message = f"^another run, pid {holder.pid}, writes here; wait for it$"
        with pytest.raises(DataError, match=message), locked(path):
            pass
        holder.send_signal(signal.SIGKILL)
    with locked(path):
        assert path.read_text() == str(os.getpid())


def test_a_lock_holds_within_a_process_and_ends_with_its_file(tmp_path):
    path, message = tmp_path / ".lock", f"another run, pid {os.getpid()}, writes"
    with locked(path), pytest.raises(DataError, match=message), locked(path):
        pass
    with locked(path):
        pass


def test_systems_without_fcntl_and_resource_can_import_what_reads_and_writes():
    check = """
import sys, warnings
sys.modules["fcntl"] = sys.modules["resource"] = None
warnings.simplefilter("ignore")
import mhmgnn.cli.main, mhmgnn.io.arrays, mhmgnn.io.tables, mhmgnn.runtime.memory
"""
    subprocess.run([sys.executable, "-c", check], check=True)
