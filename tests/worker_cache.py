"""A folder of compiled kernels for each worker of pytest-xdist; imported before numba is.

numba numbers the files of a function by an index that it reads, extends and writes without a lock: two
processes that compile two signatures at once may leave an index that names the other's code.
"""

import os
from pathlib import Path

if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    os.environ["NUMBA_CACHE_DIR"] = str(Path(__file__).parents[1] / ".numba" / worker)
