"""`njit` with a cache on disk that several processes may fill at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile


class Entries(IndexDataCacheFile):  # type: ignore[misc]
    """The cached code of a function, in a file for each signature that is named after what it was made from.

    numba's own names are numbers that are free in the index. Two processes that compile two signatures at the
    same time choose the same number, and the index of one may then name the code of the other. Here an entry
    of the index that another process overwrites is lost, and its code compiled again, but never mistaken.
    """

    def _load_index(self) -> dict[Any, str]:
        try:
            found: dict[Any, str] = super()._load_index()
        except (AttributeError, ImportError):  # of older source, in which a type had another name
            return {}
        return found

    def save(self, key: Any, data: Any) -> None:
        """Write the code of a signature, then the index that names it."""
        index, known = Path(self._index_path), self._load_index()
        if index.exists() and not known:  # of older source
            for old in index.parent.glob(f"{index.stem}.*.nbc"):
                old.unlink(missing_ok=True)
        made_from = repr((key, self._source_stamp, self._version))
        name = f"{index.stem}.{hashlib.sha256(made_from.encode()).hexdigest()[:16]}.nbc"
        self._save_data(name, data)
        self._save_index(self._load_index() | {key: name})


class Cache(FunctionCache):  # type: ignore[misc]
    """numba's cache of one function, with `Entries`; a file that cannot be read or written is left out."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = Entries(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code of a signature; None if it is not there."""
        with suppress(OSError):
            return super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code of a signature for other processes, if the disk lets us."""
        with suppress(OSError):
            super().save_overload(sig, data)


def njit(*, cache: bool, nogil: bool, inline: str = "never") -> Callable[[Callable[..., Any]], Any]:
    """Numba's `njit`; where no folder can be written, each process compiles for itself."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = numba.njit(nogil=nogil, inline=inline)(function)
        if cache:
            with suppress(RuntimeError):  # no folder for the cache
                compiled._cache = Cache(function)
        return compiled

    return decorate


def cache_folder(compiled: Any) -> str | None:
    """Where the code of a compiled function is kept; None if it is compiled in each process."""
    return compiled._cache.cache_path if isinstance(compiled._cache, Cache) else None
