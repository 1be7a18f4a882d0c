"""An example for the `--help` of every command, and what to do after it."""

EXAMPLES = {
    "demo": "mhmgnn demo --run shop --page shop.html",
    "fit": "mhmgnn fit pairs.csv run --features words.csv -k 3",
    "update": "mhmgnn update run tonight.csv",
    "embed": "mhmgnn embed run sets.csv --out vectors.parquet",
    "energy": "mhmgnn energy run sets.csv --match exact --out energies.csv",
    "complete": "mhmgnn complete run tea kettle --top 3",
    "groups": "mhmgnn groups run --with tea --sizes 3:6 --out groups.csv",
    "discover": "mhmgnn discover run --cliques --require tea --top 5",
    "count": "mhmgnn count pairs.csv -k 4 --by-shape",
    "probe": "mhmgnn probe run labelled.csv --folds 5",
    "compare": "mhmgnn compare carts.csv --report compare.html",
    "reproduce": "mhmgnn reproduce --quick --dataset cora",
    "report": "mhmgnn report run --page run.html",
    "serve": "mhmgnn serve run --port 8000",
    "doctor": "mhmgnn doctor run",
    "data list": "mhmgnn data list",
    "data info": "mhmgnn data info market",
    "data fetch": "mhmgnn data fetch cora",
    "baselines list": "mhmgnn baselines list",
}
NEXT = {
    "demo": "mhmgnn fit pairs.csv run learns from pairs of your own",
    "fit": "mhmgnn groups RUN lists the groups, mhmgnn report RUN writes a page",
    "update": "mhmgnn serve RUN takes up the new run by itself, RUN/previous is the former one",
    "embed": "mhmgnn probe RUN LABELLED measures how well the vectors predict your labels",
    "energy": "mhmgnn groups RUN lists the groups of any size",
    "complete": "mhmgnn groups RUN --with NODE lists the groups that hold a node",
    "groups": "mhmgnn complete RUN NODES ranks the nodes that belong with given ones",
    "discover": "mhmgnn groups RUN lists the groups of any size",
    "count": "mhmgnn fit GRAPH RUN learns which sets belong together",
    "probe": "mhmgnn fit GRAPH OTHER --baseline NAME gives a method to compare with",
    "compare": "mhmgnn fit PAIRS RUN learns from all your pairs",
    "report": "open the page in a browser",
    "data": "mhmgnn.datasets.load(NAME) gives a data set in Python",
    "baselines": "mhmgnn fit GRAPH RUN --baseline NAME fits one of them",
}


def example(command: str) -> str:
    """The last line of a command's help."""
    return f"Example: {EXAMPLES[command]}"
