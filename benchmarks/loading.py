"""Seconds to load each data set from its raw files, of which nothing is kept; MHMGNN_DATA is their folder."""

import time
from typing import get_args

from mhmgnn import datasets


def main() -> None:
    for kind in (datasets.Cited, datasets.Grouped, datasets.Collected):
        for name in get_args(kind):
            seconds = []
            for _ in range(2):
                start = time.perf_counter()
                loaded = datasets.load(name)
                seconds.append(time.perf_counter() - start)
            what = loaded.graph if isinstance(loaded, datasets.Dataset) else f"{len(loaded.graphs)} graphs"
            print(f"{name:<12} {seconds[0]:6.2f} s first, {seconds[1]:6.2f} s again   {what}", flush=True)


if __name__ == "__main__":
    main()
