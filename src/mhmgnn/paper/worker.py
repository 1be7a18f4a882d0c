"""A process that runs items: a line of JSON in for each, a line of JSON out when its result is written."""

import json
import os
import signal
import sys
from pathlib import Path

from mhmgnn.errors import MHMError
from mhmgnn.paper.item import Item
from mhmgnn.paper.run import Bench, run_item


def main(results: Path, cache_dir: Path) -> None:
    """Run items until there are no more. What fails on purpose is told; anything else ends the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells all its processes; ours answer to one
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no answer
    bench = Bench(cache_dir)
    for line in sys.stdin:
        try:
            answer = {"score": run_item(Item.from_json(line), results, bench)["score"]}
        except MHMError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
