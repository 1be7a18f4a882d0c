"""All readers under trial, by the file here that has them."""

from importlib import import_module

from fuzz.reader import Reader

FILES = ("tables", "groups", "folders", "raw", "serving")


def readers_of(file: str) -> dict[str, Reader]:
    """The readers of one file, which is imported only now: the long pass watches its imports."""
    found: dict[str, Reader] = import_module(f"fuzz.{file}").READERS
    return found


def every_reader() -> dict[str, Reader]:
    """The readers of all files."""
    return {name: reader for file in FILES for name, reader in readers_of(file).items()}
