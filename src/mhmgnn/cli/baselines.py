"""The command that tells of other methods."""

import typer

baselines = typer.Typer(
    help="Other methods, which `mhmgnn fit --baseline NAME` puts on a graph.", no_args_is_help=True
)


@baselines.callback()
def about() -> None:
    """Hold the commands below `baselines`."""


@baselines.command("list")
def names() -> None:
    """Print the baselines: name, what it is, and its settings, which `--set baseline.KEY=VALUE` changes."""
    from dataclasses import asdict

    from mhmgnn.baselines.methods import METHODS

    for name, method in METHODS.items():
        kind = "any graph" if method.inductive else "its own graph"
        print(f"{name:<18} {kind:<14} {method.about}")
        if method.settings is not None:
            print(
                f"{'':<18} " + ", ".join(f"{key}={value}" for key, value in asdict(method.settings).items())
            )
