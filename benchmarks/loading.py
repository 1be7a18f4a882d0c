"""Seconds to load each data set from its raw files, of which nothing is kept; MHMGNN_DATA is their folder."""

import time
from typing import get_args

from record import Record

from mhmgnn import datasets


def main() -> None:
    record = Record("loading", "Loading a data set", "From its raw files, of which nothing is kept.")
    for kind in (datasets.Cited, datasets.Grouped, datasets.Collected):
        for name in get_args(kind):
            seconds = []
            for _ in range(2):
                start = time.perf_counter()
                loaded = datasets.load(name)
                seconds.append(time.perf_counter() - start)
            what = loaded.graph if isinstance(loaded, datasets.Dataset) else f"{len(loaded.graphs)} graphs"
            record.add({"data set": name, "first, s": seconds[0], "again, s": seconds[1], "what": str(what)})
    record.write()


if __name__ == "__main__":
    main()
