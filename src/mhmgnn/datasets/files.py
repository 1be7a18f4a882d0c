"""Where the raw files of the data sets lie."""

import os
from pathlib import Path

from mhmgnn.errors import DataError
from mhmgnn.io.text import DAMAGED_GZIP, open_bytes

AnyPath = str | os.PathLike[str]
LARGEST = 2**28  # bytes of a raw file without its compression; the largest that we know of has a tenth of it


def data_folder(data_dir: AnyPath | None = None) -> Path:
    """The folder of raw files: `data_dir`, else what MHMGNN_DATA names, else the user's own cache."""
    given = data_dir or os.environ.get("MHMGNN_DATA")
    if given is not None:
        return Path(given)
    from platformdirs import user_cache_path

    return user_cache_path("mhmgnn") / "data"


def raw_file(dataset: str, file: str, data_dir: AnyPath | None = None) -> Path:
    """The path of a raw file such as "cora/cora.cites"; .gz may have been added to its name or taken off."""
    folder = data_folder(data_dir)
    plain = file.removesuffix(".gz")
    for name in (file, plain, f"{plain}.gz"):
        if (folder / name).is_file():
            return folder / name
    raise DataError(
        f"{dataset} needs {file}, which is not in {folder}; get it with `mhmgnn data fetch {dataset}`, "
        "or name the folder that holds it with --data-dir or MHMGNN_DATA"
    )


def raw_bytes(dataset: str, path: Path) -> bytes:
    """The content of a raw file, gzip taken off."""
    try:
        with open_bytes(path) as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise OSError(f"it holds more than {LARGEST} bytes")
    except (*DAMAGED_GZIP, OSError) as error:
        advice = f"get it again with `mhmgnn data fetch {dataset}`"
        raise DataError(f"{path} is damaged: {error}; {advice}") from None
    return content
